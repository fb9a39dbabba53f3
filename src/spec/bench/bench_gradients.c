/* bench_gradients.c: timed operations: limits of each element, and the gradients of operations on
 * elements, of scaled rows and columns, of dot products and of softmax. */
#include <stdlib.h>

#include "spec/bench/bench_arrays.h"
#include "spec/shared/folds.h"

#define LOW  (-0.5)
#define HIGH 0.5

#define R(x) spec_round(SPARCL_F32, (x))

/* --- elements: arrays with a number for each entry of A --------------------------------------- */

#define ENTRIES(id, operands, results)                                                             \
    static sparcl_status open_##id(sparcl_ctx *ctx, spec_bench_call *call) {                       \
        return spec_bench_open_arrays(ctx, call, operands, results, call->input->matrix->nnz, 0);  \
    }

ENTRIES(clip, 1, 1)
ENTRIES(clip_gradient, 2, 1)
ENTRIES(tanh_gradient, 2, 1)
ENTRIES(multiply_gradient, 3, 2)

static sparcl_status run_clip(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_clip(ctx, &s->to[0], &s->x[0], LOW, HIGH);
}

static bool answer_clip(const spec_bench_call *call, double *const *order) {
    const spec_bench_arrays *const s = call->state;
    for (int64_t k = 0; k < s->x[0].shape[0]; ++k) {
        const double x = s->host[0][k];
        order[0][k] = x < LOW ? LOW : x > HIGH ? HIGH : x;
    }
    return true;
}

static sparcl_status run_clip_gradient(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_clip_gradient(ctx, &s->to[0], &s->x[0], &s->x[1], LOW, HIGH);
}

static bool answer_clip_gradient(const spec_bench_call *call, double *const *order) {
    const spec_bench_arrays *const s = call->state;
    for (int64_t k = 0; k < s->x[0].shape[0]; ++k)
        order[0][k] = s->host[0][k] >= LOW && s->host[0][k] <= HIGH ? s->host[1][k] : 0;
    return true;
}

/* Of the results and their gradient. */
static sparcl_status run_tanh_gradient(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_unary_gradient(ctx, SPARCL_UNARY_TANH, &s->to[0], &s->x[0], &s->x[1]);
}

static bool answer_tanh_gradient(const spec_bench_call *call, double *const *order) {
    const spec_bench_arrays *const s = call->state;
    for (int64_t k = 0; k < s->x[0].shape[0]; ++k) {
        const double y = s->host[0][k];
        order[0][k] = R(R(R(1 - y) * R(1 + y)) * s->host[1][k]);
    }
    return true;
}

static sparcl_status run_multiply_gradient(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_binary_gradient(ctx, SPARCL_BINARY_MULTIPLY, &s->to[0], &s->to[1], &s->x[0],
                                  &s->x[1], &s->x[2]);
}

static bool answer_multiply_gradient(const spec_bench_call *call, double *const *order) {
    const spec_bench_arrays *const s = call->state;
    for (int64_t k = 0; k < s->x[0].shape[0]; ++k) {
        order[0][k] = R(s->host[2][k] * s->host[1][k]);
        order[1][k] = R(s->host[2][k] * s->host[0][k]);
    }
    return true;
}

SPEC_BENCH_OF_ARRAYS(clip, "clip", "numbers limited to -0.5 .. 0.5, one for each entry of A", 0)
SPEC_BENCH_OF_ARRAYS(clip_gradient, "clip-gradient", "the gradient of clip", 0)
SPEC_BENCH_OF_ARRAYS(tanh_gradient, "tanh-gradient", "the gradient of tanh", 0)
SPEC_BENCH_OF_ARRAYS(multiply_gradient, "multiply-gradient", "both gradients of multiply", 0)

/* --- dot products: dense arrays with the rows of A ----------------------------------- */

static sparcl_status open_dot_rows_gradient(sparcl_ctx *ctx, spec_bench_call *call) {
    spec_bench_arrays *const s = call->state;
    const int64_t rows = call->input->matrix->rows;
    sparcl_status status = spec_bench_open_arrays(ctx, call, 1, 1, rows, call->input->n);
    if (status == SPARCL_OK) status = spec_bench_put_array(ctx, s, 1, rows, 0);
    call->bytes = spec_bench_array_bytes(s);
    return status;
}

static sparcl_status run_dot_rows_gradient(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_dot_rows_gradient(ctx, &s->to[0], &s->x[1], &s->x[0]);
}

static bool answer_dot_rows_gradient(const spec_bench_call *call, double *const *order) {
    const spec_bench_arrays *const s = call->state;
    const int64_t n = call->input->n;
    for (int64_t e = 0; e < s->x[0].shape[0] * n; ++e)
        order[0][e] = R(s->host[1][e / n] * s->host[0][e]);
    return true;
}

SPEC_BENCH_OF_ARRAYS(dot_rows_gradient, "dot-rows-gradient",
                     "the gradient of dot-rows by one of the arrays", SPEC_BENCH_WIDTHS)

/* --- scaled rows and columns: the gradient of their factors ----------------------------------- */

static sparcl_status open_scale(sparcl_ctx *ctx, spec_bench_call *call, int64_t factors) {
    spec_bench_arrays *const s = call->state;
    const spec_matrix *const m = call->input->matrix;
    sparcl_status status = spec_bench_put_csr(ctx, &s->a, m);
    if (status == SPARCL_OK) status = spec_bench_put_array(ctx, s, 0, factors, 0);
    if (status == SPARCL_OK) status = spec_bench_put_array(ctx, s, 1, m->nnz, 0);
    if (status == SPARCL_OK) status = spec_bench_add_result(ctx, s, 0, factors, 0);
    call->flops = 2 * (double)m->nnz;
    call->bytes = 8 * (double)m->nnz + 4 * (double)factors;
    return status;
}

static sparcl_status open_scale_rows_gradient(sparcl_ctx *ctx, spec_bench_call *call) {
    const sparcl_status status = open_scale(ctx, call, call->input->matrix->rows);
    const spec_bench_arrays *const s = call->state;
    call->bytes += (double)sparcl_itype_size(s->a.offset_type) * (double)(s->a.rows + 1);
    return status;
}

/* The pattern is built before, as for spmm-t. */
static sparcl_status open_scale_columns_gradient(sparcl_ctx *ctx, spec_bench_call *call) {
    spec_bench_arrays *const s = call->state;
    sparcl_status status = open_scale(ctx, call, call->input->matrix->cols);
    call->bytes += (double)sparcl_itype_size(s->a.index_type) * (double)s->a.nnz;
    if (status == SPARCL_OK) status = sparcl_pattern_create(ctx, &s->pattern);
    return status == SPARCL_OK ? sparcl_pattern_build(ctx, s->pattern, &s->a) : status;
}

static sparcl_status run_scale(sparcl_ctx *ctx, const spec_bench_call *call, int axis) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_csr_broadcast_gradient(ctx, SPARCL_BINARY_MULTIPLY, &s->to[0], &s->a, &s->x[0],
                                         &s->x[1], axis, s->pattern);
}

static sparcl_status run_scale_rows_gradient(sparcl_ctx *ctx, const spec_bench_call *call) {
    return run_scale(ctx, call, 1);
}

static sparcl_status run_scale_columns_gradient(sparcl_ctx *ctx, const spec_bench_call *call) {
    return run_scale(ctx, call, 0);
}

static void sum_rows(const spec_matrix *m, double *sums) {
    const spec_folding f = {SPARCL_F32, SPARCL_REDUCE_SUM, true, 0};
    for (int64_t i = 0; i < m->rows; ++i) {
        const int64_t begin = m->offsets[i], length = m->offsets[i + 1] - begin;
        sums[i] = spec_fold(&f, m->values + begin, NULL, length).order;
    }
}

/* The products of the values and the gradient, of the same pattern. */
static bool make_products(const spec_bench_call *call, spec_matrix *to) {
    const spec_bench_arrays *const s = call->state;
    if (!spec_bench_copy(to, call->input->matrix)) return false;
    for (int64_t k = 0; k < to->nnz; ++k)
        to->values[k] = R(s->host[1][k] * to->values[k]);
    return true;
}

static bool answer_scale_rows_gradient(const spec_bench_call *call, double *const *order) {
    spec_matrix products = {0};
    const bool done = make_products(call, &products);
    if (done) sum_rows(&products, order[0]);
    spec_matrix_free(&products);
    return done;
}

static bool answer_scale_columns_gradient(const spec_bench_call *call, double *const *order) {
    spec_matrix products = {0}, columns = {0};
    const bool done = make_products(call, &products) && spec_matrix_transpose(&columns, &products);
    if (done) sum_rows(&columns, order[0]);
    spec_matrix_free(&products);
    spec_matrix_free(&columns);
    return done;
}

SPEC_BENCH_OF_ARRAYS(scale_rows_gradient, "scale-rows-gradient",
                     "the gradient of scale-rows by the numbers", 0)
SPEC_BENCH_OF_ARRAYS(scale_columns_gradient, "scale-columns-gradient",
                     "the gradient of scale-columns by the numbers, with A's pattern", 0)

/* --- softmax: n numbers for each entry of A ----------------------------------------------------
 */

/* Results, in (0, 1), and their gradient; only the offsets of A are read. */
static sparcl_status open_softmax(sparcl_ctx *ctx, spec_bench_call *call, int64_t heads) {
    spec_bench_arrays *const s = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t count = m->nnz * (heads > 0 ? heads : 1);
    double *const y = spec_numbers(count, 3);
    for (int64_t k = 0; y && k < count; ++k)
        y[k] = R((y[k] + 1) / 2);
    sparcl_status status = spec_bench_put_made(ctx, s, 0, m->nnz, heads, y);
    if (status == SPARCL_OK) status = spec_bench_put_array(ctx, s, 1, m->nnz, heads);
    if (status == SPARCL_OK) status = spec_bench_add_result(ctx, s, 0, m->nnz, heads);
    if (status == SPARCL_OK) status = spec_bench_put_csr(ctx, &s->a, m);
    const double offset = (double)sparcl_itype_size(s->a.offset_type);
    call->bytes = spec_bench_array_bytes(s) + offset * (double)(m->rows + 1);
    return status;
}

static sparcl_status open_csr_softmax_gradient(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_softmax(ctx, call, 0);
}

static sparcl_status open_csr_softmax_heads_gradient(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_softmax(ctx, call, call->input->n);
}

static sparcl_status run_csr_softmax_gradient(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_csr_softmax_gradient(ctx, SPARCL_SOFTMAX, &s->to[0], &s->x[1], &s->x[0], &s->a);
}

#define run_csr_softmax_heads_gradient run_csr_softmax_gradient

/* `length` numbers, one every `step`; terms and ones have room for them. */
static void softmax_column(const double *y, const double *g, int64_t length, int64_t step,
                           const double *ones, double *terms, double *to) {
    for (int64_t k = 0; k < length; ++k)
        terms[k] = R(y[k * step] * g[k * step]);
    const double sum = spec_sum_products(SPARCL_F32, ones, terms, 1, length, step == 1);
    for (int64_t k = 0; k < length; ++k)
        to[k * step] = R(y[k * step] * R(g[k * step] - sum));
}

static bool answer_csr_softmax_gradient(const spec_bench_call *call, double *const *order) {
    const spec_bench_arrays *const s = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t heads = s->x[0].rank > 1 ? call->input->n : 1;
    double *const terms = spec_numbers(m->nnz, 0), *const ones = spec_numbers(m->nnz, 0);
    const bool done = terms && ones;
    for (int64_t k = 0; done && k < m->nnz; ++k)
        ones[k] = 1;
    for (int64_t i = 0; done && i < m->rows; ++i)
        for (int64_t h = 0; h < heads; ++h) {
            const int64_t at = m->offsets[i] * heads + h;
            softmax_column(s->host[0] + at, s->host[1] + at, m->offsets[i + 1] - m->offsets[i],
                           heads, ones, terms, order[0] + at);
        }
    free(terms);
    free(ones);
    return done;
}

#define answer_csr_softmax_heads_gradient answer_csr_softmax_gradient

SPEC_BENCH_OF_ARRAYS(csr_softmax_gradient, "csr-softmax-gradient", "the gradient of csr-softmax", 0)
SPEC_BENCH_OF_ARRAYS(csr_softmax_heads_gradient, "csr-softmax-heads-gradient",
                     "the gradient of csr-softmax-heads", SPEC_BENCH_WIDTHS)
