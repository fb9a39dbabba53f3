/* csv_notes.c: what was guessed of the columns of a CSV file that may be wrong, for the user. */
#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"
#include "base/text.h"
#include "base/utf8.h"
#include "data/formats/csv/csv_guess.h"

enum { COLUMNS_SHOWN = 5, NOTE_BYTES = 800, IDS_AFTER = 20 };

/* ---- texts ---------------------------------------------------------------------------------- */

static void add_name(spc_text *text, const spc_csv *csv, int64_t i) {
    size_t length = 0;
    const char *const name = spc_word_at(&csv->column_names, i, &length);
    spc_text_add_beginning(text, name, length);
}

/* "a, b, c, ...": *count columns are in it. */
static void add_to_list(spc_text *text, const spc_csv *csv, int64_t i, int64_t *count) {
    if (*count > 0 && *count <= COLUMNS_SHOWN) spc_text_add(text, ", ");
    if (*count < COLUMNS_SHOWN) add_name(text, csv, i);
    if (*count == COLUMNS_SHOWN) spc_text_add(text, "...");
    ++*count;
}

static sparcl_status add_note(spc_csv *csv, const spc_text *text) {
    SPC_TRY(spc_array_add(&csv->notes, text->at, text->length, csv->allocator, csv->error));
    return spc_array_add(&csv->notes, "\n", 1, csv->allocator, csv->error);
}

/* ---- how numbers are written ---------------------------------------------------------------- */

static void add_value(spc_text *text, const spc_csv_field *field, char decimal) {
    char number[SPC_DECIMAL_BYTES] = "";
    spc_csv_amount amount;
    spc_rounded unused;
    double x = 0;
    if (spc_csv_find_amount(field, &amount) && spc_csv_amount_value(&amount, decimal, &x, &unused))
        spc_decimal_print(number, x);
    spc_text_add(text, "%s", number);
}

static bool is_open(const spc_csv *csv, const spc_csv_evidence *e) {
    bool open = false;
    (void)spc_csv_best_form(csv, e, &open);
    return open;
}

/* Of two columns with numbers that are not plain. */
static bool are_alike(const spc_csv *csv, const spc_csv_evidence *evidence, int64_t i, int64_t j) {
    const spc_csv_form *const a = &spc_csv_columns(csv)[i].form, *const b =
                                                                     &spc_csv_columns(csv)[j].form;
    return a->decimal && a->decimal == b->decimal && strcmp(a->unit, b->unit) == 0 &&
           is_open(csv, &evidence[i]) == is_open(csv, &evidence[j]);
}

/* price, fee: "1,200" is read as 1200 (--csv-decimal comma: as 1.2) */
static sparcl_status note_form(spc_csv *csv, const spc_csv_evidence *evidence, int64_t i) {
    char note[NOTE_BYTES];
    spc_text text = spc_text_in(note, sizeof note);
    int64_t count = 0;
    const char decimal = spc_csv_columns(csv)[i].form.decimal;
    for (int64_t j = 0; j < i; j++)
        if (are_alike(csv, evidence, i, j)) return SPARCL_OK;
    for (int64_t j = i; j < spc_csv_column_count(csv); j++)
        if (are_alike(csv, evidence, i, j)) add_to_list(&text, csv, j, &count);
    spc_text_add(&text, ": ");
    spc_text_add_quoted(&text, evidence[i].marked.at, evidence[i].marked.length);
    spc_text_add(&text, " is read as ");
    add_value(&text, &evidence[i].marked, decimal);
    if (is_open(csv, &evidence[i])) {
        spc_text_add(&text, " (--csv-decimal %s: as ", decimal == ',' ? "point" : "comma");
        add_value(&text, &evidence[i].marked, decimal == ',' ? '.' : ',');
        spc_text_add(&text, ")");
    }
    return add_note(csv, &text);
}

/* ---- numbers beside other values ------------------------------------------------------------ */

static void add_remedy(spc_text *text, const spc_csv *csv, int64_t i, spc_csv_form form,
                       bool is_one) {
    const spc_csv_column *const column = &spc_csv_columns(csv)[i];
    if (column->kind == SPC_CSV_LABEL && !column->form.coerces) {
        spc_text_add(text, "all are words (correct them, where the label is a number)");
        return;
    }
    form.coerces = true;
    if (column->kind == SPC_CSV_LABEL) {
        spc_text_add(text, "%s (in a file of --csv-columns, with the line *,auto, ",
                     is_one ? "it is a missing label" : "they are missing labels");
        add_name(text, csv, i);
        spc_text_add(text, ",label,WORD,WORD,... makes all values words)");
        return;
    }
    spc_text_add(text, "%s (in a file of --csv-columns, with the line *,auto, ",
                 !column->form.coerces ? "all are words"
                 : is_one              ? "it is a missing value"
                                       : "they are missing values");
    add_name(text, csv, i);
    spc_text_add(text, ",%s", column->form.coerces ? "hashed" : "numeric");
    if (!column->form.coerces) spc_csv_add_form(text, &form);
    spc_text_add(text, "%s",
                 column->form.coerces ? " makes all values words)"
                 : is_one             ? " makes it a missing value)"
                                      : " makes them missing values)");
}

/* Columns of which at least half of the values are numbers, and some are not. */
static bool has_others(const spc_csv *csv, const spc_csv_evidence *e, int64_t i,
                       spc_csv_form *form) {
    const spc_csv_column *const column = &spc_csv_columns(csv)[i];
    bool unused;
    *form = spc_csv_best_form(csv, e, &unused);
    const int64_t count = spc_csv_form_count(e, form);
    return (column->form.coerces || column->kind == SPC_CSV_HASHED ||
            (column->kind == SPC_CSV_LABEL && column->learns)) &&
           count < e->values && 2 * count >= e->values;
}

/* age: 3 of the first 998 values are no numbers, the first "x" in line 45: ... */
static sparcl_status note_others(spc_csv *csv, const spc_csv_evidence *evidence) {
    char note[NOTE_BYTES];
    int64_t noted = 0;
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++) {
        const spc_csv_evidence *const e = &evidence[i];
        spc_text text = spc_text_in(note, sizeof note);
        spc_csv_form form;
        if (!has_others(csv, e, i, &form) || noted++ >= COLUMNS_SHOWN) continue;
        const spc_csv_field *const other = spc_csv_form_other(e, &form);
        const int64_t others = e->values - spc_csv_form_count(e, &form);
        add_name(&text, csv, i);
        spc_text_add(&text, ": %" PRId64 " of the first %" PRId64 " values %s no number%s, ",
                     others, e->values, others > 1 ? "are" : "is", others > 1 ? "s" : "");
        if (others > 1) spc_text_add(&text, "the first ");
        spc_text_add_quoted(&text, other->at, other->length);
        spc_text_add(&text, " in line %" PRId64 ": ", other->line + 1);
        add_remedy(&text, csv, i, form, others == 1);
        SPC_TRY(add_note(csv, &text));
    }
    if (noted <= COLUMNS_SHOWN) return SPARCL_OK;
    spc_text text = spc_text_in(note, sizeof note);
    const bool is_one = noted == COLUMNS_SHOWN + 1;
    spc_text_add(&text, "%" PRId64 " more column%s numbers and other values", noted - COLUMNS_SHOWN,
                 is_one ? " has" : "s have");
    return add_note(csv, &text);
}

/* ---- words that differ ---------------------------------------------------------------------- */

/* Nineteen in twenty are the only ones of their kind. */
static bool has_names(const spc_csv_evidence *e) {
    return e->values > IDS_AFTER && spc_word_count(&e->words) >= e->values - e->values / 20;
}

static sparcl_status note_names(spc_csv *csv, const spc_csv_evidence *evidence) {
    char note[NOTE_BYTES];
    spc_text text = spc_text_in(note, sizeof note);
    int64_t count = 0, first = 0;
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++) {
        if (spc_csv_columns(csv)[i].kind != SPC_CSV_HASHED || !has_names(&evidence[i])) continue;
        if (count == 0) first = i;
        add_to_list(&text, csv, i, &count);
    }
    if (count == 0) return SPARCL_OK;
    spc_text_add(&text,
                 ": the first %" PRId64 " values are %" PRId64
                 " different ones, as names, times and ids of rows are, of which a model learns "
                 "nothing for other rows (",
                 evidence[first].values, spc_word_count(&evidence[first].words));
    add_name(&text, csv, first);
    spc_text_add(&text, ",skip in a file of --csv-columns, with the line *,auto, leaves %s out)",
                 count > 1 ? "one" : "it");
    return add_note(csv, &text);
}

sparcl_status spc_csv_note_guesses(spc_csv *csv, const spc_csv_evidence *evidence) {
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++)
        if (spc_csv_columns(csv)[i].form.decimal) SPC_TRY(note_form(csv, evidence, i));
    SPC_TRY(note_others(csv, evidence));
    return note_names(csv, evidence);
}
