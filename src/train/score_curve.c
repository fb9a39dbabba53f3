/* score_curve.c: how well scores separate two classes, over all thresholds. */
#include "train/score_curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, KEY_BITS = 32 };

/* A row, and an integer that orders scores. */
typedef struct scored {
    uint32_t key;
    uint32_t row;
} scored;

/* Map a score to an integer with the same order: a < b as floats is key(a) < key(b). */
static uint32_t score_key(float score) {
    const float zero_is_positive = score == 0.0f ? 0.0f : score;
    uint32_t bits;
    memcpy(&bits, &zero_is_positive, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/* One stable pass of a radix sort, by the digit that begins at bit `shift`, in descending order. */
static void sort_by_digit(const scored *from, scored *to, int64_t count, int shift) {
    int64_t at[DIGITS] = {0};
    for (int64_t i = 0; i < count; i++)
        at[from[i].key >> shift & (DIGITS - 1)]++;
    int64_t sum = 0;
    for (int d = DIGITS - 1; d >= 0; d--) {
        const int64_t here = at[d];
        at[d] = sum;
        sum += here;
    }
    for (int64_t i = 0; i < count; i++)
        to[at[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

/* Sort in descending order of the scores; returns where the rows are then: `rows` or `spare`. */
static const scored *sort_rows(scored *rows, scored *spare, int64_t count) {
    for (int shift = 0; shift < KEY_BITS; shift += DIGIT_BITS) {
        sort_by_digit(rows, spare, count, shift);
        scored *const swap = rows;
        rows = spare;
        spare = swap;
    }
    return rows;
}

/* Weights of the rows of each class with scores so far, from the highest on. */
typedef struct totals {
    double negative, positive;
} totals;

/* Add the rows that have the score of row `first`; returns the one after them. */
static int64_t add_equal(const scored *sorted, const int32_t *classes, const float *weights,
                         int64_t first, int64_t rows, totals *t) {
    int64_t i = first;
    for (; i < rows && sorted[i].key == sorted[first].key; ++i) {
        const double weight = weights ? (double)weights[sorted[i].row] : 1;
        *(classes[sorted[i].row] ? &t->positive : &t->negative) += weight;
    }
    return i;
}

/* Without weights the counts and, below 2^26 rows, the pairs are exact. */
static void walk(const scored *sorted, const int32_t *classes, const float *weights, int64_t rows,
                 double *auc, double *average_precision) {
    totals now = {0, 0};
    double pairs = 0, precisions = 0;
    for (int64_t i = 0; i < rows;) {
        const totals before = now;
        i = add_equal(sorted, classes, weights, i, rows, &now);
        const double more = now.positive - before.positive;
        pairs += (now.negative - before.negative) * (before.positive + now.positive);
        if (more > 0) precisions += more * (now.positive / (now.positive + now.negative));
    }
    /* With a class missing this is 0 / 0: the documented NaN. */
    *auc = pairs / (2 * now.negative * now.positive);
    *average_precision = precisions / now.positive;
}

sparcl_status spc_score_curve(const float *scores, const int32_t *classes, const float *weights,
                              int64_t rows, double *auc, double *average_precision,
                              sparcl_error *error) {
    *auc = *average_precision = (double)NAN;
    if (rows < 0 || rows >= (int64_t)1 << 32)
        return spc_fail(error, SPARCL_E_ARG, "auc: rows is %lld, expected 0 to 2^32 - 1",
                        (long long)rows);
    for (int64_t i = 0; i < rows; ++i)
        if (isnan(scores[i])) return SPARCL_OK;
    const size_t bytes = 2 * (size_t)rows * sizeof(scored);
    scored *const all = spc_alloc(NULL, bytes + 1);
    if (!all) return spc_fail_memory(error, "auc", bytes);
    for (int64_t i = 0; i < rows; ++i)
        all[i] = (scored){score_key(scores[i]), (uint32_t)i};
    walk(sort_rows(all, all + rows, rows), classes, weights, rows, auc, average_precision);
    spc_free(NULL, all, bytes + 1);
    return SPARCL_OK;
}
