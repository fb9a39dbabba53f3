/* csvnumbers.c: columns of numbers of a CSV file, standardized. */
#include "data/csvnumbers.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "data/csvshape.h"
#include "data/row_order.h"

/* ---- values --------------------------------------------------------------------------------- */

static float standardized(const spc_csv_column *column, float value) {
    return (float)(((double)value - column->mean) / column->scale);
}

/* A float, also where the column has a mean and a scale: data that are standardized once they are
 * read have the same bits as those that are read with the description of others. */
float spc_csv_value_of(const spc_csv_column *column, double x) {
    const bool is_log = column->kind == SPC_CSV_LOG;
    const float value = (float)(is_log ? copysign(log1p(fabs(x)), x) : x);
    return column->scale > 0 ? standardized(column, value) : value;
}

/* ---- the beginning of a file ---------------------------------------------------------------- */

void spc_csv_note_number(spc_csv_column *column, double x) {
    spc_csv_sample *const s = &column->sample;
    if (!isfinite(x)) return;
    s->least = s->count ? fmin(s->least, x) : x;
    s->most = s->count ? fmax(s->most, x) : x;
    s->zeros += x == 0;
    s->sum += x;
    s->squares += x * x;
    s->count++;
}

static bool has_numbers(const spc_csv_column *column) {
    return column->kind == SPC_CSV_NUMERIC || column->kind == SPC_CSV_LOG;
}

/* What is wrong with a record is found again by the reader. */
void spc_csv_note_numbers(spc_csv *csv, spc_csv_text text) {
    const int32_t *const fields = csv->fields.at;
    while (spc_csv_skip_blank_lines(&text)) {
        text.at_record_end = false;
        for (int64_t i = 0; !text.at_record_end; i++) {
            spc_csv_field field;
            spc_rounded unused;
            double x = 0;
            if (spc_csv_next(&text, &field) != SPC_CSV_GOOD) return;
            if (i >= spc_csv_field_count(csv)) continue;
            spc_csv_column *const column = &spc_csv_columns(csv)[fields[i]];
            if (has_numbers(column) && !spc_csv_is_missing(field.at, field.length) &&
                spc_csv_number(&field, &x, &unused))
                spc_csv_note_number(column, x);
        }
    }
}

/* Nearly all values are at least 0, and some are far above the others: more than exponentially. */
static bool are_counts(const spc_csv_sample *s) {
    enum { MANY = 20, FEW = 100 };
    const double mean = s->sum / (double)s->count;
    return s->count > 0 && s->most >= MANY && s->least >= -s->most / FEW &&
           s->squares / (double)s->count > 2 * mean * mean;
}

void spc_csv_plan_numbers(spc_csv *csv) {
    spc_csv_column *const columns = spc_csv_columns(csv);
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++) {
        const spc_csv_sample *const s = &columns[i].sample;
        if (!has_numbers(&columns[i]) || columns[i].scale > 0) continue;
        if (!spc_csv_is_described(csv) && are_counts(s)) columns[i].kind = SPC_CSV_LOG;
        columns[i].standardizes = true;
        columns[i].keeps_zeros = 2 * s->zeros <= s->count;
    }
}

/* ---- all entries ---------------------------------------------------------------------------- */

/* What is computed for a column of the matrix. */
typedef struct moments {
    spc_csv_column *column; /* NULL: it stays as it is */
    int64_t count;
    double first, sum, squares; /* of the differences to the first value */
} moments;

static void add_value(moments *m, double x) {
    if (!isfinite(x)) return;
    if (m->count++ == 0) m->first = m->column->keeps_zeros ? x : 0;
    m->sum += x - m->first;
    m->squares += (x - m->first) * (x - m->first);
}

/* Floats have short texts. Of a sparse column the zeros are no entries, and stay so. */
static void set_scale(const moments *m) {
    const double count = (double)m->count, around = m->count ? m->sum / count : 0,
                 square = m->count ? m->squares / count : 0;
    const bool is_centred = m->column->keeps_zeros;
    const double variance = square - (is_centred ? around * around : 0);
    const float scale = (float)sqrt(fmax(variance, 0));
    m->column->mean = is_centred ? (double)(float)(m->first + around) : 0;
    m->column->scale = scale > 0 && isfinite(scale) ? (double)scale : 1;
}

/* Of entry k, or NULL. */
static moments *moments_of(const sparcl_data *data, moments *all, int64_t hashed, int64_t k) {
    const int64_t index = spc_data_index(data, k);
    return index >= hashed && all[index - hashed].column ? &all[index - hashed] : NULL;
}

static void standardize(spc_csv *csv, sparcl_data *data, moments *all, int64_t hashed) {
    float *const values = data->values.at;
    const int64_t own = csv->width - hashed;
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++) {
        spc_csv_column *const column = &spc_csv_columns(csv)[i];
        if (column->standardizes) all[column->first - hashed].column = column;
    }
    for (int64_t k = 0; k < data->info.entries; k++) {
        moments *const m = moments_of(data, all, hashed, k);
        if (m) add_value(m, (double)values[k]);
    }
    for (int64_t j = 0; j < own; j++)
        if (all[j].column) set_scale(&all[j]);
    for (int64_t k = 0; k < data->info.entries; k++) {
        const moments *const m = moments_of(data, all, hashed, k);
        if (m) values[k] = standardized(m->column, values[k]);
    }
}

sparcl_status spc_csv_standardize(spc_csv *csv, sparcl_data *data) {
    const int64_t hashed = csv->bits ? (int64_t)1 << csv->bits : 0;
    const size_t bytes = (size_t)(csv->width - hashed) * sizeof(moments);
    spc_array memory = {0};
    if (!csv->standardizes || bytes == 0) return SPARCL_OK;
    SPC_TRY(spc_array_reserve(&memory, bytes, csv->allocator, csv->error));
    memset(memory.at, 0, bytes);
    standardize(csv, data, memory.at, hashed);
    spc_array_free(&memory, csv->allocator);
    return SPARCL_OK;
}
