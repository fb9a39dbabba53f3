/* elements.h: functions of each element, operations on two arrays, sums of arrays, and sums and
 * products of sparse arrays element by element. What ops.h says of all operations holds. */
#ifndef SPARCL_OPS_ELEMENTS_H
#define SPARCL_OPS_ELEMENTS_H

#include "sparcl/context.h"
#include "sparcl/ops/structure.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- functions of each element, and operations on two ----------------------------------------- */

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
SPARCL_EXPERIMENTAL_API int sparcl_unary_keeps_zero(sparcl_unary_op op);

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
SPARCL_EXPERIMENTAL_API int sparcl_unary_needs_y(sparcl_unary_op op);

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
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_clip_gradient(sparcl_ctx *ctx, const sparcl_dense *gx, const sparcl_dense *x,
                     const sparcl_dense *gy, double low, double high);

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
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_broadcast_gradient(
    sparcl_ctx *ctx, sparcl_binary_op op, const sparcl_dense *gv, const sparcl_csr *a,
    const sparcl_dense *v, const sparcl_dense *gz, int axis, sparcl_pattern *pattern);

/**
 * to := from, converted to the element type, the leading dimension and the order of `to`.
 *
 * Shapes    both of one shape; column-major ones have rank 2.
 * Types     any, also different ones. To F16 and BF16: to F32 first, as PyTorch does.
 *           Floating-point numbers to INT32 and INT64: toward 0; the nearest integer where that is
 *           too large, and 0 for NaN. INT64 to INT32: the lower 32 bits. To BOOL: 0 for 0, else 1.
 * Order     each element by itself.
 * Aliasing  `to` must not overlap `from`.
 * Result    the same bits everywhere; rounded to nearest, ties to even.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_ARG.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_copy(sparcl_ctx *ctx, const sparcl_dense *to,
                                                       const sparcl_dense *from);

/* --- sums of arrays --------------------------------------------------------------------------- */

/** A term of a sum: a factor (0 is 0) times a dense array or a row-sparse one; the other is NULL.
 */
typedef struct sparcl_term {
    double factor;             /**< rounded to the type (F16, BF16: to F32) */
    const sparcl_dense *dense; /**< or NULL */
    const sparcl_rows *rows;   /**< or NULL */
} sparcl_term;

/**
 * to := the sum of row-sparse arrays: a row for each index that a term stores, each one once.
 *
 * Shapes    all of one shape; to->count is set and becomes the number of rows. to->nnr is the
 *           capacity: rows with larger indices that exceed it are dropped, so that memory is safe.
 *           The sum of the nnr of all terms is always enough. count may be 0.
 * moved     NULL, or `needed`: the number of rows of the sum.
 * Types     one dtype: F32, F64, F16 or BF16; each array has its own index type.
 * Order     of one index: the rows of the first term, times its factor, in the order stored, then
 *           those of the second one, ...; added by rule R. F16 and BF16 are rounded once.
 * Aliasing  `to` and needed must not overlap a term or one another.
 * Result    the same bits everywhere; marked SORTED and UNIQUE.
 * Scratch   as sparcl_rows_coalesce, and as much as the terms; with F16, BF16 or a capacity below
 *           the sum of all nnr once more. Values of F16 and BF16 are there as F32.
 * Launches  one for each term, and those of sparcl_rows_coalesce.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_add_n(sparcl_ctx *ctx, sparcl_rows *to,
                                                             const sparcl_term *terms, int count,
                                                             const sparcl_moved *moved);

/**
 * y := the sum of arrays, dense and row-sparse: a dense array, as also one dense term makes it.
 *
 * Shapes    all of one shape; count may be 0: then y becomes 0.
 * Types     one dtype: F32, F64, F16 or BF16.
 * Order     element by element, the terms one by one: a dense one is an element times the factor;
 *           of a row-sparse one, rows with one index are added first (rule R), then comes the
 *           factor. It starts with the first term, or with 0 where that is row-sparse. F16 and BF16
 *           are rounded once.
 * Aliasing  y may be the array of the first term itself (not a part of it); nothing else may
 *           overlap.
 * Result    the same bits everywhere.
 * Scratch   as sparcl_scatter_add; with F16 or BF16 the result as F32 where there are more than
 *           four terms or row-sparse ones, and the values of a row-sparse term as F32.
 * Launches  one for each four dense terms that follow each other, and those of sparcl_scatter_add.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_add_n(sparcl_ctx *ctx, const sparcl_dense *y,
                                                        const sparcl_term *terms, int count);

/**
 * table[r.indices] += alpha * r; rows of one index are summed first (rule R).
 *
 * Shapes    table and r of one shape. Types: one dtype, F32, F64, F16 or BF16.
 * Aliasing  r must not overlap the table.
 * Result    the same bits everywhere; rows that r does not have keep their bits.
 * Scratch   none where r is marked UNIQUE; else as sparcl_rows_coalesce: sums of rows are added to
 *           the table without being stored.
 * Host      returns after enqueueing. Errors: E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_scatter_add(sparcl_ctx *ctx,
                                                              const sparcl_dense *table,
                                                              double alpha, const sparcl_rows *r);

/**
 * table[r.indices] = r: whole rows are replaced, as by index_copy of PyTorch. Of rows of one index
 * the last one stored stays.
 *
 * Shapes    table and r of one shape. Types: one dtype, any.
 * Aliasing  r must not overlap the table.
 * Result    exact; rows that r does not have keep their bits.
 * Scratch   none where r is marked UNIQUE; else as sparcl_rows_coalesce.
 * Host      returns after enqueueing. Errors: E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_assign_rows(sparcl_ctx *ctx,
                                                              const sparcl_dense *table,
                                                              const sparcl_rows *r);

/* --- sums and products of sparse arrays ------------------------------------------------------- */

/**
 * More results of a sum or product of two sparse arrays; NULL, or a field that is 0: not wanted.
 * The positions are wanted both or not at all: for each entry of the result where it is in A and in
 * B, or -1 where that array does not have it; int64, as many as the result has capacity for.
 * Elements past its entries do not change.
 */
typedef struct sparcl_csr_sources {
    sparcl_buf *a, *b;  /**< the positions in A, and in B */
    int64_t a_at, b_at; /**< where they begin, in elements */
    sparcl_buf *needed; /**< one int64: the number of entries without the limit of the capacity */
    int64_t needed_at;  /**< its position, in elements */
    uint64_t reserved[2];
} sparcl_csr_sources;

/**
 * C := alpha * A + beta * B: an entry wherever A or B has one. With alpha = 1 and beta = -1 it is
 * the difference. Values that are 0 stay entries.
 *
 * Shapes    A, B and C of one shape; C->nnz is the capacity: entries that exceed it are dropped, so
 *           that memory is safe. nnz of A plus nnz of B is always enough.
 * Sources   NULL, or where the entries come from, for sparcl_csr_add_gradient, and their number.
 * Types     one dtype (F32, F64, F16 or BF16), one offset type and one index type.
 * Order     a value is (alpha * a) + (beta * b), or one of the two products.
 * Aliasing  C and the sources must not overlap A, B or one another.
 * Result    the same bits everywhere; C is marked SORTED and UNIQUE.
 * Scratch   4 bytes per entry of A, or on CPUs per row; 8 for 2^31 entries and more.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS; E_UNCHECKED also where A or B is not SORTED and UNIQUE.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_add(sparcl_ctx *ctx, sparcl_csr *c,
                                                          double alpha, const sparcl_csr *a,
                                                          double beta, const sparcl_csr *b,
                                                          const sparcl_csr_sources *sources);

/**
 * C := the product of A and B element by element: an entry wherever both have one. Otherwise as
 * sparcl_csr_add; the smaller nnz of A and B is always enough for C.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_multiply(sparcl_ctx *ctx, sparcl_csr *c,
                                                               const sparcl_csr *a,
                                                               const sparcl_csr *b,
                                                               const sparcl_csr_sources *sources);

/**
 * The gradients of sparcl_csr_add by the values of A and of B, for the gradient G of the values of
 * C: each entry of C gives alpha * G to its entry of A and beta * G to its entry of B; entries that
 * C does not have give 0.
 *
 * Shapes    G a packed vector [nnz of C]; ga and gb packed vectors with an element for each entry
 *           of A and B. ga or gb may be NULL: it is not computed. C: the result, of which only
 *           offsets are read; sources as it was computed with.
 * Types     one dtype.
 * Aliasing  ga and gb must not overlap operands or one another.
 * Result    exact but for one product.
 * Host      returns after enqueueing.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_add_gradient(
    sparcl_ctx *ctx, const sparcl_dense *ga, const sparcl_dense *gb, double alpha, double beta,
    const sparcl_dense *g, const sparcl_csr *c, const sparcl_csr_sources *sources);

/** The same for sparcl_csr_multiply: the value of B times G for A, that of A times G for B. */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_csr_multiply_gradient(sparcl_ctx *ctx, const sparcl_dense *ga, const sparcl_dense *gb,
                             const sparcl_dense *g, const sparcl_csr *c, const sparcl_csr *a,
                             const sparcl_csr *b, const sparcl_csr_sources *sources);

/**
 * v[k] := the value of entry k of A, at row i and column j, times x[i, j]: the values of the
 * product of A and a dense matrix element by element, which has the pattern of A.
 *
 * Shapes    A [m, n], x [m, n]; v a packed vector [nnz of A], whose elements past offsets[m]
 *           become 0.
 * Types     one dtype: F32, F64, F16 or BF16.
 * Aliasing  v must not overlap A or x.
 * Result    one product.
 * Host      returns after enqueueing.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_multiply_dense(sparcl_ctx *ctx,
                                                                     const sparcl_dense *v,
                                                                     const sparcl_csr *a,
                                                                     const sparcl_dense *x);

/**
 * The gradients of sparcl_csr_multiply_dense by the values of A and by x, for the gradient G of v:
 * gv[k] := G[k] * x[i, j] for entry k at row i and column j, and gx[i, j] := the sum of the values
 * of A times G over the entries there, 0 where there is none. gx is dense, as x is, whatever
 * sparcl_ctx_set_densify says.
 *
 * Shapes    G and gv packed vectors [nnz of A], gx [m, n]. gv or gx may be NULL: it is not
 *           computed. Elements of gv past offsets[m] become 0.
 * Types     one dtype: F32, F64, F16 or BF16.
 * Order     one product for each entry; entries of one place are added as in sparcl_csr_to_dense.
 * Aliasing  gv and gx must not overlap operands or one another.
 * Result    the same bits everywhere. F16 and BF16 are rounded once.
 * Scratch   for gx an element for each entry, and as sparcl_csr_to_dense; with F16 or BF16 three
 *           as F32, and gx as F32.
 * Host      returns after enqueueing.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_multiply_dense_gradient(
    sparcl_ctx *ctx, const sparcl_dense *gv, const sparcl_dense *gx, const sparcl_dense *g,
    const sparcl_csr *a, const sparcl_dense *x);

/**
 * C := alpha * A + beta * B: an entry wherever A or B has one. With alpha = 1 and beta = -1 it is
 * the difference. Values that are 0 stay entries.
 *
 * Shapes    of one shape, of at most 2^63 - 1 elements (E_UNSUPPORTED). C->nnz is the capacity;
 *           nnz of A plus nnz of B is always enough. C->count is set.
 * Sources   NULL, or where the entries come from, for sparcl_coo_add_gradient, and their number.
 * Types     one dtype (F32, F64, F16 or BF16) and one index type.
 * Order     a value is (alpha * a) + (beta * b), or one of the two products.
 * Result    marked SORTED and UNIQUE.
 * Scratch   8 bytes per entry of A, of B and of C, and 4 per entry of A (8 from 2^31 on).
 * Errors    E_UNCHECKED also where A or B is not SORTED and UNIQUE.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_coo_add(sparcl_ctx *ctx, sparcl_coo *c, double alpha, const sparcl_coo *a, double beta,
               const sparcl_coo *b, const sparcl_csr_sources *sources);

/** C := the product of A and B element by element: an entry wherever both have one. Otherwise as
 * sparcl_coo_add; the smaller nnz of A and B is always enough for C. */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_coo_multiply(sparcl_ctx *ctx, sparcl_coo *c, const sparcl_coo *a, const sparcl_coo *b,
                    const sparcl_csr_sources *sources);

/** The gradients of sparcl_coo_add by the values of A and of B: as sparcl_csr_add_gradient. Of C,
 * only the number of entries is read. */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_add_gradient(
    sparcl_ctx *ctx, const sparcl_dense *ga, const sparcl_dense *gb, double alpha, double beta,
    const sparcl_dense *g, const sparcl_coo *c, const sparcl_csr_sources *sources);

/** The same for sparcl_coo_multiply: the value of B times G for A, that of A times G for B. */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_coo_multiply_gradient(sparcl_ctx *ctx, const sparcl_dense *ga, const sparcl_dense *gb,
                             const sparcl_dense *g, const sparcl_coo *c, const sparcl_coo *a,
                             const sparcl_coo *b, const sparcl_csr_sources *sources);

/**
 * to := a times b element by element, of row-sparse arrays: a row for each index that both store.
 *
 * Shapes    all of one shape; to->count is set and becomes the number of rows. to->nnr is the
 *           capacity: rows with larger indices that exceed it are dropped, so that memory is safe.
 *           The smaller nnr of the operands is always enough.
 * moved     NULL, or `needed`: the number of rows of the product.
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
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_rows_multiply(sparcl_ctx *ctx, sparcl_rows *to, const sparcl_rows *a, const sparcl_rows *b,
                     const sparcl_moved *moved);

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
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_multiply_dense(
    sparcl_ctx *ctx, const sparcl_dense *v, const sparcl_rows *a, const sparcl_dense *x);

#ifdef __cplusplus
}
#endif

#endif
