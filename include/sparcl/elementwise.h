/* elementwise.h: functions of each element and operations on two arrays, dense and on the values of
 * sparse ones, with their gradients. */
#ifndef SPARCL_ELEMENTWISE_H
#define SPARCL_ELEMENTWISE_H

#include "sparcl/context.h"
#include "sparcl/ops.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Functions of one number. The gradient is that by x, from x or y = f(x), for the gradient g of y.
 * Errors and formulas are in docs/numerics.md. A NaN stays, except where a gradient is 0.
 *
 * All but the last five are 0 for x = 0, so they take sparse arrays, too.
 */
typedef enum sparcl_unary_op {
    SPARCL_UNARY_ABS = 0,         /**< |x|; g where x > 0, -g where x < 0, 0 where x = 0 */
    SPARCL_UNARY_SIGN = 1,        /**< 1, 0 or -1; 0 */
    SPARCL_UNARY_ROUND = 2,       /**< to the nearest integer, halves away from 0; 0 */
    SPARCL_UNARY_RINT = 3,        /**< to the nearest integer, halves to the even one; 0 */
    SPARCL_UNARY_FLOOR = 4,       /**< the largest integer that is at most x; 0 */
    SPARCL_UNARY_CEIL = 5,        /**< the smallest integer that is at least x; 0 */
    SPARCL_UNARY_TRUNC = 6,       /**< the integer part, which others call fix; 0 */
    SPARCL_UNARY_SQRT = 7,        /**< NaN for x < 0; (0.5 / y) g */
    SPARCL_UNARY_SQUARE = 8,      /**< x x; (2 x) g */
    SPARCL_UNARY_NEGATIVE = 9,    /**< -x; -g */
    SPARCL_UNARY_RELU = 10,       /**< 0 where x <= 0, else x; 0 where y <= 0, else g */
    SPARCL_UNARY_RADIANS = 11,    /**< x pi / 180; g pi / 180 */
    SPARCL_UNARY_DEGREES = 12,    /**< x 180 / pi; g 180 / pi */
    SPARCL_UNARY_CBRT = 13,       /**< the cube root, also of x < 0; g / (3 (y y)) */
    SPARCL_UNARY_SIN = 14,        /**< the sine; cos(x) g */
    SPARCL_UNARY_TAN = 15,        /**< the tangent; (1 + y y) g */
    SPARCL_UNARY_ARCSIN = 16,     /**< NaN for |x| > 1; g / sqrt((1 - x) (1 + x)) */
    SPARCL_UNARY_ARCTAN = 17,     /**< in [-pi/2, pi/2]; g / (1 + x x) */
    SPARCL_UNARY_SINH = 18,       /**< the hyperbolic sine; cosh(x) g */
    SPARCL_UNARY_TANH = 19,       /**< the hyperbolic tangent; ((1 - y) (1 + y)) g */
    SPARCL_UNARY_ARCSINH = 20,    /**< of all x; g / sqrt(1 + x x) */
    SPARCL_UNARY_ARCTANH = 21,    /**< NaN for |x| > 1; g / ((1 - x) (1 + x)) */
    SPARCL_UNARY_EXPM1 = 22,      /**< exp(x) - 1, accurate near 0, too; (y + 1) g */
    SPARCL_UNARY_LOG1P = 23,      /**< log(1 + x), accurate near 0, too; g / (1 + x) */
    SPARCL_UNARY_EXP = 24,        /**< y g */
    SPARCL_UNARY_LOG = 25,        /**< NaN for x < 0; g / x */
    SPARCL_UNARY_SIGMOID = 26,    /**< 1 / (1 + exp(-x)); (y (1 - y)) g */
    SPARCL_UNARY_RECIPROCAL = 27, /**< 1 / x; -((y y) g) */
    SPARCL_UNARY_RSQRT = 28       /**< 1 / sqrt(x); (-0.5 y) (y y) g */
} sparcl_unary_op;

/** "abs", "cbrt", ...; NULL for a number that is no function. */
SPARCL_API const char *sparcl_unary_name(sparcl_unary_op op);
/** Is the function 0 for x = 0? */
SPARCL_API int sparcl_unary_keeps_zero(sparcl_unary_op op);

/**
 * y := f(x) for each element.
 *
 * Shapes    x and y of one shape, of any rank.
 * Types     one dtype: F32, F64, F16 or BF16.
 * Order     each element by itself, by the formulas of docs/numerics.md.
 * Aliasing  y may be the array of x itself (not a part of it); nothing else may overlap.
 * Result    the same bits everywhere: all functions are the library's own.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_ARG.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_unary(sparcl_ctx *ctx, sparcl_unary_op op,
                                                        const sparcl_dense *y,
                                                        const sparcl_dense *x);

/**
 * y := f of the stored values of x. A sparse array with the indices of x and the values y is f(x).
 *
 * Shapes    csr: y [nnz]. rows: y [nnr, shape[1], ...], packed.
 * Types     as sparcl_unary.
 * Aliasing  y may be the values of x themselves; nothing else may overlap.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS; E_ARG for a function that is not 0 for x = 0: the result
 *           would be dense.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_unary(sparcl_ctx *ctx, sparcl_unary_op op,
                                                            const sparcl_dense *y,
                                                            const sparcl_csr *x);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_unary(sparcl_ctx *ctx, sparcl_unary_op op,
                                                             const sparcl_dense *y,
                                                             const sparcl_rows *x);

/**
 * gx := f'(x) * gy for each element, by the formula of the function. `value` is x or y = f(x),
 * whichever the formula has (sparcl_unary_needs_y); where it has neither, either.
 *
 * Shapes    gx, value and gy of one shape, of any rank.
 * Types     as sparcl_unary.
 * Order     as written, each operation rounded once.
 * Aliasing  gx may be the array of gy itself (not a part of it); nothing else may overlap, but
 *           value and gy may.
 * Result    the same bits everywhere.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_ARG.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_unary_gradient(sparcl_ctx *ctx,
                                                                 sparcl_unary_op op,
                                                                 const sparcl_dense *gx,
                                                                 const sparcl_dense *value,
                                                                 const sparcl_dense *gy);

/** Does the gradient need y = f(x), not x? */
SPARCL_API int sparcl_unary_needs_y(sparcl_unary_op op);

/**
 * y := low where x < low, high where x > high, else x: a NaN stays.
 *
 * Everything else is as for sparcl_unary. Errors, too: E_ARG where low > high or one is NaN. Either
 * may be infinite. They are rounded to the dtype (F16, BF16: to F32) first.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_clip(sparcl_ctx *ctx, const sparcl_dense *y,
                                                       const sparcl_dense *x, double low,
                                                       double high);

/** As sparcl_csr_unary, for clip: 0 must stay 0, so E_ARG unless low <= 0 <= high. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_clip(sparcl_ctx *ctx, const sparcl_dense *y,
                                                           const sparcl_csr *x, double low,
                                                           double high);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_clip(sparcl_ctx *ctx, const sparcl_dense *y,
                                                            const sparcl_rows *x, double low,
                                                            double high);

/** gx := gy where low <= x <= high, as in PyTorch; else 0. As sparcl_unary_gradient with x. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_clip_gradient(sparcl_ctx *ctx,
                                                                const sparcl_dense *gx,
                                                                const sparcl_dense *x,
                                                                const sparcl_dense *gy, double low,
                                                                double high);

/** Operations on two numbers. The gradients are those by x and by y, for the gradient g of z. */
typedef enum sparcl_binary_op {
    SPARCL_BINARY_ADD = 0,      /**< x + y; g and g */
    SPARCL_BINARY_SUBTRACT = 1, /**< x - y; g and -g */
    SPARCL_BINARY_MULTIPLY = 2, /**< x y; g y and g x */
    SPARCL_BINARY_DIVIDE = 3,   /**< x / y; g / y and -((g (x / y)) / y) */
    SPARCL_BINARY_MAXIMUM =
        4, /**< x where x >= y or x is NaN, else y; g to the one chosen, else 0 */
    SPARCL_BINARY_MINIMUM =
        5 /**< x where x <= y or x is NaN, else y; g to the one chosen, else 0 */
} sparcl_binary_op;

/**
 * z := x op y for each element of x, where y is broadcast.
 *
 * Shapes    x and z [m, ...], with rows of n elements. y is of the shape of x; or a row for each
 *           row of x: the shape of x without m, or with 1 in its place; or one number for each row:
 *           [m, 1, ...]; or one number for all: [1], [1, 1, ...].
 * Types     one dtype: F32, F64, F16 or BF16.
 * Order     one operation for each element; quotients are correctly rounded.
 * Aliasing  z may be the array of x itself, or of y where y is not broadcast (not a part of it);
 *           nothing else may overlap.
 * Result    the same bits everywhere.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_ARG.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_binary(sparcl_ctx *ctx, sparcl_binary_op op,
                                                         const sparcl_dense *z,
                                                         const sparcl_dense *x,
                                                         const sparcl_dense *y);

/** z := x op y for each element of x, with a number of the host, which is rounded to the dtype
 * (F16, BF16: to F32). Everything else is as for sparcl_binary. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_binary_scalar(sparcl_ctx *ctx,
                                                                sparcl_binary_op op,
                                                                const sparcl_dense *z,
                                                                const sparcl_dense *x, double y);

/**
 * gx and gy: the gradients of z = x op y by x and by y, for the gradient gz of z. One of them may
 * be NULL. Where y is broadcast, gy is the sum over all elements that a number of y was used for.
 *
 * Shapes    gx, x and gz of one shape, gy and y of one shape, as in sparcl_binary.
 * Types     as sparcl_binary.
 * Order     each product as written. Then, by rule S with the factor 1 (docs/numerics.md): for a
 * row, the sum of rows; for [m, 1], each row as one column; for one number, all products as one
 *           column. F16 and BF16: products and sums are F32, and gy is rounded once. A sum gy is
 *           packed.
 * Scratch   for a sum: the size of x, and as sparcl_sum_rows and sparcl_dense_reduce; with F16 or
 *           BF16 as for F32, and gy as F32.
 * Aliasing  gx may be the array of gz itself, and gy where y is not broadcast (not a part of it);
 *           then the other must be NULL. Nothing else may overlap, but x, y and gz may.
 * Result    the same bits everywhere.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_ARG, E_MEMORY.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_binary_gradient(
    sparcl_ctx *ctx, sparcl_binary_op op, const sparcl_dense *gx, const sparcl_dense *gy,
    const sparcl_dense *x, const sparcl_dense *y, const sparcl_dense *gz);

/**
 * z := the stored values of a, each op v[its row] with axis 1, v[its column] with axis 0, as
 * in sparcl_csr_reduce. The CSR matrix with the indices of a and the values z is the result:
 * diag(v) a, or a diag(v).
 *
 * MULTIPLY and DIVIDE only: with the others, elements that are not stored would get a value
 * (sparcl_csr_to_dense and sparcl_binary do that). A quotient 0 / 0 of such an element is no entry.
 *
 * Shapes    a [m, n], v [m] or [n], packed; z [nnz]. Elements of z after a's last entry are 0.
 * Types     one dtype: F32, F64, F16 or BF16; all index types.
 * Order     one operation for each entry.
 * Aliasing  z may be the values of a themselves; nothing else may overlap.
 * Result    the same bits everywhere.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_ARG; E_UNCHECKED: a is not proven valid.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_broadcast(sparcl_ctx *ctx,
                                                                sparcl_binary_op op,
                                                                const sparcl_dense *z,
                                                                const sparcl_csr *a,
                                                                const sparcl_dense *v, int axis);

/** z := the stored values of a, each op a number of the host. ADD and SUBTRACT only of 0: E_ARG
 * otherwise, and for MAXIMUM and MINIMUM (see sparcl_csr_clip). Elements of z after a's last entry
 * are computed, too, and a need not be proven. Everything else is as for sparcl_csr_broadcast. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_binary_scalar(sparcl_ctx *ctx,
                                                                    sparcl_binary_op op,
                                                                    const sparcl_dense *z,
                                                                    const sparcl_csr *a, double y);

/**
 * gv: the gradient of z = sparcl_csr_broadcast(a, v) by v, for the gradient gz of z. (That by the
 * values of a is sparcl_csr_broadcast of a matrix with the values gz.)
 *
 * Shapes    as sparcl_csr_broadcast; gv and v of one shape, gz [nnz].
 * Types     one dtype: F32, F64, F16 or BF16; all index types.
 * Order     for each entry the product gz a, or -((gz (a / v)) / v) for DIVIDE; then the products
 *           of a row, or of a column, are added by rule S with the factor 1, one column. F16 and
 *           BF16: all of it is F32, and gv is rounded once.
 * Pattern   of a, or NULL; used where axis is 0, as in sparcl_csr_reduce.
 * Scratch   one element for each entry, and as sparcl_csr_reduce; with F16 or BF16 as for F32, and
 *           a's values, v, gz and gv as F32.
 * Aliasing  gv overlaps nothing else.
 * Result    the same bits everywhere.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_ARG, E_MEMORY, E_UNSUPPORTED; E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_broadcast_gradient(
    sparcl_ctx *ctx, sparcl_binary_op op, const sparcl_dense *gv, const sparcl_csr *a,
    const sparcl_dense *v, const sparcl_dense *gz, int axis, sparcl_pattern *pattern);

/**
 * to := a times b element by element, of row-sparse arrays: a row for each index that both store.
 *
 * Shapes    all of one shape; to->count is set and becomes the number of rows. to->nnr is the
 *           capacity: rows with larger indices that exceed it are dropped, so that memory is safe.
 *           The smaller nnr of the operands is always enough.
 * Needed    where not NULL, needed[needed_at] (int64) becomes the number of rows of the product.
 * Operands  SORTED and UNIQUE: a product of duplicates is not the product of their sum.
 * Types     one dtype: F32, F64, F16 or BF16; each array has its own index type.
 * Order     one product for each element.
 * Gradient  by the stored rows of a: sparcl_rows_retain_gradient at a, of the gradient of the
 *           result times b (by this function).
 * Aliasing  `to` and needed must not overlap an operand or one another.
 * Result    the same bits everywhere; marked SORTED and UNIQUE.
 * Scratch   17 bytes for each stored row of the operand with the smaller nnr.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS; E_UNCHECKED also where an operand is not SORTED and UNIQUE.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_multiply(sparcl_ctx *ctx, sparcl_rows *to,
                                                                const sparcl_rows *a,
                                                                const sparcl_rows *b,
                                                                sparcl_buf *needed,
                                                                int64_t needed_at);

/**
 * v := the stored rows of a, each times the row of the dense array x with its index. A row-sparse
 * array with the indices of a and the values v is the product.
 *
 * Shapes    x of the shape of a; v [nnr, shape[1], ...], packed. Rows of v past the count of a are
 *           not written.
 * Types     one dtype: F32, F64, F16 or BF16; all index types.
 * Order     one product for each element.
 * Gradient  by the stored rows: the same function of the gradient, as values of a; by x: the
 *           gradient times the values of a (sparcl_binary), as values of a (sparcl_rows_to_dense).
 * Aliasing  v may be the values of a themselves; nothing else may overlap.
 * Result    the same bits everywhere.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_multiply_dense(sparcl_ctx *ctx,
                                                                      const sparcl_dense *v,
                                                                      const sparcl_rows *a,
                                                                      const sparcl_dense *x);

#ifdef __cplusplus
}
#endif

#endif
