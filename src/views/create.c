/* create.c: creates the buffers of a view, as an array without entries. */
#include "launch/transfer.h"
#include "views/arrays.h"
#include "views/strided.h"

static const uint32_t empty = SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE;

static sparcl_status zero(sparcl_ctx *ctx, const spc_view_array *array) {
    const int64_t size = (int64_t)array->size;
    return sparcl_buf_fill(ctx, *array->buf, array->at * size, array->count * size, 0);
}

static sparcl_status begin_dense(sparcl_ctx *ctx, sparcl_dense *view,
                                 const spc_view_arrays *arrays) {
    (void)ctx, (void)view, (void)arrays;
    return SPARCL_OK;
}

static sparcl_status begin_list(sparcl_ctx *ctx, sparcl_list *view, const spc_view_arrays *arrays) {
    (void)ctx, (void)arrays;
    view->proof = (sparcl_proof){0};
    return SPARCL_OK;
}

/* The offsets, or the count, become 0. */
#define BEGIN_EMPTY(kind, array)                                                                   \
    static sparcl_status begin_##kind(sparcl_ctx *ctx, sparcl_##kind *view,                        \
                                      const spc_view_arrays *arrays) {                             \
        SPC_TRY(zero(ctx, &arrays->at[array]));                                                    \
        view->proof = (sparcl_proof){0};                                                           \
        spc_prove_##kind(view, empty);                                                             \
        return SPARCL_OK;                                                                          \
    }
BEGIN_EMPTY(csr, 0)
BEGIN_EMPTY(csc, 0)
BEGIN_EMPTY(bsr, 0)
BEGIN_EMPTY(coo, arrays->count - 1)
BEGIN_EMPTY(rows, arrays->count - 1)

/* Works on a copy, so that an error leaves the view unchanged. */
#define CREATE_KIND(kind)                                                                          \
    sparcl_status sparcl_##kind##_create(sparcl_ctx *ctx, sparcl_##kind *view) {                   \
        if (!ctx) return SPARCL_E_ARG;                                                             \
        SPC_TRY(spc_check_##kind##_shape(ctx, "create", "A", view));                               \
        sparcl_##kind made = *view;                                                                \
        spc_view_arrays arrays = spc_##kind##_arrays(&made);                                       \
        sparcl_status status = spc_arrays_make(ctx, "create", &arrays, true);                      \
        if (status == SPARCL_OK)                                                                   \
            status = spc_check_##kind##_of(ctx, "create", "A", &made, SPC_ALL_TYPES);              \
        if (status == SPARCL_OK) status = begin_##kind(ctx, &made, &arrays);                       \
        if (status == SPARCL_OK)                                                                   \
            *view = made;                                                                          \
        else                                                                                       \
            spc_arrays_drop(&arrays);                                                              \
        return status;                                                                             \
    }
CREATE_KIND(dense)
CREATE_KIND(csr)
CREATE_KIND(csc)
CREATE_KIND(coo)
CREATE_KIND(rows)
CREATE_KIND(bsr)
CREATE_KIND(list)

/* In a new buffer the gaps between rows are filled too: one call instead of one per row. */
static sparcl_status zero_dense(sparcl_ctx *ctx, const sparcl_dense *view, bool with_gaps) {
    sparcl_dense own = *view;
    const spc_view_arrays arrays = spc_dense_arrays(&own);
    if (with_gaps) return zero(ctx, &arrays.at[0]);
    const spc_strided rows = spc_dense_rows(view);
    return spc_buf_zero_rows(ctx, view->values, &rows);
}

sparcl_status sparcl_dense_zeros(sparcl_ctx *ctx, sparcl_dense *view) {
    const bool is_new = view && !view->values;
    SPC_TRY(sparcl_dense_create(ctx, view));
    const sparcl_status status = zero_dense(ctx, view, is_new);
    if (status != SPARCL_OK && is_new) sparcl_dense_free(view);
    return status;
}
