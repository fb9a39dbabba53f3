/* measure.c: the metrics of predictions of classes and of numbers. */
#include "train/measure.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "model/loss_kind.h"
#include "train/metrics.h"
#include "train/score_curve.h"

sparcl_metrics spc_no_metrics(int64_t rows) {
    sparcl_metrics m = {.rows = rows,
                        .accuracy = NAN,
                        .f1 = NAN,
                        .auc = NAN,
                        .average_precision = NAN,
                        .calibration_error = NAN,
                        .rmse = NAN,
                        .mae = NAN,
                        .best_constant_loss = NAN,
                        .best_constant_accuracy = NAN,
                        .best_constant_f1 = NAN,
                        .best_constant_average_precision = NAN,
                        .best_constant_rmse = NAN,
                        .best_constant_mae = NAN};
    for (int b = 0; b < SPARCL_CALIBRATION_BINS; ++b)
        m.calibration[b] = (sparcl_calibration_bin){0, NAN, NAN};
    return m;
}

static double weight_of(const spc_predictions *of, int64_t row) {
    return of->weights ? (double)of->weights[row] : 1;
}

/* --- classes ---------------------------------------------------------------------------------- */

/* Of each class the weight of its rows, of the rows where it is predicted, and of both. */
typedef struct class_counts {
    double *rows, *predicted, *right;
} class_counts;

static void count(const spc_predictions *of, class_counts *c) {
    for (int64_t i = 0; i < of->rows; ++i) {
        const int64_t target = (int64_t)of->targets[i], label = (int64_t)of->label[i];
        const double weight = weight_of(of, i);
        c->rows[target] += weight;
        c->predicted[label] += weight;
        if (target == label) c->right[target] += weight;
    }
}

/* 2 TP / (2 TP + FP + FN): of class 1 of two, or the mean of those that occur. */
static double f1_of(const spc_predictions *of, const class_counts *c) {
    double sum = 0;
    int64_t present = 0;
    for (int64_t k = spc_loss_is_binary(of->loss) ? 1 : 0; k < of->classes; ++k) {
        const double either = c->rows[k] + c->predicted[k];
        present += either > 0;
        if (either > 0) sum += 2 * c->right[k] / either;
    }
    return present > 0 ? sum / (double)present : 0;
}

static double constant_loss(const spc_predictions *of, const double *rows) {
    return of->loss == SPARCL_LOSS_HINGE ? spc_constant_hinge_loss(rows)
                                         : spc_constant_class_loss(rows, of->classes);
}

static void measure_counts(const spc_predictions *of, const class_counts *c, sparcl_metrics *m) {
    const bool is_binary = spc_loss_is_binary(of->loss);
    double right = 0, all = 0;
    for (int64_t k = 0; k < of->classes; ++k) {
        right += c->right[k];
        all += c->rows[k];
    }
    m->accuracy = right / all * of->known;
    m->f1 = of->rows > 0 ? f1_of(of, c) : NAN;
    m->best_constant_loss = constant_loss(of, c->rows);
    m->best_constant_accuracy = spc_constant_accuracy(c->rows, of->classes) * of->known;
    m->best_constant_f1 = spc_constant_f1(c->rows, of->classes, is_binary);
    if (is_binary) m->best_constant_average_precision = c->rows[1] / all;
}

static sparcl_status measure_curve(const spc_predictions *of, sparcl_metrics *m,
                                   sparcl_error *error) {
    const size_t bytes = (size_t)of->rows * sizeof(int32_t);
    int32_t *const classes = malloc(bytes + 1);
    if (!classes) return spc_fail_memory(error, "classes", bytes);
    for (int64_t i = 0; i < of->rows; ++i)
        classes[i] = (int32_t)of->targets[i];
    const sparcl_status status = spc_score_curve(of->scores, classes, of->weights, of->rows,
                                                 &m->auc, &m->average_precision, NULL, error);
    free(classes);
    return status;
}

/* Sums of rows become means. */
static void finish_bins(sparcl_metrics *m) {
    double off = 0, all = 0;
    for (int b = 0; b < SPARCL_CALIBRATION_BINS; ++b) {
        sparcl_calibration_bin *const bin = &m->calibration[b];
        off += fabs(bin->predicted - bin->observed);
        all += bin->rows;
        bin->predicted /= bin->rows; /* 0 / 0 without rows */
        bin->observed /= bin->rows;
    }
    m->calibration_error = off / all;
}

/* A probability outside of 0 to 1, which an architecture of the caller may predict, has no bin. */
static void measure_calibration(const spc_predictions *of, sparcl_metrics *m) {
    const bool is_binary = spc_loss_is_binary(of->loss);
    sparcl_metrics with = *m;
    for (int b = 0; b < SPARCL_CALIBRATION_BINS; ++b)
        with.calibration[b] = (sparcl_calibration_bin){0, 0, 0};
    for (int64_t i = 0; i < of->rows; ++i) {
        const double own = (double)of->p[i], weight = weight_of(of, i);
        const double p = is_binary && of->label[i] == 0 ? 1 - own : own;
        if (!(p >= 0 && p <= 1)) return;
        const int b = p < 1 ? (int)(p * SPARCL_CALIBRATION_BINS) : SPARCL_CALIBRATION_BINS - 1;
        const bool is_so = is_binary ? of->targets[i] == 1 : of->targets[i] == of->label[i];
        with.calibration[b].rows += weight;
        with.calibration[b].predicted += weight * p;
        with.calibration[b].observed += is_so ? weight : 0;
    }
    finish_bins(&with);
    *m = with;
}

sparcl_status spc_measure_classes(const spc_predictions *of, sparcl_metrics *to,
                                  sparcl_error *error) {
    double *const counts = calloc(3 * (size_t)of->classes + 1, sizeof *counts);
    if (!counts) return spc_fail_memory(error, "classes", 3 * (size_t)of->classes * sizeof *counts);
    class_counts c = {counts, counts + of->classes, counts + 2 * of->classes};
    count(of, &c);
    measure_counts(of, &c, to);
    free(counts);
    if (of->loss != SPARCL_LOSS_HINGE) measure_calibration(of, to);
    return spc_loss_is_binary(of->loss) ? measure_curve(of, to, error) : SPARCL_OK;
}

/* --- numbers ---------------------------------------------------------------------------------- */

sparcl_status spc_measure_numbers(const spc_predictions *of, sparcl_metrics *to,
                                  sparcl_error *error) {
    double squares = 0, distances = 0, all = 0;
    for (int64_t i = 0; i < of->rows; ++i) {
        const double d = (double)of->label[i] - of->labels[i], weight = weight_of(of, i);
        squares += weight * d * d;
        distances += weight * fabs(d);
        all += weight;
    }
    const double half_variance = spc_constant_squared_loss(of->labels, of->weights, of->rows);
    to->rmse = sqrt(squares / all);
    to->mae = distances / all;
    to->best_constant_rmse = sqrt(2 * half_variance);
    to->best_constant_loss = of->loss == SPARCL_LOSS_POISSON
                                 ? spc_constant_poisson_loss(of->labels, of->weights, of->rows)
                                 : half_variance;
    return spc_constant_mean_error(of->labels, of->weights, of->rows, &to->best_constant_mae,
                                   error);
}

/* --- without a model -------------------------------------------------------------------------- */

sparcl_status spc_constant_loss(const spc_predictions *of, double *loss, sparcl_error *error) {
    const size_t bytes = (size_t)of->classes * sizeof(double);
    if (spc_loss_has_numbers(of->loss)) {
        *loss = (of->loss == SPARCL_LOSS_POISSON
                     ? spc_constant_poisson_loss
                     : spc_constant_squared_loss)(of->labels, of->weights, of->rows);
        return SPARCL_OK;
    }
    double *const rows = calloc(1, bytes + 1);
    if (!rows) return spc_fail_memory(error, "classes", bytes);
    for (int64_t i = 0; i < of->rows; ++i)
        rows[(int64_t)of->targets[i]] += weight_of(of, i);
    *loss = constant_loss(of, rows);
    free(rows);
    return SPARCL_OK;
}
