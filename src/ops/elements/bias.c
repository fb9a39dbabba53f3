/* bias.c: add a vector to each row of a dense matrix. */
#include "launch/launch.h"
#include "ops/shared/check.h"
#include "sparcl/ops/elements.h"

static sparcl_status check_bias(sparcl_ctx *ctx, const sparcl_dense *y, const sparcl_dense *x,
                                const sparcl_dense *bias) {
    SPC_TRY(spc_check_dense_of(ctx, "add_bias", "Y", y, SPC_FLOATS));
    SPC_TRY(spc_check_dense_of(ctx, "add_bias", "X", x, SPC_FLOATS));
    SPC_TRY(spc_check_dense_of(ctx, "add_bias", "bias", bias, SPC_FLOATS));
    SPC_TRY(spc_check_same_shape(ctx, "add_bias", "Y", y->rank, y->shape, "X", x->rank, x->shape));
    const int64_t n = spc_shape_width(x->rank, x->shape);
    if (x->rank > 2 || bias->rank != 1 || bias->shape[0] != n)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "add_bias: X has rank %d and rows of %lld, bias has rank %d and %lld "
                            "elements, expected one for each column of a matrix",
                            x->rank, (long long)n, bias->rank, (long long)bias->shape[0]);
    if (spc_dense_ld(bias) != 1)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "add_bias: bias has ld %lld, expected packed elements",
                            (long long)spc_dense_ld(bias));
    SPC_TRY(spc_check_same_dtype(ctx, "add_bias", "Y", y->dtype, "X", x->dtype));
    return spc_check_same_dtype(ctx, "add_bias", "bias", bias->dtype, "X", x->dtype);
}

sparcl_status sparcl_add_bias(sparcl_ctx *ctx, const sparcl_dense *y, const sparcl_dense *x,
                              const sparcl_dense *bias) {
    SPC_TRY(check_bias(ctx, y, x, bias));
    const spc_span result = spc_dense_span("Y", y), operand = spc_dense_span("bias", bias);
    SPC_TRY(spc_check_alias(ctx, "add_bias", &result, &operand, 1));
    SPC_TRY(spc_check_in_place(ctx, "add_bias", "Y", y, "X", x));
    const int64_t m = x->shape[0], n = bias->shape[0];
    if (m == 0 || n == 0) return SPARCL_OK;
    /* A packed column is one long row whose bias does not advance. */
    const bool is_column = n == 1 && spc_dense_ld(x) == 1 && spc_dense_ld(y) == 1;
    return SPC_LAUNCH(ctx, "elements+bias", spc_options(x->dtype, SPARCL_I32, SPARCL_I32),
                      "add_bias", spc_range_each(ctx, m * n), SPC_IN(x->values),
                      SPC_I64(x->values_at), SPC_I64(spc_dense_ld(x)), SPC_IN(bias->values),
                      SPC_I64(bias->values_at), SPC_I64(!is_column), SPC_OUT(y->values),
                      SPC_I64(y->values_at), SPC_I64(spc_dense_ld(y)), SPC_I64(is_column ? 1 : m),
                      SPC_I64(is_column ? m : n));
}
