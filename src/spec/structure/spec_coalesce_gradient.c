/* spec_coalesce_gradient.c: the gradient of entries that a coalesce has combined, in plain C.
 * Variant: sparcl_duplicates; + 8: the number of entries is on the device. `n`: number of the
 * shape. */
#include <math.h>
#include <stdlib.h>

#include "spec/shared/entries.h"

enum { HOW = 8, COUNTED = 8 };

/* Some end with a block of a single item. */
static const int64_t sizes[] = {0, 1, 37, 513, 700, 1025, 5121, 30209};

static bool get_case(int i, bool small, spec_case *c) {
    static const sparcl_dtype floats[] = {SPARCL_F32, SPARCL_F64, SPARCL_F16, SPARCL_BF16};
    if (!spec_entries_case(c, i, sizes, sizeof sizes / sizeof sizes[0], small)) return false;
    c->dtype = floats[(i + i / 4) % 4];
    c->seed = (uint64_t)(i + i / 3);
    c->variant = (i * 7 + i / 6) % 6 + (i % 3 == 1 ? COUNTED : 0);
    return true;
}

typedef struct arrays {
    spec_entries from;
    int64_t found; /* entries of the result of the coalesce */
    int64_t *inverse, *counts, *source;
    double *g, *order, *truth, *bound, *got;
} arrays;

static void drop(arrays *x) {
    void *const all[] = {x->inverse, x->counts, x->source, x->g,
                         x->order,   x->truth,  x->bound,  x->got};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        free(all[i]);
    spec_entries_free(&x->from);
}

/* Which of `length` equal entries a mode has chosen: of a maximum or minimum, any. */
static int64_t chosen(int how, int64_t first, int64_t length) {
    if (how == SPARCL_LAST) return length - 1;
    return how == SPARCL_MAX || how == SPARCL_MIN ? first % length : 0;
}

static void combine(arrays *x, const spec_case *c, const int64_t *places) {
    for (int64_t begin = 0, end; begin < x->from.stored; begin = end, ++x->found) {
        end = begin + 1;
        while (end < x->from.stored &&
               spec_entries_compare(&x->from, places[begin], places[end]) == 0)
            ++end;
        for (int64_t k = begin; k < end; ++k)
            x->inverse[places[k]] = x->found;
        x->counts[x->found] = end - begin;
        x->source[x->found] = places[begin + chosen(c->variant % HOW, begin, end - begin)];
    }
}

static void answer(arrays *x, const spec_case *c) {
    const int how = c->variant % HOW;
    for (int64_t k = 0; k < x->from.stored; ++k) {
        const int64_t u = x->inverse[k];
        const double count = how == SPARCL_MEAN ? (double)x->counts[u] : 1;
        const bool passes = how <= SPARCL_MEAN || x->source[u] == k;
        x->truth[k] = passes ? x->g[u] / count : 0;
        x->order[k] = spec_round(c->dtype, x->truth[k]);
        x->bound[k] = how == SPARCL_MEAN ? spec_unit(c->dtype) * fabs(x->truth[k]) : 0;
        spec_store_answer(c->dtype, &x->order[k], x->truth[k], &x->bound[k]);
    }
}

static bool make(arrays *x, const spec_case *c) {
    if (!spec_entries_make(&x->from, c->kind, (int)c->n, c->nnz, c->variant & COUNTED, c->seed))
        return false;
    const size_t capacity = (size_t)x->from.capacity + 1;
    int64_t **const ints[] = {&x->inverse, &x->counts, &x->source};
    double **const reals[] = {&x->order, &x->truth, &x->bound, &x->got};
    bool done = (x->g = spec_stored_numbers(c->dtype, x->from.capacity, c->seed + 1)) != NULL;
    for (size_t i = 0; i < sizeof ints / sizeof ints[0]; ++i)
        done &= (*ints[i] = calloc(capacity, sizeof **ints[i])) != NULL;
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; ++i)
        done &= (*reals[i] = calloc(capacity, sizeof **reals[i])) != NULL;
    int64_t *const places = done ? spec_entries_order(&x->from) : NULL;
    if (!places) return false;
    combine(x, c, places);
    answer(x, c);
    free(places);
    return true;
}

/* The device's views; `more` begins at element 1. */
typedef struct views {
    sparcl_coo from;
    sparcl_dense g, to;
    sparcl_coalesced more;
} views;

static sparcl_status put_ints(sparcl_ctx *ctx, sparcl_buf **buf, int64_t *at, const int64_t *x,
                              int64_t count) {
    sparcl_status status = sparcl_buf_create(ctx, buf, (count + 1) * (int64_t)sizeof *x);
    *at = 1;
    if (status != SPARCL_OK || count == 0) return status;
    return sparcl_buf_write(ctx, *buf, (int64_t)sizeof *x, count * (int64_t)sizeof *x, x);
}

static sparcl_status put_vector(sparcl_ctx *ctx, sparcl_dense *v, const spec_case *c,
                                const double *x, int64_t count) {
    *v = (sparcl_dense){.rank = 1, .dtype = c->dtype, .shape = {count}};
    return spec_put_reals(ctx, &v->values, x, count, c->dtype);
}

static sparcl_status put_all(sparcl_ctx *ctx, const spec_case *c, const arrays *x, views *v) {
    const int64_t n = x->from.capacity;
    sparcl_status status = spec_put_entries(ctx, &v->from, &x->from, c, 2, false);
    if (status == SPARCL_OK)
        status = put_ints(ctx, &v->more.inverse, &v->more.inverse_at, x->inverse, n);
    if (status == SPARCL_OK)
        status = put_ints(ctx, &v->more.counts, &v->more.counts_at, x->counts, n);
    if (status == SPARCL_OK)
        status = put_ints(ctx, &v->more.source, &v->more.source_at, x->source, n);
    if (status == SPARCL_OK) status = put_vector(ctx, &v->g, c, x->g, n);
    if (status == SPARCL_OK) status = put_vector(ctx, &v->to, c, x->g, n);
    return status == SPARCL_OK ? spec_poison(ctx, v->to.values) : status;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *x) {
    views v = {.from = {.rank = 0}};
    sparcl_status status = put_all(ctx, c, x, &v);
    if (status == SPARCL_OK)
        status = sparcl_coo_coalesce_gradient(ctx, &v.to, (sparcl_duplicates)(c->variant % HOW),
                                              &v.g, &v.from, &v.more);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, v.to.values, 0, x->from.capacity, c->dtype, x->got);
    sparcl_coo_free(&v.from);
    sparcl_dense_free(&v.g);
    sparcl_dense_free(&v.to);
    sparcl_buf_free(v.more.inverse);
    sparcl_buf_free(v.more.counts);
    sparcl_buf_free(v.more.source);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays x = {.found = 0};
    sparcl_status status = make(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true, .zeros_expected = true};
    if (status == SPARCL_OK) status = run(ctx, c, &x);
    if (status == SPARCL_OK)
        spec_compare(report, "gradient", x.got, x.order, x.truth, x.bound, x.from.capacity);
    drop(&x);
    return status;
}

const spec_op spec_coalesce_gradient = {
    .name = "coalesce_gradient", .get_case = get_case, .check = check};
