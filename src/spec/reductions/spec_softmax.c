/* spec_softmax.c: softmax of the rows of a CSR matrix in plain C, with its gradient. Variant 0:
 * softmax; 1: log-softmax; 2 more: with capacity that is not used. n: heads; 0, or a measurement
 * without 4: the values of the matrix. */
#include <math.h>

#include "spec/bench/bench.h"
#include "spec/shared/elementary.h"
#include "spec/shared/folds.h"

static bool get_case(int i, bool small, spec_case *c) {
    static const int64_t sizes[][3] = {{37, 23, 200},  {5, 300, 1500}, {0, 5, 0}, {300, 9, 1200},
                                       {3, 700, 2000}, {1, 1, 1},      {4, 3, 0}, {60, 90, 5000},
                                       {200, 50, 700}, {2, 3000, 9000}};
    static const sparcl_dtype types[] = {SPARCL_F32, SPARCL_F16, SPARCL_F32, SPARCL_F64,
                                         SPARCL_BF16};
    const int64_t *const size = sizes[i % 10];
    static const int64_t heads[] = {8, 2, 70, 4, 1, 3, 64};
    /* Of a row of several heads more are too many for llvmpipe. */
    const int64_t most = small ? 1000 : i >= 80 && size[0] == 2 ? 600 : size[2];
    if (i >= 104) return false;
    *c = (spec_case){.kind = (spec_kind)(i / 2 % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2] > 2000 && most < size[2] ? most : size[2],
                     .n = i < 80 ? 0 : heads[i % 7],
                     .dtype = types[i / 3 % 5],
                     .offset_type = i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 4 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .variant = i / 4 % 4,
                     .seed = (uint64_t)i + 41};
    return true;
}

enum { LOGARITHM = 1, SPARE = 2, HEADS = 4 };

typedef struct state {
    spec_matrix m;
    int64_t count, heads; /* numbers: heads of all entries */
    const double *x, *gy;
    sparcl_softmax kind;
    sparcl_csr a_view;
    sparcl_dense x_view, gy_view, v, gx; /* x: of heads */
} state;

static double largest_of(const double *x, int64_t length) {
    double largest = -INFINITY;
    for (int64_t k = 0; k < length; ++k)
        if (x[k] > largest) largest = x[k];
    return largest;
}

/* Rule S with one column, or one of several, of numbers that are computed with as they are. */
static double sum_row(sparcl_dtype dtype, const double *e, int64_t length, bool one_column) {
    double total = 0;
    for (int64_t first = 0; first < length; first += SPEC_BLOCK) {
        double p[8] = {0};
        for (int64_t k = first; k < length && k < first + SPEC_BLOCK; ++k) {
            const int64_t i = one_column ? (k - first) % 8 : 0;
            p[i] = spec_round(dtype, p[i] + e[k]);
        }
        for (int half = 4; half > 0; half /= 2)
            for (int i = 0; i < half; ++i)
                p[i] = spec_round(dtype, p[i] + p[i + half]);
        total = spec_round(dtype, total + p[0]);
    }
    return total;
}

/* A head of a row: its numbers are x[0 .. length - 1], of which number k is element AT(k). */
#define AT(k) ((begin + (k)) * s->heads + head)

static void take_head(const state *s, const double *from, int64_t begin, int64_t length,
                      int64_t head, double *x) {
    for (int64_t k = 0; k < length; ++k)
        x[k] = from[AT(k)];
}

static double bound_of(sparcl_dtype dtype, double error, double truth) {
    return 1.01 * (error * spec_unit(dtype) + spec_store_unit(dtype) * fabs(truth)) +
           0x1p-25 * (dtype == SPARCL_F16) + spec_smallest(dtype);
}

static void answer_value(const spec_answer *v, sparcl_dtype dtype, const state *s, int64_t begin,
                         int64_t length, int64_t head, double *x, double *e) {
    take_head(s, s->x, begin, length, head, x);
    const bool is_log = s->kind == SPARCL_LOG_SOFTMAX;
    const double largest = largest_of(x, length);
    double exact = 0;
    for (int64_t k = 0; k < length; ++k) {
        e[k] = spec_exp(dtype, spec_round(dtype, x[k] - largest));
        exact += exp(x[k] - largest);
    }
    const double sum = sum_row(dtype, e, length, s->heads == 1);
    const double log_sum = spec_log(dtype, sum);
    const double depth = spec_depth(length, s->heads == 1) + 4;
    for (int64_t k = 0; k < length; ++k) {
        const double d = spec_round(dtype, x[k] - largest);
        const double value =
            is_log ? spec_round(dtype, d - log_sum) : spec_round(dtype, e[k] / sum);
        const double truth = is_log ? x[k] - largest - log(exact) : exp(x[k] - largest) / exact;
        const double error = is_log ? depth + 4 * log(exact) + 2 * fabs(truth) + 2 * fabs(d)
                                    : (depth + 8 + fabs(d)) * truth;
        v->order[AT(k)] = spec_store(dtype, value);
        v->truth[AT(k)] = truth;
        v->bound[AT(k)] = bound_of(dtype, error, truth);
    }
}

/* From the value that is stored. */
static void answer_gradient(const spec_answer *gx, const double *v, sparcl_dtype dtype,
                            const state *s, int64_t begin, int64_t length, int64_t head, double *y,
                            double *g, double *terms) {
    take_head(s, v, begin, length, head, y);
    take_head(s, s->gy, begin, length, head, g);
    const bool is_log = s->kind == SPARCL_LOG_SOFTMAX;
    double exact = 0, magnitude = 0;
    for (int64_t k = 0; k < length; ++k) {
        terms[k] = is_log ? g[k] : spec_round(dtype, y[k] * g[k]);
        exact += is_log ? g[k] : y[k] * g[k];
        magnitude += fabs(terms[k]);
    }
    const double sum = sum_row(dtype, terms, length, s->heads == 1);
    const double depth = spec_depth(length, s->heads == 1) + 6;
    for (int64_t k = 0; k < length; ++k) {
        const double factor = is_log ? spec_exp(dtype, y[k]) : y[k];
        const double value = is_log ? spec_round(dtype, g[k] - spec_round(dtype, factor * sum))
                                    : spec_round(dtype, factor * spec_round(dtype, g[k] - sum));
        const double truth = is_log ? g[k] - exp(y[k]) * exact : y[k] * (g[k] - exact);
        const double error = is_log ? fabs(g[k]) + factor * magnitude * depth
                                    : factor * (2 * fabs(g[k]) + magnitude * depth);
        gx->order[AT(k)] = spec_store(dtype, value);
        gx->truth[AT(k)] = truth;
        gx->bound[AT(k)] = bound_of(dtype, error, truth);
    }
}

/* --- operands --------------------------------------------------------------------------------- */

static bool has_heads(const spec_test *t) {
    return t->given ? t->c->variant & HEADS : t->c->n > 0;
}

/* Exponents up to 12, so that the sum is not that of nearly equal numbers. */
static const double *make_exponents(spec_test *t, int64_t count) {
    double *const x =
        spec_own(t, spec_fold_numbers(t->c->dtype, SPARCL_REDUCE_SUM, count, t->c->seed + 1));
    for (int64_t k = 0; k < count; ++k)
        x[k] = spec_store(t->c->dtype, 12 * x[k]);
    return x;
}

/* The matrix with capacity for more entries than it has; its values are x, without heads. */
static void make_matrix(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    const spec_matrix made = spec_matrix_of(t, c->nnz, c->seed);
    s->m = made;
    s->m.nnz += c->variant & SPARE && c->rows > 0 ? 7 : 0;
    s->m.indices = spec_int64s(t, s->m.nnz);
    for (int64_t k = 0; k < made.nnz; ++k)
        s->m.indices[k] = made.indices[k];
    s->heads = has_heads(t) ? c->n : 1;
    s->count = s->m.nnz * s->heads;
    s->x = make_exponents(t, s->count);
    s->m.values = has_heads(t) ? spec_reals(t, s->m.nnz) : spec_copied(t, s->x, s->m.nnz);
    s->a_view = spec_csr(t, &s->m);
}

/* Numbers of the entries: a vector, or a matrix of heads. */
static sparcl_dense put_numbers(spec_test *t, const state *s, const double *x) {
    return has_heads(t) ? spec_dense(t, s->m.nnz, s->heads, s->heads, x)
                        : spec_vector(t, s->count, x);
}

static void make(spec_test *t) {
    state *const s = t->state;
    make_matrix(t, s);
    const double *const before = spec_unwritten(t, s->count, 1, 1);
    s->kind = t->c->variant & LOGARITHM ? SPARCL_LOG_SOFTMAX : SPARCL_SOFTMAX;
    s->gy =
        spec_own(t, spec_fold_numbers(t->c->dtype, SPARCL_REDUCE_SUM, s->count, t->c->seed + 2));
    if (has_heads(t)) s->x_view = put_numbers(t, s, s->x);
    s->gy_view = put_numbers(t, s, s->gy);
    s->v = put_numbers(t, s, before);
    s->gx = put_numbers(t, s, before);
    t->calls = 2;
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    const state *const s = made;
    if (number)
        return sparcl_csr_softmax_gradient(ctx, s->kind, &s->gx, &s->gy_view, &s->v, &s->a_view);
    return s->x_view.values ? sparcl_csr_softmax_heads(ctx, s->kind, &s->v, &s->x_view, &s->a_view)
                            : sparcl_csr_softmax(ctx, s->kind, &s->v, &s->a_view);
}

static void expect(spec_test *t) {
    const sparcl_dtype dtype = t->c->dtype;
    const state *const s = t->state;
    const spec_answer v = spec_answer_room(t, s->count), gx = spec_answer_room(t, s->count);
    double *const x = spec_reals(t, s->m.nnz), *const g = spec_reals(t, s->m.nnz);
    double *const terms = spec_reals(t, s->m.nnz);
    for (int64_t r = 0; r < s->m.rows; ++r) {
        const int64_t begin = s->m.offsets[r], length = s->m.offsets[r + 1] - begin;
        for (int64_t head = 0; head < s->heads; ++head) {
            answer_value(&v, dtype, s, begin, length, head, x, terms);
            answer_gradient(&gx, v.order, dtype, s, begin, length, head, x, g, terms);
        }
    }
    t->report->zeros_expected = t->c->nnz <= 1 || s->kind == SPARCL_LOG_SOFTMAX; /* of one entry */
    spec_expect_answer(t, "v", &s->v, &v);
    t->report->zeros_expected = true; /* of rows with one entry */
    spec_expect_answer(t, "gx", &s->gx, &gx);
}

/* --- measurements ----------------------------------------------------------------------------- */

/* A number is read and written for each entry and head; two are read for the gradient. */
static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    *flops = 0;
    *bytes = (number ? 3 : 2) * (double)sparcl_dtype_size(t->c->dtype) * (double)s->count +
             (double)sparcl_itype_size(s->a_view.offset_type) * (double)(s->m.rows + 1);
}

extern const spec_op spec_softmax;
static const spec_bench timed[] = {
    {"csr-softmax", "softmax of the entries of each row", .op = &spec_softmax},
    {"csr-log-softmax", "the logarithm of that softmax", .op = &spec_softmax,
     .setting = {.variant = LOGARITHM}},
    {"csr-softmax-gradient", "the gradient of csr-softmax", .op = &spec_softmax, .call = 1},
    {"csr-softmax-heads", "the same of n numbers for each entry", SPEC_BENCH_WIDTHS,
     .op = &spec_softmax, .setting = {.variant = HEADS}},
    {"csr-softmax-heads-gradient", "the gradient of csr-softmax-heads", SPEC_BENCH_WIDTHS,
     .op = &spec_softmax, .call = 1, .setting = {.variant = HEADS}},
    {0}};

const spec_op spec_softmax = {.name = "softmax",
                              .get_case = get_case,
                              .state_size = sizeof(state),
                              .make = make,
                              .call = call,
                              .expect = expect,
                              .work = work,
                              .timed = timed};
