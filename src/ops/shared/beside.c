/* beside.c: one operation of several arrays, in one launch of many lanes. */
#include "ops/shared/beside.h"

#include "ops/shared/fold.h"
#include "ops/shared/partition.h"

/* A longer row is divided in blocks. */
bool spc_fits_beside(const sparcl_ctx *ctx, int64_t width) {
    return spc_ctx_is_gpu(ctx) && width <= SPC_ROW_BLOCK;
}

static int64_t width_of(const sparcl_dense *x) {
    return spc_shape_width(x->rank, x->shape);
}

sparcl_status spc_square_sums_beside(sparcl_ctx *ctx, const spc_beside *jobs, int count) {
    const sparcl_dense *const x = jobs->x;
    spc_args list = {.count = 0};
    if (x->shape[0] == 0) return SPARCL_OK;
    for (int i = 0; i < SPC_BESIDE; ++i) {
        const spc_beside *const job = &jobs[i < count ? i : 0];
        SPC_ARGS_ADD(&list, SPC_IN(job->x->values), SPC_I64(job->x->values_at),
                     SPC_OUT(job->to->values), SPC_I64(job->to->values_at));
    }
    SPC_ARGS_ADD(&list, SPC_I64(count), SPC_I64(x->shape[0]), SPC_I64(width_of(x)));
    return spc_launch(ctx, "panel+scan+fold_square+blocks+stage+reduce",
                      spc_options(x->dtype, SPARCL_INDEX32, SPARCL_INDEX32), "reduce_beside",
                      spc_range_each(ctx, 8 * count * x->shape[0]), list.at, list.count);
}

sparcl_status spc_gradients_beside(sparcl_ctx *ctx, const spc_beside *jobs, int count, bool dot) {
    const sparcl_dense *const x = jobs->x;
    const int64_t rows = x->shape[0], width = width_of(x);
    spc_args list = {.count = 0};
    if (rows == 0 || width == 0) return SPARCL_OK;
    spc_args_add(&list, SPC_I32(dot ? (int)SPC_GRADIENT_DOT : (int)SPARCL_REDUCE_SQUARE_SUM));
    for (int i = 0; i < SPC_BESIDE; ++i) {
        const spc_beside *const job = &jobs[i < count ? i : 0];
        SPC_ARGS_ADD(&list, SPC_IN(job->x->values), SPC_I64(job->x->values_at),
                     SPC_IN(job->gy->values), SPC_I64(job->gy->values_at), SPC_OUT(job->to->values),
                     SPC_I64(job->to->values_at));
    }
    SPC_ARGS_ADD(&list, SPC_I64(count), SPC_I64(rows), SPC_I64(width));
    return spc_launch(ctx, "panel+scan+blocks+elements+reduce_gradient",
                      spc_options(x->dtype, SPARCL_INDEX32, SPARCL_INDEX32), "gradients_beside",
                      spc_range_each(ctx, count * rows * width), list.at, list.count);
}
