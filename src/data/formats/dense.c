/* dense.c: a dense array as a data set: zeros are no entries. */
#include "data/formats/dense.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "data/formats/idx.h"
#include "data/formats/npz/npz_file.h"
#include "data/formats/readers.h"
#include "data/formats/triplets.h"

typedef struct dense {
    sparcl_data *data;
    const spc_npy *array;
    const char *place;
    sparcl_error *error;
} dense;

static sparcl_status check_rank(const dense *d) {
    const spc_npy *const array = d->array;
    if (!spc_npy_is_number(array))
        return spc_fail(d->error, SPARCL_E_FORMAT,
                        "%s: expected numbers, found text; number the categories, and save them "
                        "again",
                        d->place);
    if (array->rank < 2)
        return spc_fail(d->error, SPARCL_E_FORMAT,
                        "%s: expected rows and columns, found %d dimensions; use it as the labels "
                        "of a data file, or save a matrix",
                        d->place, array->rank);
    if (array->rank > 2 && array->fortran)
        return spc_fail(d->error, SPARCL_E_FORMAT,
                        "%s: expected two dimensions in Fortran order, found %d; save it with "
                        "a.reshape(len(a), -1)",
                        d->place, array->rank);
    return SPARCL_OK;
}

static sparcl_status set_shape(const dense *d, const sparcl_data_desc *desc) {
    sparcl_data_info *const info = &d->data->info;
    info->rows = d->array->shape[0];
    info->columns = info->rows > 0 ? d->array->count / info->rows : d->array->shape[1];
    if (desc->columns > 0 && info->columns > desc->columns && !desc->widen)
        return spc_fail(d->error, SPARCL_E_FORMAT,
                        "%s: expected at most %" PRId64 " columns, found %" PRId64 "; %" PRId64
                        " columns were requested",
                        d->place, desc->columns, info->columns, desc->columns);
    if (info->columns == 0 && info->rows > spc_rows_max(0))
        return spc_fail(d->error, SPARCL_E_FORMAT,
                        "%s: expected columns, found %" PRId64 " rows without any; save a matrix",
                        d->place, info->rows);
    return SPARCL_OK;
}

static sparcl_status read_value(const dense *d, int64_t k, float *value) {
    const spc_npy_result result = spc_npy_f32(d->array, k, value);
    if (result == SPC_NPY_RANGE || result == SPC_NPY_BAD)
        return spc_fail(d->error, SPARCL_E_FORMAT, "%s[%" PRId64 "]: %s", d->place, k,
                        result == SPC_NPY_BAD
                            ? "expected 0 or 1 as a bool, found another byte; save the array again"
                            : "expected a number in the range of a 32-bit float, up to 3.4e38, "
                              "found a larger one; scale the column");
    if (!isfinite(*value) && d->data->bad_column < 0) d->data->bad_column = k;
    d->data->info.narrowed_values += result == SPC_NPY_ROUNDED;
    return SPARCL_OK;
}

static sparcl_status add_entry(const dense *d, int64_t column, float value) {
    sparcl_data *const data = d->data;
    sparcl_data_info *const info = &data->info;
    const int32_t narrow = (int32_t)column;
    info->min_index = info->entries == 0 ? column : spc_min_i64(info->min_index, column);
    info->max_index = spc_max_i64(info->max_index, column);
    info->entries++;
    if (data->index_type == SPARCL_INDEX64)
        SPC_TRY(spc_array_add(&data->indices, &column, sizeof column, &data->allocator, d->error));
    else
        SPC_TRY(spc_array_add(&data->indices, &narrow, sizeof narrow, &data->allocator, d->error));
    return spc_array_add(&data->values, &value, sizeof value, &data->allocator, d->error);
}

static sparcl_status add_rows(const dense *d) {
    sparcl_data *const data = d->data;
    const int64_t rows = data->info.rows, columns = data->info.columns;
    SPC_TRY(spc_array_add(&data->offsets, &data->info.entries, sizeof(int64_t), &data->allocator,
                          d->error));
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t column = 0; column < columns; column++) {
            float value = 0;
            SPC_TRY(read_value(d, d->array->fortran ? row + rows * column : row * columns + column,
                               &value));
            if (value != 0) SPC_TRY(add_entry(d, column, value));
        }
        SPC_TRY(spc_array_add(&data->offsets, &data->info.entries, sizeof(int64_t),
                              &data->allocator, d->error));
    }
    return SPARCL_OK;
}

sparcl_status spc_dense_read(sparcl_data *data, const spc_npy *array, const char *place,
                             const sparcl_data_desc *desc, sparcl_error *error) {
    const dense d = {.data = data, .array = array, .place = place, .error = error};
    SPC_TRY(check_rank(&d));
    SPC_TRY(set_shape(&d, desc));
    const int64_t width = spc_max_i64(data->info.columns, desc->columns);
    data->index_type = width > INT32_MAX ? SPARCL_INDEX64 : SPARCL_INDEX32;
    data->info.float64_source = array->kind == 'f' && array->size == 8;
    data->info.min_index = data->info.max_index = -1;
    data->bad_column = -1;
    SPC_TRY(add_rows(&d));
    data->info.nnz = data->info.entries;
    data->info.columns = width;
    return SPARCL_OK;
}

static sparcl_status read_input(void *user, void *buffer, size_t size, size_t *got,
                                sparcl_error *error) {
    return spc_input_read(user, buffer, size, got, error);
}

/* The array that has the name of the member; the archive has been opened. */
static sparcl_status read_member(spc_npy *array, spc_input *input, const spc_npy_accept *accept,
                                 sparcl_error *error) {
    spc_npz_file file;
    sparcl_status status = spc_npz_file_read(&file, input, input->member, accept, error);
    if (status == SPARCL_OK && !file.present[SPC_NPZ_WHOLE])
        status = spc_fail(error, SPARCL_E_FORMAT,
                          "%s:%s: expected this array, found none of this name but %s; name one of "
                          "these members",
                          input->raw.name, file.names[SPC_NPZ_WHOLE],
                          file.others[0] ? file.others : "nothing else");
    if (status == SPARCL_OK) {
        *array = file.arrays[SPC_NPZ_WHOLE];
        file.arrays[SPC_NPZ_WHOLE].bytes = (spc_array){0};
    }
    spc_npz_file_free(&file, &input->raw.allocator);
    return status;
}

sparcl_status spc_one_array_read(spc_npy *array, spc_input *input, const spc_npy_accept *accept,
                                 sparcl_error *error) {
    sparcl_error why = {.status = SPARCL_OK};
    const char *bytes = NULL;
    size_t size = 0;
    *array = (spc_npy){.kind = 0};
    if (input->member) return read_member(array, input, accept, error);
    sparcl_status status = spc_input_peek(input, &bytes, &size, &why);
    const bool idx = size >= 2 && memcmp(bytes, "\0\0", 2) == 0;
    if (status == SPARCL_OK)
        status = idx ? spc_idx_read(array, read_input, input, accept, &input->raw.allocator, &why)
                     : spc_npy_read(array, read_input, input, accept, &input->raw.allocator, &why);
    if (status == SPARCL_E_FORMAT)
        return spc_fail(error, status, "%s: %s", input->raw.name, why.message);
    if (status != SPARCL_OK && error) *error = why;
    return status;
}

sparcl_status spc_array_read(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                             sparcl_error *error) {
    spc_npy array;
    if (desc->index_base == SPARCL_BASE_1)
        return spc_fail(
            error, SPARCL_E_FORMAT,
            "%s: expected indices from 1, found an array, whose columns count from 0; read "
            "it with indices from 0",
            input->raw.name);
    const spc_npy_accept any = {.check = NULL};
    sparcl_status status = spc_one_array_read(&array, input, &any, error);
    if (status == SPARCL_OK) status = spc_dense_read(data, &array, input->raw.name, desc, error);
    spc_array_free(&array.bytes, &data->allocator);
    return status;
}
