/* optim.h: row-sparse optimizer steps on dense tables, in place. */
#ifndef SPARCL_OPTIM_H
#define SPARCL_OPTIM_H

#include "sparcl/embedding.h"
#include "sparcl/optim_rules.h"
#include "sparcl/optim_setup.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The largest number of state tables of any rule. */
#define SPARCL_MAX_STATES 3

/** Number of state tables of a rule; -1 for an unknown rule. */
SPARCL_API int sparcl_rule_states(sparcl_rule rule);

/** The name of state i of a rule, as "m"; NULL where it has none. */
SPARCL_API const char *sparcl_rule_state_name(sparcl_rule rule, int i);

/** 1: state i of a rule has one number for each row of the table, so it has rank 1; 0: it has the
 * shape of the table, or does not exist. */
SPARCL_API int sparcl_rule_state_is_row(sparcl_rule rule, int i);

/**
 * Create the states of a table before its first step.
 *
 * States    sparcl_rule_states(rule) new arrays, to be freed with sparcl_dense_free.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_MEMORY: no state was created.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_optim_create_states(sparcl_ctx *ctx,
                                                                      const sparcl_optim *optim,
                                                                      const sparcl_dense *table,
                                                                      sparcl_dense *states);

/**
 * One step: updates the rows of `table` and `states` that the gradient has, and no others (but see
 * SPARCL_MOVES_ALL and SPARCL_DECAY_GLOBAL).
 *
 * The caller counts optim->step (t in the rules), which no call changes: all tables of a model take
 * step t with one sparcl_optim, and then it is raised.
 *
 *     sparcl_optim_init(&adam, SPARCL_RULE_ADAM);              adam.step is 1
 *     sparcl_optim_create_states(ctx, &adam, &table, states);
 *     for (...; ++adam.step) {
 *         ... the gradient of the batch ...
 *         sparcl_step(ctx, &adam, &table, states, &gradient);
 *     }
 *
 * Shapes    table, the states and the gradient have one shape; states of rows
 *           (sparcl_rule_state_is_row) have rank 1 and an element for each row.
 * Types     one dtype; states of elements: that of optim->state_type.
 * Order     the gradient's rows may be unsorted, with duplicate indices: rows of one index are
 *           added first, in the order stored (rule R), or what optim->duplicates says. A gradient
 *           marked UNIQUE is used as it is.
 * States    sparcl_rule_states(rule) tables, as sparcl_optim_create_states makes them before the
 *           first step. NULL for 0 tables.
 * Aliasing  no two of table, states, gradient and last_steps may overlap.
 * Result    the same bits on every run, every device and every kernel variant.
 * Scratch   none for a gradient marked UNIQUE; else 24 bytes per row, 48 with 64-bit indices, and a
 *           tenth of the values: sums of rows are used in the step without being stored, except by
 *           rules with states of rows: these need as much as sparcl_rows_coalesce_with and its
 *           result. MOVES_ALL and DECAY_GLOBAL: a byte for each row of the table. LAMB and LARS:
 *           the values of the table, twice where its rows have gaps, and a byte for each of its
 *           rows; these steps read and write the whole table. clip_stored with a limit, clip_norm
 *           and clip_row_norm: the values of the gradient each, and for clip_row_norm as
 *           sparcl_rows_coalesce_with and its result. A largest counter that a step finds: a
 *           hundredth of the counters.
 * Host      returns after enqueueing; never waits for the device, except for DUPLICATES_ERROR and
 *           check_finite.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED, and E_DATA for DUPLICATES_ERROR and
 *           check_finite: nothing was changed.
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
 * One step with what the gradient G of a bag's result gives to the table: the bits of
 * sparcl_embedding_bag_gradient and then sparcl_step, but the gradient of the table is not stored
 * where each of its rows is a sum of rows of G (modes SUM, MEAN and SQRTN without weights, rows of
 * more than one number, a rule without numbers of a row or of the whole table, no clip_stored with
 * a limit, no clip_norm or clip_row_norm, no lazy).
 *
 * Shapes    as for these two calls: table [limit, ...] of rank 1 or 2, G [bags, ...].
 * Types     one dtype, F32 or F64.
 * Order     the entries of a row are added in their order (rule R, from 0); what optim->duplicates
 *           says of rows of one index does not matter.
 * Positions those of sparcl_embedding_bag in mode MAX, else NULL.
 * Aliasing  no two of table, states, last_steps, G, positions and the arrays of the bags overlap.
 * Result    the same bits on every run, every device and every kernel variant.
 * Scratch   8 bytes for each bag; for each entry 36 bytes, or 72 with 64-bit indices, and a tenth
 *           of its row of G; MEAN and SQRTN, or a G with gaps: as much as G. Else that of the two
 *           calls and the gradient.
 * Host      returns after enqueueing; never waits for the device, except for check_finite.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED, and E_DATA for check_finite: nothing was
 *           changed.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status
sparcl_step_bags(sparcl_ctx *ctx, const sparcl_optim *optim, const sparcl_dense *table,
                 const sparcl_dense *states, const sparcl_bags *bags, const sparcl_dense *g,
                 const sparcl_dense *positions);

/**
 * Apply the steps that rows have missed: afterwards a row is as if all steps up to number
 * optim->step - 1 had been applied to it, those after last_steps[row] with a gradient of 0 (except
 * weight_decay w). last_steps[row] becomes optim->step - 1 where it was less; a row that has missed
 * no step keeps its bits.
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
 * Rules     SGD: w = (1 - lr d)^k w for k missed steps, d = weight_decay (lazy updates: Carpenter
 *           2008, "Lazy sparse stochastic gradient descent"; Lipton and Elkan 2015, "Efficient
 *           elastic net regularization for sparse linear models"). MOMENTUM, whose two formulas
 *           with a gradient of d w are linear in (b, w), in the same way: (b, w) = M^k (b, w) with
 *           M = (momentum, d; -lr momentum, 1 - lr d). M^1, M^2, M^4, ... are computed on the host
 *           in double; the rounding is in docs/numerics.md. Both with the order of PyTorch and a
 *           coupled decay. The hyper-parameters must be those of the missed steps. The other rules
 *           have no closed form: E_ARG.
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
