/* split.c: a data set in two, rows that are drawn at random and the others, or the first and the
 * last ones; and a sample of rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "data/set/dataset.h"
#include "data/set/summary.h"

/* A number for each row; those with the smallest are held out. */
typedef struct drawn {
    uint64_t key;
    int64_t row;
} drawn;

/* The streams of the row order have the number of a pass here, those of first values ~parameter. */
static uint64_t key_of(uint64_t seed, int64_t row) {
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const uint32_t counter[4] = {(uint32_t)row, (uint32_t)((uint64_t)row >> 32), 0, UINT32_MAX - 1};
    uint32_t r[4];
    spc_philox(counter, key, r);
    return (uint64_t)r[0] << 32 | r[1];
}

static int compare(const void *a, const void *b) {
    const drawn *const x = a, *const y = b;
    if (x->key != y->key) return (x->key > y->key) - (x->key < y->key);
    return (x->row > y->row) - (x->row < y->row);
}

/* held[row] := 1 for rows first .. last - 1 of a random order. */
static sparcl_status draw(char *held, int64_t rows, int64_t first, int64_t last, uint64_t seed,
                          sparcl_error *error) {
    const size_t bytes = (size_t)rows * sizeof(drawn);
    drawn *const all = spc_alloc(NULL, bytes + 1);
    if (!all) return spc_fail_memory(error, "split", bytes);
    for (int64_t row = 0; row < rows; ++row)
        all[row] = (drawn){key_of(seed, row), row};
    qsort(all, (size_t)rows, sizeof *all, compare);
    memset(held, 0, (size_t)rows);
    for (int64_t k = first; k < last; ++k)
        held[all[k].row] = 1;
    spc_free(NULL, all, bytes + 1);
    return SPARCL_OK;
}

/* Append elements first .. last of an array to another. */
static sparcl_status add(sparcl_data *to, spc_array *array, const spc_array *from, int64_t first,
                         int64_t last, size_t size, sparcl_error *error) {
    return spc_array_add(array, (const char *)from->at + (size_t)first * size,
                         (size_t)(last - first) * size, &to->allocator, error);
}

static sparcl_status add_row(sparcl_data *to, const sparcl_data *from, int64_t row,
                             sparcl_error *error) {
    const int64_t *const offsets = from->offsets.at, *const of_labels = from->label_offsets.at;
    const size_t index = sparcl_itype_size(from->index_type);
    const int64_t begin = offsets[row], end = offsets[row + 1];
    const int64_t original = from->rows.used ? ((const int64_t *)from->rows.at)[row] : row;
    const int64_t entries = to->info.entries += end - begin;
    SPC_TRY(spc_array_add(&to->rows, &original, sizeof original, &to->allocator, error));
    SPC_TRY(spc_array_add(&to->offsets, &entries, sizeof entries, &to->allocator, error));
    SPC_TRY(add(to, &to->indices, &from->indices, begin, end, index, error));
    SPC_TRY(add(to, &to->values, &from->values, begin, end, sizeof(float), error));
    if (from->fields.used)
        SPC_TRY(add(to, &to->fields, &from->fields, begin, end, sizeof(int32_t), error));
    if (from->weights.used)
        SPC_TRY(add(to, &to->weights, &from->weights, row, row + 1, sizeof(float), error));
    ++to->info.rows;
    if (from->info.label_count == 0) return SPARCL_OK;
    const int64_t first = of_labels ? of_labels[row] : row;
    const int64_t last = of_labels ? of_labels[row + 1] : row + 1;
    const int64_t labels = to->info.label_count += last - first;
    if (of_labels)
        SPC_TRY(spc_array_add(&to->label_offsets, &labels, sizeof labels, &to->allocator, error));
    return add(to, &to->labels, &from->labels, first, last, sizeof(double), error);
}

/* What does not depend on the rows; indices may be wider than this part needs. */
static sparcl_status begin(sparcl_data **part, const sparcl_data *from, sparcl_error *error) {
    static const int64_t zero = 0;
    sparcl_data *const to = *part = spc_alloc_zero(&from->allocator, 1, sizeof *to);
    if (!to) return spc_fail_memory(error, "split", sizeof *to);
    to->allocator = from->allocator;
    to->spill = spc_spill_hold(from->spill);
    to->info = from->info;
    to->info.rows = to->info.entries = to->info.nnz = to->info.label_count = 0;
    to->info.duplicates = to->info.unsorted_rows = 0;
    to->info.row_nnz_min = to->info.row_nnz_median = to->info.row_nnz_max = 0;
    to->index_type = from->index_type;
    to->by_line = from->by_line;
    memcpy(to->member, from->member, sizeof to->member);
    to->bad_line = from->bad_line;
    to->bad_column = from->bad_column;
    memcpy(to->name, from->name, sizeof to->name);
    memcpy(to->labels_name, from->labels_name, sizeof to->labels_name);
    SPC_TRY(
        spc_array_add(&to->row_ids, from->row_ids.at, from->row_ids.used, &to->allocator, error));
    SPC_TRY(spc_array_add(&to->column_ids, from->column_ids.at, from->column_ids.used,
                          &to->allocator, error));
    SPC_TRY(spc_array_add(&to->csv_columns, from->csv_columns.at, from->csv_columns.used,
                          &to->allocator, error));
    SPC_TRY(
        spc_array_add(&to->crosses, from->crosses.at, from->crosses.used, &to->allocator, error));
    SPC_TRY(spc_array_add(&to->label_names.bytes, from->label_names.bytes.at,
                          from->label_names.bytes.used, &to->allocator, error));
    SPC_TRY(spc_array_add(&to->label_names.begins, from->label_names.begins.at,
                          from->label_names.begins.used, &to->allocator, error));
    SPC_TRY(spc_array_add(&to->marks, from->marks.at, from->marks.used, &to->allocator, error));
    SPC_TRY(spc_array_add(&to->offsets, &zero, sizeof zero, &to->allocator, error));
    if (!from->label_offsets.used) return SPARCL_OK;
    return spc_array_add(&to->label_offsets, &zero, sizeof zero, &to->allocator, error);
}

/* The rows whose number in `held` is `which`. */
static sparcl_status take(const sparcl_data *data, const char *held, int which, sparcl_data **part,
                          sparcl_error *error) {
    SPC_TRY(begin(part, data, error));
    for (int64_t row = 0; row < data->info.rows; ++row)
        if (held[row] == which) SPC_TRY(add_row(*part, data, row, error));
    (*part)->info.nnz = (*part)->info.entries;
    spc_data_summarize(*part);
    return SPARCL_OK;
}

/* The rows with 0 in `chosen`, which are not wanted where `rest` is NULL, and those with 1. */
static sparcl_status take_parts(const sparcl_data *data, const char *chosen, sparcl_data **rest,
                                sparcl_data **held, sparcl_error *error) {
    sparcl_data *parts[2] = {NULL, NULL};
    sparcl_status status = SPARCL_OK;
    for (int p = rest ? 0 : 1; p < 2 && status == SPARCL_OK; ++p)
        status = take(data, chosen, p, &parts[p], error);
    if (status != SPARCL_OK) {
        sparcl_data_free(parts[0]);
        sparcl_data_free(parts[1]);
        return status;
    }
    if (rest) *rest = parts[0];
    *held = parts[1];
    return SPARCL_OK;
}

/* Rows first .. last - 1 of a random order are held. */
static sparcl_status split_at(const sparcl_data *data, int64_t first, int64_t last, uint64_t seed,
                              sparcl_data **rest, sparcl_data **held, sparcl_error *error) {
    const size_t bytes = (size_t)data->info.rows + 1;
    char *const chosen = spc_alloc(NULL, bytes);
    if (!chosen) return spc_fail_memory(error, "split", bytes);
    sparcl_status status = draw(chosen, data->info.rows, first, last, seed, error);
    if (status == SPARCL_OK) status = take_parts(data, chosen, rest, held, error);
    spc_free(NULL, chosen, bytes);
    return status;
}

static sparcl_status check_pointers(const sparcl_data *data, sparcl_data **rest, sparcl_data **held,
                                    sparcl_error *error) {
    if (!rest || !held)
        return spc_fail(error, SPARCL_E_ARG, "split: the pointer for a result is NULL");
    *rest = *held = NULL;
    if (!data) return spc_fail(error, SPARCL_E_ARG, "split: data is NULL");
    return spc_data_check_entries(data, "split", error);
}

sparcl_status sparcl_data_split(const sparcl_data *data, double fraction, uint64_t seed,
                                sparcl_data **rest, sparcl_data **held, sparcl_error *error) {
    SPC_TRY(check_pointers(data, rest, held, error));
    if (!(fraction >= 0 && fraction <= 1))
        return spc_fail(error, SPARCL_E_ARG, "split: fraction is %g, expected 0 to 1", fraction);
    const int64_t count = (int64_t)floor(fraction * (double)data->info.rows + 0.5);
    return split_at(data, 0, count, seed, rest, held, error);
}

/* floor(rows * k / folds), which does not overflow. */
static int64_t fold_begin(int64_t rows, int64_t folds, int64_t k) {
    return rows / folds * k + rows % folds * k / folds;
}

sparcl_status sparcl_data_fold(const sparcl_data *data, int64_t folds, int64_t fold, uint64_t seed,
                               sparcl_data **rest, sparcl_data **held, sparcl_error *error) {
    SPC_TRY(check_pointers(data, rest, held, error));
    if (folds < 2 || folds > INT32_MAX || fold < 0 || fold >= folds)
        return spc_fail(error, SPARCL_E_ARG,
                        "split: fold %lld of %lld, expected 0 or more of at least 2",
                        (long long)fold, (long long)folds);
    const int64_t rows = data->info.rows;
    return split_at(data, fold_begin(rows, folds, fold), fold_begin(rows, folds, fold + 1), seed,
                    rest, held, error);
}

sparcl_status sparcl_data_cut(const sparcl_data *data, int64_t rows, sparcl_data **first,
                              sparcl_data **rest, sparcl_error *error) {
    SPC_TRY(check_pointers(data, first, rest, error));
    if (rows < 0 || rows > data->info.rows)
        return spc_fail(error, SPARCL_E_ARG,
                        "cut: after row %lld of %lld, expected 0 to all of them", (long long)rows,
                        (long long)data->info.rows);
    const size_t bytes = (size_t)data->info.rows + 1;
    char *const chosen = spc_alloc(NULL, bytes);
    if (!chosen) return spc_fail_memory(error, "cut", bytes);
    memset(chosen, 0, (size_t)rows);
    memset(chosen + rows, 1, (size_t)(data->info.rows - rows));
    const sparcl_status status = take_parts(data, chosen, first, rest, error);
    spc_free(NULL, chosen, bytes);
    return status;
}

sparcl_status sparcl_data_sample(const sparcl_data *data, int64_t count, uint64_t seed,
                                 sparcl_data **part, sparcl_error *error) {
    sparcl_data *none;
    SPC_TRY(check_pointers(data, &none, part, error));
    if (count < 0 || count > data->info.rows)
        return spc_fail(error, SPARCL_E_ARG,
                        "sample: %lld rows of %lld, expected 0 to all of them; use at most %lld",
                        (long long)count, (long long)data->info.rows, (long long)data->info.rows);
    return split_at(data, 0, count, seed, NULL, part, error);
}
