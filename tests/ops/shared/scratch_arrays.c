/* scratch_arrays.c: the arrays of calls of test_scratch_bound. */
#include "scratch_calls.h"

static const sparcl_proof trusted = {.flags = SPARCL_TRUSTED};

sparcl_buf *scratch_array(call *c, int64_t count, size_t size) {
    sparcl_buf **const buf = &c->bufs[c->count++];
    assert_true((size_t)c->count <= COUNT(c->bufs));
    c->too_large |= sparcl_buf_create(c->ctx, buf, count * (int64_t)size) != SPARCL_OK;
    return *buf;
}

/* An array that the call reads. */
sparcl_buf *scratch_operand(call *c, int64_t count, size_t size) {
    c->read += count * (int64_t)size;
    return scratch_array(c, count, size);
}

sparcl_csr scratch_csr(call *c, scratch_make array_of, int64_t rows, int64_t cols) {
    return (sparcl_csr){.rows = rows,
                        .cols = cols,
                        .nnz = c->n,
                        .dtype = c->dtype,
                        .offset_type = c->otype,
                        .index_type = c->itype,
                        .offsets = array_of(c, rows + 1, sparcl_itype_size(c->otype)),
                        .indices = array_of(c, c->n, sparcl_itype_size(c->itype)),
                        .values = array_of(c, c->n, sparcl_dtype_size(c->dtype)),
                        .proof = trusted};
}

sparcl_csc scratch_csc(call *c, scratch_make array_of) {
    const sparcl_csr a = scratch_csr(c, array_of, c->cols, c->rows);
    return (sparcl_csc){.rows = c->rows,
                        .cols = c->cols,
                        .nnz = c->n,
                        .dtype = c->dtype,
                        .offset_type = c->otype,
                        .index_type = c->itype,
                        .offsets = a.offsets,
                        .indices = a.indices,
                        .values = a.values,
                        .proof = trusted};
}

/* Dimensions alternate between rows and cols. */
sparcl_coo scratch_coo(call *c, scratch_make array_of, int rank) {
    sparcl_coo a = {.rank = rank,
                    .dtype = c->dtype,
                    .index_type = c->itype,
                    .nnz = c->n,
                    .values = array_of(c, c->n, sparcl_dtype_size(c->dtype)),
                    .proof = trusted};
    for (int d = 0; d < rank; ++d) {
        a.shape[d] = d % 2 ? c->cols : c->rows;
        a.indices[d] = array_of(c, c->n, sparcl_itype_size(c->itype));
    }
    if (array_of == scratch_array) a.count = scratch_array(c, 1, 8);
    return a;
}

sparcl_rows scratch_rows(call *c, scratch_make array_of) {
    return (sparcl_rows){.rank = 2,
                         .dtype = c->dtype,
                         .index_type = c->itype,
                         .shape = {c->rows, c->width},
                         .nnr = c->n,
                         .indices = array_of(c, c->n, sparcl_itype_size(c->itype)),
                         .values = array_of(c, c->n * c->width, sparcl_dtype_size(c->dtype)),
                         .count = scratch_array(c, 1, 8),
                         .proof = trusted};
}

sparcl_dense scratch_dense(call *c, scratch_make array_of, int64_t count) {
    return (sparcl_dense){.rank = 2,
                          .dtype = c->dtype,
                          .shape = {count, c->width},
                          .values = array_of(c, count * c->width, sparcl_dtype_size(c->dtype))};
}

sparcl_list scratch_list(call *c) {
    return (sparcl_list){.count = c->n,
                         .limit = c->rows,
                         .index_type = c->itype,
                         .indices = scratch_operand(c, c->n, sparcl_itype_size(c->itype)),
                         .proof = trusted};
}
