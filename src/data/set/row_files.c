/* row_files.c: reads one label or one weight per row from an array in another file. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/formats/dense.h"
#include "data/formats/npz/npz.h"
#include "data/formats/npz/npz_file.h"
#include "data/io/member_path.h"

/* What a file has for each row. */
typedef struct row_numbers {
    const char *one, *many; /* in words */
    sparcl_status (*add)(sparcl_data *data, double number, bool is_exact, const char *name,
                         int64_t row, sparcl_error *error);
} row_numbers;

typedef struct expected {
    const row_numbers *what;
    int64_t rows;
} expected;

static sparcl_status check_array(void *user, const spc_npy *array, bool *skip,
                                 sparcl_error *error) {
    const expected *const e = user;
    (void)skip;
    if (!spc_npy_is_number(array))
        return spc_fail(error, SPARCL_E_FORMAT,
                        "expected %s as numbers, found text; save them again as numbers, classes "
                        "by their number",
                        e->what->many);
    if (array->rank != 1 && (array->rank != 2 || array->shape[1] != 1))
        return spc_fail(error, SPARCL_E_FORMAT,
                        "expected one %s per row, shape (%" PRId64 ",), found %d dimensions; "
                        "save one column of it",
                        e->what->one, e->rows, array->rank);
    if (array->count != e->rows)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "expected %" PRId64 " %s, one per row of the data, found %" PRId64
                        "; use the %s of this data file",
                        e->rows, e->what->many, array->count, e->what->many);
    return SPARCL_OK;
}

static sparcl_status add_numbers(sparcl_data *data, const row_numbers *what, const spc_npy *array,
                                 const char *name, sparcl_error *error) {
    for (int64_t k = 0; k < array->count; k++) {
        double number = 0;
        const bool is_exact = spc_npy_f64(array, k, &number) == SPC_NPY_EXACT;
        SPC_TRY(what->add(data, number, is_exact, name, k, error));
    }
    return SPARCL_OK;
}

static sparcl_status read_numbers(sparcl_data *data, const row_numbers *what, spc_input *input,
                                  sparcl_error *error) {
    spc_npy array = {.kind = 0};
    char name[SPC_NAME_CAPACITY + SPC_MEMBER_CAPACITY];
    spc_text text = spc_text_in(name, sizeof name);
    spc_text_add(&text, "%s%s%s", input->raw.name, input->member ? ":" : "",
                 input->member ? input->member : "");
    expected e = {what, data->info.rows};
    const spc_npy_accept accept = {check_array, &e};
    sparcl_status status = spc_one_array_read(&array, input, &accept, error);
    if (status == SPARCL_OK) status = add_numbers(data, what, &array, name, error);
    spc_array_free(&array.bytes, &data->allocator);
    return status;
}

static sparcl_status read_file(sparcl_data *data, const row_numbers *what, const char *path,
                               char opened[SPC_NAME_CAPACITY], sparcl_error *error) {
    spc_input input;
    char *file = NULL;
    const char *member = NULL;
    SPC_TRY(spc_split_member(path, &data->allocator, &file, &member, error));
    sparcl_status status = spc_input_open(&input, file, &data->allocator, error);
    memcpy(opened, input.raw.name, SPC_NAME_CAPACITY);
    input.member = member;
    if (status == SPARCL_OK) status = read_numbers(data, what, &input, error);
    spc_input_close(&input);
    spc_strfree(&data->allocator, file);
    return status;
}

/* --- labels ----------------------------------------------------------------------------------- */

static sparcl_status add_label(sparcl_data *data, double label, bool is_exact, const char *name,
                               int64_t row, sparcl_error *error) {
    if (is_exact && isfinite(label))
        return spc_array_add(&data->labels, &label, sizeof label, &data->allocator, error);
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s[%" PRId64
                    "]: expected a finite label that a 64-bit float represents exactly, "
                    "found another; fix or remove the row",
                    name, row);
}

sparcl_status spc_labels_read(sparcl_data *data, const char *path, sparcl_error *error) {
    static const row_numbers labels = {"label", "labels", add_label};
    SPC_TRY(read_file(data, &labels, path, data->labels_name, error));
    data->info.label_count = data->info.rows;
    data->info.has_labels = 1;
    return SPARCL_OK;
}

/* --- weights ---------------------------------------------------------------------------------- */

static sparcl_status add_weight(sparcl_data *data, double weight, bool is_exact, const char *name,
                                int64_t row, sparcl_error *error) {
    const float rounded = (float)weight;
    data->info.narrowed_values += !is_exact || (double)rounded != weight;
    if (rounded >= 0 && isfinite(rounded))
        return spc_array_add(&data->weights, &rounded, sizeof rounded, &data->allocator, error);
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s[%" PRId64 "]: expected a finite weight from 0, found %g; fix it", name, row,
                    weight);
}

sparcl_status spc_weights_read(sparcl_data *data, const char *path, sparcl_error *error) {
    static const row_numbers weights = {"weight", "weights", add_weight};
    char name[SPC_NAME_CAPACITY];
    return read_file(data, &weights, path, name, error);
}
