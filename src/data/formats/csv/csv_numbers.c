/* csv_numbers.c: columns of numbers of a CSV file, standardized. */
#include "data/formats/csv/csv_numbers.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "data/formats/csv/csv_shape.h"
#include "data/set/row_order.h"

/* ---- values --------------------------------------------------------------------------------- */

static float standardized(const spc_csv_column *column, float value) {
    return (float)(((double)value - column->mean) / column->scale);
}

static double log_of(double x) {
    return copysign(log1p(fabs(x)), x);
}

/* A float, also where the column has a mean and a scale: data that are standardized once they are
 * read have the same bits as those that are read with the description of others. */
float spc_csv_value_of(const spc_csv_column *column, double x) {
    const bool is_log = column->kind == SPC_CSV_LOG;
    const float value = (float)(is_log ? log_of(x) : x);
    return column->scale > 0 ? standardized(column, value) : value;
}

/* ---- the beginning of a file ---------------------------------------------------------------- */

void spc_csv_note_number(spc_csv_sample *s, double x) {
    if (!isfinite(x)) return;
    s->least = s->count ? fmin(s->least, x) : x;
    s->most = s->count ? fmax(s->most, x) : x;
    s->zeros += x == 0;
    s->sum += x;
    s->squares += x * x;
    s->log_sum += log_of(x);
    s->log_squares += log_of(x) * log_of(x);
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
            if (has_numbers(column) && !column->is_guessed &&
                !spc_csv_is_missing(field.at, field.length) &&
                spc_csv_read_number(&column->form, &field, &x, &unused))
                spc_csv_note_number(&column->sample, x);
        }
    }
}

/* No value is below 0, and some are far above the others: those that are not 0 deviate by more than
 * twice their mean, where exponential ones do by their mean. */
static bool are_counts(const spc_csv_sample *s) {
    enum { MANY = 20 };
    const double count = (double)(s->count - s->zeros), mean = s->sum / count;
    return count > 0 && s->most >= MANY && s->least >= 0 && s->squares / count > 5 * mean * mean;
}

static bool guesses_logs(const spc_csv *csv) {
    const sparcl_csv_logs logs = csv->desc->csv_logs;
    return logs == SPARCL_CSV_LOGS_YES || (logs == SPARCL_CSV_LOGS_AUTO && csv->standardizes);
}

void spc_csv_plan_numbers(spc_csv *csv) {
    spc_csv_column *const columns = spc_csv_columns(csv);
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++) {
        const spc_csv_sample *const s = &columns[i].sample;
        if (!has_numbers(&columns[i]) || columns[i].scale > 0) continue;
        if (columns[i].is_guessed && guesses_logs(csv) && are_counts(s))
            columns[i].kind = SPC_CSV_LOG;
        columns[i].standardizes = csv->standardizes;
        columns[i].keeps_zeros = csv->standardizes && 2 * s->zeros <= s->count;
    }
}

/* Products are computed as the file is read, of numbers that have their scale. */
void spc_csv_scale_crossed(spc_csv *csv) {
    static const double noise = 1e-12; /* of sums of squares, where all numbers are equal */
    spc_csv_column *const columns = spc_csv_columns(csv);
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++) {
        spc_csv_column *const c = &columns[i];
        const spc_csv_sample *const s = &c->sample;
        if (!c->is_crossed || !c->standardizes) continue;
        const bool is_log = c->kind == SPC_CSV_LOG;
        const double count = (double)(c->keeps_zeros ? s->count : s->count - s->zeros);
        const double square = count > 0 ? (is_log ? s->log_squares : s->squares) / count : 0;
        const double mean =
            c->keeps_zeros && count > 0 ? (is_log ? s->log_sum : s->sum) / count : 0;
        const double variance = square - mean * mean;
        const float scale = variance > noise * square ? (float)sqrt(variance) : 1;
        c->standardizes = false;
        c->keeps_zeros &= count > 0;
        c->mean = !c->keeps_zeros ? 0 : (float)mean == 0 ? -0.0 : (double)(float)mean;
        c->scale = scale > 0 && isfinite(scale) ? (double)scale : 1;
    }
}

/* ---- all entries ---------------------------------------------------------------------------- */

/* Of the numbers of a column of the matrix. */
typedef struct moments {
    int64_t column; /* of the description; -1: it stays as it is */
    int64_t count;
    double first, sum, squares; /* of the differences to the first number */
} moments;

static int64_t hashed_width(const spc_csv *csv) {
    return csv->bits ? (int64_t)1 << csv->bits : 0;
}

/* Of the column of an entry, or NULL: words that are learnt come after those of the plan. */
static moments *moments_of(const spc_csv *csv, int64_t index) {
    moments *const all = csv->moments.at;
    const int64_t at = index - hashed_width(csv);
    const bool is_own = at >= 0 && at < (int64_t)(csv->moments.used / sizeof *all);
    return is_own && all[at].column >= 0 ? &all[at] : NULL;
}

sparcl_status spc_csv_begin_moments(spc_csv *csv) {
    const spc_csv_column *const columns = spc_csv_columns(csv);
    const moments none = {.column = -1};
    for (int64_t j = hashed_width(csv); csv->standardizes && j < csv->width; j++)
        SPC_TRY(spc_array_add(&csv->moments, &none, sizeof none, csv->allocator, csv->error));
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++)
        if (columns[i].standardizes)
            ((moments *)csv->moments.at)[columns[i].first - hashed_width(csv)].column = i;
    return SPARCL_OK;
}

static void add_value(moments *m, bool is_centred, double x) {
    if (!isfinite(x)) return;
    if (m->count++ == 0) m->first = is_centred ? x : 0;
    m->sum += x - m->first;
    m->squares += (x - m->first) * (x - m->first);
}

void spc_csv_add_moments(spc_csv *csv, const spc_block *block) {
    for (int64_t k = 0; csv->standardizes && k < block->entries; k++) {
        moments *const m = moments_of(csv, block->indices[k]);
        if (m) add_value(m, spc_csv_columns(csv)[m->column].keeps_zeros, (double)block->values[k]);
    }
}

/* Floats have short texts. Of a sparse column the zeros are no entries, and stay so; of another one
 * they are entries, also with the mean 0, which then is -0. */
static void set_scale(spc_csv_column *column, const moments *m) {
    const double count = (double)m->count, around = m->count ? m->sum / count : 0,
                 square = m->count ? m->squares / count : 0;
    const bool is_centred = column->keeps_zeros;
    const double variance = square - (is_centred ? around * around : 0);
    const float scale = (float)sqrt(fmax(variance, 0)), mean = (float)(m->first + around);
    column->mean = !is_centred || m->count == 0 ? 0 : mean == 0 ? -0.0 : (double)mean;
    column->scale = scale > 0 && isfinite(scale) ? (double)scale : 1;
}

void spc_csv_standardize(spc_csv *csv, sparcl_data *data) {
    const moments *const all = csv->moments.at;
    const int64_t count = (int64_t)(csv->moments.used / sizeof *all);
    float *const values = data->values.at;
    for (int64_t j = 0; j < count; j++)
        if (all[j].column >= 0) set_scale(&spc_csv_columns(csv)[all[j].column], &all[j]);
    for (int64_t k = 0; count > 0 && !data->sink && k < data->info.entries; k++) {
        const moments *const m = moments_of(csv, spc_data_index(data, k));
        if (m) values[k] = standardized(&spc_csv_columns(csv)[m->column], values[k]);
    }
}
