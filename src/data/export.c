/* export.c: writes a data set as LIBSVM, libFFM or Matrix Market text. */
#include "data/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/file.h"

typedef struct writer {
    const sparcl_data *data;
    spc_array text;
    sparcl_error *error;
} writer;

static sparcl_status add(writer *w, const char *bytes, int length) {
    return spc_array_add(&w->text, bytes, (size_t)length, &w->data->allocator, w->error);
}

static sparcl_status add_integer(writer *w, const char *before, int64_t number, const char *after) {
    char text[48];
    return add(w, text, snprintf(text, sizeof text, "%s%" PRId64 "%s", before, number, after));
}

static sparcl_status add_value(writer *w, float value) {
    char text[SPC_DECIMAL_BYTES];
    if (isnan(value)) return add(w, "nan", 3);
    if (isinf(value)) return value < 0 ? add(w, "-inf", 4) : add(w, "inf", 3);
    return add(w, text, spc_decimal_print_f32(text, value));
}

/* The labels of a row, separated by commas; 0 where the data has none. */
static sparcl_status add_labels(writer *w, int64_t row) {
    const double *const labels = sparcl_data_labels(w->data);
    const int64_t *const ends = sparcl_data_label_offsets(w->data);
    char text[SPC_DECIMAL_BYTES];
    if (!labels && !ends) return add(w, "0", 1);
    const int64_t first = ends ? ends[row] : row, last = ends ? ends[row + 1] : row + 1;
    for (int64_t k = first; k < last; k++) {
        if (k > first) SPC_TRY(add(w, ",", 1));
        SPC_TRY(add(w, text, spc_decimal_print(text, labels[k])));
    }
    return SPARCL_OK;
}

static sparcl_status add_pairs(writer *w, int64_t row, int64_t base) {
    const int64_t *const offsets = sparcl_data_offsets(w->data);
    const int32_t *const fields = sparcl_data_fields(w->data);
    for (int64_t k = offsets[row]; k < offsets[row + 1]; k++) {
        SPC_TRY(add(w, " ", 1));
        if (fields) SPC_TRY(add_integer(w, "", fields[k], ":"));
        SPC_TRY(add_integer(w, "", spc_data_index(w->data, k) + base, ":"));
        SPC_TRY(add_value(w, sparcl_data_values(w->data)[k]));
    }
    return SPARCL_OK;
}

sparcl_status spc_export_entries(const sparcl_data *data, int64_t row, int64_t base,
                                 spc_array *text, sparcl_error *error) {
    writer w = {.data = data, .text = *text, .error = error};
    const sparcl_status status = add_pairs(&w, row, base);
    *text = w.text;
    return status;
}

/* Indices are written from 1: a file without an index 0 is read so. */
static sparcl_status add_row(writer *w, int64_t row) {
    SPC_TRY(add_labels(w, row));
    SPC_TRY(add_pairs(w, row, 1));
    return add(w, "\n", 1);
}

/* "row column value", from 1. */
static sparcl_status add_entries(writer *w, int64_t row) {
    const int64_t *const offsets = sparcl_data_offsets(w->data);
    for (int64_t k = offsets[row]; k < offsets[row + 1]; k++) {
        SPC_TRY(add_integer(w, "", row + 1, " "));
        SPC_TRY(add_integer(w, "", spc_data_index(w->data, k) + 1, " "));
        SPC_TRY(add_value(w, sparcl_data_values(w->data)[k]));
        SPC_TRY(add(w, "\n", 1));
    }
    return SPARCL_OK;
}

static sparcl_status add_banner(writer *w) {
    const sparcl_data_info *const info = &w->data->info;
    char text[160];
    const int length = snprintf(text, sizeof text,
                                "%%%%MatrixMarket matrix coordinate real general\n%" PRId64
                                " %" PRId64 " %" PRId64 "\n",
                                info->rows, info->columns, info->entries);
    return add(w, text, length);
}

static sparcl_status refuse(const char *format, const char *what, const char *remedy,
                            sparcl_error *error) {
    return spc_fail(error, SPARCL_E_ARG, "export: %s has no %s, which the data has; %s", format,
                    what, remedy);
}

static sparcl_status check(const sparcl_data *data, sparcl_data_format format,
                           sparcl_error *error) {
    const char *const name = sparcl_data_format_name(format);
    const bool libffm = format == SPARCL_DATA_LIBFFM;
    const bool matrix = format == SPARCL_DATA_MTX || format == SPARCL_DATA_NPZ;
    if (format != SPARCL_DATA_SVMLIGHT && !libffm && !matrix)
        return spc_fail(error, SPARCL_E_ARG,
                        "export: the format is %s, expected svmlight, libffm, mtx or npz", name);
    if (libffm && !data->fields.used && data->info.entries > 0)
        return spc_fail(error, SPARCL_E_ARG,
                        "export: the data has no fields, expected them for libffm; use svmlight");
    if (!libffm && data->fields.used) return refuse(name, "fields", "use libffm", error);
    if (data->weights.used) return refuse(name, "weights", "use the binary form", error);
    if (matrix && data->label_offsets.used)
        return refuse(name, "rows with several labels", "use svmlight or the binary form", error);
    return SPARCL_OK;
}

sparcl_status sparcl_data_export(const sparcl_data *data, const char *path,
                                 sparcl_data_format format, sparcl_error *error) {
    if (!data || !path) return spc_fail(error, SPARCL_E_ARG, "export: data or path is NULL");
    SPC_TRY(check(data, format, error));
    if (format == SPARCL_DATA_NPZ) return spc_export_npz(data, path, error);
    const bool mtx = format == SPARCL_DATA_MTX;
    writer w = {.data = data, .error = error};
    sparcl_status status = SPARCL_OK;
    if (mtx) SPC_GO(add_banner(&w));
    for (int64_t row = 0; row < data->info.rows; row++)
        SPC_GO(mtx ? add_entries(&w, row) : add_row(&w, row));
    const spc_bytes part = {w.text.at, w.text.used};
    status = spc_file_write(path, &part, 1, error);
done:
    spc_array_free(&w.text, &data->allocator);
    return status;
}
