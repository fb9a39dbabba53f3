/* spec_matmul.c: products of matrices in any formats, in plain C.
 *
 * All cases are a product E * B of a sparse matrix [m, k] and a dense one [k, n], or the transpose
 * of it: C' = B' * E'. `variant` has, from the lowest bit: the format of the sparse matrix (2 bits:
 * csr, csc, coo, bsr), whether it is used transposed, whether it comes second, whether the dense
 * matrix is used transposed, whether it and C are column-major, whether B is row-sparse (C too,
 * where the sparse matrix is used transposed), and whether each block of a bsr matrix is stored
 * once, in order. */
#include <stdlib.h>

#include "spec/products/matmul_case.h"
#include "spec/shared/entries.h"
#include "spec/shared/stored.h"

/* F16 and BF16: each variant of csr, csc and coo with one of the sizes, then those of bsr. */
#define FORMATS  3
#define VARIANTS (FORMATS * 128 / 4 + FORMATS * 2) /* the last ones with a row-sparse B */

static int variant_of(int k) {
    const bool has_rows = k >= FORMATS * 128 / 4;
    return k % FORMATS | (has_rows ? k - FORMATS * 128 / 4 : k) / FORMATS << 2 |
           (has_rows ? 1 << 7 : 0);
}

static bool get_bsr_case(int i, bool small, spec_case *c);

static bool get_half(int i, bool small, spec_case *c) {
    static const int64_t sizes[][4] = {
        {37, 23, 200, 5}, {300, 5, 1500, 17}, {40, 400, 3000, 1}, {9, 70, 2500, 3}};
    const int64_t *const size = sizes[i % 4];
    if (i >= (small ? 22 : 2 * (VARIANTS + 8))) return false;
    const int variant = i / 2 * (small ? 10 : 1);
    if (variant >= VARIANTS) {
        get_bsr_case(variant - VARIANTS, false, c);
        c->seed += 9000;
    } else {
        *c = (spec_case){.kind = (spec_kind)(i / 3 % SPEC_KINDS),
                         .rows = size[0],
                         .cols = size[1],
                         .nnz = size[2],
                         .n = size[3],
                         .offset_type = i % 7 == 1 ? SPARCL_I64 : SPARCL_I32,
                         .index_type = i % 11 == 2 ? SPARCL_I64 : SPARCL_I32,
                         .alpha = i % 5 ? 1 : -0.5,
                         .beta = i % 3 ? 0.25 : 0,
                         .variant = variant_of(variant),
                         .seed = (uint64_t)i + 7001};
    }
    c->dtype = i % 2 ? SPARCL_BF16 : SPARCL_F16;
    if (spec_matmul_has_rows_result(c)) c->beta = 0;
    return true;
}

/* Each variant with one size or two, then long rows; sizes and entries count blocks. */
static bool get_bsr_case(int i, bool small, spec_case *c) {
    static const int64_t sizes[][4] = {{5, 4, 9, 6}, {20, 30, 150, 1}, {1, 9, 30, 20},
                                       {7, 1, 7, 3}, {0, 3, 0, 4},     {40, 300, 4800, 37}};
    static const int variants[] = {BSR,          BSR | 1 << 2,          BSR | 1 << 3,
                                   BSR | 3 << 2, BSR | 1 << 4 | 1 << 5, BSR | 1 << 3 | 1 << 6,
                                   BSR | 1 << 7, BSR | 1 << 7 | 1 << 2};
    const bool is_long = i >= 40;
    const int64_t *const size = sizes[is_long ? 5 : i % 5];
    const int count = small ? 10 : 48;
    if (i >= count) return get_half(i - count, small, c);
    *c = (spec_case){.kind = (spec_kind)(i % (is_long ? SPEC_ONE_ROW : SPEC_KINDS)),
                     .n = size[3],
                     .dtype = i % 4 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .offset_type = i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 3 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .alpha = i % 2 ? -0.5 : 1,
                     .beta = i % 3 == 1 ? 0.25 : 0,
                     .variant = variants[i % 8] | (is_long ? 1 << 8 : 0),
                     .seed = (uint64_t)(i / 2) + 1};
    const bool t = spec_matmul_stored_transposed(c);
    const int64_t rows = size[0] * spec_matmul_block(c)[0],
                  cols = size[1] * spec_matmul_block(c)[1];
    c->rows = t ? cols : rows;
    c->cols = t ? rows : cols;
    c->nnz = size[2] * spec_matmul_block(c)[0] * spec_matmul_block(c)[1];
    if (spec_matmul_has_rows_result(c)) c->beta = 0;
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
    const int n_sizes = small ? 3 : 8, size = i / VARIANTS;
    if (size >= n_sizes) return get_bsr_case(i - n_sizes * VARIANTS, small, c);
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
                     .variant = variant_of(i % VARIANTS),
                     .seed = (uint64_t)i + 1};
    if (spec_matmul_has_rows_result(c)) c->beta = 0;
    return true;
}

/* --- inputs and answers on the host ----------------------------------------------------------- */

static void drop(spec_matmul_arrays *x) {
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

static bool make_blocks(spec_matmul_arrays *x, const spec_case *c, int64_t rows, int64_t cols) {
    const int64_t *const block = spec_matmul_block(c), size = block[0] * block[1];
    if (!spec_matrix_make(&x->pattern, c->kind, rows / block[0], cols / block[1], c->nnz / size,
                          c->seed))
        return false;
    if (spec_matmul_unique_blocks(c)) spec_matrix_unique(&x->pattern);
    x->blocks = spec_numbers(x->pattern.nnz * size, c->seed + 5);
    if (x->blocks) spec_make_storable(c->dtype, x->blocks, x->pattern.nnz * size);
    if (!x->blocks || !spec_matrix_alloc(&x->stored, rows, cols, x->pattern.nnz * size))
        return false;
    spec_expand_blocks(&x->stored, &x->pattern, x->blocks, block[0], block[1]);
    return true;
}

static bool make_stored(spec_matmul_arrays *x, const spec_case *c) {
    const bool t = spec_matmul_stored_transposed(c);
    const int64_t rows = t ? c->cols : c->rows, cols = t ? c->rows : c->cols;
    if (spec_matmul_format(c) == BSR) return make_blocks(x, c, rows, cols);
    if (!spec_matrix_make(&x->stored, c->kind, rows, cols, c->nnz, c->seed)) return false;
    spec_make_storable(c->dtype, x->stored.values, x->stored.nnz);
    return true;
}

static bool make_sparse(spec_matmul_arrays *x, const spec_case *c) {
    const bool t = spec_matmul_stored_transposed(c);
    spec_matrix sorted = {0};
    if (!make_stored(x, c)) return false;
    const bool is_coo = spec_matmul_format(c) == COO;
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
static bool make_rows(spec_matmul_arrays *x, const spec_case *c) {
    spec_rowset made = {0}, *const r = &x->rows;
    double *truth = spec_numbers((c->cols + 1) * c->n, 0);
    double *bound = spec_numbers((c->cols + 1) * c->n, 0);
    const bool done = truth && bound &&
                      spec_rowset_make(&made, SPEC_UNIFORM, c->cols, c->cols / 2 + (c->cols > 0),
                                       c->n, c->seed + 9) &&
                      spec_rowset_sum(r, &made, c->dtype, truth, bound);
    if (done) spec_make_storable(c->dtype, r->values, r->stored * c->n);
    spec_rowset_free(&made);
    free(truth);
    free(bound);
    return done;
}

/* The entries of E whose column is stored, in its order; B is still [k, n], with those rows. */
static bool meet(spec_matmul_arrays *x, const spec_case *c) {
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

static bool make(spec_matmul_arrays *x, const spec_case *c) {
    const int64_t count = c->rows * c->n;
    if (!make_sparse(x, c)) return false;
    x->b = spec_stored_numbers(c->dtype, c->cols * c->n, c->seed + 1);
    x->old = spec_stored_numbers(c->dtype, count, c->seed + 2);
    x->order = spec_numbers(count, 0);
    x->truth = spec_numbers(count, 0);
    x->bound = spec_numbers(count, 0);
    if (!x->b || !x->old || !x->order || !x->truth || !x->bound) return false;
    if (spec_matmul_has_rows(c) && (!make_rows(x, c) || !meet(x, c))) return false;
    return spec_product(c, spec_matmul_has_rows(c) ? &x->met : &x->e, x->b, c->n, x->old, c->n,
                        x->order, x->truth, x->bound);
}

static sparcl_status multiply(sparcl_ctx *ctx, const spec_case *c, spec_matmul_call *k) {
    const sparcl_op sparse = spec_matmul_transposed(c) ? SPARCL_OP_T : SPARCL_OP_N;
    const sparcl_op flipped = spec_matmul_transposed(c) ? SPARCL_OP_N : SPARCL_OP_T;
    const sparcl_op dense = spec_matmul_dense_transposed(c) ? SPARCL_OP_T : SPARCL_OP_N;
    return spec_matmul_second(c) ? sparcl_matmul(ctx, &k->c, c->alpha, dense, &k->dense, flipped,
                                                 &k->sparse, c->beta, NULL)
                                 : sparcl_matmul(ctx, &k->c, c->alpha, sparse, &k->sparse, dense,
                                                 &k->dense, c->beta, NULL);
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, const spec_matmul_arrays *x,
                         double *got) {
    spec_matmul_call k = {.sparse = sparcl_matrix_csr((sparcl_csr){0}),
                          .dense = sparcl_matrix_dense((sparcl_dense){0}),
                          .c = sparcl_matrix_dense((sparcl_dense){0})};
    sparcl_status status = spec_matmul_put(ctx, c, x, &k);
    if (status == SPARCL_OK) status = multiply(ctx, c, &k);
    if (status == SPARCL_OK) status = spec_matmul_get(ctx, c, &k, got);
    spec_matmul_free(&k);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    spec_matmul_arrays x = {0};
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

const spec_op spec_matmul = {.name = "matmul", .get_case = get_case, .check = check};
