/* pair.h: what operations from one sparse view, `from`, to another, `to`, check alike. */
#ifndef SPC_OPS_PAIR_H
#define SPC_OPS_PAIR_H

#include "ops/check.h"

#define SPC_TO   "`to`"
#define SPC_FROM "`from`"

/* E_SHAPE when `to` has less room than `from`, or another size. */
sparcl_status spc_check_capacity(sparcl_ctx *ctx, const char *op, int64_t to, int64_t from);
sparcl_status spc_check_same_size(sparcl_ctx *ctx, const char *op, int64_t to_rows, int64_t to_cols,
                                  int64_t from_rows, int64_t from_cols);

/* COO to COO: both views, their shapes, types and room; what is needed of the count is up to the
 * operation. */
sparcl_status spc_check_coo_pair(sparcl_ctx *ctx, const char *op, const sparcl_coo *to,
                                 const sparcl_coo *from);

#endif
