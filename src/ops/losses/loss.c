/* loss.c: losses with their gradients, and predictions. */
#include "sparcl/ops/losses.h"

#include "launch/launch.h"
#include "ops/shared/check.h"

static sparcl_status check_vector(sparcl_ctx *ctx, const char *op, const char *name,
                                  const sparcl_dense *v, int64_t count, sparcl_dtype dtype) {
    SPC_TRY(spc_check_dense(ctx, op, name, v));
    if (v->rank != 1 || v->shape[0] != count)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: %s has rank %d and %lld elements, expected %lld", op, name,
                            v->rank, (long long)v->shape[0], (long long)count);
    SPC_TRY(spc_check_same_dtype(ctx, op, name, v->dtype, "scores", dtype));
    if (spc_dense_ld(v) != 1)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: %s has ld %lld, expected packed elements", op,
                            name, (long long)spc_dense_ld(v));
    return SPARCL_OK;
}

static sparcl_status check_scores(sparcl_ctx *ctx, const char *op, sparcl_loss loss,
                                  const sparcl_dense *scores, const sparcl_dense *bias,
                                  int64_t *k) {
    if ((int)loss < SPARCL_LOSS_LOGISTIC || loss > SPARCL_LOSS_HINGE)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: loss is %d, expected %d to %d", op, (int)loss,
                            (int)SPARCL_LOSS_LOGISTIC, (int)SPARCL_LOSS_HINGE);
    SPC_TRY(spc_check_dense(ctx, op, "scores", scores));
    *k = spc_shape_width(scores->rank, scores->shape);
    if (scores->rank > 2 || (loss == SPARCL_LOSS_SOFTMAX ? *k < 1 : *k != 1))
        return spc_ctx_fail(
            ctx, SPARCL_E_SHAPE, "%s: scores have rank %d and %lld columns, expected %s", op,
            scores->rank, (long long)*k, loss == SPARCL_LOSS_SOFTMAX ? "one per class" : "1");
    return bias ? check_vector(ctx, op, "bias", bias, *k, scores->dtype) : SPARCL_OK;
}

static sparcl_status check_residual(sparcl_ctx *ctx, const sparcl_dense *residual,
                                    const sparcl_dense *scores, int64_t k) {
    SPC_TRY(spc_check_dense(ctx, "loss", "residual", residual));
    SPC_TRY(
        spc_check_same_dtype(ctx, "loss", "residual", residual->dtype, "scores", scores->dtype));
    if (residual->rank > 2 || residual->shape[0] != scores->shape[0] ||
        spc_shape_width(residual->rank, residual->shape) != k)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "loss: residual has rank %d with %lld rows of %lld, expected %lld of "
                            "%lld as scores have",
                            residual->rank, (long long)residual->shape[0],
                            (long long)spc_shape_width(residual->rank, residual->shape),
                            (long long)scores->shape[0], (long long)k);
    return SPARCL_OK;
}

static sparcl_status check_overlap(sparcl_ctx *ctx, const sparcl_dense *scores,
                                   const sparcl_dense *bias, const sparcl_dense *labels,
                                   const sparcl_dense *residual, const sparcl_dense *losses) {
    spc_span operands[4];
    size_t count = 0;
    operands[count++] = spc_dense_span("labels", labels);
    if (bias) operands[count++] = spc_dense_span("bias", bias);
    if (residual) {
        const spc_span result = spc_dense_span("residual", residual);
        SPC_TRY(spc_check_alias(ctx, "loss", &result, operands, count));
        SPC_TRY(spc_check_in_place(ctx, "loss", "residual", residual, "scores", scores));
        operands[count++] = result;
    }
    operands[count++] = spc_dense_span("scores", scores);
    if (!losses) return SPARCL_OK;
    const spc_span result = spc_dense_span("losses", losses);
    return spc_check_alias(ctx, "loss", &result, operands, count);
}

/* Cost of a score (exp, log, division), relative to an element that is only moved. */
#define SCORE_COST 16

/* For a range of [m, k] scores. */
static spc_range range_of(const sparcl_ctx *ctx, int64_t m, int64_t k) {
    const int64_t cost = spc_ctx_is_gpu(ctx) ? 1 : SCORE_COST;
    return spc_range_each(ctx, m * k < INT64_MAX / SCORE_COST ? m * k * cost : m * k);
}

/* The buffer and position of an optional array. */
#define OPTIONAL_IN(v)  SPC_IN((v) ? (v)->values : NULL), SPC_I64((v) ? (v)->values_at : 0)
#define OPTIONAL_OUT(v) SPC_OUT((v) ? (v)->values : NULL), SPC_I64((v) ? (v)->values_at : 0)

sparcl_status sparcl_loss_gradient(sparcl_ctx *ctx, sparcl_loss loss, const sparcl_dense *scores,
                                   const sparcl_dense *bias, const sparcl_dense *labels,
                                   double scale, const sparcl_dense *residual,
                                   const sparcl_dense *losses) {
    int64_t k = 0;
    SPC_TRY(check_scores(ctx, "loss", loss, scores, bias, &k));
    const int64_t m = scores->shape[0];
    SPC_TRY(check_vector(ctx, "loss", "labels", labels, m, scores->dtype));
    if (residual) SPC_TRY(check_residual(ctx, residual, scores, k));
    if (losses) SPC_TRY(check_vector(ctx, "loss", "losses", losses, m, scores->dtype));
    SPC_TRY(check_overlap(ctx, scores, bias, labels, residual, losses));
    SPC_TRY(spc_check_iterations(ctx, "loss", k < INT32_MAX ? 3 * k : k));
    if (m == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, "elementary+loss",
                      spc_options(scores->dtype, SPARCL_INDEX32, SPARCL_INDEX32), "loss_gradient",
                      range_of(ctx, m, k), SPC_I32(loss), SPC_IN(scores->values),
                      SPC_I64(scores->values_at), SPC_I64(spc_dense_ld(scores)), OPTIONAL_IN(bias),
                      SPC_I32(bias != NULL), SPC_IN(labels->values), SPC_I64(labels->values_at),
                      SPC_REAL(scores->dtype, scale), OPTIONAL_OUT(residual),
                      SPC_I64(residual ? spc_dense_ld(residual) : 0), SPC_I32(residual != NULL),
                      OPTIONAL_OUT(losses), SPC_I32(losses != NULL), SPC_I64(m), SPC_I64(k));
}

sparcl_status sparcl_loss_predict(sparcl_ctx *ctx, sparcl_loss loss, const sparcl_dense *scores,
                                  const sparcl_dense *bias, const sparcl_dense *label,
                                  const sparcl_dense *p) {
    int64_t k = 0;
    SPC_TRY(check_scores(ctx, "predict", loss, scores, bias, &k));
    const int64_t m = scores->shape[0];
    SPC_TRY(check_vector(ctx, "predict", "label", label, m, scores->dtype));
    SPC_TRY(check_vector(ctx, "predict", "p", p, m, scores->dtype));
    const spc_span spans[] = {spc_dense_span("scores", scores), spc_dense_span("label", label),
                              bias ? spc_dense_span("bias", bias) : spc_dense_span("label", label)};
    const spc_span probability = spc_dense_span("p", p);
    SPC_TRY(spc_check_alias(ctx, "predict", &probability, spans, SPC_COUNT(spans)));
    SPC_TRY(spc_check_alias(ctx, "predict", &spans[1], spans, 1));
    if (bias) SPC_TRY(spc_check_alias(ctx, "predict", &spans[1], &spans[2], 1));
    SPC_TRY(spc_check_iterations(ctx, "predict", k < INT32_MAX ? 2 * k : k));
    if (m == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, "elementary+loss",
                      spc_options(scores->dtype, SPARCL_INDEX32, SPARCL_INDEX32), "loss_predict",
                      range_of(ctx, m, k), SPC_I32(loss), SPC_IN(scores->values),
                      SPC_I64(scores->values_at), SPC_I64(spc_dense_ld(scores)), OPTIONAL_IN(bias),
                      SPC_I32(bias != NULL), SPC_OUT(label->values), SPC_I64(label->values_at),
                      SPC_OUT(p->values), SPC_I64(p->values_at), SPC_I64(m), SPC_I64(k));
}
