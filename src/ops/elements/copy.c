/* copy.c: dense arrays from one element type, leading dimension and order to others. */
#include "base/size.h"
#include "launch/launch.h"
#include "ops/shared/check.h"
#include "sparcl/ops/elements.h"

/* Elements of a tile of cl/copy.cl. */
#define TILE_SIDE 32

static sparcl_status check_copy(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_dense *from) {
    SPC_TRY(spc_check_dense_of(ctx, "copy", "`to`", to, SPC_ALL_TYPES | SPC_ANY_ORDER));
    SPC_TRY(spc_check_dense_of(ctx, "copy", "`from`", from, SPC_ALL_TYPES | SPC_ANY_ORDER));
    SPC_TRY(spc_check_same_shape(ctx, "copy", "`to`", to->rank, to->shape, "`from`", from->rank,
                                 from->shape));
    const spc_span result = spc_dense_span("`to`", to), operand = spc_dense_span("`from`", from);
    return spc_check_alias(ctx, "copy", &result, &operand, 1);
}

static uint32_t options_of(sparcl_dtype from, sparcl_dtype to) {
    return spc_pair_options(from, to) | (from == SPARCL_F64 || to == SPARCL_F64 ? SPC_F64 : 0u) |
           (from == SPARCL_F16 || to == SPARCL_F16 ? SPC_F16 : 0u);
}

sparcl_status sparcl_copy(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_dense *from) {
    SPC_TRY(check_copy(ctx, to, from));
    int64_t m = to->shape[0], n = spc_shape_width(to->rank, to->shape);
    if (m == 0 || n == 0) return SPARCL_OK;
    const bool tiles = to->order != from->order;
    if (to->order == SPARCL_COLUMN_MAJOR) { /* both transposed: `to` is row-major */
        m = to->shape[1];
        n = to->shape[0];
    }
    int64_t to_ld = spc_dense_ld(to), from_ld = spc_dense_ld(from);
    if (!tiles && to_ld == n && from_ld == n) { /* packed arrays are one long row */
        n *= m;
        m = 1;
    }
    const int64_t groups = spc_ceil_div(m, TILE_SIDE) * spc_ceil_div(n, TILE_SIDE);
    const spc_range range =
        tiles && spc_ctx_is_gpu(ctx) ? spc_range_groups(ctx, groups) : spc_range_each(ctx, m * n);
    return SPC_LAUNCH(ctx, "elements+copy", options_of(from->dtype, to->dtype),
                      tiles ? "copy_tiles" : "copy_rows", range, SPC_IN(from->values),
                      SPC_I64(from->values_at), SPC_I64(from_ld), SPC_OUT(to->values),
                      SPC_I64(to->values_at), SPC_I64(to_ld), SPC_I64(m), SPC_I64(n));
}
