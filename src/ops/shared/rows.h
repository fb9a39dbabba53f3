/* rows.h: common code of operations on row-sparse arrays. */
#ifndef SPC_OPS_ROWS_H
#define SPC_OPS_ROWS_H

#include "ops/shared/check.h"
#include "ops/shared/row_range.h"

/* The rows of a checked list that a shard has, which begins with row `first` of its table
 * (sparcl_gather_rows). */
sparcl_status spc_gather_shard(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_dense *shard,
                               const sparcl_list *list, int64_t first);

/* As sparcl_rows_coalesce with SPARCL_SUM, of checked views. Pushes scratch memory. */
sparcl_status spc_rows_sum(sparcl_ctx *ctx, const sparcl_rows *to, const sparcl_rows *from);

/* As sparcl_scatter_add of 1 or 2 arrays of one shape, times 1, whose indices are the same. */
sparcl_status spc_scatter_beside(sparcl_ctx *ctx, const sparcl_dense *const *tables,
                                 const sparcl_rows *const *rows, int count);

enum { SPC_JOINED = 8 };

/* The rows of 1 to SPC_JOINED arrays without a count, one after the other (sparcl_rows_concat): of
 * checked views, of which `to` has space for all. */
sparcl_status spc_rows_join(sparcl_ctx *ctx, sparcl_rows *to, const sparcl_rows *const *from,
                            int count);

#endif
