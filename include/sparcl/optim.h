/* optim.h: row-sparse optimizer steps on dense tables, in place. */
#ifndef SPARCL_OPTIM_H
#define SPARCL_OPTIM_H

#include "sparcl/context.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The rules, all as in PyTorch 2 (torch.optim: SGD, Adagrad, SparseAdam); g is the gradient of a
 * row, after rows of one index have been added, plus l2 w where l2 is not 0.
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

/**
 * An optimizer: its rule, its hyper-parameters and the number of the step. sparcl_optim_init fills
 * in the defaults of a rule. No value stands for a default: with lr 0 no weight changes, and a
 * zeroed struct is SGD with lr 0.
 *
 * Hyper-parameters are checked also where the rule does not use them: lr must be finite, momentum
 * and the betas at least 0 and less than 1, epsilon and l2 finite and not negative; else E_ARG.
 */
typedef struct sparcl_optim {
    sparcl_rule rule;       /**< what a step computes */
    double lr;              /**< the learning rate */
    double momentum;        /**< MOMENTUM only */
    double beta1, beta2;    /**< ADAM only */
    double epsilon;         /**< ADAGRAD and ADAM only */
    double l2;              /**< adds l2 w to the gradient, as PyTorch's weight_decay */
    int64_t step;           /**< t: the number of this step, from 1; Adam and last_steps need it */
    sparcl_buf *last_steps; /**< NULL, or one int64 for each row of the table: the number of the
                                 last step of the row; all zero before the first step. A step writes
                                 it for the rows that it changes. See sparcl_catch_up. */
    int64_t last_steps_at;  /**< where they begin, in elements */
    uint64_t reserved[2];
} sparcl_optim;

/**
 * Fill in the defaults of a rule:
 *
 *   SGD       lr 0.001
 *   MOMENTUM  lr 0.001, momentum 0.9
 *   ADAGRAD   lr 0.01, epsilon 1e-10
 *   ADAM      lr 0.001, beta1 0.9, beta2 0.999, epsilon 1e-8
 *
 * and step 1; every other field becomes 0. These are the defaults of PyTorch 2 (torch.optim: SGD,
 * Adagrad, SparseAdam), except momentum: its default there is 0, which is SPARCL_RULE_SGD here. An
 * unknown rule is stored unchanged, and the step refuses it.
 */
SPARCL_API void sparcl_optim_init(sparcl_optim *optim, sparcl_rule rule);

/** Number of state tables of a rule, each of the size of the weights: 0, 1 (b or s) or 2 (m, v); -1
 * for an unknown rule. */
SPARCL_API int sparcl_rule_states(sparcl_rule rule);

/**
 * One step: updates the rows of `table` and `states` that the gradient has, and no others.
 *
 * Shapes    table, the states and the gradient have one shape.
 * Types     one dtype.
 * Order     the gradient's rows may be unsorted, with duplicate indices: rows of one index are
 *           added first, in the order stored (rule R). A gradient marked UNIQUE is used as it is.
 * States    sparcl_rule_states(rule) tables; all zero before the first step. NULL for 0 tables.
 * Aliasing  no two of table, states, gradient and last_steps may overlap.
 * Result    the same bits on every run, every device and every kernel variant.
 * Scratch   none for a gradient marked UNIQUE; else 24 bytes per row, 48 with 64-bit indices, and a
 *           tenth of the values: sums of rows are used in the step without being stored.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED: nothing was changed.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_step(sparcl_ctx *ctx, const sparcl_optim *optim,
                                                       const sparcl_dense *table,
                                                       const sparcl_dense *states,
                                                       const sparcl_rows *gradient);

/**
 * One step of every row, from a dense gradient. Otherwise as sparcl_step; the result has the same
 * bits as sparcl_step with a gradient that has all rows.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_step_dense(sparcl_ctx *ctx,
                                                             const sparcl_optim *optim,
                                                             const sparcl_dense *table,
                                                             const sparcl_dense *states,
                                                             const sparcl_dense *gradient);

/**
 * Apply the steps that rows have missed: afterwards a row is as if all steps up to number
 * optim->step - 1 had been applied to it, those after last_steps[row] with a gradient of 0 (except
 * l2 w). last_steps[row] becomes optim->step - 1 where it was less; a row that has missed no step
 * keeps its bits.
 *
 * So training with row-sparse steps equals training with dense steps, up to rounding, while the
 * cost of a step depends only on its rows:
 *
 *     optim.step = t;
 *     sparcl_catch_up(ctx, &optim, &table, states, &rows_that_the_batch_reads);
 *     ... the gradient of the batch, at the table as it is now ...
 *     sparcl_step(ctx, &optim, &table, states, &gradient);
 *
 * and after the last step T a call for all rows, with optim.step = T + 1.
 *
 * Rules     SGD: w = (1 - lr l2)^k w for k missed steps (lazy updates: Carpenter 2008, "Lazy sparse
 *           stochastic gradient descent"; Lipton and Elkan 2015, "Efficient elastic net
 *           regularization for sparse linear models"). MOMENTUM, whose two formulas with a gradient
 *           of l2 w are linear in (b, w), in the same way: (b, w) = M^k (b, w) with M = (momentum,
 *           l2; -lr momentum, 1 - lr l2). M^1, M^2, M^4, ... are computed on the host in double;
 *           the rounding is in docs/numerics.md. The hyper-parameters must be those of the missed
 *           steps. The other rules have no closed form: E_ARG.
 * Shapes    table and states have one shape; its first dimension is that of `rows`.
 * Rows      indices and count of a row-sparse view; its values are not read and may be NULL. NULL:
 *           all rows.
 * Aliasing  no two of table, states, the rows' indices and last_steps may overlap.
 * Result    the same bits on every run, every device and every kernel variant.
 * Scratch   4 KiB; for rows that are not marked UNIQUE also 4 bytes for each row of the table.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED: nothing was changed.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_catch_up(sparcl_ctx *ctx,
                                                           const sparcl_optim *optim,
                                                           const sparcl_dense *table,
                                                           const sparcl_dense *states,
                                                           const sparcl_rows *rows);

#ifdef __cplusplus
}
#endif

#endif
