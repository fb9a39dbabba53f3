/* bench_csr_shape.c: timed operations that move the entries of CSR matrices: concatenations,
 * slices, selections, order and shape. f32, and 32-bit indices where they fit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/bench/bench.h"

/* What entries have to exceed. */
#define THRESHOLD 0.5

typedef struct operands {
    spec_matrix given, want; /* an operand and the result, on the host */
    sparcl_csr from[2], to;  /* both operands of a concatenation are one matrix */
    int64_t capacity;        /* of `to`; 0: the entries of the result */
} operands;

static void close_operands(void *state) {
    operands *const x = state;
    spec_matrix_free(&x->given);
    spec_matrix_free(&x->want);
    sparcl_csr_free(&x->from[0]);
    sparcl_csr_free(&x->to);
}

/* Make x->given and x->want of a matrix; false when out of memory. */
typedef bool (*maker)(operands *x, const spec_matrix *m);

/* The operands, each once, and the result. */
static sparcl_status open(sparcl_ctx *ctx, spec_bench_call *call, maker make, int count) {
    operands *const x = call->state;
    if (!make(x, call->input->matrix)) return SPARCL_E_MEMORY;
    spec_matrix result = x->want;
    if (x->capacity > 0) result.nnz = x->capacity;
    sparcl_status status = spec_bench_put_csr(ctx, &x->from[0], &x->given);
    if (status == SPARCL_OK) status = spec_bench_put_csr(ctx, &x->to, &result);
    x->from[1] = x->from[0];
    x->to.proof = (sparcl_proof){0};
    sparcl_csr written = x->to;
    written.nnz = x->want.nnz;
    call->bytes = count * spec_bench_csr_bytes(&x->from[0]) + spec_bench_csr_bytes(&written);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    const operands *const x = call->state;
    return spec_bench_compare_csr(ctx, &x->to, &x->want, report);
}

static sparcl_status poison(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return spec_bench_poison_csr(ctx, &x->to);
}

/* count: how many operands are read. */
#define BENCH(id, text, about, count, CALL)                                                        \
    SPEC_BENCH_CALLS(id, text, about, 0, open(ctx, call, make_##id, count), CALL)

/* --- entries that are kept -------------------------------------------------------------------- */

/* A result [rows, cols] of the entries for which `place` gives a column of `to`, not -1. */
static bool keep(operands *x, int64_t cols,
                 int64_t (*place)(const spec_matrix *m, int64_t r, int64_t k)) {
    const spec_matrix *const m = &x->given;
    spec_matrix *const to = &x->want;
    int64_t at = 0;
    if (!spec_matrix_alloc(to, m->rows, cols, m->nnz)) return false;
    for (int64_t r = 0; r < m->rows; ++r) {
        for (int64_t k = m->offsets[r]; k < m->offsets[r + 1]; ++k) {
            to->indices[at] = place(m, r, k);
            to->values[at] = m->values[k];
            at += to->indices[at] >= 0;
        }
        to->offsets[r + 1] = at;
    }
    to->nnz = at;
    return true;
}

static int64_t place_large(const spec_matrix *m, int64_t r, int64_t k) {
    (void)r;
    return fabs(m->values[k]) > THRESHOLD ? m->indices[k] : -1;
}

static bool make_csr_prune(operands *x, const spec_matrix *m) {
    return spec_bench_copy(&x->given, m) && keep(x, m->cols, place_large);
}

BENCH(csr_prune, "csr-prune", "the entries whose magnitude is above 0.5", 1,
      sparcl_csr_prune(ctx, &x->to, &x->from[0], THRESHOLD, NULL))

/* --- order and shape -------------------------------------------------------------------------- */

/* A copy without duplicates, with sorted rows. */
static bool copy_canonical(spec_matrix *to, const spec_matrix *m) {
    if (!spec_bench_copy(to, m)) return false;
    spec_matrix_unique(to);
    return true;
}

/* Columns 2 j + 1 become 2 j: at most two entries of a row are in one column. */
static bool make_csr_sum_duplicates(operands *x, const spec_matrix *m) {
    if (!copy_canonical(&x->given, m)) return false;
    for (int64_t k = 0; k < x->given.nnz; ++k)
        x->given.indices[k] -= x->given.indices[k] % 2;
    if (!spec_bench_copy(&x->want, &x->given)) return false;
    int64_t at = 0, begin = 0;
    for (int64_t r = 0; r < m->rows; ++r) {
        const int64_t first = at, end = x->given.offsets[r + 1];
        for (int64_t k = begin; k < end; ++k) {
            const bool again = at > first && x->want.indices[at - 1] == x->given.indices[k];
            const double before = again ? x->want.values[--at] : 0;
            x->want.indices[at] = x->given.indices[k];
            x->want.values[at++] = spec_round(SPARCL_F32, before + x->given.values[k]);
        }
        x->want.offsets[r + 1] = at;
        begin = end;
    }
    x->want.nnz = at;
    x->capacity = x->given.nnz;
    spec_matrix_reverse_rows(&x->given);
    return true;
}

BENCH(csr_sum_duplicates, "csr-sum-duplicates", "sort rows, and add the entries of one column", 1,
      sparcl_csr_sum_duplicates(ctx, &x->to, &x->from[0], NULL, 0))
