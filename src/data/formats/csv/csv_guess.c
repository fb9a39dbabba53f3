/* csv_guess.c: guesses the columns of a CSV file that nothing describes. */
#include "data/formats/csv/csv_guess.h"

#include "base/error.h"
#include "data/formats/csv/csv_numbers.h"
#include "data/formats/csv/csv_shape.h"

/* ---- values --------------------------------------------------------------------------------- */

/* Between blanks: an address or a date is one. */
static int64_t count_parts(const spc_csv_field *field) {
    int64_t parts = 0;
    for (size_t i = 0; i < field->length; i++)
        parts += field->at[i] > ' ' && (i == 0 || field->at[i - 1] <= ' ');
    return parts;
}

static void note_words(spc_csv_column *column, const spc_csv_field *field) {
    column->sample.texts += field->length > 0;
    column->sample.words += count_parts(field);
}

static void note_other(spc_csv_evidence *e, int form, const spc_csv_field *field) {
    spc_csv_field *const first = &e->other[form];
    if (!first->at)
        *first = *field;
    else
        e->others_differ[form] |=
            first->length != field->length || memcmp(first->at, field->at, field->length) != 0;
}

/* A number with each decimal mark. All have the unit of the first. */
static void note_amount(spc_csv_evidence *e, const spc_csv_field *field) {
    spc_csv_amount amount;
    const bool is_amount = spc_csv_find_amount(field, &amount);
    for (int k = 0; k < 2; k++) {
        double x = 0;
        spc_rounded unused;
        if (is_amount && e->read[0] + e->read[1] == 0) memcpy(e->unit, amount.unit, sizeof e->unit);
        if (is_amount && strcmp(amount.unit, e->unit) == 0 &&
            spc_csv_amount_value(&amount, k ? ',' : '.', &x, &unused)) {
            spc_csv_note_number(&e->numbers[k], x);
            e->read[k]++;
            e->has_mark |= amount.has_mark;
            if (!e->marked.at && (amount.has_mark || amount.is_accounting || amount.unit[0]))
                e->marked = *field;
        } else
            note_other(e, k + 1, field);
    }
}

static void note_number(spc_csv_evidence *e, const spc_csv_field *field) {
    double x = 0;
    spc_rounded unused;
    e->values++;
    if (spc_csv_number(field, &x, &unused))
        e->plain++;
    else
        note_other(e, 0, field);
    note_amount(e, field);
}

static sparcl_status note_word(const spc_csv *csv, spc_csv_evidence *e,
                               const spc_csv_field *field) {
    return spc_word_find(&e->words, field->at, field->length) >= 0
               ? SPARCL_OK
               : spc_word_add(&e->words, field->at, field->length, csv->allocator, csv->error);
}

/* The column of a field, and the field of a column: those of users come before those of items. */
static int64_t other_place(const spc_csv *csv, int64_t i) {
    const spc_rating_fields *const f = &csv->ratings;
    if (!csv->is_ratings || f->user < f->item) return i;
    return i == f->user ? f->item : i == f->item ? f->user : i;
}

static sparcl_status note_value(spc_csv *csv, spc_csv_evidence *evidence, int64_t place,
                                const spc_csv_field *field) {
    const int64_t i = other_place(csv, place);
    if (i >= spc_csv_column_count(csv)) return SPARCL_OK;
    spc_csv_column *const column = &spc_csv_columns(csv)[i];
    spc_csv_evidence *const e = &evidence[i];
    const bool is_missing = spc_csv_is_missing(field->at, field->length);
    if (column->kind == SPC_CSV_SKIP || column->kind == SPC_CSV_DICTIONARY) return SPARCL_OK;
    if (column->kind == SPC_CSV_NUMERIC)
        SPC_TRY(spc_csv_values_add(&e->ids, field, csv->allocator, csv->error));
    if (!is_missing) {
        note_number(e, field);
        SPC_TRY(note_word(csv, e, field));
    }
    if (e->other[0].at) note_words(column, field);
    return SPARCL_OK;
}

/* What is wrong with a record is found again by the reader. */
static sparcl_status note_values(spc_csv *csv, spc_csv_evidence *evidence, spc_csv_text text) {
    const spc_csv_field *const first = csv->names.at;
    for (int64_t i = 0; !csv->heading && i < spc_csv_field_count(csv); i++)
        SPC_TRY(note_value(csv, evidence, i, &first[i]));
    while (spc_csv_skip_blank_lines(&text)) {
        text.at_record_end = false;
        for (int64_t i = 0; !text.at_record_end; i++) {
            spc_csv_field field;
            if (spc_csv_next(&text, &field) != SPC_CSV_GOOD) return SPARCL_OK;
            SPC_TRY(note_value(csv, evidence, i, &field));
        }
    }
    return SPARCL_OK;
}

/* ---- kinds ---------------------------------------------------------------------------------- */

/* Values of four words and more on average are texts. */
static void find_texts(spc_csv *csv) {
    enum { WORDS = 4 };
    spc_csv_column *const columns = spc_csv_columns(csv);
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++) {
        const spc_csv_sample *const s = &columns[i].sample;
        if (columns[i].kind == SPC_CSV_HASHED && s->texts > 0 && s->words >= WORDS * s->texts)
            columns[i].kind = SPC_CSV_TEXT;
        columns[i].is_weighted = columns[i].kind == SPC_CSV_TEXT && csv->desc->csv_tfidf;
    }
}

/* Ids of rows are no quantities. */
static void set_ids_apart(spc_csv *csv, const spc_csv_evidence *evidence) {
    spc_csv_column *const columns = spc_csv_columns(csv);
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++) {
        const spc_csv_use use = spc_csv_values_use(&evidence[i].ids);
        if (columns[i].kind != SPC_CSV_NUMERIC || use == SPC_CSV_COMPUTE) continue;
        columns[i].kind = use == SPC_CSV_HASH ? SPC_CSV_HASHED : SPC_CSV_SKIP;
    }
}

/* At first: values may say more. */
static spc_csv_kind first_kind(const spc_csv *csv, int64_t i, int64_t label) {
    if (i == label) return SPC_CSV_LABEL;
    if (csv->is_ratings)
        return i == csv->ratings.user || i == csv->ratings.item ? SPC_CSV_DICTIONARY : SPC_CSV_SKIP;
    return spc_csv_is_unnamed(csv, i) ? SPC_CSV_SKIP : SPC_CSV_NUMERIC;
}

/* `described` has columns that are not guessed, or is NULL. */
static sparcl_status add_columns(spc_csv *csv, const spc_csv *described, spc_array *evidence,
                                 int64_t label) {
    const spc_csv_evidence none = {.values = 0};
    for (int64_t i = 0; i < spc_csv_field_count(csv); i++) {
        char number[SPC_CSV_NAME_BYTES];
        size_t length = 0;
        const int64_t field = other_place(csv, i);
        const char *const name = spc_csv_field_name(csv, field, number, &length);
        if (spc_csv_find_column(csv, name, length) >= 0)
            return spc_csv_refuse_name(
                csv, (spc_csv_field *)csv->names.at + field, "every column once",
                "a column before it has this name: rename one of them in the heading");
        const bool is_guessed = !described || spc_csv_find_column(described, name, length) < 0;
        SPC_TRY(spc_csv_add_column(csv, name, length,
                                   is_guessed ? first_kind(csv, field, label) : SPC_CSV_SKIP, 0));
        spc_csv_columns(csv)[i].is_guessed = is_guessed;
        spc_csv_columns(csv)[i].learns = spc_csv_columns(csv)[i].kind == SPC_CSV_DICTIONARY;
        SPC_TRY(spc_array_add(evidence, &none, sizeof none, csv->allocator, csv->error));
    }
    return SPARCL_OK;
}

static void free_evidence(const spc_csv *csv, spc_array *evidence) {
    spc_csv_evidence *const all = evidence->at;
    for (size_t i = 0; i < evidence->used / sizeof *all; i++) {
        spc_csv_values_free(&all[i].ids, csv->allocator);
        spc_word_set_free(&all[i].words, csv->allocator);
    }
    spc_array_free(evidence, csv->allocator);
}

static sparcl_status guess(spc_csv *csv, const spc_csv *described, spc_csv_text text,
                           int64_t label) {
    spc_array evidence = {0};
    sparcl_status status;
    SPC_GO(add_columns(csv, described, &evidence, label));
    SPC_GO(note_values(csv, evidence.at, text));
    spc_csv_guess_forms(csv, evidence.at);
    set_ids_apart(csv, evidence.at);
    find_texts(csv);
    SPC_GO(spc_csv_note_guesses(csv, evidence.at));
done:
    free_evidence(csv, &evidence);
    return status;
}

sparcl_status spc_csv_guess(spc_csv *csv, spc_csv_text text, int64_t label) {
    return guess(csv, NULL, text, label);
}

/* ---- columns that a description does not name ----------------------------------------------- */

static sparcl_status take_guessed(spc_csv *csv, const spc_csv *from) {
    for (int64_t i = 0; i < spc_csv_column_count(from); i++) {
        const spc_csv_column *const guessed = &spc_csv_columns(from)[i];
        size_t length = 0;
        const char *const name = spc_word_at(&from->column_names, i, &length);
        if (!guessed->is_guessed) continue;
        SPC_TRY(spc_csv_add_column(csv, name, length, guessed->kind, 0));
        spc_csv_column *const to = &spc_csv_columns(csv)[spc_csv_column_count(csv) - 1];
        to->is_guessed = true;
        to->learns = guessed->learns;
        to->form = guessed->form;
        to->sample = guessed->sample;
        to->is_weighted = guessed->is_weighted;
    }
    if (from->notes.used == 0) return SPARCL_OK;
    return spc_array_add(&csv->notes, from->notes.at, from->notes.used, csv->allocator, csv->error);
}

/* Fields are changed where they are read: of a copy. */
sparcl_status spc_csv_guess_others(spc_csv *csv, spc_csv_text text, int64_t label) {
    static const char pad[SPC_NUMBER_PAD] = {0};
    const size_t size = (size_t)(text.end - text.at);
    spc_array copy = {0};
    spc_csv all = *csv;
    sparcl_status status;
    all.columns = all.notes = (spc_array){0};
    all.column_names = (spc_word_set){0};
    SPC_GO(spc_array_add(&copy, text.at, size, csv->allocator, csv->error));
    SPC_GO(spc_array_add(&copy, pad, sizeof pad, csv->allocator, csv->error));
    text.at = text.line = copy.at;
    text.end = text.at + size;
    SPC_GO(guess(&all, csv, text, label));
    SPC_GO(take_guessed(csv, &all));
done:
    spc_array_free(&all.columns, csv->allocator);
    spc_array_free(&all.notes, csv->allocator);
    spc_word_set_free(&all.column_names, csv->allocator);
    spc_array_free(&copy, csv->allocator);
    return status;
}
