/* score.c: applies weights to a data set, in slices. */
#include "train/score.h"

#include "base/error.h"
#include "base/size.h"
#include "train/core.h"

typedef struct slice {
    sparcl_ctx *ctx;
    const spc_weights *w;
    sparcl_dense scores, losses, sum, label, p;
} slice;

static sparcl_status open_slice(slice *s, sparcl_ctx *ctx, const spc_weights *w, int64_t rows,
                                sparcl_error *error) {
    const int64_t outputs = w->weights.shape[1];
    const sparcl_dense vector = {.rank = 1, .shape = {rows}};
    *s = (slice){.ctx = ctx, .w = w};
    s->scores = (sparcl_dense){.rank = 2, .shape = {rows, outputs}};
    s->losses = s->label = s->p = vector;
    s->sum = (sparcl_dense){.rank = 1, .shape = {1}};
    sparcl_dense *const all[] = {&s->scores, &s->losses, &s->label, &s->p, &s->sum};
    for (size_t i = 0; i < SPC_COUNT(all); ++i)
        SPC_TRY(spc_core(ctx, sparcl_dense_create(ctx, all[i]), error));
    return SPARCL_OK;
}

static void close_slice(slice *s) {
    sparcl_dense_free(&s->scores);
    sparcl_dense_free(&s->losses);
    sparcl_dense_free(&s->label);
    sparcl_dense_free(&s->p);
    sparcl_dense_free(&s->sum);
}

static const sparcl_dense *bias_of(const spc_weights *w) {
    return w->bias.rank ? &w->bias : NULL;
}

static sparcl_status add_loss(slice *s, const sparcl_dense *y, double *total, sparcl_error *error) {
    float sum = 0;
    SPC_TRY(spc_core(
        s->ctx,
        sparcl_loss_gradient(s->ctx, s->w->loss, &s->scores, bias_of(s->w), y, 1, NULL, &s->losses),
        error));
    SPC_TRY(spc_core(s->ctx, sparcl_sum_rows(s->ctx, &s->sum, 1, &s->losses, 0), error));
    SPC_TRY(spc_core(s->ctx, sparcl_dense_read(s->ctx, &s->sum, &sum), error));
    *total += sum;
    return SPARCL_OK;
}

static sparcl_status predict(slice *s, float *label, float *p, sparcl_error *error) {
    sparcl_ctx *ctx = s->ctx;
    SPC_TRY(spc_core(
        ctx, sparcl_loss_predict(ctx, s->w->loss, &s->scores, bias_of(s->w), &s->label, &s->p),
        error));
    SPC_TRY(spc_core(ctx, sparcl_dense_read(ctx, &s->label, label), error)); /* NULL: not read */
    return spc_core(ctx, sparcl_dense_read(ctx, &s->p, p), error);
}

/* Read the first column of the scores and add the bias, as the loss does. AUC sorts by these. */
static sparcl_status fetch_scores(slice *s, int64_t rows, float *score, sparcl_error *error) {
    float bias = 0;
    SPC_TRY(spc_core(s->ctx, sparcl_dense_read(s->ctx, &s->scores, score), error));
    if (!s->w->bias.rank) return SPARCL_OK;
    SPC_TRY(spc_core(s->ctx, sparcl_dense_read(s->ctx, &s->w->bias, &bias), error));
    for (int64_t i = 0; i < rows; ++i)
        score[i] += bias;
    return SPARCL_OK;
}

static sparcl_status score_slice(slice *s, const sparcl_csr *x, const sparcl_dense *y,
                                 int64_t first, const spc_scores *out, double *total,
                                 sparcl_error *error) {
    const int64_t rows = x->rows;
    s->scores.shape[0] = s->losses.shape[0] = s->label.shape[0] = s->p.shape[0] = rows;
    SPC_TRY(spc_core(s->ctx, sparcl_spmm(s->ctx, &s->scores, 1, x, &s->w->weights, 0), error));
    if (out->mean_loss) SPC_TRY(add_loss(s, y, total, error));
    if (out->score && s->scores.shape[1] == 1)
        SPC_TRY(fetch_scores(s, rows, out->score + first, error));
    if (!out->label && !out->p) return SPARCL_OK;
    return predict(s, out->label ? out->label + first : NULL, out->p ? out->p + first : NULL,
                   error);
}

static int64_t slice_rows(const spc_feed *feed, int64_t first, int64_t maximum) {
    const int64_t *offsets = sparcl_data_offsets(feed->data);
    const int64_t last = spc_min_i64(feed->rows, first + maximum);
    int64_t end = first + 1;
    while (end < last && offsets[end + 1] - offsets[first] <= SPC_SLICE_ENTRIES)
        ++end;
    return end - first;
}

sparcl_status spc_score(spc_feed *feed, const spc_weights *weights, const spc_scores *out,
                        sparcl_error *error) {
    const int64_t outputs = weights->weights.shape[1], rows = feed->rows;
    const int64_t maximum =
        spc_max_i64(1, spc_min_i64(rows, SPC_SLICE_SCORES / spc_max_i64(outputs, 1)));
    double total = 0;
    slice s = {0};
    sparcl_status status = SPARCL_OK;
    SPC_GO(open_slice(&s, feed->ctx, weights, maximum, error));
    for (int64_t first = 0; first < rows; first += s.scores.shape[0]) {
        sparcl_csr x;
        sparcl_dense y;
        SPC_GO(spc_feed_slice(feed, first, slice_rows(feed, first, maximum), &x, &y, error));
        SPC_GO(score_slice(&s, &x, &y, first, out, &total, error));
    }
    if (out->mean_loss) *out->mean_loss = rows > 0 ? total / (double)rows : 0;
done:
    close_slice(&s);
    return status;
}
