/* bench_matmul.c: timed operations: the product of a CSC, COO or BSR matrix, as it is, with a dense
 * one, and of a dense matrix with a CSR matrix or its transpose. */
#include <stdlib.h>
#include <string.h>

#include "sparcl/ops/conversions.h"
#include "sparcl/ops/products.h"
#include "spec/bench/bench.h"
#include "spec/shared/entries.h"

/* Rows and columns of a block. */
#define BLOCK 4

/* The dense operand has n columns; where it comes first, n rows. The result is that of a product
 * `factor` * B, or its transpose. */
typedef struct operands {
    spec_matrix columns; /* the transpose of A; of BSR A */
    spec_matrix rows; /* the transpose of that: A with sorted rows; of BSR all elements of blocks */
    const spec_matrix *factor;
    spec_entries entries;
    sparcl_csr fields; /* of a CSR matrix, or the arrays of a CSC one */
    sparcl_coo coo;
    sparcl_bsr bsr;
    sparcl_matrix sparse;
    sparcl_op op; /* of the sparse operand */
    bool is_first;
    sparcl_dense dense, result;
    sparcl_pattern *pattern;
    double *host; /* B */
} operands;

static void close_operands(void *state) {
    operands *const x = state;
    spec_matrix_free(&x->columns);
    spec_matrix_free(&x->rows);
    spec_entries_free(&x->entries);
    sparcl_csr_free(&x->fields);
    sparcl_coo_free(&x->coo);
    sparcl_bsr_free(&x->bsr);
    sparcl_dense_free(&x->dense);
    sparcl_dense_free(&x->result);
    sparcl_pattern_free(x->pattern);
    free(x->host);
}

static int64_t up(int64_t x, int64_t block) {
    return (x + block - 1) / block * block;
}

bool spec_bench_widen(spec_matrix *to, const spec_matrix *m, int64_t block) {
    if (!spec_matrix_alloc(to, up(m->rows, block), up(m->cols, block), m->nnz)) return false;
    for (int64_t r = 0; r <= to->rows; ++r)
        to->offsets[r] = m->offsets[r < m->rows ? r : m->rows];
    memcpy(to->indices, m->indices, (size_t)m->nnz * sizeof *m->indices);
    memcpy(to->values, m->values, (size_t)m->nnz * sizeof *m->values);
    spec_matrix_unique(to);
    return true;
}

int64_t spec_bench_count_blocks(const spec_matrix *m, int64_t block) {
    int64_t count = 0, *const last = calloc((size_t)(m->cols / block) + 1, sizeof *last);
    for (int64_t i = 0; last && i < m->rows; ++i)
        for (int64_t k = m->offsets[i]; k < m->offsets[i + 1]; ++k) {
            int64_t *const seen = &last[m->indices[k] / block];
            count += *seen <= i / block;
            *seen = i / block + 1;
        }
    free(last);
    return count;
}

/* --- inputs ----------------------------------------------------------------------------------- */

static bool make_transposes(operands *x, const spec_matrix *m) {
    return spec_matrix_transpose(&x->columns, m) && spec_matrix_transpose(&x->rows, &x->columns);
}

/* The dense operand is B, [inner, n], or its transpose. */
static sparcl_status put_dense(sparcl_ctx *ctx, operands *x, int64_t inner, int64_t n) {
    double *const turned = spec_numbers(inner * n, 0);
    x->dense =
        (sparcl_dense){.rank = 2, .shape = {x->is_first ? inner : n, x->is_first ? n : inner}};
    x->host = spec_numbers(inner * n, 1);
    const bool made = turned && x->host;
    for (int64_t i = 0; made && i < inner; ++i)
        for (int64_t j = 0; j < n; ++j)
            turned[x->is_first ? i * n + j : j * inner + i] = x->host[i * n + j];
    const sparcl_status status =
        made ? spec_put_reals(ctx, &x->dense.values, turned, inner * n, SPARCL_F32)
             : SPARCL_E_MEMORY;
    free(turned);
    return status;
}

/* The dense operand and the result; x->factor is set. */
static sparcl_status open_dense(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    const int64_t inner = x->factor->cols, outer = x->factor->rows, n = call->input->n;
    sparcl_status status = put_dense(ctx, x, inner, n);
    x->result =
        (sparcl_dense){.rank = 2, .shape = {x->is_first ? outer : n, x->is_first ? n : outer}};
    if (status == SPARCL_OK) status = sparcl_dense_create(ctx, &x->result);
    call->flops = 2 * (double)x->factor->nnz * (double)n;
    call->bytes += 4 * (double)n * (double)(spec_columns_used(x->factor) + outer);
    return status;
}

static sparcl_status open_csc(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    if (!make_transposes(x, call->input->matrix)) return SPARCL_E_MEMORY;
    sparcl_status status = spec_bench_put_csr(ctx, &x->fields, &x->columns);
    x->sparse = sparcl_matrix_csc(spec_as_csc(&x->fields));
    x->factor = &x->rows;
    x->is_first = true;
    call->bytes = spec_bench_csr_bytes(&x->fields);
    return status == SPARCL_OK ? open_dense(ctx, call) : status;
}

static sparcl_status open_coo(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    const bool wide = m->rows > INT32_MAX || m->cols > INT32_MAX;
    const spec_case types = {.dtype = SPARCL_F32, .index_type = wide ? SPARCL_I64 : SPARCL_I32};
    if (!make_transposes(x, m) || !spec_entries_of_matrix(&x->entries, m, m->nnz))
        return SPARCL_E_MEMORY;
    sparcl_status status = spec_put_entries(ctx, &x->coo, &x->entries, &types, 0, false);
    x->sparse = sparcl_matrix_coo(x->coo);
    x->factor = &x->rows;
    x->is_first = true;
    call->bytes = (4 + 2 * (double)sparcl_itype_size(types.index_type)) * (double)m->nnz;
    return status == SPARCL_OK ? open_dense(ctx, call) : status;
}

/* has[j] := has block j of the rows from `first` on an entry? */
static void mark_blocks(const spec_matrix *m, int64_t first, bool *has) {
    memset(has, 0, (size_t)(m->cols / BLOCK) * sizeof *has);
    for (int64_t k = m->offsets[first]; k < m->offsets[first + BLOCK]; ++k)
        has[m->indices[k] / BLOCK] = true;
}

/* Row r of `to`: each element of its blocks, 0 where m has no entry. */
static void expand_row(spec_matrix *to, const spec_matrix *m, int64_t r, const bool *has) {
    int64_t at = to->offsets[r], k = m->offsets[r];
    for (int64_t j = 0; j < m->cols; ++j) {
        if (!has[j / BLOCK]) continue;
        const bool is_entry = k < m->offsets[r + 1] && m->indices[k] == j;
        to->indices[at] = j;
        to->values[at++] = is_entry ? m->values[k++] : 0;
    }
    to->offsets[r + 1] = at;
}

/* The elements of all blocks of a matrix: what a product with it in BSR format adds. */
static bool expand_blocks(spec_matrix *to, const spec_matrix *m) {
    const int64_t blocks = spec_bench_count_blocks(m, BLOCK);
    bool *const has = calloc((size_t)(m->cols / BLOCK) + 1, sizeof *has);
    const bool done = has && spec_matrix_alloc(to, m->rows, m->cols, blocks * BLOCK * BLOCK);
    for (int64_t first = 0; done && first < m->rows; first += BLOCK) {
        mark_blocks(m, first, has);
        for (int64_t r = first; r < first + BLOCK; ++r)
            expand_row(to, m, r, has);
    }
    free(has);
    return done;
}

/* A with sizes that blocks divide. */
static sparcl_status open_bsr(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    if (!spec_bench_widen(&x->columns, call->input->matrix, BLOCK) ||
        !expand_blocks(&x->rows, &x->columns))
        return SPARCL_E_MEMORY;
    x->bsr = (sparcl_bsr){.rows = x->rows.rows,
                          .cols = x->rows.cols,
                          .block_rows = BLOCK,
                          .block_cols = BLOCK,
                          .nnzb = x->rows.nnz / (BLOCK * BLOCK)};
    sparcl_status status = spec_bench_put_csr(ctx, &x->fields, &x->columns);
    if (status == SPARCL_OK) status = sparcl_bsr_create(ctx, &x->bsr);
    if (status == SPARCL_OK) status = sparcl_csr_to_bsr(ctx, &x->bsr, &x->fields, NULL, 0);
    x->sparse = sparcl_matrix_bsr(x->bsr);
    x->factor = &x->rows;
    x->is_first = true;
    call->bytes = (4 * BLOCK * BLOCK + 4) * (double)x->bsr.nnzb;
    return status == SPARCL_OK ? open_dense(ctx, call) : status;
}

static sparcl_status open_right(sparcl_ctx *ctx, spec_bench_call *call, sparcl_op op) {
    operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    if (!make_transposes(x, m)) return SPARCL_E_MEMORY;
    sparcl_status status = spec_bench_put_csr(ctx, &x->fields, m);
    x->sparse = sparcl_matrix_csr(x->fields);
    x->op = op;
    x->factor = op == SPARCL_OP_N ? &x->columns : m;
    call->bytes = spec_bench_csr_bytes(&x->fields);
    return status == SPARCL_OK ? open_dense(ctx, call) : status;
}

/* The pattern is built before, as for spmm-t. */
static sparcl_status open_dense_csr(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    sparcl_status status = open_right(ctx, call, SPARCL_OP_N);
    if (status == SPARCL_OK) status = sparcl_pattern_create(ctx, &x->pattern);
    return status == SPARCL_OK ? sparcl_pattern_build(ctx, x->pattern, &x->fields) : status;
}

static sparcl_status open_dense_csr_t(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_right(ctx, call, SPARCL_OP_T);
}

/* --- calls and checks ------------------------------------------------------------------------- */

static sparcl_status run(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    const sparcl_matrix dense = sparcl_matrix_dense(x->dense);
    sparcl_matrix c = sparcl_matrix_dense(x->result);
    if (x->is_first)
        return sparcl_matmul(ctx, &c, 1, x->op, &x->sparse, SPARCL_OP_N, &dense, 0, x->pattern);
    return sparcl_matmul(ctx, &c, 1, SPARCL_OP_N, &dense, x->op, &x->sparse, 0, x->pattern);
}

static sparcl_status check(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    const operands *const x = call->state;
    const int64_t n = call->input->n;
    if (x->is_first)
        return spec_bench_compare_product(ctx, "C", x->result.values, SPARCL_F32, x->factor,
                                          x->host, n, report);
    return spec_bench_compare_transposed(ctx, "C", x->result.values, x->factor, x->host, n, report);
}

static sparcl_status poison(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return spec_poison(ctx, x->result.values);
}

#define BENCH(id, name, what)                                                                      \
    SPEC_BENCH(matmul_##id, name, what, SPEC_BENCH_WIDTHS, open_##id, run, check)
BENCH(csc, "matmul-csc", "A B with A in CSC format, without a pattern")
BENCH(coo, "matmul-coo", "A B with A in COO format, in the order of its entries")
BENCH(bsr, "matmul-bsr", "A B with A in BSR format, with blocks of 4 x 4")
BENCH(dense_csr, "matmul-dense-csr", "X A for a dense X with n rows, with the pattern of A")
BENCH(dense_csr_t, "matmul-dense-csr-t", "X transpose(A) for a dense X with n rows")
