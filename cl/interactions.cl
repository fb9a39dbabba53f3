/* interactions.cl: interactions of all pairs of entries of each row of a CSR matrix, from the sums
 * of rows of a table, and the part of their gradient that the entries have by themselves. After
 * panel.cl.
 *
 * Defines  interactions, subtract_own
 * Range    wide cores: FOR_EACH over rows, FOR_ROWS over columns of the pattern; many lanes: a team of
 *          lanes for each row, a group for each tile of OWN_COLUMNS columns
 * Order    entries as stored (the pattern: by row), one after the other; columns in ascending order
 */

#define MATRIX                                                                                     \
    __global const OFFSET *offsets, long offsets_at, __global const INDEX *cols, long cols_at,     \
        __global const REAL *values, long values_at, long rows, __global const REAL *b, long b_at, \
        long ld, __global const REAL *sums, long sums_at, long sums_ld, long width,                \
        __global REAL *z, long z_at, int distance, long capacity
#define OPEN_MATRIX                                                                                \
    offsets += offsets_at;                                                                         \
    cols += cols_at;                                                                               \
    values += values_at;                                                                           \
    b += b_at;                                                                                     \
    sums += sums_at
#define PATTERN                                                                                    \
    __global const OFFSET *starts, __global const INDEX *row_of, __global const INDEX *columns,    \
        __global const long *found, __global const REAL *values, long capacity,                    \
        __global const REAL *b, long b_at, long ld, __global const REAL *g, long g_at,             \
        __global REAL *to, long to_at, long width
#define OPEN_PATTERN                                                                               \
    const long n = min(*found, capacity);                                                          \
    b += b_at;                                                                                     \
    g += g_at;                                                                                     \
    to += to_at

#if SPC_GPU

/* z[i] := half the sum over the columns: of the square of their sum minus the squares of its terms. A
 * lane has a column; the first one of the team adds them. */
KERNEL interactions(MATRIX) {
    __local REAL of_columns[GROUP];
    OPEN_MATRIX;
    TEAM(width);
    const long teams = GROUP >> shift, team = get_local_id(0) >> shift;
    for (long first = get_group_id(0) * teams; first < rows; first += get_num_groups(0) * teams) {
        const long i = first + team, row = min(i, rows - 1);
        const long begin = offsets[row], end = min((long)offsets[row + 1], capacity);
        REAL sum = 0;
        for (long column = 0; column < width; column += lanes) {
            const long j = column + lane;
            REAL own = 0;
            IN_ORDER
            for (long p = begin; p < end && j < width; ++p) {
                const REAL term = values[p] * b[cols[p] * ld + j];
                own += term * term;
            }
            const REAL all = j < width ? sums[row * sums_ld + j] : 0;
            of_columns[get_local_id(0)] = all * all - own;
            barrier(CLK_LOCAL_MEM_FENCE);
            const int count = FIRST_LANE ? (int)min(width - column, (long)lanes) : 0;
            IN_ORDER
            for (int c = 0; c < count; ++c) sum += of_columns[get_local_id(0) + c];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (FIRST_LANE && i < rows) z[z_at + i] = (REAL)0.5 * sum;
    }
}

/* Entries of a group at once. */
#define OWN_ENTRIES 1024
#define OWN_COLUMNS GROUP

/* Row u of a gradient -= the sum over the entries of column u of the squares of their values, times
 * the gradient of their row, times row columns[u] of B. The entries of a tile of columns are next to
 * each other: all lanes compute their terms, then one lane for each column adds its own. */
KERNEL subtract_own(PATTERN) {
    __local REAL terms[OWN_ENTRIES], factors[OWN_COLUMNS];
    const int l = get_local_id(0);
    OPEN_PATTERN;
    TEAM(width);
    for (long tile = get_group_id(0) * OWN_COLUMNS; tile < n; tile += get_num_groups(0) * OWN_COLUMNS) {
        const long u = min(tile + l, n - 1), tile_end = min(tile + OWN_COLUMNS, n);
        const long begin = starts[u], end = tile + l < n ? (long)starts[u + 1] : begin;
        const long last = starts[tile_end];
        REAL sum = 0;
        for (long first = starts[tile]; first < last; first += OWN_ENTRIES) {
            for (int e = l; e < OWN_ENTRIES && first + e < last; e += GROUP) {
                const long k = first + e;
                terms[e] = (values[k] * values[k]) * g[row_of[k]];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            const int stop = (int)clamp(end - first, 0L, (long)OWN_ENTRIES);
            IN_ORDER
            for (int e = (int)clamp(begin - first, 0L, (long)OWN_ENTRIES); e < stop; ++e) sum += terms[e];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        factors[l] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (long i = tile + (l >> shift); i < tile_end; i += GROUP >> shift) {
            const REAL factor = factors[i - tile];
            __global const REAL *from = b + columns[i] * ld;
            for (long j = lane; j < width; j += lanes) to[i * width + j] -= factor * from[j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

#else

/* sum + the square of each of n elements of s minus the squares of its terms. */
#define COLUMNS_OF(type, n)                                                                        \
    ALWAYS_INLINE REAL columns_##n(__global const INDEX *cols, __global const REAL *values,        \
                                   long begin, long end, __global const REAL *b, long ld,          \
                                   __global const REAL *s, REAL sum) {                             \
        type own = 0;                                                                              \
        IN_ORDER                                                                                   \
        for (long p = begin; p < end; ++p) {                                                       \
            const type term = values[p] * LOAD##n(b + cols[p] * ld);                               \
            own += term * term;                                                                    \
        }                                                                                          \
        const type all = LOAD##n(s), left = all * all - own;                                       \
        IN_ORDER                                                                                   \
        for (int c = 0; c < n; ++c) sum += ((const REAL *)&left)[c];                               \
        return sum;                                                                                \
    }
EACH_WIDTH(COLUMNS_OF)

#define COLUMNS(n, j) sum = columns_##n(cols, values, begin, end, b + j, ld, s + j, sum)

/* z[i] := half the sum over the columns. */
KERNEL interactions(MATRIX) {
    OPEN_MATRIX;
    FOR_EACH(i, rows) {
        const long begin = offsets[i], end = min((long)offsets[i + 1], capacity);
        __global const REAL *s = sums + i * sums_ld;
        REAL sum = 0;
#if SPC_HINTS
        for (long p = begin + distance; p < end + distance && p < capacity && distance > 0; ++p)
            prefetch_row(b + cols[p] * ld, width);
#endif
        EACH_PANEL(j, width, COLUMNS);
        z[z_at + i] = (REAL)0.5 * sum;
    }
}

/* The sum over the entries of column u of the squares of their values, times the gradient of
 * their row. */
static REAL factor_of(__global const OFFSET *starts, __global const INDEX *row_of,
                      __global const REAL *values, __global const REAL *g, long u) {
    REAL sum = 0;
    IN_ORDER
    for (long k = starts[u]; k < (long)starts[u + 1]; ++k)
        sum += (values[k] * values[k]) * g[row_of[k]];
    return sum;
}

/* Row u of a gradient -= that factor times row columns[u] of B. */
KERNEL subtract_own(PATTERN) {
    OPEN_PATTERN;
    FOR_EACH(u, n) {
        const REAL factor = factor_of(starts, row_of, values, g, u);
        __global const REAL *from = b + columns[u] * ld;
        __global REAL *row = to + u * width;
        for (long j = 0; j < width; ++j) row[j] -= factor * from[j];
    }
}

#endif
