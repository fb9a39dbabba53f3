/* npz.c: reads a SciPy .npz file into a data set; every array is checked against the others before
 * use. */
#include "data/npz.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/text.h"
#include "data/npzfile.h"
#include "data/repair.h"

typedef struct builder {
    sparcl_data *data;
    spc_npz_file *file;
    const char *name;
    const sparcl_data_desc *desc;
    sparcl_error *error;
} builder;

enum { NO_ELEMENT = -1 }; /* the message is about the member, not about an element */

static sparcl_status refuse(const builder *b, spc_npz_member member, int64_t element,
                            const char *format, ...) SPC_PRINTF(4, 5);

/* "file:member[element]: why" */
static sparcl_status refuse(const builder *b, spc_npz_member member, int64_t element,
                            const char *format, ...) {
    char at[32] = "", why[512];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    if (element >= 0) snprintf(at, sizeof at, "[%" PRId64 "]", element);
    return spc_fail(b->error, SPARCL_E_FORMAT, "%s:%s%s: %s", b->name, spc_npz_member_name(member),
                    at, why);
}

static sparcl_status require_members(const builder *b) {
    for (int i = 0; i < SPC_NPZ_MEMBERS; i++)
        if (!b->file->present[i])
            return refuse(b, (spc_npz_member)i, NO_ELEMENT,
                          "expected the members that scipy.sparse.save_npz writes, found no %s; "
                          "save the matrix with scipy.sparse.save_npz(file, matrix.tocsr())",
                          spc_npz_member_name((spc_npz_member)i));
    return SPARCL_OK;
}

/* The name of the format: bytes, or text in old files. It is shown in messages, so it must be
 * printable. */
static void format_of(const spc_npy *array, char *text, size_t capacity) {
    const size_t step = array->kind == 'U' ? 4 : 1;
    spc_text shown = spc_text_in(text, capacity);
    const char *at = array->bytes.at;
    for (size_t i = 0; i < array->bytes.used && at[i] != '\0'; i += step)
        spc_text_add_shown(&shown, at + i, 1);
}

static sparcl_status check_format(const builder *b) {
    const spc_npy *array = &b->file->arrays[SPC_NPZ_FORMAT];
    char format[16] = "";
    if (!b->file->present[SPC_NPZ_FORMAT]) return require_members(b);
    if ((array->kind != 'S' && array->kind != 'U') || array->big_endian || array->count != 1)
        return refuse(b, SPC_NPZ_FORMAT, NO_ELEMENT,
                      "expected one text, the name of a format, found another array; "
                      "save the matrix with scipy.sparse.save_npz");
    format_of(array, format, sizeof format);
    if (strcmp(format, "csr") != 0)
        return refuse(b, SPC_NPZ_FORMAT, NO_ELEMENT,
                      "expected a csr matrix, found \"%s\"; "
                      "save it again with scipy.sparse.save_npz(file, matrix.tocsr())",
                      format);
    return require_members(b);
}

/* Check for one-dimensional, little-endian numbers. */
static sparcl_status check_type(const builder *b, spc_npz_member member, bool is_integer) {
    const spc_npy *array = &b->file->arrays[member];
    if (!spc_npy_is_number(array))
        return refuse(b, member, NO_ELEMENT, "expected numbers, found text; save the matrix again");
    if (array->big_endian)
        return refuse(b, member, NO_ELEMENT,
                      "expected little-endian numbers, found big-endian ones; convert them with "
                      ".astype(a.dtype.newbyteorder('<')) and save the matrix again");
    if (array->rank != 1)
        return refuse(b, member, NO_ELEMENT,
                      "expected one dimension, found %d; save the matrix again", array->rank);
    if (is_integer && (array->kind != 'i' || array->size < 4))
        return refuse(b, member, NO_ELEMENT,
                      "expected int32 or int64 numbers, found %zu-byte ones of kind '%c'; "
                      "save the matrix again",
                      array->size, array->kind);
    return SPARCL_OK;
}

static int64_t integer_at(const spc_npy *array, int64_t k) {
    int64_t value = 0;
    (void)spc_npy_i64(array, k, &value); /* int32 and int64 always fit */
    return value;
}

static sparcl_status check_shape(const builder *b) {
    const spc_npy *array = &b->file->arrays[SPC_NPZ_SHAPE];
    SPC_TRY(check_type(b, SPC_NPZ_SHAPE, true));
    if (array->count != 2)
        return refuse(b, SPC_NPZ_SHAPE, NO_ELEMENT,
                      "expected rows and columns, found %" PRId64 " numbers; save a matrix",
                      array->count);
    sparcl_data_info *info = &b->data->info;
    info->rows = integer_at(array, 0);
    info->columns = integer_at(array, 1);
    if (info->rows < 0 || info->columns < 0)
        return refuse(b, SPC_NPZ_SHAPE, NO_ELEMENT,
                      "expected lengths of at least 0, found %" PRId64 " x %" PRId64
                      "; save the matrix again",
                      info->rows, info->columns);
    return SPARCL_OK;
}

/* The declared shape is used only after arrays of that length were read. */
static sparcl_status check_lengths(const builder *b) {
    const spc_npy *arrays = b->file->arrays;
    const int64_t rows = b->data->info.rows, nnz = arrays[SPC_NPZ_INDICES].count;
    SPC_TRY(check_type(b, SPC_NPZ_INDPTR, true));
    SPC_TRY(check_type(b, SPC_NPZ_INDICES, true));
    SPC_TRY(check_type(b, SPC_NPZ_DATA, false));
    if (arrays[SPC_NPZ_INDPTR].count - 1 != rows)
        return refuse(b, SPC_NPZ_INDPTR, NO_ELEMENT,
                      "expected one offset more than the %" PRId64
                      " rows of the shape, found %" PRId64 "; save the matrix again",
                      rows, arrays[SPC_NPZ_INDPTR].count);
    if (arrays[SPC_NPZ_DATA].count != nnz)
        return refuse(b, SPC_NPZ_DATA, NO_ELEMENT,
                      "expected as many values as indices, %" PRId64 ", found %" PRId64
                      "; save the matrix again",
                      nnz, arrays[SPC_NPZ_DATA].count);
    return SPARCL_OK;
}

static sparcl_status copy_offsets(const builder *b) {
    const spc_npy *array = &b->file->arrays[SPC_NPZ_INDPTR];
    const int64_t nnz = b->file->arrays[SPC_NPZ_INDICES].count;
    int64_t before = 0;
    for (int64_t i = 0; i < array->count; i++) {
        const int64_t offset = integer_at(array, i);
        const bool last = i == array->count - 1;
        if (i == 0 && offset != 0)
            return refuse(b, SPC_NPZ_INDPTR, i,
                          "expected 0, found %" PRId64 "; save the matrix again", offset);
        if (offset < before || offset > nnz || (last && offset != nnz))
            return refuse(b, SPC_NPZ_INDPTR, i,
                          "expected an offset from %" PRId64 " to %" PRId64 ", found %" PRId64
                          "; call matrix.prune() and save it again",
                          last ? nnz : before, nnz, offset);
        before = offset;
        SPC_TRY(spc_array_add(&b->data->offsets, &offset, sizeof offset, &b->data->allocator,
                              b->error));
    }
    b->data->info.nnz = nnz;
    b->data->info.entries = nnz;
    return SPARCL_OK;
}

/* A file must not have more columns than expected, unless desc->widen is set. */
static sparcl_status check_width(const builder *b) {
    const int64_t expected = b->desc->columns, declared = b->data->info.columns;
    if (expected > 0 && declared > expected && !b->desc->widen)
        return refuse(b, SPC_NPZ_SHAPE, 1,
                      "expected at most %" PRId64 " columns, found %" PRId64 "; %" PRId64
                      " columns were requested",
                      expected, declared, expected);
    return SPARCL_OK;
}

static int64_t index_at(const sparcl_data *data, int64_t k) {
    if (data->index_type == SPARCL_I32) return ((const int32_t *)data->indices.at)[k];
    return ((const int64_t *)data->indices.at)[k];
}

static void set_index(sparcl_data *data, int64_t k, int64_t index) {
    if (data->index_type == SPARCL_I32)
        ((int32_t *)data->indices.at)[k] = (int32_t)index;
    else
        ((int64_t *)data->indices.at)[k] = index;
}

static sparcl_status check_indices(const builder *b) {
    const spc_npy *array = &b->file->arrays[SPC_NPZ_INDICES];
    sparcl_data_info *info = &b->data->info;
    info->min_index = info->max_index = array->count > 0 ? integer_at(array, 0) : -1;
    for (int64_t k = 0; k < array->count; k++) {
        const int64_t index = integer_at(array, k);
        if (index < 0 || index >= info->columns)
            return refuse(b, SPC_NPZ_INDICES, k,
                          "expected an index below the %" PRId64
                          " columns of the shape, found %" PRId64 "; save the matrix again",
                          info->columns, index);
        info->min_index = spc_min_i64(info->min_index, index);
        info->max_index = spc_max_i64(info->max_index, index);
    }
    info->columns = spc_max_i64(info->columns, b->desc->columns);
    return SPARCL_OK;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { LITTLE_ENDIAN_HOST = 1 };
#else
enum { LITTLE_ENDIAN_HOST = 0 };
#endif

/* An array that already has the right type is moved instead of copied. */
static void move_array(spc_array *to, spc_array *from) {
    *to = *from;
    *from = (spc_array){0};
}

static sparcl_status convert_indices(const builder *b) {
    sparcl_data *data = b->data;
    spc_npy *array = &b->file->arrays[SPC_NPZ_INDICES];
    data->index_type = data->info.columns > INT32_MAX ? SPARCL_I64 : SPARCL_I32;
    const size_t size = data->index_type == SPARCL_I64 ? sizeof(int64_t) : sizeof(int32_t);
    if (LITTLE_ENDIAN_HOST && array->size == size) {
        move_array(&data->indices, &array->bytes);
        return SPARCL_OK;
    }
    /* At most twice the memory of the file's array. */
    const size_t bytes = (size_t)array->count * size;
    SPC_TRY(spc_array_reserve(&data->indices, bytes, &data->allocator, b->error));
    data->indices.used = bytes;
    for (int64_t k = 0; k < array->count; k++)
        set_index(data, k, integer_at(array, k));
    spc_array_free(&array->bytes, &data->allocator);
    return SPARCL_OK;
}

static sparcl_status convert_values(const builder *b) {
    sparcl_data *data = b->data;
    spc_npy *array = &b->file->arrays[SPC_NPZ_DATA];
    data->info.float64_source = array->kind == 'f' && array->size == 8;
    if (LITTLE_ENDIAN_HOST && array->kind == 'f' && array->size == sizeof(float)) {
        move_array(&data->values, &array->bytes);
        return SPARCL_OK;
    }
    for (int64_t k = 0; k < array->count; k++) {
        float value = 0;
        const spc_npy_result result = spc_npy_f32(array, k, &value);
        if (result == SPC_NPY_RANGE)
            return refuse(b, SPC_NPZ_DATA, k,
                          "expected a number in the range of a 32-bit float, up to 3.4e38, found a "
                          "larger one; scale the feature");
        if (result == SPC_NPY_BAD)
            return refuse(b, SPC_NPZ_DATA, k,
                          "expected 0 or 1 as a bool, found another byte; save the matrix again");
        data->info.narrowed_values += result == SPC_NPY_ROUNDED;
        SPC_TRY(spc_array_add(&data->values, &value, sizeof value, &data->allocator, b->error));
    }
    spc_array_free(&array->bytes, &data->allocator);
    return SPARCL_OK;
}

static void note_not_finite(sparcl_data *data) {
    const float *const values = data->values.at;
    int64_t k = 0;
    while (k < data->info.nnz && isfinite(values[k]))
        k++;
    data->bad_column = k;
}

/* Memory to repair the longest row. */
typedef struct workspace {
    spc_array indices, sorting;
} workspace;

/* Repair the row at [from, to) and move it to `into`; *kept becomes its new length. */
static sparcl_status repair_row(const builder *b, workspace *space, int64_t from, int64_t to,
                                int64_t into, int64_t *kept) {
    sparcl_data *data = b->data;
    float *const values = data->values.at;
    const size_t count = (size_t)(to - from);
    SPC_TRY(
        spc_array_reserve(&space->indices, count * sizeof(int64_t), &data->allocator, b->error));
    SPC_TRY(spc_array_reserve(&space->sorting, 2 * count * sizeof(spc_entry), &data->allocator,
                              b->error));
    int64_t *const indices = space->indices.at;
    for (int64_t k = from; k < to; k++)
        indices[k - from] = index_at(data, k);
    *kept = spc_repair_row(indices, values + from, to - from, space->sorting.at);
    for (int64_t k = 0; k < *kept; k++)
        set_index(data, into + k, indices[k]);
    for (int64_t k = from; k < from + *kept; k++) /* a sum may have overflowed */
        if (!isfinite(values[k])) data->bad_column = spc_min_i64(data->bad_column, from);
    memmove(values + into, values + from, (size_t)*kept * sizeof *values);
    return SPARCL_OK;
}

/* True if the row is strictly ascending; otherwise *at becomes its first entry that is not. */
static bool in_order(const sparcl_data *data, int64_t from, int64_t to, bool *unsorted,
                     int64_t *at) {
    bool fine = true;
    *unsorted = false;
    for (int64_t k = from + 1; k < to; k++) {
        const int64_t before = index_at(data, k - 1), index = index_at(data, k);
        if (index > before) continue;
        if (fine) *at = k;
        fine = false;
        *unsorted |= index < before;
    }
    return fine;
}

static void move_row(sparcl_data *data, int64_t from, int64_t to, int64_t into) {
    float *const values = data->values.at;
    if (into == from) return;
    for (int64_t k = from; k < to; k++)
        set_index(data, into + k - from, index_at(data, k));
    memmove(values + into, values + from, (size_t)(to - from) * sizeof *values);
}

static sparcl_status repair_rows(const builder *b, workspace *space) {
    sparcl_data *data = b->data;
    int64_t *const offsets = data->offsets.at;
    int64_t from = 0, into = 0;
    for (int64_t row = 0; row < data->info.rows; row++) {
        const int64_t to = offsets[row + 1];
        int64_t at = 0, kept = to - from;
        bool unsorted = false;
        if (in_order(data, from, to, &unsorted, &at)) {
            move_row(data, from, to, into);
        } else if (b->desc->strict) {
            return refuse(b, SPC_NPZ_INDICES, at,
                          "expected an index above %" PRId64 " in row %" PRId64 ", found %" PRId64
                          "; call matrix.sum_duplicates() and save it again",
                          index_at(data, at - 1), row, index_at(data, at));
        } else {
            SPC_TRY(repair_row(b, space, from, to, into, &kept));
            data->info.unsorted_rows += unsorted;
        }
        into += kept;
        from = to;
        offsets[row + 1] = into;
    }
    data->info.entries = into;
    data->info.duplicates = data->info.nnz - into;
    data->values.used = (size_t)into * sizeof(float);
    data->indices.used =
        (size_t)into * (data->index_type == SPARCL_I32 ? sizeof(int32_t) : sizeof(int64_t));
    return SPARCL_OK;
}

static sparcl_status build(const builder *b) {
    SPC_TRY(check_format(b));
    SPC_TRY(check_shape(b));
    SPC_TRY(check_lengths(b));
    SPC_TRY(check_width(b));
    SPC_TRY(copy_offsets(b));
    SPC_TRY(check_indices(b));
    SPC_TRY(convert_indices(b));
    SPC_TRY(convert_values(b));
    note_not_finite(b->data);
    workspace space = {{0}, {0}};
    const sparcl_status status = repair_rows(b, &space);
    spc_array_free(&space.indices, &b->data->allocator);
    spc_array_free(&space.sorting, &b->data->allocator);
    return status;
}

sparcl_status spc_npz_read(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                           sparcl_error *error) {
    spc_npz_file file;
    const builder b = {
        .data = data, .file = &file, .name = input->raw.name, .desc = desc, .error = error};
    data->info.format = "npz";
    sparcl_status status = SPARCL_OK;
    if (desc->index_base == SPARCL_BASE_1)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: expected indices from 1, as requested, found a .npz file, whose "
                        "indices count from 0; read it without an index base",
                        input->raw.name);
    SPC_GO(spc_npz_file_read(&file, input, error));
    SPC_GO(build(&b));
done:
    spc_npz_file_free(&file, &data->allocator);
    return status;
}
