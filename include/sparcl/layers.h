/* layers.h: dense layers beside embeddings: dropout, layer and batch normalisation, concatenation.
 */
#ifndef SPARCL_LAYERS_H
#define SPARCL_LAYERS_H

#include "sparcl/context.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * y := x / (1 - p) where the mask keeps the element, else 0, whatever x is. An element is kept with
 * probability 1 - p. The gradient of x is the same call on the gradient of y.
 *
 * The mask is a function of seed, offset and the number e of an element, counted row by row without
 * gaps: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3;
 * 2011) with the key `seed` and the counter c + 2^64 * offset, where c = 16 (e / 64) + e mod 16;
 * its word (e / 16) mod 4 is less than p * 2^32, rounded, where the element is dropped. Another
 * offset for each call gives independent masks.
 *
 * Shapes    x and y of one shape, of any rank.
 * Types     one dtype: F32, F64, F16 or BF16.
 * Order     one product with 1 / (1 - p), which is computed in double and rounded.
 * Aliasing  y may be the array of x itself (not a part of it); nothing else may overlap.
 * Result    the same bits everywhere.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS; E_ARG: p is not in 0 .. 1.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_dropout(sparcl_ctx *ctx, const sparcl_dense *y,
                                                          const sparcl_dense *x, double p,
                                                          uint64_t seed, uint64_t offset);

/*
 * Normalisation: with the mean and the variance (the mean of the squared differences) of a row, or
 * of a column, y = ((x - mean) * rstd) * gamma + beta, where rstd = 1 / sqrt(variance + epsilon)
 * and gamma and beta are of the column (Ba, Kiros, Hinton: Layer normalization, 2016; Ioffe,
 * Szegedy: Batch normalization, 2015). gamma NULL: 1; beta NULL: 0.
 *
 * For all functions below:
 * Shapes    X, Y and their gradients [m, n]; gamma, beta and their gradients [n]; statistics [m]
 *           for rows, [n] for columns.
 * Types     one dtype, F32, F64, F16 or BF16; statistics are F64 for F64, else F32.
 * Order     sums along a row: rule S with one column; over the rows: rule S as one of several
 *           columns. A mean is one division of a sum. Formulas from left to right, each operation
 *           rounded once.
 * Aliasing  results must not overlap each other or the operands.
 * Result    the same bits everywhere.
 * Scratch   columns, and gradients of gamma and beta: two elements for each column and 256 rows,
 *           and up to three for each column.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_ARG; E_UNSUPPORTED: a device that stops long loops early.
 */

/** Layer normalisation: each row by its own statistics. Results that are NULL (y, mean, rstd) are
 * not stored. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_layer_norm(
    sparcl_ctx *ctx, const sparcl_dense *y, const sparcl_dense *x, const sparcl_dense *gamma,
    const sparcl_dense *beta, double epsilon, const sparcl_dense *mean, const sparcl_dense *rstd);

/** The gradients for the gradient GY of Y and the statistics of the forward call; results that are
 * NULL are not computed. With N = (x - mean) * rstd and g = gy * gamma: gx = rstd * ((g - a) - N *
 * b), where a is the mean of g and b that of g * N over the row; ggamma is the sum of gy * N over
 * the rows, gbeta that of gy. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_layer_norm_gradient(
    sparcl_ctx *ctx, const sparcl_dense *gx, const sparcl_dense *ggamma, const sparcl_dense *gbeta,
    const sparcl_dense *gy, const sparcl_dense *x, const sparcl_dense *gamma,
    const sparcl_dense *mean, const sparcl_dense *rstd);

/** Batch normalisation in training: each column by its own statistics. Results that are NULL (y,
 * mean, rstd) are not stored. Where running statistics are not NULL (both or none), running becomes
 * (1 - momentum) * running + momentum * s, where s is the mean, or the variance times m / (m - 1);
 * that needs m > 1. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_batch_norm(
    sparcl_ctx *ctx, const sparcl_dense *y, const sparcl_dense *x, const sparcl_dense *gamma,
    const sparcl_dense *beta, double epsilon, const sparcl_dense *mean, const sparcl_dense *rstd,
    double momentum, const sparcl_dense *running_mean, const sparcl_dense *running_variance);

/** Batch normalisation by given means and variances. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status
sparcl_batch_norm_inference(sparcl_ctx *ctx, const sparcl_dense *y, const sparcl_dense *x,
                            const sparcl_dense *gamma, const sparcl_dense *beta, double epsilon,
                            const sparcl_dense *mean, const sparcl_dense *variance);

/** As sparcl_layer_norm_gradient, for sparcl_batch_norm: gx = (gamma * rstd) * ((gy - a) - N * b),
 * where a is the mean of gy and b that of gy * N over the column. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_batch_norm_gradient(
    sparcl_ctx *ctx, const sparcl_dense *gx, const sparcl_dense *ggamma, const sparcl_dense *gbeta,
    const sparcl_dense *gy, const sparcl_dense *x, const sparcl_dense *gamma,
    const sparcl_dense *mean, const sparcl_dense *rstd);

/**
 * to := `count` matrices one below the other (axis 0), or side by side (axis 1). Its gradient is
 * sparcl_dense_split.
 *
 * Shapes    `to` [m, n] and parts [m(i), n] with the sum m, or [m, n(i)] with the sum n; axis 0
 *           also for arrays of rank 1.
 * Types     one dtype, any.
 * Aliasing  `to` must not overlap a part.
 * Result    exact.
 * Host      returns after enqueueing, one kernel for each part; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS; E_ARG: an axis other than 0 and 1.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_dense_concat(sparcl_ctx *ctx,
                                                               const sparcl_dense *to,
                                                               const sparcl_dense *const *parts,
                                                               int count, int axis);

/** The parts := the rows (axis 0) or columns (axis 1) of `from`, one part after the other: as
 * sparcl_dense_concat, the other way. No two parts may overlap. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_dense_split(sparcl_ctx *ctx,
                                                              const sparcl_dense *const *parts,
                                                              int count, const sparcl_dense *from,
                                                              int axis);

#ifdef __cplusplus
}
#endif

#endif
