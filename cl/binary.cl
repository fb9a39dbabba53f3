/* binary.cl: operations on two dense arrays, the second one broadcast, and their gradients.
 *
 * Defines  binary; add, for that operation alone; binary_gradient; of 16 bits binary_products, the
 *          gradient as REAL
 * Range    FOR_EACH_PART over a matrix
 * Memory   z may be x or y, and a gradient may be gz: each element is read before it is written
 * Order    one operation for each element
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
#define GRADIENT_CASE(NAME, op, value) GRADIENT_CASE_BY(WRITE_AT, STORED, NAME, op)
#define GRADIENT_CASE_BY(WRITE, T, NAME, op)                                                       \
    case op: {                                                                                     \
        FOR_EACH_PART(row, column, count, m, n) {                                                  \
            __global const STORED *one = x + x_at + row * x_ld + column;                           \
            __global const STORED *other = y + y_at + row * y_row + column * y_step;               \
            __global const STORED *from = gz + gz_at + row * gz_ld + column;                       \
            __global T *to = g + g_at + row * g_ld + column;                                       \
            if (y_step) {                                                                          \
                STORE_EACH_BY(WRITE, to, k, count,                                                 \
                              gradient_of_##NAME(READ_AT(one, k), READ_AT(other, k),               \
                                                 READ_AT(from, k)));                               \
            } else {                                                                               \
                const REAL number = READ_AT(other, 0);                                             \
                STORE_EACH_BY(WRITE, to, k, count,                                                 \
                              gradient_of_##NAME(READ_AT(one, k), number, READ_AT(from, k)));      \
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

/* As IN_ANY_ORDER. Arrays of F32 that no cache holds are added in 0.9 of the time of wider vectors. */
#if defined(__clang__) && !SPC_GPU && !SPC_F16 && !SPC_BF16
#define IN_NARROW_VECTORS                                                                          \
    _Pragma("clang loop vectorize(assume_safety) vectorize_width(4) interleave_count(4)")
#else
#define IN_NARROW_VECTORS IN_ANY_ORDER
#endif

KERNEL add(__global const STORED *x, long x_at, long x_ld, __global const STORED *y, long y_at,
           long y_row, long y_step, __global STORED *z, long z_at, long z_ld, long m, long n) {
    FOR_EACH_PART(row, column, count, m, n) {
        __global const STORED *one = x + x_at + row * x_ld + column;
        __global const STORED *other = y + y_at + row * y_row + column * y_step;
        __global STORED *to = z + z_at + row * z_ld + column;
        long done = 0;
#if SPC_F64 && !SPC_GPU
        for (; y_step && y_row && done + 16 <= count; done += 16)
            STORE_SIXTEEN(REAL, vload16(0, one + done) + vload16(0, other + done), to + done);
#endif
        if (y_step && y_row) {
            IN_NARROW_VECTORS
            for (long k = done; k < count; ++k)
                WRITE_AT(to, k, READ_AT(one, k) + READ_AT(other, k));
        } else if (y_step) {
            IN_ANY_ORDER
            for (long k = done; k < count; ++k)
                WRITE_AT(to, k, READ_AT(one, k) + READ_AT(other, k));
        } else {
            const REAL number = READ_AT(other, 0);
            STORE_EACH(to, k, count, READ_AT(one, k) + number);
        }
    }
}

#define GRADIENT_OPERANDS                                                                          \
    int op, __global const STORED *x, long x_at, long x_ld, __global const STORED *y, long y_at,   \
        long y_row, long y_step, __global const STORED *gz, long gz_at, long gz_ld

KERNEL binary_gradient(GRADIENT_OPERANDS, __global STORED *g, long g_at, long g_ld, long m,
                       long n) {
    switch (op) { EACH_GRADIENT(GRADIENT_CASE) }
}

/* Products that are added up, which are rounded only then. */
#if STORES_HALVES
#define KEEP_AT(p, i, x)              ((p)[i] = (x))
#define PRODUCT_CASE(NAME, op, value) GRADIENT_CASE_BY(KEEP_AT, REAL, NAME, op)

KERNEL binary_products(GRADIENT_OPERANDS, __global REAL *g, long g_at, long g_ld, long m, long n) {
    switch (op) { EACH_GRADIENT(PRODUCT_CASE) }
}
#endif
