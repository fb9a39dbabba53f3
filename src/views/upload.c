/* upload.c: fills the buffers of a view from host arrays, and validates it. */
#include "views/arrays.h"
#include "views/strided.h"

static sparcl_status check_host(sparcl_ctx *ctx, const spc_view_arrays *arrays,
                                const void *const *host) {
    for (int i = 0; i < arrays->count; ++i)
        if (!host[i] && arrays->at[i].count > 0)
            return spc_ctx_fail(ctx, SPARCL_E_ARG,
                                "upload: the %s of A are NULL on the host, expected %lld elements",
                                arrays->at[i].name, (long long)arrays->at[i].count);
    return SPARCL_OK;
}

static sparcl_status write_arrays(sparcl_ctx *ctx, const spc_view_arrays *arrays,
                                  const void *const *host) {
    for (int i = 0; i < arrays->count; ++i) {
        const spc_view_array *a = &arrays->at[i];
        const int64_t size = (int64_t)a->size;
        if (a->is_count && !*a->buf) continue;
        SPC_TRY(sparcl_buf_write(ctx, *a->buf, a->at * size, a->count * size, host[i]));
    }
    return SPARCL_OK;
}

/* Validate the view, unless the caller has marked it TRUSTED with all properties of `want`. */
#define PROVE_KIND(kind)                                                                           \
    static sparcl_status prove_##kind(sparcl_ctx *ctx, sparcl_##kind *view, uint32_t want) {       \
        const uint32_t have = sparcl_##kind##_flags(view);                                         \
        const bool is_given = (have & SPARCL_TRUSTED) && !(want & ~have);                          \
        return is_given ? SPARCL_OK : sparcl_##kind##_validate(ctx, view, want);                   \
    }

/* `host` has the host arrays in the order of the view's arrays. Works on a copy, so that an error
 * leaves the view unchanged. */
#define UPLOAD_KIND(kind)                                                                          \
    PROVE_KIND(kind)                                                                               \
    static sparcl_status upload_##kind(sparcl_ctx *ctx, sparcl_##kind *view,                       \
                                       const void *const *host, uint32_t want) {                   \
        sparcl_##kind made = *view;                                                                \
        spc_view_arrays arrays = spc_##kind##_arrays(&made);                                       \
        SPC_TRY(check_host(ctx, &arrays, host));                                                   \
        sparcl_status status = spc_arrays_make(ctx, "upload", &arrays, false);                     \
        if (status == SPARCL_OK)                                                                   \
            status = spc_check_##kind##_of(ctx, "upload", "A", &made, SPC_ALL_TYPES);              \
        if (status == SPARCL_OK) status = write_arrays(ctx, &arrays, host);                        \
        if (status == SPARCL_OK) status = prove_##kind(ctx, &made, want);                          \
        if (status == SPARCL_OK)                                                                   \
            *view = made;                                                                          \
        else                                                                                       \
            spc_arrays_drop(&arrays);                                                              \
        return status;                                                                             \
    }
UPLOAD_KIND(csr)
UPLOAD_KIND(csc)
UPLOAD_KIND(coo)
UPLOAD_KIND(rows)
UPLOAD_KIND(bsr)
UPLOAD_KIND(list)

#define CHECK_CALL(kind)                                                                           \
    do {                                                                                           \
        if (!ctx) return SPARCL_E_ARG;                                                             \
        SPC_TRY(spc_check_want(ctx, "upload", want));                                              \
        SPC_TRY(spc_check_##kind##_shape(ctx, "upload", "A", view));                               \
    } while (0)

sparcl_status sparcl_csr_upload(sparcl_ctx *ctx, sparcl_csr *view, const void *offsets,
                                const void *indices, const void *values, uint32_t want) {
    const void *const host[] = {offsets, indices, values};
    CHECK_CALL(csr);
    return upload_csr(ctx, view, host, want);
}

sparcl_status sparcl_csc_upload(sparcl_ctx *ctx, sparcl_csc *view, const void *offsets,
                                const void *indices, const void *values, uint32_t want) {
    const void *const host[] = {offsets, indices, values};
    CHECK_CALL(csc);
    return upload_csc(ctx, view, host, want);
}

sparcl_status sparcl_bsr_upload(sparcl_ctx *ctx, sparcl_bsr *view, const void *offsets,
                                const void *indices, const void *values, uint32_t want) {
    const void *const host[] = {offsets, indices, values};
    CHECK_CALL(bsr);
    return upload_bsr(ctx, view, host, want);
}

sparcl_status sparcl_coo_upload(sparcl_ctx *ctx, sparcl_coo *view, const void *const *indices,
                                const void *values, uint32_t want) {
    const void *host[SPC_MAX_ARRAYS] = {NULL};
    CHECK_CALL(coo);
    for (int d = 0; d < view->rank; ++d)
        host[d] = indices ? indices[d] : NULL;
    host[view->rank] = values;
    host[view->rank + 1] = &view->nnz;
    return upload_coo(ctx, view, host, want);
}

sparcl_status sparcl_rows_upload(sparcl_ctx *ctx, sparcl_rows *view, const void *indices,
                                 const void *values, uint32_t want) {
    CHECK_CALL(rows);
    const void *const host[] = {indices, values, &view->nnr};
    return upload_rows(ctx, view, host, want);
}

sparcl_status sparcl_list_upload(sparcl_ctx *ctx, sparcl_list *view, const void *indices,
                                 uint32_t want) {
    CHECK_CALL(list);
    return upload_list(ctx, view, &indices, want);
}

sparcl_status sparcl_dense_upload(sparcl_ctx *ctx, sparcl_dense *view, const void *values) {
    if (!ctx) return SPARCL_E_ARG;
    SPC_TRY(spc_check_dense_shape(ctx, "upload", "A", view));
    const spc_strided rows = spc_dense_rows(view);
    sparcl_dense made = *view;
    spc_view_arrays arrays = spc_dense_arrays(&made);
    SPC_TRY(check_host(ctx, &arrays, &values));
    sparcl_status status = spc_arrays_make(ctx, "upload", &arrays, false);
    if (status == SPARCL_OK) status = spc_check_dense_of(ctx, "upload", "A", &made, SPC_ALL_TYPES);
    if (status == SPARCL_OK) status = spc_buf_write_rows(ctx, made.values, &rows, values);
    if (status == SPARCL_OK)
        *view = made;
    else
        spc_arrays_drop(&arrays);
    return status;
}
