/* bench_csr_pairs.c: timed operations: the sum of two COO matrices, and their product element by
 * element. */
#include <stdlib.h>

#include "spec/bench/bench.h"
#include "spec/shared/entries.h"

#define R(x) spec_round(SPARCL_F32, (x))

typedef struct operands {
    spec_matrix a_host, b_host, want;
    int64_t *from_a, *from_b;  /* the entry of A, and of B, of each entry of `want`, or -1 */
    spec_entries coo_hosts[3]; /* A, B and the expected C */
    sparcl_coo coo[3];         /* A, B and C */
} operands;

static void close_operands(void *state) {
    operands *const s = state;
    spec_matrix_free(&s->a_host);
    spec_matrix_free(&s->b_host);
    spec_matrix_free(&s->want);
    free(s->from_a);
    free(s->from_b);
    for (int i = 0; i < 3; ++i) {
        spec_entries_free(&s->coo_hosts[i]);
        sparcl_coo_free(&s->coo[i]);
    }
}

/* A without duplicates, and B as A with the entries of every second row one column later. */
static bool make_pair(operands *s, const spec_matrix *m) {
    if (!spec_bench_copy(&s->a_host, m) || !spec_bench_copy(&s->b_host, m)) return false;
    for (int64_t i = 1; i < m->rows; i += 2)
        for (int64_t k = m->offsets[i]; k < m->offsets[i + 1]; ++k)
            s->b_host.indices[k] = (m->indices[k] + 1) % m->cols;
    spec_matrix_unique(&s->a_host);
    spec_matrix_unique(&s->b_host);
    return true;
}

/* The rows merged: entries of one matrix or both, or of both only. */
static bool merge_plain(operands *s, bool multiplies) {
    const spec_matrix *const a = &s->a_host, *const b = &s->b_host;
    const int64_t most = a->nnz + b->nnz;
    int64_t at = 0;
    s->from_a = calloc((size_t)most + 1, sizeof *s->from_a);
    s->from_b = calloc((size_t)most + 1, sizeof *s->from_b);
    if (!s->from_a || !s->from_b || !spec_matrix_alloc(&s->want, a->rows, a->cols, most))
        return false;
    for (int64_t i = 0; i < a->rows; ++i) {
        int64_t k = a->offsets[i], l = b->offsets[i];
        while (k < a->offsets[i + 1] || l < b->offsets[i + 1]) {
            const int64_t x = k < a->offsets[i + 1] ? a->indices[k] : INT64_MAX;
            const int64_t y = l < b->offsets[i + 1] ? b->indices[l] : INT64_MAX;
            const double v = x <= y ? a->values[k] : 0, w = y <= x ? b->values[l] : 0;
            s->want.indices[at] = x < y ? x : y;
            s->want.values[at] = R(multiplies ? v * w : v + w);
            s->from_a[at] = x <= y ? k : -1;
            s->from_b[at] = y <= x ? l : -1;
            at += !multiplies || x == y;
            k += x <= y;
            l += y <= x;
        }
        s->want.offsets[i + 1] = s->want.nnz = at;
    }
    return true;
}

/* --- results ---------------------------------------------------------------------------------- */

static sparcl_status check_coo(sparcl_ctx *ctx, const operands *s, spec_report *report) {
    spec_entries got = {0};
    *report = (spec_report){.equal = true, .zeros_expected = true};
    sparcl_status status = spec_entries_like(&got, &s->coo_hosts[2])
                               ? spec_get_entries(ctx, &s->coo[2], &got)
                               : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) spec_compare_entries(report, &got, &s->coo_hosts[2], NULL, NULL);
    spec_entries_free(&got);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    return check_coo(ctx, call->state, report);
}

static sparcl_status poison(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const s = call->state;
    return spec_bench_poison_coo(ctx, &s->coo[2]);
}

/* --- COO -------------------------------------------------------------------------------------- */

static sparcl_status open_coo_pair(sparcl_ctx *ctx, spec_bench_call *call, bool multiplies) {
    operands *const s = call->state;
    const spec_matrix *const m = call->input->matrix, *const all[] = {&s->a_host, &s->b_host,
                                                                      &s->want};
    const bool wide = m->rows > INT32_MAX || m->cols > INT32_MAX;
    const spec_case types = {.dtype = SPARCL_F32, .index_type = wide ? SPARCL_I64 : SPARCL_I32};
    if (!make_pair(s, m) || !merge_plain(s, multiplies)) return SPARCL_E_MEMORY;
    const int64_t most = multiplies ? s->a_host.nnz : s->a_host.nnz + s->b_host.nnz;
    for (int i = 0; i < 3; ++i) {
        const int64_t room = i == 2 ? most : all[i]->nnz;
        if (!spec_entries_of_matrix(&s->coo_hosts[i], all[i], room)) return SPARCL_E_MEMORY;
        const sparcl_status status =
            spec_put_entries(ctx, &s->coo[i], &s->coo_hosts[i], &types, 0, i == 2);
        if (status != SPARCL_OK) return status;
        call->bytes += (4 + 2 * (double)sparcl_itype_size(types.index_type)) * (double)all[i]->nnz;
    }
    s->coo[2].proof = (sparcl_proof){.flags = 0};
    call->flops = (double)s->want.nnz;
    return SPARCL_OK;
}

SPEC_BENCH_CALLS(coo_add, "coo-add", "csr-add of the same matrices as sorted COO entries", 0,
                 open_coo_pair(ctx, call, false),
                 sparcl_coo_add(ctx, &x->coo[2], 1, &x->coo[0], 1, &x->coo[1], NULL, 0, NULL))
SPEC_BENCH_CALLS(coo_multiply, "coo-multiply",
                 "csr-multiply of the same matrices as sorted COO entries", 0,
                 open_coo_pair(ctx, call, true),
                 sparcl_coo_multiply(ctx, &x->coo[2], &x->coo[0], &x->coo[1], NULL, 0, NULL))
