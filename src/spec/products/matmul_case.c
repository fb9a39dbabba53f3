/* matmul_case.c: the views of a case of spec_matmul.c. */
#include "spec/products/matmul_case.h"

#include <math.h>

/* The shape of a block. */
static const int64_t blocks[][2] = {{2, 3}, {4, 4}, {1, 5}, {3, 1}};

const int64_t *spec_matmul_block(const spec_case *c) {
    return blocks[c->seed % 4];
}

/* Where element (i, j) of the matrix that is stored, or of its transpose, is. */
static int64_t position(const sparcl_dense *view, bool transposed, int64_t i, int64_t j) {
    const bool strided = transposed != (view->order == SPARCL_COLUMN_MAJOR);
    return strided ? j * view->ld + i : i * view->ld + j;
}

static int64_t capacity_of(const sparcl_dense *view) {
    return view->shape[view->order == SPARCL_COLUMN_MAJOR] * view->ld;
}

/* x [rows, cols], or its transpose, with gaps. */
static sparcl_dense put_dense(spec_test *t, int64_t rows, int64_t cols, bool transposed,
                              bool by_columns, const double *x) {
    sparcl_dense view = {.rank = 2, .dtype = t->c->dtype};
    view.shape[0] = transposed ? cols : rows;
    view.shape[1] = transposed ? rows : cols;
    view.order = by_columns ? SPARCL_COLUMN_MAJOR : SPARCL_ROW_MAJOR;
    view.ld = view.shape[!by_columns] + (t->given ? 0 : 2);
    double *const host = spec_drawn(t, capacity_of(&view), 77);
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < cols; ++j)
            host[position(&view, transposed, i, j)] = x[i * cols + j];
    return spec_dense_of(t, view, host);
}

static sparcl_coo put_coo(spec_test *t, const spec_matrix *m) {
    const spec_case *const c = t->c;
    if (t->given) {
        const spec_entries entries = spec_entries_drawn(t, 0, 0, false, 0);
        return spec_coo(t, &entries, 0, false);
    }
    int64_t *const rows = spec_int64s(t, m->nnz);
    for (int64_t r = 0; r < m->rows; ++r)
        for (int64_t k = m->offsets[r]; k < m->offsets[r + 1]; ++k)
            rows[k] = r;
    return (sparcl_coo){.rank = 2,
                        .dtype = c->dtype,
                        .index_type = c->index_type,
                        .shape = {m->rows, m->cols},
                        .nnz = m->nnz,
                        .indices = {spec_ints_buf(t, rows, m->nnz, c->index_type),
                                    spec_ints_buf(t, m->indices, m->nnz, c->index_type)},
                        .values = spec_reals_buf(t, m->values, m->nnz, c->dtype),
                        .proof = {.flags = SPARCL_TRUSTED}};
}

/* The arrays of a matrix of blocks are those of its pattern, with other values. */
static sparcl_bsr put_bsr(spec_test *t, const spec_matmul_case *x) {
    const int64_t *const block = spec_matmul_block(t->c), size = block[0] * block[1];
    const sparcl_csr pattern = spec_csr(t, &x->pattern);
    return (sparcl_bsr){.rows = pattern.rows * block[0],
                        .cols = pattern.cols * block[1],
                        .block_rows = block[0],
                        .block_cols = block[1],
                        .nnzb = pattern.nnz,
                        .offsets_at = pattern.offsets_at,
                        .indices_at = pattern.indices_at,
                        .dtype = pattern.dtype,
                        .offset_type = pattern.offset_type,
                        .index_type = pattern.index_type,
                        .offsets = pattern.offsets,
                        .indices = pattern.indices,
                        .values = spec_reals_buf(t, x->blocks, pattern.nnz * size, t->c->dtype),
                        .proof = {.flags = pattern.proof.flags}};
}

static sparcl_matrix put_sparse(spec_test *t, const spec_matmul_case *x) {
    const int format = spec_matmul_format(t->c);
    if (format == BSR) return sparcl_matrix_bsr(put_bsr(t, x));
    if (format == COO) return sparcl_matrix_coo(put_coo(t, &x->stored));
    const sparcl_csr a = spec_csr(t, &x->stored);
    return format == CSC ? sparcl_matrix_csc(spec_as_csc(&a)) : sparcl_matrix_csr(a);
}

static sparcl_matrix put_rows(spec_test *t, const spec_matmul_case *x) {
    sparcl_rows view = spec_row_sparse(t, &x->rows);
    view.rank = 2;
    view.shape[0] = x->k;
    view.shape[1] = t->c->n;
    return sparcl_matrix_rows(view);
}

void spec_matmul_put(spec_test *t, spec_matmul_case *x) {
    const spec_case *const c = t->c;
    const bool second = spec_matmul_second(c),
               b_transposed = second != spec_matmul_dense_transposed(c);
    x->sparse = put_sparse(t, x);
    x->dense = spec_matmul_has_rows(c)
                   ? put_rows(t, x)
                   : sparcl_matrix_dense(put_dense(t, x->k, c->n, b_transposed,
                                                   spec_matmul_dense_by_columns(c), x->b));
    x->to = spec_matmul_has_rows_result(c)
                ? sparcl_matrix_rows(spec_rows_result(t, x->m, c->n, c->nnz < x->m ? c->nnz : x->m))
                : sparcl_matrix_dense(
                      put_dense(t, x->m, c->n, second, spec_matmul_c_by_columns(c), x->old));
}

static double *get_dense(spec_test *t, const spec_matmul_case *x) {
    const sparcl_dense *const view = &x->to.as.dense;
    const int64_t count = capacity_of(view), n = t->c->n;
    double *const host = spec_reals(t, count), *const got = spec_reals(t, x->m * n);
    const double *const gaps = spec_drawn(t, count, 77);
    spec_need(t, spec_get_reals(t->ctx, view->values, view->values_at, count, view->dtype, host));
    for (int64_t e = 0; e < x->m * n; ++e) {
        const int64_t at = position(view, spec_matmul_second(t->c), e / n, e % n);
        got[e] = host[at];
        host[at] = gaps[at];
    }
    for (int64_t k = 0; k < count; ++k)
        if (host[k] != gaps[k]) got[0] = NAN; /* a gap between rows has changed */
    return got;
}

double *spec_matmul_get(spec_test *t, const spec_matmul_case *x) {
    return x->to.format == SPARCL_FORMAT_ROWS ? spec_rows_dense(t, &x->to.as.rows, 0 * t->c->alpha)
                                              : get_dense(t, x);
}
