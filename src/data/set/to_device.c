/* to_device.c: copies a data set to the device. */
#include "base/error.h"
#include "base/memory.h"
#include "data/set/dataset.h"
#include "sparcl/sparcl.h"

/* Copy the context's last error to the caller's record. */
static sparcl_status copy_error(const sparcl_ctx *ctx, sparcl_status status, sparcl_error *error) {
    if (status != SPARCL_OK && error) *error = *sparcl_ctx_error(ctx);
    return status;
}

static sparcl_status upload_matrix(sparcl_ctx *ctx, const sparcl_data *data, sparcl_csr *matrix,
                                   sparcl_error *error) {
    *matrix = (sparcl_csr){.rows = data->info.rows,
                           .cols = data->info.columns,
                           .nnz = data->info.entries,
                           .offset_type = SPARCL_INDEX64,
                           .index_type = sparcl_data_index_type(data)};
    const sparcl_status status =
        sparcl_csr_upload(ctx, matrix, sparcl_data_offsets(data), sparcl_data_indices(data),
                          sparcl_data_values(data), SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
    return copy_error(ctx, status, error);
}

static sparcl_status upload_labels(sparcl_ctx *ctx, const sparcl_data *data, sparcl_dense *labels,
                                   sparcl_error *error) {
    const int64_t rows = data->info.rows;
    const size_t bytes = ((size_t)rows + 1) * sizeof(float);
    const double *wide = sparcl_data_labels(data);
    float *narrow = spc_alloc(&data->allocator, bytes);
    if (!narrow) return spc_fail_memory(error, "labels", bytes);
    for (int64_t i = 0; i < rows; ++i)
        narrow[i] = (float)wide[i];
    *labels = (sparcl_dense){.rank = 1, .shape = {rows}};
    const sparcl_status status = sparcl_dense_upload(ctx, labels, narrow);
    spc_free(&data->allocator, narrow, bytes);
    return copy_error(ctx, status, error);
}

static sparcl_status check_labels(const sparcl_data *data, sparcl_error *error) {
    if (sparcl_data_label_offsets(data))
        return spc_fail(error, SPARCL_E_ARG,
                        "data_upload: expected one label per row, found several; read the file "
                        "without multilabel, or omit the labels");
    if (!sparcl_data_labels(data) && data->info.rows > 0)
        return spc_fail(error, SPARCL_E_ARG,
                        "data_upload: expected one label per row, found none; read the file with "
                        "its labels, or omit them");
    return SPARCL_OK;
}

static sparcl_status upload(sparcl_ctx *ctx, const sparcl_data *data, sparcl_csr *matrix,
                            sparcl_dense *labels, sparcl_error *error) {
    if (matrix) *matrix = (sparcl_csr){0};
    if (labels) *labels = (sparcl_dense){0};
    if (!ctx || !data || !matrix)
        return spc_fail(error, SPARCL_E_ARG, "data_upload: ctx, data or matrix is NULL");
    SPC_TRY(spc_data_check_entries(data, "data_upload", error));
    if (labels) SPC_TRY(check_labels(data, error));
    SPC_TRY(upload_matrix(ctx, data, matrix, error));
    if (!labels) return SPARCL_OK;
    const sparcl_status status = upload_labels(ctx, data, labels, error);
    if (status != SPARCL_OK) sparcl_csr_free(matrix);
    return status;
}

sparcl_status sparcl_data_upload(sparcl_ctx *ctx, const sparcl_data *data, sparcl_csr *matrix,
                                 sparcl_dense *labels, sparcl_error *error) {
    sparcl_error found = {0};
    return sparcl_ctx_report(ctx, upload(ctx, data, matrix, labels, &found), &found, error);
}
