/* spec_add.c: the sum of two dense arrays, in plain C. Variant: 1: z is x; 2: z is y; 3: all have
 * gaps between their rows. */
#include <math.h>
#include <stdlib.h>

#include "spec/shared/spec.h"

static bool get_case(int i, bool small, spec_case *c) {
    static const int64_t rows[] = {0, 1, 9, 257, 1000, 20000}, widths[] = {1, 2, 5, 16, 37, 105};
    const int n_rows = small ? 4 : 6;
    if (i >= n_rows * 48) return false;
    *c = (spec_case){.rows = rows[i / 48],
                     .n = widths[i % 6],
                     .dtype = i / 24 % 2 ? SPARCL_F64 : SPARCL_F32,
                     .variant = i / 6 % 4,
                     .seed = (uint64_t)i + 60};
    return true;
}

typedef struct arrays {
    int64_t x_ld, y_ld, z_ld, count; /* elements of z with its gaps */
    double *x, *y, *old, *got, *order, *truth, *bound;
} arrays;

static bool make(arrays *a, const spec_case *c) {
    const bool gaps = c->variant == 3;
    a->x_ld = c->n + (gaps ? 3 : 0);
    a->y_ld = c->n + (gaps ? 1 : 0);
    a->z_ld = c->n + (gaps ? 2 : 0);
    a->count = c->rows * a->z_ld;
    a->x = spec_numbers(c->rows * a->x_ld, c->seed);
    a->y = spec_numbers(c->rows * a->y_ld, c->seed + 1);
    a->got = spec_numbers(a->count, 0);
    a->old = spec_numbers(a->count, c->seed + 2);
    a->order = spec_numbers(a->count, c->seed + 2); /* the gaps keep what z holds before */
    a->truth = spec_numbers(a->count, c->seed + 2);
    a->bound = calloc((size_t)a->count + 1, sizeof *a->bound);
    for (int64_t k = 0; a->y && k < c->rows * a->y_ld; ++k) /* so that sums are rounded */
        a->y[k] = spec_round(c->dtype, a->y[k] * 0.3);
    return a->x && a->y && a->old && a->got && a->order && a->truth && a->bound;
}

static void answer(arrays *a, const spec_case *c) {
    for (int64_t i = 0; i < c->rows; ++i)
        for (int64_t j = 0; j < c->n; ++j) {
            const int64_t at = i * a->z_ld + j;
            a->truth[at] = a->x[i * a->x_ld + j] + a->y[i * a->y_ld + j];
            a->order[at] = spec_round(c->dtype, a->truth[at]);
            a->bound[at] = spec_unit(c->dtype) * fabs(a->truth[at]);
        }
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, const arrays *a) {
    sparcl_dense x = {.rank = 2, .dtype = c->dtype, .shape = {c->rows, c->n}, .ld = a->x_ld};
    sparcl_dense y = x, z = x;
    y.ld = a->y_ld;
    z.ld = a->z_ld;
    sparcl_status status = spec_put_dense(ctx, &x, a->x, c->rows * a->x_ld);
    if (status == SPARCL_OK) status = spec_put_dense(ctx, &y, a->y, c->rows * a->y_ld);
    if (status == SPARCL_OK) status = spec_put_dense(ctx, &z, a->old, a->count);
    const sparcl_dense *const to = c->variant == 1 ? &x : c->variant == 2 ? &y : &z;
    if (status == SPARCL_OK) status = sparcl_add(ctx, to, &x, &y);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, to->values, to->values_at, a->count, c->dtype, a->got);
    sparcl_buf_free(x.values);
    sparcl_buf_free(y.values);
    sparcl_buf_free(z.values);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays a = {0};
    sparcl_status status = SPARCL_E_MEMORY;
    const double bytes = 3 * (double)sparcl_dtype_size(c->dtype);
    *report = (spec_report){.equal = true,
                            .flops = (double)(c->rows * c->n),
                            .bytes = bytes * (double)(c->rows * c->n)};
    if (make(&a, c)) {
        answer(&a, c);
        status = run(ctx, c, &a);
    }
    if (status == SPARCL_OK) spec_compare(report, "z", a.got, a.order, a.truth, a.bound, a.count);
    double *const all[] = {a.x, a.y, a.old, a.got, a.order, a.truth, a.bound};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        free(all[i]);
    return status;
}

const spec_op spec_add = {.name = "add", .get_case = get_case, .check = check};
