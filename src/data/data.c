/* data.c: the public functions: detect the format of a file, read it, return its properties and
 * arrays. */
#include "sparcl/data.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/dataset.h"
#include "data/input.h"
#include "data/npz.h"
#include "data/summary.h"
#include "data/svmlight.h"

static sparcl_status check_desc(const char *path, const sparcl_data_desc *desc,
                                sparcl_error *error) {
    if (!path) return spc_fail(error, SPARCL_E_ARG, "data: path is NULL, expected a file");
    if (desc->columns < 0)
        return spc_fail(error, SPARCL_E_ARG, "data: columns is negative, expected at least 0");
    if (desc->threads < 0)
        return spc_fail(error, SPARCL_E_ARG, "data: threads is negative, expected at least 0");
    if (desc->index_base != SPARCL_BASE_AUTO && desc->index_base != SPARCL_BASE_0 &&
        desc->index_base != SPARCL_BASE_1)
        return spc_fail(error, SPARCL_E_ARG,
                        "data: index_base is unknown, expected a sparcl_index_base");
    if (desc->reserved[0] != 0 || desc->reserved[1] != 0)
        return spc_fail(error, SPARCL_E_ARG, "data: reserved is not zero");
    return SPARCL_OK;
}

static sparcl_status read_text(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                               sparcl_error *error) {
    if (desc->labels)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: expected a .npz file for the labels %s, found LIBSVM text, which "
                        "contains its own labels; read it without a file of labels",
                        input->raw.name, desc->labels);
    return spc_svmlight_read(data, input, desc, error);
}

static sparcl_status read_archive(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                                  sparcl_error *error) {
    SPC_TRY(spc_npz_read(data, input, desc, error));
    return desc->labels ? spc_labels_read(data, desc->labels, error) : SPARCL_OK;
}

typedef enum content { TEXT, ARCHIVE, ARRAY } content;

/* Detect the format by the first bytes after decompression, never by the name. */
static sparcl_status find_content(spc_input *input, content *found, sparcl_error *error) {
    static const struct {
        const char *magic;
        size_t size;
        content content;
    } known[] = {{"PK\3\4", 4, ARCHIVE}, {"PK\5\6", 4, ARCHIVE}, {"\x93NUMPY", 6, ARRAY}};
    sparcl_error why = {.status = SPARCL_OK};
    *found = TEXT;
    for (size_t i = 0; i < SPC_COUNT(known); i++) {
        bool begins = false;
        const sparcl_status status =
            spc_input_begins(input, known[i].magic, known[i].size, &begins, &why);
        if (status == SPARCL_E_FORMAT)
            return spc_fail(error, status, "%s:1:1: %s", input->raw.name, why.message);
        if (status != SPARCL_OK) return spc_fail(error, status, "%s", why.message);
        if (begins) *found = known[i].content;
    }
    return SPARCL_OK;
}

static sparcl_status read_content(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                                  sparcl_error *error) {
    content found = TEXT;
    SPC_TRY(find_content(input, &found, error));
    if (found == TEXT) return read_text(data, input, desc, error);
    if (found == ARCHIVE) return read_archive(data, input, desc, error);
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s:1:1: expected LIBSVM text or a .npz file, found a .npy array; "
                    "use it as the labels of a .npz file, or save a matrix with "
                    "scipy.sparse.save_npz",
                    input->raw.name);
}

static sparcl_status read_path(sparcl_data *data, const char *path, const sparcl_data_desc *desc,
                               sparcl_error *error) {
    spc_input input;
    sparcl_status status = spc_input_open(&input, path, &data->allocator, error);
    memcpy(data->name, input.raw.name, sizeof data->name);
    if (status == SPARCL_OK) status = read_content(data, &input, desc, error);
    spc_input_close(&input);
    return status;
}

sparcl_status sparcl_data_read(sparcl_data **data, const char *path, const sparcl_data_desc *desc,
                               sparcl_error *error) {
    static const sparcl_data_desc zero = {.labels = NULL};
    if (!data) return spc_fail(error, SPARCL_E_ARG, "data: the pointer for the result is NULL");
    *data = NULL;
    if (!desc) desc = &zero;
    SPC_TRY(check_desc(path, desc, error));
    sparcl_data *made = spc_alloc_zero(&desc->allocator, 1, sizeof *made);
    if (!made) return spc_fail_memory(error, "data", sizeof *made);
    made->allocator = desc->allocator;
    const sparcl_status status = read_path(made, path, desc, error);
    if (status != SPARCL_OK) {
        sparcl_data_free(made);
        return status;
    }
    spc_data_summarize(made);
    *data = made;
    return SPARCL_OK;
}

void sparcl_data_free(sparcl_data *data) {
    if (!data) return;
    const sparcl_allocator allocator = data->allocator;
    spc_array *const arrays[] = {&data->offsets,       &data->indices, &data->values, &data->labels,
                                 &data->label_offsets, &data->marks,   &data->rows};
    for (size_t i = 0; i < SPC_COUNT(arrays); i++)
        spc_array_free(arrays[i], &allocator);
    spc_free(&allocator, data, sizeof *data);
}

const sparcl_data_info *sparcl_data_get_info(const sparcl_data *data) {
    return &data->info;
}

const int64_t *sparcl_data_offsets(const sparcl_data *data) {
    return data->offsets.at;
}

sparcl_itype sparcl_data_index_type(const sparcl_data *data) {
    return data->index_type;
}

const void *sparcl_data_indices(const sparcl_data *data) {
    return data->indices.at;
}

const float *sparcl_data_values(const sparcl_data *data) {
    return data->values.at;
}

const double *sparcl_data_labels(const sparcl_data *data) {
    return data->info.label_count > 0 ? data->labels.at : NULL;
}

const int64_t *sparcl_data_label_offsets(const sparcl_data *data) {
    return data->label_offsets.at;
}

int64_t sparcl_data_line(const sparcl_data *data, int64_t row) {
    if (strcmp(data->info.format, "svmlight") != 0 || row < 0 || row >= data->info.rows) return 0;
    const spc_line_mark *marks = data->marks.at;
    row = spc_data_row(data, row);
    size_t low = 0,
           high = data->marks.used / sizeof *marks; /* the last mark at or before the row */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (marks[middle].row <= row)
            low = middle + 1;
        else
            high = middle;
    }
    return row + 1 + (low > 0 ? marks[low - 1].distance : 0);
}
