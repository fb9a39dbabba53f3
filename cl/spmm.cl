/* spmm.cl: C := alpha * A * B + beta * C, A in CSR format, B and C dense: what both classes of
 * kernels share. The sums are in spmm_cores.cl and spmm_lanes.cl, which come after this file.
 *
 * Defines  the matrix as arguments of kernels (MATRIX, OPEN_MATRIX) and of functions (ROW_PARAMS,
 *          ENTRY_PARAMS); RESULT_ROW
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
