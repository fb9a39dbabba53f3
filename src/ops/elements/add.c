/* add.c: the sum of two dense arrays. */
#include "launch/launch.h"
#include "ops/shared/check.h"
#include "sparcl/ops/elements.h"

static sparcl_status check_add(sparcl_ctx *ctx, const sparcl_dense *z, const sparcl_dense *x,
                               const sparcl_dense *y) {
    SPC_TRY(spc_check_dense_of(ctx, "add", "Z", z, SPC_FLOATS));
    SPC_TRY(spc_check_dense_of(ctx, "add", "X", x, SPC_FLOATS));
    SPC_TRY(spc_check_dense_of(ctx, "add", "Y", y, SPC_FLOATS));
    SPC_TRY(spc_check_same_shape(ctx, "add", "Y", y->rank, y->shape, "X", x->rank, x->shape));
    SPC_TRY(spc_check_same_shape(ctx, "add", "Z", z->rank, z->shape, "X", x->rank, x->shape));
    SPC_TRY(spc_check_same_dtype(ctx, "add", "Y", y->dtype, "X", x->dtype));
    SPC_TRY(spc_check_same_dtype(ctx, "add", "Z", z->dtype, "X", x->dtype));
    SPC_TRY(spc_check_in_place(ctx, "add", "Z", z, "X", x));
    return spc_check_in_place(ctx, "add", "Z", z, "Y", y);
}

sparcl_status sparcl_add(sparcl_ctx *ctx, const sparcl_dense *z, const sparcl_dense *x,
                         const sparcl_dense *y) {
    SPC_TRY(check_add(ctx, z, x, y));
    const int64_t m = x->shape[0], n = spc_shape_width(x->rank, x->shape);
    if (m == 0 || n == 0) return SPARCL_OK;
    /* Packed arrays are one long row. */
    const bool is_packed = spc_dense_ld(x) == n && spc_dense_ld(y) == n && spc_dense_ld(z) == n;
    return SPC_LAUNCH(ctx, "elements+add", spc_options(x->dtype, SPARCL_I32, SPARCL_I32),
                      "add_dense", spc_range_each(ctx, m * n), SPC_IN(x->values),
                      SPC_I64(x->values_at), SPC_I64(spc_dense_ld(x)), SPC_IN(y->values),
                      SPC_I64(y->values_at), SPC_I64(spc_dense_ld(y)), SPC_OUT(z->values),
                      SPC_I64(z->values_at), SPC_I64(spc_dense_ld(z)), SPC_I64(is_packed ? 1 : m),
                      SPC_I64(is_packed ? m * n : n));
}
