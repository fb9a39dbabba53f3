/* bench_arrays.c: the frame of timed operations whose results are dense arrays. */
#include "spec/bench/bench_arrays.h"

#include <stdlib.h>

static sparcl_dense shape_of(int64_t rows, int64_t n) {
    return (sparcl_dense){.rank = n > 0 ? 2 : 1, .shape = {rows, n}};
}

static int64_t count_of(const sparcl_dense *view) {
    return view->shape[0] * (view->rank > 1 ? view->shape[1] : 1);
}

sparcl_status spec_bench_put_made(sparcl_ctx *ctx, spec_bench_arrays *s, int i, int64_t rows,
                                  int64_t n, double *made) {
    s->x[i] = shape_of(rows, n);
    s->host[i] = made;
    return made ? spec_put_reals(ctx, &s->x[i].values, made, count_of(&s->x[i]), SPARCL_F32)
                : SPARCL_E_MEMORY;
}

sparcl_status spec_bench_put_array(sparcl_ctx *ctx, spec_bench_arrays *s, int i, int64_t rows,
                                   int64_t n) {
    return spec_bench_put_made(ctx, s, i, rows, n,
                               spec_numbers(rows * (n > 0 ? n : 1), 3 + (uint64_t)i));
}

sparcl_status spec_bench_put_places(sparcl_ctx *ctx, spec_bench_arrays *s, int64_t rows, int64_t n,
                                    int64_t *made) {
    s->places = shape_of(rows, n);
    s->places.dtype = SPARCL_INT64;
    s->places_host = made;
    return made ? spec_put_ints(ctx, &s->places.values, made, count_of(&s->places), SPARCL_INDEX64)
                : SPARCL_E_MEMORY;
}

sparcl_status spec_bench_add_result(sparcl_ctx *ctx, spec_bench_arrays *s, int i, int64_t rows,
                                    int64_t n) {
    s->to[i] = shape_of(rows, n);
    return sparcl_dense_zeros(ctx, &s->to[i]);
}

sparcl_status spec_bench_open_arrays(sparcl_ctx *ctx, spec_bench_call *call, int operands,
                                     int results, int64_t rows, int64_t n) {
    spec_bench_arrays *const s = call->state;
    sparcl_status status = SPARCL_OK;
    for (int i = 0; i < operands && status == SPARCL_OK; ++i)
        status = spec_bench_put_array(ctx, s, i, rows, n);
    for (int i = 0; i < results && status == SPARCL_OK; ++i)
        status = spec_bench_add_result(ctx, s, i, rows, n);
    call->bytes = spec_bench_array_bytes(s);
    return status;
}

double spec_bench_array_bytes(const spec_bench_arrays *s) {
    double bytes = s->places.values ? 8 * (double)count_of(&s->places) : 0;
    for (int i = 0; i < SPEC_BENCH_OPERANDS; ++i)
        if (s->x[i].values) bytes += 4 * (double)count_of(&s->x[i]);
    for (int i = 0; i < SPEC_BENCH_RESULTS; ++i)
        if (s->to[i].values) bytes += 4 * (double)count_of(&s->to[i]);
    return bytes;
}

sparcl_status spec_bench_check_arrays(sparcl_ctx *ctx, const spec_bench_call *call,
                                      spec_bench_answer answer, spec_report *report) {
    static const char *const names[SPEC_BENCH_RESULTS] = {"result", "second result",
                                                          "third result"};
    const spec_bench_arrays *const s = call->state;
    double *order[SPEC_BENCH_RESULTS] = {NULL};
    sparcl_status status = SPARCL_OK;
    *report = (spec_report){.equal = true, .zeros_expected = true};
    for (int i = 0; i < SPEC_BENCH_RESULTS; ++i) {
        const size_t count = s->to[i].values ? (size_t)count_of(&s->to[i]) : 0;
        order[i] = calloc(count + 1, sizeof(double));
        if (!order[i]) status = SPARCL_E_MEMORY;
    }
    if (status == SPARCL_OK && !answer(call, order)) status = SPARCL_E_MEMORY;
    for (int i = 0; i < SPEC_BENCH_RESULTS && status == SPARCL_OK; ++i)
        if (s->to[i].values)
            status = spec_bench_compare_dense(ctx, names[i], &s->to[i], order[i], report);
    for (int i = 0; i < SPEC_BENCH_RESULTS; ++i)
        free(order[i]);
    return status;
}

sparcl_status spec_bench_poison_arrays(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    sparcl_status status = SPARCL_OK;
    for (int i = 0; i < SPEC_BENCH_RESULTS && status == SPARCL_OK; ++i)
        status = spec_poison(ctx, s->to[i].values);
    return status;
}

void spec_bench_close_arrays(void *state) {
    spec_bench_arrays *const s = state;
    sparcl_csr_free(&s->a);
    sparcl_pattern_free(s->pattern);
    for (int i = 0; i < SPEC_BENCH_OPERANDS; ++i) {
        sparcl_dense_free(&s->x[i]);
        free(s->host[i]);
    }
    for (int i = 0; i < SPEC_BENCH_RESULTS; ++i)
        sparcl_dense_free(&s->to[i]);
    sparcl_dense_free(&s->places);
    free(s->places_host);
}
