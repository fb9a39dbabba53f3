/* spec_catch_up.c: applying missed steps, in plain C. Variant: 0 SGD, 1 momentum; + 2 for all rows;
 * alpha: the learning rate; beta: l2. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sparcl/optim_text.h"
#include "spec/shared/rowset.h"

#define MOMENTUM 0.9

static const int64_t widths[] = {1, 2, 3, 5, 8, 16, 17, 32, 64, 100, 128, 300};
static const int64_t sizes[][2] = {{0, 0}, {4, 0}, {1, 1}, {20, 9}, {300, 200}, {900, 700}};
static const int64_t steps[] = {1, 2, 3, 65, 1000, 70000};

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 2 : 0);
    const int n_widths = (int)(sizeof widths / sizeof widths[0]);
    const int all = n_sizes * n_widths; /* first 4 variants without duplicates, then 2 with */
    const bool duplicates = i >= 4 * all;
    const int k = duplicates ? (i - 4 * all) / 2 : i / 4;
    if (k >= all) return false;
    static const double lr[] = {0.001, 0.1, 0.5, 0.01}, l2[] = {0.01, 1e-5, 0, 0.25, 1e-3};
    *c = (spec_case){.kind = duplicates ? SPEC_UNIFORM : SPEC_DIAGONAL,
                     .rows = sizes[k / n_widths][0],
                     .nnz = sizes[k / n_widths][1],
                     .n = widths[k % n_widths],
                     .dtype = i % 5 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .index_type = i % 3 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .alpha = lr[k % 4],
                     .beta = l2[i % 5],
                     .seed = (uint64_t)i + 1,
                     .variant = duplicates ? i % 2 : i % 4};
    const int64_t step = steps[c->seed % (sizeof steps / sizeof steps[0])];
    c->subnormal = step >= 1000;
    if (step > 1000) c->alpha = lr[0]; /* else weights would become 0 */
    return true;
}

static sparcl_optim optim_of(const spec_case *c) {
    sparcl_optim o;
    sparcl_optim_init(&o, c->variant % 2 ? SPARCL_RULE_MOMENTUM : SPARCL_RULE_SGD);
    o.lr = c->alpha;
    o.momentum.factor = MOMENTUM;
    o.decay.weight = c->beta;
    o.step = steps[c->seed % (sizeof steps / sizeof steps[0])];
    return o;
}

/* One step with a gradient of l2 w, as a matrix on (b, w); without momentum only m[3] counts. */
typedef struct matrix {
    double m[4];
} matrix;

static matrix one_step(const spec_case *c) {
    const double lr = c->alpha, l2 = c->beta;
    if (c->variant % 2 == 0) return (matrix){{0, 0, 0, 1 - lr * l2}};
    return (matrix){{MOMENTUM, l2, -(lr * MOMENTUM), 1 - lr * l2}};
}

static matrix times(matrix a, matrix b) {
    return (matrix){{a.m[0] * b.m[0] + a.m[1] * b.m[2], a.m[0] * b.m[1] + a.m[1] * b.m[3],
                     a.m[2] * b.m[0] + a.m[3] * b.m[2], a.m[2] * b.m[1] + a.m[3] * b.m[3]}};
}

typedef struct pair {
    double b, w;
} pair;

static pair apply(matrix m, pair x, sparcl_dtype dtype) {
    const double bb = spec_round(dtype, m.m[0] * x.b), bw = spec_round(dtype, m.m[1] * x.w);
    const double wb = spec_round(dtype, m.m[2] * x.b), ww = spec_round(dtype, m.m[3] * x.w);
    return (pair){spec_round(dtype, bb + bw), spec_round(dtype, wb + ww)};
}

static pair apply_factor(matrix m, pair x, sparcl_dtype dtype) {
    return (pair){x.b, spec_round(dtype, m.m[3] * x.w)};
}

static matrix map(matrix m, double (*f)(double)) {
    return (matrix){{f(m.m[0]), f(m.m[1]), f(m.m[2]), f(m.m[3])}};
}

static double narrow(double x) {
    return (float)x;
}

/* The rule of docs/numerics.md: the powers of the set bits of `missed`, from the lowest bit up. */
static pair order_of(const spec_case *c, matrix m, pair x, int64_t missed, pair *majorant,
                     int *bits) {
    *majorant = (pair){fabs(x.b), fabs(x.w)};
    for (*bits = 0; missed > 0; missed /= 2, m = times(m, m)) {
        if (missed % 2 == 0) continue;
        const matrix rounded = c->dtype == SPARCL_F32 ? map(m, narrow) : m;
        x = (c->variant % 2 ? apply : apply_factor)(rounded, x, c->dtype);
        *majorant = (c->variant % 2 ? apply : apply_factor)(map(m, fabs), *majorant, SPARCL_F64);
        ++*bits;
    }
    return x;
}

typedef struct arrays {
    spec_rowset rows;
    int64_t *last, *last_order;
    double *start[2], *order[2], *truth[2], *bound[2]; /* w, b */
} arrays;

static void drop(arrays *x) {
    spec_rowset_free(&x->rows);
    free(x->last);
    free(x->last_order);
    for (int s = 0; s < 2; ++s) {
        free(x->start[s]);
        free(x->order[s]);
        free(x->truth[s]);
        free(x->bound[s]);
    }
}

static int64_t ld_of(const spec_case *c) {
    return c->n + 3;
}

/* Every third row has missed almost all steps; some rows are up to date or ahead. */
static int64_t last_of(int64_t row, int64_t step, uint64_t *seed) {
    const int64_t any = (int64_t)(spec_random(seed) % (uint64_t)(step + 2));
    return row % 3 == 0 ? any % 4 : any;
}

static bool make(arrays *x, const spec_case *c) {
    const int64_t count = c->rows * ld_of(c);
    uint64_t seed = c->seed;
    x->last = malloc((size_t)(c->rows + 1) * sizeof *x->last);
    x->last_order = malloc((size_t)(c->rows + 1) * sizeof *x->last_order);
    if (!x->last || !x->last_order ||
        !spec_rowset_make(&x->rows, c->kind, c->rows, c->nnz, 1, c->seed))
        return false;
    /* ids across the table, not only the first ones */
    for (int64_t k = 0; k < x->rows.stored && c->kind == SPEC_DIAGONAL; ++k)
        x->rows.ids[k] = k * c->rows / x->rows.stored;
    for (int64_t i = 0; i < c->rows; ++i)
        x->last[i] = x->last_order[i] = last_of(i, optim_of(c).step, &seed);
    for (int s = 0; s < 2; ++s) {
        x->start[s] = spec_numbers(count, c->seed + (uint64_t)s);
        x->order[s] = spec_numbers(count, c->seed + (uint64_t)s);
        x->truth[s] = spec_numbers(count, c->seed + (uint64_t)s);
        x->bound[s] = calloc((size_t)count + 1, sizeof(double));
        if (!x->start[s] || !x->order[s] || !x->truth[s] || !x->bound[s]) return false;
    }
    return true;
}

static void answer_row(arrays *x, const spec_case *c, int64_t row) {
    const int64_t done = optim_of(c).step - 1, missed = done - x->last[row];
    if (missed <= 0) return;
    const matrix m = one_step(c);
    matrix product = {{1, 0, 0, 1}};
    for (int64_t k = 0; k < missed; ++k)
        product = times(m, product);
    const double underflow = c->dtype == SPARCL_F32 ? ldexp(1, -140) : ldexp(1, -1060);
    x->last_order[row] = done;
    for (int64_t j = 0; j < c->n; ++j) {
        const int64_t at = row * ld_of(c) + j;
        const pair old = {x->start[1][at], x->start[0][at]};
        pair majorant, truth = apply(product, old, SPARCL_F64);
        int bits;
        const pair order = order_of(c, m, old, missed, &majorant, &bits);
        if (c->variant % 2 == 0) truth = apply_factor(product, old, SPARCL_F64);
        const double off =
            1.01 * (3 * bits * spec_unit(c->dtype) + 4 * (double)missed * spec_unit(SPARCL_F64));
        x->order[0][at] = order.w;
        x->truth[0][at] = truth.w;
        x->bound[0][at] = off * majorant.w + underflow;
        if (c->variant % 2 == 0) continue;
        x->order[1][at] = order.b;
        x->truth[1][at] = truth.b;
        x->bound[1][at] = off * majorant.b + underflow;
    }
}

static void answer(arrays *x, const spec_case *c) {
    if (c->variant >= 2)
        for (int64_t row = 0; row < c->rows; ++row)
            answer_row(x, c, row);
    else
        for (int64_t k = 0; k < x->rows.stored; ++k)
            answer_row(x, c, x->rows.ids[k]);
}

/* Results overwrite start and last. */
static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *x) {
    const int64_t count = c->rows * ld_of(c);
    sparcl_optim o = optim_of(c);
    sparcl_rows rows = {0};
    sparcl_dense t[2] = {{0}};
    sparcl_status status = spec_put_rows(ctx, &rows, &x->rows, c);
    rows.rank = 2;
    rows.shape[1] = 0;
    if (status == SPARCL_OK)
        status = spec_put_ints(ctx, &o.lazy.last_steps, x->last, c->rows, SPARCL_INDEX64);
    for (int s = 0; s < 2 && status == SPARCL_OK; ++s) {
        t[s] = (sparcl_dense){.dtype = c->dtype, .ld = ld_of(c)};
        t[s].rank = spec_shape(t[s].shape, c->rows, c->n, c->seed);
        status = spec_put_dense(ctx, &t[s], x->start[s], count);
    }
    if (status == SPARCL_OK)
        status = sparcl_catch_up(ctx, &o, &t[0], &t[1], c->variant >= 2 ? NULL : &rows);
    for (int s = 0; s < 2; ++s) {
        if (status == SPARCL_OK)
            status = spec_get_reals(ctx, t[s].values, t[s].values_at, count, c->dtype, x->start[s]);
        sparcl_buf_free(t[s].values);
    }
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, o.lazy.last_steps, 0, c->rows, SPARCL_INDEX64, x->last);
    sparcl_buf_free(o.lazy.last_steps);
    sparcl_rows_free(&rows);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays x = {0};
    const double elements = (double)(c->variant >= 2 ? c->rows : c->nnz) * (double)c->n;
    const int tables = 1 + c->variant % 2;
    *report = (spec_report){.equal = true,
                            .flops = elements * (c->variant % 2 ? 6 : 1),
                            .bytes = elements * 2 * tables * (double)sparcl_dtype_size(c->dtype)};
    sparcl_status status = make(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) {
        answer(&x, c);
        status = run(ctx, c, &x);
    }
    if (status == SPARCL_OK) {
        spec_compare_ints(report, "last_steps", x.last, x.last_order, c->rows);
        spec_compare(report, "table", x.start[0], x.order[0], x.truth[0], x.bound[0],
                     c->rows * ld_of(c));
        report->zeros_expected = c->beta == 0; /* only momentum, which decays */
        spec_compare(report, "state", x.start[1], x.order[1], x.truth[1], x.bound[1],
                     c->rows * ld_of(c));
    }
    drop(&x);
    return status;
}

const spec_op spec_catch_up = {.name = "catch_up", .get_case = get_case, .check = check};
