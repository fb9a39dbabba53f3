/* spgemm.cl: the product of two CSR matrices, by rows of the first one (Gustavson's algorithm). After
 * bitmap.cl and entries.cl. On many lanes spgemm_tiles.cl and spgemm_long.cl have the product.
 *
 * Defines  spgemm_offsets, spgemm_gradient_a, spgemm_gradient_b; for CPUs spgemm_work (of each row),
 *          spgemm_symbolic (the entries of each row of the product), spgemm_numeric, spgemm_gradients;
 *          for the files after it: PATTERNS, OPEN_PATTERNS, first_row
 * Range    spgemm_work, spgemm_offsets: FOR_EACH over rows; spgemm_symbolic, spgemm_numeric: a group
 *          for each worker, which has complete rows of about equal work; spgemm_gradient_a and _b:
 *          FOR_EACH over entries; spgemm_gradients: a group for each worker
 * Memory   of each worker: the columns of a row as bits (bitmap.cl), and a sum for each column;
 *          spgemm_gradients: an OFFSET for each column
 * Order    docs/numerics.md, rule P
 */

#define PATTERNS                                                                                   \
    __global const OFFSET *a_offsets, long a_offsets_at, __global const INDEX *a_cols,             \
        long a_cols_at, long rows, __global const OFFSET *b_offsets, long b_offsets_at,            \
        __global const INDEX *b_cols, long b_cols_at, long cols
#define OPEN_PATTERNS                                                                              \
    a_offsets += a_offsets_at;                                                                     \
    a_cols += a_cols_at;                                                                           \
    b_offsets += b_offsets_at;                                                                     \
    b_cols += b_cols_at

/* The first row of worker w; `work` has the sums of the work of earlier rows. */
static long first_row(__global const long *work, long rows, long workers, long w) {
    const long at = chunk_begin(work[rows], workers, w);
    long low = 0, high = rows;
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (work[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

KERNEL spgemm_offsets(__global const long *offsets, long rows, long capacity, __global OFFSET *to,
                      long to_at, __global long *needed, long needed_at, int has_needed) {
    FOR_EACH(i, rows + 1) to[to_at + i] = (OFFSET)min(offsets[i], capacity);
    if (has_needed && get_global_id(0) == 0) needed[needed_at] = offsets[rows];
}

#if !SPC_GPU

/* Rows of B are at scattered places. A wide core asks for the offsets of one OFFSETS_AHEAD entries of A
 * before it needs them, and later for its columns, and for what `more` says, from `first` on. */
#define OFFSETS_AHEAD 48
#define ROW_AHEAD 24
#define PREFETCH_ROW(k, total, more)                                                               \
    if ((k) + OFFSETS_AHEAD < (total)) {                                                           \
        const long first = b_offsets[a_cols[(k) + ROW_AHEAD]];                                     \
        PREFETCH(b_offsets + a_cols[(k) + OFFSETS_AHEAD]);                                         \
        PREFETCH(b_cols + first);                                                                  \
        more;                                                                                      \
    }

/* work[i] := the products of row i, its entries, and 1. */
KERNEL spgemm_work(PATTERNS, __global long *work) {
    OPEN_PATTERNS;
    FOR_EACH(i, rows) {
        long sum = 1;
        for (long k = a_offsets[i]; k < a_offsets[i + 1]; ++k) {
            const long row = a_cols[k];
            sum += 1 + (long)b_offsets[row + 1] - b_offsets[row];
        }
        work[i] = sum;
    }
}

/* counts_of[i] := the number of columns of row i of the product. */
KERNEL spgemm_symbolic(PATTERNS, __global const long *work, __global BITS *bits,
                       __global long *counts_of) {
    const bitmap m = open_bitmap(bits, cols);
    const long w = get_group_id(0), last = first_row(work, rows, get_num_groups(0), w + 1);
    OPEN_PATTERNS;
    for (long i = first_row(work, rows, get_num_groups(0), w); i < last; ++i) {
        int count = 0;
        for (long k = a_offsets[i]; k < a_offsets[i + 1]; ++k) {
            const long row = a_cols[k];
            PREFETCH_ROW(k, a_offsets[last], (void)0)
            for (long l = b_offsets[row]; l < b_offsets[row + 1]; ++l)
                count += mark_column(m, b_cols[l]);
        }
        counts_of[i] = count;
        for (long k = a_offsets[i]; k < a_offsets[i + 1]; ++k) {
            const long row = a_cols[k];
            for (long l = b_offsets[row]; l < b_offsets[row + 1]; ++l)
                m.columns[b_cols[l] >> LOG_BITS] = 0;
        }
    }
}

KERNEL spgemm_numeric(PATTERNS, __global const long *work, __global BITS *bits,
                      __global REAL *sums, __global const STORED *a, long a_at,
                      __global const STORED *b, long b_at, __global const long *offsets,
                      long capacity, __global INDEX *to_cols, long to_cols_at, __global STORED *to,
                      long to_at) {
    const bitmap m = open_bitmap(bits, cols);
    const long w = get_group_id(0), last = first_row(work, rows, get_num_groups(0), w + 1);
    OPEN_PATTERNS;
    a += a_at;
    b += b_at;
    to_cols += to_cols_at;
    to += to_at;
    sums += w * cols;
    for (long i = first_row(work, rows, get_num_groups(0), w); i < last; ++i) {
        for (long k = a_offsets[i]; k < a_offsets[i + 1]; ++k) {
            const long row = a_cols[k];
            const REAL x = READ_AT(a, k);
            PREFETCH_ROW(k, a_offsets[last], PREFETCH(b + first))
            for (long l = b_offsets[row]; l < b_offsets[row + 1]; ++l) {
                const long j = b_cols[l];
                const REAL term = x * READ_AT(b, l);
                const REAL before = add_column(m, j) ? 0 : sums[j];
                sums[j] = before + term;
            }
        }
        const long begin = min(offsets[i], capacity), end = min(offsets[i + 1], capacity);
        long place = begin;
#define STORE_COLUMN(j)                                                                            \
    if (place < end) to_cols[place++] = (INDEX)(j)
        EACH_COLUMN(m, STORE_COLUMN)
#undef STORE_COLUMN
        for (long at = begin; at < end; ++at) WRITE_AT(to, at, sums[to_cols[at]]);
    }
}

#endif

/* The first of the ascending columns low .. high - 1 that is at least j. */
static long find_column(__global const INDEX *cols, long low, long high, INDEX j) {
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (cols[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#define PRODUCT                                                                                    \
    __global const OFFSET *c_offsets, long c_offsets_at, __global const INDEX *c_cols,             \
        long c_cols_at, __global const STORED *g, long g_at
#define OPEN_PRODUCT                                                                               \
    c_offsets += c_offsets_at;                                                                     \
    c_cols += c_cols_at;                                                                           \
    g += g_at

/* to[k] := the sum over row p of B of g * b, for entry k of A in column p. */
KERNEL spgemm_gradient_a(PATTERNS, PRODUCT, __global const STORED *b, long b_at, long capacity,
                         __global STORED *to, long to_at) {
    OPEN_PATTERNS;
    OPEN_PRODUCT;
    const long total = a_offsets[rows];
    FOR_ENTRIES(k, i, a_offsets, rows, total) {
        const long p = a_cols[k], end = c_offsets[i + 1];
        long at = c_offsets[i];
        REAL sum = 0;
        IN_ORDER
        for (long l = b_offsets[p]; l < b_offsets[p + 1]; ++l) {
            at = find_column(c_cols, at, end, b_cols[l]);
            if (at < end && c_cols[at] == b_cols[l]) sum += READ_AT(g, at) * READ_AT(b, b_at + l);
        }
        WRITE_AT(to, to_at + k, sum);
    }
    FOR_EACH(rest, capacity - total) WRITE_AT(to, to_at + total + rest, 0);
}

/* The transpose of A: src/ops/shared/pattern.h. It has index and offset types of its own. */
#define TRANSPOSE                                                                                  \
    __global const void *starts, __global const void *row_of, __global const void *perm,           \
        __global const void *columns, __global const long *found, int offset64, int index64

/* The place of column j among the `count` columns that have entries, or -1. */
static long find_present(__global const void *columns, int is64, long count, long j) {
    long low = 0, high = count;
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (load_int(columns, is64, middle) < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && load_int(columns, is64, low) == j ? low : -1;
}

/* to[l] := the sum over column p of A of a * g, for entry l of B in row p. */
KERNEL spgemm_gradient_b(TRANSPOSE, __global const OFFSET *b_offsets, long b_offsets_at,
                         __global const INDEX *b_cols, long b_cols_at, long b_rows, PRODUCT,
                         __global const STORED *a, long a_at, long capacity, __global STORED *to,
                         long to_at) {
    OPEN_PRODUCT;
    b_offsets += b_offsets_at;
    b_cols += b_cols_at;
    const long total = b_offsets[b_rows];
    FOR_ENTRIES(l, p, b_offsets, b_rows, total) {
        const long u = find_present(columns, index64, *found, p);
        const long last = u < 0 ? 0 : load_int(starts, offset64, u + 1);
        REAL sum = 0;
        IN_ORDER
        for (long k = u < 0 ? 0 : load_int(starts, offset64, u); k < last; ++k) {
            const long i = load_int(row_of, index64, k), end = c_offsets[i + 1];
            const long at = find_column(c_cols, c_offsets[i], end, b_cols[l]);
            if (at < end && c_cols[at] == b_cols[l])
                sum += READ_AT(a, a_at + load_int(perm, offset64, k)) * READ_AT(g, at);
        }
        WRITE_AT(to, to_at + l, sum);
    }
    FOR_EACH(rest, capacity - total) WRITE_AT(to, to_at + total + rest, 0);
}

#if !SPC_GPU

/* The worker that has row p of B: the same for neighbours, as they share cache lines. */
static long worker_of(long p, long workers) {
    return mul_hi((uint)(p >> 5) * 2654435769u, (uint)workers);
}

/* Both gradients, of which one may be NULL, in the order of the rows of A. Each worker goes through
 * all of them, for the rows of B that are its own. places[j]: where column j was in C at last,
 * which is in the row of C where this row has it. `sums` is gb, or where gb has 16 bits, as many
 * numbers. */
KERNEL spgemm_gradients(PATTERNS, PRODUCT, long b_rows, __global OFFSET *places,
                        __global const STORED *a, long a_at, __global const STORED *b, long b_at,
                        long a_capacity, __global STORED *ga, long ga_at, long b_capacity,
                        __global STORED *gb, long gb_at, __global REAL *sums, long sums_at) {
    const long w = get_group_id(0), workers = get_num_groups(0);
    const long a_total = a_offsets[a_offsets_at + rows], b_total = b_offsets[b_offsets_at + b_rows];
    OPEN_PATTERNS;
    OPEN_PRODUCT;
    a += a_at;
    b += b_at;
    places += w * cols;
    sums += sums_at;
    for (long j = 0; j < cols; ++j) places[j] = -1;
    for (long p = 0; gb && p < b_rows; ++p)
        if (worker_of(p, workers) == w)
            for (long l = b_offsets[p]; l < b_offsets[p + 1]; ++l) sums[l] = 0;
    for (long i = 0; i < rows; ++i) {
        const OFFSET begin = c_offsets[i], end = c_offsets[i + 1];
        for (OFFSET at = begin; at < end; ++at) places[c_cols[at]] = at;
        for (long k = a_offsets[i]; k < a_offsets[i + 1]; ++k) {
            const long p = a_cols[k];
            PREFETCH_ROW(k, a_total, PREFETCH(b + first); PREFETCH(sums + first))
            if (worker_of(p, workers) != w) continue;
            const REAL x = READ_AT(a, k);
            REAL sum = 0;
            IN_ORDER
            for (long l = b_offsets[p]; l < b_offsets[p + 1]; ++l) {
                const OFFSET at = places[b_cols[l]];
                if (at < begin || at >= end) continue;
                const REAL y = READ_AT(g, at);
                sum += y * READ_AT(b, l);
                if (gb) sums[l] += x * y;
            }
            if (ga) WRITE_AT(ga, ga_at + k, sum);
        }
    }
#if STORES_HALVES
    for (long p = 0; gb && p < b_rows; ++p)
        if (worker_of(p, workers) == w)
            for (long l = b_offsets[p]; l < b_offsets[p + 1]; ++l) WRITE_AT(gb, gb_at + l, sums[l]);
#endif
    if (ga) FOR_EACH(rest, a_capacity - a_total) WRITE_AT(ga, ga_at + a_total + rest, 0);
    if (gb) FOR_EACH(rest, b_capacity - b_total) WRITE_AT(gb, gb_at + b_total + rest, 0);
}

#endif
