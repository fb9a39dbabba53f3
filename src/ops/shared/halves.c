/* halves.c: operands of 16 bits as F32 in scratch memory. */
#include "ops/shared/halves.h"

#include "launch/scratch.h"
#include "ops/shared/dense_elements.h"
#include "sparcl/ops/elements.h"

sparcl_status spc_widen(sparcl_ctx *ctx, const sparcl_dense *x, bool reads, sparcl_dense *wide) {
    *wide = (sparcl_dense){.rank = x->rank};
    for (int d = 0; d < x->rank; ++d)
        wide->shape[d] = x->shape[d];
    SPC_TRY(spc_scratch_push(ctx, &wide->values, spc_dense_count(wide), sizeof(float)));
    return reads ? sparcl_copy(ctx, wide, x) : SPARCL_OK;
}

#define WIDEN_VALUES(kind)                                                                         \
    sparcl_status spc_widen_##kind(sparcl_ctx *ctx, const sparcl_##kind *x, sparcl_##kind *wide) { \
        const sparcl_dense values = spc_##kind##_values(x);                                        \
        sparcl_dense own;                                                                          \
        SPC_TRY(spc_widen(ctx, &values, true, &own));                                              \
        *wide = *x;                                                                                \
        wide->dtype = own.dtype;                                                                   \
        wide->values = own.values;                                                                 \
        wide->values_at = 0;                                                                       \
        return SPARCL_OK;                                                                          \
    }
WIDEN_VALUES(csr)
WIDEN_VALUES(rows)
