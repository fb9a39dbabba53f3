/* score.c: applies a model to a data set, in slices. */
#include "train/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "model/core.h"
#include "model/loss_kind.h"

/* --- the graph -------------------------------------------------------------------------------- */

static bool predicts(const spc_scores *wanted) {
    return wanted->label || wanted->p;
}

/* The rows of a slice depend on the graph only, not on the device. */
static sparcl_status set_rows(spc_forward *f, int64_t rows, sparcl_error *error) {
    sparcl_build *const b = &f->model.build;
    int64_t row_bytes = 0;
    f->rows = rows;
    if (rows > 0) return SPARCL_OK;
    SPC_TRY(spc_core(f->ctx, sparcl_graph_memory(b->graph, NULL, &row_bytes), error));
    f->rows = spc_min_i64(SPC_SLICE_SCORES / spc_max_i64(b->outputs, 1),
                          SPC_SLICE_BYTES / spc_max_i64(row_bytes, 1));
    f->rows = spc_max_i64(f->rows, 1);
    return SPARCL_OK;
}

static sparcl_status open_codes(spc_forward *f, int64_t *columns, sparcl_error *error) {
    sparcl_graph *const g = f->model.build.graph;
    sparcl_node_info about;
    if (f->model.build.codes == SPARCL_NO_NODE)
        return spc_fail(error, SPARCL_E_ARG, "encode: a model of the kind %s has no codes",
                        f->model.architecture->name);
    sparcl_graph_output(g, f->model.build.codes);
    SPC_TRY(spc_core(f->ctx, sparcl_graph_node_info(g, f->model.build.codes, &about), error));
    *columns = about.shape[1];
    return SPARCL_OK;
}

static sparcl_status open_predictions(spc_forward *f, sparcl_error *error) {
    f->label = f->p = (sparcl_dense){.rank = 1, .shape = {f->rows}};
    if (f->model.architecture->predict) { /* scores, labels, probabilities */
        const size_t bytes = (size_t)(f->rows * (f->model.build.outputs + 2)) * sizeof *f->scores;
        f->scores = malloc(bytes);
        return f->scores ? SPARCL_OK : spc_fail_memory(error, "scores", bytes);
    }
    SPC_TRY(spc_core(f->ctx, sparcl_dense_create(f->ctx, &f->label), error));
    return spc_core(f->ctx, sparcl_dense_create(f->ctx, &f->p), error);
}

sparcl_status spc_forward_open(spc_forward *f, sparcl_ctx *ctx, const spc_forward_desc *d,
                               const spc_scores *wanted, sparcl_error *error) {
    const spc_model_graph_desc desc = {.architecture = d->architecture,
                                       .loss = d->loss,
                                       .optim = {.rule = SPARCL_RULE_SGD, .decay.weight = d->l2},
                                       .columns = d->columns,
                                       .outputs = d->outputs,
                                       .nodes = d->nodes,
                                       .weighs = d->weighs,
                                       .fields = d->fields,
                                       .rows = 1};
    *f = (spc_forward){.ctx = ctx, .sum = SPARCL_NO_NODE};
    SPC_TRY(spc_model_graph_open(&f->model, ctx, &desc, error));
    sparcl_graph *const g = f->model.build.graph;
    sparcl_graph_set_training(g, 0);
    if (wanted->mean_loss) {
        f->sum = sparcl_graph_sum(g, f->model.build.losses);
        sparcl_graph_output(g, f->sum);
    }
    if (wanted->scores || predicts(wanted)) sparcl_graph_output(g, f->model.build.scores);
    if (wanted->take_codes) SPC_TRY(open_codes(f, wanted->code_columns, error));
    SPC_TRY(set_rows(f, d->rows, error));
    return predicts(wanted) ? open_predictions(f, error) : SPARCL_OK;
}

void spc_forward_close(spc_forward *f) {
    spc_model_graph_close(&f->model);
    sparcl_dense_free(&f->label);
    sparcl_dense_free(&f->p);
    free(f->scores);
    memset(f, 0, sizeof *f);
}

sparcl_status spc_forward_bind(spc_forward *f, int parameter, const sparcl_dense *view,
                               sparcl_error *error) {
    return spc_core(
        f->ctx,
        sparcl_graph_bind_dense(f->model.build.graph, f->model.parameters[parameter].node, view),
        error);
}

/* --- slices ----------------------------------------------------------------------------------- */

static sparcl_status add_loss(spc_forward *f, double *total, sparcl_error *error) {
    sparcl_dense view;
    float sum = 0;
    SPC_TRY(spc_core(f->ctx, sparcl_graph_value(f->model.build.graph, f->sum, &view), error));
    SPC_TRY(spc_core(f->ctx, sparcl_dense_read(f->ctx, &view, &sum), error));
    *total += sum;
    return SPARCL_OK;
}

/* The caller's prediction. Classes are used as indices. */
static sparcl_status predict_on_host(spc_forward *f, const sparcl_dense *scores, float *label,
                                     float *p, sparcl_error *error) {
    const sparcl_architecture *const a = f->model.architecture;
    const int64_t rows = scores->shape[0], outputs = f->model.build.outputs;
    const float classes = f->model.build.loss == SPARCL_LOSS_SOFTMAX ? (float)outputs : 2;
    float *const found = f->scores + f->rows * outputs, *const found_p = found + f->rows;
    SPC_TRY(spc_core(f->ctx, sparcl_dense_read(f->ctx, scores, f->scores), error));
    a->predict(a->user, rows, outputs, f->scores, found, found_p);
    for (int64_t i = 0; !spc_loss_has_numbers(f->model.build.loss) && i < rows; ++i)
        if (!(found[i] >= 0 && found[i] < classes && found[i] == floorf(found[i])))
            return spc_fail(error, SPARCL_E_ARG,
                            "architecture %s: predict returned class %g, expected 0 to %g", a->name,
                            (double)found[i], (double)classes - 1);
    if (label) memcpy(label, found, (size_t)rows * sizeof *label);
    if (p) memcpy(p, found_p, (size_t)rows * sizeof *p);
    return SPARCL_OK;
}

static sparcl_status predict(spc_forward *f, const sparcl_dense *scores, float *label, float *p,
                             sparcl_error *error) {
    sparcl_dense s = *scores;
    if (s.rank == 1) s.rank = 2, s.shape[1] = 1;
    f->label.shape[0] = f->p.shape[0] = s.shape[0];
    SPC_TRY(spc_core(f->ctx,
                     sparcl_loss_predict(f->ctx, f->model.build.loss, &s, NULL, &f->label, &f->p),
                     error));
    SPC_TRY(spc_core(f->ctx, sparcl_dense_read(f->ctx, &f->label, label), error));
    return spc_core(f->ctx, sparcl_dense_read(f->ctx, &f->p, p), error);
}

static sparcl_status take_codes(spc_forward *f, int64_t first, const spc_scores *out,
                                sparcl_error *error) {
    sparcl_csr codes;
    SPC_TRY(spc_core(
        f->ctx, sparcl_graph_csr_value(f->model.build.graph, f->model.build.codes, &codes), error));
    return out->take_codes(out->codes_user, first, &codes, error);
}

static sparcl_status take(spc_forward *f, int64_t first, const spc_scores *out, double *total,
                          sparcl_error *error) {
    sparcl_dense scores;
    float *const label = out->label ? out->label + first : NULL;
    float *const p = out->p ? out->p + first : NULL;
    if (out->mean_loss) SPC_TRY(add_loss(f, total, error));
    if (out->take_codes) SPC_TRY(take_codes(f, first, out, error));
    if (!out->scores && !predicts(out)) return SPARCL_OK;
    SPC_TRY(spc_core(
        f->ctx, sparcl_graph_value(f->model.build.graph, f->model.build.scores, &scores), error));
    if (out->scores)
        SPC_TRY(spc_core(
            f->ctx,
            sparcl_dense_read(f->ctx, &scores, out->scores + first * f->model.build.outputs),
            error));
    if (!predicts(out)) return SPARCL_OK;
    return f->scores ? predict_on_host(f, &scores, label, p, error)
                     : predict(f, &scores, label, p, error);
}

static int64_t slice_rows(const spc_feed *feed, int64_t first, int64_t maximum) {
    const int64_t *offsets = sparcl_data_offsets(feed->data);
    const int64_t last = spc_min_i64(feed->rows, first + maximum);
    int64_t end = first + 1;
    while (end < last && offsets[end + 1] - offsets[first] <= SPC_SLICE_ENTRIES)
        ++end;
    return end - first;
}

sparcl_status spc_forward_run(spc_forward *f, int64_t first, const spc_scores *out, double *total,
                              sparcl_error *error) {
    SPC_TRY(spc_core(f->ctx, sparcl_graph_forward(f->model.build.graph), error));
    return take(f, first, out, total, error);
}

static sparcl_status bind_slice(spc_forward *f, spc_feed *feed, int64_t first, int64_t rows,
                                sparcl_error *error) {
    spc_inputs in = {0};
    SPC_TRY(spc_feed_slice(feed, first, rows, &in, error));
    return spc_core(f->ctx, spc_model_graph_bind(&f->model, &in), error);
}

/* The entries of the largest slice, or more. */
static int64_t slice_entries(const sparcl_data_info *info) {
    return spc_min_i64(info->entries, spc_max_i64(SPC_SLICE_ENTRIES, info->row_nnz_max));
}

sparcl_status spc_score(spc_feed *feed, spc_forward *f, const spc_scores *out,
                        sparcl_error *error) {
    const int64_t entries = slice_entries(sparcl_data_get_info(feed->data));
    sparcl_graph *const g = f->model.build.graph;
    double total = 0;
    SPC_TRY(spc_core(f->ctx,
                     sparcl_graph_reserve(g, f->model.build.rows, spc_min_i64(f->rows, feed->rows)),
                     error));
    SPC_TRY(spc_core(f->ctx, sparcl_graph_reserve(g, f->model.entries, entries), error));
    for (int64_t first = 0, rows; first < feed->rows; first += rows) {
        rows = slice_rows(feed, first, f->rows);
        SPC_TRY(bind_slice(f, feed, first, rows, error));
        SPC_TRY(spc_forward_run(f, first, out, &total, error));
    }
    if (out->mean_loss) *out->mean_loss = feed->rows > 0 ? total / (double)feed->rows : 0;
    return SPARCL_OK;
}

static sparcl_status score_feed(void *source, spc_forward *f, const spc_scores *out,
                                sparcl_error *error) {
    return spc_score(source, f, out, error);
}

spc_scored spc_scored_feed(spc_feed *feed) {
    return (spc_scored){score_feed, feed};
}
