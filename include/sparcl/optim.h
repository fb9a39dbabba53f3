/* optim.h: row-sparse optimizer steps on dense tables, in place. */
#ifndef SPARCL_OPTIM_H
#define SPARCL_OPTIM_H

#include "sparcl/context.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The rules, all of PyTorch 2 (torch.optim: SGD, Adagrad, SparseAdam); g is the gradient of a row,
 * after rows of one index have been summed.
 *
 *   SGD       w -= lr g
 *   MOMENTUM  b = momentum b + g;  w -= lr b
 *   ADAGRAD   s += g^2;  w -= lr g / (sqrt(s) + epsilon)
 *   ADAM      m += (1 - beta1) (g - m);  v += (1 - beta2) (g^2 - v);
 *             w -= lr sqrt(1 - beta2^t) / (1 - beta1^t) m / (sqrt(v) + epsilon)
 */
typedef enum sparcl_rule {
    SPARCL_RULE_SGD = 0,
    SPARCL_RULE_MOMENTUM = 1,
    SPARCL_RULE_ADAGRAD = 2,
    SPARCL_RULE_ADAM = 3
} sparcl_rule;

/** The rates of a rule; 0 means PyTorch's default. */
typedef struct sparcl_optim {
    sparcl_rule rule;
    double lr;            /**< 0: 0.001; Adagrad: 0.01 */
    double momentum;      /**< 0: 0.9 */
    double beta1, beta2;  /**< 0: 0.9, 0.999 */
    double epsilon;       /**< 0: Adagrad 1e-10, Adam 1e-8 */
    int64_t step;         /**< Adam's t: the number of this step, from 1 */
    uint64_t reserved[2];
} sparcl_optim;

/** Tables of the size of the weights that a rule keeps beside them: 0, 1 (b or s) or 2 (m, v). */
SPARCL_API int sparcl_rule_states(sparcl_rule rule);

/**
 * One step: the rows of `table` and `states` that the gradient has are changed, no others.
 *
 * Shapes    table, the states and the gradient have one shape.
 * Types     one dtype.
 * Order     the gradient's rows may be unsorted and repeated: rows of one index are summed first, in
 *           the order stored (rule R). A gradient marked SORTED and UNIQUE is used as it is.
 * States    sparcl_rule_states(rule) of them; all zero before the first step.
 * Aliasing  no two of table, states and gradient may overlap.
 * Result    the same bits on every run, every device and every kernel variant.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED: nothing was changed.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_step(sparcl_ctx *ctx, const sparcl_optim *optim,
                                                       const sparcl_dense *table,
                                                       const sparcl_dense *states,
                                                       const sparcl_rows *gradient);

#ifdef __cplusplus
}
#endif

#endif
