/* spec_spmm_reduce.c: sparse products with sum, mean, maximum and minimum in plain C. Variant 0 to
 * 3: these operations; + 4: its gradients by B and by the values of A. */
#include <math.h>

#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"

enum { MEAN = 1, MAX = 2, GRADIENT = 4 };

static const int64_t widths[] = {1, 3, 8, 17, 37, 64};

/* Rows, columns and entries. */
static const int64_t sizes[][3] = {{0, 4, 0},      {4, 0, 0},        {3, 3, 0},      {1, 1, 1},
                                   {9, 4, 20},     {37, 23, 200},    {5, 300, 1500}, {900, 40, 700},
                                   {300, 7, 3000}, {4000, 500, 7000}};

static sparcl_reduction op_of(const spec_case *c) {
    static const sparcl_reduction ops[] = {SPARCL_REDUCE_SUM, SPARCL_REDUCE_MEAN, SPARCL_REDUCE_MAX,
                                           SPARCL_REDUCE_MIN};
    return ops[c->variant % 4];
}

static bool chooses(const spec_case *c) {
    return op_of(c) >= SPARCL_REDUCE_MAX;
}

static sparcl_dtype dtype_of(int i, int variant) {
    static const sparcl_dtype dtypes[] = {SPARCL_F32, SPARCL_F64, SPARCL_BF16, SPARCL_F32,
                                          SPARCL_F16};
    const sparcl_dtype dtype = dtypes[i / 3 % 5];
    return dtype > SPARCL_F64 && variant % 4 < 2 ? SPARCL_F32 : dtype;
}

/* Sums and means of 16 bits, and their gradients, in each size. */
static bool get_half(int i, int n_sizes, spec_case *c) {
    static const int variants[] = {0, 1, 4, 5};
    const int n_widths = (int)(sizeof widths / sizeof widths[0]);
    if (i >= n_sizes * 4) return false;
    const int64_t *const size = sizes[i / 4];
    *c = (spec_case){.kind = (spec_kind)(i / 3 % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .n = widths[(i + i / 4) % n_widths],
                     .dtype = (i + i / 4) % 2 ? SPARCL_BF16 : SPARCL_F16,
                     .offset_type = i / 4 % 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i / 4 % 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .alpha = 1,
                     .variant = variants[i % 4],
                     .seed = (uint64_t)i + 977};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0);
    const int n_widths = (int)(sizeof widths / sizeof widths[0]), variant = i % 8;
    if (i >= n_sizes * n_widths * 8) return get_half(i - n_sizes * n_widths * 8, n_sizes, c);
    const int64_t *const size = sizes[i / 8 / n_widths];
    *c = (spec_case){.kind = (spec_kind)(i / 5 % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .n = widths[i / 8 % n_widths],
                     .dtype = dtype_of(i, variant),
                     .offset_type = i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 7 > 4 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .alpha = 1,
                     .variant = variant,
                     .seed = (uint64_t)i + 177};
    return true;
}

typedef struct state {
    const spec_case *c;
    spec_matrix a;
    const double *b, *g;
    spec_answer product;
    double *chosen; /* the positions of maxima or minima, or -1 */
    sparcl_csr a_view;
    sparcl_dense b_view, g_view, to, places, gb, gv;
    const sparcl_dense *positions; /* NULL, or places */
    sparcl_pattern *pattern;       /* of a gradient that is measured */
} state;

/* --- answers ---------------------------------------------------------------------------------- */

static int64_t row_length(const spec_matrix *m, int64_t row) {
    return m->offsets[row + 1] - m->offsets[row];
}

static void choose(state *s, int64_t row, int64_t j) {
    const spec_case *const c = s->c;
    const int64_t at = row * c->n + j;
    double best = 0, largest = 0, exact = 0;
    int64_t place = -1;
    for (int64_t k = s->a.offsets[row]; k < s->a.offsets[row + 1]; ++k) {
        const double product = s->a.values[k] * s->b[s->a.indices[k] * c->n + j];
        const double term = spec_round(c->dtype, product);
        const bool better = op_of(c) == SPARCL_REDUCE_MAX ? !(term <= best) : !(term >= best);
        if (place < 0 || (!isnan(best) && better)) {
            best = term;
            exact = product;
            place = k;
        }
        if (fabs(term) > largest) largest = fabs(term);
    }
    s->product.order[at] = spec_store(c->dtype, best);
    s->product.truth[at] = exact;
    s->product.bound[at] =
        (spec_unit(c->dtype) * largest + spec_store_error(c->dtype, largest)) * SPEC_SECOND_ORDER +
        spec_smallest(c->dtype);
    s->chosen[at] = (double)place;
}

/* The mean from the sum of row i. */
static void divide(state *s, int64_t i) {
    const spec_case *const c = s->c;
    const spec_answer *const x = &s->product;
    const double count = (double)row_length(&s->a, i / c->n);
    if (count == 0) return;
    x->order[i] = spec_round(c->dtype, x->order[i] / count);
    x->truth[i] /= count;
    x->bound[i] = x->bound[i] / count + spec_unit(c->dtype) * fabs(x->truth[i]) * SPEC_SECOND_ORDER;
    spec_store_answer(c->dtype, &x->order[i], x->truth[i], &x->bound[i]);
}

static void answer_product(spec_test *t, state *s) {
    const spec_case *const c = s->c;
    const bool is_mean = op_of(c) == SPARCL_REDUCE_MEAN;
    const int64_t count = c->rows * c->n;
    spec_case sums = *c;
    if (is_mean && c->dtype != SPARCL_F64)
        sums.dtype = SPARCL_F32; /* sums are not rounded to 16 bits */
    s->product = spec_answer_room(t, count);
    for (int64_t i = 0; chooses(c) && i < count; ++i)
        choose(s, i / c->n, i % c->n);
    if (chooses(c)) return;
    const bool done = spec_product(&sums, &s->a, s->b, c->n, s->g, c->n, s->product.order,
                                   s->product.truth, s->product.bound);
    spec_need(t, done ? SPARCL_OK : SPARCL_E_MEMORY);
    for (int64_t i = 0; is_mean && i < count; ++i)
        divide(s, i);
}

/* A sum of products x[i] * y[i]. */
static void answer_sum(const spec_case *c, const double *x, const double *y, int64_t length,
                       bool one_column, const spec_answer *to, int64_t at) {
    double exact = 0, magnitude = 0;
    for (int64_t k = 0; k < length; ++k) {
        exact += x[k] * y[k];
        magnitude += fabs(x[k] * y[k]);
    }
    to->order[at] = spec_store(c->dtype, spec_sum_products(c->dtype, x, y, 1, length, one_column));
    to->truth[at] = exact;
    to->bound[at] = ((spec_depth(length, one_column) + 1) * spec_unit(c->dtype) * magnitude +
                     spec_store_error(c->dtype, exact)) *
                        SPEC_SECOND_ORDER +
                    spec_smallest(c->dtype);
}

static void answer_by_values(const state *s, const double *g, double *x, const spec_answer *to) {
    const spec_case *const c = s->c;
    for (int64_t row = 0; row < c->rows; ++row)
        for (int64_t k = s->a.offsets[row]; k < s->a.offsets[row + 1]; ++k) {
            for (int64_t j = 0; j < c->n; ++j) {
                const int64_t at = row * c->n + j;
                x[j] = chooses(c) && (int64_t)s->chosen[at] != k ? 0 : g[at];
            }
            answer_sum(c, x, s->b + s->a.indices[k] * c->n, c->n, true, to, k);
        }
}

/* `t`: the transpose of A with positions as its values. */
static void answer_by_b(const state *s, const spec_matrix *t, const double *g, double *x, double *y,
                        const spec_answer *to) {
    const spec_case *const c = s->c;
    for (int64_t e = 0; e < c->cols * c->n; ++e) {
        const int64_t begin = t->offsets[e / c->n], length = row_length(t, e / c->n);
        for (int64_t i = 0; i < length; ++i) {
            const int64_t k = (int64_t)t->values[begin + i];
            const int64_t at = t->indices[begin + i] * c->n + e % c->n;
            x[i] = chooses(c) && (int64_t)s->chosen[at] != k ? 0 : s->a.values[k];
            y[i] = g[at];
        }
        answer_sum(c, x, y, length, c->n == 1 && !chooses(c), to, e);
    }
}

/* --- operands --------------------------------------------------------------------------------- */

/* A few equal numbers, so that there are equal terms. */
static double *draw(spec_test *t, int64_t count, uint64_t seed) {
    double *const x = spec_drawn(t, count, seed);
    for (int64_t i = 0; i < count; i += 3)
        x[i] = 0.5;
    return x;
}

static spec_matrix draw_matrix(spec_test *t) {
    const spec_case *const c = t->c;
    spec_matrix a = spec_matrix_of(t, c->nnz, c->seed);
    if (!t->given && c->seed % 3 == 0) spec_matrix_unique(&a);
    for (int64_t k = 0; !t->given && k < a.nnz; ++k)
        a.values[k] = spec_store(c->dtype, k % 3 == 1 ? 0.5 : a.values[k]);
    return a;
}

/* x, [rows, n], with gaps of two elements between the rows. */
static sparcl_dense put_dense(spec_test *t, sparcl_dtype dtype, int64_t rows, const double *x) {
    const int64_t n = t->c->n, ld = t->given ? n : n + 2;
    double *const spaced = spec_drawn(t, rows * ld, 3);
    for (int64_t i = 0; i < rows * n; ++i)
        spaced[i / n * ld + i % n] = x[i];
    return spec_dense_of(t, (sparcl_dense){.rank = 2, .dtype = dtype, .shape = {rows, n}, .ld = ld},
                         spaced);
}

static void make_gradient(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    if (chooses(c)) answer_product(t, s);
    s->g_view = put_dense(t, c->dtype, c->rows, s->g);
    s->gb = put_dense(t, c->dtype, c->cols, s->b);
    s->gv = spec_vector(t, s->a.nnz, s->a.values);
    if (t->given) s->pattern = spec_pattern(t, &s->a_view);
}

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    const bool is_gradient = c->variant >= GRADIENT;
    s->c = c;
    s->a = draw_matrix(t);
    s->b = draw(t, c->cols * c->n, c->seed + 1);
    s->g = draw(t, c->rows * c->n, c->seed + 2);
    s->chosen = spec_reals(t, c->rows * c->n);
    s->a_view = spec_csr(t, &s->a);
    s->b_view = put_dense(t, c->dtype, c->cols, s->b);
    if (is_gradient)
        make_gradient(t, s);
    else
        s->to = put_dense(t, c->dtype, c->rows, s->g);
    if (!chooses(c) || (t->given && !is_gradient)) return;
    s->places = put_dense(t, c->seed % 2 ? SPARCL_INT32 : SPARCL_INT64, c->rows, s->chosen);
    s->positions = &s->places;
    if (!is_gradient && c->seed / 8 % 2) t->calls = 2;
}

/* Call 1: a maximum or minimum again, which other kernels compute without the positions. */
static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    const state *const s = made;
    const sparcl_reduction op = op_of(s->c);
    if (s->c->variant >= GRADIENT)
        return sparcl_spmm_reduce_gradient(ctx, op, &s->gb, &s->gv, &s->g_view, &s->a_view,
                                           &s->b_view, s->positions, s->pattern);
    const sparcl_status status = number ? spec_poison(ctx, s->to.values) : SPARCL_OK;
    if (status != SPARCL_OK) return status;
    return sparcl_spmm_reduce(ctx, op, &s->to, &s->a_view, &s->b_view,
                              number ? NULL : s->positions);
}

/* Compare the elements without the gaps. */
static void compare(spec_test *t, const char *what, const sparcl_dense *view,
                    const spec_answer *x) {
    const int64_t rows = view->shape[0], n = view->shape[1];
    double *const got = spec_reals(t, rows * n);
    for (int64_t i = 0; i < rows; ++i)
        spec_need(t, spec_get_reals(t->ctx, view->values, view->values_at + i * view->ld, n,
                                    view->dtype, got + i * n));
    spec_compare(t->report, what, got, x->order, x->truth, x->bound, rows * n);
}

static void expect_gradient(spec_test *t, const state *s) {
    const spec_case *const c = t->c;
    const int64_t most = s->a.nnz > c->n ? s->a.nnz : c->n;
    const spec_answer gb = spec_answer_room(t, c->cols * c->n), gv = spec_answer_room(t, s->a.nnz);
    double *const x = spec_reals(t, most), *const y = spec_reals(t, most);
    double *const g = spec_copied(t, s->g, c->rows * c->n); /* as the gradients of a sum read it */
    spec_matrix positions = s->a;
    positions.values = spec_reals(t, s->a.nnz);
    for (int64_t k = 0; k < s->a.nnz; ++k)
        positions.values[k] = (double)k;
    const spec_matrix transposed = spec_transposed(t, &positions);
    for (int64_t i = 0; op_of(c) == SPARCL_REDUCE_MEAN && i < c->rows * c->n; ++i) {
        const double count = (double)row_length(&s->a, i / c->n);
        if (count > 0) g[i] = spec_round(c->dtype, g[i] / count);
    }
    answer_by_values(s, g, x, &gv);
    answer_by_b(s, &transposed, g, x, y, &gb);
    compare(t, "gb", &s->gb, &gb);
    spec_expect_dense(t, "gv", &s->gv, gv.order, gv.truth, gv.bound);
}

static void expect(spec_test *t) {
    state *const s = t->state;
    t->report->zeros_expected = true;
    if (t->c->variant >= GRADIENT) {
        expect_gradient(t, s);
        return;
    }
    answer_product(t, s);
    compare(t, "C", &s->to, &s->product);
    if (s->positions) compare(t, "chosen", &s->places, &(spec_answer){.order = s->chosen});
}

/* Of a gradient: A and its pattern, all of B, and the positions of a maximum. */
static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double n = (double)t->c->n, rows = (double)s->a.rows, cols = (double)s->a.cols;
    const double matrix = spec_csr_bytes(&s->a_view), terms = (double)s->a.nnz;
    const bool is_gradient = t->c->variant >= GRADIENT;
    (void)number;
    *flops = (is_gradient ? 4 : 2) * terms * n;
    *bytes = is_gradient ? 2 * matrix + 4 * (n * (2 * cols + rows) + terms) +
                               (s->positions ? 8 * rows * n : 0)
                         : matrix + 4 * n * (rows + (double)spec_columns_used(&s->a));
}

extern const spec_op spec_spmm_reduce;
static const spec_bench timed[] = {
    {"spmm-max", "A B with the maximum of the terms of each element", SPEC_BENCH_WIDTHS,
     .op = &spec_spmm_reduce, .setting = {.alpha = 1, .variant = MAX}},
    {"spmm-mean", "A B with the mean of the terms of each element", SPEC_BENCH_WIDTHS,
     .op = &spec_spmm_reduce, .setting = {.alpha = 1, .variant = MEAN}},
    {"spmm-mean-gradient", "the gradients of spmm-mean by B and by A's values, with A's pattern",
     SPEC_BENCH_WIDTHS, .op = &spec_spmm_reduce,
     .setting = {.alpha = 1, .variant = GRADIENT + MEAN}},
    {"spmm-max-gradient", "the same of spmm-max, whose terms are given", SPEC_BENCH_WIDTHS,
     .op = &spec_spmm_reduce, .setting = {.alpha = 1, .variant = GRADIENT + MAX}},
    {0}};

const spec_op spec_spmm_reduce = {.name = "spmm_reduce",
                                  .get_case = get_case,
                                  .state_size = sizeof(state),
                                  .make = make,
                                  .call = call,
                                  .expect = expect,
                                  .work = work,
                                  .timed = timed};
