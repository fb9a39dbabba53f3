/* activation.c: activations and their gradients. */
#include "launch/launch.h"
#include "ops/check.h"
#include "sparcl/dense_ops.h"

static sparcl_status check_kind(sparcl_ctx *ctx, const char *op, sparcl_activation kind) {
    if ((int)kind < SPARCL_ACTIVATION_RELU || kind > SPARCL_ACTIVATION_TANH)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: kind is %d, expected %d to %d", op, (int)kind,
                            (int)SPARCL_ACTIVATION_RELU, (int)SPARCL_ACTIVATION_TANH);
    return SPARCL_OK;
}

static sparcl_status check_pair(sparcl_ctx *ctx, const char *op, const char *a_name,
                                const sparcl_dense *a, const char *b_name, const sparcl_dense *b) {
    SPC_TRY(spc_check_dense(ctx, op, a_name, a));
    SPC_TRY(spc_check_dense(ctx, op, b_name, b));
    SPC_TRY(spc_check_same_shape(ctx, op, a_name, a->rank, a->shape, b_name, b->rank, b->shape));
    return spc_check_same_dtype(ctx, op, a_name, a->dtype, b_name, b->dtype);
}

static bool is_packed(const sparcl_dense *x) {
    return spc_dense_ld(x) == spc_shape_width(x->rank, x->shape);
}

/* The elements of an array as a matrix [m, n]; one row where no view of it has gaps. */
typedef struct elements {
    int64_t m, n;
} elements;

static elements elements_of(const sparcl_dense *x, bool has_gaps) {
    const int64_t m = x->shape[0], n = spc_shape_width(x->rank, x->shape);
    return has_gaps ? (elements){m, n} : (elements){1, m * n};
}

/* Cost of an exp with its division, relative to an element that is only moved. */
#define EXP_COST 16

static spc_range range_of(const sparcl_ctx *ctx, int64_t count, bool has_exp) {
    const int64_t cost = has_exp && !spc_ctx_is_gpu(ctx) ? EXP_COST : 1;
    return spc_range_each(ctx, count < INT64_MAX / EXP_COST ? count * cost : count);
}

#define PROGRAM "elementary+elements+activation"

#define ARRAY_IN(v)  SPC_IN((v)->values), SPC_I64((v)->values_at), SPC_I64(spc_dense_ld(v))
#define ARRAY_OUT(v) SPC_OUT((v)->values), SPC_I64((v)->values_at), SPC_I64(spc_dense_ld(v))

sparcl_status sparcl_activate(sparcl_ctx *ctx, sparcl_activation kind, const sparcl_dense *y,
                              const sparcl_dense *x) {
    SPC_TRY(check_pair(ctx, "activate", "Y", y, "X", x));
    SPC_TRY(check_kind(ctx, "activate", kind));
    SPC_TRY(spc_check_in_place(ctx, "activate", "Y", y, "X", x));
    const elements e = elements_of(x, !is_packed(x) || !is_packed(y));
    if (e.m == 0 || e.n == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, PROGRAM, spc_options(x->dtype, SPARCL_I32, SPARCL_I32), "activate",
                      range_of(ctx, e.m * e.n, kind != SPARCL_ACTIVATION_RELU), SPC_I32(kind),
                      ARRAY_IN(x), ARRAY_OUT(y), SPC_I64(e.m), SPC_I64(e.n));
}

sparcl_status sparcl_activate_gradient(sparcl_ctx *ctx, sparcl_activation kind,
                                       const sparcl_dense *gx, const sparcl_dense *y,
                                       const sparcl_dense *gy) {
    SPC_TRY(check_pair(ctx, "activate_gradient", "GX", gx, "GY", gy));
    SPC_TRY(check_pair(ctx, "activate_gradient", "Y", y, "GY", gy));
    SPC_TRY(check_kind(ctx, "activate_gradient", kind));
    const spc_span result = spc_dense_span("GX", gx), value = spc_dense_span("Y", y);
    SPC_TRY(spc_check_alias(ctx, "activate_gradient", &result, &value, 1));
    SPC_TRY(spc_check_in_place(ctx, "activate_gradient", "GX", gx, "GY", gy));
    const elements e = elements_of(y, !is_packed(gx) || !is_packed(y) || !is_packed(gy));
    if (e.m == 0 || e.n == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, PROGRAM, spc_options(y->dtype, SPARCL_I32, SPARCL_I32),
                      "activate_gradient", range_of(ctx, e.m * e.n, false), SPC_I32(kind),
                      ARRAY_IN(y), ARRAY_IN(gy), ARRAY_OUT(gx), SPC_I64(e.m), SPC_I64(e.n));
}
