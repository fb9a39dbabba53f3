/* rows.h: common code of operations on row-sparse arrays. */
#ifndef SPC_OPS_ROWS_H
#define SPC_OPS_ROWS_H

#include "launch/launch.h"
#include "ops/check.h"

/* The range of kernels with FOR_ROWS. */
spc_range spc_range_rows(const sparcl_ctx *ctx, int64_t rows, int64_t width);
/* That of kernels with FOR_ROWS_OF_FOURS. */
spc_range spc_range_vectors(const sparcl_ctx *ctx, int64_t rows, int64_t width);

/* The prefetch distance of kernels, in rows; INT32_MAX: no prefetch. */
int32_t spc_rows_prefetch(const sparcl_ctx *ctx, int64_t width);

/* The rows of a checked list that a shard has, which begins with row `first` of its table
 * (sparcl_gather_rows). */
sparcl_status spc_gather_shard(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_dense *shard,
                               const sparcl_list *list, int64_t first);

#endif
