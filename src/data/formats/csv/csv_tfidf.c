/* csv_tfidf.c: how rare sequences of words are in the columns of text of a table. */
#include "data/formats/csv/csv_tfidf.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "data/formats/csv/csv_words.h"

/* As scikit-learn's TfidfVectorizer has it (smooth_idf). */
static float weight_of(int64_t texts, int64_t count) {
    return (float)(log((1 + (double)texts) / (1 + (double)count)) + 1);
}

static sparcl_status make_weights(const spc_csv *csv, spc_csv_column *column) {
    const size_t count = (size_t)1 << csv->bits;
    const spc_csv_frequency *const found = column->frequencies.at;
    SPC_TRY(spc_array_reserve(&column->weights, count * sizeof(float), csv->allocator, csv->error));
    float *const weights = column->weights.at;
    for (size_t i = 0; i < count; i++)
        weights[i] = weight_of(column->texts, 1);
    for (size_t i = 0; i < column->frequencies.used / sizeof *found; i++)
        if (found[i].column < (int64_t)count)
            weights[found[i].column] = weight_of(column->texts, found[i].count);
    return SPARCL_OK;
}

static sparcl_status make_counts(spc_csv *csv, spc_csv_column *column) {
    const size_t bytes = sizeof(spc_csv_count) << csv->bits;
    SPC_TRY(spc_array_reserve(&column->counts, bytes, csv->allocator, csv->error));
    memset(column->counts.at, 0, bytes);
    csv->counts = true;
    return SPARCL_OK;
}

sparcl_status spc_csv_begin_tfidf(spc_csv *csv) {
    spc_csv_column *const columns = spc_csv_columns(csv);
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++) {
        if (!columns[i].is_weighted) continue;
        SPC_TRY(columns[i].texts > 0 ? make_weights(csv, &columns[i])
                                     : make_counts(csv, &columns[i]));
    }
    return SPARCL_OK;
}

static sparcl_status keep_frequent(const spc_csv *csv, spc_csv_column *column) {
    spc_csv_count *const counts = column->counts.at;
    for (int64_t i = 0; i < (int64_t)1 << csv->bits; i++) {
        const spc_csv_frequency found = {
            i, (int64_t)atomic_load_explicit(&counts[i], memory_order_relaxed)};
        if (found.count < 2) continue;
        SPC_TRY(
            spc_array_push(&column->frequencies, &found, sizeof found, csv->allocator, csv->error));
    }
    return SPARCL_OK;
}

sparcl_status spc_csv_finish_tfidf(spc_csv *csv, sparcl_data *data) {
    spc_csv_column *const columns = spc_csv_columns(csv);
    for (int64_t i = 0; csv->counts && i < spc_csv_column_count(csv); i++) {
        if (!columns[i].is_weighted || columns[i].texts > 0) continue;
        columns[i].texts = data->info.rows > 0 ? data->info.rows : 1;
        SPC_TRY(keep_frequent(csv, &columns[i]));
    }
    data->was_counted = csv->counts;
    return SPARCL_OK;
}
