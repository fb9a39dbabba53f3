/* halves.h: operands of 16 bits as F32 in scratch memory, for kernels that read and write F32. */
#ifndef SPC_OPS_HALVES_H
#define SPC_OPS_HALVES_H

#include "ops/shared/check.h"

static inline bool spc_is_half(sparcl_dtype dtype) {
    return dtype == SPARCL_F16 || dtype == SPARCL_BF16;
}

/* *wide := an array as F32, packed and row-major; its elements are copied with `reads`. */
sparcl_status spc_widen(sparcl_ctx *ctx, const sparcl_dense *x, bool reads, sparcl_dense *wide);
/* *wide := the same sparse array with its values as F32. */
sparcl_status spc_widen_csr(sparcl_ctx *ctx, const sparcl_csr *a, sparcl_csr *wide);
sparcl_status spc_widen_rows(sparcl_ctx *ctx, const sparcl_rows *x, sparcl_rows *wide);

#endif
