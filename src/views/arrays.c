/* arrays.c: lists the arrays of a view, creates their buffers and frees them. */
#include "views/arrays.h"

#include "base/size.h"

static void add(spc_view_arrays *arrays, const char *name, sparcl_buf **buf, int64_t at,
                int64_t count, size_t size) {
    arrays->at[arrays->count++] =
        (spc_view_array){.name = name, .buf = buf, .at = at, .count = count, .size = size};
}

static void add_count(spc_view_arrays *arrays, sparcl_buf **buf, int64_t at) {
    add(arrays, "count", buf, at, 1, sizeof(int64_t));
    arrays->at[arrays->count - 1].is_count = true;
}

spc_view_arrays spc_dense_arrays(sparcl_dense *v) {
    spc_view_arrays arrays = {.count = 0};
    add(&arrays, "values", &v->values, v->values_at, spc_dense_count(v),
        sparcl_dtype_size(v->dtype));
    return arrays;
}

/* csr and csc have the same field names, except `majors`, the dimension that is compressed. */
#define COMPRESSED_ARRAYS(kind, majors)                                                            \
    spc_view_arrays spc_##kind##_arrays(sparcl_##kind *v) {                                        \
        spc_view_arrays arrays = {.count = 0};                                                     \
        const int64_t offsets = v->majors < INT64_MAX ? v->majors + 1 : INT64_MAX;                 \
        add(&arrays, "offsets", &v->offsets, v->offsets_at, offsets,                               \
            sparcl_itype_size(v->offset_type));                                                    \
        add(&arrays, "indices", &v->indices, v->indices_at, v->nnz,                                \
            sparcl_itype_size(v->index_type));                                                     \
        add(&arrays, "values", &v->values, v->values_at, v->nnz, sparcl_dtype_size(v->dtype));     \
        return arrays;                                                                             \
    }

COMPRESSED_ARRAYS(csr, rows)
COMPRESSED_ARRAYS(csc, cols)

spc_view_arrays spc_bsr_arrays(sparcl_bsr *v) {
    spc_view_arrays arrays = {.count = 0};
    const int64_t blocks = v->rows / v->block_rows;
    add(&arrays, "offsets", &v->offsets, v->offsets_at, blocks < INT64_MAX ? blocks + 1 : INT64_MAX,
        sparcl_itype_size(v->offset_type));
    add(&arrays, "indices", &v->indices, v->indices_at, v->nnzb, sparcl_itype_size(v->index_type));
    add(&arrays, "values", &v->values, v->values_at, spc_bsr_count(v), sparcl_dtype_size(v->dtype));
    return arrays;
}

spc_view_arrays spc_coo_arrays(sparcl_coo *v) {
    spc_view_arrays arrays = {.count = 0};
    for (int d = 0; d < v->rank; ++d)
        add(&arrays, "indices", &v->indices[d], v->indices_at[d], v->nnz,
            sparcl_itype_size(v->index_type));
    add(&arrays, "values", &v->values, v->values_at, v->nnz, sparcl_dtype_size(v->dtype));
    add_count(&arrays, &v->count, v->count_at);
    return arrays;
}

spc_view_arrays spc_rows_arrays(sparcl_rows *v) {
    spc_view_arrays arrays = {.count = 0};
    add(&arrays, "indices", &v->indices, v->indices_at, v->nnr, sparcl_itype_size(v->index_type));
    add(&arrays, "values", &v->values, v->values_at, v->nnr * spc_shape_width(v->rank, v->shape),
        sparcl_dtype_size(v->dtype));
    add_count(&arrays, &v->count, v->count_at);
    return arrays;
}

spc_view_arrays spc_list_arrays(sparcl_list *v) {
    spc_view_arrays arrays = {.count = 0};
    add(&arrays, "indices", &v->indices, v->indices_at, v->count, sparcl_itype_size(v->index_type));
    return arrays;
}

static sparcl_status make(sparcl_ctx *ctx, const char *op, spc_view_array *array) {
    int64_t bytes = 0;
    if (array->at < 0 || !spc_add_i64(array->at, array->count, &bytes) ||
        !spc_mul_i64(bytes, (int64_t)array->size, &bytes))
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: the %s of A have %lld elements from %lld on, expected a position "
                            "of at least 0, and a size below 2^63 bytes",
                            op, array->name, (long long)array->count, (long long)array->at);
    SPC_TRY(sparcl_buf_create(ctx, array->buf, bytes));
    array->made = true;
    return SPARCL_OK;
}

sparcl_status spc_arrays_make(sparcl_ctx *ctx, const char *op, spc_view_arrays *arrays,
                              bool with_count) {
    for (int i = 0; i < arrays->count; ++i)
        if (!*arrays->at[i].buf && (with_count || !arrays->at[i].is_count))
            SPC_TRY(make(ctx, op, &arrays->at[i]));
    return SPARCL_OK;
}

void spc_arrays_drop(spc_view_arrays *arrays) {
    for (int i = 0; i < arrays->count; ++i) {
        if (!arrays->at[i].made) continue;
        sparcl_buf_free(*arrays->at[i].buf);
        *arrays->at[i].buf = NULL;
    }
}

/* --- free: any view, also one that was never checked ---------------------------------- */

static void free_bufs(sparcl_buf **const *bufs, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        sparcl_buf *const buf = *bufs[i];
        for (size_t other = i; other < count; ++other)
            if (*bufs[other] == buf) *bufs[other] = NULL;
        sparcl_buf_free(buf);
    }
}

void sparcl_dense_free(sparcl_dense *view) {
    if (!view) return;
    sparcl_buf_free(view->values);
    view->values = NULL;
}

#define FREE_COMPRESSED(kind)                                                                      \
    void sparcl_##kind##_free(sparcl_##kind *view) {                                               \
        if (!view) return;                                                                         \
        sparcl_buf **const bufs[] = {&view->offsets, &view->indices, &view->values};               \
        free_bufs(bufs, SPC_COUNT(bufs));                                                          \
        view->proof = (sparcl_proof){0};                                                           \
    }
FREE_COMPRESSED(csr)
FREE_COMPRESSED(csc)
FREE_COMPRESSED(bsr)

void sparcl_coo_free(sparcl_coo *view) {
    if (!view) return;
    sparcl_buf **bufs[SPC_MAX_ARRAYS] = {&view->values, &view->count};
    for (int d = 0; d < SPARCL_MAX_RANK; ++d)
        bufs[2 + d] = &view->indices[d];
    free_bufs(bufs, SPC_COUNT(bufs));
    view->proof = (sparcl_proof){0};
}

void sparcl_rows_free(sparcl_rows *view) {
    if (!view) return;
    sparcl_buf **const bufs[] = {&view->indices, &view->values, &view->count};
    free_bufs(bufs, SPC_COUNT(bufs));
    view->proof = (sparcl_proof){0};
}

void sparcl_list_free(sparcl_list *view) {
    if (!view) return;
    sparcl_buf_free(view->indices);
    view->indices = NULL;
    view->proof = (sparcl_proof){0};
}
