/* copy.cl: dense arrays from one element type, leading dimension and order to others. With F16 among
 * the types after halves.cl.
 *
 * Defines  copy_rows (both arrays are row-major), copy_tiles (`from` is column-major)
 * Range    copy_rows: FOR_EACH_PART over a matrix; copy_tiles: FOR_EACH over tiles of TILE x TILE
 *          elements (CPU class), any number of groups (GPU class)
 * Macros   SPC_FROM, SPC_TO: the element types, as numbers of sparcl_dtype
 * Order    each element by itself. To F16 and BF16 through float. To integers toward 0, with the
 *          nearest integer for what is too large, and 0 for NaN; to INT32 from INT64 the lower bits;
 *          to BOOL 1 for all but 0
 */

#define TYPE_F32   0
#define TYPE_F64   1
#define TYPE_F16   2
#define TYPE_BF16  3
#define TYPE_INT32 4
#define TYPE_INT64 5
#define TYPE_BOOL  6

/* A value while it is converted: the type itself, or float for those of 16 bits. */
#if SPC_FROM == TYPE_F32
typedef float FROM;
typedef float VALUE;
#elif SPC_FROM == TYPE_F64
typedef double FROM;
typedef double VALUE;
#elif SPC_FROM == TYPE_INT32
typedef int FROM;
typedef int VALUE;
#elif SPC_FROM == TYPE_INT64
typedef long FROM;
typedef long VALUE;
#elif SPC_FROM == TYPE_BOOL
typedef uchar FROM;
typedef int VALUE;
#else
typedef ushort FROM;
typedef float VALUE;
#endif

#if SPC_TO == TYPE_F32
typedef float TO;
#elif SPC_TO == TYPE_F64
typedef double TO;
#elif SPC_TO == TYPE_INT32
typedef int TO;
#elif SPC_TO == TYPE_INT64
typedef long TO;
#elif SPC_TO == TYPE_BOOL
typedef uchar TO;
#else
typedef ushort TO;
#endif

static VALUE value_of(FROM x) {
#if SPC_FROM == TYPE_F16
    return widen1(x);
#elif SPC_FROM == TYPE_BF16
    return as_float((uint)x << 16);
#else
    return x;
#endif
}

#define IS_FLOAT (SPC_FROM <= TYPE_BF16)

#if SPC_TO == TYPE_BF16
static ushort narrow_bfloat(float x) {
    const uint bits = as_uint(x);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return (ushort)((bits >> 16 & 0x8000u) | 0x7fc0u);
    return (ushort)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
#endif

/* A cast of a number that the type does not have is undefined, so limits come first. */
static TO converted(FROM stored) {
#if SPC_FROM == SPC_TO
    return stored;
#else
    const VALUE x = value_of(stored);
#if SPC_TO == TYPE_F16
    return narrow1((float)x);
#elif SPC_TO == TYPE_BF16
    return narrow_bfloat((float)x);
#elif SPC_TO == TYPE_BOOL
    return x != 0;
#elif SPC_TO == TYPE_INT32 && IS_FLOAT
    return x >= (VALUE)0x1p31f ? INT_MAX : x < -(VALUE)0x1p31f ? INT_MIN : x == x ? (int)x : 0;
#elif SPC_TO == TYPE_INT64 && IS_FLOAT
    return x >= (VALUE)0x1p63f ? LONG_MAX : x < -(VALUE)0x1p63f ? LONG_MIN : x == x ? (long)x : 0;
#else
    return (TO)x;
#endif
#endif
}

KERNEL copy_rows(__global const FROM *from, long from_at, long from_ld, __global TO *to, long to_at,
                 long to_ld, long m, long n) {
    FOR_EACH_PART(row, column, count, m, n) {
        __global const FROM *x = from + from_at + row * from_ld + column;
        __global TO *y = to + to_at + row * to_ld + column;
        for (long i = 0; i < count; ++i) y[i] = converted(x[i]);
    }
}

#define TILE 32

/* `to` is [m, n]; element (i, j) of `from` is at j * from_ld + i. */
KERNEL copy_tiles(__global const FROM *from, long from_at, long from_ld, __global TO *to,
                  long to_at, long to_ld, long m, long n) {
    const long tiles_of_row = (n + TILE - 1) / TILE;
    const long tiles = (m + TILE - 1) / TILE * tiles_of_row;
    from += from_at;
    to += to_at;
#if SPC_GPU
    __local TO tile[TILE * (TILE + 1)];
    const int lane = get_local_id(0);
    for (long t = get_group_id(0); t < tiles; t += get_num_groups(0)) {
        const long row = t / tiles_of_row, i = row * TILE, j = (t - row * tiles_of_row) * TILE;
        const int rows = (int)min(m - i, (long)TILE), columns = (int)min(n - j, (long)TILE);
        for (int k = lane; k < TILE * TILE; k += GROUP) {
            const int r = k & (TILE - 1), c = k / TILE;
            if (r < rows && c < columns)
                tile[r * (TILE + 1) + c] = converted(from[(j + c) * from_ld + i + r]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = lane; k < TILE * TILE; k += GROUP) {
            const int c = k & (TILE - 1), r = k / TILE;
            if (r < rows && c < columns) to[(i + r) * to_ld + j + c] = tile[r * (TILE + 1) + c];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#else
    FOR_EACH(t, tiles) {
        const long row = t / tiles_of_row, i = row * TILE, j = (t - row * tiles_of_row) * TILE;
        const long last_row = min(m, i + TILE), last = min(n, j + TILE);
        for (long r = i; r < last_row; ++r)
            for (long c = j; c < last; ++c)
                to[r * to_ld + c] = converted(from[c * from_ld + r]);
    }
#endif
}
