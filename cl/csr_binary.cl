/* csr_binary.cl: sums and products of two CSR matrices element by element, and their gradients. Both
 * are sorted, without duplicates. After entries.cl.
 *
 * Defines  match_entries, binary_offsets, binary_a, binary_b; match_rows, merge_rows, for wide cores;
 *          scatter_pair, multiply_dense
 * Range    FOR_EACH over the entries of a matrix, or over rows + 1; match_rows, merge_rows: workers
 *          with complete rows that have about as many entries
 * Memory   matches: for each entry of A, whether B has it; then their prefix sums. Entry k of A is at
 *          place k + l - matches[k] of the sum, where l entries of B are before it, and at place
 *          matches[k] of the product. So entries are divided evenly, whatever the rows are. On wide
 *          cores: the number for each row, whose two runs of entries are merged
 * Types    MATCH: numbers of entries of A; sources are long
 * Order    nothing is added but the two terms of an element
 */

#if SPC_VALUE64
typedef long MATCH;
#else
typedef int MATCH;
#endif

typedef struct {
    __global const OFFSET *offsets;
    __global const INDEX *cols;
} matrix;

/* The two matrices as arguments of kernels. */
#define PAIR                                                                                       \
    __global const OFFSET *a_offsets, long a_offsets_at, __global const INDEX *a_cols,             \
        long a_cols_at, __global const OFFSET *b_offsets, long b_offsets_at,                       \
        __global const INDEX *b_cols, long b_cols_at, long rows
#define OPEN_PAIR                                                                                  \
    const matrix a = {a_offsets + a_offsets_at, a_cols + a_cols_at};                               \
    const matrix b = {b_offsets + b_offsets_at, b_cols + b_cols_at}

/* Where a loop over the entries of one matrix is: their row, and in that row of the other matrix the
 * first entry that is not before the current one; the last one + 1. */
typedef struct {
    long row, at, end;
} cursor;
#define START {-1, 0, 0}

/* The first of the ascending numbers low .. high - 1 that is at least x. */
static long first_not_before(__global const INDEX *cols, long low, long high, INDEX x) {
    const long near = SPC_GPU ? low : min(high, low + 8); /* wide cores go on from the last one */
    while (low < near && cols[low] < x) ++low;
    if (low < near) return low;
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (cols[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Move to entry k, which is not before the last one; returns whether the other matrix has it. */
static int enter(cursor *c, matrix own, matrix other, long row, long k) {
    if (row != c->row) {
        c->row = row;
        c->at = other.offsets[row];
        c->end = other.offsets[row + 1];
    }
    c->at = first_not_before(other.cols, c->at, c->end, own.cols[k]);
    return c->at < c->end && other.cols[c->at] == own.cols[k];
}

KERNEL match_entries(PAIR, long capacity, __global MATCH *matches) {
    OPEN_PAIR;
    cursor at = START;
    const long total = a.offsets[rows];
    FOR_ENTRIES(k, row, a.offsets, rows, total) matches[k] = enter(&at, a, b, row, k);
    FOR_EACH(rest, capacity - total) matches[total + rest] = 0;
}

/* The offsets of the sum, or of the product; at most the capacity. */
KERNEL binary_offsets(PAIR, __global const MATCH *matches, int by_row, int is_product,
                      long capacity, __global OFFSET *to, long to_at, __global long *needed,
                      long needed_at, int has_needed) {
    OPEN_PAIR;
    FOR_EACH(r, rows + 1) {
        const long both = matches[by_row ? r : (long)a.offsets[r]];
        const long place = is_product ? both : (long)a.offsets[r] + b.offsets[r] - both;
        to[to_at + r] = (OFFSET)min(place, capacity);
        if (has_needed && r == rows) needed[needed_at] = place;
    }
}

/* The entries of a result. */
#define RESULT                                                                                     \
    __global INDEX *to_cols, long to_cols_at, __global STORED *to_values, long to_values_at,       \
        long capacity, __global long *source_a, long source_a_at, __global long *source_b,         \
        long source_b_at, int has_sources
#define STORE_ENTRY(place, col, value, from_a, from_b)                                             \
    {                                                                                              \
        to_cols[to_cols_at + place] = col;                                                         \
        WRITE_AT(to_values, to_values_at + place, value);                                          \
        if (has_sources) {                                                                         \
            source_a[source_a_at + place] = from_a;                                                \
            source_b[source_b_at + place] = from_b;                                                \
        }                                                                                          \
    }

/* Entries that A has. */
KERNEL binary_a(PAIR, __global const MATCH *matches, int is_product, REAL alpha,
                __global const STORED *a_values, long a_values_at, REAL beta,
                __global const STORED *b_values, long b_values_at, RESULT) {
    OPEN_PAIR;
    cursor at = START;
    const long total = a.offsets[rows];
    FOR_ENTRIES(k, row, a.offsets, rows, total) {
        const int both = enter(&at, a, b, row, k);
        const long place = is_product ? (long)matches[k] : k + at.at - matches[k];
        if (place >= capacity || (is_product && !both)) continue;
        const REAL x = READ_AT(a_values, a_values_at + k);
        const REAL y = both ? READ_AT(b_values, b_values_at + at.at) : 0;
        const REAL sum = both ? alpha * x + beta * y : alpha * x;
        STORE_ENTRY(place, a.cols[k], is_product ? x * y : sum, k, both ? at.at : -1)
    }
}

/* Entries that only B has. */
KERNEL binary_b(PAIR, __global const MATCH *matches, REAL beta, __global const STORED *b_values,
                long b_values_at, RESULT) {
    OPEN_PAIR;
    cursor at = START;
    const long total = b.offsets[rows];
    FOR_ENTRIES(l, row, b.offsets, rows, total) {
        if (enter(&at, b, a, row, l)) continue;
        const long place = l + at.at - matches[at.at];
        if (place < capacity)
            STORE_ENTRY(place, b.cols[l], beta * READ_AT(b_values, b_values_at + l), -1, l)
    }
}

#if !SPC_GPU

/* The first row of worker w. */
static long first_row(matrix a, matrix b, long rows, long workers, long w) {
    const long at = chunk_begin(rows + a.offsets[rows] + b.offsets[rows], workers, w);
    long low = 0, high = rows;
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (middle + a.offsets[middle] + b.offsets[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#define FOR_EACH_ROW(r)                                                                            \
    for (long r = first_row(a, b, rows, get_num_groups(0), get_group_id(0)),                       \
              r##_end = first_row(a, b, rows, get_num_groups(0), get_group_id(0) + 1);             \
         r < r##_end; ++r)

/* matches[r] := the entries of row r that both matrices have. */
KERNEL match_rows(PAIR, __global MATCH *matches) {
    OPEN_PAIR;
    FOR_EACH_ROW(r) {
        const long a_end = a.offsets[r + 1], b_end = b.offsets[r + 1];
        MATCH both = 0;
        for (long k = a.offsets[r], l = b.offsets[r]; k < a_end && l < b_end;) {
            const INDEX x = a.cols[k], y = b.cols[l];
            if (x == y)
                ++both, ++k, ++l;
            else if (x < y)
                ++k;
            else
                ++l;
        }
        matches[r] = both;
    }
}

KERNEL merge_rows(PAIR, __global const MATCH *matches, int is_product, REAL alpha,
                  __global const STORED *a_values, long a_values_at, REAL beta,
                  __global const STORED *b_values, long b_values_at, RESULT) {
    OPEN_PAIR;
    a_values += a_values_at;
    b_values += b_values_at;
    FOR_EACH_ROW(r) {
        const long a_end = a.offsets[r + 1], b_end = b.offsets[r + 1];
        long k = a.offsets[r], l = b.offsets[r], place = matches[r];
        if (!is_product) place = k + l - place;
#define ONLY_A STORE_ENTRY(place, a.cols[k], alpha * READ_AT(a_values, k), k, -1)
#define ONLY_B STORE_ENTRY(place, b.cols[l], beta * READ_AT(b_values, l), -1, l)
        while (k < a_end && l < b_end && place < capacity) {
            const INDEX i = a.cols[k], j = b.cols[l];
            if (i == j) {
                const REAL x = READ_AT(a_values, k), y = READ_AT(b_values, l);
                STORE_ENTRY(place, i, is_product ? x * y : alpha * x + beta * y, k, l)
                ++place, ++k, ++l;
            } else if (i < j) {
                if (!is_product) {
                    ONLY_A
                    ++place;
                }
                ++k;
            } else {
                if (!is_product) {
                    ONLY_B
                    ++place;
                }
                ++l;
            }
        }
        if (is_product) continue;
        for (; k < a_end && place < capacity; ++k, ++place) ONLY_A
        for (; l < b_end && place < capacity; ++l, ++place) ONLY_B
    }
}

#endif

/* Both gradients, or with NULL for the other one of them: ga[a_source[k]] := g[k] times alpha, or
 * with has_values times the value of B; gb[b_source[k]] := g[k] times beta, or the value of A. */
KERNEL scatter_pair(__global const OFFSET *offsets, long offsets_at, long rows, long capacity,
                    __global const STORED *g, long g_at, __global const long *a_source,
                    long a_source_at, __global const long *b_source, long b_source_at, REAL alpha,
                    REAL beta, __global const STORED *a_values, long a_values_at,
                    __global const STORED *b_values, long b_values_at, int has_values,
                    __global STORED *ga, long ga_at, __global STORED *gb, long gb_at) {
    const long total = min((long)offsets[offsets_at + rows], capacity);
    a_source += a_source_at;
    b_source += b_source_at;
    FOR_EACH(k, total) {
        const REAL x = READ_AT(g, g_at + k);
        const long i = ga || has_values ? a_source[k] : -1;
        const long j = gb || has_values ? b_source[k] : -1;
        if (ga && i >= 0)
            WRITE_AT(ga, ga_at + i, (has_values ? READ_AT(b_values, b_values_at + j) : alpha) * x);
        if (gb && j >= 0)
            WRITE_AT(gb, gb_at + j, (has_values ? READ_AT(a_values, a_values_at + i) : beta) * x);
    }
}

/* v[k] := the value of entry k times the element of x at its place. */
KERNEL multiply_dense(__global const OFFSET *offsets, long offsets_at, __global const INDEX *cols,
                      long cols_at, long rows, long capacity, __global const STORED *values,
                      long values_at, __global const STORED *x, long x_at, long ldx,
                      __global STORED *v, long v_at) {
    offsets += offsets_at;
    const long total = offsets[rows];
    FOR_ENTRIES(k, row, offsets, rows, total) {
        WRITE_AT(v, v_at + k,
                 READ_AT(values, values_at + k) *
                     READ_AT(x, x_at + row * ldx + cols[cols_at + k]));
    }
    FOR_EACH(rest, capacity - total) WRITE_AT(v, v_at + total + rest, 0);
}
