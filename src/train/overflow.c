/* overflow.c: predictions of linear models for rows whose sums are outside of float32. */
#include "train/overflow.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "train/csr_arrays.h"

/* Sums of smaller weights are finite but for values that are as large: these show in results. */
static const double large = 1e18;

double spc_largest_weight(const sparcl_model *model) {
    const float *const weights = sparcl_model_weights(model);
    const sparcl_model_info *const info = sparcl_model_get_info(model);
    double largest = 0;
    for (int64_t i = 0; weights && i < info->columns * info->outputs; ++i)
        largest = fmax(largest, fabs((double)weights[i]));
    return largest;
}

typedef struct row {
    const sparcl_model *model;
    int64_t outputs;
    double *scores, *sizes; /* [outputs]: the sum of the terms, and of their absolute values */
} row;

static void sum_row(row *r, const sparcl_csr_arrays *x, int64_t at) {
    const float *const weights = sparcl_model_weights(r->model);
    const float *const bias = sparcl_model_bias(r->model);
    const int64_t columns = sparcl_model_get_info(r->model)->columns;
    for (int64_t o = 0; o < r->outputs; ++o) {
        r->scores[o] = bias ? (double)bias[o] : 0;
        r->sizes[o] = fabs(r->scores[o]);
    }
    for (int64_t k = spc_index_at(x->offsets, x->offset_type, at);
         k < spc_index_at(x->offsets, x->offset_type, at + 1); ++k) {
        const int64_t j = spc_index_at(x->indices, x->index_type, k);
        for (int64_t o = 0; j < columns && o < r->outputs; ++o) {
            const double term = (double)x->values[k] * (double)weights[j * r->outputs + o];
            r->scores[o] += term;
            r->sizes[o] += fabs(term);
        }
    }
}

static bool overflows(const row *r) {
    double largest = 0;
    for (int64_t o = 0; o < r->outputs; ++o)
        largest = fmax(largest, r->sizes[o]);
    return largest >= (double)FLT_MAX / 2;
}

static void predict_classes(const row *r, float *label, float *p) {
    int64_t best = 0;
    double sum = 0;
    for (int64_t o = 1; o < r->outputs; ++o)
        if (r->scores[o] > r->scores[best]) best = o;
    for (int64_t o = 0; o < r->outputs; ++o)
        sum += exp(r->scores[o] - r->scores[best]);
    *label = (float)best;
    *p = (float)(1 / sum);
}

/* As loss_predict of the device. */
static void predict(const row *r, float *label, float *p) {
    const double s = r->scores[0];
    const sparcl_loss loss = sparcl_model_get_info(r->model)->loss;
    if (loss == SPARCL_LOSS_SOFTMAX) {
        predict_classes(r, label, p);
        return;
    }
    *label = s > 0;
    *p = (float)s;
    if (loss == SPARCL_LOSS_LOGISTIC) *p = (float)(1 / (1 + exp(-fabs(s))));
    if (loss == SPARCL_LOSS_POISSON) *p = (float)exp(s);
    if (loss == SPARCL_LOSS_POISSON || loss == SPARCL_LOSS_SQUARED) *label = *p;
}

static bool is_doubtful(const spc_scores *out, int64_t at, int64_t outputs) {
    if (out->p && !isfinite(out->p[at])) return true;
    for (int64_t o = 0; out->scores && o < outputs; ++o)
        if (!isfinite(out->scores[at * outputs + o])) return true;
    return false;
}

static void correct_row(row *r, const sparcl_csr_arrays *x, int64_t from, int64_t at,
                        const spc_scores *out) {
    float label, p;
    sum_row(r, x, from);
    if (!overflows(r)) return;
    predict(r, &label, &p);
    if (out->label) out->label[at] = label;
    if (out->p) out->p[at] = p;
    for (int64_t o = 0; out->scores && o < r->outputs; ++o)
        out->scores[at * r->outputs + o] = (float)r->scores[o];
}

sparcl_status spc_correct_overflow(const sparcl_model *model, double largest,
                                   const sparcl_csr_arrays *x, int64_t first, int64_t rows,
                                   const spc_scores *out, sparcl_error *error) {
    row r = {.model = model, .outputs = sparcl_model_get_info(model)->outputs};
    const size_t bytes = 2 * (size_t)r.outputs * sizeof *r.scores;
    if (!sparcl_model_weights(model)) return SPARCL_OK;
    r.scores = malloc(bytes);
    if (!r.scores) return spc_fail_memory(error, "scores", bytes);
    r.sizes = r.scores + r.outputs;
    for (int64_t i = 0; i < rows; ++i)
        if (largest > large || is_doubtful(out, i, r.outputs))
            correct_row(&r, x, first + i, i, out);
    free(r.scores);
    return SPARCL_OK;
}
