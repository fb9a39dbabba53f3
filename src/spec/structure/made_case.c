/* made_case.c: CSR matrices that specs make entry by entry, in cases. */
#include "spec/structure/made_case.h"

spec_made spec_made_room(spec_test *t, int64_t rows, int64_t cols, int64_t space) {
    spec_made made = {.matrix = spec_matrix_room(t, rows, cols, space),
                      .source = spec_int64s(t, space)};
    made.matrix.nnz = 0;
    return made;
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
    return type == SPARCL_INDEX64 ? SPARCL_INDEX32 : SPARCL_INDEX64;
}

spec_made_result spec_made_view(spec_test *t, const spec_made *made, int64_t capacity, bool more) {
    const int64_t rows = made->matrix.rows, cols = made->matrix.cols;
    spec_case types = *t->c;
    if (t->given) return (spec_made_result){.to = spec_csr_result(t, rows, cols, capacity)};
    types.offset_type = other(types.offset_type);
    types.index_type = other(types.index_type);
    const spec_matrix room = spec_matrix_room(t, rows, cols, capacity);
    spec_made_result r = {.to = spec_csr_as(t, &types, &room)};
    sparcl_buf *const all[] = {r.to.offsets, r.to.indices, r.to.values};
    for (int i = 0; i < 3; ++i)
        spec_need(t, spec_poison(t->ctx, all[i]));
    r.to.proof = (sparcl_proof){0};
    if (more)
        r.moved = (sparcl_moved){.source = spec_result_buf(t, (capacity + 2) * 8),
                                 .source_at = 2,
                                 .needed = spec_result_buf(t, 24),
                                 .needed_at = 1};
    return r;
}

double spec_made_bytes(const spec_made_result *r, const spec_made *made) {
    sparcl_csr written = r->to;
    written.nnz = made->matrix.nnz;
    return spec_csr_bytes(&written);
}

void spec_expect_made(spec_test *t, const spec_made_result *r, const spec_made *made) {
    spec_matrix filled = made->matrix;
    if (filled.nnz > r->to.nnz) filled.nnz = r->to.nnz;
    filled.offsets = spec_int64s(t, filled.rows + 1);
    for (int64_t i = 0; i <= filled.rows; ++i)
        filled.offsets[i] =
            made->matrix.offsets[i] < filled.nnz ? made->matrix.offsets[i] : filled.nnz;
    spec_expect_csr(t, &r->to, &filled);
    if (r->moved.source)
        spec_expect_ints(t, "source", r->moved.source, r->moved.source_at, SPARCL_INDEX64,
                         made->source, filled.nnz);
    if (r->moved.needed)
        spec_expect_ints(t, "needed", r->moved.needed, r->moved.needed_at, SPARCL_INDEX64,
                         &made->matrix.nnz, 1);
}
