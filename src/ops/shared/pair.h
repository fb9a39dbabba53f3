/* pair.h: the checks of operations that read a sparse view, `from`, and write another, `to`. */
#ifndef SPC_OPS_PAIR_H
#define SPC_OPS_PAIR_H

#include "ops/shared/check.h"

#define SPC_TO   "`to`"
#define SPC_FROM "`from`"

/* E_SHAPE if `to` has less capacity than `from` has entries, or another size. */
sparcl_status spc_check_capacity(sparcl_ctx *ctx, const char *op, int64_t to, int64_t from);
sparcl_status spc_check_same_size(sparcl_ctx *ctx, const char *op, int64_t to_rows, int64_t to_cols,
                                  int64_t from_rows, int64_t from_cols);

/* COO to COO: both views, their shapes, types and capacity. The operation checks the count itself.
 */
sparcl_status spc_check_coo_pair(sparcl_ctx *ctx, const char *op, const sparcl_coo *to,
                                 const sparcl_coo *from, spc_types types);

#endif
