/* readback.c: copies a view to host arrays. */
#include "views/arrays.h"
#include "views/strided.h"

/* Read the number of entries, which is an element of an integer array on the device. */
static sparcl_status read_stored(sparcl_ctx *ctx, const char *what, const sparcl_buf *buf,
                                 int64_t at, sparcl_itype type, int64_t capacity, int64_t *stored) {
    int32_t narrow = 0;
    if (type == SPARCL_INDEX64) {
        SPC_TRY(sparcl_buf_read(ctx, buf, at * 8, 8, stored));
    } else {
        SPC_TRY(sparcl_buf_read(ctx, buf, at * 4, 4, &narrow));
        *stored = narrow;
    }
    if (*stored >= 0 && *stored <= capacity) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_DATA, "read: the %s of A is %lld, expected 0 to %lld", what,
                        (long long)*stored, (long long)capacity);
}

static sparcl_status read_array(sparcl_ctx *ctx, const spc_view_array *a, int64_t count,
                                void *host) {
    const int64_t size = (int64_t)a->size;
    if (!host) return SPARCL_OK;
    return sparcl_buf_read(ctx, *a->buf, a->at * size, count * size, host);
}

/* Read the arrays first .. end - 1, which have one element or row per entry. */
static sparcl_status read_entries(sparcl_ctx *ctx, const spc_view_arrays *arrays, int first,
                                  int end, int64_t stored, int64_t capacity, void *const *host) {
    for (int i = first; i < end; ++i) {
        const spc_view_array *a = &arrays->at[i];
        const int64_t width = capacity > 0 ? a->count / capacity : 0;
        SPC_TRY(read_array(ctx, a, stored * width, host[i]));
    }
    return SPARCL_OK;
}

sparcl_status sparcl_dense_read(sparcl_ctx *ctx, const sparcl_dense *view, void *values) {
    if (!ctx) return SPARCL_E_ARG;
    SPC_TRY(spc_check_dense_of(ctx, "read", "A", view, SPC_ALL_TYPES));
    if (!values) return SPARCL_OK;
    const spc_strided rows = spc_dense_rows(view);
    return spc_buf_read_rows(ctx, view->values, &rows, values);
}

#define READ_COMPRESSED(kind, majors, entries)                                                     \
    sparcl_status sparcl_##kind##_read(sparcl_ctx *ctx, const sparcl_##kind *view, void *offsets,  \
                                       void *indices, void *values, int64_t *nnz) {                \
        int64_t stored = 0;                                                                        \
        void *const host[] = {offsets, indices, values};                                           \
        if (nnz) *nnz = 0;                                                                         \
        if (!ctx) return SPARCL_E_ARG;                                                             \
        SPC_TRY(spc_check_##kind##_of(ctx, "read", "A", view, SPC_ALL_TYPES));                     \
        sparcl_##kind own = *view;                                                                 \
        const spc_view_arrays arrays = spc_##kind##_arrays(&own);                                  \
        SPC_TRY(read_stored(ctx, "last offset", view->offsets, view->offsets_at + majors,          \
                            view->offset_type, view->entries, &stored));                           \
        SPC_TRY(read_array(ctx, &arrays.at[0], arrays.at[0].count, offsets));                      \
        SPC_TRY(read_entries(ctx, &arrays, 1, arrays.count, stored, view->entries, host));         \
        if (nnz) *nnz = stored;                                                                    \
        return SPARCL_OK;                                                                          \
    }
READ_COMPRESSED(csr, view->rows, nnz)
READ_COMPRESSED(csc, view->cols, nnz)
READ_COMPRESSED(bsr, view->rows / view->block_rows, nnzb)

/* Without a count on the device, all entries are stored. */
static sparcl_status read_count(sparcl_ctx *ctx, const sparcl_buf *count, int64_t at,
                                int64_t capacity, int64_t *stored) {
    *stored = spc_ctx_is_forecast(ctx) ? 0 : capacity;
    if (!count) return SPARCL_OK;
    return read_stored(ctx, "count", count, at, SPARCL_INDEX64, capacity, stored);
}

sparcl_status sparcl_coo_read(sparcl_ctx *ctx, const sparcl_coo *view, void *const *indices,
                              void *values, int64_t *nnz) {
    int64_t stored = 0;
    void *host[SPC_MAX_ARRAYS] = {NULL};
    if (nnz) *nnz = 0;
    if (!ctx) return SPARCL_E_ARG;
    SPC_TRY(spc_check_coo_of(ctx, "read", "A", view, SPC_ALL_TYPES));
    for (int d = 0; d < view->rank && indices; ++d)
        host[d] = indices[d];
    host[view->rank] = values;
    sparcl_coo own = *view;
    const spc_view_arrays arrays = spc_coo_arrays(&own);
    SPC_TRY(read_count(ctx, view->count, view->count_at, view->nnz, &stored));
    SPC_TRY(read_entries(ctx, &arrays, 0, view->rank + 1, stored, view->nnz, host));
    if (nnz) *nnz = stored;
    return SPARCL_OK;
}

sparcl_status sparcl_rows_read(sparcl_ctx *ctx, const sparcl_rows *view, void *indices,
                               void *values, int64_t *nnr) {
    int64_t stored = 0;
    void *const host[] = {indices, values};
    if (nnr) *nnr = 0;
    if (!ctx) return SPARCL_E_ARG;
    SPC_TRY(spc_check_rows_of(ctx, "read", "A", view, SPC_ALL_TYPES));
    sparcl_rows own = *view;
    const spc_view_arrays arrays = spc_rows_arrays(&own);
    SPC_TRY(read_count(ctx, view->count, view->count_at, view->nnr, &stored));
    SPC_TRY(read_entries(ctx, &arrays, 0, 2, stored, view->nnr, host));
    if (nnr) *nnr = stored;
    return SPARCL_OK;
}

sparcl_status sparcl_list_read(sparcl_ctx *ctx, const sparcl_list *view, void *indices) {
    if (!ctx) return SPARCL_E_ARG;
    SPC_TRY(spc_check_list(ctx, "read", "A", view));
    sparcl_list own = *view;
    const spc_view_arrays arrays = spc_list_arrays(&own);
    return read_array(ctx, &arrays.at[0], view->count, indices);
}
