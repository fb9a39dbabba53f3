/* score_curve.c: how well scores separate two classes, over all thresholds. */
#include "train/score_curve.h"

#include <math.h>
#include <stdbool.h>
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

/* ---- points --------------------------------------------------------------------------------- */

static sparcl_status add_point(spc_curve *curve, const sparcl_curve_point *point,
                               sparcl_error *error) {
    if (curve->count == curve->capacity) {
        const int64_t capacity = curve->capacity > 0 ? 2 * curve->capacity : 256;
        const size_t bytes = (size_t)capacity * sizeof *curve->points;
        sparcl_curve_point *const more = realloc(curve->points, bytes);
        if (!more) return spc_fail_memory(error, "curve", bytes);
        curve->points = more;
        curve->capacity = capacity;
    }
    curve->points[curve->count++] = *point;
    return SPARCL_OK;
}

static double precision_of(const sparcl_curve_point *p) {
    const double taken = p->true_positives + p->false_positives;
    return taken > 0 ? p->true_positives / taken : 1;
}

/* In neither curve. */
static bool are_near(const sparcl_curve_point *a, const sparcl_curve_point *b, const totals *all) {
    const double most = 1.0 / 512;
    return fabs(a->true_positives - b->true_positives) <= most * all->positive &&
           fabs(a->false_positives - b->false_positives) <= most * all->negative &&
           fabs(precision_of(a) - precision_of(b)) <= most;
}

/* The points between the last that was added and `now` are near to the last, that is `before`: it
 * is needed where `now` is not. */
typedef struct thinning {
    spc_curve *curve; /* NULL: no points are needed */
    totals all;
    sparcl_curve_point before;
    bool is_open; /* `before` was not added */
} thinning;

static sparcl_status note_point(thinning *t, const sparcl_curve_point *now, sparcl_error *error) {
    const sparcl_curve_point origin = {.threshold = INFINITY};
    const spc_curve *const curve = t->curve;
    if (!curve || t->all.positive <= 0 || t->all.negative <= 0) return SPARCL_OK;
    const sparcl_curve_point *last = curve->count > 0 ? &curve->points[curve->count - 1] : &origin;
    if (t->is_open && !are_near(last, now, &t->all)) {
        SPC_TRY(add_point(t->curve, &t->before, error));
        last = &t->before;
    }
    t->is_open = curve->count > 0 && are_near(last, now, &t->all);
    t->before = *now;
    return t->is_open ? SPARCL_OK : add_point(t->curve, now, error);
}

static sparcl_status end_points(const thinning *t, sparcl_error *error) {
    return t->is_open ? add_point(t->curve, &t->before, error) : SPARCL_OK;
}

/* ---- areas ---------------------------------------------------------------------------------- */

static totals sum_all(const int32_t *classes, const float *weights, int64_t rows) {
    totals all = {0, 0};
    for (int64_t i = 0; i < rows; ++i)
        *(classes[i] ? &all.positive : &all.negative) += weights ? (double)weights[i] : 1;
    return all;
}

/* What is computed of the rows in descending order of their scores. */
typedef struct curve_sums {
    double pairs, precisions;
} curve_sums;

static void add_group(curve_sums *sums, const totals *before, const totals *now) {
    const double more = now->positive - before->positive;
    sums->pairs += (now->negative - before->negative) * (before->positive + now->positive);
    if (more > 0) sums->precisions += more * (now->positive / (now->positive + now->negative));
}

/* Without weights the counts and, below 2^26 rows, the pairs are exact. */
static sparcl_status walk(const scored *sorted, const float *scores, const int32_t *classes,
                          const float *weights, int64_t rows, double *auc,
                          double *average_precision, spc_curve *curve, sparcl_error *error) {
    thinning points = {.curve = curve};
    totals now = {0, 0};
    curve_sums sums = {0, 0};
    if (curve) points.all = sum_all(classes, weights, rows);
    for (int64_t i = 0; i < rows;) {
        const totals before = now;
        const double threshold = (double)scores[sorted[i].row];
        i = add_equal(sorted, classes, weights, i, rows, &now);
        add_group(&sums, &before, &now);
        const sparcl_curve_point point = {threshold, now.positive, now.negative};
        SPC_TRY(note_point(&points, &point, error));
    }
    /* With a class missing this is 0 / 0: the documented NaN. */
    *auc = sums.pairs / (2 * now.negative * now.positive);
    *average_precision = sums.precisions / now.positive;
    return end_points(&points, error);
}

sparcl_status spc_score_curve(const float *scores, const int32_t *classes, const float *weights,
                              int64_t rows, double *auc, double *average_precision,
                              spc_curve *curve, sparcl_error *error) {
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
    const sparcl_status status = walk(sort_rows(all, all + rows, rows), scores, classes, weights,
                                      rows, auc, average_precision, curve, error);
    spc_free(NULL, all, bytes + 1);
    return status;
}
