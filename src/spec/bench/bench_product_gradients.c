/* bench_product_gradients.c: timed operations: the gradients of the product with the mean or
 * maximum of terms, and of the product of two sparse matrices. */
#include <stdlib.h>

#include "spec/bench/bench_arrays.h"

#define R(x) spec_round(SPARCL_F32, (x))

/* --- spmm_reduce: x[0] is B, x[1] the gradient of the product ----------------------------------
 */

static sparcl_status open_reduce(sparcl_ctx *ctx, spec_bench_call *call) {
    spec_bench_arrays *const s = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t n = call->input->n;
    sparcl_status status = spec_bench_put_csr(ctx, &s->a, m);
    if (status == SPARCL_OK) status = sparcl_pattern_create(ctx, &s->pattern);
    if (status == SPARCL_OK) status = sparcl_pattern_build(ctx, s->pattern, &s->a);
    if (status == SPARCL_OK) status = spec_bench_put_array(ctx, s, 0, m->cols, n);
    if (status == SPARCL_OK) status = spec_bench_put_array(ctx, s, 1, m->rows, n);
    if (status == SPARCL_OK) status = spec_bench_add_result(ctx, s, 0, m->cols, n);
    if (status == SPARCL_OK) status = spec_bench_add_result(ctx, s, 1, m->nnz, 0);
    call->flops = 4 * (double)m->nnz * (double)n;
    call->bytes = 2 * spec_bench_csr_bytes(&s->a) + spec_bench_array_bytes(s);
    return status;
}

static sparcl_status open_spmm_mean_gradient(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_reduce(ctx, call);
}

/* The entries of the terms that were chosen: the largest ones. */
static void choose(const spec_bench_call *call, const double *b, int64_t *places) {
    const spec_matrix *const m = call->input->matrix;
    const int64_t n = call->input->n;
    for (int64_t e = 0; e < m->rows * n; ++e) {
        double best = 0;
        places[e] = -1;
        for (int64_t k = m->offsets[e / n]; k < m->offsets[e / n + 1]; ++k) {
            const double term = R(m->values[k] * b[m->indices[k] * n + e % n]);
            if (places[e] >= 0 && term <= best) continue;
            best = term;
            places[e] = k;
        }
    }
}

static sparcl_status open_spmm_max_gradient(sparcl_ctx *ctx, spec_bench_call *call) {
    spec_bench_arrays *const s = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t n = call->input->n;
    const sparcl_status status = open_reduce(ctx, call);
    if (status != SPARCL_OK) return status;
    int64_t *const places = malloc(((size_t)(m->rows * n) + 1) * sizeof *places);
    if (places) choose(call, s->host[0], places);
    call->bytes += 8 * (double)m->rows * (double)n;
    return spec_bench_put_places(ctx, s, m->rows, n, places);
}

static sparcl_status run_spmm_mean_gradient(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_spmm_reduce_gradient(ctx, SPARCL_REDUCE_MEAN, &s->to[0], &s->to[1], &s->x[1],
                                       &s->a, &s->x[0], NULL, s->pattern);
}

static sparcl_status run_spmm_max_gradient(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_spmm_reduce_gradient(ctx, SPARCL_REDUCE_MAX, &s->to[0], &s->to[1], &s->x[1],
                                       &s->a, &s->x[0], &s->places, s->pattern);
}

/* What entry k of row i gets of the gradient in column j. */
static double gradient_of(const spec_bench_call *call, int64_t i, int64_t k, int64_t j) {
    const spec_bench_arrays *const s = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t at = i * call->input->n + j;
    if (s->places_host) return s->places_host[at] == k ? s->host[1][at] : 0;
    return R(s->host[1][at] / (double)(m->offsets[i + 1] - m->offsets[i]));
}

static void answer_values(const spec_bench_call *call, double *line, double *order) {
    const spec_bench_arrays *const s = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t n = call->input->n;
    for (int64_t i = 0; i < m->rows; ++i)
        for (int64_t k = m->offsets[i]; k < m->offsets[i + 1]; ++k) {
            for (int64_t j = 0; j < n; ++j)
                line[j] = gradient_of(call, i, k, j);
            order[k] =
                spec_sum_products(SPARCL_F32, line, s->host[0] + m->indices[k] * n, 1, n, true);
        }
}

/* t: the transpose of A with positions as its values. Terms that were not chosen count as 0. */
static void answer_b(const spec_bench_call *call, const spec_matrix *t, double *v, double *g,
                     double *order) {
    const spec_bench_arrays *const s = call->state;
    const int64_t n = call->input->n;
    const bool chooses = s->places_host;
    for (int64_t e = 0; e < t->rows * n; ++e) {
        const int64_t begin = t->offsets[e / n], length = t->offsets[e / n + 1] - begin;
        for (int64_t l = 0; l < length; ++l) {
            const int64_t k = (int64_t)t->values[begin + l], i = t->indices[begin + l];
            const bool counts = !chooses || s->places_host[i * n + e % n] == k;
            v[l] = counts ? call->input->matrix->values[k] : 0;
            g[l] = chooses ? s->host[1][i * n + e % n] : gradient_of(call, i, k, e % n);
        }
        order[e] = spec_sum_products(SPARCL_F32, v, g, 1, length, n == 1 && !chooses);
    }
}

static bool answer_spmm_mean_gradient(const spec_bench_call *call, double *const *order) {
    spec_matrix positions = {0}, t = {0};
    const spec_matrix *const m = call->input->matrix;
    const int64_t most = m->nnz > call->input->n ? m->nnz : call->input->n;
    double *const v = spec_numbers(most, 0), *const g = spec_numbers(most, 0);
    bool done = v && g && spec_bench_copy(&positions, m);
    for (int64_t k = 0; done && k < m->nnz; ++k)
        positions.values[k] = (double)k;
    done = done && spec_matrix_transpose(&t, &positions);
    if (done) {
        answer_b(call, &t, v, g, order[0]);
        answer_values(call, v, order[1]);
    }
    spec_matrix_free(&positions);
    spec_matrix_free(&t);
    free(v);
    free(g);
    return done;
}

#define answer_spmm_max_gradient answer_spmm_mean_gradient

SPEC_BENCH_OF_ARRAYS(spmm_mean_gradient, "spmm-mean-gradient",
                     "the gradients of spmm-mean by B and by A's values, with A's pattern",
                     SPEC_BENCH_WIDTHS)
SPEC_BENCH_OF_ARRAYS(spmm_max_gradient, "spmm-max-gradient",
                     "the same of spmm-max, whose terms are given", SPEC_BENCH_WIDTHS)

/* --- spgemm: x[0] is the gradient of the values of C = A B --------------------------------------
 */

typedef struct products {
    spec_bench_arrays arrays; /* first: the frame has its address */
    sparcl_csr b, c;
    spec_matrix b_host, c_host; /* c_host: the pattern of C */
} products;

/* C by the library, whose results spgemm compares with plain C. */
static sparcl_status multiply(sparcl_ctx *ctx, products *s) {
    sparcl_spgemm *plan = NULL;
    s->c = s->arrays.a;
    s->c.cols = s->b.cols;
    s->c.offsets = s->c.indices = s->c.values = NULL;
    sparcl_status status = sparcl_spgemm_create(ctx, &plan);
    if (status == SPARCL_OK) status = sparcl_spgemm_symbolic(ctx, plan, &s->arrays.a, &s->b);
    if (status == SPARCL_OK) status = sparcl_spgemm_entries(ctx, plan, &s->c.nnz);
    if (status == SPARCL_OK) status = sparcl_csr_create(ctx, &s->c);
    if (status == SPARCL_OK)
        status = sparcl_spgemm_numeric(ctx, plan, &s->c, &s->arrays.a, &s->b, NULL, 0);
    sparcl_spgemm_free(plan);
    return status;
}

static sparcl_status read_pattern(sparcl_ctx *ctx, products *s) {
    const sparcl_csr *const c = &s->c;
    if (!spec_matrix_alloc(&s->c_host, c->rows, c->cols, c->nnz)) return SPARCL_E_MEMORY;
    const sparcl_status status =
        spec_get_ints(ctx, c->offsets, 0, c->rows + 1, c->offset_type, s->c_host.offsets);
    return status == SPARCL_OK
               ? spec_get_ints(ctx, c->indices, 0, c->nnz, c->index_type, s->c_host.indices)
               : status;
}

static sparcl_status open_spgemm_gradient(sparcl_ctx *ctx, spec_bench_call *call) {
    products *const s = call->state;
    spec_bench_arrays *const x = &s->arrays;
    const spec_matrix *const m = call->input->matrix;
    if (!spec_bench_factor(&s->b_host, m->cols)) return SPARCL_E_MEMORY;
    sparcl_status status = spec_bench_put_csr(ctx, &x->a, m);
    if (status == SPARCL_OK) status = spec_bench_put_csr(ctx, &s->b, &s->b_host);
    if (status == SPARCL_OK) status = sparcl_pattern_create(ctx, &x->pattern);
    if (status == SPARCL_OK) status = sparcl_pattern_build(ctx, x->pattern, &x->a);
    if (status == SPARCL_OK) status = multiply(ctx, s);
    if (status == SPARCL_OK) status = read_pattern(ctx, s);
    if (status == SPARCL_OK) status = spec_bench_put_array(ctx, x, 0, s->c.nnz, 0);
    if (status == SPARCL_OK) status = spec_bench_add_result(ctx, x, 0, m->nnz, 0);
    if (status == SPARCL_OK) status = spec_bench_add_result(ctx, x, 1, s->b_host.nnz, 0);
    call->bytes = 2 * spec_bench_csr_bytes(&x->a) + 2 * spec_bench_csr_bytes(&s->b) +
                  2 * spec_bench_csr_bytes(&s->c) + 4 * (double)(m->nnz + s->b_host.nnz);
    return status;
}

static sparcl_status run_spgemm_gradient(sparcl_ctx *ctx, const spec_bench_call *call) {
    const products *const s = call->state;
    const spec_bench_arrays *const x = &s->arrays;
    return sparcl_spgemm_gradient(ctx, &x->to[0], &x->to[1], &x->x[0], &s->c, &x->a, &s->b,
                                  x->pattern);
}

/* Rule P: the terms in the order of A's rows; `at` has the entry of C in each column. */
static bool answer_spgemm_gradient(const spec_bench_call *call, double *const *order) {
    const products *const s = call->state;
    const spec_matrix *const m = call->input->matrix, *const b = &s->b_host;
    const double *const g = s->arrays.host[0];
    int64_t *const at = calloc((size_t)m->cols + 1, sizeof *at);
    for (int64_t i = 0; at && i < m->rows; ++i) {
        for (int64_t e = s->c_host.offsets[i]; e < s->c_host.offsets[i + 1]; ++e)
            at[s->c_host.indices[e]] = e;
        for (int64_t k = m->offsets[i]; k < m->offsets[i + 1]; ++k)
            for (int64_t l = b->offsets[m->indices[k]]; l < b->offsets[m->indices[k] + 1]; ++l) {
                const double gradient = g[at[b->indices[l]]];
                order[0][k] = R(order[0][k] + R(gradient * b->values[l]));
                order[1][l] = R(order[1][l] + R(m->values[k] * gradient));
            }
    }
    free(at);
    return at;
}

static void close_products(void *state) {
    products *const s = state;
    sparcl_csr_free(&s->b);
    sparcl_csr_free(&s->c);
    spec_matrix_free(&s->b_host);
    spec_matrix_free(&s->c_host);
    spec_bench_close_arrays(&s->arrays);
}

SPEC_BENCH_AS_ARRAYS(spgemm_gradient, "spgemm-gradient",
                     "both gradients of spgemm, with A's pattern", 0, products, close_products)
