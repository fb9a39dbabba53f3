/* beside.h: one operation of several arrays of one shape, in one launch. */
#ifndef SPC_OPS_BESIDE_H
#define SPC_OPS_BESIDE_H

#include <stdbool.h>

#include "launch/launch.h"

enum { SPC_BESIDE = 4 };

/* Of checked, packed arrays of the same shape; results overlap nothing. */
typedef struct spc_beside {
    const sparcl_dense *to, *x, *gy; /* gy: of gradients */
} spc_beside;

/* As sparcl_gather_rows from one table, for 1 to SPC_BESIDE lists. */
sparcl_status spc_gather_beside(sparcl_ctx *ctx, const sparcl_dense *from,
                                const sparcl_dense *const *to, const sparcl_list *const *lists,
                                int count);
/* As sparcl_dense_reduce of each row, SPARCL_REDUCE_SQUARE_SUM. */
sparcl_status spc_square_sums_beside(sparcl_ctx *ctx, const spc_beside *jobs, int count);
/* As sparcl_dense_reduce_gradient of such sums, or with `dot` as sparcl_dot_rows_gradient. */
sparcl_status spc_gradients_beside(sparcl_ctx *ctx, const spc_beside *jobs, int count, bool dot);
/* For GPUs: do these two have a launch for rows of this width? */
bool spc_fits_beside(const sparcl_ctx *ctx, int64_t width);

#endif
