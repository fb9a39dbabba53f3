/* bench_folds.c: timed operations: maxima and norms of the rows of A, sums of dense arrays,
 * and the gradients of reductions. */
#include <stdlib.h>

#include "spec/bench/bench_arrays.h"
#include "spec/shared/folds.h"

static double offset_bytes(const sparcl_csr *a) {
    return (double)sparcl_itype_size(a->offset_type) * (double)(a->rows + 1);
}

/* --- rows of A -------------------------------------------------------------------------------- */

static sparcl_status open_matrix(sparcl_ctx *ctx, spec_bench_call *call) {
    spec_bench_arrays *const s = call->state;
    const spec_matrix *const m = call->input->matrix;
    sparcl_status status = spec_bench_put_csr(ctx, &s->a, m);
    if (status == SPARCL_OK) status = spec_bench_add_result(ctx, s, 0, m->rows, 0);
    call->bytes = spec_bench_array_bytes(s) + 4 * (double)m->nnz + offset_bytes(&s->a);
    return status;
}

/* Elements that are not stored count as 0, as in SciPy. */
static sparcl_status run_rows(sparcl_ctx *ctx, const spec_bench_call *call, sparcl_reduction kind) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_csr_reduce(ctx, kind, SPARCL_OVER_ALL, &s->to[0], &s->a, 1, NULL, 0, NULL);
}

static bool answer_rows(const spec_bench_call *call, sparcl_reduction kind, double *order) {
    const spec_matrix *const m = call->input->matrix;
    const spec_folding f = {SPARCL_F32, (int)kind, true, m->cols};
    for (int64_t r = 0; r < m->rows; ++r) {
        const int64_t begin = m->offsets[r], length = m->offsets[r + 1] - begin;
        order[r] = spec_fold(&f, m->values + begin, NULL, length).order;
    }
    return true;
}

#define ROWS_OF(id, kind, text, about)                                                             \
    static sparcl_status open_##id(sparcl_ctx *ctx, spec_bench_call *call) {                       \
        return open_matrix(ctx, call);                                                             \
    }                                                                                              \
    static sparcl_status run_##id(sparcl_ctx *ctx, const spec_bench_call *call) {                  \
        return run_rows(ctx, call, kind);                                                          \
    }                                                                                              \
    static bool answer_##id(const spec_bench_call *call, double *const *order) {                   \
        return answer_rows(call, kind, order[0]);                                                  \
    }                                                                                              \
    SPEC_BENCH_OF_ARRAYS(id, text, about, 0)

ROWS_OF(csr_reduce_max, SPARCL_REDUCE_MAX, "csr-reduce-max", "maxima of the rows of A")
ROWS_OF(csr_reduce_norm, SPARCL_REDUCE_NORM, "csr-reduce-norm", "Euclidean norms of the rows of A")

/* --- the gradient of sums of rows of A ------------------------------------------------------- */

static sparcl_status open_csr_reduce_gradient(sparcl_ctx *ctx, spec_bench_call *call) {
    spec_bench_arrays *const s = call->state;
    const spec_matrix *const m = call->input->matrix;
    sparcl_status status = spec_bench_put_csr(ctx, &s->a, m);
    if (status == SPARCL_OK) status = spec_bench_put_array(ctx, s, 0, m->rows, 0);
    if (status == SPARCL_OK) status = spec_bench_add_result(ctx, s, 0, m->nnz, 0);
    call->bytes = spec_bench_array_bytes(s) + offset_bytes(&s->a);
    return status;
}

static sparcl_status run_csr_reduce_gradient(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_csr_reduce_gradient(ctx, SPARCL_REDUCE_SUM, SPARCL_OVER_ALL, &s->to[0], &s->x[0],
                                      &s->a, 1, NULL, NULL, 0, NULL);
}

static bool answer_csr_reduce_gradient(const spec_bench_call *call, double *const *order) {
    const spec_bench_arrays *const s = call->state;
    const spec_matrix *const m = call->input->matrix;
    for (int64_t r = 0; r < m->rows; ++r)
        for (int64_t k = m->offsets[r]; k < m->offsets[r + 1]; ++k)
            order[0][k] = s->host[0][r];
    return true;
}

SPEC_BENCH_OF_ARRAYS(csr_reduce_gradient, "csr-reduce-gradient",
                     "the gradient of csr-reduce by the values of A", 0)

/* --- dense arrays with the rows of A ---------------------------------------------------------- */

/* x := the array; the result has a number for each row (axis 1) or column. */
static sparcl_status open_dense(sparcl_ctx *ctx, spec_bench_call *call, int axis) {
    spec_bench_arrays *const s = call->state;
    const int64_t rows = call->input->matrix->rows, n = call->input->n;
    sparcl_status status = spec_bench_put_array(ctx, s, 0, rows, n);
    if (status == SPARCL_OK) status = spec_bench_add_result(ctx, s, 0, axis == 1 ? rows : n, 0);
    call->flops = (double)rows * (double)n;
    call->bytes = spec_bench_array_bytes(s);
    return status;
}

static sparcl_status open_dense_reduce(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_dense(ctx, call, 1);
}

static sparcl_status open_dense_reduce_columns(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_dense(ctx, call, 0);
}

static sparcl_status run_dense_reduce(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_dense_reduce(ctx, SPARCL_REDUCE_SUM, &s->to[0], &s->x[0], 1);
}

static sparcl_status run_dense_reduce_columns(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_dense_reduce(ctx, SPARCL_REDUCE_SUM, &s->to[0], &s->x[0], 0);
}

static bool answer_dense_reduce(const spec_bench_call *call, double *const *order) {
    const spec_bench_arrays *const s = call->state;
    const spec_folding f = {SPARCL_F32, SPARCL_REDUCE_SUM, true, 0};
    const int64_t n = call->input->n;
    for (int64_t i = 0; i < s->x[0].shape[0]; ++i)
        order[0][i] = spec_fold(&f, s->host[0] + i * n, NULL, n).order;
    return true;
}

static bool answer_dense_reduce_columns(const spec_bench_call *call, double *const *order) {
    const spec_bench_arrays *const s = call->state;
    const spec_folding f = {SPARCL_F32, SPARCL_REDUCE_SUM, false, 0};
    const int64_t rows = s->x[0].shape[0], n = call->input->n;
    double *const column = spec_numbers(rows, 0);
    for (int64_t j = 0; column && j < n; ++j) {
        for (int64_t i = 0; i < rows; ++i)
            column[i] = s->host[0][i * n + j];
        order[0][j] = spec_fold(&f, column, NULL, rows).order;
    }
    free(column);
    return column;
}

SPEC_BENCH_OF_ARRAYS(dense_reduce, "dense-reduce",
                     "sums of the rows of a dense array with the rows of A", SPEC_BENCH_WIDTHS)
SPEC_BENCH_OF_ARRAYS(dense_reduce_columns, "dense-reduce-columns", "sums of its columns",
                     SPEC_BENCH_WIDTHS)

/* Of the norm of each row, which is given, as is its gradient. */
static sparcl_status open_dense_reduce_gradient(sparcl_ctx *ctx, spec_bench_call *call) {
    spec_bench_arrays *const s = call->state;
    const int64_t rows = call->input->matrix->rows, n = call->input->n;
    const spec_folding f = {SPARCL_F32, SPARCL_REDUCE_NORM, true, 0};
    double *const norms = spec_numbers(rows, 0);
    sparcl_status status = spec_bench_put_array(ctx, s, 0, rows, n);
    for (int64_t i = 0; status == SPARCL_OK && norms && i < rows; ++i)
        norms[i] = spec_fold(&f, s->host[0] + i * n, NULL, n).order;
    const sparcl_status put = spec_bench_put_made(ctx, s, 1, rows, 0, norms);
    if (status == SPARCL_OK) status = put;
    if (status == SPARCL_OK) status = spec_bench_put_array(ctx, s, 2, rows, 0);
    if (status == SPARCL_OK) status = spec_bench_add_result(ctx, s, 0, rows, n);
    call->bytes = spec_bench_array_bytes(s);
    return status;
}

static sparcl_status run_dense_reduce_gradient(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_dense_reduce_gradient(ctx, SPARCL_REDUCE_NORM, &s->to[0], &s->x[2], &s->x[0], 1,
                                        &s->x[1]);
}

static bool answer_dense_reduce_gradient(const spec_bench_call *call, double *const *order) {
    const spec_bench_arrays *const s = call->state;
    const int64_t n = call->input->n;
    for (int64_t e = 0; e < s->x[0].shape[0] * n; ++e) {
        const double share = spec_round(SPARCL_F32, s->host[0][e] / s->host[1][e / n]);
        order[0][e] =
            s->host[1][e / n] == 0 ? 0 : spec_round(SPARCL_F32, share * s->host[2][e / n]);
    }
    return true;
}

SPEC_BENCH_OF_ARRAYS(dense_reduce_gradient, "dense-reduce-gradient",
                     "the gradient of the norms of the rows of such an array", SPEC_BENCH_WIDTHS)

/* --- segments: n numbers for each entry of A, whose rows are the segments --------------------- */

static sparcl_status open_segments(sparcl_ctx *ctx, spec_bench_call *call) {
    spec_bench_arrays *const s = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t n = call->input->n;
    sparcl_status status = spec_bench_put_csr(ctx, &s->a, m);
    if (status == SPARCL_OK) status = spec_bench_put_array(ctx, s, 0, m->rows, n);
    if (status == SPARCL_OK) status = spec_bench_add_result(ctx, s, 0, m->nnz, n);
    call->bytes = spec_bench_array_bytes(s) + offset_bytes(&s->a);
    return status;
}

static sparcl_status open_segment_sum_gradient(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_segments(ctx, call);
}

/* The maxima are any item of the segment. */
static sparcl_status open_segment_max_gradient(sparcl_ctx *ctx, spec_bench_call *call) {
    spec_bench_arrays *const s = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t n = call->input->n;
    const sparcl_status status = spec_bench_put_places(ctx, s, m->rows, n, spec_bench_chosen(m, n));
    return status == SPARCL_OK ? open_segments(ctx, call) : status;
}

static sparcl_status run_segments(sparcl_ctx *ctx, const spec_bench_call *call,
                                  sparcl_reduction kind) {
    const spec_bench_arrays *const s = call->state;
    const sparcl_segments segments = {NULL, &s->a};
    return sparcl_segment_reduce_gradient(ctx, kind, &s->to[0], &s->x[0], NULL, &segments, NULL,
                                          s->places.values, 0);
}

static sparcl_status run_segment_sum_gradient(sparcl_ctx *ctx, const spec_bench_call *call) {
    return run_segments(ctx, call, SPARCL_REDUCE_SUM);
}

static sparcl_status run_segment_max_gradient(sparcl_ctx *ctx, const spec_bench_call *call) {
    return run_segments(ctx, call, SPARCL_REDUCE_MAX);
}

static bool answer_segment_sum_gradient(const spec_bench_call *call, double *const *order) {
    const spec_bench_arrays *const s = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t n = call->input->n;
    for (int64_t r = 0; r < m->rows; ++r)
        for (int64_t k = m->offsets[r]; k < m->offsets[r + 1]; ++k)
            for (int64_t j = 0; j < n; ++j) {
                const bool chosen = !s->places_host || s->places_host[r * n + j] == k;
                order[0][k * n + j] = chosen ? s->host[0][r * n + j] : 0;
            }
    return true;
}

#define answer_segment_max_gradient answer_segment_sum_gradient

SPEC_BENCH_OF_ARRAYS(segment_sum_gradient, "segment-sum-gradient", "the gradient of segment-sum",
                     SPEC_BENCH_WIDTHS)
SPEC_BENCH_OF_ARRAYS(segment_max_gradient, "segment-max-gradient",
                     "the gradient of segment-max, of maxima whose items are given",
                     SPEC_BENCH_WIDTHS)
