/* coo_project.c: views of COO arrays with some of the dimensions. */
#include "ops/shared/moved.h"
#include "sparcl/ops/structure.h"

sparcl_status spc_check_coo_axes(sparcl_ctx *ctx, const char *op, const sparcl_coo *from, int count,
                                 const int *axes, unsigned *bits) {
    *bits = 0;
    for (int i = 0; i < count; ++i) {
        if (axes[i] < 0 || axes[i] >= from->rank || (*bits >> axes[i] & 1))
            return spc_ctx_fail(ctx, SPARCL_E_ARG,
                                "%s: axes[%d] is %d, expected each of 0 to %d at most once", op, i,
                                axes[i], from->rank - 1);
        *bits |= 1u << axes[i];
    }
    return SPARCL_OK;
}

/* SORTED, where entries that ascend still do: the first dimensions are left, in their order. */
uint32_t spc_coo_projected_order(const sparcl_coo *from, int count, const int *axes) {
    bool leading = true;
    for (int d = 0; d < count; ++d)
        leading &= axes[d] == d;
    return leading ? sparcl_coo_flags(from) & SPARCL_SORTED : 0u;
}

void spc_coo_take_axes(sparcl_coo *to, const sparcl_coo *from, int count, const int *axes) {
    const sparcl_coo a = *from;
    *to = a;
    to->rank = count;
    for (int d = 0; d < a.rank; ++d) {
        const bool kept = d < count;
        to->shape[d] = kept ? a.shape[axes[d]] : 0;
        to->indices[d] = kept ? a.indices[axes[d]] : NULL;
        to->indices_at[d] = kept ? a.indices_at[axes[d]] : 0;
    }
}

sparcl_status sparcl_coo_project(sparcl_ctx *ctx, sparcl_coo *to, const sparcl_coo *from, int count,
                                 const int *axes) {
    static const char op[] = "coo_project";
    unsigned bits = 0;
    if (!to) return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: `to` is NULL", op);
    SPC_TRY(spc_check_coo_of(ctx, op, SPC_FROM, from, SPC_ALL_TYPES));
    if (!axes || count < 1 || count > from->rank)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: axes is %s%d numbers, expected 1 to %d", op,
                            axes ? "" : "NULL instead of ", count, from->rank);
    SPC_TRY(spc_check_coo_axes(ctx, op, from, count, axes, &bits));
    const bool is_valid = sparcl_coo_flags(from) & SPARCL_VALID;
    const uint32_t order = spc_coo_projected_order(from, count, axes);
    spc_coo_take_axes(to, from, count, axes);
    to->proof = (sparcl_proof){.flags = 0};
    if (is_valid) spc_prove_coo(to, SPARCL_VALID | order);
    return SPARCL_OK;
}
