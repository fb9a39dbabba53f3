/* spec_matmul.c: products of matrices in any formats, in plain C.
 *
 * All cases are a product E * B of a sparse matrix [m, k] and a dense one [k, n], or the transpose
 * of it: C' = B' * E'. `variant` has, from the lowest bit: the format of the sparse matrix (2 bits:
 * csr, csc, coo, bsr), whether it is used transposed, whether it comes second, whether the dense
 * matrix is used transposed, whether it and C are column-major, and whether B is row-sparse (C too,
 * where the sparse matrix is used transposed). */
#include <math.h>
#include <stdlib.h>

#include "spec/entries.h"
#include "spec/rowset.h"

enum { CSR, CSC, COO, BSR };

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const sparcl_status tried = (call);                                                        \
        if (tried != SPARCL_OK) return tried;                                                      \
    } while (0)

static int format_of(const spec_case *c) {
    return c->variant & 3;
}
static bool is_transposed(const spec_case *c) {
    return c->variant >> 2 & 1;
}
static bool is_second(const spec_case *c) {
    return c->variant >> 3 & 1;
}
static bool dense_transposed(const spec_case *c) {
    return c->variant >> 4 & 1;
}
static bool dense_by_columns(const spec_case *c) {
    return c->variant >> 5 & 1;
}
static bool c_by_columns(const spec_case *c) {
    return c->variant >> 6 & 1;
}
static bool has_rows(const spec_case *c) {
    return c->variant >> 7 & 1;
}
/* Are the arrays of the sparse matrix those of the CSR format of the transpose of E? */
static bool is_stored_transposed(const spec_case *c) {
    return is_transposed(c) != (format_of(c) == CSC);
}
static bool has_rows_result(const spec_case *c) {
    return has_rows(c) && is_stored_transposed(c);
}

/* The shape of a block. */
static const int64_t blocks[][2] = {{2, 3}, {4, 4}, {1, 5}, {3, 1}};

static const int64_t *block_of(const spec_case *c) {
    return blocks[c->seed % 4];
}

/* Each variant with one size or two; sizes and entries count blocks. */
static bool get_bsr_case(int i, bool small, spec_case *c) {
    static const int64_t sizes[][4] = {
        {5, 4, 9, 6}, {20, 30, 150, 1}, {1, 9, 30, 20}, {7, 1, 7, 3}, {0, 3, 0, 4}};
    static const int variants[] = {BSR,          BSR | 1 << 2,          BSR | 1 << 3,
                                   BSR | 3 << 2, BSR | 1 << 4 | 1 << 5, BSR | 1 << 3 | 1 << 6,
                                   BSR | 1 << 7, BSR | 1 << 7 | 1 << 2};
    const int64_t *const size = sizes[i % 5];
    if (i >= (small ? 10 : 40)) return false;
    *c = (spec_case){.kind = (spec_kind)(i % SPEC_KINDS),
                     .n = size[3],
                     .dtype = i % 4 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .offset_type = i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 3 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .alpha = i % 2 ? -0.5 : 1,
                     .beta = i % 3 == 1 ? 0.25 : 0,
                     .variant = variants[i % 8],
                     .seed = (uint64_t)(i / 2) + 1};
    const bool t = is_stored_transposed(c);
    const int64_t rows = size[0] * block_of(c)[0], cols = size[1] * block_of(c)[1];
    c->rows = t ? cols : rows;
    c->cols = t ? rows : cols;
    c->nnz = size[2] * block_of(c)[0] * block_of(c)[1];
    if (has_rows_result(c)) c->beta = 0;
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    static const int64_t sizes[][4] = {/* m, k, entries, n */ {9, 7, 30, 5},
                                       {1, 40, 33, 3},
                                       {60, 1, 20, 17},
                                       {37, 23, 200, 1},
                                       {50, 70, 900, 20},
                                       {0, 5, 0, 4},
                                       {300, 5, 1500, 33},
                                       {40, 400, 3000, 2}};
    const int formats = 3, dense = 128 / 4, all = formats * dense + formats * 2;
    const int n_sizes = small ? 3 : 8, size = i / all, k = i % all;
    if (size >= n_sizes) return get_bsr_case(i - n_sizes * all, small, c);
    const int variant = k < formats * dense
                            ? k % formats | k / formats << 2
                            : k % formats | (k - formats * dense) / formats << 2 | 1 << 7;
    static const double alphas[] = {1, -0.5}, betas[] = {0, 0.25, 1};
    *c = (spec_case){.kind = (spec_kind)((i + size) % SPEC_KINDS),
                     .rows = sizes[size][0],
                     .cols = sizes[size][1],
                     .nnz = sizes[size][2],
                     .n = sizes[size][3],
                     .dtype = i % 5 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .offset_type = i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 4 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .alpha = alphas[i % 2],
                     .beta = betas[i % 3],
                     .variant = variant,
                     .seed = (uint64_t)i + 1};
    if (has_rows_result(c)) c->beta = 0;
    return true;
}

/* --- inputs and answers on the host ----------------------------------------------------------- */

typedef struct arrays {
    spec_matrix stored, e, met;              /* as stored; E; E without what meets no stored row */
    spec_matrix pattern;                     /* where blocks are, */
    double *blocks;                          /* and their elements */
    spec_rowset rows;                        /* B, where it is row-sparse */
    double *b, *old, *order, *truth, *bound; /* B [k, n]; the others [m, n] */
} arrays;

static void drop(arrays *x) {
    spec_matrix_free(&x->stored);
    spec_matrix_free(&x->e);
    spec_matrix_free(&x->met);
    spec_matrix_free(&x->pattern);
    spec_rowset_free(&x->rows);
    double *const all[] = {x->blocks, x->b, x->old, x->order, x->truth, x->bound};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        free(all[i]);
}

/* Transposed twice: its rows are sorted, and entries of one place keep their order. */
static bool sort_rows(spec_matrix *to, const spec_matrix *from) {
    spec_matrix t;
    const bool done = spec_matrix_transpose(&t, from) && spec_matrix_transpose(to, &t);
    spec_matrix_free(&t);
    return done;
}

static bool make_blocks(arrays *x, const spec_case *c, int64_t rows, int64_t cols) {
    const int64_t *const block = block_of(c), size = block[0] * block[1];
    if (!spec_matrix_make(&x->pattern, c->kind, rows / block[0], cols / block[1], c->nnz / size,
                          c->seed))
        return false;
    x->blocks = spec_numbers(x->pattern.nnz * size, c->seed + 5);
    if (!x->blocks || !spec_matrix_alloc(&x->stored, rows, cols, x->pattern.nnz * size))
        return false;
    spec_expand_blocks(&x->stored, &x->pattern, x->blocks, block[0], block[1]);
    return true;
}

static bool make_stored(arrays *x, const spec_case *c) {
    const bool t = is_stored_transposed(c);
    const int64_t rows = t ? c->cols : c->rows, cols = t ? c->rows : c->cols;
    if (format_of(c) == BSR) return make_blocks(x, c, rows, cols);
    return spec_matrix_make(&x->stored, c->kind, rows, cols, c->nnz, c->seed);
}

static bool make_sparse(arrays *x, const spec_case *c) {
    const bool t = is_stored_transposed(c);
    spec_matrix sorted = {0};
    if (!make_stored(x, c)) return false;
    const bool is_coo = format_of(c) == COO;
    if (is_coo && !sort_rows(&sorted, &x->stored)) return false;
    const spec_matrix *const used = is_coo ? &sorted : &x->stored;
    bool done = false;
    if (t)
        done = spec_matrix_transpose(&x->e, used);
    else if (spec_matrix_alloc(&x->e, used->rows, used->cols, used->nnz)) {
        for (int64_t r = 0; r <= used->rows; ++r)
            x->e.offsets[r] = used->offsets[r];
        for (int64_t k = 0; k < used->nnz; ++k) {
            x->e.indices[k] = used->indices[k];
            x->e.values[k] = used->values[k];
        }
        done = true;
    }
    spec_matrix_free(&sorted);
    return done;
}

/* Some rows of B, once each, with its values; the others meet nothing. */
static bool make_rows(arrays *x, const spec_case *c) {
    spec_rowset made = {0}, *const r = &x->rows;
    double *truth = spec_numbers((c->cols + 1) * c->n, 0);
    double *bound = spec_numbers((c->cols + 1) * c->n, 0);
    const bool done = truth && bound &&
                      spec_rowset_make(&made, SPEC_UNIFORM, c->cols, c->cols / 2 + (c->cols > 0),
                                       c->n, c->seed + 9) &&
                      spec_rowset_sum(r, &made, c->dtype, truth, bound);
    spec_rowset_free(&made);
    free(truth);
    free(bound);
    return done;
}

/* The entries of E whose column is stored, in its order; B is still [k, n], with those rows. */
static bool meet(arrays *x, const spec_case *c) {
    int64_t *const place = malloc(((size_t)c->cols + 1) * sizeof *place);
    if (!place || !spec_matrix_alloc(&x->met, x->e.rows, x->e.cols, x->e.nnz)) return false;
    for (int64_t k = 0; k < c->cols; ++k)
        place[k] = -1;
    for (int64_t u = 0; u < x->rows.stored; ++u) {
        place[x->rows.ids[u]] = u;
        for (int64_t j = 0; j < c->n; ++j)
            x->b[x->rows.ids[u] * c->n + j] = x->rows.values[u * c->n + j];
    }
    int64_t at = 0;
    for (int64_t r = 0; r < x->e.rows; ++r) {
        for (int64_t k = x->e.offsets[r]; k < x->e.offsets[r + 1]; ++k) {
            if (place[x->e.indices[k]] < 0) continue;
            x->met.indices[at] = x->e.indices[k];
            x->met.values[at++] = x->e.values[k];
        }
        x->met.offsets[r + 1] = at;
    }
    x->met.nnz = at;
    free(place);
    return true;
}

static bool make(arrays *x, const spec_case *c) {
    const int64_t count = c->rows * c->n;
    if (!make_sparse(x, c)) return false;
    x->b = spec_numbers(c->cols * c->n, c->seed + 1);
    x->old = spec_numbers(count, c->seed + 2);
    x->order = spec_numbers(count, 0);
    x->truth = spec_numbers(count, 0);
    x->bound = spec_numbers(count, 0);
    if (!x->b || !x->old || !x->order || !x->truth || !x->bound) return false;
    if (has_rows(c) && (!make_rows(x, c) || !meet(x, c))) return false;
    return spec_product(c, has_rows(c) ? &x->met : &x->e, x->b, c->n, x->old, c->n, x->order,
                        x->truth, x->bound);
}

/* --- on the device ---------------------------------------------------------------------------- */

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
    double *const host = spec_numbers(capacity_of(view), 77);
    if (!host) return SPARCL_E_MEMORY;
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < cols; ++j)
            host[position(view, transposed, i, j)] = x[i * cols + j];
    const sparcl_status status =
        spec_put_reals(ctx, &view->values, host, capacity_of(view), view->dtype);
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
static sparcl_status put_bsr(sparcl_ctx *ctx, sparcl_bsr *view, const arrays *x,
                             const spec_case *c) {
    const int64_t *const block = block_of(c), size = block[0] * block[1];
    sparcl_csr pattern = {0};
    sparcl_status status =
        spec_put_csr(ctx, &pattern, &x->pattern, c->dtype, c->offset_type, c->index_type);
    *view = (sparcl_bsr){.rows = pattern.rows * block[0],
                         .cols = pattern.cols * block[1],
                         .block_rows = block[0],
                         .block_cols = block[1],
                         .nnzb = pattern.nnz,
                         .dtype = c->dtype,
                         .offset_type = pattern.offset_type,
                         .index_type = pattern.index_type,
                         .offsets = pattern.offsets,
                         .indices = pattern.indices,
                         .proof = {.flags = SPARCL_TRUSTED}};
    sparcl_buf_free(pattern.values);
    if (status == SPARCL_OK)
        status = spec_put_reals(ctx, &view->values, x->blocks, pattern.nnz * size, c->dtype);
    return status;
}

static sparcl_status put_sparse(sparcl_ctx *ctx, sparcl_matrix *to, const arrays *x,
                                const spec_case *c) {
    const spec_matrix *const m = &x->stored;
    if (format_of(c) == BSR) {
        *to = sparcl_matrix_bsr((sparcl_bsr){.block_rows = 1});
        return put_bsr(ctx, &to->as.bsr, x, c);
    }
    if (format_of(c) == COO) {
        *to = sparcl_matrix_coo((sparcl_coo){.rank = 2});
        return put_coo(ctx, &to->as.coo, m, c);
    }
    sparcl_csr a = {0};
    const sparcl_status status = spec_put_csr(ctx, &a, m, c->dtype, c->offset_type, c->index_type);
    *to = sparcl_matrix_csr(a);
    if (format_of(c) == CSC)
        *to = sparcl_matrix_csc((sparcl_csc){.rows = a.cols,
                                             .cols = a.rows,
                                             .nnz = a.nnz,
                                             .dtype = a.dtype,
                                             .offset_type = a.offset_type,
                                             .index_type = a.index_type,
                                             .offsets = a.offsets,
                                             .indices = a.indices,
                                             .values = a.values,
                                             .proof = a.proof});
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

/* The two operands and C, in the order of the call. */
typedef struct call {
    sparcl_matrix sparse, dense, c;
} call;

static sparcl_status put_all(sparcl_ctx *ctx, const spec_case *c, const arrays *x, call *k) {
    const bool second = is_second(c), b_transposed = second != dense_transposed(c);
    TRY(put_sparse(ctx, &k->sparse, x, c));
    k->dense = sparcl_matrix_dense(shape_of(c, c->cols, c->n, b_transposed, dense_by_columns(c)));
    if (has_rows(c)) {
        k->dense = sparcl_matrix_rows((sparcl_rows){.rank = 2});
        TRY(spec_put_rows(ctx, &k->dense.as.rows, &x->rows, c));
        k->dense.as.rows.rank = 2;
        k->dense.as.rows.shape[0] = c->cols;
        k->dense.as.rows.shape[1] = c->n;
    } else {
        TRY(put_dense(ctx, &k->dense.as.dense, b_transposed, x->b, c->cols, c->n));
    }
    k->c = sparcl_matrix_dense(shape_of(c, c->rows, c->n, second, c_by_columns(c)));
    if (!has_rows_result(c)) return put_dense(ctx, &k->c.as.dense, second, x->old, c->rows, c->n);
    k->c = sparcl_matrix_rows((sparcl_rows){.rank = 2,
                                            .dtype = c->dtype,
                                            .index_type = c->index_type,
                                            .shape = {c->rows, c->n},
                                            .nnr = c->nnz < c->rows ? c->nnz : c->rows});
    return sparcl_rows_create(ctx, &k->c.as.rows);
}

/* All elements, as [m, n]: a row that is not stored is 0. */
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
    double *const host = spec_numbers(count, 0), *const gaps = spec_numbers(count, 77);
    sparcl_status status = host && gaps ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = spec_get_reals(ctx, view->values, 0, count, c->dtype, host);
    for (int64_t i = 0; status == SPARCL_OK && i < c->rows; ++i)
        for (int64_t j = 0; j < c->n; ++j) {
            const int64_t at = position(view, is_second(c), i, j);
            got[i * c->n + j] = host[at];
            host[at] = gaps[at];
        }
    for (int64_t k = 0; status == SPARCL_OK && k < count; ++k)
        if (host[k] != gaps[k]) got[0] = NAN; /* a gap between rows has changed */
    free(host);
    free(gaps);
    return status;
}

static sparcl_status multiply(sparcl_ctx *ctx, const spec_case *c, call *k) {
    const sparcl_op sparse = is_transposed(c) ? SPARCL_OP_T : SPARCL_OP_N;
    const sparcl_op flipped = is_transposed(c) ? SPARCL_OP_N : SPARCL_OP_T;
    const sparcl_op dense = dense_transposed(c) ? SPARCL_OP_T : SPARCL_OP_N;
    return is_second(c) ? sparcl_matmul(ctx, &k->c, c->alpha, dense, &k->dense, flipped, &k->sparse,
                                        c->beta, NULL)
                        : sparcl_matmul(ctx, &k->c, c->alpha, sparse, &k->sparse, dense, &k->dense,
                                        c->beta, NULL);
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, const arrays *x, double *got) {
    call k = {.sparse = sparcl_matrix_csr((sparcl_csr){0}),
              .dense = sparcl_matrix_dense((sparcl_dense){0}),
              .c = sparcl_matrix_dense((sparcl_dense){0})};
    sparcl_status status = put_all(ctx, c, x, &k);
    if (status == SPARCL_OK) status = multiply(ctx, c, &k);
    if (status == SPARCL_OK)
        status = k.c.format == SPARCL_FORMAT_ROWS ? get_rows(ctx, c, &k.c.as.rows, got)
                                                  : get_dense(ctx, c, &k.c.as.dense, got);
    free_matrix(&k.sparse);
    free_matrix(&k.dense);
    free_matrix(&k.c);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays x = {0};
    double *const got = spec_numbers(c->rows * c->n, 0);
    *report = (spec_report){
        .equal = true, .zeros_expected = true, .flops = 2.0 * (double)c->nnz * (double)c->n};
    sparcl_status status = got && make(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = run(ctx, c, &x, got);
    if (status == SPARCL_OK)
        spec_compare(report, "C", got, x.order, x.truth, x.bound, c->rows * c->n);
    free(got);
    drop(&x);
    return status;
}

const spec_op spec_matmul = {"matmul", get_case, check};
