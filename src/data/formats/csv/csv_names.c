/* csv_names.c: the names of the columns of a matrix that was read from CSV. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/formats/csv/csv.h"
#include "data/formats/text_formats.h"
#include "data/io/murmur3.h"
#include "sparcl/data.h"

struct sparcl_csv_columns {
    spc_csv csv;
    sparcl_data_desc desc;
};

sparcl_status sparcl_csv_columns_create(sparcl_csv_columns **columns, const char *description,
                                        int64_t width, sparcl_error *error) {
    if (!columns) return spc_fail(error, SPARCL_E_ARG, "csv_columns: columns is NULL");
    *columns = NULL;
    if (!description || width < 0)
        return spc_fail(error, SPARCL_E_ARG,
                        "csv_columns: description is NULL, or width is negative");
    sparcl_csv_columns *const made = spc_alloc_zero(NULL, 1, sizeof *made);
    if (!made) return spc_fail_memory(error, "csv_columns", sizeof *made);
    made->desc = (sparcl_data_desc){.csv_description = description, .columns = width};
    made->csv = (spc_csv){.desc = &made->desc, .error = error};
    spc_csv_kind others;
    sparcl_status status = spc_csv_read_description(&made->csv, &others);
    if (status == SPARCL_OK) status = spc_csv_find_crosses(&made->csv);
    spc_csv_number_columns(&made->csv);
    made->desc.csv_description = NULL; /* the caller's */
    made->csv.error = NULL;
    *columns = made;
    if (status == SPARCL_OK) return status;
    sparcl_csv_columns_free(made);
    *columns = NULL;
    return status;
}

void sparcl_csv_columns_free(sparcl_csv_columns *columns) {
    if (!columns) return;
    spc_csv_free(&columns->csv);
    spc_free(NULL, columns, sizeof *columns);
}

/* The column of the description that has a column of its own in the matrix; NULL: none. */
static const spc_csv_column *find(const spc_csv *csv, int64_t index) {
    const spc_csv_column *const columns = spc_csv_columns(csv);
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++)
        if (index >= columns[i].first && index - columns[i].first < spc_csv_own_width(&columns[i]))
            return &columns[i];
    return NULL;
}

static void add_word(spc_text *text, const spc_word_set *words, int64_t number) {
    size_t length = 0;
    const char *const word = spc_word_at(words, number, &length);
    spc_text_add(text, "%.*s", (int)length, word);
}

/* "a <= name < b", of which the first range has no a and the last one no b. */
static void add_range(spc_text *text, const spc_csv *csv, const spc_csv_column *column,
                      int64_t range) {
    const double *const bounds = column->bounds.at;
    const int64_t last = spc_csv_own_width(column) - 1;
    char low[SPC_DECIMAL_BYTES] = "", high[SPC_DECIMAL_BYTES] = "";
    if (range > 0) spc_decimal_print(low, bounds[range - 1]);
    if (range < last) spc_decimal_print(high, bounds[range]);
    if (range > 0 && range < last) spc_text_add(text, "%s <= ", low);
    add_word(text, &csv->column_names, column - spc_csv_columns(csv));
    spc_text_add(text, range < last ? " < %s" : " >= %s", range < last ? high : low);
}

const char *sparcl_csv_columns_name(const sparcl_csv_columns *columns, int64_t column, char *name,
                                    size_t bytes) {
    const spc_csv *const csv = &columns->csv;
    const spc_csv_column *const found = find(csv, column);
    spc_text text = spc_text_in(name, bytes);
    if (!found) {
        if (csv->bits && column >> csv->bits == 0) spc_text_add(&text, "hash %" PRId64, column);
        return name;
    }
    const int64_t number = found - spc_csv_columns(csv);
    if (found->kind == SPC_CSV_BUCKETS) {
        add_range(&text, csv, found, column - found->first);
        return name;
    }
    if (found->kind == SPC_CSV_LOG) spc_text_add(&text, "log(1 + |");
    add_word(&text, &csv->column_names, number);
    if (found->kind == SPC_CSV_LOG) spc_text_add(&text, "|)");
    if (found->kind == SPC_CSV_DICTIONARY) {
        spc_text_add(&text, "=");
        add_word(&text, &found->words, column - found->first);
    }
    return name;
}

/* The hash of "column=word", "column" of a number, or "column[2]" of its third range; false: the
 * name is none of this column. */
static bool find_hash(const spc_csv *csv, int64_t column, spc_name_part name, uint64_t *hash) {
    const spc_csv_column *const c = &spc_csv_columns(csv)[column];
    size_t length = 0;
    const char *const own = spc_word_at(&csv->column_names, column, &length);
    if (name.length < length || memcmp(name.at, own, length) != 0) return false;
    const char *const rest = name.at + length;
    const size_t left = name.length - length;
    *hash = c->seed;
    if (c->kind == SPC_CSV_NUMERIC || c->kind == SPC_CSV_LOG) return left == 0;
    if (c->kind == SPC_CSV_BUCKETS) {
        char *end = NULL;
        if (left < 3 || *rest != '[') return false;
        *hash += strtoull(rest + 1, &end, 10);
        return end == rest + left - 1 && *end == ']';
    }
    if (left == 0 || *rest != '=') return false;
    *hash = spc_hash_name(rest + 1, left - 1, c->seed);
    return true;
}

/* Names may have a "^" of their own. */
static bool find_cross_hash(const spc_csv *csv, const spc_csv_column *cross, const char *name,
                            uint64_t *hash) {
    for (const char *at = strchr(name, '^'); at; at = strchr(at + 1, '^')) {
        uint64_t left = 0, right = 0;
        if (!find_hash(csv, cross->crossed[0], (spc_name_part){name, (size_t)(at - name)}, &left) ||
            !find_hash(csv, cross->crossed[1], (spc_name_part){at + 1, strlen(at + 1)}, &right))
            continue;
        *hash = spc_cross_hash(left, right);
        return true;
    }
    return false;
}

/* Crosses come first: their names begin as those of words do. */
static bool find_hashed(const spc_csv *csv, const char *name, uint64_t *hash) {
    const spc_csv_column *const all = spc_csv_columns(csv);
    const int64_t count = spc_csv_column_count(csv);
    for (int64_t i = 0; i < count; i++)
        if (all[i].kind == SPC_CSV_CROSS && find_cross_hash(csv, &all[i], name, hash)) return true;
    for (int64_t i = 0; i < count; i++)
        if ((all[i].kind == SPC_CSV_HASHED || all[i].kind == SPC_CSV_TEXT) &&
            find_hash(csv, i, (spc_name_part){name, strlen(name)}, hash))
            return true;
    return false;
}

int64_t sparcl_csv_columns_hashed(const sparcl_csv_columns *columns, const char *name) {
    const spc_csv *const csv = &columns->csv;
    uint64_t hash = 0;
    if (!find_hashed(csv, name, &hash)) return -1;
    return (int64_t)(hash & (((uint64_t)1 << csv->bits) - 1));
}

double sparcl_csv_columns_deviation(const sparcl_csv_columns *columns, int64_t column) {
    const spc_csv_column *const found = find(&columns->csv, column);
    return found && found->scale > 0 && found->keeps_zeros ? 1 : (double)NAN;
}

int sparcl_csv_columns_pairs(const sparcl_csv_columns *columns, int64_t *users, int64_t *items) {
    const spc_csv_column *const all = spc_csv_columns(&columns->csv), *found[2] = {NULL, NULL};
    int count = 0;
    for (int64_t i = 0; i < spc_csv_column_count(&columns->csv); i++) {
        if (all[i].kind < SPC_CSV_NUMERIC) continue;
        if (all[i].kind != SPC_CSV_DICTIONARY || count == 2) return 0;
        found[count++] = &all[i];
    }
    if (count < 2) return 0;
    *users = spc_csv_own_width(found[0]);
    *items = spc_csv_own_width(found[1]);
    return 1;
}

const char *sparcl_csv_columns_word(const sparcl_csv_columns *columns, int64_t column,
                                    size_t *length) {
    const spc_csv_column *const found = find(&columns->csv, column);
    if (!found || found->kind != SPC_CSV_DICTIONARY) return NULL;
    return spc_word_at(&found->words, column - found->first, length);
}

sparcl_status spc_pairs_count_words(const sparcl_data *data, int64_t *users, int64_t *items,
                                    sparcl_error *error) {
    sparcl_csv_columns *columns = NULL;
    SPC_TRY(sparcl_csv_columns_create(&columns, data->csv_columns.at, data->info.columns, error));
    const int are_pairs = sparcl_csv_columns_pairs(columns, users, items);
    sparcl_csv_columns_free(columns);
    if (are_pairs) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s: expected ratings \"user,item[,rating[,time]]\", found a table with other "
                    "features; name the format ratings if its first fields are these, or describe "
                    "two columns as dictionary, users and then items, and the others as skip",
                    data->name);
}
