/* csv_finish.c: numbers the words of dictionaries by their columns, and writes the description of
 * the columns. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "data/formats/csv/csv_classes.h"
#include "data/formats/csv/csv_numbers.h"
#include "data/formats/csv/csv_tfidf.h"
#include "data/set/row_order.h"

/* ---- numbers -------------------------------------------------------------------------------- */

/* to[i] is the last index of what had the index hashed + i as long as blocks were read. */
static void renumber(spc_csv *csv, int64_t hashed, int64_t *to) {
    spc_csv_column *const columns = spc_csv_columns(csv);
    int64_t next = hashed;
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++) {
        spc_csv_column *const column = &columns[i];
        const int64_t *const learnt = column->learnt.at;
        const int64_t own = spc_csv_own_width(column);
        for (int64_t k = 0; k < own; k++)
            to[(column->learns ? learnt[k] : column->first + k) - hashed] = next + k;
        column->first = next;
        next += own;
    }
}

/* After this a row is in order but for hashed words and fields that the description has in another
 * order. */
static sparcl_status renumber_entries(spc_csv *csv, sparcl_data *data) {
    const int64_t hashed = csv->bits ? (int64_t)1 << csv->bits : 0;
    const size_t bytes = (size_t)(csv->width - hashed) * sizeof(int64_t);
    const int64_t *const offsets = data->offsets.at;
    spc_array to = {0};
    SPC_TRY(spc_array_reserve(&to, bytes, csv->allocator, csv->error));
    int64_t *const numbers = to.at;
    renumber(csv, hashed, numbers);
    for (int64_t row = 0; row < data->info.rows; row++) {
        int64_t before = -1;
        bool ordered = true;
        for (int64_t k = offsets[row]; k < offsets[row + 1]; k++) {
            int64_t index = spc_data_index(data, k);
            if (index >= hashed) spc_data_set_index(data, k, index = numbers[index - hashed]);
            ordered &= index > before;
            before = index;
        }
        if (!ordered) spc_row_insertion_sort(data, offsets[row], offsets[row + 1]);
    }
    spc_array_free(&to, csv->allocator);
    return SPARCL_OK;
}

/* ---- the description ------------------------------------------------------------------------ */

static sparcl_status add(spc_csv *csv, spc_array *text, const char *bytes, size_t length) {
    return spc_array_add(text, bytes, length, csv->allocator, csv->error);
}

static bool needs_quotes(const char *field, size_t length) {
    if (length == 0 || field[0] == '#' || field[0] == '"') return true;
    for (size_t i = 0; i < length; i++)
        if (field[i] == ',' || field[i] == '\n' || field[i] == '\r' || field[i] == '"') return true;
    return field[0] == ' ' || field[0] == '\t';
}

static sparcl_status add_field(spc_csv *csv, spc_array *text, const char *field, size_t length) {
    if (!needs_quotes(field, length)) return add(csv, text, field, length);
    SPC_TRY(add(csv, text, "\"", 1));
    for (size_t i = 0; i < length; i++) {
        SPC_TRY(add(csv, text, &field[i], 1));
        if (field[i] == '"') SPC_TRY(add(csv, text, "\"", 1));
    }
    return add(csv, text, "\"", 1);
}

static sparcl_status add_double(spc_csv *csv, spc_array *text, double x) {
    char number[SPC_DECIMAL_BYTES];
    SPC_TRY(add(csv, text, ",", 1));
    return add(csv, text, number, (size_t)spc_decimal_print(number, x));
}

/* The text of a float is shorter. */
static sparcl_status add_float(spc_csv *csv, spc_array *text, double x) {
    char number[SPC_DECIMAL_BYTES];
    SPC_TRY(add(csv, text, ",", 1));
    return add(csv, text, number, (size_t)spc_decimal_print_f32(number, (float)x));
}

static sparcl_status add_frequencies(spc_csv *csv, spc_array *text, const spc_csv_column *column) {
    const spc_csv_frequency *const found = column->frequencies.at;
    char number[64];
    int length = snprintf(number, sizeof number, ",%" PRId64, column->texts);
    SPC_TRY(add(csv, text, number, (size_t)length));
    for (size_t i = 0; i < column->frequencies.used / sizeof *found; i++) {
        length = snprintf(number, sizeof number, ",%" PRId64 ":%" PRId64, found[i].column,
                          found[i].count);
        SPC_TRY(add(csv, text, number, (size_t)length));
    }
    return SPARCL_OK;
}

static sparcl_status add_arguments(spc_csv *csv, spc_array *text, const spc_csv_column *column) {
    const double *const bounds = column->bounds.at;
    for (size_t i = 0; i < column->bounds.used / sizeof *bounds; i++)
        SPC_TRY(add_double(csv, text, bounds[i]));
    if (column->kind == SPC_CSV_TEXT) SPC_TRY(add_double(csv, text, column->ngrams));
    if (column->texts > 0) SPC_TRY(add_frequencies(csv, text, column));
    if (column->scale > 0) {
        SPC_TRY(add_float(csv, text, column->mean));
        SPC_TRY(add_float(csv, text, column->scale));
    }
    const bool is_cross = column->kind == SPC_CSV_CROSS;
    for (int64_t i = 0; i < (is_cross ? 2 : spc_word_count(&column->words)); i++) {
        size_t length = 0;
        const char *word = NULL;
        if (is_cross)
            spc_csv_cross_name(column, (int)i, &word, &length);
        else
            word = spc_word_at(&column->words, i, &length);
        SPC_TRY(add(csv, text, ",", 1));
        SPC_TRY(add_field(csv, text, word, length));
    }
    return SPARCL_OK;
}

static sparcl_status add_form(spc_csv *csv, spc_array *text, const spc_csv_form *form) {
    char shown[64];
    spc_text words = spc_text_in(shown, sizeof shown);
    spc_csv_add_form(&words, form);
    return add(csv, text, shown, words.length);
}

static sparcl_status describe(spc_csv *csv, spc_array *text) {
    const spc_csv_column *const columns = spc_csv_columns(csv);
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++) {
        const char *const kind =
            spc_csv_kind_names[columns[i].is_weighted ? SPC_CSV_TFIDF : columns[i].kind];
        size_t length = 0;
        const char *const name = spc_word_at(&csv->column_names, i, &length);
        SPC_TRY(add_field(csv, text, name, length));
        SPC_TRY(add(csv, text, ",", 1));
        SPC_TRY(add(csv, text, kind, strlen(kind)));
        SPC_TRY(add_form(csv, text, &columns[i].form));
        SPC_TRY(add_arguments(csv, text, &columns[i]));
        SPC_TRY(add(csv, text, "\n", 1));
    }
    return add(csv, text, "", 1);
}

/* A line NAME,COUNT for each column that has missing values. */
static sparcl_status list_missing(spc_csv *csv, spc_array *text) {
    const int64_t *const missing = csv->missing.at;
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++) {
        char count[32];
        size_t length = 0;
        const char *const name = spc_word_at(&csv->column_names, i, &length);
        if (missing[i] == 0) continue;
        SPC_TRY(add_field(csv, text, name, length));
        SPC_TRY(add(csv, text, count,
                    (size_t)snprintf(count, sizeof count, ",%" PRId64 "\n", missing[i])));
    }
    return text->used > 0 ? add(csv, text, "", 1) : SPARCL_OK;
}

sparcl_status spc_csv_finish(spc_csv *csv, sparcl_data *data) {
    spc_csv_standardize(csv, data);
    if (csv->learns && !data->sink) SPC_TRY(renumber_entries(csv, data));
    SPC_TRY(spc_csv_finish_labels(csv, data));
    SPC_TRY(spc_csv_finish_tfidf(csv, data));
    SPC_TRY(list_missing(csv, &data->csv_missing));
    return describe(csv, &data->csv_columns);
}
