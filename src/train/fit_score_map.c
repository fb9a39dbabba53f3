/* fit_score_map.c: finds how scores become probabilities, on rows that were not trained on. */
#include "sparcl/model_calibrate.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/loss_kind.h"
#include "model/model_object.h"
#include "train/apply.h"
#include "train/problem.h"

/* Scores in ascending order. */
typedef struct scored {
    double score, weight;
    bool is_high; /* its label is the higher class */
    int64_t row;
} scored;

static int compare(const void *left, const void *right) {
    const scored *const a = left, *const b = right;
    if (a->score != b->score) return a->score < b->score ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* ---- Platt ---------------------------------------------------------------------------------- */

/* The mean of log(1 + exp(z)) - t z, z = a score + b, its gradient, and its second derivatives. */
typedef struct platt_sums {
    double loss, a, b, aa, ab, bb;
} platt_sums;

typedef struct platt_rows {
    const scored *rows;
    int64_t count;
    double weight;     /* of all */
    double targets[2]; /* of both classes */
} platt_rows;

static platt_sums sum_platt(const platt_rows *r, double a, double b) {
    platt_sums s = {.loss = 0};
    for (int64_t i = 0; i < r->count; ++i) {
        const scored *const at = &r->rows[i];
        const double z = a * at->score + b, w = at->weight / r->weight;
        const double t = r->targets[at->is_high], p = 1 / (1 + exp(-z));
        const double d = w * (p - t), h = w * p * (1 - p);
        s.loss += w * (fmax(z, 0) + log1p(exp(-fabs(z))) - t * z);
        s.a += d * at->score;
        s.b += d;
        s.aa += h * at->score * at->score;
        s.ab += h * at->score;
        s.bb += h;
    }
    return s;
}

/* Newton's steps, halved until the loss decreases. */
static void find_platt(const platt_rows *r, double *a, double *b) {
    static const double ridge = 1e-12, enough = 1e-10, least = 1e-10;
    platt_sums now;
    *a = 0;
    *b = 0;
    now = sum_platt(r, *a, *b);
    for (int step = 0; step < 100 && fabs(now.a) + fabs(now.b) > enough; ++step) {
        const double aa = now.aa + ridge, bb = now.bb + ridge, d = aa * bb - now.ab * now.ab;
        const double da = -(bb * now.a - now.ab * now.b) / d;
        const double db = -(aa * now.b - now.ab * now.a) / d;
        double size = 1;
        for (; size >= least; size /= 2) {
            const platt_sums next = sum_platt(r, *a + size * da, *b + size * db);
            if (!(next.loss < now.loss)) continue;
            *a += size * da;
            *b += size * db;
            now = next;
            break;
        }
        if (size < least) return;
    }
}

/* Lin, Lin and Weng: targets a little off 0 and 1. */
static sparcl_status make_platt(spc_score_map *to, const scored *rows, int64_t count,
                                const double weights[2], sparcl_error *error) {
    const platt_rows r = {.rows = rows,
                          .count = count,
                          .weight = weights[0] + weights[1],
                          .targets = {1 / (weights[0] + 2), (weights[1] + 1) / (weights[1] + 2)}};
    to->points = spc_alloc(NULL, 2 * sizeof *to->points);
    if (!to->points) return spc_fail_memory(error, "calibration", 2 * sizeof *to->points);
    to->method = SPC_PLATT;
    to->count = 1;
    find_platt(&r, &to->points[0], &to->points[1]);
    return SPARCL_OK;
}

/* ---- isotonic ------------------------------------------------------------------------------- */

/* Rows from `first` on that have the same probability. */
typedef struct pool {
    double first, last; /* scores */
    double weight, high;
} pool;

/* Rows of equal scores are one. The number of pools. */
static int64_t pool_rows(pool *pools, const scored *rows, int64_t count) {
    int64_t used = 0;
    for (int64_t i = 0; i < count;) {
        pool next = {.first = rows[i].score, .last = rows[i].score};
        for (const double score = rows[i].score; i < count && rows[i].score == score; ++i) {
            next.weight += rows[i].weight;
            next.high += rows[i].is_high ? rows[i].weight : 0;
        }
        pools[used++] = next;
        while (used > 1 && pools[used - 2].high * pools[used - 1].weight >=
                               pools[used - 1].high * pools[used - 2].weight) {
            pools[used - 2].last = pools[used - 1].last;
            pools[used - 2].weight += pools[used - 1].weight;
            pools[used - 2].high += pools[used - 1].high;
            --used;
        }
    }
    return used;
}

/* A pool has the points where it begins and ends. */
static sparcl_status make_isotonic(spc_score_map *to, const scored *rows, int64_t count,
                                   sparcl_error *error) {
    const size_t bytes = (size_t)count * sizeof(pool);
    pool *const pools = malloc(bytes);
    if (!pools) return spc_fail_memory(error, "calibration", bytes);
    const int64_t used = pool_rows(pools, rows, count);
    int64_t points = 0;
    for (int64_t k = 0; k < used; ++k)
        points += 1 + (pools[k].last > pools[k].first);
    to->method = SPC_ISOTONIC;
    to->count = points;
    to->points = spc_alloc(NULL, 2 * (size_t)points * sizeof *to->points);
    double *at = to->points;
    for (int64_t k = 0; at && k < used; ++k) {
        const double p = pools[k].high / pools[k].weight;
        *at++ = pools[k].first;
        *at++ = p;
        if (pools[k].last == pools[k].first) continue;
        *at++ = pools[k].last;
        *at++ = p;
    }
    free(pools);
    return at ? SPARCL_OK : spc_fail_memory(error, "calibration", (size_t)points * 16);
}

/* ---- rows ----------------------------------------------------------------------------------- */

typedef struct work {
    float *scores;
    scored *rows;
    int64_t count; /* of rows that weigh something, with a label that the model knows */
    double sums[2];
} work;

static sparcl_status check(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                           const char *method, sparcl_error *error) {
    if (!ctx || !model || !data || !method)
        return spc_fail(error, SPARCL_E_ARG, "calibrate: ctx, model, data or method is NULL");
    if (strcmp(method, SPC_PLATT) != 0 && strcmp(method, SPC_ISOTONIC) != 0)
        return spc_fail(error, SPARCL_E_ARG,
                        "calibrate: method is \"%.40s\", expected \"platt\" or \"isotonic\"",
                        method);
    if (model->architecture.task != SPARCL_TASK_LABELS || !spc_loss_is_binary(model->info.loss))
        return spc_fail(error, SPARCL_E_ARG,
                        "calibrate: expected a model of two classes, with logistic or hinge loss, "
                        "found %s with %s loss",
                        model->architecture.name, sparcl_loss_name(model->info.loss));
    return SPARCL_OK;
}

static sparcl_status score(work *w, sparcl_ctx *ctx, const sparcl_model *model,
                           const sparcl_data *data, sparcl_error *error) {
    const int64_t rows = sparcl_data_get_info(data)->rows;
    const size_t capacity = (size_t)rows + 1;
    w->scores = calloc(capacity, sizeof *w->scores);
    w->rows = calloc(capacity, sizeof *w->rows);
    if (!w->scores || !w->rows) return spc_fail_memory(error, "scores", capacity * 40);
    const spc_scores scores = {.scores = w->scores};
    return spc_apply(ctx, model, data, NULL, NULL, &scores, NULL, error);
}

static sparcl_status take_rows(work *w, const sparcl_model *model, const sparcl_data *data,
                               sparcl_error *error) {
    const double *const labels = sparcl_data_labels(data);
    const float *const weights = sparcl_data_weights(data);
    for (int64_t i = 0; i < sparcl_data_get_info(data)->rows; ++i) {
        const double weight = weights ? (double)weights[i] : 1;
        const bool is_high = labels[i] == model->info.labels[1];
        if (weight == 0 || (!is_high && labels[i] != model->info.labels[0])) continue;
        if (!isfinite(w->scores[i]))
            return spc_refuse_data(data, i, error,
                                   "expected a finite score, found %g; scale the data",
                                   (double)w->scores[i]);
        w->rows[w->count++] = (scored){(double)w->scores[i], weight, is_high, i};
        w->sums[is_high] += weight;
    }
    if (w->sums[0] > 0 && w->sums[1] > 0) return SPARCL_OK;
    return spc_refuse_data(data, -1, error,
                           "expected rows of both classes, for the calibration, found only label "
                           "%.17g; use other rows",
                           model->info.labels[w->sums[1] > 0]);
}

static sparcl_status calibrate(sparcl_ctx *ctx, sparcl_model *model, const sparcl_data *data,
                               const char *method, sparcl_error *error) {
    spc_score_map made = {.method = NULL};
    work w = {.scores = NULL};
    sparcl_status status;
    SPC_TRY(check(ctx, model, data, method, error));
    SPC_TRY(spc_check_base(data, model->info.index_base, error));
    SPC_TRY(sparcl_data_check_finite(data, error));
    spc_classes known = {NULL, 0};
    SPC_TRY(spc_labels_find(&known, data, error)); /* it has labels */
    spc_classes_free(&known);
    SPC_GO(score(&w, ctx, model, data, error));
    SPC_GO(take_rows(&w, model, data, error));
    qsort(w.rows, (size_t)w.count, sizeof *w.rows, compare);
    if (strcmp(method, SPC_PLATT) == 0)
        SPC_GO(make_platt(&made, w.rows, w.count, w.sums, error));
    else
        SPC_GO(make_isotonic(&made, w.rows, w.count, error));
    spc_score_map_free(&model->calibration);
    model->calibration = made;
done:
    free(w.scores);
    free(w.rows);
    return status;
}

sparcl_status sparcl_model_calibrate(sparcl_ctx *ctx, sparcl_model *model, const sparcl_data *data,
                                     const char *method, sparcl_error *error) {
    sparcl_error found = {0};
    return sparcl_ctx_report(ctx, calibrate(ctx, model, data, method, &found), &found, error);
}
