/* activation.c: activations and their gradients. */
#include "ops/elements/activation.h"

#include "ops/shared/dense_elements.h"
#include "sparcl/ops/elements.h"

static sparcl_status check_kind(sparcl_ctx *ctx, const char *op, sparcl_activation kind) {
    if ((int)kind < SPARCL_ACTIVATION_RELU || kind > SPARCL_ACTIVATION_TANH)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: kind is %d, expected %d to %d", op, (int)kind,
                            (int)SPARCL_ACTIVATION_RELU, (int)SPARCL_ACTIVATION_TANH);
    return SPARCL_OK;
}

/* Cost of an exp with its division, relative to an element that is only moved. */
#define EXP_COST 16

static int64_t cost_of(sparcl_activation kind) {
    return kind == SPARCL_ACTIVATION_RELU ? 1 : EXP_COST;
}

#define PROGRAM "elementary+elements+activation"

sparcl_status spc_activate_biased(sparcl_ctx *ctx, sparcl_activation kind, const sparcl_dense *y,
                                  const sparcl_dense *x, const sparcl_dense *bias) {
    const bool in_rows = bias || !spc_is_packed(x) || !spc_is_packed(y);
    const spc_elements e = spc_elements_of(x, in_rows);
    if (e.m == 0 || e.n == 0) return SPARCL_OK;
    return SPC_LAUNCH(
        ctx, PROGRAM, spc_options(x->dtype, SPARCL_I32, SPARCL_I32) | (bias ? SPC_VARIANT : 0u),
        "activate", spc_range_elements(ctx, e.m * e.n, cost_of(kind)), SPC_I32(kind),
        SPC_DENSE_IN(x), SPC_IN(bias ? bias->values : NULL), SPC_I64(bias ? bias->values_at : 0),
        SPC_DENSE_OUT(y), SPC_I64(e.m), SPC_I64(e.n));
}

sparcl_status sparcl_activate(sparcl_ctx *ctx, sparcl_activation kind, const sparcl_dense *y,
                              const sparcl_dense *x) {
    SPC_TRY(spc_check_dense_pair(ctx, "activate", "Y", y, "X", x, SPC_FLOATS));
    SPC_TRY(check_kind(ctx, "activate", kind));
    SPC_TRY(spc_check_in_place(ctx, "activate", "Y", y, "X", x));
    return spc_activate_biased(ctx, kind, y, x, NULL);
}

sparcl_status sparcl_activate_gradient(sparcl_ctx *ctx, sparcl_activation kind,
                                       const sparcl_dense *gx, const sparcl_dense *y,
                                       const sparcl_dense *gy) {
    SPC_TRY(spc_check_dense_pair(ctx, "activate_gradient", "GX", gx, "GY", gy, SPC_FLOATS));
    SPC_TRY(spc_check_dense_pair(ctx, "activate_gradient", "Y", y, "GY", gy, SPC_FLOATS));
    SPC_TRY(check_kind(ctx, "activate_gradient", kind));
    const spc_span result = spc_dense_span("GX", gx), value = spc_dense_span("Y", y);
    SPC_TRY(spc_check_alias(ctx, "activate_gradient", &result, &value, 1));
    SPC_TRY(spc_check_in_place(ctx, "activate_gradient", "GX", gx, "GY", gy));
    const spc_elements e =
        spc_elements_of(y, !spc_is_packed(gx) || !spc_is_packed(y) || !spc_is_packed(gy));
    if (e.m == 0 || e.n == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, PROGRAM, spc_options(y->dtype, SPARCL_I32, SPARCL_I32),
                      "activate_gradient", spc_range_elements(ctx, e.m * e.n, 1), SPC_I32(kind),
                      SPC_DENSE_IN(y), SPC_DENSE_IN(gy), SPC_DENSE_OUT(gx), SPC_I64(e.m),
                      SPC_I64(e.n));
}
