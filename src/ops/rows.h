/* rows.h: common code of operations on row-sparse arrays. */
#ifndef SPC_OPS_ROWS_H
#define SPC_OPS_ROWS_H

#include "ops/check.h"
#include "ops/row_range.h"

/* The rows of a checked list that a shard has, which begins with row `first` of its table
 * (sparcl_gather_rows). */
sparcl_status spc_gather_shard(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_dense *shard,
                               const sparcl_list *list, int64_t first);

#endif
