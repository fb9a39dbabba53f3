/* fit_score_map.c: finds how scores become probabilities, on rows that were not trained on. Of
 * softmax, each class is fitted against all others. */
#include "sparcl/model.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/loss_kind.h"
#include "model/model_object.h"
#include "train/apply_model.h"
#include "train/metrics.h"
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
static void fit_platt(double *to, const scored *rows, int64_t count, const double weights[2]) {
    const platt_rows r = {.rows = rows,
                          .count = count,
                          .weight = weights[0] + weights[1],
                          .targets = {1 / (weights[0] + 2), (weights[1] + 1) / (weights[1] + 2)}};
    find_platt(&r, &to[0], &to[1]);
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

/* Points of all maps so far: class, score, probability. */
typedef struct point_list {
    double (*at)[3];
    int64_t used, room;
} point_list;

static bool add_point(point_list *list, int64_t map, double score, double p) {
    if (list->used == list->room) {
        list->room = 2 * list->room + 64;
        void *const more = realloc(list->at, (size_t)list->room * sizeof *list->at);
        if (!more) return false;
        list->at = more;
    }
    double *const to = list->at[list->used++];
    to[0] = (double)map;
    to[1] = score;
    to[2] = p;
    return true;
}

/* A pool has the points where it begins and ends. */
static bool add_pools(point_list *list, int64_t map, const pool *pools, int64_t count) {
    for (int64_t k = 0; k < count; ++k) {
        const double p = pools[k].high / pools[k].weight;
        if (!add_point(list, map, pools[k].first, p)) return false;
        if (pools[k].last > pools[k].first && !add_point(list, map, pools[k].last, p)) return false;
    }
    return true;
}

/* A class without rows is as rare as Platt's target for it. */
static sparcl_status fit_isotonic(point_list *list, int64_t map, const scored *rows, int64_t count,
                                  const double weights[2], sparcl_error *error) {
    const size_t bytes = (size_t)count * sizeof(pool);
    pool *const pools = malloc(bytes);
    bool is_done = pools != NULL;
    if (is_done && weights[1] > 0)
        is_done = add_pools(list, map, pools, pool_rows(pools, rows, count));
    else if (is_done)
        is_done = add_point(list, map, 0, 1 / (weights[0] + 2));
    free(pools);
    return is_done ? SPARCL_OK : spc_fail_memory(error, "calibration", bytes);
}

/* One map has no classes, and begins nowhere. */
static sparcl_status keep_points(spc_score_map *to, const point_list *list, int64_t maps,
                                 sparcl_error *error) {
    SPC_TRY(spc_score_map_make(to, SPC_ISOTONIC, list->used, maps, error));
    for (int64_t i = list->used; i-- > 0;) {
        memcpy(to->points + i * to->width, list->at[i] + 3 - to->width,
               (size_t)to->width * sizeof(double));
        if (to->begins) to->begins[(int64_t)list->at[i][0]] = i;
    }
    if (to->begins) to->begins[maps] = list->used;
    return SPARCL_OK;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Rows that weigh something, with a label that the model knows. */
typedef struct kept_row {
    int64_t row, class;
    double weight;
    spc_odds odds; /* softmax */
} kept_row;

typedef struct work {
    float *scores; /* [rows of the data, outputs] */
    kept_row *kept;
    scored *rows; /* of a map, in the order of their scores */
    int64_t count, outputs;
    double sums[2]; /* of weights, of that map: the others, and its class */
} work;

static sparcl_status check(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                           const char *method, sparcl_error *error) {
    if (!ctx || !model || !data || !method)
        return spc_fail(error, SPARCL_E_ARG, "calibrate: ctx, model, data or method is NULL");
    if (spc_score_map_method(method) < 0)
        return spc_fail(error, SPARCL_E_ARG,
                        "calibrate: method is \"%.40s\", expected \"platt\", \"isotonic\" or "
                        "\"temperature\"",
                        method);
    if (model->architecture.task != SPARCL_TASK_LABELS || model->info.classes < 2)
        return spc_fail(error, SPARCL_E_ARG,
                        "calibrate: expected a model of classes, with logistic, softmax or hinge "
                        "loss, found %s with %s loss",
                        model->architecture.name, sparcl_loss_name(model->info.loss));
    return SPARCL_OK;
}

static sparcl_status score(work *w, sparcl_ctx *ctx, const sparcl_model *model,
                           const sparcl_data *data, sparcl_error *error) {
    const int64_t rows = sparcl_data_get_info(data)->rows;
    const size_t capacity = (size_t)rows + 1;
    w->outputs = model->info.outputs;
    w->scores = calloc(capacity, (size_t)w->outputs * sizeof *w->scores);
    w->kept = calloc(capacity, sizeof *w->kept);
    w->rows = calloc(capacity, sizeof *w->rows);
    if (!w->scores || !w->kept || !w->rows)
        return spc_fail_memory(error, "scores", capacity * (100 + 4 * (size_t)w->outputs));
    const spc_scores scores = {.scores = w->scores};
    return spc_apply(ctx, model, data, NULL, NULL, &scores, NULL, error);
}

static sparcl_status check_scores(const work *w, const sparcl_data *data, int64_t row,
                                  sparcl_error *error) {
    for (int64_t k = 0; k < w->outputs; ++k) {
        const double found = (double)w->scores[row * w->outputs + k];
        if (!isfinite(found))
            return spc_refuse_data(data, row, error,
                                   "expected a finite score, found %g; scale the data", found);
    }
    return SPARCL_OK;
}

static sparcl_status keep_rows(work *w, const sparcl_model *model, const sparcl_data *data,
                               sparcl_error *error) {
    const sparcl_model_info *const info = &model->info;
    const double *const labels = sparcl_data_labels(data);
    const float *const weights = sparcl_data_weights(data);
    bool differ = false;
    for (int64_t i = 0; i < sparcl_data_get_info(data)->rows; ++i) {
        const double weight = weights ? (double)weights[i] : 1;
        const int64_t class = spc_class_of(info->labels, info->classes, labels[i]);
        if (weight == 0 || class < 0) continue;
        SPC_TRY(check_scores(w, data, i, error));
        kept_row *const to = &w->kept[w->count++];
        *to = (kept_row){.row = i, .class = class, .weight = weight};
        if (w->outputs > 1) to->odds = spc_odds_of(w->scores + i * w->outputs, w->outputs);
        differ |= class != w->kept[0].class;
    }
    if (differ) return SPARCL_OK;
    if (w->count == 0)
        return spc_refuse_data(data, -1, error,
                               "expected rows of the classes of the model, for the calibration, "
                               "found none; use other rows");
    return spc_refuse_data(data, -1, error,
                           "expected rows of %s classes, for the calibration, found only label "
                           "%.17g; use other rows",
                           info->classes == 2 ? "both" : "several", info->labels[w->kept[0].class]);
}

/* Two classes have one map, of the higher one. */
static void score_map_rows(work *w, int64_t map) {
    w->sums[0] = w->sums[1] = 0;
    for (int64_t i = 0; i < w->count; ++i) {
        const kept_row *const from = &w->kept[i];
        const bool is_one = w->outputs == 1, is_high = from->class == (is_one ? 1 : map);
        const double own = is_one ? (double)w->scores[from->row] : spc_log_odds(&from->odds, map);
        w->rows[i] = (scored){own, from->weight, is_high, from->row};
        w->sums[is_high] += from->weight;
    }
    qsort(w->rows, (size_t)w->count, sizeof *w->rows, compare);
}

/* ---- temperature ---------------------------------------------------------------------------- */

/* Derivatives of a loss by the factor of its scores. */
typedef struct factor_sums {
    double first, second;
} factor_sums;

static void add_binary(factor_sums *to, const kept_row *r, double score, double factor) {
    const double p = 1 / (1 + exp(-factor * score));
    to->first += r->weight * (p - (double)r->class) * score;
    to->second += r->weight * p * (1 - p) * score * score;
}

/* The expected score without that of the class, and the variance of the score. */
static void add_softmax(factor_sums *to, const kept_row *r, double factor) {
    const spc_odds *const o = &r->odds;
    double sum = 0, mean = 0, square = 0;
    for (int64_t k = 0; k < o->count; ++k) {
        const double below = (double)o->scores[k] - o->most, e = exp(factor * below);
        sum += e;
        mean += e * below;
        square += e * below * below;
    }
    mean /= sum;
    to->first += r->weight * (mean - ((double)o->scores[r->class] - o->most));
    to->second += r->weight * (square / sum - mean * mean);
}

static factor_sums sum_factor(const work *w, double factor) {
    factor_sums s = {0, 0};
    for (int64_t i = 0; i < w->count; ++i) {
        const kept_row *const r = &w->kept[i];
        if (w->outputs == 1)
            add_binary(&s, r, (double)w->scores[r->row], factor);
        else
            add_softmax(&s, r, factor);
    }
    return s;
}

/* The loss is convex: Newton's steps between limits that close in on its minimum; the first ones
 * are those of scikit-learn. */
static double find_factor(const work *w) {
    double low = exp(-10), high = exp(10), at = 1;
    for (int step = 0; step < 200 && high - low > 1e-14 * at; ++step) {
        const factor_sums s = sum_factor(w, at);
        const double next = at - s.first / s.second;
        *(s.first > 0 ? &high : &low) = at;
        if (fabs(next - at) <= 1e-12 * at) break;
        at = next > low && next < high ? next : sqrt(low * high);
    }
    return at;
}

static sparcl_status fit_temperature(spc_score_map *made, const work *w, sparcl_error *error) {
    SPC_TRY(spc_score_map_make(made, SPC_TEMPERATURE, 1, 1, error));
    made->points[0] = find_factor(w);
    return SPARCL_OK;
}

/* ---- all ------------------------------------------------------------------------------------ */

static sparcl_status fit(spc_score_map *made, work *w, const char *method, sparcl_error *error) {
    if (strcmp(method, SPC_TEMPERATURE) == 0) return fit_temperature(made, w, error);
    const bool is_platt = strcmp(method, SPC_PLATT) == 0;
    point_list points = {.at = NULL};
    sparcl_status status = SPARCL_OK;
    if (is_platt) status = spc_score_map_make(made, SPC_PLATT, w->outputs, w->outputs, error);
    for (int64_t map = 0; status == SPARCL_OK && map < w->outputs; ++map) {
        score_map_rows(w, map);
        if (is_platt)
            fit_platt(made->points + 2 * map, w->rows, w->count, w->sums);
        else
            status = fit_isotonic(&points, map, w->rows, w->count, w->sums, error);
    }
    if (status == SPARCL_OK && !is_platt) status = keep_points(made, &points, w->outputs, error);
    free(points.at);
    return status;
}

static sparcl_status calibrate(sparcl_ctx *ctx, sparcl_model *model, const sparcl_data *data,
                               const char *method, sparcl_error *error) {
    spc_score_map made = {.method = NULL};
    work w = {.scores = NULL};
    sparcl_status status;
    SPC_TRY(check(ctx, model, data, method, error));
    SPC_TRY(spc_check_base(data, model->info.index_base, error));
    SPC_TRY(sparcl_data_check_finite(data, error));
    spc_classes known = {0};
    SPC_TRY(spc_labels_find(&known, data, error)); /* it has labels */
    spc_classes_free(&known);
    SPC_GO(score(&w, ctx, model, data, error));
    SPC_GO(keep_rows(&w, model, data, error));
    SPC_GO(fit(&made, &w, method, error));
    spc_score_map_free(&model->calibration);
    model->calibration = made;
    made = (spc_score_map){.method = NULL};
done:
    spc_score_map_free(&made);
    free(w.scores);
    free(w.kept);
    free(w.rows);
    return status;
}

sparcl_status sparcl_model_calibrate(sparcl_ctx *ctx, sparcl_model *model, const sparcl_data *data,
                                     const char *method, sparcl_error *error) {
    sparcl_error found = {0};
    return sparcl_ctx_report(ctx, calibrate(ctx, model, data, method, &found), &found, error);
}
