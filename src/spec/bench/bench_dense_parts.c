/* bench_dense_parts.c: timed operations: two dense arrays with the rows of A as one, below or
 * beside each other, and such an array split. */
#include <string.h>

#include "spec/bench/bench_arrays.h"

/* The shape of the whole array. */
static int64_t rows_of(const spec_bench_call *call, int axis) {
    return (axis ? 1 : 2) * call->input->matrix->rows;
}

static int64_t cols_of(const spec_bench_call *call, int axis) {
    return (axis ? 2 : 1) * call->input->n;
}

static sparcl_status open_concat(sparcl_ctx *ctx, spec_bench_call *call, int axis) {
    spec_bench_arrays *const s = call->state;
    sparcl_status status =
        spec_bench_open_arrays(ctx, call, 2, 0, call->input->matrix->rows, call->input->n);
    if (status == SPARCL_OK)
        status = spec_bench_add_result(ctx, s, 0, rows_of(call, axis), cols_of(call, axis));
    call->bytes = spec_bench_array_bytes(s);
    return status;
}

static sparcl_status open_split(sparcl_ctx *ctx, spec_bench_call *call, int axis) {
    spec_bench_arrays *const s = call->state;
    sparcl_status status =
        spec_bench_open_arrays(ctx, call, 0, 2, call->input->matrix->rows, call->input->n);
    if (status == SPARCL_OK)
        status = spec_bench_put_array(ctx, s, 0, rows_of(call, axis), cols_of(call, axis));
    call->bytes = spec_bench_array_bytes(s);
    return status;
}

static sparcl_status run_concat(sparcl_ctx *ctx, const spec_bench_call *call, int axis) {
    const spec_bench_arrays *const s = call->state;
    const sparcl_dense *const parts[] = {&s->x[0], &s->x[1]};
    return sparcl_dense_concat(ctx, &s->to[0], parts, 2, axis);
}

static sparcl_status run_split(sparcl_ctx *ctx, const spec_bench_call *call, int axis) {
    const spec_bench_arrays *const s = call->state;
    const sparcl_dense *const parts[] = {&s->to[0], &s->to[1]};
    return sparcl_dense_split(ctx, parts, 2, &s->x[0], axis);
}

/* Parts alternate in the whole array, piece by piece: rows, or the whole part. */
static int64_t piece_length(const spec_bench_call *call, int axis) {
    return (axis ? 1 : call->input->matrix->rows) * call->input->n;
}

static int64_t piece_count(const spec_bench_call *call, int axis) {
    return axis ? call->input->matrix->rows : 1;
}

static bool answer_concat(const spec_bench_call *call, double *const *order, int axis) {
    const spec_bench_arrays *const s = call->state;
    const int64_t length = piece_length(call, axis);
    for (int64_t i = 0; i < piece_count(call, axis); ++i)
        for (int part = 0; part < 2; ++part)
            memcpy(order[0] + (2 * i + part) * length, s->host[part] + i * length,
                   (size_t)length * sizeof **order);
    return true;
}

static bool answer_split(const spec_bench_call *call, double *const *order, int axis) {
    const spec_bench_arrays *const s = call->state;
    const int64_t length = piece_length(call, axis);
    for (int64_t i = 0; i < piece_count(call, axis); ++i)
        for (int part = 0; part < 2; ++part)
            memcpy(order[part] + i * length, s->host[0] + (2 * i + part) * length,
                   (size_t)length * sizeof **order);
    return true;
}

#define PARTS(id, how, axis, text, about)                                                          \
    static sparcl_status open_##id(sparcl_ctx *ctx, spec_bench_call *call) {                       \
        return open_##how(ctx, call, axis);                                                        \
    }                                                                                              \
    static sparcl_status run_##id(sparcl_ctx *ctx, const spec_bench_call *call) {                  \
        return run_##how(ctx, call, axis);                                                         \
    }                                                                                              \
    static bool answer_##id(const spec_bench_call *call, double *const *order) {                   \
        return answer_##how(call, order, axis);                                                    \
    }                                                                                              \
    SPEC_BENCH_OF_ARRAYS(id, text, about, SPEC_BENCH_WIDTHS)

PARTS(dense_concat, concat, 0, "dense-concat",
      "two dense arrays with the rows of A, one below the other")
PARTS(dense_concat_columns, concat, 1, "dense-concat-columns", "the same, side by side")
PARTS(dense_split, split, 0, "dense-split",
      "two such arrays of one in which they are below each other")
PARTS(dense_split_columns, split, 1, "dense-split-columns",
      "the same of one with both side by side")
