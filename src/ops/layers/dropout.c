/* dropout.c: elements are dropped or scaled, as a counter-based generator says. */
#include "base/size.h"
#include "launch/launch.h"
#include "ops/shared/check.h"
#include "sparcl/ops/layers.h"

#define PROGRAM "panel+philox+dropout"

/* Elements that one counter of philox16 (cl/dropout.cl) has words for. */
#define GROUP_ELEMENTS 64

static sparcl_status check_dropout(sparcl_ctx *ctx, const sparcl_dense *y, const sparcl_dense *x,
                                   double p) {
    SPC_TRY(spc_check_dense_of(ctx, "dropout", "Y", y, SPC_FLOATS));
    SPC_TRY(spc_check_dense_of(ctx, "dropout", "X", x, SPC_FLOATS));
    SPC_TRY(spc_check_same_shape(ctx, "dropout", "Y", y->rank, y->shape, "X", x->rank, x->shape));
    if (y->dtype != x->dtype)
        return spc_ctx_fail(ctx, SPARCL_E_DTYPE, "dropout: Y is %s and X %s, expected one type",
                            spc_dtype_name(y->dtype), spc_dtype_name(x->dtype));
    if (!(p >= 0 && p <= 1))
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "dropout: p is %g, expected 0 to 1", p);
    return spc_check_in_place(ctx, "dropout", "Y", y, "X", x);
}

sparcl_status sparcl_dropout(sparcl_ctx *ctx, const sparcl_dense *y, const sparcl_dense *x,
                             double p, uint64_t seed, uint64_t offset) {
    SPC_TRY(check_dropout(ctx, y, x, p));
    const int64_t rows = x->shape[0], width = spc_shape_width(x->rank, x->shape);
    const int64_t count = rows * width, groups = spc_ceil_div(count, GROUP_ELEMENTS);
    const bool has_gaps = spc_dense_ld(x) != width || spc_dense_ld(y) != width;
    const int64_t work = spc_ctx_is_gpu(ctx) ? 16 * groups : count;
    if (count == 0) return SPARCL_OK;
    return SPC_LAUNCH(
        ctx, PROGRAM, spc_dtype_options(x->dtype), "dropout", spc_range_each(ctx, work),
        SPC_IN(x->values), SPC_I64(x->values_at), SPC_I64(spc_dense_ld(x)), SPC_OUT(y->values),
        SPC_I64(y->values_at), SPC_I64(spc_dense_ld(y)), SPC_I64(has_gaps ? rows : 1),
        SPC_I64(has_gaps ? width : count), SPC_I64(16 * groups),
        SPC_REAL(x->dtype, p < 1 ? 1 / (1 - p) : 0), SPC_I64((int64_t)(p * 0x1p32 + 0.5)),
        SPC_I64((int64_t)seed), SPC_I64((int64_t)offset));
}
