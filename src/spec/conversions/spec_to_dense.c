/* spec_to_dense.c: sparse arrays as dense ones, in plain C. Variant 0: CSR; 1: CSC; 2: BSR;
 * 3: row-sparse; 4: COO, whose shape n says. */
#include <stdlib.h>
#include <string.h>

#include "spec/shared/entries.h"
#include "spec/shared/rowset.h"
#include "spec/shared/stored.h"

enum { CSR, CSC, BSR, ROWS, COO, FORMATS };

/* Rows, columns, entries (BSR: blocks; ROWS: stored rows). */
static const int64_t sizes[][3] = {
    {0, 0, 0},       {0, 5, 0},       {4, 0, 0},        {1, 1, 1},       {1, 7, 5},
    {9, 4, 20},      {37, 23, 200},   {3, 5, 3000},     {5, 300, 900},   {300, 2, 900},
    {1, 7000, 4000}, {700, 90, 3000}, {40000, 8, 9000}, {2, 90000, 3000}};
#define N_SIZES     (int)(sizeof sizes / sizeof sizes[0])
#define SMALL_SIZES 10
/* Shapes of COO arrays: those of spec_entries_shape that are small. */
#define N_SHAPES    12

static bool get_case(int i, bool small, spec_case *c) {
    const int number = i / FORMATS, format = i % FORMATS, kinds = (int)SPEC_KINDS;
    const int n = (small ? SMALL_SIZES : N_SIZES) * 4, size = number % n / 4;
    if (number >= n) return false;
    const bool is_coo = format == COO;
    *c = (spec_case){.kind = (spec_kind)((number + format) % kinds),
                     .rows = sizes[size][0],
                     .cols = sizes[size][1],
                     .nnz = sizes[size][2],
                     .n = is_coo ? number % N_SHAPES : 0,
                     .dtype = (sparcl_dtype)((number * 3 + format) % 7),
                     .offset_type = i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 4 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .seed = (uint64_t)i + 1,
                     .variant = format};
    if (format == ROWS && c->nnz > 300) c->nnz /= 10;
    if (format == ROWS && c->cols > 900)
        c->cols = 900; /* devices that end loops early refuse more */
    if (c->dtype <= SPARCL_BF16) return true;
    /* Integers are not added. */
    c->kind = SPEC_DIAGONAL;
    if (c->nnz > c->rows) c->nnz = c->rows;
    if (is_coo) c->nnz = 1;
    return true;
}

typedef struct arrays {
    spec_matrix m, transposed;
    spec_rowset rows;
    spec_entries entries;
    int64_t block[2];
    double *blocks; /* the values of blocks */
    int64_t shape[SPARCL_MAX_RANK], count, width;
    int rank;
    double *order, *truth, *bound, *got;
} arrays;

static void drop(arrays *x) {
    double *const numbers[] = {x->blocks, x->order, x->truth, x->bound, x->got};
    spec_matrix_free(&x->m);
    spec_matrix_free(&x->transposed);
    spec_rowset_free(&x->rows);
    spec_entries_free(&x->entries);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
        free(numbers[i]);
}

/* Entries of a block, row by row. */
static bool expand_blocks(arrays *x) {
    const int64_t br = x->block[0], bc = x->block[1], size = br * bc;
    spec_entries *const e = &x->entries;
    const spec_entries like = {
        .rank = 2, .shape = {x->m.rows * br, x->m.cols * bc}, .capacity = x->m.nnz * size};
    if (!spec_entries_like(e, &like)) return false;
    for (int64_t i = 0; i < x->m.rows; ++i)
        for (int64_t k = x->m.offsets[i]; k < x->m.offsets[i + 1]; ++k)
            for (int64_t at = 0; at < size; ++at, ++e->stored) {
                e->indices[0][e->stored] = i * br + at / bc;
                e->indices[1][e->stored] = x->m.indices[k] * bc + at % bc;
                e->values[e->stored] = x->blocks[k * size + at];
            }
    return true;
}

static bool expand_rows(arrays *x) {
    const spec_rowset *const s = &x->rows;
    spec_entries *const e = &x->entries;
    const spec_entries like = {
        .rank = 2, .shape = {s->limit, s->width}, .capacity = s->stored * s->width};
    if (!spec_entries_like(e, &like)) return false;
    for (int64_t k = 0; k < s->stored; ++k)
        for (int64_t j = 0; j < s->width; ++j, ++e->stored) {
            e->indices[0][e->stored] = s->ids[k];
            e->indices[1][e->stored] = j;
            e->values[e->stored] = s->values[k * s->width + j];
        }
    return true;
}

static bool make_blocks(arrays *x, const spec_case *c) {
    x->block[0] = 1 + (int64_t)c->seed % 3;
    x->block[1] = 1 + (int64_t)c->seed % 4;
    if (!spec_matrix_make(&x->m, c->kind, c->rows, c->cols, c->nnz, c->seed)) return false;
    const int64_t count = x->m.nnz * x->block[0] * x->block[1];
    x->blocks = spec_numbers(count, c->seed + 9);
    if (!x->blocks) return false;
    spec_make_storable(c->dtype, x->blocks, count);
    return expand_blocks(x);
}

static bool make_entries(arrays *x, const spec_case *c) {
    switch (c->variant) {
    case BSR:
        return make_blocks(x, c);
    case ROWS:
        if (!spec_rowset_make(&x->rows, c->kind, c->rows, c->nnz, c->cols, c->seed)) return false;
        spec_make_storable(c->dtype, x->rows.values, x->rows.capacity * c->cols);
        return expand_rows(x);
    case COO:
        if (!spec_entries_make(&x->entries, c->kind, (int)c->n, c->nnz, c->seed % 3 == 0, c->seed))
            return false;
        spec_make_storable(c->dtype, x->entries.values, x->entries.stored);
        return true;
    default:
        if (!spec_matrix_make(&x->m, c->kind, c->rows, c->cols, c->nnz, c->seed)) return false;
        spec_make_storable(c->dtype, x->m.values, x->m.nnz);
        if (!spec_entries_of_matrix(&x->entries, &x->m, x->m.nnz)) return false;
        return c->variant == CSR || spec_matrix_transpose(&x->transposed, &x->m);
    }
}

static bool make(arrays *x, const spec_case *c) {
    if (!make_entries(x, c)) return false;
    x->rank = x->entries.rank;
    memcpy(x->shape, x->entries.shape, sizeof x->shape);
    if (c->variant == ROWS) x->rank = spec_shape(x->shape, c->rows, c->cols, c->seed);
    x->width = sparcl_row_width(x->rank, x->shape);
    x->count = x->shape[0] * x->width;
    x->order = spec_numbers(x->count, 0);
    x->truth = spec_numbers(x->count, 0);
    x->bound = spec_numbers(x->count, 0);
    x->got = spec_numbers(x->shape[0] * (x->width + 2), 0);
    return x->order && x->truth && x->bound && x->got &&
           spec_entries_dense(&x->entries, c->dtype, x->order, x->truth, x->bound, x->count);
}

static sparcl_status run_compressed(sparcl_ctx *ctx, const spec_case *c, const arrays *x,
                                    const sparcl_dense *to) {
    const bool is_csc = c->variant == CSC;
    sparcl_csr a;
    sparcl_status status = spec_put_csr_within(ctx, &a, is_csc ? &x->transposed : &x->m, c->dtype,
                                               c->offset_type, c->index_type);
    const sparcl_csc columns = spec_as_csc(&a);
    if (status == SPARCL_OK)
        status = is_csc ? sparcl_csc_to_dense(ctx, to, &columns) : sparcl_csr_to_dense(ctx, to, &a);
    sparcl_csr_free(&a);
    return status;
}

static sparcl_status run_bsr(sparcl_ctx *ctx, const spec_case *c, const arrays *x,
                             const sparcl_dense *to) {
    sparcl_csr pattern;
    sparcl_buf *blocks = NULL;
    const int64_t count = x->m.nnz * x->block[0] * x->block[1];
    sparcl_status status =
        spec_put_csr_within(ctx, &pattern, &x->m, c->dtype, c->offset_type, c->index_type);
    if (status == SPARCL_OK) status = spec_put_reals(ctx, &blocks, x->blocks, count, c->dtype);
    const sparcl_bsr from = {.rows = x->shape[0],
                             .cols = x->shape[1],
                             .block_rows = x->block[0],
                             .block_cols = x->block[1],
                             .nnzb = x->m.nnz,
                             .offsets_at = pattern.offsets_at,
                             .indices_at = pattern.indices_at,
                             .dtype = c->dtype,
                             .offset_type = c->offset_type,
                             .index_type = c->index_type,
                             .offsets = pattern.offsets,
                             .indices = pattern.indices,
                             .values = blocks,
                             .proof = pattern.proof};
    if (status == SPARCL_OK) status = sparcl_bsr_to_dense(ctx, to, &from);
    sparcl_csr_free(&pattern);
    sparcl_buf_free(blocks);
    return status;
}

static sparcl_status run_rows(sparcl_ctx *ctx, const spec_case *c, const arrays *x,
                              const sparcl_dense *to) {
    sparcl_rows from;
    sparcl_status status = spec_put_rows(ctx, &from, &x->rows, c);
    if (status == SPARCL_OK) status = sparcl_rows_to_dense(ctx, to, &from);
    sparcl_rows_free(&from);
    return status;
}

static sparcl_status run_coo(sparcl_ctx *ctx, const spec_case *c, const arrays *x,
                             const sparcl_dense *to) {
    sparcl_coo from;
    sparcl_status status = spec_put_entries(ctx, &from, &x->entries, c, 2, false);
    if (status == SPARCL_OK) status = sparcl_coo_to_dense(ctx, to, &from);
    sparcl_coo_free(&from);
    return status;
}

/* Half of the results have gaps between their rows, half begin within their buffers. */
static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *x) {
    const int64_t gap = c->seed % 2 ? 2 : 0, ld = x->width + gap;
    sparcl_dense to = {.rank = x->rank, .dtype = c->dtype, .ld = gap ? ld : 0};
    memcpy(to.shape, x->shape, sizeof to.shape);
    to.values_at = c->seed % 4 < 2 ? 0 : 3;
    sparcl_status status = sparcl_buf_create(
        ctx, &to.values, (to.values_at + x->shape[0] * ld) * (int64_t)sparcl_dtype_size(c->dtype));
    if (status == SPARCL_OK) status = spec_poison(ctx, to.values);
    if (status == SPARCL_OK)
        status = c->variant == BSR    ? run_bsr(ctx, c, x, &to)
                 : c->variant == ROWS ? run_rows(ctx, c, x, &to)
                 : c->variant == COO  ? run_coo(ctx, c, x, &to)
                                      : run_compressed(ctx, c, x, &to);
    for (int64_t i = 0; i < x->shape[0] && x->width > 0 && status == SPARCL_OK; ++i)
        status = gap ? spec_get_reals(ctx, to.values, to.values_at + i * ld, x->width, c->dtype,
                                      x->got + i * x->width)
                     : SPARCL_OK;
    if (!gap && status == SPARCL_OK)
        status = spec_get_reals(ctx, to.values, to.values_at, x->count, c->dtype, x->got);
    sparcl_dense_free(&to);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays x;
    memset(&x, 0, sizeof x);
    sparcl_status status = make(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true,
                            .bytes = (double)sparcl_dtype_size(c->dtype) * (double)x.count,
                            .zeros_expected = true};
    if (status == SPARCL_OK) status = run(ctx, c, &x);
    if (status == SPARCL_OK) spec_compare(report, "to", x.got, x.order, x.truth, x.bound, x.count);
    drop(&x);
    return status;
}

const spec_op spec_to_dense = {.name = "to_dense", .get_case = get_case, .check = check};
