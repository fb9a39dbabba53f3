/* folds.c: reductions of items in plain C, and their gradients. */
#include "spec/shared/folds.h"

#include <math.h>
#include <stdlib.h>

/* --- order ------------------------------------------------------------------------------------ */

static bool is_product(int kind) {
    return kind == SPARCL_REDUCE_PROD || kind == SPEC_FOLD_NONZERO;
}

static bool picks(int kind) {
    return kind == SPARCL_REDUCE_MAX || kind == SPARCL_REDUCE_MIN;
}

static double start_of(int kind) {
    return kind == SPARCL_REDUCE_MAX   ? -INFINITY
           : kind == SPARCL_REDUCE_MIN ? INFINITY
                                       : is_product(kind);
}

static double term_of(const spec_folding *f, const double *x, const double *other, int64_t k) {
    switch (f->kind) {
    case SPARCL_REDUCE_SQUARE_SUM:
    case SPARCL_REDUCE_NORM:
        return spec_round(f->dtype, x[k] * x[k]);
    case SPARCL_REDUCE_NORM1:
        return fabs(x[k]);
    case SPEC_FOLD_DOT:
        return spec_round(f->dtype, x[k] * other[k]);
    case SPEC_FOLD_NONZERO:
        return x[k] == 0 ? 1 : x[k];
    case SPEC_FOLD_ZEROS:
        return x[k] == 0;
    default:
        return x[k];
    }
}

static double fold_two(const spec_folding *f, double a, double b) {
    if (f->kind == SPARCL_REDUCE_MAX) return a >= b || isnan(a) ? a : b;
    if (f->kind == SPARCL_REDUCE_MIN) return a <= b || isnan(a) ? a : b;
    return spec_round(f->dtype, is_product(f->kind) ? a * b : a + b);
}

static double fold_block(const spec_folding *f, const double *x, const double *other, int64_t first,
                         int64_t last) {
    double p[8];
    if (!f->one_column) {
        double total = term_of(f, x, other, first);
        for (int64_t k = first + 1; k < last; ++k)
            total = fold_two(f, total, term_of(f, x, other, k));
        return total;
    }
    for (int i = 0; i < 8; ++i)
        p[i] = start_of(f->kind);
    for (int64_t k = first; k < last; ++k)
        p[(k - first) % 8] = fold_two(f, p[(k - first) % 8], term_of(f, x, other, k));
    for (int half = 4; half > 0; half /= 2)
        for (int i = 0; i < half; ++i)
            p[i] = fold_two(f, p[i], p[i + half]);
    return p[0];
}

static double fold_blocks(const spec_folding *f, const double *x, const double *other,
                          int64_t length) {
    double total = start_of(f->kind);
    for (int64_t first = 0; first < length; first += SPEC_BLOCK) {
        const int64_t last = first + SPEC_BLOCK < length ? first + SPEC_BLOCK : length;
        const double block = fold_block(f, x, other, first, last);
        total = first == 0 && !f->one_column ? block : fold_two(f, total, block);
    }
    return total;
}

/* The first of the largest, or smallest, items; a NaN is before all numbers. */
static int64_t position_of(const spec_folding *f, const double *x, int64_t length) {
    int64_t best = -1;
    for (int64_t k = 0; k < length; ++k) {
        if (best >= 0 && isnan(x[best])) break;
        const bool better = best < 0 || isnan(x[k]) ||
                            (f->kind == SPARCL_REDUCE_MAX ? x[k] > x[best] : x[k] < x[best]);
        if (better) best = k;
    }
    return best;
}

static spec_folded pick(const spec_folding *f, const double *x, int64_t length) {
    spec_folded r = {.position = position_of(f, x, length)};
    const double best = r.position >= 0 ? x[r.position] : start_of(f->kind);
    const double with_zero = length < f->all ? fold_two(f, best, 0) : best;
    if (length < f->all && with_zero != best && !isnan(best)) r.position = -1;
    r.order = r.truth = length == 0 && f->all == 0 ? 0 : with_zero;
    return r;
}

static double finish(const spec_folding *f, double total, int64_t length) {
    const int64_t all = f->all ? f->all : length;
    const double count = spec_round(f->dtype, (double)(all > 1 ? all : 1));
    if (f->kind == SPARCL_REDUCE_MEAN) return spec_round(f->dtype, total / count);
    if (f->kind == SPARCL_REDUCE_SQRTN)
        return spec_round(f->dtype, total / spec_round(f->dtype, sqrt(count)));
    return f->kind == SPARCL_REDUCE_NORM ? spec_round(f->dtype, sqrt(total)) : total;
}

/* Half of the smallest number that is stored. */
static double smallest_stored(sparcl_dtype dtype) {
    return dtype == SPARCL_F16 ? 0x1p-25 : dtype == SPARCL_BF16 ? 0x1p-134 : spec_smallest(dtype);
}

/* --- truth ------------------------------------------------------------------------------------ */

/* The sum, or the product, and the sum of the magnitudes. */
static double exact_total(const spec_folding *f, const double *x, const double *other,
                          int64_t length, double *magnitude) {
    long double total = is_product(f->kind); /* sums of many doubles */
    *magnitude = 0;
    for (int64_t k = 0; k < length; ++k) {
        const bool is_square = f->kind == SPARCL_REDUCE_SQUARE_SUM || f->kind == SPARCL_REDUCE_NORM;
        const long double term = is_square                  ? (long double)x[k] * x[k]
                                 : f->kind == SPEC_FOLD_DOT ? (long double)x[k] * other[k]
                                                            : term_of(f, x, other, k);
        total = is_product(f->kind) ? total * term : total + term;
        *magnitude += fabs((double)term);
    }
    return (double)(length < f->all && is_product(f->kind) ? total * 0 : total);
}

static void find_truth(const spec_folding *f, const double *x, const double *other, int64_t length,
                       spec_folded *r) {
    double magnitude = 0;
    const double total = exact_total(f, x, other, length, &magnitude);
    const double unit = spec_unit(f->dtype) * SPEC_SECOND_ORDER;
    const double depth =
        f->one_column ? spec_depth(length, true) : spec_depth_duplicates(length) + 1;
    const int64_t all = f->all ? f->all : length;
    const double count = (double)(all > 1 ? all : 1);
    r->truth = total;
    r->bound = depth * unit * magnitude;
    if (is_product(f->kind)) r->bound = ((double)length + 9) * unit * fabs(total);
    if (f->kind == SPARCL_REDUCE_MEAN)
        r->truth /= count, r->bound = r->bound / count + unit * fabs(r->truth);
    if (f->kind == SPARCL_REDUCE_SQRTN) {
        r->truth /= sqrt(count);
        r->bound = r->bound / sqrt(count) + 2 * unit * fabs(r->truth);
    }
    if (f->kind == SPARCL_REDUCE_NORM) {
        r->truth = sqrt(total);
        r->bound = total > 0 ? r->bound / (2 * r->truth) + unit * r->truth : 0;
    }
    r->bound += spec_store_unit(f->dtype) * fabs(r->truth) * 1.01 + smallest_stored(f->dtype);
}

spec_folded spec_fold(const spec_folding *f, const double *x, const double *other, int64_t length) {
    if (picks(f->kind)) return pick(f, x, length);
    spec_folded r = {.position = -1};
    if (f->kind == SPARCL_REDUCE_COUNT) {
        r.order = r.truth = spec_store(f->dtype, spec_round(f->dtype, (double)length));
        return r;
    }
    double total = fold_blocks(f, x, other, length);
    if (length < f->all) total = fold_two(f, total, 0);
    r.order = finish(f, total, length);
    if (f->kind < SPEC_FOLD_NONZERO) r.order = spec_store(f->dtype, r.order);
    find_truth(f, x, other, length, &r);
    return r;
}

/* --- gradient --------------------------------------------------------------------------------- */

typedef struct product_parts {
    double others, zeros;
} product_parts;

static product_parts parts_of(const spec_folding *f, const double *x, int64_t length) {
    spec_folding part = *f;
    product_parts p;
    part.kind = SPEC_FOLD_NONZERO;
    p.others = spec_fold(&part, x, NULL, length).order;
    part.kind = SPEC_FOLD_ZEROS;
    part.all = 0;
    p.zeros = spec_fold(&part, x, NULL, length).order;
    return p;
}

static double product_order(sparcl_dtype dtype, double x, double g, product_parts p) {
    if (p.zeros == 0) return spec_round(dtype, g * spec_round(dtype, p.others / x));
    return p.zeros == 1 && x == 0 ? spec_round(dtype, g * p.others) : 0;
}

/* In long double: a product of doubles, each near 1. */
static double product_truth(const spec_folding *f, const double *x, int64_t length, int64_t k,
                            double g) {
    long double product = g;
    for (int64_t i = 0; i < length; ++i)
        if (i != k) product *= x[i];
    return length < f->all ? 0 : (double)product;
}

static double gradient_order(const spec_folding *f, double x, double g, const spec_folded *y,
                             double count, bool picked) {
    const sparcl_dtype t = f->dtype;
    switch (f->kind) {
    case SPARCL_REDUCE_MEAN:
        return spec_round(t, g / count);
    case SPARCL_REDUCE_SQRTN:
        return spec_round(t, g / spec_round(t, sqrt(count)));
    case SPARCL_REDUCE_MAX:
    case SPARCL_REDUCE_MIN:
        return picked ? g : 0;
    case SPARCL_REDUCE_SQUARE_SUM:
        return spec_round(t, 2 * x * g);
    case SPARCL_REDUCE_NORM:
        return y->order == 0 ? 0 : spec_round(t, spec_round(t, x / y->order) * g);
    case SPARCL_REDUCE_NORM1:
        return x > 0 ? g : x < 0 ? -g : spec_round(t, x * g);
    case SPEC_FOLD_DOT:
        return spec_round(t, x * g);
    default:
        return g;
    }
}

static double gradient_truth(const spec_folding *f, double x, double g, const spec_folded *y,
                             double count, bool picked) {
    switch (f->kind) {
    case SPARCL_REDUCE_MEAN:
        return g / count;
    case SPARCL_REDUCE_SQRTN:
        return g / sqrt(count);
    case SPARCL_REDUCE_SQUARE_SUM:
        return 2 * x * g;
    case SPARCL_REDUCE_NORM:
        return y->order == 0 ? 0 : x / y->order * g;
    case SPEC_FOLD_DOT:
        return x * g;
    default:
        return gradient_order(f, x, g, y, count, picked);
    }
}

void spec_fold_gradient(const spec_folding *f, const double *x, int64_t length, double g,
                        const spec_folded *y, double *order, double *truth, double *bound) {
    const int64_t all = f->all ? f->all : length;
    const double count = spec_round(f->dtype, (double)(all > 1 ? all : 1));
    const bool is_prod = f->kind == SPARCL_REDUCE_PROD;
    const product_parts p = is_prod ? parts_of(f, x, length) : (product_parts){0, 0};
    for (int64_t k = 0; k < length; ++k) {
        const bool picked = k == y->position;
        const double exact = is_prod ? product_order(f->dtype, x[k], g, p)
                                     : gradient_order(f, x[k], g, y, count, picked);
        /* The exact product of the others takes as many steps as there are items. */
        truth[k] = is_prod && length <= 300 ? product_truth(f, x, length, k, g)
                   : is_prod                ? exact
                                            : gradient_truth(f, x[k], g, y, count, picked);
        order[k] = spec_store(f->dtype, exact);
        bound[k] = fabs(truth[k]) * 1.01 *
                       (spec_store_unit(f->dtype) +
                        (is_prod ? (double)length + 11 : 3) * spec_unit(f->dtype)) +
                   smallest_stored(f->dtype);
    }
}

/* --- inputs ----------------------------------------------------------------------------------- */

/* Some are NaN; with an even seed many maxima, or minima, are zeros of both signs. */
static double number_to_pick(int kind, double x, bool with_zeros) {
    if (x > 0.999) return NAN;
    if (!with_zeros) return x;
    if (fabs(x) < 0.2) return copysign(0, x);
    return kind == SPARCL_REDUCE_MAX ? -fabs(x) : fabs(x);
}

double *spec_fold_numbers(sparcl_dtype dtype, int kind, int64_t count, uint64_t seed) {
    double *const x = spec_numbers(count, seed);
    for (int64_t i = 0; x && i < count; ++i) {
        if (kind == SPARCL_REDUCE_PROD) x[i] = x[i] > 0.995 ? 0 : 1 + x[i] / 64;
        if (picks(kind)) x[i] = number_to_pick(kind, x[i], seed % 2 == 0);
        x[i] = spec_store(dtype, x[i]);
    }
    return x;
}
