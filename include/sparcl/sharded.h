/* sharded.h: tables of more bytes than one allocation of the device, in several buffers. */
#ifndef SPARCL_SHARDED_H
#define SPARCL_SHARDED_H

#include "sparcl/optim.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A dense table whose rows are in several arrays ("shards", "segments"): shard s has rows
 * s * rows_per_shard and the following ones. Each is an ordinary array, for other operations.
 *
 * To train: the distinct ids of a batch (sparcl_unique) say which rows it reads;
 * sparcl_sharded_gather puts them into a small table, on which the model works with the positions
 * of its ids, so that its gradient is row-sparse with these ids; sparcl_sharded_step takes the
 * step.
 */
typedef struct sparcl_sharded {
    int rank;                       /**< of the table */
    int64_t shape[SPARCL_MAX_RANK]; /**< of the table */
    sparcl_dtype dtype;             /**< of its elements */
    int64_t rows_per_shard;         /**< rows of each shard, but the last may have fewer */
    int count;                      /**< shards; 0 for a table without rows */
    sparcl_dense *shards;           /**< [count] */
    sparcl_ctx *ctx;                /**< with which it was created */
    uint64_t reserved[2];           /**< 0 */
} sparcl_sharded;

/**
 * Create a table of zeros.
 *
 * Table     rank, shape and dtype are set; rows_per_shard is a number of rows, or 0: as many as one
 *           allocation of the device holds. The other fields are results, to be freed with
 *           sparcl_sharded_free.
 * Errors    E_SHAPE: a row has more bytes than an allocation, or there are more than 2^16 shards;
 *           E_ARG, E_DTYPE, E_MEMORY: nothing was created.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_sharded_create(sparcl_ctx *ctx, sparcl_sharded *table);

/** Free the shards. NULL and zeroed tables are allowed. Must come before the context is closed. */
SPARCL_EXPERIMENTAL_API void sparcl_sharded_free(sparcl_sharded *table);

/**
 * Create the states of a table before its first step: as sparcl_optim_create_states, with the
 * table's rows_per_shard.
 *
 * States    sparcl_rule_states(rule) new tables, to be freed with sparcl_sharded_free.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_sharded_create_states(sparcl_ctx *ctx, const sparcl_optim *optim,
                             const sparcl_sharded *table, sparcl_sharded *states);

/**
 * to := the rows of the table at the indices of a list: as sparcl_gather_rows.
 *
 * Shapes    list->limit is the number of rows of the table; `to` [list->count, ...].
 * Types     one dtype, any.
 * Host      returns after enqueueing. Errors: E_ARG, E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_sharded_gather(
    sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_sharded *table, const sparcl_list *list);

/**
 * table[r.indices] = r: as sparcl_assign_rows.
 *
 * Scratch   as much as r, and as sparcl_rows_slice and sparcl_assign_rows.
 * Host      returns after enqueueing. Errors: E_ARG, E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_sharded_assign_rows(sparcl_ctx *ctx, const sparcl_sharded *table, const sparcl_rows *r);

/**
 * One step: as sparcl_step, with the same bits.
 *
 * Rules     all but LAMB and LARS, whose norms are those of one table; ROWWISE_ADAGRAD_COUNTER with
 *           a max_counter where its mode needs one. Not with lazy (E_ARG).
 * States    sparcl_rule_states(rule) tables of the table's rows_per_shard. NULL for 0 tables.
 * Scratch   as much as the gradient, twice where it is clipped as a whole, and as sparcl_rows_slice
 *           and sparcl_step.
 * Host      as sparcl_step. Errors: as sparcl_step; nothing was changed.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_sharded_step(sparcl_ctx *ctx, const sparcl_optim *optim, const sparcl_sharded *table,
                    const sparcl_sharded *states, const sparcl_rows *gradient);

#ifdef __cplusplus
}
#endif

#endif
