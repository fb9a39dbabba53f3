/* score_map.c: how the scores of a model of two classes become probabilities. */
#include "model/score_map.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/model_object.h"

static const char *const methods[] = {SPC_PLATT, SPC_ISOTONIC};
static const char *const tensors[] = {"calibration_" SPC_PLATT, "calibration_" SPC_ISOTONIC};

static double sigmoid(double x) {
    return 1 / (1 + exp(-x));
}

/* Linear between the points, constant beyond them. */
static double interpolate(const spc_score_map *c, double score) {
    const double *const points = c->points;
    int64_t low = 0, high = c->count - 1;
    if (isnan(score)) return score;
    if (score <= points[0]) return points[1];
    if (score >= points[2 * high]) return points[2 * high + 1];
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        *(points[2 * middle] <= score ? &low : &high) = middle;
    }
    const double *const a = points + 2 * low, *const b = points + 2 * high;
    return a[1] + (b[1] - a[1]) * ((score - a[0]) / (b[0] - a[0]));
}

double spc_mapped(const spc_score_map *c, double score) {
    if (strcmp(c->method, SPC_PLATT) == 0) return sigmoid(c->points[0] * score + c->points[1]);
    return interpolate(c, score);
}

void spc_map_scores(const spc_score_map *c, const float *scores, int64_t rows, float *label,
                    float *p) {
    for (int64_t i = 0; i < rows; i++) {
        const double found = spc_mapped(c, (double)scores[i]);
        const bool is_high = found > 0.5;
        if (label) label[i] = is_high;
        if (p) p[i] = (float)(is_high ? found : 1 - found);
    }
}

/* ---- of a model ----------------------------------------------------------------------------- */

bool spc_maps_labels(const sparcl_model *model) {
    return model->calibration.method && model->info.loss == SPARCL_LOSS_LOGISTIC;
}

const char *sparcl_model_calibration(const sparcl_model *model) {
    return model->calibration.method;
}

double sparcl_model_probability(const sparcl_model *model, double score) {
    if (model->calibration.method) return spc_mapped(&model->calibration, score);
    return model->info.loss == SPARCL_LOSS_LOGISTIC ? sigmoid(score) : (double)NAN;
}

/* ---- in a file ------------------------------------------------------------------------------ */

static size_t bytes_of(int64_t count) {
    return 2 * (size_t)count * sizeof(double);
}

bool spc_score_map_tensor(const spc_score_map *c, spc_tensor *tensor, spc_bytes *part) {
    if (!c->method) return false;
    *tensor = (spc_tensor){.name = tensors[strcmp(c->method, SPC_ISOTONIC) == 0],
                           .dtype = "F64",
                           .rank = 2,
                           .shape = {c->count, 2}};
    *part = (spc_bytes){c->points, bytes_of(c->count)};
    return true;
}

/* What is wrong with it; NULL: nothing. */
static const char *wrong(const spc_score_map *c) {
    const bool is_isotonic = strcmp(c->method, SPC_ISOTONIC) == 0;
    for (int64_t i = 0; i < 2 * c->count; i++)
        if (!isfinite(c->points[i])) return "finite numbers";
    for (int64_t i = 0; is_isotonic && i < c->count; i++) {
        const double *const at = c->points + 2 * i;
        if (at[1] < 0 || at[1] > 1) return "probabilities from 0 to 1";
        if (i > 0 && (at[0] <= at[-2] || at[1] < at[-1])) return "ascending scores";
    }
    return NULL;
}

sparcl_status spc_score_map_read(const spc_tensors *in, spc_score_map *c, sparcl_error *error) {
    const spc_tensor *found = NULL;
    *c = (spc_score_map){.method = NULL};
    for (int m = 0; m < 2 && !found; m++) {
        found = spc_tensors_find(in, tensors[m]);
        if (found && strcmp(found->dtype, "F64") != 0) found = NULL; /* a parameter */
        if (found) c->method = methods[m];
    }
    if (!found) return SPARCL_OK;
    const char *expected = NULL;
    const bool is_isotonic = strcmp(c->method, SPC_ISOTONIC) == 0;
    if (found->rank != 2 || found->shape[1] != 2 || found->shape[0] < 1 ||
        (!is_isotonic && found->shape[0] != 1))
        expected = is_isotonic ? "the shape [points, 2]" : "the shape [1, 2]";
    if (!expected) {
        c->count = found->shape[0];
        c->points = spc_alloc(NULL, bytes_of(c->count));
        if (!c->points) return spc_fail_memory(error, in->path, bytes_of(c->count));
        SPC_TRY(spc_tensors_read(in, found, c->points, error));
        expected = wrong(c);
    }
    if (!expected) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT, "%s: tensor %s: expected %s; train the model again",
                    in->path, found->name, expected);
}

void spc_score_map_free(spc_score_map *c) {
    spc_free(NULL, c->points, bytes_of(c->count));
    *c = (spc_score_map){.method = NULL};
}
