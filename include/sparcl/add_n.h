/* add_n.h: sums of several arrays, dense and row-sparse. What ops.h says of all operations holds.
 */
#ifndef SPARCL_ADD_N_H
#define SPARCL_ADD_N_H

#include "sparcl/context.h"
#include "sparcl/ops.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

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
 * Needed    where not NULL, needed[needed_at] (int64) becomes the number of rows of the sum.
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
                                                             sparcl_buf *needed, int64_t needed_at);

/** to := alpha * a + beta * b: sparcl_rows_add_n of two terms. With alpha = 1 and beta = -1 it is
 * the difference. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_add(sparcl_ctx *ctx, sparcl_rows *to,
                                                           double alpha, const sparcl_rows *a,
                                                           double beta, const sparcl_rows *b,
                                                           sparcl_buf *needed, int64_t needed_at);

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

#ifdef __cplusplus
}
#endif

#endif
