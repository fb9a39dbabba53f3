/* losses.h: losses, their gradients and predictions. What ops.h says of all operations holds. */
#ifndef SPARCL_OPS_LOSSES_H
#define SPARCL_OPS_LOSSES_H

#include "sparcl/context.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The losses, of one example with scores s and label y. */
typedef enum sparcl_loss {
    SPARCL_LOSS_LOGISTIC = 0, /**< one score, y = 0 or 1: log(1 + exp(s)) - y s */
    SPARCL_LOSS_SOFTMAX = 1,  /**< one score per class, y a class index: log(sum exp s) - s[y] */
    SPARCL_LOSS_SQUARED = 2,  /**< one score, y a number: (s - y)^2 / 2 */
    SPARCL_LOSS_POISSON = 3,  /**< one score, y a count, at least 0: exp(s) - y s */
    SPARCL_LOSS_HINGE = 4     /**< one score, y = 0 or 1: max(0, 1 - t s), where t is -1 or 1 */
} sparcl_loss;

/**
 * The loss of each row, and its gradient by the scores.
 *
 * With s = scores + bias:  losses[i] = loss(s[i], labels[i]);
 *                          residual[i, j] = scale * d loss(s[i], labels[i]) / d s[i, j].
 *
 * Shapes    scores [m, k], bias [k] or NULL, labels [m], residual [m, k] or NULL, losses [m] or
 *           NULL. k is 1 but for softmax. Classes are counted from 0. For softmax, a label
 *           outside 0 .. k-1 gives the loss NaN, and the residual of an example that belongs to no
 *           class.
 * Types     one dtype.
 * Aliasing  residual may be the array of scores itself (not a part of it); nothing else may
 *           overlap.
 * Result    the same bits on every run and device: exp and log are the library's own
 *           (docs/numerics.md), with an error of at most 2 ulp each.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_ARG.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status
sparcl_loss_gradient(sparcl_ctx *ctx, sparcl_loss loss, const sparcl_dense *scores,
                     const sparcl_dense *bias, const sparcl_dense *labels, double scale,
                     const sparcl_dense *residual, const sparcl_dense *losses);

/**
 * The prediction of each row.
 *
 * With s = scores + bias: logistic: label 1 where s > 0, else 0; softmax: the first class with the
 * largest score; p is the probability of that class. Squared: label and p are both s. Poisson: both
 * are exp(s). Hinge: the label is that of logistic, p is s.
 *
 * Shapes    scores [m, k], bias [k] or NULL, label [m], p [m].
 * Types     one dtype. Aliasing: nothing may overlap.
 * Result    as sparcl_loss_gradient. Host: returns after enqueueing. Errors: as there.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_loss_predict(sparcl_ctx *ctx, sparcl_loss loss,
                                                               const sparcl_dense *scores,
                                                               const sparcl_dense *bias,
                                                               const sparcl_dense *label,
                                                               const sparcl_dense *p);

#ifdef __cplusplus
}
#endif

#endif
