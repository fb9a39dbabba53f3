/* csv_guess_form.c: decides which columns of a CSV file are numbers, and how these are written. */
#include <math.h>
#include <string.h>

#include "data/formats/csv/csv_guess.h"

/* Of columns of fewer values all must be numbers. */
enum { MOSTLY_OF = 20, MOSTLY_PERCENT = 95 };

static bool is_mostly(int64_t count, int64_t values) {
    return count == values ||
           (values >= MOSTLY_OF && count * 100 >= values * (int64_t)MOSTLY_PERCENT);
}

int64_t spc_csv_form_count(const spc_csv_evidence *e, const spc_csv_form *form) {
    return form->decimal == 0 ? e->plain : e->read[form->decimal == ','];
}

static int other_of(const spc_csv_form *form) {
    return form->decimal == 0 ? 0 : 1 + (form->decimal == ',');
}

const spc_csv_field *spc_csv_form_other(const spc_csv_evidence *e, const spc_csv_form *form) {
    return &e->other[other_of(form)];
}

/* The decimal mark of columns that have only one reading; 0: there are none, or of both. */
static char find_decimal(const spc_csv *csv, const spc_csv_evidence *evidence) {
    int64_t columns[2] = {0, 0};
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++) {
        const spc_csv_evidence *const e = &evidence[i];
        const int more = e->read[1] > e->read[0];
        if (e->marked.at && e->read[0] != e->read[1] && is_mostly(e->read[more], e->values))
            columns[more]++;
    }
    if ((columns[0] > 0) == (columns[1] > 0)) return 0;
    return columns[1] > 0 ? ',' : '.';
}

/* Where both marks read as many values: as in the other columns; else a comma is a decimal one in
 * files whose delimiter is a semicolon. */
static char choose_decimal(const spc_csv *csv, const spc_csv_evidence *e) {
    const char of_file = csv->decimal;
    if (csv->desc->csv_decimal) return csv->desc->csv_decimal;
    if (e->plain >= e->read[0] && e->plain >= e->read[1] && of_file != ',') return 0;
    if (e->read[0] != e->read[1]) return e->read[1] > e->read[0] ? ',' : '.';
    return of_file ? of_file : csv->delimiter == ';' ? ',' : '.';
}

spc_csv_form spc_csv_best_form(const spc_csv *csv, const spc_csv_evidence *e, bool *is_open) {
    spc_csv_form form = {.decimal = 0};
    *is_open = !csv->desc->csv_decimal && e->has_mark && e->read[0] == e->read[1];
    if (e->marked.at) form.decimal = choose_decimal(csv, e);
    if (form.decimal == '.' && e->plain >= e->read[0]) form.decimal = 0;
    if (form.decimal) memcpy(form.unit, e->unit, sizeof form.unit);
    return form;
}

/* Beyond 2^53 double does not hold all numbers: they are ids. */
static bool has_ids(const spc_csv_evidence *e, const spc_csv_form *form) {
    static const double largest = 9007199254740992.0;
    const spc_csv_sample *const s = &e->numbers[form->decimal == ','];
    return e->ids.is_large || fmax(fabs(s->least), fabs(s->most)) > largest;
}

/* One word among many different numbers says that there is none. */
static bool has_word_for_missing(const spc_csv_evidence *e, const spc_csv_form *form) {
    return !e->others_differ[other_of(form)] && 2 * spc_csv_form_count(e, form) >= e->values &&
           spc_word_count(&e->words) > MOSTLY_OF;
}

static void guess_column(const spc_csv *csv, const spc_csv_evidence *e, spc_csv_column *column) {
    bool unused;
    spc_csv_form form = spc_csv_best_form(csv, e, &unused);
    const int64_t count = spc_csv_form_count(e, &form);
    const bool is_label = column->kind == SPC_CSV_LABEL;
    form.coerces = count < e->values;
    if (form.coerces &&
        ((!is_mostly(count, e->values) && !has_word_for_missing(e, &form)) || has_ids(e, &form))) {
        column->learns = is_label && !csv->is_ratings;
        if (!is_label) column->kind = SPC_CSV_HASHED;
        return;
    }
    column->form = form;
    column->sample = e->numbers[form.decimal == ','];
}

void spc_csv_guess_forms(spc_csv *csv, const spc_csv_evidence *evidence) {
    spc_csv_column *const columns = spc_csv_columns(csv);
    csv->decimal = find_decimal(csv, evidence);
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++)
        if (columns[i].kind == SPC_CSV_NUMERIC || columns[i].kind == SPC_CSV_LABEL)
            guess_column(csv, &evidence[i], &columns[i]);
}
