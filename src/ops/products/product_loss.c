/* product_loss.c: a product with one column and the losses of its rows, in one launch. */
#include "ops/products/product_loss.h"

#include "base/size.h"
#include "launch/launch.h"
#include "ops/shared/check.h"

/* Rows of one block: none is worth a split. */
#define LONGEST_ROW 256

/* Cost of a row besides its entries (exp, log, divisions), in elements that are only moved. */
#define ROW_COST 16

static bool is_packed_vector(const sparcl_dense *v) {
    return spc_dense_ld(v) == 1;
}

bool spc_product_loss_fits(const sparcl_ctx *ctx, const spc_product_loss_job *job) {
    return !spc_ctx_is_gpu(ctx) && !spc_has_short_loops(ctx) && job->loss != SPARCL_LOSS_SOFTMAX &&
           spc_shape_width(job->b->rank, job->b->shape) == 1 && job->a->rows > 0 &&
           spc_csr_longest(job->a) <= LONGEST_ROW && is_packed_vector(job->residual) &&
           is_packed_vector(job->losses) && is_packed_vector(job->labels);
}

#define ARRAY_IN(v)  SPC_IN((v) ? (v)->values : NULL), SPC_I64((v) ? (v)->values_at : 0)
#define ARRAY_OUT(v) SPC_OUT((v)->values), SPC_I64((v)->values_at)

/* As the two calls check their arguments; shapes and types are those of a graph. */
static sparcl_status check(sparcl_ctx *ctx, const spc_product_loss_job *job) {
    SPC_TRY(spc_check_csr(ctx, "spmm", "A", job->a));
    SPC_TRY(spc_check_dense(ctx, "spmm", "B", job->b));
    SPC_TRY(spc_check_dense(ctx, "loss", "labels", job->labels));
    SPC_TRY(spc_check_dense(ctx, "loss", "losses", job->losses));
    if (job->bias) SPC_TRY(spc_check_dense(ctx, "loss", "bias", job->bias));
    const spc_span operands[] = {spc_dense_span("labels", job->labels), spc_dense_span("B", job->b),
                                 spc_dense_span("residual", job->residual)};
    const spc_span losses = spc_dense_span("losses", job->losses);
    SPC_TRY(spc_check_alias(ctx, "loss", &losses, operands, SPC_COUNT(operands)));
    return spc_need_csr(ctx, "spmm", "A", job->a, SPARCL_VALID);
}

sparcl_status spc_product_loss(sparcl_ctx *ctx, const spc_product_loss_job *job) {
    const sparcl_csr *const a = job->a;
    SPC_TRY(check(ctx, job));
    const int64_t work = spc_min_i64(a->rows, INT64_MAX / (4 * ROW_COST)) * ROW_COST +
                         spc_min_i64(a->nnz, INT64_MAX / 4);
    return SPC_LAUNCH(ctx, "panel+products+elementary+loss+product_loss",
                      spc_options(a->dtype, a->offset_type, a->index_type), "product_loss",
                      spc_range_each(ctx, work), SPC_I32(job->loss), SPC_IN(a->offsets),
                      SPC_I64(a->offsets_at), SPC_IN(a->indices), SPC_I64(a->indices_at),
                      SPC_IN(a->values), SPC_I64(a->values_at), SPC_IN(job->b->values),
                      SPC_I64(job->b->values_at), SPC_I64(spc_dense_ld(job->b)),
                      ARRAY_IN(job->bias), SPC_I32(job->bias != NULL), ARRAY_IN(job->labels),
                      SPC_REAL(a->dtype, job->scale), ARRAY_OUT(job->residual),
                      ARRAY_OUT(job->losses), SPC_I64(a->rows));
}
