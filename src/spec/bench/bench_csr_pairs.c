/* bench_csr_pairs.c: timed operations: the sum of two CSR matrices, their product element by
 * element, and the gradients of both; the sum and product of the same matrices as COO. */
#include <stdlib.h>

#include "spec/bench/bench_arrays.h"
#include "spec/shared/entries.h"

#define R(x) spec_round(SPARCL_F32, (x))

/* Gradients: arrays.x[0] is that of the values of C, arrays.to[0] that of A, arrays.to[1] of B. */
typedef struct operands {
    spec_bench_arrays arrays; /* first: the frame has its address; with A */
    spec_matrix a_host, b_host, want;
    int64_t *from_a, *from_b; /* the entry of A, and of B, of each entry of `want`, or -1 */
    sparcl_csr b, c;
    sparcl_csr_sources sources;
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
    sparcl_csr_free(&s->b);
    sparcl_csr_free(&s->c);
    sparcl_buf_free(s->sources.a);
    sparcl_buf_free(s->sources.b);
    for (int i = 0; i < 3; ++i) {
        spec_entries_free(&s->coo_hosts[i]);
        sparcl_coo_free(&s->coo[i]);
    }
    spec_bench_close_arrays(&s->arrays);
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

/* A, B, and C with room for as many entries as it can have. */
static sparcl_status open_pair(sparcl_ctx *ctx, spec_bench_call *call, bool multiplies) {
    operands *const s = call->state;
    sparcl_csr *const a = &s->arrays.a;
    if (!make_pair(s, call->input->matrix) || !merge_plain(s, multiplies)) return SPARCL_E_MEMORY;
    sparcl_status status = spec_bench_put_csr(ctx, a, &s->a_host);
    if (status == SPARCL_OK) status = spec_bench_put_csr(ctx, &s->b, &s->b_host);
    s->c = *a;
    s->c.nnz = multiplies ? a->nnz : a->nnz + s->b.nnz;
    s->c.offsets = s->c.indices = s->c.values = NULL;
    if (status == SPARCL_OK) status = sparcl_csr_create(ctx, &s->c);
    sparcl_csr written = s->c;
    written.nnz = s->want.nnz;
    call->flops = (double)s->want.nnz;
    call->bytes =
        spec_bench_csr_bytes(a) + spec_bench_csr_bytes(&s->b) + spec_bench_csr_bytes(&written);
    return status;
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
    const operands *const s = call->state;
    return s->coo[2].rank ? check_coo(ctx, s, report)
                          : spec_bench_compare_csr(ctx, &s->c, &s->want, report);
}

static sparcl_status poison(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const s = call->state;
    return s->coo[2].rank ? spec_bench_poison_coo(ctx, &s->coo[2])
                          : spec_bench_poison_csr(ctx, &s->c);
}

SPEC_BENCH_CALLS(csr_add, "csr-add", "A + B, half of whose entries are at the same places", 0,
                 open_pair(ctx, call, false),
                 sparcl_csr_add(ctx, &x->c, 1, &x->arrays.a, 1, &x->b, NULL, 0, NULL))
SPEC_BENCH_CALLS(csr_multiply, "csr-multiply",
                 "A times B element by element, half of the entries at the same places", 0,
                 open_pair(ctx, call, true),
                 sparcl_csr_multiply(ctx, &x->c, &x->arrays.a, &x->b, NULL, 0, NULL))

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

/* --- gradients: C and its sources are computed before ----------------------------------------- */

/* Of each entry of C: its gradient and both sources are read; of a product, two values. */
static sparcl_status open_gradient(sparcl_ctx *ctx, spec_bench_call *call, bool multiplies) {
    operands *const s = call->state;
    spec_bench_arrays *const x = &s->arrays;
    sparcl_status status = open_pair(ctx, call, multiplies);
    if (status != SPARCL_OK) return status;
    const double entries = (double)s->want.nnz;
    s->c.nnz = s->want.nnz;
    status = sparcl_buf_create(ctx, &s->sources.a, 8 * s->c.nnz + 8);
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &s->sources.b, 8 * s->c.nnz + 8);
    if (status == SPARCL_OK)
        status = multiplies ? sparcl_csr_multiply(ctx, &s->c, &x->a, &s->b, NULL, 0, &s->sources)
                            : sparcl_csr_add(ctx, &s->c, 1, &x->a, 1, &s->b, NULL, 0, &s->sources);
    if (status == SPARCL_OK) status = spec_bench_put_array(ctx, x, 0, s->c.nnz, 0);
    if (status == SPARCL_OK) status = spec_bench_add_result(ctx, x, 0, s->a_host.nnz, 0);
    if (status == SPARCL_OK) status = spec_bench_add_result(ctx, x, 1, s->b_host.nnz, 0);
    call->flops = multiplies ? 2 * entries : 0;
    call->bytes = spec_bench_array_bytes(x) + (multiplies ? 24 : 16) * entries;
    return status;
}

static sparcl_status open_csr_add_gradient(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_gradient(ctx, call, false);
}

static sparcl_status open_csr_multiply_gradient(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_gradient(ctx, call, true);
}

static sparcl_status run_csr_add_gradient(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const s = call->state;
    const spec_bench_arrays *const x = &s->arrays;
    return sparcl_csr_add_gradient(ctx, &x->to[0], &x->to[1], 1, 1, &x->x[0], &s->c, &s->sources);
}

static sparcl_status run_csr_multiply_gradient(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const s = call->state;
    const spec_bench_arrays *const x = &s->arrays;
    return sparcl_csr_multiply_gradient(ctx, &x->to[0], &x->to[1], &x->x[0], &s->c, &x->a, &s->b,
                                        &s->sources);
}

static bool answer_csr_add_gradient(const spec_bench_call *call, double *const *order) {
    const operands *const s = call->state;
    for (int64_t e = 0; e < s->want.nnz; ++e) {
        const double g = s->arrays.host[0][e];
        if (s->from_a[e] >= 0) order[0][s->from_a[e]] = g;
        if (s->from_b[e] >= 0) order[1][s->from_b[e]] = g;
    }
    return true;
}

static bool answer_csr_multiply_gradient(const spec_bench_call *call, double *const *order) {
    const operands *const s = call->state;
    for (int64_t e = 0; e < s->want.nnz; ++e) {
        const int64_t k = s->from_a[e], l = s->from_b[e];
        order[0][k] = R(s->b_host.values[l] * s->arrays.host[0][e]);
        order[1][l] = R(s->a_host.values[k] * s->arrays.host[0][e]);
    }
    return true;
}

SPEC_BENCH_AS_ARRAYS(csr_add_gradient, "csr-add-gradient",
                     "the gradients of csr-add by the values of A and B", 0, operands,
                     close_operands)
SPEC_BENCH_AS_ARRAYS(csr_multiply_gradient, "csr-multiply-gradient", "the same of csr-multiply", 0,
                     operands, close_operands)
