/* binary.cl: operations on two dense arrays, the second one broadcast, and their gradients; and the
 * sum of each row.
 *
 * Defines  binary, binary_gradient, row_sums
 * Range    binary, binary_gradient: FOR_EACH_PART over a matrix; row_sums: FOR_ROWS with 8 lanes
 * Memory   z may be x or y, and a gradient may be gz: each element is read before it is written
 * Order    row_sums: docs/numerics.md, rule S with the factor 1, one column
 */

/* As in sparcl_binary_op; then the same for the gradient by y. */
enum {
    B_ADD,
    B_SUBTRACT,
    B_MULTIPLY,
    B_DIVIDE,
    B_MAXIMUM,
    B_MINIMUM,
    B_BY_Y
};

/* Is x the larger, or the smaller? The first of equal ones, and the first NaN. */
#define IS_MAXIMUM(x, y) ((x) >= (y) || (x) != (x))
#define IS_MINIMUM(x, y) ((x) <= (y) || (x) != (x))

/* M(name, its value for x and y) */
#define EACH_OPERATION(M)                                                                          \
    M(B_ADD, x + y)                                                                                \
    M(B_SUBTRACT, x - y)                                                                           \
    M(B_MULTIPLY, x * y)                                                                           \
    M(B_DIVIDE, DIVIDE(x, y))                                                                      \
    M(B_MAXIMUM, IS_MAXIMUM(x, y) ? x : y)                                                         \
    M(B_MINIMUM, IS_MINIMUM(x, y) ? x : y)

/* M(name, number, the gradient for x, y and the gradient g) */
#define EACH_GRADIENT(M)                                                                           \
    M(X_ADD, B_ADD, g)                                                                             \
    M(X_SUBTRACT, B_SUBTRACT, g)                                                                   \
    M(X_MULTIPLY, B_MULTIPLY, g * y)                                                               \
    M(X_DIVIDE, B_DIVIDE, DIVIDE(g, y))                                                            \
    M(X_MAXIMUM, B_MAXIMUM, IS_MAXIMUM(x, y) ? g : 0)                                              \
    M(X_MINIMUM, B_MINIMUM, IS_MINIMUM(x, y) ? g : 0)                                              \
    M(Y_ADD, B_BY_Y + B_ADD, g)                                                                    \
    M(Y_SUBTRACT, B_BY_Y + B_SUBTRACT, -g)                                                         \
    M(Y_MULTIPLY, B_BY_Y + B_MULTIPLY, g * x)                                                      \
    M(Y_DIVIDE, B_BY_Y + B_DIVIDE, -DIVIDE(g * DIVIDE(x, y), y))                                   \
    M(Y_MAXIMUM, B_BY_Y + B_MAXIMUM, IS_MAXIMUM(x, y) ? 0 : g)                                     \
    M(Y_MINIMUM, B_BY_Y + B_MINIMUM, IS_MINIMUM(x, y) ? 0 : g)

#define OPERATION(NAME, value)                                                                     \
    static REAL value_of_##NAME(REAL x, REAL y) {                                                  \
        return value;                                                                              \
    }
#define GRADIENT(NAME, number, value)                                                              \
    static REAL gradient_of_##NAME(REAL x, REAL y, REAL g) {                                       \
        return value;                                                                              \
    }
EACH_OPERATION(OPERATION)
EACH_GRADIENT(GRADIENT)

/* y is the same number for all elements of a part, or an array. The loop is inside the switch:
 * llvmpipe, which counts the iterations of all loops, enters those of the other cases, too, without
 * doing anything. */
#define OPERATION_CASE(NAME, value)                                                                \
    case NAME: {                                                                                   \
        FOR_EACH_PART(row, column, count, m, n) {                                                  \
            __global const STORED *one = x + x_at + row * x_ld + column;                           \
            __global const STORED *other = y + y_at + row * y_row + column * y_step;               \
            __global STORED *to = z + z_at + row * z_ld + column;                                  \
            if (y_step) {                                                                          \
                STORE_EACH(to, k, count, value_of_##NAME(READ_AT(one, k), READ_AT(other, k)));     \
            } else {                                                                               \
                const REAL number = y ? READ_AT(other, 0) : scalar;                                \
                STORE_EACH(to, k, count, value_of_##NAME(READ_AT(one, k), number));                \
            }                                                                                      \
        }                                                                                          \
        break;                                                                                     \
    }
#define GRADIENT_CASE(NAME, op, value)                                                             \
    case op: {                                                                                     \
        FOR_EACH_PART(row, column, count, m, n) {                                                  \
            __global const STORED *one = x + x_at + row * x_ld + column;                           \
            __global const STORED *other = y + y_at + row * y_row + column * y_step;               \
            __global const STORED *from = gz + gz_at + row * gz_ld + column;                       \
            __global STORED *to = g + g_at + row * g_ld + column;                                  \
            if (y_step) {                                                                          \
                STORE_EACH(to, k, count,                                                           \
                           gradient_of_##NAME(READ_AT(one, k), READ_AT(other, k),                  \
                                              READ_AT(from, k)));                                  \
            } else {                                                                               \
                const REAL number = READ_AT(other, 0);                                             \
                STORE_EACH(to, k, count,                                                           \
                           gradient_of_##NAME(READ_AT(one, k), number, READ_AT(from, k)));         \
            }                                                                                      \
        }                                                                                          \
        break;                                                                                     \
    }

/* Row i of y begins at i * y_row; y_step is 0 where a row of it is one number. Without y it is
 * `scalar`. */
KERNEL binary(int op, __global const STORED *x, long x_at, long x_ld, REAL scalar,
              __global const STORED *y, long y_at, long y_row, long y_step, __global STORED *z,
              long z_at, long z_ld, long m, long n) {
    switch (op) { EACH_OPERATION(OPERATION_CASE) }
}

KERNEL binary_gradient(int op, __global const STORED *x, long x_at, long x_ld,
                       __global const STORED *y, long y_at, long y_row, long y_step,
                       __global const STORED *gz, long gz_at, long gz_ld, __global STORED *g,
                       long g_at, long g_ld, long m, long n) {
    switch (op) { EACH_GRADIENT(GRADIENT_CASE) }
}

#if SPC_GPU

/* Eight lanes for each row. */
KERNEL row_sums(__global const REAL *x, long m, long n, __global REAL *sums, long sums_at,
                long sums_ld) {
    __local REAL p[GROUP];
    const int l = get_local_id(0), lane = l & 7;
    for (long first = get_group_id(0) * (GROUP / 8); first < m;
         first += get_num_groups(0) * (GROUP / 8)) {
        const long row = first + l / 8;
        const long length = row < m ? n : 0;
        REAL total = 0;
        IN_ORDER
        for (long block = 0; block < n; block += SPC_BLOCK) {
            REAL sum = 0;
            IN_ORDER
            for (long i = block + lane; i < min(length, block + SPC_BLOCK); i += 8)
                sum += x[row * n + i];
            p[l] = sum;
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int half_of = 4; half_of > 0; half_of /= 2) {
                if (lane < half_of) p[l] += p[l + half_of];
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            total += p[l];
        }
        if (lane == 0 && row < m) sums[sums_at + row * sums_ld] = total;
    }
}

#else

KERNEL row_sums(__global const REAL *x, long m, long n, __global REAL *sums, long sums_at,
                long sums_ld) {
    FOR_EACH(row, m) {
        REAL total = 0;
        IN_ORDER
        for (long block = 0; block < n; block += SPC_BLOCK) {
            REAL p[8] = {0, 0, 0, 0, 0, 0, 0, 0};
            const long end = min(n, block + SPC_BLOCK);
            IN_ORDER
            for (long i = block; i < end; ++i) p[i & 7] += x[row * n + i];
            total += ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
        }
        sums[sums_at + row * sums_ld] = total;
    }
}

#endif
