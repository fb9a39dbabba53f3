/* spec_dropout.c: dropout in plain C. Variant: 1 gaps between rows, 2 in place. */
#include <math.h>
#include <stdlib.h>

#include "spec/layers/philox.h"
#include "spec/shared/spec.h"

static const double rates[] = {0.1, 0.25, 0.4, 0, 0.5, 1, 0.9, 0.0625};

static bool get_case(int i, bool small, spec_case *c) {
    static const int64_t rows[] = {0, 1, 5, 64, 300, 2000}, widths[] = {1, 3, 17, 64, 105};
    static const sparcl_dtype types[] = {SPARCL_F32, SPARCL_F64, SPARCL_F16, SPARCL_F32,
                                         SPARCL_BF16};
    const int n_rows = small ? 4 : 6;
    if (i >= n_rows * 5 * 8) return false;
    *c = (spec_case){.rows = rows[i / 40],
                     .n = widths[i / 8 % 5],
                     .dtype = types[i % 5],
                     .alpha = rates[i % 8],
                     .variant = i / 3 % 4,
                     .seed = (uint64_t)i + 71};
    return true;
}

/* Seeds and offsets with bits in both words. */
static uint64_t offset_of(const spec_case *c) {
    return c->seed % 3 ? c->seed * 0x9E3779B97F4A7C15 : 0;
}

static uint64_t key_of(const spec_case *c) {
    return c->seed % 2 ? c->seed * 0xD1B54A32D192ED03 : c->seed;
}

typedef struct arrays {
    int64_t ld, count;
    double *x, *got, *order, *truth, *bound;
} arrays;

static bool make(arrays *a, const spec_case *c) {
    a->ld = c->n + (c->variant % 2 ? 3 : 0);
    a->count = c->rows * a->ld;
    a->x = spec_numbers(a->count, c->seed);
    a->got = spec_numbers(a->count, 0);
    a->order = spec_numbers(a->count, c->variant / 2 ? c->seed : c->seed + 1); /* gaps stay */
    a->truth = spec_numbers(a->count, 0);
    a->bound = calloc((size_t)a->count + 1, sizeof *a->bound);
    if (!a->x || !a->got || !a->order || !a->truth || !a->bound) return false;
    for (int64_t i = 0; i < a->count; ++i) {
        a->x[i] = spec_store(c->dtype, a->x[i]);
        a->truth[i] = a->order[i] = spec_store(c->dtype, a->order[i]);
    }
    return true;
}

static void answers(arrays *a, const spec_case *c) {
    const double p = c->alpha, scale = p < 1 ? spec_round(c->dtype, 1 / (1 - p)) : 0;
    for (int64_t e = 0; e < c->rows * c->n; ++e) {
        const int64_t at = e / c->n * a->ld + e % c->n;
        const bool keeps = p < 1 && (double)spec_dropout_word(e, key_of(c), offset_of(c)) >=
                                        floor(p * 0x1p32 + 0.5);
        const double value = keeps ? a->x[at] * scale : 0;
        a->order[at] = spec_store(c->dtype, spec_round(c->dtype, value));
        a->truth[at] = keeps ? a->x[at] / (1 - p) : 0;
        a->bound[at] =
            fabs(a->truth[at]) * (2 * spec_unit(c->dtype) + spec_store_unit(c->dtype)) * 1.001 +
            (c->dtype == SPARCL_F16 ? 0x1p-24 : 0);
    }
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *a) {
    sparcl_dense x = {.rank = 2, .dtype = c->dtype, .shape = {c->rows, c->n}, .ld = a->ld}, y = x;
    const bool in_place = c->variant / 2;
    sparcl_status status = spec_put_dense(ctx, &x, a->x, a->count);
    if (status == SPARCL_OK && !in_place) status = spec_put_dense(ctx, &y, a->order, a->count);
    if (in_place) y = x;
    if (status == SPARCL_OK)
        status = sparcl_dropout(ctx, &y, &x, c->alpha, key_of(c), offset_of(c));
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, y.values, y.values_at, a->count, c->dtype, a->got);
    sparcl_buf_free(x.values);
    if (!in_place) sparcl_buf_free(y.values);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays a = {0};
    const double count = (double)(c->rows * c->n);
    *report = (spec_report){
        .equal = true, .flops = count, .bytes = 2 * count * (double)sparcl_dtype_size(c->dtype)};
    report->zeros_expected = c->alpha > 0.4 || c->rows * c->n < 64;
    sparcl_status status = make(&a, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = run(ctx, c, &a);
    if (status == SPARCL_OK) {
        answers(&a, c);
        spec_compare(report, "y", a.got, a.order, a.truth, a.bound, a.count);
    }
    double *const all[] = {a.x, a.got, a.order, a.truth, a.bound};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        free(all[i]);
    return status;
}

const spec_op spec_dropout = {.name = "dropout", .get_case = get_case, .check = check};
