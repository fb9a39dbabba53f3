/* spec_coo_reduce.c: reductions of COO arrays over axes, in plain C. Variant: sparcl_duplicates up
 * to SPARCL_MIN; + 8: the number of entries is on the device; + 16: the axes are not given, which
 * means all. rows: number of the shape; cols: the reduced axes as bits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/shared/entries.h"

enum { HOW = 8, COUNTED = 8, ALL = 16, MOST_ELEMENTS = 300000 };

/* Some end with a block of a single item. */
static const int64_t sizes[] = {0, 1, 37, 513, 1025, 5121, 30209};

static double elements_of(const int64_t *shape, int rank, int64_t reduced) {
    double all = 1;
    for (int d = 0; d < rank; ++d)
        if (!(reduced >> d & 1)) all *= (double)shape[d];
    return all;
}

/* Number k of the shapes and axes whose result is small enough. */
static bool choose(int k, spec_case *c) {
    int64_t shape[SPARCL_MAX_RANK];
    int rank = 0;
    for (int number = 0; spec_entries_shape(number, &rank, shape); ++number) {
        const int64_t choices[] = {1,
                                   1 << (rank - 1),
                                   2 & ((1 << rank) - 1),
                                   5 & ((1 << rank) - 1),
                                   (1 << rank) - 2,
                                   (1 << rank) - 1};
        for (int i = 0; i < 6; i += 1 + (number + i) % 2) {
            if (elements_of(shape, rank, choices[i]) > MOST_ELEMENTS || k-- > 0) continue;
            c->rows = number;
            c->cols = choices[i];
            return true;
        }
    }
    return false;
}

static bool get_case(int i, bool small, spec_case *c) {
    static const sparcl_dtype dtypes[] = {SPARCL_F32, SPARCL_F64, SPARCL_F16, SPARCL_BF16};
    const int count = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 2 : 0);
    *c = (spec_case){.kind = (spec_kind)(i * 5 / 3 % SPEC_KINDS),
                     .nnz = sizes[i % count],
                     .dtype = dtypes[(i + i / 4) % 4],
                     .seed = (uint64_t)i + 91,
                     .variant = (i + i / 4) % 4 + (i % 3 == 1 ? COUNTED : 0)};
    if (!choose(i / count, c)) return false;
    int64_t shape[SPARCL_MAX_RANK];
    int rank = 0;
    (void)spec_entries_shape((int)c->rows, &rank, shape);
    if (c->cols == (1 << rank) - 1 && i % 2) c->variant += ALL;
    c->index_type = spec_entries_is_wide((int)c->rows) || i % 4 == 2 ? SPARCL_I64 : SPARCL_I32;
    return true;
}

typedef struct arrays {
    spec_entries from, kept; /* kept: the same entries without the reduced axes */
    int64_t elements;
    double *order, *truth, *bound, *got;
} arrays;

static void drop(arrays *x) {
    spec_entries_free(&x->from);
    spec_entries_free(&x->kept);
    free(x->order);
    free(x->truth);
    free(x->bound);
    free(x->got);
}

/* A dimension of size 1 where none is left. */
static bool project(arrays *x, const spec_case *c) {
    spec_entries like = {.stored = x->from.stored, .capacity = x->from.capacity};
    for (int d = 0; d < x->from.rank; ++d)
        if (!(c->cols >> d & 1)) like.shape[like.rank++] = x->from.shape[d];
    if (like.rank == 0) like.shape[like.rank++] = 1;
    if (!spec_entries_like(&x->kept, &like)) return false;
    x->kept.stored = x->from.stored;
    for (int64_t k = 0; k < x->from.stored; ++k)
        x->kept.values[k] = x->from.values[k] = spec_store(c->dtype, x->from.values[k]);
    for (int d = 0, to = 0; d < x->from.rank; ++d)
        if (!(c->cols >> d & 1))
            memcpy(x->kept.indices[to++], x->from.indices[d],
                   (size_t)x->from.stored * sizeof *x->kept.indices[0]);
    return true;
}

static bool make(arrays *x, const spec_case *c) {
    if (!spec_entries_make(&x->from, c->kind, (int)c->rows, c->nnz, c->variant & COUNTED,
                           c->seed) ||
        !project(x, c))
        return false;
    x->elements = (int64_t)elements_of(x->kept.shape, x->kept.rank, 0);
    const size_t count = (size_t)x->elements + 1;
    x->order = calloc(count, sizeof(double));
    x->truth = calloc(count, sizeof(double));
    x->bound = calloc(count, sizeof(double));
    x->got = spec_numbers(x->elements, 1);
    return x->order && x->truth && x->bound && x->got;
}

/* --- answers ---------------------------------------------------------------------------------- */

static int64_t place_of(const spec_entries *e, int64_t k) {
    int64_t place = 0;
    for (int d = 0; d < e->rank; ++d)
        place = place * e->shape[d] + e->indices[d][k];
    return place;
}

/* The maxima or minima, first of equal ones; there is no NaN. */
static void choose_terms(arrays *x, bool is_max, const int64_t *sorted) {
    for (int64_t k = 0; k < x->kept.stored; ++k) {
        const int64_t place = place_of(&x->kept, sorted[k]);
        const double v = x->kept.values[sorted[k]];
        const bool begins = k == 0 || place_of(&x->kept, sorted[k - 1]) != place;
        if (begins || (is_max ? v > x->order[place] : v < x->order[place])) x->order[place] = v;
    }
    memcpy(x->truth, x->order, (size_t)x->elements * sizeof *x->truth);
}

/* Sums by rule R, divided by the number of their terms. */
static void mean_terms(arrays *x, sparcl_dtype dtype, const int64_t *sorted, double *terms) {
    for (int64_t begin = 0, end = 0; begin < x->kept.stored; begin = end) {
        const int64_t place = place_of(&x->kept, sorted[begin]);
        double sum = 0, magnitude = 0;
        for (; end < x->kept.stored && place_of(&x->kept, sorted[end]) == place; ++end) {
            terms[end - begin] = x->kept.values[sorted[end]];
            sum += terms[end - begin];
            magnitude += fabs(terms[end - begin]);
        }
        const double n = (double)(end - begin);
        const double mean = spec_sum_duplicates(dtype, terms, end - begin) / n;
        x->order[place] = spec_round(dtype, mean);
        x->truth[place] = sum / n;
        x->bound[place] = (spec_depth_duplicates(end - begin) * magnitude / n + fabs(sum / n)) *
                          spec_unit(dtype) * SPEC_SECOND_ORDER;
        spec_store_answer(dtype, &x->order[place], x->truth[place], &x->bound[place]);
    }
}

static bool answer(arrays *x, const spec_case *c) {
    const int how = c->variant % HOW;
    if (how == SPARCL_SUM)
        return spec_entries_dense(&x->kept, c->dtype, x->order, x->truth, x->bound, x->elements);
    int64_t *const sorted = spec_entries_order(&x->kept);
    double *const terms = calloc((size_t)x->kept.stored + 1, sizeof *terms);
    const bool ready = sorted && terms;
    if (ready && how == SPARCL_MEAN) mean_terms(x, c->dtype, sorted, terms);
    if (ready && how != SPARCL_MEAN) choose_terms(x, how == SPARCL_MAX, sorted);
    free(sorted);
    free(terms);
    return ready;
}

/* --- the device ------------------------------------------------------------------------------- */

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *x) {
    sparcl_dense to = {.rank = x->kept.rank, .dtype = c->dtype};
    sparcl_coo from = {.rank = 0};
    int axes[SPARCL_MAX_RANK], count = 0;
    for (int d = x->from.rank - 1; d >= 0; --d)
        if (c->cols >> d & 1) axes[count++] = d;
    memcpy(to.shape, x->kept.shape, sizeof to.shape);
    sparcl_status status = spec_put_entries(ctx, &from, &x->from, c, 2, false);
    if (status == SPARCL_OK)
        status = spec_put_reals(ctx, &to.values, x->got, x->elements, c->dtype);
    if (status == SPARCL_OK) status = spec_poison(ctx, to.values);
    if (status == SPARCL_OK)
        status = sparcl_coo_reduce(ctx, &to, (sparcl_duplicates)(c->variant % HOW), &from, count,
                                   c->variant & ALL ? NULL : axes);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, to.values, 0, x->elements, c->dtype, x->got);
    sparcl_coo_free(&from);
    sparcl_dense_free(&to);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays x = {.elements = 0};
    sparcl_status status = make(&x, c) && answer(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true, .zeros_expected = true};
    if (status == SPARCL_OK) status = run(ctx, c, &x);
    if (status == SPARCL_OK)
        spec_compare(report, "result", x.got, x.order, x.truth, x.bound, x.elements);
    drop(&x);
    return status;
}

const spec_op spec_coo_reduce = {.name = "coo_reduce", .get_case = get_case, .check = check};
