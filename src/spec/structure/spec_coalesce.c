/* spec_coalesce.c: adding entries with the same indices, in plain C. Variant bit 1: the number of
 * entries is on the device. `n`: number of the shape. */
#include <math.h>
#include <stdlib.h>

#include "spec/shared/entries.h"

/* Some end with a block of a single item. */
static const int64_t sizes[] = {0, 1, 2, 37, 513, 90, 530, 700, 1025, 5121, 70145};

static bool get_case(int i, bool small, spec_case *c) {
    if (!spec_entries_case(c, i, sizes, sizeof sizes / sizeof sizes[0], small)) return false;
    c->dtype = i % 4 == 3 ? SPARCL_F64 : SPARCL_F32;
    if (i % 5 == 2) c->index_type = SPARCL_I64;
    c->seed = (uint64_t)(i + i / 3);
    c->variant = i % 3 == 1 ? 2 : 0;
    return true;
}

typedef struct arrays {
    spec_entries from, order, got;
    double *truth, *bound;
} arrays;

static void drop(arrays *x) {
    spec_entries_free(&x->from);
    spec_entries_free(&x->order);
    spec_entries_free(&x->got);
    free(x->truth);
    free(x->bound);
}

/* Add the entries order[begin] .. order[end - 1]. */
static void answer(arrays *x, sparcl_dtype dtype, const int64_t *order, int64_t begin, int64_t end,
                   double *terms) {
    const int64_t u = x->order.stored++, length = end - begin;
    double magnitude = 0;
    spec_entries_copy(&x->order, u, &x->from, order[begin]);
    x->truth[u] = 0;
    for (int64_t k = 0; k < length; ++k) {
        terms[k] = spec_round(dtype, x->from.values[order[begin + k]]);
        x->truth[u] += terms[k];
        magnitude += fabs(terms[k]);
    }
    x->order.values[u] = spec_sum_duplicates(dtype, terms, length);
    x->bound[u] = spec_depth_duplicates(length) * spec_unit(dtype) * magnitude * SPEC_SECOND_ORDER;
}

static bool make(arrays *x, const spec_case *c) {
    if (!spec_entries_make(&x->from, c->kind, (int)c->n, c->nnz, c->variant & 2, c->seed))
        return false;
    const size_t capacity = (size_t)x->from.capacity + 1;
    x->truth = calloc(capacity, sizeof(double));
    x->bound = calloc(capacity, sizeof(double));
    double *terms = calloc(capacity, sizeof(double));
    int64_t *order = spec_entries_order(&x->from);
    const bool done = x->truth && x->bound && terms && order &&
                      spec_entries_like(&x->order, &x->from) &&
                      spec_entries_like(&x->got, &x->from);
    for (int64_t begin = 0, end; done && begin < x->from.stored; begin = end) {
        end = begin + 1;
        while (end < x->from.stored &&
               spec_entries_compare(&x->from, order[begin], order[end]) == 0)
            ++end;
        answer(x, c->dtype, order, begin, end, terms);
    }
    free(terms);
    free(order);
    return done;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *x) {
    sparcl_coo from = {0}, to = {0};
    sparcl_status status = spec_put_entries(ctx, &from, &x->from, c, 2, false);
    if (status == SPARCL_OK) status = spec_put_entries(ctx, &to, &x->got, c, 1, true);
    if (status == SPARCL_OK) status = sparcl_coo_coalesce(ctx, &to, &from);
    if (status == SPARCL_OK) status = spec_get_entries(ctx, &to, &x->got);
    sparcl_coo_free(&from);
    sparcl_coo_free(&to);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays x = {0};
    sparcl_status status = make(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    const double entry = (double)(sparcl_dtype_size(c->dtype) +
                                  (size_t)x.from.rank * sparcl_itype_size(c->index_type));
    *report = (spec_report){.equal = true,
                            .flops = (double)(x.from.stored - x.order.stored),
                            .bytes = entry * (double)(x.from.stored + x.order.stored)};
    if (status == SPARCL_OK) status = run(ctx, c, &x);
    if (status == SPARCL_OK) spec_compare_entries(report, &x.got, &x.order, x.truth, x.bound);
    drop(&x);
    return status;
}

const spec_op spec_coalesce = {.name = "coalesce", .get_case = get_case, .check = check};
