/* scaling.c: coordinates of a linear model in which all columns have the same curvature. */
#include "train/scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "train/csr_arrays.h"

/* --- the best model without weights ----------------------------------------------------------- */

static double weight_of(const spc_scaled_rows *rows, int64_t i) {
    return rows->weights ? (double)rows->weights[i] : 1;
}

/* The share of each class, or the mean of the targets; weights have the mean 1. */
static void find_means(spc_scaling *s, const spc_scaled_rows *rows, int64_t count) {
    const bool has_classes = rows->loss == SPARCL_LOSS_SOFTMAX;
    const double *const labels =
        rows->loss == SPARCL_LOSS_SQUARED ? sparcl_data_labels(rows->data) : NULL;
    memset(s->constant, 0, (size_t)s->outputs * sizeof *s->constant);
    for (int64_t i = 0; i < count; ++i) {
        const double weight = weight_of(rows, i) / (double)count,
                     y = labels ? labels[i] : (double)rows->targets[i];
        s->constant[has_classes ? (int64_t)y : 0] += has_classes ? weight : weight * y;
    }
}

static double within(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

/* Rounded to a float: the last bits of log are not the same in all C libraries. */
static double log_of(double x) {
    return (double)(float)log(x);
}

static void find_constant(spc_scaling *s, const spc_scaled_rows *rows, int64_t count) {
    double *const c = s->constant, least = 0.5 / (double)count;
    find_means(s, rows, count);
    s->curvature = 1;
    if (rows->loss == SPARCL_LOSS_LOGISTIC) {
        const double p = within(c[0], least, 1 - least);
        s->curvature = s->has_bias ? p * (1 - p) : 0.25;
        c[0] = log_of(p / (1 - p));
    } else if (rows->loss == SPARCL_LOSS_POISSON) {
        const double mean = fmax(c[0], least);
        s->curvature = s->has_bias ? mean : 1;
        c[0] = log_of(mean);
    } else if (rows->loss == SPARCL_LOSS_SOFTMAX) {
        double sum = 0, spread = 0;
        for (int64_t k = 0; k < s->outputs; ++k) {
            spread += c[k] * (1 - c[k]) / (double)s->outputs;
            c[k] = log_of(fmax(c[k], least)); /* also of a class without rows */
            sum += c[k] / (double)s->outputs;
        }
        for (int64_t k = 0; k < s->outputs; ++k) /* scores have no level of their own */
            c[k] -= sum;
        s->curvature = fmax(spread, least);
    } else if (s->has_bias) {
        s->label_shift = c[0];
        c[0] = 0;
    }
    if (!s->has_bias) memset(c, 0, (size_t)s->outputs * sizeof *c);
}

/* --- columns ---------------------------------------------------------------------------------- */

typedef struct entry_reader {
    const int64_t *offsets;
    const void *indices;
    const float *values;
    sparcl_itype type;
} entry_reader;

static entry_reader entries_of(const sparcl_data *data) {
    return (entry_reader){sparcl_data_offsets(data), sparcl_data_indices(data),
                          sparcl_data_values(data), sparcl_data_index_type(data)};
}

/* A column that every row stores is centred: others would not stay sparse. Of a first value the sum
 * of the differences is as exact as the values themselves are near to each other. */
static void find_shifts(spc_scaling *s, const spc_scaled_rows *rows, int64_t count,
                        int64_t *stored) {
    const entry_reader in = entries_of(rows->data);
    for (int64_t i = 0; i < count; ++i)
        for (int64_t k = in.offsets[i]; k < in.offsets[i + 1]; ++k) {
            const int64_t j = spc_index_at(in.indices, in.type, k);
            if (stored[j]++ == 0) s->shift[j] = (double)in.values[k];
            s->mean[j] += weight_of(rows, i) * ((double)in.values[k] - s->shift[j]);
        }
    for (int64_t j = 0; j < s->columns; ++j) {
        const bool centres = s->has_bias && stored[j] == count;
        s->shift[j] = centres ? (double)(float)(s->shift[j] + s->mean[j] / (double)count) : 0;
        s->mean[j] = 0;
    }
}

static void find_moments(spc_scaling *s, const spc_scaled_rows *rows, int64_t count) {
    const entry_reader in = entries_of(rows->data);
    for (int64_t i = 0; i < count; ++i) {
        const double weight = weight_of(rows, i) / (double)count;
        for (int64_t k = in.offsets[i]; k < in.offsets[i + 1]; ++k) {
            const int64_t j = spc_index_at(in.indices, in.type, k);
            const double x = (double)in.values[k] - s->shift[j];
            s->mean[j] += weight * x;
            s->square[j] += weight * x * x;
        }
    }
}

/* So values and weights stay floats. */
double spc_scaling_root(double x) {
    int exponent = 0;
    if (!(x > 0)) return 1;
    (void)frexp(x, &exponent);
    return ldexp(1, (int)within(floor(exponent / 2.0), -120, 120));
}

/* As tf-idf leaves them: what a column says then lies in its values, too. */
static bool have_one_length(const spc_scaled_rows *rows, int64_t count) {
    const entry_reader in = entries_of(rows->data);
    double least = INFINITY, most = 0;
    for (int64_t i = 0; i < count; ++i) {
        double square = 0;
        for (int64_t k = in.offsets[i]; k < in.offsets[i + 1]; ++k)
            square += (double)in.values[k] * (double)in.values[k];
        if (square == 0) continue;
        least = fmin(least, square);
        most = fmax(most, square);
    }
    return most <= 1.01 * least;
}

/* Of one length, steps move a column that two rows have as far as one that all have. With one
 * output, rare columns move less. With many, a rare word means one of them: it moves more. */
static double rarity_scale(const spc_scaling *s, double rare, bool is_word) {
    if (!s->steps_are_equal) return 1;
    if (s->outputs == 1) return sqrt(rare);
    return is_word ? 1 / sqrt(rare) : 1;
}

/* In rows of one length columns keep the relation of their values; with many outputs, whose steps
 * of one length do not see it, it counts twice. */
static double value_scale(const spc_scaling *s, double square, bool is_word) {
    if (!is_word) return square;
    return s->outputs > 1 ? 1 / square : 1;
}

/* The scales of words have a common factor, so that the mean square of what is stored is 1. */
static void find_entry_scales(spc_scaling *s, const spc_scaled_rows *rows, int64_t count,
                              const int64_t *stored) {
    const bool are_words = s->steps_are_equal && have_one_length(rows, count);
    double entries = 0, sum = 0;
    for (int64_t j = 0; j < s->columns; ++j) {
        const double n = (double)stored[j], square = n > 0 ? s->square[j] * (double)count / n : 0;
        if (!are_words || stored[j] == count || !(square > 0)) continue;
        sum += n * square / value_scale(s, square, true);
        entries += n;
    }
    const double common = entries > 0 ? sum / entries : 1;
    for (int64_t j = 0; j < s->columns; ++j) {
        const bool is_word = are_words && stored[j] < count;
        const double rare = stored[j] ? (double)count / (double)stored[j] : 0;
        const double square = value_scale(s, s->square[j] * rare, is_word);
        s->scale[j] =
            spc_scaling_root(square * rarity_scale(s, rare, is_word) * (is_word ? common : 1));
    }
    s->bias_scale = 1;
}

static void find_scales(spc_scaling *s, double l2) {
    for (int64_t j = 0; j < s->columns; ++j) {
        const double around = s->has_bias ? s->mean[j] * s->mean[j] : 0;
        s->scale[j] = spc_scaling_root(s->curvature * fmax(s->square[j] - around, 0) + l2);
    }
    s->bias_scale = spc_scaling_root(s->curvature);
}

sparcl_status spc_scaling_open(spc_scaling *s, const spc_scaled_rows *rows, sparcl_error *error) {
    const int64_t count = sparcl_data_get_info(rows->data)->rows;
    const size_t n = (size_t)s->columns, bytes = 5 * n * sizeof(double);
    double *const memory = calloc(1, bytes + (size_t)s->outputs * sizeof(double));
    int64_t *const stored = calloc(n + 1, sizeof *stored);
    s->shift = memory;
    if (!memory || !stored) {
        free(stored);
        return spc_fail_memory(error, "scales of columns", bytes);
    }
    s->scale = memory + n, s->mean = memory + 2 * n, s->square = memory + 3 * n;
    s->constant = memory + 4 * n;
    find_constant(s, rows, count);
    find_shifts(s, rows, count, stored);
    find_moments(s, rows, count);
    if (s->of_entries)
        find_entry_scales(s, rows, count, stored);
    else
        find_scales(s, rows->l2);
    free(stored);
    return SPARCL_OK;
}

void spc_scaling_close(spc_scaling *s) {
    free(s->shift);
    *s = (spc_scaling){0};
}

double spc_scaling_least_variance(const spc_scaling *s) {
    double least = INFINITY;
    for (int64_t j = 0; j < s->columns; ++j)
        if (s->shift[j] != 0 && s->square[j] > 0) least = fmin(least, s->square[j]);
    return least;
}

void spc_scaling_values(const spc_scaling *s, sparcl_itype type, const void *indices, int64_t count,
                        float *values) {
    for (int64_t k = 0; k < count; ++k) {
        const int64_t j = spc_index_at(indices, type, k);
        values[k] = (float)(((double)values[k] - s->shift[j]) / s->scale[j]);
    }
}

/* --- parameters ------------------------------------------------------------------------------- */

double spc_scaling_shift(const spc_scaling *s, const double *weights, int64_t output) {
    double sum = 0;
    for (int64_t j = 0; j < s->columns; ++j)
        sum += s->shift[j] * weights[j * s->outputs + output];
    return sum;
}

void spc_scaling_to_model(const spc_scaling *s, const double *from, double *to) {
    const int64_t weights = s->columns * s->outputs;
    for (int64_t i = 0; i < weights; ++i)
        to[i] = from[i] / s->scale[i / s->outputs];
    for (int64_t k = 0; s->has_bias && k < s->outputs; ++k)
        to[weights + k] =
            from[weights + k] / s->bias_scale + s->label_shift - spc_scaling_shift(s, to, k);
}

void spc_scaling_from_model(const spc_scaling *s, const double *from, double *to) {
    const int64_t weights = s->columns * s->outputs;
    for (int64_t k = 0; s->has_bias && k < s->outputs; ++k)
        to[weights + k] =
            (from[weights + k] - s->label_shift + spc_scaling_shift(s, from, k)) * s->bias_scale;
    for (int64_t i = 0; i < weights; ++i)
        to[i] = from[i] * s->scale[i / s->outputs];
}

/* --- the gradient ----------------------------------------------------------------------------- */

static double bias_slope(const spc_scaling *s, const double *gradient, int64_t output) {
    return s->has_bias ? gradient[s->columns * s->outputs + output] * s->bias_scale : 0;
}

static double with_penalty(double slope, double x, double l1) {
    return x != 0 ? slope + copysign(l1, x) : fmax(fabs(slope) - l1, 0);
}

bool spc_scaling_is_flat(const spc_scaling *s, const double *x, const double *gradient, double l1,
                         double tolerance) {
    for (int64_t k = 0; k < s->outputs; ++k)
        if (!(fabs(bias_slope(s, gradient, k)) <= tolerance)) return false;
    for (int64_t i = 0; i < s->columns * s->outputs; ++i) {
        const int64_t j = i / s->outputs;
        const double slope =
            gradient[i] * s->scale[j] + s->shift[j] * bias_slope(s, gradient, i % s->outputs);
        if (!(fabs(with_penalty(slope, x[i], l1)) <= tolerance)) return false;
    }
    return true;
}
