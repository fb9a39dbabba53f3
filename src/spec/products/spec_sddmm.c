/* spec_sddmm.c: dot products at the entries of a sparse matrix in plain C. Variant 1: the view of A
 * has more capacity than entries; 2: x and y are vectors (n = 1). */
#include <math.h>

#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"

static const int64_t widths[] = {1, 3, 8, 16, 21, 64, 128, 300, 0};

/* Rows, columns and entries. */
static const int64_t sizes[][3] = {
    {0, 4, 0},     {4, 0, 0},      {3, 3, 0},      {1, 1, 1},       {9, 4, 20},
    {37, 23, 200}, {5, 300, 1500}, {900, 40, 700}, {300, 70, 3000}, {9000, 500, 40000}};

static sparcl_dtype dtype_of(int i) {
    static const sparcl_dtype dtypes[] = {SPARCL_F32, SPARCL_F64, SPARCL_F32, SPARCL_F16,
                                          SPARCL_BF16};
    return dtypes[i % 5];
}

static bool get_case(int i, bool small, spec_case *c) {
    const int n_widths = (int)(sizeof widths / sizeof widths[0]);
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0);
    if (i >= n_widths * n_sizes) return false;
    const int64_t *const size = sizes[i / n_widths];
    *c = (spec_case){.kind = (spec_kind)(i % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .n = widths[i % n_widths],
                     .dtype = dtype_of(i),
                     .offset_type = i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 4 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .alpha = i % 4 ? 1 : -0.5,
                     .beta = i % 2 ? 0.25 : 0,
                     .variant = widths[i % n_widths] == 1 && i % 2 ? 2 : i / 3 % 2,
                     .seed = (uint64_t)i + 77};
    return true;
}

typedef struct state {
    const spec_case *c;
    spec_matrix a;
    int64_t capacity, ld;
    const double *x, *y, *v; /* v before the call */
    sparcl_csr a_view;
    sparcl_dense x_view, y_view, v_view;
} state;

/* A matrix or a vector; between rows are gaps. */
static sparcl_dense put_dense(spec_test *t, int64_t rows, int64_t ld, const double *x) {
    sparcl_dense view = spec_dense(t, rows, t->c->n, ld, x);
    if (t->c->variant == 2) view.rank = 1;
    return view;
}

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    s->c = c;
    s->a = spec_matrix_of(t, c->nnz, c->seed);
    s->capacity = s->a.nnz + (c->variant == 1 ? s->a.nnz / 3 : 0);
    s->ld = t->given ? c->n : c->n + (c->variant == 2 ? 1 : 3);
    s->x = spec_drawn(t, c->rows * s->ld, c->seed + 1);
    s->y = spec_drawn(t, c->cols * s->ld, c->seed + 2);
    double *const v = spec_drawn(t, s->capacity, c->seed + 3);
    for (int64_t k = 0; c->beta == 0 && k < s->capacity; ++k)
        v[k] = NAN; /* not read */
    s->v = v;
    s->a_view = spec_csr_wide(t, &s->a, s->capacity);
    s->x_view = put_dense(t, c->rows, s->ld, s->x);
    s->y_view = put_dense(t, c->cols, s->ld, s->y);
    s->v_view = spec_vector(t, s->capacity, s->v);
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    const state *const s = made;
    (void)number;
    return sparcl_sddmm(ctx, &s->v_view, s->c->alpha, &s->a_view, &s->x_view, &s->y_view,
                        s->c->beta);
}

/* Entry k, from a row of x and of y. */
static void answer(const state *s, int64_t k, const double *x, const double *y,
                   const spec_answer *to) {
    const spec_case *const c = s->c;
    const double old = c->beta == 0 ? 0 : c->beta * s->v[k];
    const double scaled =
        spec_round(c->dtype, c->alpha * spec_sum_products(c->dtype, x, y, 1, c->n, true));
    const double result =
        c->beta == 0 ? scaled : spec_round(c->dtype, scaled + spec_round(c->dtype, old));
    double exact = 0, magnitude = 0;
    for (int64_t j = 0; j < c->n; ++j) {
        exact += x[j] * y[j];
        magnitude += fabs(x[j] * y[j]);
    }
    to->order[k] = spec_store(c->dtype, result);
    to->truth[k] = c->alpha * exact + old;
    to->bound[k] = ((spec_depth(c->n, true) + spec_depth_scaling(c->alpha, c->beta)) *
                        spec_unit(c->dtype) * (fabs(c->alpha) * magnitude + fabs(old)) +
                    spec_store_error(c->dtype, to->truth[k])) *
                       SPEC_SECOND_ORDER +
                   spec_smallest(c->dtype);
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    const spec_answer to = spec_answer_room(t, s->capacity);
    for (int64_t row = 0; row < s->a.rows; ++row)
        for (int64_t k = s->a.offsets[row]; k < s->a.offsets[row + 1]; ++k)
            answer(s, k, s->x + row * s->ld, s->y + s->a.indices[k] * s->ld, &to);
    t->report->zeros_expected = t->given || t->c->n == 0;
    spec_expect_dense(t, "v", &s->v_view, to.order, to.truth, to.bound);
}

static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double n = (double)t->c->n;
    (void)number;
    *flops = 2 * (double)s->a.nnz * n;
    *bytes = spec_csr_bytes(&s->a_view) +
             4 * n * (double)(spec_rows_used(&s->a) + spec_columns_used(&s->a));
}

extern const spec_op spec_sddmm;
static const spec_bench timed[] = {{"sddmm",
                                    "dot products of rows of two dense matrices, at A's entries",
                                    SPEC_BENCH_WIDTHS, .op = &spec_sddmm, .setting = {.alpha = 1}},
                                   {0}};

const spec_op spec_sddmm = {.name = "sddmm",
                            .get_case = get_case,
                            .state_size = sizeof(state),
                            .make = make,
                            .call = call,
                            .expect = expect,
                            .work = work,
                            .timed = timed};
