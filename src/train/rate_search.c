/* rate_search.c: chooses the rate of an optimizer, and how many passes it goes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "model/builtin.h"
#include "model/model_object.h"
#include "sparcl/apply.h"
#include "sparcl/optim.h"
#include "train/auto_select.h"
#include "train/compact_columns.h"
#include "train/csr_arrays.h"
#include "train/label_units.h"
#include "train/row_weights.h"
#include "train/scaling.h"
#include "train/start.h"
#include "train/trial.h"

enum { RATES = 7 };
static const double rates[RATES] = {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1};

/* Passes until there are enough steps, and those without a lower loss. */
enum {
    FEW_ROWS = 2000,
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
    spc_compact_columns used; /* of all rows: in models of the library, others have no weight */
    bool scales; /* a linear model without a penalty, which is of the weights of columns as they
                    are, and where there is memory for it */
    spc_scaling scaling;
    sparcl_data *scaled; /* all rows; else NULL */
    int64_t passes;
    int64_t best_passes[RATES]; /* of each rate that was tried */
    double constant_loss;       /* of the best constant, on the rows that are held out */
} search;

/* Models of factors learn nothing with small rates. */
static const double least_gain = 0.01;

/* --- rows ------------------------------------------------------------------------------------- */

static const sparcl_data *unscaled(const search *f) {
    return f->used.made ? f->used.made : spc_trial_data(f->trial);
}

static const sparcl_data *all_rows(const search *f) {
    return f->scaled ? f->scaled : unscaled(f);
}

static bool has_all_classes(const spc_trial *t, const sparcl_data *rows) {
    spc_classes found = {0};
    const bool has_all =
        spc_classes_find(&found, SPARCL_TASK_LABELS, t->desc.loss, rows, NULL) == SPARCL_OK &&
        found.count == t->classes.count;
    spc_classes_free(&found);
    return has_all;
}

static sparcl_status draw_part(const search *f, int part, uint64_t seed, sparcl_error *error) {
    spc_trial *const t = f->trial;
    const int64_t rows = sparcl_data_get_info(t->data)->rows;
    const double share = fmax(rows <= MANY_ROWS ? 0.2 : 0.1, 1 / (double)rows);
    sparcl_data_free(t->rest[part]);
    sparcl_data_free(t->held[part]);
    return t->result->folds > 1
               ? sparcl_data_fold(all_rows(f), t->result->folds, part, seed, &t->rest[part],
                                  &t->held[part], error)
               : sparcl_data_split(all_rows(f), share, seed, &t->rest[part], &t->held[part], error);
}

/* Drawn again where the other rows lack a class. */
static sparcl_status draw_parts(const search *f, bool *are_good, sparcl_error *error) {
    const spc_trial *const t = f->trial;
    *are_good = false;
    for (uint64_t draw = 0; draw < DRAWS && !*are_good; ++draw) {
        *are_good = true;
        for (int part = 0; part < t->result->folds && *are_good; ++part) {
            SPC_TRY(draw_part(f, part, t->desc.seed + draw, error));
            *are_good = has_all_classes(t, t->rest[part]);
        }
    }
    return SPARCL_OK;
}

/* Each row of a few once, else a fifth of the rows, of many a tenth; none where that is of no use:
 * there are classes of one row. */
static sparcl_status hold_out(const search *f, sparcl_error *error) {
    spc_trial *const t = f->trial;
    const int64_t rows = sparcl_data_get_info(t->data)->rows;
    bool are_good = false;
    t->result->folds = rows <= FEW_ROWS ? (int)spc_min_i64(SPC_FOLDS, rows) : 1;
    SPC_TRY(draw_parts(f, &are_good, error));
    if (!are_good && t->result->folds > 1) {
        t->result->folds = 1;
        SPC_TRY(draw_parts(f, &are_good, error));
    }
    if (!are_good) t->result->folds = 0;
    return SPARCL_OK;
}

static bool has_equal_steps(sparcl_rule rule) {
    switch (rule) {
    case SPARCL_RULE_SGD:
    case SPARCL_RULE_MOMENTUM:
    case SPARCL_RULE_PROXIMAL_SGD:
    case SPARCL_RULE_LARS:
    case SPARCL_RULE_ROWWISE_LARS:
        return false;
    default:
        return true;
    }
}

static sparcl_status find_scales(search *f, sparcl_error *error) {
    const spc_trial *const t = f->trial;
    const sparcl_data *const data = unscaled(f);
    float *targets = NULL;
    f->scaling = (spc_scaling){
        .columns = f->used.count,
        .outputs = spc_outputs(SPARCL_TASK_LABELS, t->desc.loss, t->classes.count, f->used.count),
        .has_bias = !t->desc.no_bias,
        .of_entries = true,
        .steps_are_equal = has_equal_steps(t->desc.optim.rule)};
    SPC_TRY(spc_rows_make(&targets, NULL, &t->desc, &t->classes, data, true, false, error));
    const spc_scaled_rows rows = {data, targets, sparcl_data_weights(data), t->desc.loss, 0, 0};
    const sparcl_status status = spc_scaling_open(&f->scaling, &rows, error);
    free(targets);
    f->scaling.label_shift = 0; /* the training has one */
    return status;
}

static sparcl_status scale_rows(search *f, sparcl_error *error) {
    sparcl_data_arrays arrays = spc_data_arrays_of(unscaled(f));
    const int64_t entries = sparcl_data_get_info(unscaled(f))->entries;
    float *const values = malloc((size_t)entries * sizeof *values + 1);
    sparcl_status status = SPARCL_OK;
    if (!values) SPC_GO(spc_fail_memory(error, "scaled rows", (size_t)entries * 4));
    memcpy(values, arrays.values, (size_t)entries * sizeof *values);
    spc_scaling_values(&f->scaling, arrays.index_type, arrays.indices, entries, values);
    arrays.values = values;
    SPC_GO(sparcl_data_create(&f->scaled, &arrays, error));
done:
    free(values);
    return status;
}

static int64_t count_passes(const search *f) {
    const sparcl_data *const fitted = f->trial->result->folds ? f->trial->rest[0] : all_rows(f);
    const int64_t rows = sparcl_data_get_info(fitted)->rows, batch = f->trial->desc.batch;
    const int64_t steps = batch > 0 ? spc_ceil_div(rows, batch) : 1;
    return spc_max_i64(LEAST_PASSES, spc_min_i64(MOST_PASSES, spc_ceil_div(STEPS, steps)));
}

static sparcl_status open_search(search *f, sparcl_error *error) {
    spc_trial *const t = f->trial;
    f->used = (spc_compact_columns){.all = t->columns, .count = t->columns};
    if (t->is_linear || spc_is_builtin(t->desc.architecture))
        SPC_TRY(spc_compact_columns_open(&f->used, spc_trial_data(t), t->columns, error));
    f->scales = t->is_linear && t->desc.l2 == 0 && f->used.count <= MOST_SCALES;
    if (f->scales) {
        SPC_TRY(find_scales(f, error));
        SPC_TRY(scale_rows(f, error));
    }
    SPC_TRY(hold_out(f, error));
    f->passes = count_passes(f);
    return SPARCL_OK;
}

static void close_search(search *f) {
    sparcl_data_free(f->scaled);
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
        x[i] = (double)model->tensors[i >= weights].values[i >= weights ? i - weights : i];
    spc_scaling_to_model(s, x, x);
    for (int64_t i = 0; i < count; ++i)
        model->tensors[i >= weights].values[i >= weights ? i - weights : i] = (float)x[i];
    free(x);
    return spc_model_check_finite(model, SPARCL_E_DIVERGED, "the trained model", error);
}

/* Parameters of the library's models of labels that have a row for each column. */
static bool is_of_columns(const char *name) {
    return strcmp(name, "weight") == 0 || strcmp(name, "factors") == 0 || strcmp(name, "w1") == 0;
}

/* Rows of columns without entries are 0. */
static void widen_tensor(const search *f, const spc_model_tensor *narrow, spc_model_tensor *wide) {
    const size_t elements = (size_t)spc_tensor_elements(&narrow->tensor);
    const size_t row = elements / (size_t)narrow->tensor.shape[0];
    if (!is_of_columns(narrow->tensor.name)) {
        memcpy(wide->values, narrow->values, elements * sizeof(float));
        return;
    }
    memset(wide->values, 0, (size_t)f->used.all * row * sizeof(float));
    for (int64_t j = 0; j < f->used.count; ++j)
        memcpy(wide->values + (size_t)f->used.columns[j] * row, narrow->values + (size_t)j * row,
               row * sizeof(float));
}

/* To all columns of the data. */
static sparcl_status widen(const search *f, sparcl_model **model, sparcl_error *error) {
    sparcl_model *const narrow = *model;
    sparcl_model_info info = narrow->info;
    if (!f->used.columns) return SPARCL_OK;
    info.columns = f->used.all;
    sparcl_tensor *const shapes = malloc((size_t)narrow->count * sizeof *shapes);
    if (!shapes) return spc_fail_memory(error, "shapes", (size_t)narrow->count * sizeof *shapes);
    for (int i = 0; i < narrow->count; ++i) {
        shapes[i] = narrow->tensors[i].tensor;
        if (is_of_columns(shapes[i].name)) shapes[i].shape[0] = f->used.all;
    }
    const sparcl_status status =
        spc_model_new(model, &info, f->trial->desc.architecture, shapes, error);
    for (int i = 0; status == SPARCL_OK && i < narrow->count; ++i)
        widen_tensor(f, &narrow->tensors[i], &(*model)->tensors[i]);
    free(shapes);
    sparcl_model_free(narrow);
    return status;
}

static sparcl_train_desc desc_of(const search *f, double rate, int fold) {
    sparcl_train_desc desc = spc_trial_part_desc(f->trial, rate, fold);
    desc.optim.lr = rate;
    desc.standardize_labels = spc_label_units_fit(desc.architecture, desc.loss);
    desc.columns = f->used.count;
    desc.epochs = f->passes;
    return desc;
}

/* --- the search ------------------------------------------------------------------------------- */

/* Sums over the folds. */
typedef struct sums {
    double rows, loss, constant_loss, accuracy, rows_selected, selected, passes;
} sums;

/* `passes` of them, or 0: until the loss of the rows that are held out no longer falls. */
static sparcl_status measure_fold(search *f, double rate, int64_t passes, int fold, sums *of,
                                  sparcl_error *error) {
    spc_trial *const t = f->trial;
    const bool holds = t->result->folds > 0;
    const sparcl_data *const held = holds ? t->held[fold] : all_rows(f);
    sparcl_train_desc desc = desc_of(f, rate, fold);
    sparcl_train_result result;
    sparcl_model *model = NULL;
    sparcl_metrics m;
    if (passes > 0)
        desc.epochs = passes;
    else
        desc.patience = spc_max_i64(2, f->passes / OF_PATIENCE);
    SPC_TRY(spc_train(t->ctx, &model, holds ? t->rest[fold] : all_rows(f), held, &desc, &result,
                      error));
    const sparcl_status status = sparcl_eval(t->ctx, model, held, &m, error);
    sparcl_model_free(model);
    if (status != SPARCL_OK) return status;
    const double selected = spc_selected_of(t->select, &m), weight = (double)m.rows;
    of->rows += weight;
    of->loss += weight * m.loss;
    of->constant_loss += weight * m.best_constant_loss;
    of->accuracy += weight * m.accuracy;
    of->passes += weight * (double)result.best_epoch;
    if (isnan(selected)) return SPARCL_OK;
    of->rows_selected += weight;
    of->selected += weight * selected;
    return SPARCL_OK;
}

static sparcl_status measure_folds(search *f, double rate, int64_t passes, sums *of,
                                   sparcl_error *error) {
    const int folds = f->trial->result->folds;
    *of = (sums){0};
    for (int fold = 0; fold < (folds > 0 ? folds : 1); ++fold)
        SPC_TRY(measure_fold(f, rate, passes, fold, of, error));
    return SPARCL_OK;
}

/* A rate that is too large is a bad one, no error. The passes that are best in one fold are not in
 * another where losses jump: folds are measured after the mean of these. */
static sparcl_status measure(search *f, double rate, sparcl_tried *tried, int64_t *passes,
                             sparcl_error *error) {
    const int folds = f->trial->result->folds;
    sums of;
    *tried = (sparcl_tried){.solver = SPARCL_SOLVER_STEPS,
                            .value = rate,
                            .loss = (double)INFINITY,
                            .accuracy = (double)NAN,
                            .selected = (double)NAN,
                            .fold = folds > 0 ? folds - 1 : -1};
    sparcl_status status = measure_folds(f, rate, 0, &of, error);
    if (status == SPARCL_OK) {
        *passes = spc_max_i64(1, (int64_t)floor(of.passes / of.rows + 0.5));
        if (folds > 1) status = measure_folds(f, rate, *passes, &of, error);
    }
    if (status == SPARCL_E_DIVERGED) return SPARCL_OK;
    if (status != SPARCL_OK) return status;
    f->constant_loss = of.constant_loss / of.rows;
    tried->loss = of.loss / of.rows;
    tried->accuracy = of.accuracy / of.rows;
    tried->selected = of.selected / of.rows_selected;
    return SPARCL_OK;
}

/* Where no rate has learnt anything, larger ones may. */
static bool has_learnt(const search *f) {
    const sparcl_auto_result *const r = f->trial->result;
    const double gain = f->constant_loss - r->tried[r->best].loss;
    return gain > least_gain * fabs(f->constant_loss);
}

static sparcl_status try_rates(search *f, sparcl_error *error) {
    spc_trial *const t = f->trial;
    bool ends = false;
    t->most = RATES;
    for (int i = 0; i < RATES && !ends; ++i) {
        sparcl_tried tried;
        f->best_passes[i] = 1;
        SPC_TRY(measure(f, rates[i], &tried, &f->best_passes[i], error));
        SPC_TRY(spc_trial_keep(t, &tried, &ends, error));
        ends = ends && has_learnt(f);
    }
    return SPARCL_OK;
}

/* A training with all rows. */
typedef struct trained {
    sparcl_model *model; /* NULL: it diverged */
    sparcl_train_result result;
    double excess; /* of its loss above that of rows which were held out, in parts of what was
                      gained there on the best constant */
} trained;

/* As many passes as were best. */
static sparcl_status train_at(search *f, int which, trained *to, sparcl_error *error) {
    const spc_trial *const t = f->trial;
    const double tried = t->result->tried[which].loss;
    sparcl_train_desc desc = desc_of(f, rates[which], 0);
    desc.epochs = f->best_passes[which];
    desc.progress = t->desc.progress;
    desc.progress_user = t->desc.progress_user;
    *to = (trained){.excess = (double)INFINITY};
    const sparcl_status status =
        spc_train(t->ctx, &to->model, all_rows(f), NULL, &desc, &to->result, error);
    const double gain = to->result.best_constant_loss - tried;
    if (status == SPARCL_E_DIVERGED) return SPARCL_OK;
    to->excess = t->result->folds > 0 && gain > 0 ? (to->result.loss - tried) / gain : 0;
    return status;
}

/* Large steps go wrong with rows far from all others, where these were held out: smaller rates are
 * tried then. */
static sparcl_status train_smaller(search *f, trained *best, sparcl_error *error) {
    enum { SMALLER = 2 };
    static const double most_excess = 0.1;
    sparcl_auto_result *const r = f->trial->result;
    const int first = r->best;
    for (int i = first - 1; i >= 0 && i >= first - SMALLER && best->excess > most_excess; --i) {
        trained other;
        SPC_TRY(train_at(f, i, &other, error));
        if (other.excess < best->excess / 2) {
            const trained before = *best;
            *best = other;
            other = before;
            r->best = i;
            r->discarded = first - i;
        }
        sparcl_model_free(other.model);
    }
    return SPARCL_OK;
}

static sparcl_status train_all(search *f, sparcl_model **model, sparcl_error *error) {
    const spc_trial *const t = f->trial;
    trained best;
    SPC_TRY(train_at(f, t->result->best, &best, error));
    sparcl_status status = train_smaller(f, &best, error);
    *model = best.model;
    t->result->train = best.result;
    if (status == SPARCL_OK && !best.model) status = SPARCL_E_DIVERGED;
    if (status == SPARCL_OK) {
        (*model)->info.fingerprint = spc_start_fingerprint(&t->desc, t->data);
        (*model)->info.index_base = sparcl_data_get_info(t->data)->index_base;
        status = unscale(f, *model, error);
    }
    return status == SPARCL_OK ? widen(f, model, error) : status;
}

sparcl_status spc_search_rate(spc_trial *t, sparcl_model **model, sparcl_error *error) {
    search f = {.trial = t};
    t->result->solver = SPARCL_SOLVER_STEPS;
    sparcl_status status = open_search(&f, error);
    if (status == SPARCL_OK) status = try_rates(&f, error);
    if (status == SPARCL_OK) status = train_all(&f, model, error);
    close_search(&f);
    return status;
}
