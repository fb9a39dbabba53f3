/* scatter_chosen.cl: gradients of maxima or minima of products, by the dense matrix and by the
 * values, in the order of the rows of G: each element belongs to one entry. On few wide cores.
 *
 * Defines  scatter_chosen (by the dense matrix), sum_chosen (by the values)
 * Range    scatter_chosen: one group per worker, which has a range of the columns of G; sum_chosen:
 *          one group per chunk of the rows
 * Memory   blocks: a REAL for each element of the result; counts: an int for each of its rows and
 *          each worker; parts: eight REAL for each group and entry of the longest row
 * Types    scatter_chosen: F32 and F64; no row has an entry twice
 * Order    docs/numerics.md, rule S, of a dense matrix with several columns and of one column: a row
 *          of the dense matrix has the sums of a block at a time
 */
#if !SPC_GPU

/* Rows of the result, its columns of a worker: `to` has the sums of the first block, then those of
 * all blocks before, and `blocks` those of the last one. */
typedef struct {
    __global REAL *to, *blocks;
    long ld, n, first, last;
} part;

ALWAYS_INLINE void add_block(const part *s, long row) {
    for (long j = s->first; j < s->last; ++j) s->to[row * s->ld + j] += s->blocks[row * s->n + j];
}

/* Before entry `count` of a row. */
ALWAYS_INLINE void begin_entry(const part *s, long row, int count) {
    if (count == 0 || (count & (SPC_BLOCK - 1)) != 0) return;
    if (count > SPC_BLOCK) add_block(s, row);
    for (long j = s->first; j < s->last; ++j) s->blocks[row * s->n + j] = 0;
}

/* places[i, j]: the entry that element (i, j) of the product was; one of another row is none. */
KERNEL scatter_chosen(__global const OFFSET *offsets, long offsets_at, long rows,
                      __global const INDEX *columns, long columns_at, long all,
                      __global const REAL *values, long values_at, __global const REAL *g, long g_at,
                      long ldg, __global const void *places, long places_at, long places_ld,
                      int places64, __global REAL *to, long to_at, long ld, long n,
                      __global REAL *blocks, __global int *counts) {
    const long workers = get_num_groups(0), w = get_group_id(0);
    const part s = {to + to_at, blocks, ld, n, chunk_begin(n, workers, w),
                    chunk_begin(n, workers, w + 1)};
    offsets += offsets_at, columns += columns_at, values += values_at, counts += w * all;
    for (long c = 0; c < all; ++c) {
        counts[c] = 0;
        for (long j = s.first; j < s.last; ++j) s.to[c * ld + j] = 0;
    }
    for (long i = 0; i < rows; ++i) {
        const long begin = offsets[i], end = offsets[i + 1];
        for (long k = begin; k < end; ++k) begin_entry(&s, columns[k], counts[columns[k]]++);
        for (long j = s.first; j < s.last; ++j) {
            const long k = load_int(places, places64, places_at + i * places_ld + j);
            if (k < begin || k >= end) continue;
            const long c = columns[k];
            __global REAL *sum = counts[c] > SPC_BLOCK ? blocks + c * n + j : s.to + c * ld + j;
            *sum += values[k] * g[g_at + i * ldg + j];
        }
    }
    for (long c = 0; c < all; ++c)
        if (counts[c] > SPC_BLOCK) add_block(&s, c);
}

/* The entries of a row: eight partial sums of each. */
static REAL fold_parts(__global REAL *p) {
    const REAL sum = ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
    for (int i = 0; i < 8; ++i) p[i] = 0;
    return sum;
}

KERNEL sum_chosen(__global const OFFSET *offsets, long offsets_at, long rows,
                  __global const INDEX *columns, long columns_at, __global const STORED *g,
                  long g_at, long ldg, __global const STORED *b, long b_at, long ldb,
                  __global const void *places, long places_at, long places_ld, int places64,
                  __global STORED *to, long to_at, long capacity, long n, __global REAL *parts,
                  long longest) {
    offsets += offsets_at, columns += columns_at, to += to_at;
    const long groups = get_num_groups(0), group = get_group_id(0);
    const long last = chunk_begin(rows, groups, group + 1);
    parts += group * longest * 8;
    for (long i = 0; i < longest * 8; ++i) parts[i] = 0;
    for (long i = chunk_begin(rows, groups, group); i < last; ++i) {
        const long begin = offsets[i], end = offsets[i + 1];
        for (long first = 0; first < n || first == 0; first += SPC_BLOCK) {
            for (long j = first; j < min(n, first + SPC_BLOCK); ++j) {
                const long k = load_int(places, places64, places_at + i * places_ld + j);
                if (k < begin || k >= end) continue;
                parts[(k - begin) * 8 + (j & 7)] +=
                    READ_AT(g, g_at + i * ldg + j) * READ_AT(b, b_at + columns[k] * ldb + j);
            }
            for (long k = begin; k < end; ++k) {
                const REAL block = fold_parts(parts + (k - begin) * 8);
                WRITE_AT(to, k, first == 0 ? block : READ_AT(to, k) + block);
            }
        }
    }
    if (group == 0)
        for (long k = offsets[rows]; k < capacity; ++k) WRITE_AT(to, k, 0);
}

#endif
