/* unary.cl: functions of one number and their gradients, element by element.
 *
 * Defines  unary, unary_gradient; after unary_functions.cl for the functions that need it, after
 *          elementary.cl alone for those that need that, else for all others, with clip and
 *          clip_gradient, so that these need few registers
 * Variant  unary adds a bias for each column of x before
 * Range    FOR_EACH_PART over a matrix
 * Memory   y may be x and gx may be gy: each element is read before it is written
 * Order    docs/numerics.md
 */

/* As in sparcl_unary_op. */
enum {
    F_ABS,
    F_SIGN,
    F_ROUND,
    F_RINT,
    F_FLOOR,
    F_CEIL,
    F_TRUNC,
    F_SQRT,
    F_SQUARE,
    F_NEGATIVE,
    F_RELU,
    F_RADIANS,
    F_DEGREES,
    F_CBRT,
    F_SIN,
    F_TAN,
    F_ARCSIN,
    F_ARCTAN,
    F_SINH,
    F_TANH,
    F_ARCSINH,
    F_ARCTANH,
    F_EXPM1,
    F_LOG1P,
    F_EXP,
    F_LOG,
    F_SIGMOID,
    F_RECIPROCAL,
    F_RSQRT
};

#ifdef UNARY_FUNCTIONS

/* M(name, its value for x) */
#define EACH_FUNCTION(M)                                                                           \
    M(F_CBRT, own_cbrt(x))                                                                         \
    M(F_SIN, own_sin(x))                                                                           \
    M(F_TAN, own_tan(x))                                                                           \
    M(F_ARCSIN, own_arcsin(x))                                                                     \
    M(F_ARCTAN, own_arctan(x))                                                                     \
    M(F_SINH, own_sinh(x))                                                                         \
    M(F_ARCSINH, own_arcsinh(x))                                                                   \
    M(F_ARCTANH, own_arctanh(x))                                                                   \
    M(F_EXPM1, own_expm1(x))                                                                       \
    M(F_LOG1P, own_log1p_all(x))

/* M(name, the gradient by x for x or y, which is v, and the gradient g) */
#define EACH_GRADIENT(M)                                                                           \
    M(F_SIN, own_cos(v) * g)                                                                       \
    M(F_SINH, own_cosh(v) * g)

#elif defined(ELEMENTARY)

#define EACH_FUNCTION(M)                                                                           \
    M(F_TANH, own_tanh(x))                                                                         \
    M(F_EXP, own_exp(x))                                                                           \
    M(F_LOG, own_log(x))                                                                           \
    M(F_SIGMOID, own_sigmoid(x))

#else

#if SPC_F64
#define IN_RADIANS 0.017453292519943295
#define IN_DEGREES 57.29577951308232
#define SQUARE_LARGE 268435456.0 /* 1 + x^2 is x^2 from here on */
#else
#define IN_RADIANS 0.0174532924f
#define IN_DEGREES 57.2957802f
#define SQUARE_LARGE 8192.0f
#endif

static REAL sign_of(REAL x) {
    return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x;
}

static REAL abs_gradient(REAL x, REAL g) {
    return x > 0 ? g : x < 0 ? -g : x == 0 ? 0 : x;
}

/* sqrt(1 + x^2), also where x^2 would be infinite. */
static REAL root_of_square(REAL x) {
    return fabs(x) < SQUARE_LARGE ? ROOT(1.0f + x * x) : fabs(x);
}

#define EACH_FUNCTION(M)                                                                           \
    M(F_ABS, fabs(x))                                                                              \
    M(F_SIGN, sign_of(x))                                                                          \
    M(F_ROUND, round(x))                                                                           \
    M(F_RINT, rint(x))                                                                             \
    M(F_FLOOR, floor(x))                                                                           \
    M(F_CEIL, ceil(x))                                                                             \
    M(F_TRUNC, trunc(x))                                                                           \
    M(F_SQRT, ROOT(x))                                                                             \
    M(F_SQUARE, x * x)                                                                              \
    M(F_NEGATIVE, -x)                                                                              \
    M(F_RELU, x <= 0 ? 0 : x)                                                                      \
    M(F_RADIANS, x * IN_RADIANS)                                                                    \
    M(F_DEGREES, x * IN_DEGREES)                                                                    \
    M(F_RECIPROCAL, DIVIDE(1.0f, x))                                                               \
    M(F_RSQRT, DIVIDE(1.0f, ROOT(x)))

#define EACH_GRADIENT(M)                                                                           \
    M(F_ABS, abs_gradient(v, g))                                                                   \
    M(F_SIGN, (REAL)0)                                                                             \
    M(F_SQRT, DIVIDE(0.5f, v) * g)                                                                 \
    M(F_SQUARE, (2.0f * v) * g)                                                                    \
    M(F_NEGATIVE, -g)                                                                              \
    M(F_RELU, v > 0 ? g : v <= 0 ? 0 : v)                                                          \
    M(F_RADIANS, g * IN_RADIANS)                                                                    \
    M(F_DEGREES, g * IN_DEGREES)                                                                    \
    M(F_CBRT, DIVIDE(g, 3.0f * (v * v)))                                                           \
    M(F_TAN, (1.0f + v * v) * g)                                                                   \
    M(F_ARCSIN, DIVIDE(g, ROOT((1.0f - v) * (1.0f + v))))                                          \
    M(F_ARCTAN, DIVIDE(g, 1.0f + v * v))                                                           \
    M(F_TANH, ((1.0f - v) * (1.0f + v)) * g)                                                       \
    M(F_ARCSINH, DIVIDE(g, root_of_square(v)))                                                     \
    M(F_ARCTANH, DIVIDE(g, (1.0f - v) * (1.0f + v)))                                               \
    M(F_EXPM1, (v + 1.0f) * g)                                                                     \
    M(F_LOG1P, DIVIDE(g, 1.0f + v))                                                                \
    M(F_EXP, v * g)                                                                                \
    M(F_LOG, DIVIDE(g, v))                                                                         \
    M(F_SIGMOID, (v * (1.0f - v)) * g)                                                             \
    M(F_RECIPROCAL, -((v * v) * g))                                                                \
    M(F_RSQRT, ((-0.5f * v) * (v * v)) * g)

#endif

/* Everything that a function of x, or of v and g, is computed from, and the function. */
#define FUNCTION(NAME, value)                                                                      \
    static REAL value_of_##NAME(REAL x) {                                                          \
        return value;                                                                              \
    }
#define GRADIENT(NAME, value)                                                                      \
    static REAL gradient_of_##NAME(REAL v, REAL g) {                                               \
        return value;                                                                              \
    }
EACH_FUNCTION(FUNCTION)
#ifdef EACH_GRADIENT
EACH_GRADIENT(GRADIENT)
#endif

#if SPC_VARIANT
#define BIAS_OPERANDS , __global const STORED *bias, long bias_at
#define X_AT(k)       (READ_AT(from, k) + READ_AT(bias, bias_at + column + (k)))
#else
#define BIAS_OPERANDS
#define X_AT(k) READ_AT(from, k)
#endif

/* y := value of X_AT(k), and gx := value of v and of gy, for each element. */
#define SET_EACH(value)                                                                            \
    FOR_EACH_PART(row, column, count, m, n) {                                                      \
        __global const STORED *from = x + x_at + row * x_ld + column;                              \
        __global STORED *to = y + y_at + row * y_ld + column;                                      \
        STORE_EACH(to, k, count, value);                                                           \
    }
#define SET_EACH_GRADIENT(value)                                                                   \
    FOR_EACH_PART(row, column, count, m, n) {                                                      \
        __global const STORED *values = v + v_at + row * v_ld + column;                            \
        __global const STORED *from = gy + gy_at + row * gy_ld + column;                           \
        __global STORED *to = gx + gx_at + row * gx_ld + column;                                   \
        STORE_EACH(to, k, count, value);                                                           \
    }

/* The loop is inside the switch: llvmpipe, which counts the iterations of all loops, enters those of
 * the other cases, too, without doing anything. */
#define FUNCTION_CASE(NAME, value)                                                                 \
    case NAME: {                                                                                   \
        SET_EACH(value_of_##NAME(X_AT(k)))                                                         \
        break;                                                                                     \
    }
#define GRADIENT_CASE(NAME, value)                                                                 \
    case NAME: {                                                                                   \
        SET_EACH_GRADIENT(gradient_of_##NAME(READ_AT(values, k), READ_AT(from, k)))                \
        break;                                                                                     \
    }

#define OPERANDS                                                                                   \
    __global const STORED *x, long x_at, long x_ld, __global STORED *y, long y_at, long y_ld,      \
        long m, long n BIAS_OPERANDS
#define GRADIENT_OPERANDS                                                                          \
    __global const STORED *v, long v_at, long v_ld, __global const STORED *gy, long gy_at,         \
        long gy_ld, __global STORED *gx, long gx_at, long gx_ld, long m, long n

KERNEL unary(int op, OPERANDS) {
    switch (op) { EACH_FUNCTION(FUNCTION_CASE) }
}

#ifdef EACH_GRADIENT
KERNEL unary_gradient(int op, GRADIENT_OPERANDS) {
    switch (op) { EACH_GRADIENT(GRADIENT_CASE) }
}
#endif

#ifndef ELEMENTARY
static REAL limit(REAL x, REAL low, REAL high) {
    return x < low ? low : x > high ? high : x;
}

KERNEL clip(REAL low, REAL high, OPERANDS) {
    SET_EACH(limit(X_AT(k), low, high))
}

static REAL limit_gradient(REAL v, REAL g, REAL low, REAL high) {
    return v >= low && v <= high ? g : 0;
}

KERNEL clip_gradient(REAL low, REAL high, GRADIENT_OPERANDS) {
    SET_EACH_GRADIENT(limit_gradient(READ_AT(values, k), READ_AT(from, k), low, high))
}
#endif
