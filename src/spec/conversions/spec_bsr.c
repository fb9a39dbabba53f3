/* spec_bsr.c: matrices between CSR and BSR format, in plain C. Variant 0: CSR to BSR; 1: BSR to
 * CSR. n: the shape of a block; beta: the part of the blocks for which there is capacity. */
#include <stdlib.h>
#include <string.h>

#include "spec/shared/entries.h"
#include "spec/shared/stored.h"

enum { TO_BSR, TO_CSR, VARIANTS };

/* Rows and columns of a block. */
static const int64_t shapes[][2] = {{1, 1}, {2, 3}, {4, 4}, {3, 1}, {1, 8}, {16, 2}};
#define N_SHAPES (int)(sizeof shapes / sizeof shapes[0])

/* Rows and columns of blocks, and entries (to CSR: blocks). */
static const int64_t sizes[][3] = {{0, 0, 0},   {0, 5, 0},     {4, 0, 0},      {1, 1, 1},
                                   {1, 7, 5},   {9, 4, 60},    {37, 23, 200},  {3, 2, 900},
                                   {5, 30, 90}, {300, 2, 900}, {90, 70, 3000}, {20000, 30, 9000}};
#define N_SIZES     (int)(sizeof sizes / sizeof sizes[0])
#define SMALL_SIZES 10

static bool get_case(int i, bool small, spec_case *c) {
    static const double parts[] = {1, 1, 0.5, 1, 0};
    const int number = i / VARIANTS, size = number / N_SHAPES;
    if (size >= (small ? SMALL_SIZES : N_SIZES)) return false;
    *c = (spec_case){.kind = (spec_kind)(number % (int)SPEC_KINDS),
                     .rows = sizes[size][0],
                     .cols = sizes[size][1],
                     .nnz = sizes[size][2],
                     .n = number % N_SHAPES,
                     .dtype = (sparcl_dtype)((number * 3 + i % 2) % 7),
                     .offset_type = i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 4 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .beta = parts[number % 5],
                     .seed = (uint64_t)i + 1,
                     .variant = i % VARIANTS};
    if (c->variant == TO_CSR && c->nnz > 300) c->nnz /= 10;
    if (c->dtype <= SPARCL_BF16 || c->variant == TO_CSR) return true;
    c->kind = SPEC_DIAGONAL; /* integers are not added */
    if (c->nnz > c->rows) c->nnz = c->rows;
    return true;
}

/* A CSR matrix, the pattern of a BSR one, and the blocks. */
typedef struct arrays {
    int64_t rows, cols, block_rows, block_cols, size, needed, got_needed;
    spec_matrix m, pattern, got;
    double *blocks, *got_blocks;
} arrays;

static void drop(arrays *x) {
    spec_matrix_free(&x->m);
    spec_matrix_free(&x->pattern);
    spec_matrix_free(&x->got);
    free(x->blocks);
    free(x->got_blocks);
}

/* --- csr to bsr --------------------------------------------------------------------------------
 */

/* The blocks that have an entry, from the matrix as a dense array. */
static bool block(arrays *x, const double *dense, const char *stored, double part) {
    const int64_t lines = x->rows / x->block_rows, across = x->cols / x->block_cols;
    char *const used = calloc((size_t)(lines * across) + 1, 1);
    if (!used) return false;
    for (int64_t i = 0; i < x->rows * x->cols; ++i) {
        const int64_t at = i / x->cols / x->block_rows * across + i % x->cols / x->block_cols;
        x->needed += stored[i] && !used[at];
        used[at] |= stored[i];
    }
    const int64_t capacity = (int64_t)(part * (double)x->needed);
    x->blocks = calloc((size_t)(capacity * x->size) + 1, sizeof(double));
    const bool ready = x->blocks && spec_matrix_alloc(&x->pattern, lines, across, capacity);
    int64_t found = 0;
    for (int64_t i = 0; ready && i < lines; ++i) {
        for (int64_t j = 0; j < across && found < capacity; ++j) {
            if (!used[i * across + j]) continue;
            x->pattern.indices[found] = j;
            for (int64_t at = 0; at < x->size; ++at)
                x->blocks[found * x->size + at] =
                    dense[(i * x->block_rows + at / x->block_cols) * x->cols + j * x->block_cols +
                          at % x->block_cols];
            ++found;
        }
        x->pattern.offsets[i + 1] = found;
    }
    free(used);
    return ready;
}

static bool make_csr(arrays *x, const spec_case *c) {
    const int64_t count = x->rows * x->cols;
    spec_entries e = {0};
    if (!spec_matrix_make(&x->m, c->kind, x->rows, x->cols, c->nnz, c->seed)) return false;
    spec_make_storable(c->dtype, x->m.values, x->m.nnz);
    double *const dense = calloc((size_t)count + 1, sizeof *dense);
    char *const stored = calloc((size_t)count + 1, 1);
    bool ready = dense && stored && spec_entries_of_matrix(&e, &x->m, x->m.nnz) &&
                 spec_entries_dense(&e, c->dtype, dense, NULL, NULL, count);
    for (int64_t k = 0; ready && k < e.stored; ++k)
        stored[e.indices[0][k] * x->cols + e.indices[1][k]] = 1;
    ready = ready && block(x, dense, stored, c->beta);
    spec_entries_free(&e);
    free(dense);
    free(stored);
    return ready;
}

/* --- bsr to csr --------------------------------------------------------------------------------
 */

static bool make_bsr(arrays *x, const spec_case *c) {
    if (!spec_matrix_make(&x->pattern, c->kind, c->rows, c->cols, c->nnz, c->seed)) return false;
    const int64_t count = x->pattern.nnz * x->size;
    x->blocks = spec_numbers(count, c->seed + 5);
    if (!x->blocks || !spec_matrix_alloc(&x->m, x->rows, x->cols, count)) return false;
    spec_make_storable(c->dtype, x->blocks, count);
    spec_expand_blocks(&x->m, &x->pattern, x->blocks, x->block_rows, x->block_cols);
    return true;
}

static bool make(arrays *x, const spec_case *c) {
    x->block_rows = shapes[c->n][0];
    x->block_cols = shapes[c->n][1];
    x->size = x->block_rows * x->block_cols;
    x->rows = c->rows * x->block_rows;
    x->cols = c->cols * x->block_cols;
    const bool to_bsr = c->variant == TO_BSR;
    if (!(to_bsr ? make_csr(x, c) : make_bsr(x, c))) return false;
    const spec_matrix *const like = to_bsr ? &x->pattern : &x->m;
    x->got_blocks = spec_numbers(x->pattern.nnz * x->size, 0);
    return x->got_blocks && spec_matrix_alloc(&x->got, like->rows, like->cols, like->nnz);
}

/* --- runs --------------------------------------------------------------------------------------
 */

static sparcl_bsr view_of(const arrays *x, const spec_case *c) {
    return (sparcl_bsr){.rows = x->rows,
                        .cols = x->cols,
                        .block_rows = x->block_rows,
                        .block_cols = x->block_cols,
                        .nnzb = x->pattern.nnz,
                        .dtype = c->dtype};
}

static sparcl_status run_to_bsr(sparcl_ctx *ctx, const spec_case *c, arrays *x) {
    const int64_t none = -1;
    sparcl_csr from = {0};
    sparcl_buf *needed = NULL;
    sparcl_bsr to = view_of(x, c);
    to.offset_type = c->index_type;
    to.index_type = c->offset_type;
    sparcl_status status =
        spec_put_csr_within(ctx, &from, &x->m, c->dtype, c->offset_type, c->index_type);
    if (status == SPARCL_OK) status = spec_put_ints(ctx, &needed, &none, 1, SPARCL_I64);
    if (status == SPARCL_OK) status = sparcl_bsr_create(ctx, &to);
    if (status == SPARCL_OK) status = sparcl_csr_to_bsr(ctx, &to, &from, needed, 0);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, to.offsets, 0, c->rows + 1, to.offset_type, x->got.offsets);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, to.indices, 0, to.nnzb, to.index_type, x->got.indices);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, to.values, 0, to.nnzb * x->size, c->dtype, x->got_blocks);
    if (status == SPARCL_OK) status = sparcl_buf_read(ctx, needed, 0, 8, &x->got_needed);
    sparcl_bsr_free(&to);
    sparcl_csr_free(&from);
    sparcl_buf_free(needed);
    return status;
}

static sparcl_status run_to_csr(sparcl_ctx *ctx, const spec_case *c, arrays *x) {
    sparcl_csr pattern = {0}, to = {.rows = x->rows,
                                    .cols = x->cols,
                                    .nnz = x->m.nnz,
                                    .dtype = c->dtype,
                                    .offset_type = c->index_type,
                                    .index_type = c->offset_type};
    sparcl_bsr from = view_of(x, c);
    sparcl_status status =
        spec_put_csr_within(ctx, &pattern, &x->pattern, c->dtype, c->offset_type, c->index_type);
    from.offset_type = c->offset_type;
    from.index_type = c->index_type;
    from.offsets_at = pattern.offsets_at;
    from.indices_at = pattern.indices_at;
    from.offsets = pattern.offsets;
    from.indices = pattern.indices;
    from.proof = pattern.proof;
    if (status == SPARCL_OK)
        status = spec_put_reals(ctx, &from.values, x->blocks, from.nnzb * x->size, c->dtype);
    if (status == SPARCL_OK) status = sparcl_csr_create(ctx, &to);
    if (status == SPARCL_OK) status = sparcl_bsr_to_csr(ctx, &to, &from);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, to.offsets, 0, x->rows + 1, to.offset_type, x->got.offsets);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, to.indices, 0, to.nnz, to.index_type, x->got.indices);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, to.values, 0, to.nnz, c->dtype, x->got.values);
    sparcl_buf_free(from.values);
    sparcl_csr_free(&pattern);
    sparcl_csr_free(&to);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays x;
    memset(&x, 0, sizeof x);
    const bool to_bsr = c->variant == TO_BSR;
    sparcl_status status = make(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true,
                            .bytes = (double)(sparcl_dtype_size(c->dtype) + 4) * (double)x.m.nnz,
                            .zeros_expected = true};
    if (status == SPARCL_OK) status = to_bsr ? run_to_bsr(ctx, c, &x) : run_to_csr(ctx, c, &x);
    if (status == SPARCL_OK) {
        const spec_matrix *const want = to_bsr ? &x.pattern : &x.m;
        spec_compare_ints(report, "needed", &x.got_needed, &x.needed, 1);
        spec_compare_ints(report, "offsets", x.got.offsets, want->offsets, want->rows + 1);
        spec_compare_ints(report, "indices", x.got.indices, want->indices, want->nnz);
        spec_compare(report, "values", to_bsr ? x.got_blocks : x.got.values,
                     to_bsr ? x.blocks : want->values, NULL, NULL,
                     to_bsr ? want->nnz * x.size : want->nnz);
    }
    drop(&x);
    return status;
}

const spec_op spec_bsr = {.name = "bsr", .get_case = get_case, .check = check};
