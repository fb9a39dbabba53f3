/* matmul_case.c: the views of a case of spec_matmul.c. */
#include "spec/products/matmul_case.h"

#include <math.h>
#include <stdlib.h>

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const sparcl_status tried = (call);                                                        \
        if (tried != SPARCL_OK) return tried;                                                      \
    } while (0)

/* The shape of a block. */
static const int64_t blocks[][2] = {{2, 3}, {4, 4}, {1, 5}, {3, 1}};

const int64_t *spec_matmul_block(const spec_case *c) {
    return blocks[c->seed % 4];
}

/* A dense matrix with gaps: x [rows, cols], or its transpose. */
static sparcl_dense shape_of(const spec_case *c, int64_t rows, int64_t cols, bool transposed,
                             bool by_columns) {
    sparcl_dense view = {.rank = 2, .dtype = c->dtype};
    view.shape[0] = transposed ? cols : rows;
    view.shape[1] = transposed ? rows : cols;
    view.order = by_columns ? SPARCL_COLUMN_MAJOR : SPARCL_ROW_MAJOR;
    view.ld = view.shape[!by_columns] + 2;
    return view;
}

static int64_t capacity_of(const sparcl_dense *view) {
    return view->shape[view->order == SPARCL_COLUMN_MAJOR] * view->ld;
}

/* Where element (i, j) of the matrix that is stored, or of its transpose, is. */
static int64_t position(const sparcl_dense *view, bool transposed, int64_t i, int64_t j) {
    const bool strided = transposed != (view->order == SPARCL_COLUMN_MAJOR);
    return strided ? j * view->ld + i : i * view->ld + j;
}

static sparcl_status put_dense(sparcl_ctx *ctx, sparcl_dense *view, bool transposed,
                               const double *x, int64_t rows, int64_t cols) {
    double *const host = spec_stored_numbers(view->dtype, capacity_of(view), 77);
    if (!host) return SPARCL_E_MEMORY;
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < cols; ++j)
            host[position(view, transposed, i, j)] = x[i * cols + j];
    const sparcl_status status = spec_put_dense(ctx, view, host, capacity_of(view));
    free(host);
    return status;
}

static sparcl_status put_coo(sparcl_ctx *ctx, sparcl_coo *view, const spec_matrix *m,
                             const spec_case *c) {
    int64_t *const rows = malloc(((size_t)m->nnz + 1) * sizeof *rows);
    *view = (sparcl_coo){.rank = 2,
                         .dtype = c->dtype,
                         .index_type = c->index_type,
                         .shape = {m->rows, m->cols},
                         .nnz = m->nnz,
                         .proof = {.flags = SPARCL_TRUSTED}};
    if (!rows) return SPARCL_E_MEMORY;
    for (int64_t r = 0; r < m->rows; ++r)
        for (int64_t k = m->offsets[r]; k < m->offsets[r + 1]; ++k)
            rows[k] = r;
    sparcl_status status = spec_put_ints(ctx, &view->indices[0], rows, m->nnz, c->index_type);
    if (status == SPARCL_OK)
        status = spec_put_ints(ctx, &view->indices[1], m->indices, m->nnz, c->index_type);
    if (status == SPARCL_OK)
        status = spec_put_reals(ctx, &view->values, m->values, m->nnz, c->dtype);
    free(rows);
    return status;
}

/* The arrays of a matrix of blocks are those of its pattern, with other values. */
static sparcl_status put_bsr(sparcl_ctx *ctx, sparcl_bsr *view, const spec_matmul_arrays *x,
                             const spec_case *c) {
    const int64_t *const block = spec_matmul_block(c), size = block[0] * block[1];
    sparcl_csr pattern = {0};
    sparcl_status status =
        spec_put_csr_within(ctx, &pattern, &x->pattern, c->dtype, c->offset_type, c->index_type);
    *view = (sparcl_bsr){.rows = pattern.rows * block[0],
                         .cols = pattern.cols * block[1],
                         .block_rows = block[0],
                         .block_cols = block[1],
                         .nnzb = pattern.nnz,
                         .offsets_at = pattern.offsets_at,
                         .indices_at = pattern.indices_at,
                         .dtype = c->dtype,
                         .offset_type = pattern.offset_type,
                         .index_type = pattern.index_type,
                         .offsets = pattern.offsets,
                         .indices = pattern.indices,
                         .proof = {.flags = pattern.proof.flags}};
    sparcl_buf_free(pattern.values);
    if (status == SPARCL_OK)
        status = spec_put_reals(ctx, &view->values, x->blocks, pattern.nnz * size, c->dtype);
    return status;
}

static sparcl_status put_sparse(sparcl_ctx *ctx, sparcl_matrix *to, const spec_matmul_arrays *x,
                                const spec_case *c) {
    const spec_matrix *const m = &x->stored;
    if (spec_matmul_format(c) == BSR) {
        *to = sparcl_matrix_bsr((sparcl_bsr){.block_rows = 1});
        return put_bsr(ctx, &to->as.bsr, x, c);
    }
    if (spec_matmul_format(c) == COO) {
        *to = sparcl_matrix_coo((sparcl_coo){.rank = 2});
        return put_coo(ctx, &to->as.coo, m, c);
    }
    sparcl_csr a = {0};
    const sparcl_status status =
        spec_put_csr_within(ctx, &a, m, c->dtype, c->offset_type, c->index_type);
    *to = sparcl_matrix_csr(a);
    if (spec_matmul_format(c) == CSC) *to = sparcl_matrix_csc(spec_as_csc(&a));
    return status;
}

static void free_matrix(sparcl_matrix *x) {
    if (x->format == SPARCL_FORMAT_CSR) sparcl_csr_free(&x->as.csr);
    if (x->format == SPARCL_FORMAT_CSC) sparcl_csc_free(&x->as.csc);
    if (x->format == SPARCL_FORMAT_COO) sparcl_coo_free(&x->as.coo);
    if (x->format == SPARCL_FORMAT_BSR) sparcl_bsr_free(&x->as.bsr);
    if (x->format == SPARCL_FORMAT_ROWS) sparcl_rows_free(&x->as.rows);
    if (x->format == SPARCL_FORMAT_DENSE) sparcl_dense_free(&x->as.dense);
}

sparcl_status spec_matmul_put(sparcl_ctx *ctx, const spec_case *c, const spec_matmul_arrays *x,
                              spec_matmul_call *k) {
    const bool second = spec_matmul_second(c),
               b_transposed = second != spec_matmul_dense_transposed(c);
    TRY(put_sparse(ctx, &k->sparse, x, c));
    k->dense = sparcl_matrix_dense(
        shape_of(c, c->cols, c->n, b_transposed, spec_matmul_dense_by_columns(c)));
    if (spec_matmul_has_rows(c)) {
        k->dense = sparcl_matrix_rows((sparcl_rows){.rank = 2});
        TRY(spec_put_rows(ctx, &k->dense.as.rows, &x->rows, c));
        k->dense.as.rows.rank = 2;
        k->dense.as.rows.shape[0] = c->cols;
        k->dense.as.rows.shape[1] = c->n;
    } else {
        TRY(put_dense(ctx, &k->dense.as.dense, b_transposed, x->b, c->cols, c->n));
    }
    k->c = sparcl_matrix_dense(shape_of(c, c->rows, c->n, second, spec_matmul_c_by_columns(c)));
    if (!spec_matmul_has_rows_result(c))
        return put_dense(ctx, &k->c.as.dense, second, x->old, c->rows, c->n);
    k->c = sparcl_matrix_rows((sparcl_rows){.rank = 2,
                                            .dtype = c->dtype,
                                            .index_type = c->index_type,
                                            .shape = {c->rows, c->n},
                                            .nnr = c->nnz < c->rows ? c->nnz : c->rows});
    return sparcl_rows_create(ctx, &k->c.as.rows);
}

static sparcl_status get_rows(sparcl_ctx *ctx, const spec_case *c, const sparcl_rows *r,
                              double *got) {
    const int64_t capacity = r->nnr;
    int64_t count = 0, *const ids = malloc(((size_t)capacity + 1) * sizeof *ids);
    double *const values = spec_numbers(capacity * c->n, 0);
    sparcl_status status = ids && values ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, r->count, r->count_at, 1, SPARCL_I64, &count);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, r->indices, r->indices_at, capacity, c->index_type, ids);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, r->values, r->values_at, capacity * c->n, c->dtype, values);
    for (int64_t k = 0; k < c->rows * c->n; ++k)
        got[k] = 0 * c->alpha;
    for (int64_t u = 0; status == SPARCL_OK && u < count; ++u)
        for (int64_t j = 0; j < c->n; ++j)
            got[ids[u] * c->n + j] = values[u * c->n + j];
    free(ids);
    free(values);
    return status;
}

static sparcl_status get_dense(sparcl_ctx *ctx, const spec_case *c, const sparcl_dense *view,
                               double *got) {
    const int64_t count = capacity_of(view);
    double *const host = spec_numbers(count, 0);
    double *const gaps = spec_stored_numbers(c->dtype, count, 77);
    sparcl_status status = host && gaps ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, view->values, view->values_at, count, c->dtype, host);
    for (int64_t i = 0; status == SPARCL_OK && i < c->rows; ++i)
        for (int64_t j = 0; j < c->n; ++j) {
            const int64_t at = position(view, spec_matmul_second(c), i, j);
            got[i * c->n + j] = host[at];
            host[at] = gaps[at];
        }
    for (int64_t k = 0; status == SPARCL_OK && k < count; ++k)
        if (host[k] != gaps[k]) got[0] = NAN; /* a gap between rows has changed */
    free(host);
    free(gaps);
    return status;
}

sparcl_status spec_matmul_get(sparcl_ctx *ctx, const spec_case *c, const spec_matmul_call *k,
                              double *got) {
    return k->c.format == SPARCL_FORMAT_ROWS ? get_rows(ctx, c, &k->c.as.rows, got)
                                             : get_dense(ctx, c, &k->c.as.dense, got);
}

void spec_matmul_free(spec_matmul_call *k) {
    free_matrix(&k->sparse);
    free_matrix(&k->dense);
    free_matrix(&k->c);
}
