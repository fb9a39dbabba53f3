/* encode.c: the codes of a model, as a data set. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/core.h"
#include "model/model_object.h"
#include "train/apply_model.h"
#include "train/problem.h"

/* The codes of the rows so far. */
typedef struct encoded {
    sparcl_ctx *ctx;
    int64_t rows, columns, entries, capacity;
    int64_t *offsets; /* [rows + 1], of all rows */
    int64_t *indices; /* [entries] */
    float *values;    /* [entries] */
} encoded;

static sparcl_status grow(encoded *to, int64_t more, sparcl_error *error) {
    if (to->entries + more <= to->capacity) return SPARCL_OK;
    const int64_t capacity = 2 * to->capacity + more;
    int64_t *const indices = realloc(to->indices, (size_t)capacity * sizeof *indices);
    if (indices) to->indices = indices;
    float *const values = realloc(to->values, (size_t)capacity * sizeof *values);
    if (values) to->values = values;
    if (!indices || !values) return spc_fail_memory(error, "codes", (size_t)capacity * 12);
    to->capacity = capacity;
    return SPARCL_OK;
}

/* Offsets or indices of a matrix on the device, as 64-bit numbers. */
static sparcl_status read_integers(encoded *to, const sparcl_buf *buf, int64_t at,
                                   sparcl_itype type, int64_t count, int64_t *values,
                                   sparcl_error *error) {
    const int64_t size = (int64_t)sparcl_itype_size(type);
    int32_t *const narrow = (int32_t *)values;
    SPC_TRY(
        spc_core(to->ctx, sparcl_buf_read(to->ctx, buf, at * size, count * size, values), error));
    for (int64_t i = count - 1; type == SPARCL_INDEX32 && i >= 0;
         --i) { /* from the end: in place */
        int32_t one;
        memcpy(&one, narrow + i, sizeof one);
        const int64_t wide = one;
        memcpy(values + i, &wide, sizeof wide);
    }
    return SPARCL_OK;
}

static sparcl_status add(void *user, int64_t first, const sparcl_csr *codes, sparcl_error *error) {
    encoded *const to = user;
    int64_t *const offsets = to->offsets + first;
    const int64_t before = to->entries;
    SPC_TRY(read_integers(to, codes->offsets, codes->offsets_at, codes->offset_type,
                          codes->rows + 1, offsets, error));
    const int64_t entries = offsets[codes->rows];
    SPC_TRY(grow(to, entries, error));
    for (int64_t i = 0; i <= codes->rows; ++i)
        offsets[i] += before;
    SPC_TRY(read_integers(to, codes->indices, codes->indices_at, codes->index_type, entries,
                          to->indices + before, error));
    SPC_TRY(spc_core(to->ctx,
                     sparcl_buf_read(to->ctx, codes->values, codes->values_at * 4, entries * 4,
                                     to->values + before),
                     error));
    to->entries += entries;
    return SPARCL_OK;
}

static sparcl_status make_data(const encoded *from, const sparcl_data *data, sparcl_data **codes,
                               sparcl_error *error) {
    const sparcl_data_arrays arrays = {
        .rows = from->rows,
        .columns = from->columns,
        .offsets = from->offsets,
        .index_type = SPARCL_INDEX64,
        .indices = from->indices,
        .values = from->values,
        .labels = sparcl_data_label_offsets(data) ? NULL : sparcl_data_labels(data)};
    return sparcl_data_create(codes, &arrays, error);
}

static sparcl_status encode(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                            sparcl_data **codes, sparcl_error *error) {
    sparcl_status status = SPARCL_OK;
    if (codes) *codes = NULL;
    if (!ctx || !model || !data || !codes)
        return spc_fail(error, SPARCL_E_ARG, "encode: ctx, model, data or codes is NULL");
    encoded to = {.ctx = ctx, .rows = sparcl_data_get_info(data)->rows};
    const spc_scores scores = {.take_codes = add, .codes_user = &to, .code_columns = &to.columns};
    SPC_TRY(spc_check_base(data, sparcl_model_get_info(model)->index_base, error));
    SPC_TRY(spc_check_width(data, sparcl_model_get_info(model)->columns, error));
    SPC_TRY(sparcl_data_check_finite(data, error));
    to.offsets = calloc((size_t)to.rows + 2, sizeof *to.offsets);
    if (!to.offsets) return spc_fail_memory(error, "codes", ((size_t)to.rows + 2) * 8);
    SPC_GO(spc_apply(ctx, model, data, NULL, NULL, &scores, NULL, error));
    SPC_GO(make_data(&to, data, codes, error));
done:
    free(to.offsets);
    free(to.indices);
    free(to.values);
    return status;
}

sparcl_status sparcl_encode(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                            sparcl_data **codes, sparcl_error *error) {
    sparcl_error found = {0};
    return sparcl_ctx_report(ctx, encode(ctx, model, data, codes, &found), &found, error);
}
