/* bench_coo_arrays.c: timed operation on COO matrices: the largest entry of each row. f32, and
 * 32-bit indices where they fit. */
#include <stdlib.h>

#include "spec/bench/bench_arrays.h"
#include "spec/shared/entries.h"

typedef struct operands {
    spec_bench_arrays arrays; /* first: the frame has its address */
    spec_matrix matrix;       /* without duplicates, sorted */
    spec_entries entries;
    sparcl_coo from;
} operands;

static void close_operands(void *state) {
    operands *const s = state;
    spec_matrix_free(&s->matrix);
    spec_entries_free(&s->entries);
    sparcl_coo_free(&s->from);
    spec_bench_close_arrays(&s->arrays);
}

static spec_case types_of(const spec_matrix *m) {
    const bool wide = m->rows > INT32_MAX || m->cols > INT32_MAX;
    return (spec_case){.dtype = SPARCL_F32, .index_type = wide ? SPARCL_I64 : SPARCL_I32};
}

/* --- the largest entry of each row ------------------------------------------------------------ */

static sparcl_status open_coo_reduce_max(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const s = call->state;
    const spec_case types = types_of(call->input->matrix);
    if (!spec_bench_copy(&s->matrix, call->input->matrix)) return SPARCL_E_MEMORY;
    spec_matrix_unique(&s->matrix);
    if (!spec_entries_of_matrix(&s->entries, &s->matrix, s->matrix.nnz)) return SPARCL_E_MEMORY;
    sparcl_status status = spec_put_entries(ctx, &s->from, &s->entries, &types, 0, false);
    if (status == SPARCL_OK) status = spec_bench_add_result(ctx, &s->arrays, 0, s->matrix.rows, 0);
    call->bytes = spec_bench_array_bytes(&s->arrays) +
                  (4 + (double)sparcl_itype_size(types.index_type)) * (double)s->matrix.nnz;
    return status;
}

static sparcl_status run_coo_reduce_max(sparcl_ctx *ctx, const spec_bench_call *call) {
    static const int columns[] = {1};
    operands *const s = call->state;
    return sparcl_coo_reduce(ctx, &s->arrays.to[0], SPARCL_MAX, &s->from, 1, columns);
}

static bool answer_coo_reduce_max(const spec_bench_call *call, double *const *order) {
    const operands *const s = call->state;
    const spec_matrix *const m = &s->matrix;
    for (int64_t i = 0; i < m->rows; ++i)
        for (int64_t k = m->offsets[i]; k < m->offsets[i + 1]; ++k) {
            const double value = spec_round(SPARCL_F32, m->values[k]);
            if (k == m->offsets[i] || value > order[0][i]) order[0][i] = value;
        }
    return true;
}

SPEC_BENCH_AS_ARRAYS(coo_reduce_max, "coo-reduce-max",
                     "the largest entry of each row of sorted COO entries", 0, operands,
                     close_operands)
