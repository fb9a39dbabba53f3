/* made.c: CSR matrices that specs make entry by entry. */
#include "spec/shared/made.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double spec_value(sparcl_dtype dtype, double x) {
    switch (dtype) {
    case SPARCL_INT32:
    case SPARCL_INT64:
        return (double)(int64_t)nearbyint(x * 1000); /* not -0 */
    case SPARCL_BOOL:
        return x >= -0.5;
    default:
        return spec_store(dtype, x);
    }
}

double spec_moved_value(sparcl_dtype dtype, double x) {
    return dtype == SPARCL_INT64 ? (double)(int64_t)nearbyint(x * 0x1p40 / 3)
                                 : spec_value(dtype, x);
}

void spec_matrix_store(spec_matrix *m, sparcl_dtype dtype) {
    for (int64_t k = 0; k < m->nnz; ++k)
        m->values[k] = spec_value(dtype, m->values[k]);
}

sparcl_dtype spec_any_dtype(int i) {
    static const sparcl_dtype all[] = {SPARCL_F32,   SPARCL_F64, SPARCL_F32,  SPARCL_F16,
                                       SPARCL_INT64, SPARCL_F32, SPARCL_BF16, SPARCL_INT32,
                                       SPARCL_F32,   SPARCL_F64, SPARCL_BOOL};
    return all[(size_t)i % (sizeof all / sizeof all[0])];
}

sparcl_dtype spec_other_dtype(int i) {
    static const sparcl_dtype others[] = {SPARCL_F16, SPARCL_BF16, SPARCL_INT32, SPARCL_INT64,
                                          SPARCL_BOOL};
    return others[(size_t)i % (sizeof others / sizeof others[0])];
}

bool spec_made_alloc(spec_made *made, int64_t rows, int64_t cols, int64_t space) {
    *made = (spec_made){.row = 0};
    made->source = calloc((size_t)space + 1, sizeof *made->source);
    if (!made->source || !spec_matrix_alloc(&made->matrix, rows, cols, space)) return false;
    made->matrix.nnz = 0;
    return true;
}

void spec_made_free(spec_made *made) {
    spec_matrix_free(&made->matrix);
    free(made->source);
    made->source = NULL;
}

void spec_made_add(spec_made *made, int64_t column, double value, int64_t source) {
    const int64_t k = made->matrix.nnz++;
    made->matrix.indices[k] = column;
    made->matrix.values[k] = value;
    made->source[k] = source;
}

void spec_made_end_row(spec_made *made) {
    made->matrix.offsets[++made->row] = made->matrix.nnz;
}

static sparcl_itype other(sparcl_itype type) {
    return type == SPARCL_I64 ? SPARCL_I32 : SPARCL_I64;
}

static sparcl_status poison(sparcl_ctx *ctx, const spec_made_result *r) {
    sparcl_buf *const all[] = {r->to.offsets, r->to.indices, r->to.values, r->moved.source,
                               r->moved.needed};
    sparcl_status status = SPARCL_OK;
    for (size_t i = 0; i < sizeof all / sizeof all[0] && status == SPARCL_OK; ++i)
        status = spec_poison(ctx, all[i]);
    return status;
}

sparcl_status spec_made_open(sparcl_ctx *ctx, spec_made_result *r, const spec_case *c,
                             const spec_made *made, int64_t capacity, bool more) {
    spec_matrix empty;
    *r = (spec_made_result){.to = {.rows = 0}};
    if (!spec_matrix_alloc(&empty, made->matrix.rows, made->matrix.cols, capacity))
        return SPARCL_E_MEMORY;
    sparcl_status status = spec_put_csr_within(ctx, &r->to, &empty, c->dtype, other(c->offset_type),
                                               other(c->index_type));
    spec_matrix_free(&empty);
    r->to.proof = (sparcl_proof){0};
    if (status == SPARCL_OK && more)
        status = sparcl_buf_create(ctx, &r->moved.source, (capacity + 2) * 8);
    if (status == SPARCL_OK && more) status = sparcl_buf_create(ctx, &r->moved.needed, 24);
    r->moved.source_at = more ? 2 : 0;
    r->moved.needed_at = more;
    return status == SPARCL_OK ? poison(ctx, r) : status;
}

void spec_made_close(spec_made_result *r) {
    sparcl_csr_free(&r->to);
    sparcl_buf_free(r->moved.source);
    sparcl_buf_free(r->moved.needed);
}

static sparcl_status compare_moved(sparcl_ctx *ctx, const spec_made_result *r,
                                   const spec_made *made, int64_t filled, spec_report *report) {
    int64_t needed = -1;
    int64_t *const source = calloc((size_t)filled + 1, sizeof *source);
    if (!source) return SPARCL_E_MEMORY;
    sparcl_status status =
        spec_get_ints(ctx, r->moved.source, r->moved.source_at, filled, SPARCL_I64, source);
    spec_compare_ints(report, "source", source, made->source, filled);
    if (status == SPARCL_OK && r->moved.needed) {
        status = spec_get_ints(ctx, r->moved.needed, r->moved.needed_at, 1, SPARCL_I64, &needed);
        spec_compare_ints(report, "needed", &needed, &made->matrix.nnz, 1);
    }
    free(source);
    return status;
}

sparcl_status spec_made_compare(sparcl_ctx *ctx, const spec_made_result *r, const spec_made *made,
                                spec_report *report) {
    const spec_matrix *const want = &made->matrix;
    const int64_t filled = want->nnz < r->to.nnz ? want->nnz : r->to.nnz;
    spec_matrix have, cut;
    if (!spec_matrix_alloc(&have, want->rows, want->cols, filled) ||
        !spec_matrix_alloc(&cut, want->rows, want->cols, 0))
        return SPARCL_E_MEMORY;
    for (int64_t i = 0; i <= want->rows; ++i)
        cut.offsets[i] = want->offsets[i] < filled ? want->offsets[i] : filled;
    sparcl_status status = spec_get_csr(ctx, &r->to, &have);
    if (status == SPARCL_OK) {
        spec_compare_ints(report, "offsets", have.offsets, cut.offsets, want->rows + 1);
        spec_compare_ints(report, "indices", have.indices, want->indices, filled);
        spec_compare(report, "values", have.values, want->values, NULL, NULL, filled);
    }
    if (status == SPARCL_OK && r->moved.source)
        status = compare_moved(ctx, r, made, filled, report);
    spec_matrix_free(&have);
    spec_matrix_free(&cut);
    return status;
}
