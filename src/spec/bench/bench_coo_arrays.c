/* bench_coo_arrays.c: a timed operation: the gradient of coalesce by maximum. f32, and 32-bit
 * indices where they fit. */
#include <stdlib.h>

#include "spec/bench/bench_arrays.h"
#include "spec/shared/entries.h"

/* arrays.x[0] is that of the combined values, arrays.to[0] that of all values. */
typedef struct operands {
    spec_bench_arrays arrays; /* first: the frame has its address */
    spec_entries entries;
    sparcl_coo from, combined;
    sparcl_coalesced more;
} operands;

static void close_operands(void *state) {
    operands *const s = state;
    spec_entries_free(&s->entries);
    sparcl_coo_free(&s->from);
    sparcl_coo_free(&s->combined);
    sparcl_buf_free(s->more.inverse);
    sparcl_buf_free(s->more.source);
    spec_bench_close_arrays(&s->arrays);
}

static spec_case types_of(const spec_matrix *m) {
    const bool wide = m->rows > INT32_MAX || m->cols > INT32_MAX;
    return (spec_case){.dtype = SPARCL_F32, .index_type = wide ? SPARCL_I64 : SPARCL_I32};
}

static sparcl_status combine(sparcl_ctx *ctx, operands *s, int64_t n) {
    sparcl_status status = sparcl_buf_create(ctx, &s->more.inverse, 8 * n + 8);
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &s->more.source, 8 * n + 8);
    return status == SPARCL_OK
               ? sparcl_coo_coalesce_with(ctx, &s->combined, &s->from, SPARCL_MAX, &s->more)
               : status;
}

/* Of each entry its place among the combined ones is read, which entry was chosen there, and the
 * gradient. */
static sparcl_status open_coo_coalesce_gradient(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const s = call->state;
    const spec_matrix *const m = call->input->matrix;
    const spec_case types = types_of(m);
    if (!spec_bench_shuffled(&s->entries, m)) return SPARCL_E_MEMORY;
    sparcl_status status = spec_put_entries(ctx, &s->from, &s->entries, &types, 0, true);
    if (status == SPARCL_OK)
        status = spec_put_entries(ctx, &s->combined, &s->entries, &types, 0, true);
    if (status == SPARCL_OK) status = combine(ctx, s, m->nnz);
    if (status == SPARCL_OK) status = spec_bench_put_array(ctx, &s->arrays, 0, m->nnz, 0);
    if (status == SPARCL_OK) status = spec_bench_add_result(ctx, &s->arrays, 0, m->nnz, 0);
    call->bytes = spec_bench_array_bytes(&s->arrays) + 16 * (double)m->nnz;
    return status;
}

static sparcl_status run_coo_coalesce_gradient(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const s = call->state;
    return sparcl_coo_coalesce_gradient(ctx, &s->arrays.to[0], SPARCL_MAX, &s->arrays.x[0],
                                        &s->from, &s->more);
}

/* The first of the largest entries of each place gets the gradient. */
static bool answer_coo_coalesce_gradient(const spec_bench_call *call, double *const *order) {
    const operands *const s = call->state;
    const spec_entries *const e = &s->entries;
    int64_t *const sorted = spec_entries_order(e);
    int64_t found = 0;
    for (int64_t begin = 0, end = 0; sorted && begin < e->stored; begin = end, ++found) {
        int64_t chosen = sorted[begin];
        for (; end < e->stored && spec_entries_compare(e, sorted[begin], sorted[end]) == 0; ++end)
            if (spec_round(SPARCL_F32, e->values[sorted[end]]) >
                spec_round(SPARCL_F32, e->values[chosen]))
                chosen = sorted[end];
        order[0][chosen] = s->arrays.host[0][found];
    }
    free(sorted);
    return sorted != NULL;
}

SPEC_BENCH_AS_ARRAYS(coo_coalesce_gradient, "coo-coalesce-max-gradient",
                     "the gradient of coo-coalesce-max by the values", 0, operands, close_operands)
