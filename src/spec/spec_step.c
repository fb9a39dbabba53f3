/* spec_step.c: one step of an optimizer in plain C. Variant: the rule, + 4 for a dense gradient;
 * alpha: the learning rate; beta: l2. */
#include <math.h>
#include <stdlib.h>

#include "spec/rowset.h"
#include "spec/rule_answer.h"

static const int64_t widths[] = {1, 2, 3, 5, 8, 16, 17, 32, 64, 100, 128, 300};

/* Rows of the table, rows of the gradient; some have many rows of one index. */
static const int64_t sizes[][2] = {{0, 0},   {4, 0},   {1, 1},    {9, 20},   {300, 200},
                                   {2, 150}, {3, 300}, {3, 1000}, {900, 700}};

/* The learning rate of sparcl_optim_init. */
static double default_lr(int rule) {
    sparcl_optim o;
    sparcl_optim_init(&o, (sparcl_rule)rule);
    return o.lr;
}

/* Gradients with duplicate rows, most of them for Adagrad, which has only two kinds in get_case. */
#define MORE 36

static bool get_more(int i, spec_case *c) {
    static const spec_kind kinds[] = {SPEC_DUPLICATE, SPEC_ONE_COL, SPEC_UNIFORM, SPEC_RAGGED};
    static const int rules[] = {SPARCL_RULE_ADAGRAD, SPARCL_RULE_SGD,     SPARCL_RULE_ADAGRAD,
                                SPARCL_RULE_ADAM,    SPARCL_RULE_ADAGRAD, SPARCL_RULE_MOMENTUM};
    if (i >= MORE) return false;
    *c = (spec_case){.kind = kinds[i % 4],
                     .rows = 2 + i * 7 % 23,
                     .nnz = 150 + i * 37 % 400,
                     .n = 1 + i * 5 % 40,
                     .dtype = i % 7 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .index_type = i % 5 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .alpha = default_lr(rules[i % 6]),
                     .beta = i % 3 ? 0 : 0.25,
                     .seed = (uint64_t)i + 3001,
                     .variant = rules[i % 6]};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 2 : 0);
    const int n_widths = (int)(sizeof widths / sizeof widths[0]);
    const int k = i / 8;
    if (k >= n_sizes * n_widths) return get_more(i - 8 * n_sizes * n_widths, c);
    const double lr[] = {default_lr(i % 4), 0.1, -0.5};
    static const double l2[] = {0, 0.25, 0, 1e-3, 0};
    *c = (spec_case){.kind = (spec_kind)((k + i) % SPEC_KINDS),
                     .rows = sizes[k / n_widths][0],
                     .nnz = sizes[k / n_widths][1],
                     .n = widths[k % n_widths],
                     .dtype = i % 5 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .index_type = i % 3 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .alpha = lr[i % 3],
                     .beta = l2[(k + i) % 5],
                     .seed = (uint64_t)i + 1,
                     .variant = i % 8};
    return true;
}

static sparcl_optim optim_of(const spec_case *c) {
    sparcl_optim o;
    sparcl_optim_init(&o, (sparcl_rule)(c->variant % 4));
    o.lr = c->alpha;
    o.l2 = c->beta;
    if (c->seed % 4 == 0) {
        o.momentum = 0.5;
        o.epsilon = 1e-3;
    }
    o.step = (int64_t)(c->seed % 1000) + 1;
    return o;
}

/* The table and two states, [rows, ld] each. */
typedef struct tables {
    double *x[3];
} tables;

typedef struct arrays {
    spec_rowset from, sum;
    double *g_truth, *g_bound;
    tables start, order, truth, bound, got;
} arrays;

static void drop_tables(tables *t) {
    for (int s = 0; s < 3; ++s)
        free(t->x[s]);
}

static void drop(arrays *x) {
    spec_rowset_free(&x->from);
    spec_rowset_free(&x->sum);
    free(x->g_truth);
    free(x->g_bound);
    drop_tables(&x->start);
    drop_tables(&x->order);
    drop_tables(&x->truth);
    drop_tables(&x->bound);
    drop_tables(&x->got);
}

/* Seeds divisible by 4 have no gaps between rows; gaps must stay unchanged. */
static int64_t ld_of(const spec_case *c) {
    return c->n + (c->seed % 4 ? 3 : 0);
}

static bool make_tables(tables *t, const spec_case *c) {
    const int64_t count = c->rows * ld_of(c);
    for (int s = 0; s < 3; ++s) {
        t->x[s] = spec_numbers(count, c->seed + 7 * (uint64_t)s);
        if (!t->x[s]) return false;
        const bool is_square = s == 2 || (s == 1 && c->variant % 4 == SPARCL_RULE_ADAGRAD);
        for (int64_t i = 0; is_square && i < count; ++i)
            t->x[s][i] = fabs(t->x[s][i]);
    }
    return true;
}

static bool make(arrays *x, const spec_case *c) {
    const bool is_dense = c->variant >= 4;
    if (!spec_rowset_make(&x->from, is_dense ? SPEC_DIAGONAL : c->kind, c->rows,
                          is_dense ? c->rows : c->nnz, c->n, c->seed))
        return false;
    x->g_truth = spec_numbers(x->from.capacity * c->n, 0);
    x->g_bound = spec_numbers(x->from.capacity * c->n, 0);
    if (!x->g_truth || !x->g_bound || !make_tables(&x->start, c) || !make_tables(&x->order, c) ||
        !make_tables(&x->truth, c) || !make_tables(&x->bound, c) || !make_tables(&x->got, c))
        return false;
    for (int s = 0; s < 3; ++s)
        for (int64_t i = 0; i < c->rows * ld_of(c); ++i)
            x->bound.x[s][i] = 0;
    return spec_rowset_sum(&x->sum, &x->from, c->dtype, x->g_truth, x->g_bound);
}

static void put(tables *t, int64_t at, spec_element e) {
    t->x[0][at] = e.w;
    t->x[1][at] = e.p;
    t->x[2][at] = e.q;
}

static void answer(arrays *x, const spec_case *c) {
    const sparcl_optim o = optim_of(c);
    const spec_hyper exact = spec_hyper_of(&o, c->dtype), h = spec_hyper_rounded(exact);
    for (int64_t u = 0; u < x->sum.stored; ++u)
        for (int64_t j = 0; j < c->n; ++j) {
            const int64_t at = x->sum.ids[u] * ld_of(c) + j, k = u * c->n + j;
            const spec_element old = {x->start.x[0][at], x->start.x[1][at], x->start.x[2][at]};
            const spec_element truth = spec_step_truth(&exact, old, x->g_truth[k]);
            put(&x->order, at, spec_step_order(&h, old, x->sum.values[k]));
            put(&x->truth, at, truth);
            put(&x->bound, at, spec_step_bound(&exact, old, truth, x->g_truth[k], x->g_bound[k]));
        }
}

/* A step with the gradient as a dense array, with the table's leading dimension. */
static sparcl_status step_dense(sparcl_ctx *ctx, const spec_case *c, const sparcl_optim *o,
                                const sparcl_dense t[3], const arrays *x) {
    sparcl_dense g = t[0];
    double *values = spec_numbers(c->rows * ld_of(c), 1);
    if (!values) return SPARCL_E_MEMORY;
    for (int64_t i = 0; i < c->rows; ++i)
        for (int64_t j = 0; j < c->n; ++j)
            values[i * ld_of(c) + j] = x->from.values[i * c->n + j];
    sparcl_status status = spec_put_reals(ctx, &g.values, values, c->rows * ld_of(c), c->dtype);
    if (status == SPARCL_OK) status = sparcl_step_dense(ctx, o, &t[0], &t[1], &g);
    sparcl_buf_free(g.values);
    free(values);
    return status;
}

static sparcl_status step_rows(sparcl_ctx *ctx, const spec_case *c, const sparcl_optim *o,
                               const sparcl_dense t[3], const arrays *x) {
    sparcl_rows g = {0};
    sparcl_status status = spec_put_rows(ctx, &g, &x->from, c);
    if (status == SPARCL_OK) status = sparcl_step(ctx, o, &t[0], &t[1], &g);
    sparcl_rows_free(&g);
    return status;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *x) {
    const sparcl_optim o = optim_of(c);
    const int64_t count = c->rows * ld_of(c);
    sparcl_dense t[3] = {{0}};
    sparcl_status status = SPARCL_OK;
    for (int s = 0; s < 3 && status == SPARCL_OK; ++s) {
        t[s] = (sparcl_dense){.dtype = c->dtype, .ld = ld_of(c)};
        t[s].rank = spec_shape(t[s].shape, c->rows, c->n, c->seed);
        status = spec_put_reals(ctx, &t[s].values, x->start.x[s], count, c->dtype);
    }
    if (status == SPARCL_OK)
        status = c->variant >= 4 ? step_dense(ctx, c, &o, t, x) : step_rows(ctx, c, &o, t, x);
    for (int s = 0; s < 3; ++s) {
        if (status == SPARCL_OK)
            status = spec_get_reals(ctx, t[s].values, 0, count, c->dtype, x->got.x[s]);
        sparcl_buf_free(t[s].values);
    }
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    static const char *const names[] = {"table", "first state", "second state"};
    arrays x = {0};
    const double elements = (double)(c->variant >= 4 ? c->rows : c->nnz) * (double)c->n;
    const int states = sparcl_rule_states((sparcl_rule)(c->variant % 4));
    *report =
        (spec_report){.equal = true,
                      .flops = elements * (2 + 6 * states),
                      .bytes = elements * (3 + 2 * states) * (double)sparcl_dtype_size(c->dtype)};
    sparcl_status status = make(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) {
        answer(&x, c);
        status = run(ctx, c, &x);
    }
    for (int s = 0; s < 3 && status == SPARCL_OK; ++s)
        spec_compare(report, names[s], x.got.x[s], x.order.x[s], x.truth.x[s], x.bound.x[s],
                     c->rows * ld_of(c));
    drop(&x);
    return status;
}

const spec_op spec_step = {"step", get_case, check};
