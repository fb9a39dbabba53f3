/* spmm_cores.cl: the sums of spmm.cl on few wide cores. A worker processes its rows once for each
 * panel of 64, 32, 16, 8, 4, 2 or 1 columns (without SPC_HINTS: of 16, 4 or 1), whose sums stay in
 * registers. After products.cl, partition.cl and spmm.cl.
 *
 * Defines  spmm, spmm_carry (rows that are split between partitions), spmm_pack
 * Range    spmm: one group per partition (cl/partition.cl); spmm_carry: `chunks` groups per
 *          partition, with a chunk of its columns each; spmm_pack: FOR_EACH over rows of B
 * Memory   carry: one slot per block and partition, then one slot per partition, of n REAL each
 * Order    docs/numerics.md, rule S
 */
#if !SPC_GPU

/* The end of the block that begins at `first`; first + SPC_BLOCK may overflow OFFSET. */
static OFFSET block_end(OFFSET first, OFFSET end) {
    return end - first > SPC_BLOCK ? first + SPC_BLOCK : end;
}

static REAL finish(REAL sum, REAL alpha, REAL beta, __global const STORED *c) {
    return beta == 0 ? alpha * sum : alpha * sum + beta * READ_AT(c, 0);
}

/* The work of a partition on a panel of columns: pointers are to the first of them. */
typedef struct {
    partition rows;
    __global const STORED *b;
    __global STORED *c;
    __global REAL *head, *tail; /* the carry's slots for head blocks, one for the tail */
    long ldb, ldc, slot;            /* elements from one row or slot to the next */
    REAL alpha, beta;
    OFFSET all;   /* where the entries of all rows end */
    int distance; /* prefetch distance for rows of B, in entries; 0: no prefetch */
    int stream;   /* write C by non-temporal stores */
} job;

/* Entries begin .. end of a row; their sum goes to `to` as alpha * sum + beta * *to. Where C has 16
 * bits, the carry has other elements: with `carries`, `to` points to REAL, and the sum itself is
 * stored. */
typedef struct {
    OFFSET begin, end;
    __global STORED *to;
    REAL alpha, beta;
    int carries;
} segment;

/* Rows that are skipped together where all are empty. */
#define EMPTY_RUN 32

/* One column of the empty rows row .. stop. (Mesa's compiler turns 0 * alpha into +0.) */
static void finish_empty(const job *d, long row, long stop) {
    for (; row < stop; ++row) {
        __global STORED *to = d->c + row * d->ldc;
        WRITE_AT(to, 0, finish(0, d->alpha, d->beta, to));
    }
}

/* Process a partition; `sum` computes one segment. Head blocks and the tail go to the carry without
 * alpha and beta. `skip_empty`, a constant: there is one column, and runs of empty rows are
 * skipped. */
#define FOR_PARTITION(name, sum, LDB, skip_empty)                                                  \
    static __attribute__((noinline)) void name##_raw(ENTRY_PARAMS, const job *d, OFFSET begin,     \
                                                     OFFSET end, __global REAL *to) {              \
        const segment p = {begin, end, (__global STORED *)to, 1, 0, STORES_HALVES};                \
        sum(ENTRY_ARGS, d, LDB, p);                                                                \
    }                                                                                              \
    static void name(ROW_PARAMS, const job *d) {                                                   \
        const partition s = d->rows;                                                               \
        for (long i = 0; i < s.head_blocks; ++i) {                                                 \
            const OFFSET begin = offsets[s.begin.row] + (OFFSET)((s.begin.block + i) * SPC_BLOCK); \
            name##_raw(ENTRY_ARGS, d, begin, block_end(begin, offsets[s.begin.row + 1]),           \
                       d->head + i * d->slot);                                                     \
        }                                                                                          \
        for (long row = s.first, stop; row < s.last; row = stop) {                                 \
            stop = skip_empty ? min(row + EMPTY_RUN, s.last) : s.last;                             \
            if (skip_empty && offsets[row] == offsets[stop]) {                                     \
                finish_empty(d, row, stop);                                                        \
                continue;                                                                          \
            }                                                                                      \
            for (; row < stop; ++row) {                                                            \
                const segment p = {offsets[row], offsets[row + 1],                                 \
                                   d->c + RESULT_ROW(row) * d->ldc, d->alpha, d->beta, 0};         \
                sum(ENTRY_ARGS, d, LDB, p);                                                        \
            }                                                                                      \
        }                                                                                          \
        if (s.has_tail) {                                                                          \
            const OFFSET begin = offsets[s.end.row];                                               \
            name##_raw(ENTRY_ARGS, d, begin, begin + (OFFSET)(s.end.block * SPC_BLOCK), d->tail);  \
        }                                                                                          \
    }

#define B_AT(k)   b[cols[k] * ldb]
#define TWO_AT(k) (STORED2)(B_AT(k), B_AT(k + 1))

/* Elements of the only column of B for entries k .. k + 8. Compilers make a gather of eight loads,
 * which is best where long rows wait for memory. Otherwise scalar loads are faster, which they pair
 * (`scalar`, a constant). */
ALWAYS_INLINE STORED8 eight_at(__global const INDEX *cols, OFFSET k, __global const STORED *b,
                               long ldb, int scalar) {
    if (scalar) return (STORED8)(TWO_AT(k), TWO_AT(k + 2), TWO_AT(k + 4), TWO_AT(k + 6));
    return (STORED8)(B_AT(k), B_AT(k + 1), B_AT(k + 2), B_AT(k + 3), B_AT(k + 4), B_AT(k + 5),
                   B_AT(k + 6), B_AT(k + 7));
}

/* The same for four, all of which are loaded (volatile, so that compilers do not branch). */
ALWAYS_INLINE STORED4 four_at(__global const INDEX *cols, OFFSET k, __global const STORED *b,
                              long ldb, int scalar) {
    volatile __global const STORED *all = b;
    if (scalar)
        return (STORED4)(all[cols[k] * ldb], all[cols[k + 1] * ldb], all[cols[k + 2] * ldb],
                       all[cols[k + 3] * ldb]);
    return (STORED4)(B_AT(k), B_AT(k + 1), B_AT(k + 2), B_AT(k + 3));
}

/* One column, at most four entries, where four can be read: no branch on their number. */
ALWAYS_INLINE REAL sum_four(ENTRY_PARAMS, OFFSET k, OFFSET count, __global const STORED *b,
                            long ldb, int scalar) {
    return fold4((REAL4)(0) + GET4(values + k) * WIDEN4(four_at(cols, k, b, ldb, scalar)), count);
}

#define TERM_AT(i) READ_AT(values, k + i) * READ_AT(b, cols[k + i] * ldb)

/* One column, at most seven entries. */
ALWAYS_INLINE REAL sum_seven(ENTRY_PARAMS, OFFSET k, OFFSET count, __global const STORED *b,
                             long ldb) {
    REAL p0 = 0, p1 = 0, p2 = 0, p3 = 0, p4 = 0, p5 = 0, p6 = 0;
    if (count > 0) p0 += TERM_AT(0);
    if (count > 1) p1 += TERM_AT(1);
    if (count > 2) p2 += TERM_AT(2);
    if (count > 3) p3 += TERM_AT(3);
    if (count > 4) p4 += TERM_AT(4);
    if (count > 5) p5 += TERM_AT(5);
    if (count > 6) p6 += TERM_AT(6);
    return ((p0 + p4) + (p2 + p6)) + ((p1 + p5) + p3);
}

/* One column: eight partial sums per block, the elements of s. */
ALWAYS_INLINE REAL sum_blocks(ENTRY_PARAMS, OFFSET k, OFFSET end, __global const STORED *b,
                              long ldb, int scalar) {
    REAL total = 0;
    IN_ORDER
    for (OFFSET last; k < end; k = last) {
        REAL8 s = 0;
        last = block_end(k, end);
        IN_ORDER
        for (; last - k >= 8; k += 8)
            s += GET8(values + k) * WIDEN8(eight_at(cols, k, b, ldb, scalar));
        ADD_REST8(s, last - k, TERM_AT);
        total += fold8(s);
    }
    return total;
}

ALWAYS_INLINE void sum_one(ENTRY_PARAMS, const job *d, long ldb, int scalar, segment p) {
    const OFFSET count = p.end - p.begin;
    REAL sum;
    if (count <= 4 && d->all - p.begin >= 4)
        sum = sum_four(ENTRY_ARGS, p.begin, count, d->b, ldb, scalar);
    else if (count < 8)
        sum = sum_seven(ENTRY_ARGS, p.begin, count, d->b, ldb);
    else
        sum = sum_blocks(ENTRY_ARGS, p.begin, p.end, d->b, ldb, scalar);
    if (p.carries)
        *(__global REAL *)p.to = sum;
    else
        WRITE_AT(p.to, 0, finish(sum, p.alpha, p.beta, p.to));
}

/* For a contiguous column ldb is a constant, so that no index is multiplied. */
#define ONE_COLUMN(name, ldb, scalar)                                                              \
    ALWAYS_INLINE void sum_##name(ENTRY_PARAMS, const job *d, long unused, segment p) {            \
        sum_one(ENTRY_ARGS, d, ldb, scalar, p);                                                    \
    }                                                                                              \
    FOR_PARTITION(partition_##name, sum_##name, 0, SPC_HINTS && !SPC_VARIANT)

ONE_COLUMN(one_strided, d->ldb, 0)
#if SPC_HINTS
ONE_COLUMN(one_packed, 1, 0)
ONE_COLUMN(one_scalar, 1, 1)
#endif

/* Further operations on vector i, of n elements, of a panel. */
#define PREFETCH_ROW(n, i) PREFETCH(later + i * n);
#define PUT(n, i)                                                                                  \
    if (p.carries) {                                                                               \
        STORE##n(t##i, (__global REAL *)p.to + i * n);                                             \
    } else {                                                                                       \
        t##i = p.beta == 0 ? p.alpha * t##i : p.alpha * t##i + p.beta * GET##n(p.to + i * n);      \
        if (d->stream)                                                                             \
            STREAM##n(t##i, p.to + i * n);                                                         \
        else                                                                                       \
            SET##n(t##i, p.to + i * n);                                                            \
    }

#define STREAM1 SET1
#define STREAM2 SET2
#define STREAM4 SET4
#define STREAM8 SET8

/* A row of at most four entries, where four can be read: no branch on their number. Products of
 * other entries become +0, which changes no sum: none is -0, since it began with +0. */
#if SPC_F64
#define MASK(n, x, is) as_double##n(as_long##n(x) & -(long)(is))
#else
#define MASK(n, x, is) as_float##n(as_int##n(x) & -(int)(is))
#endif
#define ADD_OWN(n, i)                                                                              \
    t0 += MASK(n, READ_AT(values, p.begin + i) * GET##n(d->b + cols[p.begin + i] * ldb), count > i);
#define SUM_FOUR(n)                                                                                \
    const OFFSET count = p.end - p.begin;                                                          \
    if (count <= 4 && d->all - p.begin >= 4) {                                                     \
        TOTAL(n, 0)                                                                                \
        FOUR(ADD_OWN, n)                                                                           \
        PUT(n, 0)                                                                                  \
        return;                                                                                    \
    }
#define NO_SHORT(n)

/* A panel of one, two or four (`each`) vectors of n columns. */
#define PANEL(name, n, each, SUM_SHORT)                                                            \
    ALWAYS_INLINE void sum_##name(ENTRY_PARAMS, const job *d, long ldb, segment p) {               \
        SUM_SHORT(n)                                                                               \
        __global const STORED *b = d->b;                                                           \
        const int distance = d->all - p.end >= d->distance ? d->distance : 0;                      \
        each(TOTAL, n)                                                                             \
        IN_ORDER                                                                                   \
        for (OFFSET k = p.begin, last; k < p.end; k = last) {                                      \
            last = block_end(k, p.end);                                                            \
            each(SUM, n)                                                                           \
            if (SPC_HINTS && distance > 0) {                                                       \
                IN_ORDER                                                                           \
                for (; k < last; ++k) {                                                            \
                    const REAL v = READ_AT(values, k);                                             \
                    __global const STORED *from = b + cols[k] * ldb;                               \
                    __global const STORED *later = b + cols[k + distance] * ldb;                   \
                    each(PREFETCH_ROW, n)                                                          \
                    each(MULTIPLY_ADD, n)                                                          \
                }                                                                                  \
            } else {                                                                               \
                IN_ORDER                                                                           \
                for (; k < last; ++k) {                                                            \
                    const REAL v = READ_AT(values, k);                                             \
                    __global const STORED *from = b + cols[k] * ldb;                               \
                    each(MULTIPLY_ADD, n)                                                          \
                }                                                                                  \
            }                                                                                      \
            each(FOLD, n)                                                                          \
        }                                                                                          \
        each(PUT, n)                                                                               \
    }                                                                                              \
    FOR_PARTITION(partition_##name, sum_##name, d->ldb, 0)

PANEL(4, 4, ONE, NO_SHORT)
PANEL(1, 1, ONE, NO_SHORT)
#if SPC_HINTS
PANEL(64, 16, FOUR, NO_SHORT)
PANEL(32, 16, TWO, NO_SHORT)
PANEL(16, 16, ONE, SUM_FOUR)
PANEL(8, 8, ONE, SUM_FOUR)
PANEL(2, 2, ONE, NO_SHORT)
#else
PANEL(16, 16, ONE, NO_SHORT)
#endif

#if SPC_VARIANT

/* The first row of C that is filled along with row `row` of the pattern: the one after its previous
 * row. */
static long after_previous(__global const INDEX *ids, long rows, long all_rows, long row) {
    return row == rows ? all_rows : row == 0 ? 0 : (long)ids[row - 1] + 1;
}

/* Fill the rows of C before and between those that begin in partition w. If there are any, those
 * that get a sum are filled, too: that costs less than a branch at each, and brings them into
 * cache. */
static void fill_partition(__global const INDEX *ids, long rows, long all_rows, REAL empty_value,
                           const job *d, long n, long w) {
    const long first = d->rows.first, last = d->rows.end.row + (d->rows.end.block > 0);
    const long end = after_previous(ids, rows, all_rows, last);
    const long at = w == 0 ? 0 : after_previous(ids, rows, all_rows, first);
    if (end - at == last - first) return;
    if (d->ldc == n)
        for (long j = at * n; j < end * n; ++j) WRITE_AT(d->c, j, empty_value);
    else
        for (long row = at; row < end; ++row)
            for (long j = 0; j < n; ++j) WRITE_AT(d->c, row * d->ldc + j, empty_value);
}

#define FILL_PARTITION                                                                             \
    if (fill_empty) fill_partition(ids, rows, all_rows, empty_value, &d, n, w)
#else
#define FILL_PARTITION
#endif

KERNEL spmm(MATRIX, __global const STORED *b, long b_at, long ldb, __global STORED *c, long c_at,
            long ldc, long n, REAL alpha, REAL beta, __global REAL *carry, long slots, int distance,
            int stream, int scalar, int unsplit) {
    OPEN_MATRIX;
    const long partitions = get_num_groups(0), w = partition_of_group(get_group_id(0), partitions);
    job d = {find_partition(offsets, rows, partitions, w),
             b + b_at,
             c + c_at,
             carry + w * slots * n,
             carry + (partitions * slots + w) * n,
             ldb,
             ldc,
             n,
             alpha,
             beta,
             offsets[rows],
             distance,
             stream};
    if (unsplit) make_unsplit(&d.rows);
    FILL_PARTITION;
#define COLUMNS(k)                                                                                 \
    {                                                                                              \
        partition_##k(ROW_ARGS, &d);                                                               \
        d.b += k, d.c += k, d.head += k, d.tail += k, left -= k;                                   \
    }
#if SPC_HINTS
    if (n == 1 && ldb == 1 && scalar)
        partition_one_scalar(ROW_ARGS, &d);
    else if (n == 1 && ldb == 1)
        partition_one_packed(ROW_ARGS, &d);
    else if (n == 1)
        partition_one_strided(ROW_ARGS, &d);
    else
        for (long left = n; left > 0;)
            if (left >= 64) COLUMNS(64)
            else if (left >= 32) COLUMNS(32)
            else if (left >= 16) COLUMNS(16)
            else if (left >= 8) COLUMNS(8)
            else if (left >= 4) COLUMNS(4)
            else if (left >= 2) COLUMNS(2)
            else COLUMNS(1)
#else
    /* Fewer widths: Mesa's compiler would take minutes. */
    if (n == 1)
        partition_one_strided(ROW_ARGS, &d);
    else
        for (long left = n; left > 0;)
            if (left >= 16) COLUMNS(16)
            else if (left >= 4) COLUMNS(4)
            else COLUMNS(1)
#endif
}

/* Rows that are split between partitions: add the sums of the blocks in order to that of the first
 * partition. */
KERNEL spmm_carry(MATRIX, __global STORED *c, long c_at, long ldc, long n, REAL alpha, REAL beta,
                  __global const REAL *carry, long slots, long chunks) {
    OPEN_MATRIX;
    c += c_at;
    const long partitions = get_num_groups(0) / chunks, w = get_group_id(0) / chunks;
    const long chunk = get_group_id(0) - w * chunks;
    const partition mine = find_partition(offsets, rows, partitions, w);
    if (!mine.has_tail) return;
    const long row = mine.end.row, blocks = blocks_of(offsets, row);
    __global STORED *to = c + RESULT_ROW(row) * ldc;
    for (long j = chunk_begin(n, chunks, chunk) + get_local_id(0);
         j < chunk_begin(n, chunks, chunk + 1); j += GROUP) {
        REAL sum = carry[(partitions * slots + w) * n + j];
        long begin = mine.end.block;
        IN_ORDER
        for (long v = w + 1; v < partitions && begin < blocks; ++v) {
            const long end = partition_reaches(offsets, rows, row, partitions, v + 1);
            IN_ORDER
            for (long k = 0; k < end - begin; ++k) sum += carry[(v * slots + k) * n + j];
            begin = end;
        }
        WRITE_AT(to, j, finish(sum, alpha, beta, to + j));
    }
}

/* packed := n columns of B, without gaps between rows: where B is larger than the caches, these
 * fit. */
KERNEL spmm_pack(__global const STORED *b, long b_at, long ldb, long rows, __global STORED *packed,
                 long n) {
    b += b_at;
    FOR_EACH(row, rows) {
        __global const STORED *from = b + row * ldb;
        __global STORED *to = packed + row * n;
#define COPY(w, j) SET##w(GET##w(from + j), to + j)
        EACH_PANEL(j, n, COPY);
#undef COPY
    }
}

#endif
