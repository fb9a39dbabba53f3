/* predictor.c: applies a model on a device to rows in the caller's memory. */
#include "sparcl/apply.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "model/core.h"
#include "model/model_object.h"
#include "train/apply_model.h"
#include "train/csr_arrays.h"
#include "train/overflow.h"
#include "train/problem.h"

struct sparcl_predictor {
    sparcl_ctx *ctx;
    const sparcl_model *model;
    spc_applied applied;
    int64_t columns, outputs;
    double largest;   /* weight */
    int64_t fields;   /* 0: not read */
    int64_t entries;  /* that the graph has room for */
    void *offsets;    /* [applied.forward.rows + 1]: of a slice, which begin at 0; or NULL */
    float *label, *p; /* [applied.forward.rows]: of a slice; NULL: the model has none */
    float *scores;    /* [applied.forward.rows, outputs] where labels are calibrated, else NULL */
};

/* --- opening ---------------------------------------------------------------------------------- */

static sparcl_status check_task(const sparcl_architecture *a, sparcl_error *error) {
    if (a->task == SPARCL_TASK_LABELS || a->task == SPARCL_TASK_RECONSTRUCT) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG, "model_open: a model of the kind %s %s", a->name,
                    a->task == SPARCL_TASK_RANK
                        ? "ranks items; use sparcl_recommend"
                        : "reads a graph between rows; use sparcl_predict_nodes");
}

static bool has_labels(const sparcl_predictor *s) {
    return s->model->architecture.task == SPARCL_TASK_LABELS;
}

static sparcl_status open_host(sparcl_predictor *s, sparcl_error *error) {
    const size_t rows = (size_t)s->applied.forward.rows;
    s->offsets = malloc((rows + 1) * sizeof(int64_t));
    if (has_labels(s)) {
        s->label = malloc(rows * sizeof *s->label);
        s->p = malloc(rows * sizeof *s->p);
    }
    const bool calibrates = spc_maps_labels(s->model);
    if (calibrates) s->scores = malloc(rows * (size_t)s->outputs * sizeof *s->scores);
    if (s->offsets && (!has_labels(s) || (s->label && s->p)) && (!calibrates || s->scores))
        return SPARCL_OK;
    return spc_fail_memory(error, "predictions of a slice", rows * 16);
}

static sparcl_status open_predictor(sparcl_predictor *s, sparcl_error *error) {
    const sparcl_model_info *const info = sparcl_model_get_info(s->model);
    const spc_forward_desc desc = {.architecture = &s->model->architecture,
                                   .loss = info->loss,
                                   .l2 = info->l2,
                                   .columns = info->columns,
                                   .outputs = info->outputs,
                                   .fields = info->fields};
    float wanted = 0; /* any address: what is to be computed */
    const spc_scores scores = {.scores = &wanted,
                               .label = has_labels(s) ? &wanted : NULL,
                               .p = has_labels(s) ? &wanted : NULL};
    s->columns = info->columns;
    s->outputs = info->outputs;
    s->fields = info->fields;
    s->largest = spc_largest_weight(s->model);
    SPC_TRY(spc_applied_open(&s->applied, s->ctx, s->model, &desc, &scores, error));
    return open_host(s, error);
}

static sparcl_status make_predictor(sparcl_ctx *ctx, sparcl_predictor **predictor,
                                    const sparcl_model *model, sparcl_error *error) {
    if (predictor) *predictor = NULL;
    if (!ctx || !predictor || !model)
        return spc_fail(error, SPARCL_E_ARG, "model_open: ctx, predictor or model is NULL");
    SPC_TRY(check_task(&model->architecture, error));
    sparcl_predictor *const s = calloc(1, sizeof *s);
    if (!s) return spc_fail_memory(error, "predictor", sizeof *s);
    s->ctx = ctx;
    s->model = model;
    const sparcl_status status = open_predictor(s, error);
    if (status == SPARCL_OK)
        *predictor = s;
    else
        sparcl_predictor_free(s);
    return status;
}

sparcl_status sparcl_model_open(sparcl_ctx *ctx, sparcl_predictor **predictor,
                                const sparcl_model *model, sparcl_error *error) {
    sparcl_error found = {0};
    return sparcl_ctx_report(ctx, make_predictor(ctx, predictor, model, &found), &found, error);
}

void sparcl_predictor_free(sparcl_predictor *s) {
    if (!s) return;
    spc_applied_close(&s->applied);
    free(s->offsets);
    free(s->label);
    free(s->p);
    free(s->scores);
    free(s);
}

/* --- slices ----------------------------------------------------------------------------------- */

/* The rows first .. first + rows - 1, and where their entries begin. */
typedef struct slice {
    int64_t first, rows, begin, entries;
} slice;

static int64_t offset_at(const sparcl_csr_arrays *x, int64_t row) {
    return spc_index_at(x->offsets, x->offset_type, row);
}

static slice slice_from(const sparcl_predictor *s, const sparcl_csr_arrays *x, int64_t first) {
    const int64_t begin = offset_at(x, first);
    const int64_t last = spc_min_i64(x->rows, first + s->applied.forward.rows);
    int64_t end = first + 1;
    if (offset_at(x, last) - begin <= SPC_SLICE_ENTRIES)
        end = last;
    else
        while (end < last && offset_at(x, end + 1) - begin <= SPC_SLICE_ENTRIES)
            ++end;
    return (slice){first, end - first, begin, offset_at(x, end) - begin};
}

/* The offsets of a slice begin at 0, as those of a view must. */
static const void *offsets_of(const sparcl_predictor *s, const sparcl_csr_arrays *x,
                              const slice *part) {
    if (part->begin == 0) {
        const size_t size = sparcl_itype_size(x->offset_type);
        return (const char *)x->offsets + (size_t)part->first * size;
    }
    for (int64_t i = 0; i <= part->rows; ++i)
        spc_set_index(s->offsets, x->offset_type, i, offset_at(x, part->first + i) - part->begin);
    return s->offsets;
}

/* Used in place where the device shares memory with the host. */
static sparcl_status wrap(const sparcl_predictor *s, sparcl_buf **buf, const void *host,
                          int64_t first, int64_t count, size_t size, sparcl_error *error) {
    union {
        const void *in;
        void *out;
    } plain = {.in = count > 0 ? (const char *)host + (size_t)first * size : NULL};
    const int64_t bytes = count * (int64_t)size;
    return spc_core(s->ctx,
                    bytes > 0 ? sparcl_buf_wrap(s->ctx, buf, plain.out, bytes)
                              : sparcl_buf_create(s->ctx, buf, 0),
                    error);
}

static sparcl_status wrap_rows(const sparcl_predictor *s, sparcl_csr *to,
                               const sparcl_csr_arrays *x, const slice *part, sparcl_error *error) {
    *to = (sparcl_csr){
        .rows = part->rows,
        .cols = s->columns,
        .nnz = part->entries,
        .offset_type = x->offset_type,
        .index_type = x->index_type,
        .proof = {.flags = SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE | SPARCL_TRUSTED}};
    SPC_TRY(wrap(s, &to->offsets, offsets_of(s, x, part), 0, part->rows + 1,
                 sparcl_itype_size(x->offset_type), error));
    SPC_TRY(wrap(s, &to->indices, x->indices, part->begin, part->entries,
                 sparcl_itype_size(x->index_type), error));
    return wrap(s, &to->values, x->values, part->begin, part->entries, sizeof *x->values, error);
}

/* Room that grows seldom: the graph keeps its memory from call to call. */
static sparcl_status reserve(sparcl_predictor *s, const slice *part, sparcl_error *error) {
    const spc_model_graph *const m = &s->applied.forward.model;
    sparcl_graph *const g = m->build.graph;
    SPC_TRY(spc_core(s->ctx, sparcl_graph_reserve(g, m->build.rows, part->rows), error));
    if (part->entries <= s->entries) return SPARCL_OK;
    s->entries = spc_min_i64(part->entries + part->entries / 8,
                             spc_max_i64(part->entries, SPC_SLICE_ENTRIES));
    return spc_core(s->ctx, sparcl_graph_reserve(g, m->entries, s->entries), error);
}

/* The fields of a slice, where the model reads them. */
static sparcl_status wrap_fields(const sparcl_predictor *s, sparcl_list *to,
                                 const sparcl_csr_arrays *x, const slice *part,
                                 sparcl_error *error) {
    *to = (sparcl_list){.limit = s->fields,
                        .count = part->entries,
                        .index_type = SPARCL_INDEX32,
                        .proof = {.flags = SPARCL_VALID | SPARCL_TRUSTED}};
    if (s->fields == 0) return SPARCL_OK;
    return wrap(s, &to->indices, x->fields, part->begin, part->entries, sizeof *x->fields, error);
}

static sparcl_status run_slice(sparcl_predictor *s, const sparcl_csr *x, const sparcl_list *fields,
                               const spc_scores *out, sparcl_error *error) {
    spc_forward *const f = &s->applied.forward;
    const sparcl_build *const b = &f->model.build;
    double unused = 0;
    if (s->fields > 0)
        SPC_TRY(spc_core(s->ctx, sparcl_graph_bind_list(b->graph, b->fields, fields), error));
    SPC_TRY(spc_core(s->ctx, sparcl_graph_bind_csr(b->graph, b->x, x), error));
    return spc_forward_run(f, 0, out, &unused, error);
}

/* --- predicting ------------------------------------------------------------------------------- */

typedef struct results {
    double *label;
    float *p, *scores;
} results;

static void take(const sparcl_predictor *s, const slice *part, const results *to) {
    const double *const labels = sparcl_model_get_info(s->model)->labels;
    for (int64_t i = 0; to->label && i < part->rows; ++i)
        to->label[part->first + i] = labels ? labels[(int64_t)s->label[i]] : (double)s->label[i];
    if (to->p) memcpy(to->p + part->first, s->p, (size_t)part->rows * sizeof *to->p);
}

static sparcl_status predict_slice(sparcl_predictor *s, const sparcl_csr_arrays *x,
                                   const slice *part, const results *to, sparcl_error *error) {
    const bool predicts = to->label || to->p;
    float *const scores = to->scores ? to->scores + part->first * s->outputs
                          : predicts ? s->scores
                                     : NULL;
    const spc_scores out = {
        .scores = scores, .label = predicts ? s->label : NULL, .p = predicts ? s->p : NULL};
    sparcl_csr view = {0};
    sparcl_list fields = {0};
    sparcl_status status = reserve(s, part, error);
    if (status == SPARCL_OK) status = wrap_rows(s, &view, x, part, error);
    if (status == SPARCL_OK) status = wrap_fields(s, &fields, x, part, error);
    if (status == SPARCL_OK) status = run_slice(s, &view, &fields, &out, error);
    if (status == SPARCL_OK)
        status =
            spc_correct_overflow(s->model, s->largest, x, part->first, part->rows, &out, error);
    if (status == SPARCL_OK && predicts && s->scores)
        spc_map_scores(s->model, scores, part->rows, s->label, s->p);
    if (status == SPARCL_OK) take(s, part, to);
    sparcl_buf_free(fields.indices);
    sparcl_csr_free(&view); /* waits: the device has read the caller's memory */
    return status;
}

static sparcl_status predict_rows(sparcl_predictor *s, const sparcl_csr_arrays *x, double *label,
                                  float *p, float *scores, sparcl_error *error) {
    const results to = {label, p, scores};
    if (!s || !x) return spc_fail(error, SPARCL_E_ARG, "predict: predictor or rows is NULL");
    if (!has_labels(s) && (label || p))
        return spc_fail(error, SPARCL_E_ARG,
                        "predict: label or p is not NULL, but a model of the kind %s predicts no "
                        "labels; its scores are the rows that it reconstructs",
                        s->model->architecture.name);
    SPC_TRY(spc_csr_arrays_check(x, s->columns, s->fields, error));
    for (int64_t first = 0; first < x->rows;) {
        const slice part = slice_from(s, x, first);
        SPC_TRY(predict_slice(s, x, &part, &to, error));
        first += part.rows;
    }
    return SPARCL_OK;
}

sparcl_status sparcl_model_predict(sparcl_predictor *s, const sparcl_csr_arrays *x, double *label,
                                   float *p, float *scores, sparcl_error *error) {
    sparcl_error found = {0};
    return sparcl_ctx_report(s ? s->ctx : NULL, predict_rows(s, x, label, p, scores, &found),
                             &found, error);
}

static sparcl_status predict_data(sparcl_predictor *s, const sparcl_data *data, double *label,
                                  float *p, float *scores, sparcl_error *error) {
    if (!s || !data) return spc_fail(error, SPARCL_E_ARG, "predict: predictor or data is NULL");
    SPC_TRY(spc_check_entries(data, error));
    SPC_TRY(spc_check_width(data, s->columns, error));
    SPC_TRY(spc_check_base(data, sparcl_model_get_info(s->model)->index_base, error));
    SPC_TRY(spc_check_fields(&s->model->architecture, data, s->fields, error));
    SPC_TRY(sparcl_data_check_finite(data, error));
    const sparcl_csr_arrays rows = spc_csr_arrays_of(data);
    return predict_rows(s, &rows, label, p, scores, error);
}

sparcl_status sparcl_model_predict_data(sparcl_predictor *s, const sparcl_data *data, double *label,
                                        float *p, float *scores, sparcl_error *error) {
    sparcl_error found = {0};
    return sparcl_ctx_report(s ? s->ctx : NULL, predict_data(s, data, label, p, scores, &found),
                             &found, error);
}
