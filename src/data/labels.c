/* labels.c: reads one label per row from an array in another file. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/dense.h"
#include "data/member_path.h"
#include "data/npz.h"
#include "data/npzfile.h"

static sparcl_status check_labels(const spc_npy *array, int64_t rows, const char *name,
                                  sparcl_error *error) {
    if (!spc_npy_is_number(array))
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: expected labels as numbers, found text; number the classes and save "
                        "them again",
                        name);
    if (array->rank != 1 && (array->rank != 2 || array->shape[1] != 1))
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: expected one label per row, shape (%" PRId64
                        ",), found %d dimensions; "
                        "save one column of it",
                        name, rows, array->rank);
    if (array->count != rows)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: expected %" PRId64 " labels, one per row of the data, found %" PRId64
                        "; use the labels of this data file",
                        name, rows, array->count);
    return SPARCL_OK;
}

static sparcl_status add_labels(sparcl_data *data, const spc_npy *array, const char *name,
                                sparcl_error *error) {
    for (int64_t k = 0; k < array->count; k++) {
        double label = 0;
        const spc_npy_result result = spc_npy_f64(array, k, &label);
        if (result != SPC_NPY_EXACT || !isfinite(label))
            return spc_fail(error, SPARCL_E_FORMAT,
                            "%s[%" PRId64
                            "]: expected a finite label that a 64-bit float represents exactly, "
                            "found another; fix or remove the row",
                            name, k);
        SPC_TRY(spc_array_add(&data->labels, &label, sizeof label, &data->allocator, error));
    }
    data->info.label_count = array->count;
    data->info.has_labels = 1;
    return SPARCL_OK;
}

static sparcl_status read_labels(sparcl_data *data, spc_input *input, sparcl_error *error) {
    spc_npy array = {.kind = 0};
    char name[SPC_NAME_CAPACITY + SPC_MEMBER_CAPACITY];
    spc_text text = spc_text_in(name, sizeof name);
    spc_text_add(&text, "%s%s%s", input->raw.name, input->member ? ":" : "",
                 input->member ? input->member : "");
    sparcl_status status = spc_array_read(&array, input, error);
    if (status == SPARCL_OK) status = check_labels(&array, data->info.rows, name, error);
    if (status == SPARCL_OK) status = add_labels(data, &array, name, error);
    spc_array_free(&array.bytes, &data->allocator);
    return status;
}

sparcl_status spc_labels_read(sparcl_data *data, const char *path, sparcl_error *error) {
    spc_input input;
    char *file = NULL;
    const char *member = NULL;
    SPC_TRY(spc_split_member(path, &data->allocator, &file, &member, error));
    sparcl_status status = spc_input_open(&input, file, &data->allocator, error);
    memcpy(data->labels_name, input.raw.name, sizeof data->labels_name);
    input.member = member;
    if (status == SPARCL_OK) status = read_labels(data, &input, error);
    spc_input_close(&input);
    spc_strfree(&data->allocator, file);
    return status;
}
