/* export_text.c: the text formats and arrays in which a data set is written: what each can hold,
 * and how a row is written. */
#include "data/formats/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/file.h"
#include "data/formats/mtx_head.h"
#include "data/formats/npz/npy_write.h"
#include "data/set/matrix_ids.h"

typedef struct spc_writer {
    const sparcl_data *data;
    spc_array text;
    sparcl_error *error;
    const int64_t *ids; /* of columns, to write in place of them; NULL: none */
} spc_writer;

static sparcl_status add(spc_writer *w, const char *bytes, int length) {
    return spc_array_add(&w->text, bytes, (size_t)length, &w->data->allocator, w->error);
}

static sparcl_status add_integer(spc_writer *w, const char *before, int64_t number,
                                 const char *after) {
    char text[48];
    return add(w, text, snprintf(text, sizeof text, "%s%" PRId64 "%s", before, number, after));
}

static sparcl_status add_value(spc_writer *w, float value) {
    char text[SPC_DECIMAL_BYTES];
    if (isnan(value)) return add(w, "nan", 3);
    if (isinf(value)) return value < 0 ? add(w, "-inf", 4) : add(w, "inf", 3);
    return add(w, text, spc_decimal_print_f32(text, value));
}

/* The labels of a row, separated by commas; 0 where the data has none. */
static sparcl_status add_labels(spc_writer *w, int64_t row) {
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

static sparcl_status add_pairs(spc_writer *w, int64_t row, int64_t base) {
    const int64_t *const offsets = sparcl_data_offsets(w->data);
    const int32_t *const fields = sparcl_data_fields(w->data);
    for (int64_t k = offsets[row]; k < offsets[row + 1]; k++) {
        SPC_TRY(add(w, " ", 1));
        if (fields) SPC_TRY(add_integer(w, "", fields[k], ":"));
        const int64_t column = spc_data_index(w->data, k);
        SPC_TRY(add_integer(w, "", w->ids ? w->ids[column] : column + base, ":"));
        SPC_TRY(add_value(w, sparcl_data_values(w->data)[k]));
    }
    return SPARCL_OK;
}

sparcl_status spc_export_entries(const sparcl_data *data, int64_t row, int64_t base,
                                 spc_array *text, sparcl_error *error) {
    spc_writer w = {.data = data, .text = *text, .error = error};
    if (data->info.id_count > 0) w.ids = sparcl_data_column_ids(data);
    const sparcl_status status = add_pairs(&w, row, base);
    *text = w.text;
    return status;
}

/* --- rows of labelled examples ---------------------------------------------------------------- */

/* Text counts from 1, unless its source counts from 0: a model of one reads the other. */
static int64_t base_of(const sparcl_data *data) {
    static const char *const texts[] = {"svmlight", "libffm", "indices", "sparcl"};
    for (size_t i = 0; i < SPC_COUNT(texts); i++)
        if (strcmp(data->info.format, texts[i]) == 0) return data->info.index_base;
    return 1;
}

static sparcl_status add_row(spc_writer *w, int64_t row) {
    SPC_TRY(add_labels(w, row));
    SPC_TRY(add_pairs(w, row, base_of(w->data)));
    return add(w, "\n", 1);
}

/* "label weight | index:value", from 0: names that are numbers are read as indices. */
static sparcl_status add_example(spc_writer *w, int64_t row) {
    const float *const weights = sparcl_data_weights(w->data);
    SPC_TRY(add_labels(w, row));
    SPC_TRY(add(w, " ", 1));
    if (weights) SPC_TRY(add_value(w, weights[row]));
    SPC_TRY(add(w, weights ? " |" : "|", weights ? 2 : 1));
    SPC_TRY(add_pairs(w, row, 0));
    return add(w, "\n", 1);
}

static sparcl_status add_heading(spc_writer *w) {
    SPC_TRY(add(w, "label", 5));
    for (int64_t c = 0; c < w->data->info.columns; c++)
        SPC_TRY(add_integer(w, ",x", c, ""));
    return add(w, "\n", 1);
}

/* "label,0,value,..." */
static sparcl_status add_record(spc_writer *w, int64_t row) {
    const int64_t *const offsets = sparcl_data_offsets(w->data);
    int64_t k = offsets[row];
    SPC_TRY(add_labels(w, row));
    for (int64_t c = 0; c < w->data->info.columns; c++) {
        SPC_TRY(add(w, ",", 1));
        if (k < offsets[row + 1] && spc_data_index(w->data, k) == c)
            SPC_TRY(add_value(w, sparcl_data_values(w->data)[k++]));
        else
            SPC_TRY(add(w, "0", 1));
    }
    return add(w, "\n", 1);
}

/* --- matrices and graphs ---------------------------------------------------------------------- */

/* "row column value", from 1. */
static sparcl_status add_entries(spc_writer *w, int64_t row) {
    const int64_t *const offsets = sparcl_data_offsets(w->data);
    for (int64_t k = offsets[row]; k < offsets[row + 1]; k++) {
        SPC_TRY(add_integer(w, "", row + 1, " "));
        SPC_TRY(add_integer(w, "", spc_data_index(w->data, k) + 1, " "));
        SPC_TRY(add_value(w, sparcl_data_values(w->data)[k]));
        SPC_TRY(add(w, "\n", 1));
    }
    return SPARCL_OK;
}

static sparcl_status add_banner(spc_writer *w) {
    const sparcl_data_info *const info = &w->data->info;
    char text[240], mark[SPC_MARK_BYTES];
    spc_data_mark(w->data, mark);
    const int length = snprintf(text, sizeof text,
                                "%%%%MatrixMarket matrix coordinate real general\n%s%s%s%" PRId64
                                " %" PRId64 " %" PRId64 "\n",
                                mark[0] ? SPC_MTX_MARK : "", mark, mark[0] ? "\n" : "", info->rows,
                                info->columns, info->entries);
    return add(w, text, length);
}

static sparcl_status add_npy_header(spc_writer *w) {
    char header[SPC_NPY_HEADER_BYTES];
    spc_npy_header_of_rows(header, "f4", w->data->info.rows, w->data->info.columns);
    return add(w, header, sizeof header);
}

/* All elements of a row, as float32. */
static sparcl_status add_dense_row(spc_writer *w, int64_t row) {
    const int64_t *const offsets = sparcl_data_offsets(w->data);
    const size_t bytes = (size_t)w->data->info.columns * sizeof(float);
    if (bytes == 0) return SPARCL_OK;
    SPC_TRY(spc_array_reserve(&w->text, bytes, &w->data->allocator, w->error));
    char *const into = (char *)w->text.at + w->text.used;
    memset(into, 0, bytes);
    for (int64_t k = offsets[row]; k < offsets[row + 1]; k++)
        memcpy(into + (size_t)spc_data_index(w->data, k) * sizeof(float),
               sparcl_data_values(w->data) + k, sizeof(float));
    w->text.used += bytes;
    return SPARCL_OK;
}

/* Its number where the data has no ids. */
static int64_t id_of(const int64_t *ids, int64_t number) {
    return ids ? ids[number] : number;
}

/* "node node weight" */
static sparcl_status add_edges(spc_writer *w, int64_t row) {
    const int64_t *const offsets = sparcl_data_offsets(w->data);
    const int64_t *const ids = sparcl_data_row_ids(w->data);
    for (int64_t k = offsets[row]; k < offsets[row + 1]; k++) {
        SPC_TRY(add_integer(w, "", id_of(ids, row), " "));
        SPC_TRY(add_integer(w, "", id_of(ids, spc_data_index(w->data, k)), " "));
        SPC_TRY(add_value(w, sparcl_data_values(w->data)[k]));
        SPC_TRY(add(w, "\n", 1));
    }
    return SPARCL_OK;
}

/* "user,item,rating" */
static sparcl_status add_rating(spc_writer *w, int64_t row) {
    const int64_t k = sparcl_data_offsets(w->data)[row], users = w->data->info.users;
    const int64_t user = spc_data_index(w->data, k), item = spc_data_index(w->data, k + 1) - users;
    SPC_TRY(add_integer(w, "", id_of(sparcl_data_row_ids(w->data), user), ","));
    SPC_TRY(add_integer(w, "", id_of(sparcl_data_column_ids(w->data), item), ","));
    SPC_TRY(add_labels(w, row));
    return add(w, "\n", 1);
}

/* "row column column ..."; a row without columns is not written, but the last one. */
static sparcl_status add_list(spc_writer *w, int64_t row) {
    const int64_t *const offsets = sparcl_data_offsets(w->data);
    if (offsets[row] == offsets[row + 1] && row + 1 < w->data->info.rows) return SPARCL_OK;
    SPC_TRY(add_integer(w, "", row, ""));
    for (int64_t k = offsets[row]; k < offsets[row + 1]; k++)
        SPC_TRY(add_integer(w, " ", spc_data_index(w->data, k), ""));
    return add(w, "\n", 1);
}

/* "rows, columns, entries", and the line of the offsets. */
static sparcl_status add_sizes(spc_writer *w) {
    const sparcl_data_info *const info = &w->data->info;
    SPC_TRY(add_integer(w, "", info->rows, ", "));
    SPC_TRY(add_integer(w, "", info->columns, ", "));
    SPC_TRY(add_integer(w, "", info->entries, "\n"));
    for (int64_t i = 0; i <= info->rows; i++)
        SPC_TRY(add_integer(w, i > 0 ? " " : "", sparcl_data_offsets(w->data)[i], ""));
    return add(w, "\n", 1);
}

static sparcl_status add_indices(spc_writer *w, int64_t row) {
    const int64_t *const offsets = sparcl_data_offsets(w->data);
    for (int64_t k = offsets[row]; k < offsets[row + 1]; k++)
        SPC_TRY(add_integer(w, k > 0 ? " " : "", spc_data_index(w->data, k), ""));
    return row + 1 < w->data->info.rows ? SPARCL_OK : add(w, "\n", 1);
}

/* --- what a format cannot hold ---------------------------------------------------------------- */

static bool all_ones(const sparcl_data *data) {
    for (int64_t k = 0; k < data->info.entries; k++)
        if (sparcl_data_values(data)[k] != 1) return false;
    return true;
}

static const char *needs_ones(const sparcl_data *data) {
    return all_ones(data) ? NULL : "values of 1 only; use mtx or npz";
}

static const char *needs_fields(const sparcl_data *data) {
    const bool has_fields = data->fields.used || data->info.entries == 0;
    return has_fields ? NULL : "fields; use svmlight";
}

static const char *needs_hashes(const sparcl_data *data) {
    const bool fits = data->info.columns <= (int64_t)1 << SPARCL_HASH_BITS_MAX;
    return fits ? NULL : "at most 2^31 columns; use svmlight";
}

static const char *needs_table(const sparcl_data *data) {
    enum { MOST = 1 << 30 };
    const bool fits = data->info.columns == 0 || data->info.rows <= MOST / data->info.columns;
    return fits ? NULL : "a table of at most 2^30 numbers; use svmlight";
}

static const char *needs_graph(const sparcl_data *data) {
    if (data->info.rows != data->info.columns)
        return "as many rows as columns, the nodes of a graph; use mtx or npz";
    for (int64_t k = 0; k < data->info.entries; k++)
        if (!isfinite(sparcl_data_values(data)[k])) return "finite weights; use mtx or npz";
    return NULL;
}

static const char *needs_ratings(const sparcl_data *data) {
    const int64_t *const offsets = sparcl_data_offsets(data);
    bool has_pairs = data->info.users > 0 && sparcl_data_labels(data);
    for (int64_t row = 0; row < data->info.rows; row++)
        has_pairs = has_pairs && offsets[row + 1] - offsets[row] == 2;
    return has_pairs ? NULL : "ratings, with users and items; use svmlight";
}

/* --- the formats ------------------------------------------------------------------------------ */

const spc_writing spc_svmlight_writing = {.row = add_row};
const spc_writing spc_libffm_writing = {.needs = needs_fields, .row = add_row};
const spc_writing spc_vw_writing = {.needs = needs_hashes, .row = add_example};
const spc_writing spc_csv_writing = {.needs = needs_table, .head = add_heading, .row = add_record};
const spc_writing spc_mtx_writing = {.head = add_banner, .row = add_entries};
const spc_writing spc_array_writing = {
    .needs = needs_table, .head = add_npy_header, .row = add_dense_row};
const spc_writing spc_edges_writing = {.needs = needs_graph, .row = add_edges};
const spc_writing spc_ratings_writing = {.needs = needs_ratings, .row = add_rating};
const spc_writing spc_adjacency_writing = {.needs = needs_ones, .row = add_list};
const spc_writing spc_smtx_writing = {.needs = needs_ones, .head = add_sizes, .row = add_indices};

sparcl_status spc_export_text(const sparcl_data *data, const char *path, const spc_writing *as,
                              sparcl_error *error) {
    spc_writer w = {.data = data, .error = error};
    sparcl_status status = SPARCL_OK;
    if (as->head) SPC_GO(as->head(&w));
    for (int64_t row = 0; row < data->info.rows; row++)
        SPC_GO(as->row(&w, row));
    const spc_bytes part = {w.text.at, w.text.used};
    status = spc_file_write(path, &part, 1, error);
done:
    spc_array_free(&w.text, &data->allocator);
    return status;
}
