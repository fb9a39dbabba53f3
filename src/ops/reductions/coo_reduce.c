/* coo_reduce.c: reductions of COO arrays over axes to dense arrays. */
#include "base/size.h"
#include "ops/shared/densify.h"
#include "ops/shared/moved.h"
#include "sparcl/ops/reductions.h"
#include "sparcl/ops/structure.h"

typedef long long ll; /* for %lld */

/* The dimensions of the result: those of `from` that are not reduced, or one of size 1. */
typedef struct kept_axes {
    int count, axes[SPARCL_MAX_RANK];
} kept_axes;

static sparcl_status check_result(sparcl_ctx *ctx, const char *op, const sparcl_dense *to,
                                  const sparcl_coo *from, const kept_axes *kept) {
    static const int64_t one[] = {1};
    int64_t shape[SPARCL_MAX_RANK];
    for (int d = 0; d < kept->count; ++d)
        shape[d] = from->shape[kept->axes[d]];
    SPC_TRY(spc_check_dense_of(ctx, op, SPC_TO, to, SPC_FLOATS));
    SPC_TRY(spc_check_same_shape(ctx, op, SPC_TO, to->rank, to->shape, "the array without the axes",
                                 kept->count ? kept->count : 1, kept->count ? shape : one));
    SPC_TRY(spc_check_same_dtype(ctx, op, SPC_TO, to->dtype, SPC_FROM, from->dtype));
    const spc_spans results = {.count = 1, .at = {spc_dense_span(SPC_TO, to)}};
    const spc_spans operands = spc_coo_spans(SPC_FROM, from);
    int64_t sparse = 0;
    SPC_TRY(spc_check_spans(ctx, op, &results, &operands));
    SPC_TRY(spc_need_coo(ctx, op, SPC_FROM, from, SPARCL_VALID));
    for (size_t i = 0; i < operands.count; ++i)
        sparse += operands.at[i].bytes;
    return spc_ctx_check_densify(ctx, op, results.at[0].bytes, sparse);
}

static sparcl_status check_reduce(sparcl_ctx *ctx, const sparcl_dense *to, sparcl_duplicates how,
                                  const sparcl_coo *from, int count, const int *axes,
                                  kept_axes *kept) {
    static const char op[] = "coo_reduce";
    unsigned reduced = ~0u;
    SPC_TRY(spc_check_coo_of(ctx, op, SPC_FROM, from, SPC_FLOATS));
    if ((unsigned)how > SPARCL_MIN)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: how is %d, expected SPARCL_SUM to SPARCL_MIN",
                            op, (int)how);
    if (axes) SPC_TRY(spc_check_coo_axes(ctx, op, from, count, axes, &reduced));
    *kept = (kept_axes){.count = 0};
    for (int d = 0; d < from->rank; ++d)
        if (!(reduced >> d & 1)) kept->axes[kept->count++] = d;
    return check_result(ctx, op, to, from, kept);
}

/* The entries with the dimensions that are kept; indices of 0 where there are none. */
static sparcl_status push_projection(sparcl_ctx *ctx, const sparcl_coo *from, const kept_axes *kept,
                                     sparcl_coo *to) {
    const int64_t size = (int64_t)sparcl_itype_size(from->index_type);
    spc_coo_take_axes(to, from, kept->count ? kept->count : 1, kept->axes);
    to->proof = (sparcl_proof){.flags = SPARCL_TRUSTED |
                                        spc_coo_projected_order(from, kept->count, kept->axes)};
    if (kept->count) return SPARCL_OK;
    to->shape[0] = 1;
    to->indices_at[0] = 0;
    SPC_TRY(spc_scratch_push(ctx, &to->indices[0], from->nnz, (size_t)size));
    return from->nnz ? sparcl_buf_fill(ctx, to->indices[0], 0, from->nnz * size, 0) : SPARCL_OK;
}

static sparcl_status push_like(sparcl_ctx *ctx, const sparcl_coo *from, sparcl_coo *to) {
    *to = *from;
    for (int d = 0; d < from->rank; ++d) {
        to->indices_at[d] = 0;
        SPC_TRY(
            spc_scratch_push(ctx, &to->indices[d], from->nnz, sparcl_itype_size(from->index_type)));
    }
    to->values_at = to->count_at = 0;
    SPC_TRY(spc_scratch_push(ctx, &to->values, from->nnz, sparcl_dtype_size(from->dtype)));
    return spc_scratch_push(ctx, &to->count, 1, sizeof(int64_t));
}

/* A conversion adds entries of one index itself. */
static sparcl_status reduce(sparcl_ctx *ctx, const sparcl_dense *to, sparcl_duplicates how,
                            const sparcl_coo *from, const kept_axes *kept) {
    sparcl_coo entries, combined;
    SPC_TRY(push_projection(ctx, from, kept, &entries));
    if (how == SPARCL_SUM) return spc_coo_place(ctx, to, &entries);
    SPC_TRY(push_like(ctx, &entries, &combined));
    SPC_TRY(spc_coo_fold(ctx, "coo_reduce", &combined, &entries, how));
    combined.proof = (sparcl_proof){.flags = SPARCL_TRUSTED | SPARCL_SORTED | SPARCL_UNIQUE};
    return spc_coo_place(ctx, to, &combined);
}

sparcl_status sparcl_coo_reduce(sparcl_ctx *ctx, const sparcl_dense *to, sparcl_duplicates how,
                                const sparcl_coo *from, int count, const int *axes) {
    kept_axes kept;
    SPC_TRY(check_reduce(ctx, to, how, from, count, axes, &kept));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = reduce(ctx, to, how, from, &kept);
    spc_scratch_release(ctx, mark);
    return status;
}
