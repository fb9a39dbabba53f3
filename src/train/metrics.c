/* metrics.c: the best constant predictions, and what else metrics need of labels. */
#include "train/metrics.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

/* --- classes ---------------------------------------------------------------------------------- */

static double sum_of(const double *counts, int64_t classes) {
    double sum = 0;
    for (int64_t c = 0; c < classes; ++c)
        sum += counts[c];
    return sum;
}

double spc_constant_class_loss(const double *counts, int64_t classes) {
    const double rows = sum_of(counts, classes);
    double loss = 0.0;
    for (int64_t c = 0; c < classes; c++) {
        const double fraction = counts[c] / rows;
        if (counts[c] > 0) loss -= fraction * log(fraction);
    }
    return rows > 0 ? loss : (double)NAN;
}

/* At the score -1 or 1 the larger class has no loss, the other one 2. */
double spc_constant_hinge_loss(const double counts[2]) {
    return 2 * fmin(counts[0], counts[1]) / (counts[0] + counts[1]);
}

double spc_constant_accuracy(const double *counts, int64_t classes) {
    double most = 0;
    for (int64_t c = 0; c < classes; ++c)
        most = fmax(most, counts[c]);
    return most / sum_of(counts, classes);
}

/* The classes that occur are averaged over, of which one is predicted. */
double spc_constant_f1(const double *counts, int64_t classes, bool is_binary) {
    int64_t present = 0;
    for (int64_t c = 0; c < classes; ++c)
        present += counts[c] > 0;
    const double p =
        is_binary ? counts[1] / (counts[0] + counts[1]) : spc_constant_accuracy(counts, classes);
    return 2 * p / (1 + p) / (is_binary ? 1 : (double)present);
}

/* --- numbers ---------------------------------------------------------------------------------- */

static double weight_of(const float *weights, int64_t row) {
    return weights ? (double)weights[row] : 1;
}

/* The mean, so that a constant has it exactly; *sum is that of the weights. */
static double mean_of(const double *labels, const float *weights, int64_t rows, double *sum) {
    double mean = 0.0;
    *sum = 0;
    for (int64_t i = 0; i < rows; i++) {
        const double w = weight_of(weights, i);
        *sum += w;
        if (w > 0) mean += (labels[i] - mean) * (w / *sum);
    }
    return mean;
}

double spc_weighted_mean(const double *labels, const float *weights, int64_t rows) {
    double all;
    return mean_of(labels, weights, rows, &all);
}

double spc_constant_squared_loss(const double *labels, const float *weights, int64_t rows) {
    double all;
    const double mean = mean_of(labels, weights, rows, &all);
    /* Squares around the computed mean; the second sum corrects the rounding error of that mean. */
    double squares = 0.0, off = 0.0;
    for (int64_t i = 0; i < rows; i++) {
        const double d = labels[i] - mean, w = weight_of(weights, i);
        squares += w * d * d;
        off += w * d;
    }
    return rows > 0 ? (squares - off * off / all) / all / 2.0 : (double)NAN;
}

/* At the logarithm of the mean; for a mean of 0 the loss goes to 0. */
double spc_constant_poisson_loss(const double *labels, const float *weights, int64_t rows) {
    double all;
    const double mean = mean_of(labels, weights, rows, &all);
    if (rows == 0) return (double)NAN;
    return mean > 0 ? mean - mean * log(mean) : 0;
}

typedef struct weighted {
    double label, weight;
} weighted;

static int compare_labels(const void *a, const void *b) {
    const weighted *const x = a, *const y = b;
    return (x->label > y->label) - (x->label < y->label);
}

/* The first label up to which half of the weight is. */
static double median_of(const weighted *sorted, int64_t rows, double all) {
    double below = 0;
    int64_t i = 0;
    for (; i + 1 < rows; ++i) {
        below += sorted[i].weight;
        if (below >= all / 2) break;
    }
    return sorted[i].label;
}

sparcl_status spc_constant_mean_error(const double *labels, const float *weights, int64_t rows,
                                      double *error_of, sparcl_error *error) {
    const size_t bytes = (size_t)rows * sizeof(weighted);
    weighted *const sorted = spc_alloc(NULL, bytes + 1);
    double all = 0, sum = 0;
    *error_of = NAN;
    if (!sorted) return spc_fail_memory(error, "labels", bytes);
    for (int64_t i = 0; i < rows; ++i) {
        sorted[i] = (weighted){labels[i], weight_of(weights, i)};
        all += sorted[i].weight;
    }
    qsort(sorted, (size_t)rows, sizeof *sorted, compare_labels);
    const double median = rows > 0 ? median_of(sorted, rows, all) : NAN;
    for (int64_t i = 0; i < rows; ++i)
        sum += sorted[i].weight * fabs(sorted[i].label - median);
    if (rows > 0) *error_of = sum / all;
    spc_free(NULL, sorted, bytes + 1);
    return SPARCL_OK;
}

/* --- labels ----------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void spc_sort_doubles(double *x, int64_t count) {
    qsort(x, (size_t)count, sizeof *x, compare);
}

int64_t spc_class_of(const double *labels, int64_t classes, double label) {
    int64_t low = 0, high = classes;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (labels[middle] < label)
            low = middle + 1;
        else
            high = middle;
    }
    return low < classes && labels[low] == label ? low : -1;
}
