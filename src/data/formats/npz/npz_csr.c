/* npz_csr.c: reads a csr matrix of an .npz file; arrays that already have our types are moved. */
#include <inttypes.h>

#include "base/size.h"
#include "data/formats/npz/npz_build.h"
#include "data/set/row_order.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { LITTLE_ENDIAN_HOST = 1 };
#else
enum { LITTLE_ENDIAN_HOST = 0 };
#endif

/* The declared shape is used only after arrays of that length were read. */
static sparcl_status check_lengths(const spc_npz_builder *b) {
    const spc_npy *arrays = b->file->arrays;
    SPC_TRY(spc_npz_check_member(b, SPC_NPZ_INDPTR, true, 1));
    SPC_TRY(spc_npz_check_member(b, SPC_NPZ_INDICES, true, 1));
    SPC_TRY(spc_npz_check_member(b, SPC_NPZ_DATA, false, 1));
    const int64_t rows = b->data->info.rows;
    if (arrays[SPC_NPZ_INDPTR].count - 1 != rows)
        return spc_npz_refuse(b, SPC_NPZ_INDPTR, SPC_NO_ELEMENT,
                              "expected one offset more than the %" PRId64
                              " rows of the shape, found %" PRId64 "; save the matrix again",
                              rows, arrays[SPC_NPZ_INDPTR].count);
    return SPARCL_OK;
}

static sparcl_status copy_offsets(const spc_npz_builder *b) {
    const spc_npy *array = &b->file->arrays[SPC_NPZ_INDPTR];
    const int64_t nnz = b->file->arrays[SPC_NPZ_INDICES].count;
    SPC_TRY(spc_npz_check_offsets(b, nnz));
    for (int64_t i = 0; i < array->count; i++) {
        const int64_t offset = spc_npz_integer(b, SPC_NPZ_INDPTR, i);
        SPC_TRY(spc_array_add(&b->data->offsets, &offset, sizeof offset, &b->data->allocator,
                              b->error));
    }
    b->data->info.nnz = nnz;
    return SPARCL_OK;
}

static sparcl_status check_indices(const spc_npz_builder *b) {
    const spc_npy *array = &b->file->arrays[SPC_NPZ_INDICES];
    sparcl_data_info *info = &b->data->info;
    info->min_index = info->max_index =
        array->count > 0 ? spc_npz_integer(b, SPC_NPZ_INDICES, 0) : -1;
    for (int64_t k = 0; k < array->count; k++) {
        const int64_t index = spc_npz_integer(b, SPC_NPZ_INDICES, k);
        if (index < 0 || index >= info->columns)
            return spc_npz_refuse(b, SPC_NPZ_INDICES, k,
                                  "expected an index below the %" PRId64
                                  " columns of the shape, found %" PRId64 "; save the matrix again",
                                  info->columns, index);
        info->min_index = spc_min_i64(info->min_index, index);
        info->max_index = spc_max_i64(info->max_index, index);
    }
    info->columns = spc_max_i64(info->columns, b->desc->columns);
    return SPARCL_OK;
}

static void move_array(spc_array *to, spc_array *from) {
    *to = *from;
    *from = (spc_array){0};
}

static sparcl_status convert_indices(const spc_npz_builder *b) {
    sparcl_data *data = b->data;
    spc_npy *array = &b->file->arrays[SPC_NPZ_INDICES];
    data->index_type = data->info.columns > INT32_MAX ? SPARCL_INDEX64 : SPARCL_INDEX32;
    const size_t size = sparcl_itype_size(data->index_type);
    if (LITTLE_ENDIAN_HOST && array->size == size) {
        move_array(&data->indices, &array->bytes);
        return SPARCL_OK;
    }
    /* At most twice the memory of the file's array. */
    const size_t bytes = (size_t)array->count * size;
    SPC_TRY(spc_array_reserve(&data->indices, bytes, &data->allocator, b->error));
    data->indices.used = bytes;
    for (int64_t k = 0; k < array->count; k++)
        spc_data_set_index(data, k, spc_npz_integer(b, SPC_NPZ_INDICES, k));
    spc_array_free(&array->bytes, &data->allocator);
    return SPARCL_OK;
}

static sparcl_status convert_values(const spc_npz_builder *b) {
    sparcl_data *data = b->data;
    spc_npy *array = &b->file->arrays[SPC_NPZ_DATA];
    if (LITTLE_ENDIAN_HOST && array->kind == 'f' && array->size == sizeof(float)) {
        move_array(&data->values, &array->bytes);
        return SPARCL_OK;
    }
    for (int64_t k = 0; k < array->count; k++) {
        float value = 0;
        SPC_TRY(spc_npz_value(b, k, &value));
        SPC_TRY(spc_array_add(&data->values, &value, sizeof value, &data->allocator, b->error));
    }
    spc_array_free(&array->bytes, &data->allocator);
    return SPARCL_OK;
}

static sparcl_status refuse_disorder(const spc_npz_builder *b) {
    spc_disorder first;
    SPC_TRY(spc_rows_order(b->data, &first, b->error));
    if (first.entry < 0) return SPARCL_OK;
    return spc_npz_refuse(b, SPC_NPZ_INDICES, first.entry,
                          "expected an index above %" PRId64 " in row %" PRId64 ", found %" PRId64
                          "; call matrix.sum_duplicates() and save it again",
                          spc_data_index(b->data, first.entry - 1), first.row,
                          spc_data_index(b->data, first.entry));
}

sparcl_status spc_npz_read_csr(const spc_npz_builder *b) {
    SPC_TRY(check_lengths(b));
    SPC_TRY(copy_offsets(b));
    SPC_TRY(check_indices(b));
    SPC_TRY(convert_indices(b));
    SPC_TRY(convert_values(b));
    spc_note_not_finite(b->data);
    return b->desc->strict ? refuse_disorder(b) : spc_rows_order(b->data, NULL, b->error);
}
