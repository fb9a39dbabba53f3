/* bench_elementwise.c: timed operations on each entry of a matrix: functions and a product of two
 * arrays, and entries with a number for each row or column. */
#include <stdlib.h>

#include "spec/bench/bench.h"
#include "spec/shared/elementary.h"

#include <math.h>

/* A, its values as an array, a second array of as many, the result, and a number for each row or
 * column. */
typedef struct operands {
    sparcl_csr a;
    sparcl_dense x, y, z, v;
    double *other, *scale; /* y and v on the host */
    const spec_matrix *m;
} operands;

static void close_operands(void *state) {
    operands *const x = state;
    sparcl_csr_free(&x->a);
    sparcl_buf_free(x->y.values);
    sparcl_buf_free(x->z.values);
    sparcl_buf_free(x->v.values);
    free(x->other);
    free(x->scale);
}

static sparcl_status open(sparcl_ctx *ctx, spec_bench_call *call, int64_t scales) {
    operands *const x = call->state;
    const spec_matrix *const m = x->m = call->input->matrix;
    x->other = spec_numbers(m->nnz, 3);
    x->scale = spec_numbers(scales, 4);
    if (!x->other || !x->scale) return SPARCL_E_MEMORY;
    sparcl_status status = spec_bench_put_csr(ctx, &x->a, m);
    if (status == SPARCL_OK)
        status = spec_put_reals(ctx, &x->y.values, x->other, m->nnz, SPARCL_F32);
    if (status == SPARCL_OK)
        status = spec_put_reals(ctx, &x->z.values, x->other, m->nnz, SPARCL_F32);
    if (status == SPARCL_OK)
        status = spec_put_reals(ctx, &x->v.values, x->scale, scales, SPARCL_F32);
    x->x.values = x->a.values;
    x->x.rank = x->y.rank = x->z.rank = x->v.rank = 1;
    x->x.shape[0] = x->y.shape[0] = x->z.shape[0] = m->nnz;
    x->v.shape[0] = scales;
    return status;
}

static sparcl_status open_function(sparcl_ctx *ctx, spec_bench_call *call) {
    call->bytes = 8 * (double)call->input->matrix->nnz;
    return open(ctx, call, 1);
}
static sparcl_status open_product(sparcl_ctx *ctx, spec_bench_call *call) {
    call->bytes = 12 * (double)call->input->matrix->nnz;
    call->flops = (double)call->input->matrix->nnz;
    return open(ctx, call, 1);
}
/* Values, the result, offsets and v. */
static sparcl_status open_rows(sparcl_ctx *ctx, spec_bench_call *call) {
    const spec_matrix *const m = call->input->matrix;
    call->bytes = 8 * (double)m->nnz + 8 * (double)m->rows;
    call->flops = (double)m->nnz;
    return open(ctx, call, m->rows);
}
/* Values, the result, indices and v. */
static sparcl_status open_columns(sparcl_ctx *ctx, spec_bench_call *call) {
    const spec_matrix *const m = call->input->matrix;
    call->bytes = 12 * (double)m->nnz + 4 * (double)spec_columns_used(m);
    call->flops = (double)m->nnz;
    return open(ctx, call, m->cols);
}

static sparcl_status run_tanh(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return sparcl_unary(ctx, SPARCL_UNARY_TANH, &x->z, &x->x);
}
static sparcl_status run_sqrt(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return sparcl_unary(ctx, SPARCL_UNARY_SQRT, &x->z, &x->x);
}
static sparcl_status run_relu(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return sparcl_unary(ctx, SPARCL_UNARY_RELU, &x->z, &x->x);
}
static sparcl_status run_product(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return sparcl_binary(ctx, SPARCL_BINARY_MULTIPLY, &x->z, &x->x, &x->y);
}
static sparcl_status run_rows(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return sparcl_csr_broadcast(ctx, SPARCL_BINARY_MULTIPLY, &x->z, &x->a, &x->v, 1);
}
static sparcl_status run_columns(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return sparcl_csr_broadcast(ctx, SPARCL_BINARY_MULTIPLY, &x->z, &x->a, &x->v, 0);
}

/* The answer for entry k, in row i. */
typedef double (*answer)(const operands *x, int64_t i, int64_t k);

static double answer_tanh(const operands *x, int64_t i, int64_t k) {
    (void)i;
    return spec_tanh(SPARCL_F32, x->m->values[k]);
}
static double answer_sqrt(const operands *x, int64_t i, int64_t k) {
    (void)i;
    return spec_round(SPARCL_F32, sqrt(x->m->values[k]));
}
static double answer_relu(const operands *x, int64_t i, int64_t k) {
    (void)i;
    return x->m->values[k] > 0 ? x->m->values[k] : 0;
}
static double answer_product(const operands *x, int64_t i, int64_t k) {
    (void)i;
    return spec_round(SPARCL_F32, x->m->values[k] * x->other[k]);
}
static double answer_rows(const operands *x, int64_t i, int64_t k) {
    return spec_round(SPARCL_F32, x->m->values[k] * x->scale[i]);
}
static double answer_columns(const operands *x, int64_t i, int64_t k) {
    (void)i;
    return spec_round(SPARCL_F32, x->m->values[k] * x->scale[x->m->indices[k]]);
}

static sparcl_status compare(sparcl_ctx *ctx, const spec_bench_call *call, answer of,
                             spec_report *report) {
    const operands *const x = call->state;
    const spec_matrix *const m = x->m;
    double *const want = malloc(((size_t)m->nnz + 1) * sizeof *want);
    *report = (spec_report){.equal = true, .zeros_expected = of == answer_relu};
    for (int64_t i = 0; want && i < m->rows; ++i)
        for (int64_t k = m->offsets[i]; k < m->offsets[i + 1]; ++k)
            want[k] = of(x, i, k);
    const sparcl_status status =
        want ? spec_bench_compare_dense(ctx, "z", &x->z, want, report) : SPARCL_E_MEMORY;
    free(want);
    return status;
}

static sparcl_status poison(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return spec_poison(ctx, x->z.values);
}

#define BENCH(id, name, what, open_it)                                                             \
    static sparcl_status check_##id(sparcl_ctx *ctx, const spec_bench_call *call,                  \
                                    spec_report *report) {                                         \
        return compare(ctx, call, answer_##id, report);                                            \
    }                                                                                              \
    SPEC_BENCH(elementwise_##id, name, what, 0, open_it, run_##id, check_##id)

BENCH(tanh, "tanh", "the tanh of each entry of A", open_function)
BENCH(sqrt, "sqrt", "the square root of each entry of A", open_function)
BENCH(relu, "relu", "0, or each entry of A where it is positive", open_function)
BENCH(product, "multiply", "the products of two arrays, each with a number for each entry of A",
      open_product)
BENCH(rows, "scale-rows", "each row of A times a number", open_rows)
BENCH(columns, "scale-columns", "each column of A times a number", open_columns)
