/* spmm.cl: C := alpha * A * B + beta * C, A in CSR format, B and C dense: what both classes of
 * kernels share. The sums are in spmm_cores.cl and spmm_lanes.cl, which come after this file. After
 * panel.cl and partition.cl.
 *
 * Defines  spmm_carry (rows that are split between partitions), finish; the matrix as arguments of
 *          kernels (MATRIX, OPEN_MATRIX) and of functions (ROW_PARAMS, ENTRY_PARAMS); RESULT_ROW
 * Range    spmm_carry: `chunks` groups per partition, with a chunk of its columns each
 * Memory   carry: one slot per block and partition, then one slot per partition, of n REAL each
 * Order    docs/numerics.md, rule S; SPC_BLOCK entries per block
 * Variant  the rows are those of a pattern (a sorted transpose), whose number is on the device.
 *          Where C has `all_rows` rows, ids are the rows of C; all_rows == 0: the rows of the
 *          result are packed. With `fill_empty`, the rows of C that have no id become `empty_value`
 */

#define ENTRY_ARGS cols, values
#define ENTRY_PARAMS __global const INDEX *cols, __global const STORED *values
#if SPC_VARIANT
#define MATRIX                                                                                     \
    __global const OFFSET *offsets, long offsets_at, __global const INDEX *cols, long cols_at,     \
        __global const STORED *values, long values_at, __global const INDEX *ids,                    \
        __global const long *count, long all_rows, int fill_empty, REAL empty_value
#define OPEN_MATRIX                                                                                \
    const long rows = *count;                                                                      \
    values += values_at
#define RESULT_ROW(r) (all_rows ? (long)ids[r] : (long)(r))
#define ROW_ARGS offsets, ENTRY_ARGS, ids, all_rows
#define ROW_PARAMS                                                                                 \
    __global const OFFSET *offsets, ENTRY_PARAMS, __global const INDEX *ids, long all_rows
#else
#define MATRIX                                                                                     \
    __global const OFFSET *offsets, long offsets_at, __global const INDEX *cols, long cols_at,     \
        __global const STORED *values, long values_at, long rows
#define OPEN_MATRIX                                                                                \
    offsets += offsets_at;                                                                         \
    cols += cols_at;                                                                               \
    values += values_at
#define RESULT_ROW(r) (long)(r)
#define ROW_ARGS offsets, ENTRY_ARGS
#define ROW_PARAMS __global const OFFSET *offsets, ENTRY_PARAMS
#endif

static REAL finish(REAL sum, REAL alpha, REAL beta, __global const STORED *c) {
    return beta == 0 ? alpha * sum : alpha * sum + beta * READ_AT(c, 0);
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
