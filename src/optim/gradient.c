/* gradient.c: what becomes of a row-sparse gradient before a step. */
#include "optim/gradient.h"

#include "launch/launch.h"
#include "ops/shared/check.h"
#include "sparcl/ops/structure.h"

sparcl_status spc_coalesce_gradient(sparcl_ctx *ctx, sparcl_rows *sums, const sparcl_rows *from,
                                    bool is_mean) {
    const int64_t count = from->nnr * spc_shape_width(from->rank, from->shape);
    *sums = *from;
    sums->values_at = sums->indices_at = sums->count_at = 0;
    SPC_TRY(spc_scratch_push(ctx, &sums->values, count, sparcl_dtype_size(from->dtype)));
    SPC_TRY(spc_scratch_push(ctx, &sums->indices, from->nnr, sparcl_itype_size(from->index_type)));
    SPC_TRY(spc_scratch_push(ctx, &sums->count, 1, sizeof(int64_t)));
    return sparcl_rows_coalesce(ctx, sums, from, is_mean ? SPARCL_MEAN : SPARCL_SUM, NULL);
}
