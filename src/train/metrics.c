/* metrics.c: computes metrics on the host, from scores and labels. */
#include "train/metrics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "train/data_column.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, KEY_BITS = 32 };

/* Map a score to an integer with the same order: a < b as floats is key(a) < key(b). */
static uint32_t score_key(float score) {
    const float zero_is_positive = score == 0.0f ? 0.0f : score;
    uint32_t bits;
    memcpy(&bits, &zero_is_positive, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/* One stable pass of a radix sort, by the digit that begins at bit `shift`. */
static void sort_by_digit(const uint32_t *from, uint32_t *to, int64_t count, int shift) {
    int64_t at[DIGITS] = {0};
    for (int64_t i = 0; i < count; i++)
        at[from[i] >> shift & (DIGITS - 1)]++;
    int64_t sum = 0;
    for (int d = 0; d < DIGITS; d++) {
        const int64_t here = at[d];
        at[d] = sum;
        sum += here;
    }
    for (int64_t i = 0; i < count; i++)
        to[at[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

/* Sort keys in ascending order; returns where they are then: `keys` or `spare`. */
static const uint32_t *sort_keys(uint32_t *keys, uint32_t *spare, int64_t count) {
    for (int shift = 0; shift < KEY_BITS; shift += DIGIT_BITS) {
        sort_by_digit(keys, spare, count, shift);
        uint32_t *const swap = keys;
        keys = spare;
        spare = swap;
    }
    return keys;
}

/* Twice the number of ordered pairs: 2 for negative < positive, 1 for negative == positive. */
static uint64_t twice_ordered_pairs(const uint32_t *negative, int64_t negatives,
                                    const uint32_t *positive, int64_t positives) {
    uint64_t twice = 0;
    int64_t below = 0, not_above = 0;
    for (int64_t i = 0; i < positives; i++) {
        while (below < negatives && negative[below] < positive[i])
            below++;
        while (not_above < negatives && negative[not_above] <= positive[i])
            not_above++;
        twice += (uint64_t)below + (uint64_t)not_above;
    }
    return twice;
}

/* Keys of class 0 from the front, of class 1 from the back; false when a score is NaN. */
static bool split_keys(const float *scores, const int32_t *classes, int64_t rows, uint32_t *keys,
                       int64_t *negatives) {
    int64_t front = 0, back = rows;
    for (int64_t i = 0; i < rows; i++) {
        if (isnan(scores[i])) return false;
        keys[classes[i] ? --back : front++] = score_key(scores[i]);
    }
    *negatives = front;
    return true;
}

sparcl_status spc_auc(const float *scores, const int32_t *classes, int64_t rows, double *auc,
                      sparcl_error *error) {
    *auc = (double)NAN;
    if (rows < 0 || rows >= (int64_t)1 << 32)
        return spc_fail(error, SPARCL_E_ARG, "auc: rows is %lld, expected 0 to 2^32 - 1",
                        (long long)rows);
    if (rows == 0) return SPARCL_OK;

    const size_t half = (size_t)rows * sizeof(uint32_t);
    uint32_t *const keys = spc_alloc(NULL, 2 * half);
    if (!keys) return spc_fail_memory(error, "auc", 2 * half);
    int64_t negatives = 0;
    if (split_keys(scores, classes, rows, keys, &negatives)) {
        const int64_t positives = rows - negatives;
        uint32_t *const spare = keys + rows;
        const uint32_t *const low = sort_keys(keys, spare, negatives);
        const uint32_t *const high = sort_keys(keys + negatives, spare + negatives, positives);
        const uint64_t twice = twice_ordered_pairs(low, negatives, high, positives);
        /* With a class missing this is 0 / 0: the documented NaN. */
        *auc = (double)twice / (2.0 * (double)negatives * (double)positives);
    }
    spc_free(NULL, keys, 2 * half);
    return SPARCL_OK;
}

double spc_constant_class_loss(const int64_t *counts, int64_t classes) {
    int64_t rows = 0;
    for (int64_t c = 0; c < classes; c++)
        rows += counts[c];
    double loss = 0.0;
    for (int64_t c = 0; c < classes; c++) {
        const double fraction = (double)counts[c] / (double)rows;
        if (counts[c] > 0) loss -= fraction * log(fraction);
    }
    return rows > 0 ? loss : (double)NAN;
}

double spc_constant_squared_loss(const double *labels, int64_t rows) {
    double mean = 0.0;
    for (int64_t i = 0; i < rows; i++)
        mean += (labels[i] - mean) / (double)(i + 1);
    /* Squares around the computed mean; the second sum corrects the rounding error of that mean. */
    double squares = 0.0, off = 0.0;
    for (int64_t i = 0; i < rows; i++) {
        const double d = labels[i] - mean;
        squares += d * d;
        off += d;
    }
    const double n = (double)rows;
    return rows > 0 ? (squares - off * off / n) / n / 2.0 : (double)NAN;
}

/* At the score -1 or 1 the larger class has no loss, the other one 2. */
double spc_constant_hinge_loss(const int64_t counts[2]) {
    const int64_t smaller = counts[0] < counts[1] ? counts[0] : counts[1];
    const int64_t rows = counts[0] + counts[1];
    return rows > 0 ? 2 * (double)smaller / (double)rows : (double)NAN;
}

/* At the logarithm of the mean; for a mean of 0 the loss goes to 0. */
double spc_constant_poisson_loss(const double *labels, int64_t rows) {
    double mean = 0.0;
    for (int64_t i = 0; i < rows; i++)
        mean += (labels[i] - mean) / (double)(i + 1);
    if (rows == 0) return (double)NAN;
    return mean > 0 ? mean - mean * log(mean) : 0;
}

/* Of each column the sum and the sum of squares; means are 0 where a column has no entries. */
static void add_entries(const sparcl_data *data, double *sums, double *squares) {
    const int64_t entries = sparcl_data_get_info(data)->entries;
    for (int64_t k = 0; k < entries; ++k) {
        const int64_t j = spc_data_column(data, k);
        const double x = (double)sparcl_data_values(data)[k];
        sums[j] += x;
        squares[j] += x * x;
    }
}

sparcl_status spc_constant_reconstruction_loss(const sparcl_data *data, double *loss,
                                               sparcl_error *error) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const size_t bytes = 2 * ((size_t)info->columns + 1) * sizeof(double);
    const double n = (double)info->rows;
    double *const sums = spc_alloc_zero(NULL, 1, bytes), *const squares = sums + info->columns;
    if (!sums) return spc_fail_memory(error, "columns", bytes);
    add_entries(data, sums, squares);
    double variances = 0;
    for (int64_t j = 0; j < info->columns; ++j)
        variances += squares[j] / n - sums[j] / n * (sums[j] / n);
    spc_free(NULL, sums, bytes);
    *loss = info->rows > 0 ? variances / 2 : (double)NAN;
    return SPARCL_OK;
}

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
