/* halves.c: operands of 16 bits as F32 in scratch memory. */
#include "ops/halves.h"

#include "launch/scratch.h"
#include "sparcl/dense_ops.h"

sparcl_status spc_widen(sparcl_ctx *ctx, const sparcl_dense *x, bool reads, sparcl_dense *wide) {
    *wide = (sparcl_dense){.rank = x->rank};
    for (int d = 0; d < x->rank; ++d)
        wide->shape[d] = x->shape[d];
    SPC_TRY(spc_scratch_push(ctx, &wide->values, spc_dense_count(wide), sizeof(float)));
    return reads ? sparcl_copy(ctx, wide, x) : SPARCL_OK;
}

sparcl_status spc_widen_csr(sparcl_ctx *ctx, const sparcl_csr *a, sparcl_csr *wide) {
    const sparcl_dense values = {.rank = 1,
                                 .dtype = a->dtype,
                                 .shape = {a->nnz},
                                 .values = a->values,
                                 .values_at = a->values_at};
    sparcl_dense own;
    *wide = *a;
    SPC_TRY(spc_widen(ctx, &values, true, &own));
    wide->dtype = SPARCL_F32;
    wide->values = own.values;
    wide->values_at = 0;
    return SPARCL_OK;
}
