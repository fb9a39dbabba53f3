/* threshold.h: which elements are stored in a sparse array, for the kernels of from_dense.cl. */
#ifndef SPC_OPS_THRESHOLD_H
#define SPC_OPS_THRESHOLD_H

#include "ops/shared/check.h"

/* An element is stored where its bits under `mask`, as a number, exceed `limit`; or `all` are. */
typedef struct spc_keep {
    uint64_t mask, limit;
    bool all;
} spc_keep;

/* E_ARG for a threshold that is NaN, or above 0 for integers. */
sparcl_status spc_keep_of(sparcl_ctx *ctx, const char *op, sparcl_dtype dtype, double threshold,
                          spc_keep *keep);

#endif
