/* score_map.c: how the scores of a model of classes become probabilities. */
#include "model/score_map.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "model/model_object.h"

static double sigmoid(double x) {
    return 1 / (1 + exp(-x));
}

/* ---- one map -------------------------------------------------------------------------------- */

/* Points of a map: a score, and its probability. */
typedef struct point_list {
    const double *at; /* of the first score */
    int64_t count;
    int stride;
} point_list;

static point_list points_of(const spc_score_map *c, int64_t map) {
    const int64_t first = c->begins ? c->begins[map] : 0;
    const int64_t end = c->begins ? c->begins[map + 1] : c->count;
    return (point_list){c->points + first * c->width + c->width - 2, end - first, c->width};
}

/* Linear between the points, constant beyond them. */
static double interpolate(const point_list *list, double score) {
    int64_t low = 0, high = list->count - 1;
    const double *const first = list->at, *const last = list->at + high * list->stride;
    if (isnan(score)) return score;
    if (score <= first[0]) return first[1];
    if (score >= last[0]) return last[1];
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        *(list->at[middle * list->stride] <= score ? &low : &high) = middle;
    }
    const double *const a = list->at + low * list->stride, *const b =
                                                               list->at + high * list->stride;
    return a[1] + (b[1] - a[1]) * ((score - a[0]) / (b[0] - a[0]));
}

static bool is_temperature(const spc_score_map *c) {
    return strcmp(c->method, SPC_TEMPERATURE) == 0;
}

static double mapped(const spc_score_map *c, int64_t map, double score) {
    if (is_temperature(c)) return sigmoid(c->points[0] * score);
    if (strcmp(c->method, SPC_PLATT) == 0)
        return sigmoid(c->points[2 * map] * score + c->points[2 * map + 1]);
    const point_list list = points_of(c, map);
    return interpolate(&list, score);
}

double spc_mapped(const spc_score_map *c, double score) {
    return mapped(c, 0, score);
}

/* ---- classes of softmax --------------------------------------------------------------------- */

/* The best class has odds of its own: the sum of all without it would be lost by rounding. */
spc_odds spc_odds_of(const float *scores, int64_t count) {
    spc_odds o = {.scores = scores, .count = count};
    double second = -INFINITY, others = 0;
    for (int64_t k = 1; k < count; k++)
        if (scores[k] > scores[o.best]) o.best = k;
    o.most = (double)scores[o.best];
    for (int64_t k = 0; k < count; k++)
        if (k != o.best) second = fmax(second, (double)scores[k]);
    for (int64_t k = 0; k < count; k++) {
        o.sum += exp((double)scores[k] - o.most);
        if (k != o.best) others += exp((double)scores[k] - second);
    }
    o.of_best = o.most - second - log(others);
    return o;
}

double spc_log_odds(const spc_odds *o, int64_t k) {
    if (k == o->best) return o->of_best;
    const double above = (double)o->scores[k] - o->most;
    return above - log(o->sum - exp(above));
}

/* The probabilities, before they are divided by their sum, which is the result. */
static double map_classes(const spc_score_map *c, const spc_odds *o, double *to) {
    double sum = 0;
    for (int64_t k = 0; k < o->count; k++)
        sum += to[k] = mapped(c, k, spc_log_odds(o, k));
    return sum;
}

/* Where all are 0 they are equal, and the class is that of the highest score. */
static int64_t best_class(const spc_score_map *c, const spc_odds *o, double *p) {
    int64_t best = o->best;
    double most = mapped(c, best, o->of_best), sum = 0;
    for (int64_t k = 0; k < o->count; k++) {
        const double found = mapped(c, k, spc_log_odds(o, k));
        sum += found;
        if (!(found > most)) continue;
        most = found;
        best = k;
    }
    *p = sum == 0 ? 1 / (double)o->count : most / sum;
    return best;
}

/* ---- softmax -------------------------------------------------------------------------------- */

/* Of scores times a factor. */
static void softmax(const float *scores, int64_t count, double factor, double *p) {
    double most = -INFINITY, sum = 0;
    for (int64_t k = 0; k < count; k++)
        most = fmax(most, (double)scores[k]);
    for (int64_t k = 0; k < count; k++)
        sum += p[k] = exp(factor * ((double)scores[k] - most));
    for (int64_t k = 0; k < count; k++)
        p[k] /= sum;
}

/* The probability of one class. */
static double softmax_at(const spc_odds *o, double factor, int64_t class) {
    double sum = 0;
    for (int64_t k = 0; k < o->count; k++)
        sum += exp(factor * ((double)o->scores[k] - o->most));
    return exp(factor * ((double)o->scores[class] - o->most)) / sum;
}

/* ---- of a model ----------------------------------------------------------------------------- */

bool spc_maps_labels(const sparcl_model *model) {
    const sparcl_loss loss = model->info.loss;
    return model->calibration.method &&
           (loss == SPARCL_LOSS_LOGISTIC || loss == SPARCL_LOSS_SOFTMAX);
}

const char *sparcl_model_calibration(const sparcl_model *model) {
    return model->calibration.method;
}

double sparcl_model_probability(const sparcl_model *model, double score) {
    if (model->calibration.method && model->info.loss != SPARCL_LOSS_SOFTMAX)
        return spc_mapped(&model->calibration, score);
    return model->info.loss == SPARCL_LOSS_LOGISTIC ? sigmoid(score) : (double)NAN;
}

static void softmax_calibrated(const spc_score_map *c, const float *scores, int64_t count,
                               double *p) {
    const spc_odds o = spc_odds_of(scores, count);
    const double sum = map_classes(c, &o, p);
    for (int64_t k = 0; k < count; k++)
        p[k] = sum == 0 ? 1 / (double)count : p[k] / sum;
}

int sparcl_model_probabilities(const sparcl_model *model, const float *scores, double *p) {
    const sparcl_model_info *const info = &model->info;
    const spc_score_map *const c = &model->calibration;
    if (info->classes == 0 || (info->loss == SPARCL_LOSS_HINGE && !c->method)) return 0;
    if (info->loss != SPARCL_LOSS_SOFTMAX) {
        p[1] = sparcl_model_probability(model, (double)scores[0]);
        p[0] = c->method ? 1 - p[1] : sigmoid(-(double)scores[0]);
    } else if (c->method && !is_temperature(c)) {
        softmax_calibrated(c, scores, info->outputs, p);
    } else {
        softmax(scores, info->outputs, c->method ? c->points[0] : 1, p);
    }
    return 1;
}

static int64_t map_row(const sparcl_model *model, const float *scores, double *p) {
    const spc_score_map *const c = &model->calibration;
    if (model->info.loss == SPARCL_LOSS_SOFTMAX) {
        const spc_odds o = spc_odds_of(scores, model->info.outputs);
        if (!is_temperature(c)) return best_class(c, &o, p);
        *p = softmax_at(&o, c->points[0], o.best);
        return o.best;
    }
    const double found = spc_mapped(c, (double)scores[0]);
    *p = found > 0.5 ? found : 1 - found;
    return found > 0.5;
}

void spc_map_scores(const sparcl_model *model, const float *scores, int64_t rows, float *label,
                    float *p) {
    for (int64_t i = 0; i < rows; i++) {
        double found;
        const int64_t class = map_row(model, scores + i * model->info.outputs, &found);
        if (label) label[i] = (float)class;
        if (p) p[i] = (float)found;
    }
}

/* Of softmax. */
static double mapped_class(const spc_score_map *c, const float *scores, int64_t count,
                           int64_t class) {
    const spc_odds o = spc_odds_of(scores, count);
    double sum = 0;
    if (is_temperature(c)) return softmax_at(&o, c->points[0], class);
    for (int64_t k = 0; k < count; k++)
        sum += mapped(c, k, spc_log_odds(&o, k));
    return sum == 0 ? 1 / (double)count : mapped(c, class, spc_log_odds(&o, class)) / sum;
}

/* As in scikit-learn, no probability counts as 0. */
double spc_mapped_loss(const sparcl_model *model, const float *scores, int64_t class) {
    const spc_score_map *const c = &model->calibration;
    double p;
    if (model->info.loss == SPARCL_LOSS_SOFTMAX) {
        p = mapped_class(c, scores, model->info.outputs, class);
    } else {
        p = spc_mapped(c, (double)scores[0]);
        if (class == 0) p = 1 - p;
    }
    return -log(p < DBL_EPSILON ? DBL_EPSILON : p);
}
