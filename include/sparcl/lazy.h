/* lazy.h: exact lazy optimizers: row-sparse steps with the results of dense ones. */
#ifndef SPARCL_LAZY_H
#define SPARCL_LAZY_H

#include "sparcl/optim.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The steps so far, for rows that have missed some of them. A dense optimizer moves every row in
 * every step: momentum and Adam by their decaying states, a weight decay by the weights. With
 * optim.lazy a row moves when it is read or written instead, by all missed steps at once; the
 * result is that of the dense rule, which moves and decays all rows, up to rounding.
 * docs/exact-lazy.md has the derivation and measured errors.
 *
 *     sparcl_lazy_create(ctx, &optim.lazy, &optim, &table, 0);    optim.step is the first step
 *     for (optim.step = 1; optim.step <= T; ++optim.step) {
 *         sparcl_catch_up(ctx, &optim, &table, states, &rows_that_the_batch_reads);
 *         ... the gradient of the batch ...
 *         sparcl_step(ctx, &optim, &table, states, &gradient);
 *     }
 *     sparcl_catch_up(ctx, &optim, &table, states, NULL);         step is T + 1: all rows ("flush")
 *
 * sparcl_step first catches up the rows of its gradient; a gradient without rows is a step, too.
 * Steps have numbers without gaps, and each may have its own lr, lr_decay, epsilon and
 * weight_decay, and l1, l2 and beta. The other settings that decide how a row moves must stay:
 * rule, profile, momentum, nesterov, betas, rho, epsilon_place, no_bias_correction, lr_power,
 * multiply_linear_by_lr, decay. `moves` and DECAY_GLOBAL or DECAY_DECOUPLED make no difference. An
 * object serves one table; optim.last_steps must be NULL.
 */

/**
 * Create the object of a table, all rows of which have had the steps before optim->step.
 *
 * Rules     SGD, any decay; MOMENTUM and Nesterov's form; ADAGRAD; ADAM and AMSGRAD with epsilon
 *           outside of the root (also of the corrected root); NADAM; RMSPROP and its forms, and
 *           ADADELTA, without clip_weights; FTRL without l2_shrinkage, and ADAGRAD_DA: with the
 *           bits of the dense rule. A coupled decay only with SGD, and FTRL of MXNet and HugeCTR:
 *           with the others it has no closed form. See `replay` for those.
 * Replay    not 0: every step is taken on all rows when it is made. Any rule; the cost and the bits
 *           of the dense rule: to compare with.
 * Memory    4 bytes for each row, and for each step 40 bytes (F64: 76), in arrays that double; FTRL
 *           and ADAGRAD_DA need none for steps.
 * Host      waits for the device.
 * Errors    E_ARG: no closed form, or ADAM or NADAM with beta1 / beta2^2 so near to 1 that
 *           movements last longer than 2^16 steps; E_DTYPE, E_SHAPE, E_MEMORY: *lazy is NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_lazy_create(sparcl_ctx *ctx, sparcl_lazy **lazy,
                                                              const sparcl_optim *optim,
                                                              const sparcl_dense *table,
                                                              int replay);
/** Free an object. NULL is allowed. Must come before the context is closed. */
SPARCL_API void sparcl_lazy_free(sparcl_lazy *lazy);
/** Bytes of device memory that the object has; 0 for NULL. */
SPARCL_API int64_t sparcl_lazy_bytes(const sparcl_lazy *lazy);

#ifdef __cplusplus
}
#endif

#endif
