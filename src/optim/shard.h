/* shard.h: what all calls with sharded tables check. */
#ifndef SPC_OPTIM_SHARD_H
#define SPC_OPTIM_SHARD_H

#include "ops/shared/check.h"
#include "sparcl/sharded.h"

/* The first row of shard s. */
static inline int64_t spc_shard_first(const sparcl_sharded *table, int s) {
    return s * table->rows_per_shard;
}

/* E_ARG, E_SHAPE, E_DTYPE: the fields of a table do not belong together. `name` as "the table". */
sparcl_status spc_check_sharded(sparcl_ctx *ctx, const char *op, const char *name,
                                const sparcl_sharded *table);

/* The rows of `from` that shard s has, in scratch memory, with numbers from its first row on. */
sparcl_status spc_shard_of_rows(sparcl_ctx *ctx, const sparcl_sharded *table, int s,
                                const sparcl_rows *from, sparcl_rows *slice);

#endif
