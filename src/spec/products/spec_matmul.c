/* spec_matmul.c: products of matrices in any formats, in plain C.
 *
 * All cases are a product E * B of a sparse matrix [m, k] and a dense one [k, n], or the transpose
 * of it: C' = B' * E'. `variant` has, from the lowest bit: the format of the sparse matrix (2 bits:
 * csr, csc, coo, bsr), whether it is used transposed, whether it comes second, whether the dense
 * matrix is used transposed, whether it and C are column-major, whether B is row-sparse (C too,
 * where the sparse matrix is used transposed), and whether each block of a bsr matrix is stored
 * once, in order. */
#include "spec/bench/bench.h"
#include "spec/products/matmul_case.h"
#include "spec/shared/stored.h"

/* Measured with the pattern of a CSR matrix, which is used transposed and second. */
enum { WITH_PATTERN = CSR | 1 << 2 | 1 << 3 };

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
                         .offset_type = i % 7 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                         .index_type = i % 11 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
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
                     .offset_type = i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 3 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
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
                     .offset_type = i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 4 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .alpha = alphas[i % 2],
                     .beta = betas[i % 3],
                     .variant = variant_of(i % VARIANTS),
                     .seed = (uint64_t)i + 1};
    if (spec_matmul_has_rows_result(c)) c->beta = 0;
    return true;
}

/* --- operands --------------------------------------------------------------------------------- */

/* The blocks of a matrix that is given, with sizes that blocks divide. */
static void split_given(spec_test *t, spec_matmul_case *x) {
    const int64_t *const block = spec_matmul_block(t->c), size = block[0] * block[1];
    const spec_matrix m = spec_matrix_of(t, 0, 0);
    const int64_t rows = (m.rows + block[0] - 1) / block[0];
    int64_t *const at = spec_int64s(t, m.cols); /* the block of a column of blocks */
    x->pattern = spec_matrix_room(t, rows, (m.cols + block[1] - 1) / block[1], m.nnz);
    for (int64_t i = 0; i <= rows; ++i)
        x->pattern.offsets[i] = m.offsets[i * block[0] < m.rows ? i * block[0] : m.rows];
    for (int64_t k = 0; k < m.nnz; ++k)
        x->pattern.indices[k] = m.indices[k] / block[1];
    spec_matrix_unique(&x->pattern);
    x->blocks = spec_reals(t, x->pattern.nnz * size);
    for (int64_t i = 0; i < m.rows; ++i) {
        const int64_t row = i / block[0];
        for (int64_t b = x->pattern.offsets[row]; b < x->pattern.offsets[row + 1]; ++b)
            at[x->pattern.indices[b]] = b;
        for (int64_t k = m.offsets[i]; k < m.offsets[i + 1]; ++k)
            x->blocks[at[m.indices[k] / block[1]] * size + i % block[0] * block[1] +
                      m.indices[k] % block[1]] = m.values[k];
    }
}

static void make_blocks(spec_test *t, spec_matmul_case *x, int64_t rows, int64_t cols) {
    const spec_case *const c = t->c;
    const int64_t *const block = spec_matmul_block(c), size = block[0] * block[1];
    if (t->given) {
        split_given(t, x);
    } else {
        x->pattern = spec_matrix_drawn(t, rows / block[0], cols / block[1], c->nnz / size, c->seed);
        if (spec_matmul_unique_blocks(c)) spec_matrix_unique(&x->pattern);
        x->blocks = spec_own(t, spec_numbers(x->pattern.nnz * size, c->seed + 5));
        spec_make_storable(c->dtype, x->blocks, x->pattern.nnz * size);
    }
    x->stored = spec_matrix_room(t, x->pattern.rows * block[0], x->pattern.cols * block[1],
                                 x->pattern.nnz * size);
    spec_expand_blocks(&x->stored, &x->pattern, x->blocks, block[0], block[1]);
}

static void make_stored(spec_test *t, spec_matmul_case *x) {
    const spec_case *const c = t->c;
    const bool turned = spec_matmul_stored_transposed(c);
    const int64_t rows = turned ? c->cols : c->rows, cols = turned ? c->rows : c->cols;
    if (spec_matmul_format(c) == BSR) {
        make_blocks(t, x, rows, cols);
    } else if (t->given) {
        x->stored = spec_matrix_of(t, 0, 0);
        if (spec_matmul_format(c) == CSC) x->stored = spec_transposed(t, &x->stored);
    } else {
        x->stored = spec_matrix_drawn(t, rows, cols, c->nnz, c->seed);
        spec_make_storable(c->dtype, x->stored.values, x->stored.nnz);
    }
}

/* E; of a COO matrix in the order of rows: transposed twice, entries of one place keep their
 * order. */
static void make_sparse(spec_test *t, spec_matmul_case *x) {
    make_stored(t, x);
    x->e = x->stored;
    if (spec_matmul_format(t->c) == COO) {
        const spec_matrix columns = spec_transposed(t, &x->stored);
        x->e = spec_transposed(t, &columns);
    }
    if (spec_matmul_stored_transposed(t->c)) x->e = spec_transposed(t, &x->e);
    x->m = x->e.rows;
    x->k = x->e.cols;
}

/* Some rows of B, once each, with its values; the others meet nothing. */
static void make_rows(spec_test *t, spec_matmul_case *x) {
    const spec_case *const c = t->c;
    const int64_t count = (x->k + 1) * c->n;
    double *const truth = spec_reals(t, count), *const bound = spec_reals(t, count);
    spec_rowset made = {0}, *const r = &x->rows;
    spec_own_rowset(
        t, &made,
        spec_rowset_make(&made, SPEC_UNIFORM, x->k, x->k / 2 + (x->k > 0), c->n, c->seed + 9));
    spec_own_rowset(t, r, spec_rowset_sum(r, &made, c->dtype, truth, bound));
    spec_make_storable(c->dtype, r->values, r->stored * c->n);
}

/* The entries of E whose column is stored, in its order; B is still [k, n], with those rows. */
static void meet(spec_test *t, spec_matmul_case *x) {
    const int64_t n = t->c->n;
    bool *const has = spec_memory(t, x->k, sizeof *has);
    x->met = spec_matrix_room(t, x->m, x->k, x->e.nnz);
    for (int64_t u = 0; u < x->rows.stored; ++u) {
        has[x->rows.ids[u]] = true;
        for (int64_t j = 0; j < n; ++j)
            x->b[x->rows.ids[u] * n + j] = x->rows.values[u * n + j];
    }
    int64_t at = 0;
    for (int64_t r = 0; r < x->m; ++r) {
        for (int64_t k = x->e.offsets[r]; k < x->e.offsets[r + 1]; ++k) {
            if (!has[x->e.indices[k]]) continue;
            x->met.indices[at] = x->e.indices[k];
            x->met.values[at++] = x->e.values[k];
        }
        x->met.offsets[r + 1] = at;
    }
    x->met.nnz = at;
}

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    spec_matmul_case *const x = t->state;
    x->c = c;
    make_sparse(t, x);
    x->b = spec_drawn(t, x->k * c->n, c->seed + 1);
    x->old = spec_drawn(t, x->m * c->n, c->seed + 2);
    if (spec_matmul_has_rows(c)) {
        make_rows(t, x);
        meet(t, x);
    }
    spec_matmul_put(t, x);
    if (t->given && c->variant == WITH_PATTERN) x->built = spec_pattern(t, &x->sparse.as.csr);
}

/* --- call and answer -------------------------------------------------------------------------- */

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    spec_matmul_case *const x = made;
    const spec_case *const c = x->c;
    const sparcl_op sparse = spec_matmul_transposed(c) ? SPARCL_OP_T : SPARCL_OP_N;
    const sparcl_op flipped = spec_matmul_transposed(c) ? SPARCL_OP_N : SPARCL_OP_T;
    const sparcl_op dense = spec_matmul_dense_transposed(c) ? SPARCL_OP_T : SPARCL_OP_N;
    (void)number;
    return spec_matmul_second(c) ? sparcl_matmul(ctx, &x->to, c->alpha, dense, &x->dense, flipped,
                                                 &x->sparse, c->beta, x->built)
                                 : sparcl_matmul(ctx, &x->to, c->alpha, sparse, &x->sparse, dense,
                                                 &x->dense, c->beta, x->built);
}

static void expect(spec_test *t) {
    const spec_case *const c = t->c;
    const spec_matmul_case *const x = t->state;
    const int64_t count = x->m * c->n;
    const spec_answer to = spec_answer_room(t, count);
    const bool done = spec_product(c, spec_matmul_has_rows(c) ? &x->met : &x->e, x->b, c->n, x->old,
                                   c->n, to.order, to.truth, to.bound);
    spec_need(t, done ? SPARCL_OK : SPARCL_E_MEMORY);
    t->report->zeros_expected = true;
    spec_compare(t->report, "C", spec_matmul_get(t, x), to.order, to.truth, to.bound, count);
}

/* --- measurements ----------------------------------------------------------------------------- */

static double sparse_bytes(const spec_matmul_case *x) {
    const spec_case *const c = x->c;
    const int64_t *const block = spec_matmul_block(c);
    const int format = spec_matmul_format(c);
    const spec_matrix *const m = format == BSR ? &x->pattern : &x->stored;
    const double values = format == BSR ? (double)(block[0] * block[1]) : 1;
    const double index = (double)sparcl_itype_size(c->index_type);
    return (values * (double)sparcl_dtype_size(c->dtype) + (format == COO ? 2 : 1) * index) *
               (double)m->nnz +
           (format == COO ? 0 : (double)sparcl_itype_size(c->offset_type) * (double)(m->rows + 1));
}

static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const spec_matmul_case *const x = t->state;
    const double n = (double)t->c->n;
    (void)number;
    *flops = 2 * (double)x->e.nnz * n;
    *bytes = sparse_bytes(x) +
             (double)sparcl_dtype_size(t->c->dtype) * n * (double)(spec_columns_used(&x->e) + x->m);
}

extern const spec_op spec_matmul;
#define MEASURED(number) .op = &spec_matmul, .setting = {.alpha = 1, .variant = (number), .seed = 1}
static const spec_bench timed[] = {
    {"matmul-csc", "A B with A in CSC format, without a pattern", SPEC_BENCH_WIDTHS, MEASURED(CSC)},
    {"matmul-coo", "A B with A in COO format, in the order of its entries", SPEC_BENCH_WIDTHS,
     MEASURED(COO)},
    {"matmul-bsr", "A B with A in BSR format, with blocks of 4 x 4", SPEC_BENCH_WIDTHS,
     MEASURED(BSR)},
    {"matmul-dense-csr", "X A for a dense X with n rows, with the pattern of A", SPEC_BENCH_WIDTHS,
     MEASURED(WITH_PATTERN)},
    {"matmul-dense-csr-t", "X transpose(A) for a dense X with n rows", SPEC_BENCH_WIDTHS,
     MEASURED(CSR | 1 << 3)},
    {0}};

const spec_op spec_matmul = {.name = "matmul",
                             .get_case = get_case,
                             .state_size = sizeof(spec_matmul_case),
                             .make = make,
                             .call = call,
                             .expect = expect,
                             .work = work,
                             .timed = timed};
