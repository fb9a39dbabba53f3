/* rate_search.c: chooses the rate of an optimizer, and how many passes it goes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "model/model_object.h"
#include "sparcl/evaluate.h"
#include "train/auto_select.h"
#include "train/compact_columns.h"
#include "train/csr_arrays.h"
#include "train/row_weights.h"
#include "train/scaling.h"
#include "train/start.h"
#include "train/trial.h"

/* Passes until there are enough steps, and those without a lower loss. */
enum {
    MANY_ROWS = 20000,
    MOST_SCALES = 1 << 24,
    STEPS = 1000,
    LEAST_PASSES = 20,
    MOST_PASSES = 200,
    OF_PATIENCE = 10,
    DRAWS = 16 /* of rows that are held out */
};

typedef struct search {
    spc_trial *trial;
    spc_compact_columns used; /* of all rows: no other column has a weight */
    bool scales; /* without a penalty, which is of the weights of columns as they are, and where
                    there is memory for it */
    spc_scaling scaling; /* of the rows to train with */
    double label_scale;
    sparcl_data *scaled[2];               /* the rows to train with, and the others; else NULL */
    const sparcl_data *fitted, *measured; /* the same as they are */
    int64_t passes, best_passes;
} search;

/* --- rows ------------------------------------------------------------------------------------- */

static const sparcl_data *all_rows(const search *f) {
    return f->used.made ? f->used.made : spc_trial_data(f->trial);
}

static bool has_all_classes(const spc_trial *t, const sparcl_data *rows) {
    spc_classes found = {0};
    const bool has_all =
        spc_classes_find(&found, SPARCL_TASK_LABELS, t->desc.loss, rows, NULL) == SPARCL_OK &&
        found.count == t->classes.count;
    spc_classes_free(&found);
    return has_all;
}

/* A fifth of the rows, of many a tenth, drawn again where the others lack a class; none where that
 * is of no use: there are classes of one row. */
static sparcl_status hold_out(search *f, sparcl_error *error) {
    spc_trial *const t = f->trial;
    const int64_t rows = sparcl_data_get_info(t->data)->rows;
    const double share = fmax(rows <= MANY_ROWS ? 0.2 : 0.1, 1 / (double)rows);
    for (uint64_t draw = 0; draw < DRAWS && !f->fitted; ++draw) {
        sparcl_data_free(t->rest[0]);
        sparcl_data_free(t->held[0]);
        SPC_TRY(sparcl_data_split(all_rows(f), share, t->desc.seed + draw, &t->rest[0], &t->held[0],
                                  error));
        if (has_all_classes(t, t->rest[0])) f->fitted = t->rest[0];
    }
    t->result->folds = f->fitted ? 1 : 0;
    f->measured = f->fitted ? t->held[0] : all_rows(f);
    if (!f->fitted) f->fitted = all_rows(f);
    return SPARCL_OK;
}

static bool has_numbers(const spc_trial *t) {
    return t->desc.loss == SPARCL_LOSS_SQUARED;
}

/* Steps of other rules are as long whatever the gradient is: a column that two rows have would move
 * as far as one that all have. With several outputs it was no gain (sector: accuracy 0.86 to 0.82).
 */
static bool shrinks_rare(const spc_trial *t) {
    switch (t->desc.optim.rule) {
    case SPARCL_RULE_SGD:
    case SPARCL_RULE_MOMENTUM:
    case SPARCL_RULE_PROXIMAL_SGD:
    case SPARCL_RULE_LARS:
    case SPARCL_RULE_ROWWISE_LARS:
        return false;
    default:
        return t->desc.loss != SPARCL_LOSS_SOFTMAX;
    }
}

static double label_variance(const spc_scaling *s, const sparcl_data *data) {
    const int64_t rows = sparcl_data_get_info(data)->rows;
    double sum = 0;
    for (int64_t i = 0; i < rows; ++i) {
        const double off = sparcl_data_labels(data)[i] - s->label_shift;
        sum += off * off / (double)rows;
    }
    return sum;
}

static sparcl_status find_scales(search *f, const sparcl_data *fitted, sparcl_error *error) {
    const spc_trial *const t = f->trial;
    float *targets = NULL;
    f->scaling = (spc_scaling){
        .columns = f->used.count,
        .outputs = spc_outputs(SPARCL_TASK_LABELS, t->desc.loss, t->classes.count, f->used.count),
        .has_bias = !t->desc.no_bias,
        .of_entries = true,
        .shrinks_rare = shrinks_rare(t)};
    SPC_TRY(spc_rows_make(&targets, NULL, &t->desc, &t->classes, fitted, true, false, error));
    const spc_scaled_rows rows = {fitted, targets, sparcl_data_weights(fitted), t->desc.loss, 0, 0};
    const sparcl_status status = spc_scaling_open(&f->scaling, &rows, error);
    free(targets);
    if (status == SPARCL_OK && has_numbers(t))
        f->label_scale = spc_scaling_root(label_variance(&f->scaling, fitted));
    return status;
}

static void scale_labels(const search *f, double *labels, int64_t rows) {
    for (int64_t i = 0; i < rows; ++i)
        labels[i] = (labels[i] - f->scaling.label_shift) / f->label_scale;
}

static sparcl_status scale_rows(const search *f, const sparcl_data *data, sparcl_data **scaled,
                                sparcl_error *error) {
    sparcl_data_arrays arrays = spc_data_arrays_of(data);
    const int64_t entries = sparcl_data_get_info(data)->entries;
    float *const values = malloc((size_t)entries * sizeof *values + 1);
    double *const labels = malloc((size_t)arrays.rows * sizeof *labels + 1);
    sparcl_status status = SPARCL_OK;
    if (!values || !labels) SPC_GO(spc_fail_memory(error, "scaled rows", (size_t)entries * 4));
    memcpy(values, arrays.values, (size_t)entries * sizeof *values);
    memcpy(labels, arrays.labels, (size_t)arrays.rows * sizeof *labels);
    spc_scaling_values(&f->scaling, arrays.index_type, arrays.indices, entries, values);
    if (has_numbers(f->trial)) scale_labels(f, labels, arrays.rows);
    arrays.values = values;
    arrays.labels = labels;
    SPC_GO(sparcl_data_create(scaled, &arrays, error));
done:
    free(values);
    free(labels);
    return status;
}

static sparcl_status open_search(search *f, sparcl_error *error) {
    spc_trial *const t = f->trial;
    SPC_TRY(spc_compact_columns_open(&f->used, spc_trial_data(t), t->columns, error));
    SPC_TRY(hold_out(f, error));
    const int64_t rows = sparcl_data_get_info(f->fitted)->rows;
    const int64_t steps = t->desc.batch > 0 ? spc_ceil_div(rows, t->desc.batch) : 1;
    f->scales = t->desc.l2 == 0 && f->used.count <= MOST_SCALES;
    f->passes = spc_max_i64(LEAST_PASSES, spc_min_i64(MOST_PASSES, spc_ceil_div(STEPS, steps)));
    if (!f->scales) return SPARCL_OK;
    SPC_TRY(find_scales(f, f->fitted, error));
    SPC_TRY(scale_rows(f, f->fitted, &f->scaled[0], error));
    return scale_rows(f, f->measured, &f->scaled[1], error);
}

static void close_search(search *f) {
    sparcl_data_free(f->scaled[0]);
    sparcl_data_free(f->scaled[1]);
    spc_scaling_close(&f->scaling);
    spc_compact_columns_close(&f->used);
}

/* --- models ----------------------------------------------------------------------------------- */

/* A model of scaled rows becomes one of the rows as they are. */
static sparcl_status unscale(const search *f, sparcl_model *model, sparcl_error *error) {
    const spc_scaling *const s = &f->scaling;
    const int64_t weights = s->columns * s->outputs;
    const int64_t count = weights + (s->has_bias ? s->outputs : 0);
    if (!f->scales) return SPARCL_OK;
    double *const x = calloc((size_t)count + 1, sizeof *x);
    if (!x) return spc_fail_memory(error, "parameters", (size_t)count * sizeof *x);
    for (int64_t i = 0; i < count; ++i)
        x[i] = f->label_scale *
               (double)model->tensors[i >= weights].values[i >= weights ? i - weights : i];
    spc_scaling_to_model(s, x, x);
    for (int64_t i = 0; i < count; ++i)
        model->tensors[i >= weights].values[i >= weights ? i - weights : i] = (float)x[i];
    free(x);
    return spc_model_check_finite(model, SPARCL_E_DIVERGED, "the trained model", error);
}

/* To all columns of the data. */
static sparcl_status widen(const search *f, sparcl_model **model, sparcl_error *error) {
    sparcl_model *const narrow = *model;
    sparcl_model_info info = narrow->info;
    const size_t outputs = (size_t)info.outputs;
    const sparcl_tensor shapes[] = {{.rank = 2, .shape = {f->used.all, info.outputs}},
                                    {.rank = 1, .shape = {info.outputs}}};
    if (!f->used.columns) return SPARCL_OK;
    info.columns = f->used.all;
    SPC_TRY(spc_model_new(model, &info, f->trial->desc.architecture, shapes, error));
    memset((*model)->tensors[0].values, 0, (size_t)f->used.all * outputs * sizeof(float));
    for (int64_t j = 0; j < f->used.count; ++j)
        memcpy((*model)->tensors[0].values + (size_t)f->used.columns[j] * outputs,
               narrow->tensors[0].values + (size_t)j * outputs, outputs * sizeof(float));
    if (info.has_bias)
        memcpy((*model)->tensors[1].values, narrow->tensors[1].values, outputs * sizeof(float));
    sparcl_model_free(narrow);
    return SPARCL_OK;
}

static sparcl_train_desc desc_of(const search *f, double rate) {
    sparcl_train_desc desc = spc_trial_part_desc(f->trial, rate, 0);
    desc.optim.lr = rate;
    desc.columns = f->used.count;
    desc.epochs = f->passes;
    return desc;
}

/* --- the search ------------------------------------------------------------------------------- */

/* A rate that is too large is a bad one, no error. */
static sparcl_status measure(search *f, double rate, sparcl_tried *tried, int64_t *passes,
                             sparcl_error *error) {
    spc_trial *const t = f->trial;
    sparcl_train_desc desc = desc_of(f, rate);
    sparcl_train_result result;
    sparcl_model *model = NULL;
    sparcl_metrics m;
    *tried = (sparcl_tried){.solver = SPARCL_SOLVER_STEPS,
                            .value = rate,
                            .loss = (double)INFINITY,
                            .accuracy = (double)NAN,
                            .selected = (double)NAN,
                            .fold = t->result->folds - 1};
    desc.patience = spc_max_i64(2, f->passes / OF_PATIENCE);
    sparcl_status status = spc_train(t->ctx, &model, f->scales ? f->scaled[0] : f->fitted,
                                     f->scales ? f->scaled[1] : f->measured, &desc, &result, error);
    if (status == SPARCL_OK) status = unscale(f, model, error);
    if (status == SPARCL_OK) status = sparcl_eval(t->ctx, model, f->measured, &m, error);
    sparcl_model_free(model);
    if (status == SPARCL_E_DIVERGED) return SPARCL_OK;
    if (status != SPARCL_OK) return status;
    tried->loss = m.loss;
    tried->accuracy = m.accuracy;
    tried->selected = spc_selected_of(t->select, &m);
    *passes = result.best_epoch;
    return SPARCL_OK;
}

static sparcl_status try_rates(search *f, sparcl_error *error) {
    static const double rates[] = {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1};
    spc_trial *const t = f->trial;
    bool ends = false;
    t->most = SPC_COUNT(rates);
    for (size_t i = 0; i < SPC_COUNT(rates) && !ends; ++i) {
        sparcl_tried tried;
        int64_t passes = 1;
        SPC_TRY(measure(f, rates[i], &tried, &passes, error));
        SPC_TRY(spc_trial_keep(t, &tried, &ends, error));
        if (t->result->best == t->result->count - 1) f->best_passes = passes;
    }
    return SPARCL_OK;
}

/* Losses of scaled labels are those of the labels as they are, divided by the square of the scale.
 */
static int show_progress(void *user, const sparcl_train_progress *scaled) {
    const search *const f = user;
    const sparcl_train_desc *const desc = &f->trial->desc;
    sparcl_train_progress now = *scaled;
    now.loss *= f->label_scale * f->label_scale;
    return desc->progress(desc->progress_user, &now);
}

static void unscale_result(const search *f, sparcl_train_result *r) {
    const double square = f->label_scale * f->label_scale;
    r->loss *= square;
    r->objective *= square;
    r->best_constant_loss *= square;
}

/* All rows, as many passes as were best. */
static sparcl_status train_all(search *f, sparcl_model **model, sparcl_error *error) {
    spc_trial *const t = f->trial;
    const sparcl_data *const whole = all_rows(f);
    sparcl_train_desc desc = desc_of(f, t->result->tried[t->result->best].value);
    sparcl_data *scaled = NULL;
    desc.epochs = spc_max_i64(1, f->best_passes);
    desc.progress = t->desc.progress ? show_progress : NULL;
    desc.progress_user = f;
    if (f->scales) SPC_TRY(scale_rows(f, whole, &scaled, error));
    sparcl_status status =
        spc_train(t->ctx, model, scaled ? scaled : whole, NULL, &desc, &t->result->train, error);
    if (status == SPARCL_OK) {
        unscale_result(f, &t->result->train);
        (*model)->info.fingerprint = spc_start_fingerprint(&t->desc, t->data);
        (*model)->info.index_base = sparcl_data_get_info(t->data)->index_base;
        status = unscale(f, *model, error);
    }
    if (status == SPARCL_OK) status = widen(f, model, error);
    sparcl_data_free(scaled);
    return status;
}

sparcl_status spc_search_rate(spc_trial *t, sparcl_model **model, sparcl_error *error) {
    search f = {.trial = t, .label_scale = 1};
    t->result->solver = SPARCL_SOLVER_STEPS;
    sparcl_status status = open_search(&f, error);
    if (status == SPARCL_OK) status = try_rates(&f, error);
    if (status == SPARCL_OK) status = train_all(&f, model, error);
    close_search(&f);
    return status;
}
