/* csvplan.c: from the beginning of a CSV file, decides what its columns are. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "data/csv.h"
#include "data/csvnumbers.h"
#include "data/csvshape.h"
#include "data/murmur3.h"
#include "data/words.h"

enum { USUAL_HASH_BITS = 18 };

static sparcl_status refuse_at(const spc_csv *csv, const spc_csv_field *field, const char *why) {
    return spc_fail(csv->error, SPARCL_E_FORMAT, "%s:%" PRId64 ":%" PRId64 ": %s", csv->name,
                    field->line + 1, field->column, why);
}

static sparcl_status refuse_name(const spc_csv *csv, const spc_csv_field *field,
                                 const char *expected, const char *remedy) {
    char why[512];
    spc_text text = spc_text_in(why, sizeof why);
    spc_text_add(&text, "expected %s, found the column \"", expected);
    spc_text_add_shown(&text, field->at, field->length < 64 ? field->length : 64);
    spc_text_add(&text, "\"; %s", remedy);
    return refuse_at(csv, field, why);
}

/* ---- the delimiter and the first record ----------------------------------------------------- */

static const char delimiters[] = {',', '\t', ';', '|'};

/* With it, the first two records have as many fields. */
static bool divides_evenly(const spc_csv_text *text, char delimiter) {
    const spc_csv_shape shape = spc_csv_shape_of(text->at, text->end, delimiter);
    return shape.first.fields > 1 &&
           (shape.first.fields == shape.second.fields || spc_csv_unnamed(&shape) != 0);
}

/* The one that stands most often in the first line, outside of quotes; but one that divides the
 * second record as the first where that one does not. */
static char find_delimiter(const spc_csv_text *text) {
    const char *const all = delimiters;
    const char *at = text->at;
    int counts[sizeof delimiters] = {0}, best = 0;
    bool quoted = false;
    for (; *at != '\0' && (quoted || *at != '\n'); at++) {
        quoted ^= *at == '"';
        for (size_t i = 0; i < sizeof delimiters && !quoted; i++)
            counts[i] += *at == all[i];
    }
    for (int i = 1; i < (int)sizeof delimiters; i++)
        if (counts[i] > counts[best]) best = i;
    for (size_t i = 0; i < sizeof delimiters && !divides_evenly(text, all[best]); i++)
        if (counts[i] > 0 && divides_evenly(text, all[i])) return all[i];
    return all[best];
}

/* "a, b": the name is b. */
static void trim_names(spc_csv *csv) {
    spc_csv_field *const names = csv->names.at;
    for (int64_t i = 0; i < spc_csv_field_count(csv); i++) {
        while (names[i].length > 0 && spc_is_blank(names[i].at[names[i].length - 1]))
            names[i].length--;
        for (; names[i].length > 0 && spc_is_blank(*names[i].at); names[i].length--)
            names[i].at++;
    }
}

static sparcl_status read_first(spc_csv *csv, spc_csv_text *text) {
    spc_csv_field field;
    do {
        const spc_csv_fault fault = spc_csv_next(text, &field);
        if (fault != SPC_CSV_GOOD) return refuse_at(csv, &field, spc_csv_fault_text(fault));
        SPC_TRY(spc_array_add(&csv->names, &field, sizeof field, csv->allocator, csv->error));
    } while (!text->at_record_end);
    return SPARCL_OK;
}

static bool is_heading(const spc_csv *csv, const spc_csv_shape *shape) {
    const sparcl_heading given = csv->desc->csv_heading;
    if (given != SPARCL_HEADING_AUTO) return given == SPARCL_HEADING_YES;
    if (csv->is_ratings) return shape->first.looks[2] == SPC_CSV_A_WORD; /* in place of a rating */
    return spc_csv_has_names(shape);
}

/* A column without a name, where the heading has none. */
static sparcl_status add_unnamed(spc_csv *csv, const spc_csv_shape *shape) {
    const int where = csv->heading ? spc_csv_unnamed(shape) : 0;
    const spc_csv_field none = {.at = NULL};
    if (where == 0) return SPARCL_OK;
    SPC_TRY(spc_array_add(&csv->names, &none, sizeof none, csv->allocator, csv->error));
    spc_csv_field *const names = csv->names.at;
    const size_t others = (size_t)spc_csv_field_count(csv) - 1;
    if (where > 0) return SPARCL_OK;
    memmove(names + 1, names, others * sizeof *names);
    names[0] = none;
    return SPARCL_OK;
}

/* ---- without a description ------------------------------------------------------------------ */

/* "1,5": digits on both sides of one comma. */
static bool has_decimal_comma(const spc_csv_field *field) {
    const char *at = field->at, *const end = at + field->length;
    int64_t digits[2] = {0, 0}, commas = 0;
    at += at < end && (*at == '-' || *at == '+');
    for (; at < end && commas < 2; at++) {
        if (*at == ',')
            commas++;
        else if (*at >= '0' && *at <= '9')
            digits[commas]++;
        else
            return false;
    }
    return commas == 1 && digits[0] > 0 && digits[1] > 0;
}

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

/* A column is hashed, and labels are words, when any of its values in the text is no number, and
 * does not stand for a missing one. */
static sparcl_status note_value(spc_csv *csv, int64_t i, const spc_csv_field *field) {
    double number = 0;
    spc_rounded unused;
    if (i >= spc_csv_column_count(csv)) return SPARCL_OK;
    spc_csv_column *const column = &spc_csv_columns(csv)[i];
    if (column->kind == SPC_CSV_LABEL && !csv->is_ratings &&
        !spc_csv_is_missing(field->at, field->length))
        column->learns |= !spc_csv_number(field, &number, &unused);
    if (column->kind == SPC_CSV_HASHED) note_words(column, field);
    if (column->kind != SPC_CSV_NUMERIC) return SPARCL_OK;
    SPC_TRY(spc_csv_values_add((spc_csv_values *)csv->values.at + i, field, csv->allocator,
                               csv->error));
    if (spc_csv_is_missing(field->at, field->length)) return SPARCL_OK;
    if (spc_csv_number(field, &number, &unused)) {
        spc_csv_note_number(column, number);
        return SPARCL_OK;
    }
    column->kind = SPC_CSV_HASHED;
    note_words(column, field);
    if (!has_decimal_comma(field)) return SPARCL_OK;
    return refuse_at(csv, field,
                     "expected numbers with a decimal point, found a decimal comma; write points, "
                     "or describe the column as hashed if it has words");
}

/* What is wrong with a record is found again by the reader. */
static sparcl_status note_values(spc_csv *csv, spc_csv_text text) {
    const spc_csv_field *const first = csv->names.at;
    for (int64_t i = 0; !csv->heading && i < spc_csv_field_count(csv); i++)
        SPC_TRY(note_value(csv, i, &first[i]));
    while (spc_csv_skip_blank_lines(&text)) {
        text.at_record_end = false;
        for (int64_t i = 0; !text.at_record_end; i++) {
            spc_csv_field field;
            if (spc_csv_next(&text, &field) != SPC_CSV_GOOD) return SPARCL_OK;
            SPC_TRY(note_value(csv, i, &field));
        }
    }
    return SPARCL_OK;
}

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
static void set_ids_apart(spc_csv *csv) {
    const spc_csv_values *const values = csv->values.at;
    spc_csv_column *const columns = spc_csv_columns(csv);
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++) {
        const spc_csv_use use = spc_csv_values_use(&values[i]);
        if (columns[i].kind != SPC_CSV_NUMERIC || use == SPC_CSV_COMPUTE) continue;
        columns[i].kind = use == SPC_CSV_HASH ? SPC_CSV_HASHED : SPC_CSV_SKIP;
    }
}

/* At first: values may say more. */
static spc_csv_kind first_kind(const spc_csv *csv, int64_t i, int64_t label) {
    if (i == label) return SPC_CSV_LABEL;
    if (csv->is_ratings) return i < label ? SPC_CSV_DICTIONARY : SPC_CSV_SKIP;
    return spc_csv_is_unnamed(csv, i) ? SPC_CSV_SKIP : SPC_CSV_NUMERIC;
}

/* The fields of ratings have a meaning by their place. */
static sparcl_status find_rating(spc_csv *csv, int64_t *label) {
    *label = 2;
    if (spc_csv_field_count(csv) > *label) return SPARCL_OK;
    return refuse_at(csv, csv->names.at,
                     "expected \"user,item,rating\", as users or items are words, found less "
                     "than three fields; add a rating, or number users and items");
}

/* `text` is what comes after the first record. */
static sparcl_status guess(spc_csv *csv, spc_csv_text text, int64_t label) {
    const spc_csv_values none = {.count = 0};
    for (int64_t i = 0; i < spc_csv_field_count(csv); i++) {
        char number[SPC_CSV_NAME_BYTES];
        size_t length = 0;
        const char *const name = spc_csv_field_name(csv, i, number, &length);
        if (spc_csv_find_column(csv, name, length) >= 0)
            return refuse_name(csv, (spc_csv_field *)csv->names.at + i, "every column once",
                               "rename it in the heading");
        SPC_TRY(spc_csv_add_column(csv, name, length, first_kind(csv, i, label), 0));
        spc_csv_columns(csv)[i].learns = spc_csv_columns(csv)[i].kind == SPC_CSV_DICTIONARY;
        SPC_TRY(spc_array_add(&csv->values, &none, sizeof none, csv->allocator, csv->error));
    }
    SPC_TRY(note_values(csv, text));
    set_ids_apart(csv);
    find_texts(csv);
    return SPARCL_OK;
}

/* ---- with a description --------------------------------------------------------------------- */

/* Labels and weights are not needed for predictions. */
static sparcl_status check_all_found(const spc_csv *csv) {
    const spc_csv_column *const columns = spc_csv_columns(csv);
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++) {
        char shown[128];
        size_t length = 0;
        const char *const name = spc_word_at(&csv->column_names, i, &length);
        spc_text text = spc_text_in(shown, sizeof shown);
        if (columns[i].field >= 0 || columns[i].kind <= SPC_CSV_SKIP ||
            columns[i].kind == SPC_CSV_CROSS)
            continue;
        spc_text_add_shown(&text, name, length < 64 ? length : 64);
        return spc_fail(csv->error, SPARCL_E_FORMAT,
                        "%s:1:1: expected the column \"%s\", which %s:%" PRId64
                        " describes, found none; %s",
                        csv->name, shown, spc_csv_description_name(csv), columns[i].line,
                        csv->heading ? "correct its name there or in the heading, or add it"
                                     : "the file has no heading, so name columns by numbers from 1 "
                                       "there, or say that the first line is one");
    }
    return SPARCL_OK;
}

/* `rest` is the kind of columns that the description does not have. */
static sparcl_status match_field(spc_csv *csv, int64_t i, spc_csv_kind rest, int64_t label) {
    char number[SPC_CSV_NAME_BYTES];
    size_t length = 0;
    const char *const name = spc_csv_field_name(csv, i, number, &length);
    const spc_csv_field *const field = (const spc_csv_field *)csv->names.at + i;
    const spc_csv_kind others = i == label ? SPC_CSV_LABEL : rest;
    int64_t column = spc_csv_find_column(csv, name, length);
    if (column < 0 && others == SPC_CSV_KINDS)
        return refuse_name(csv, field, "a column that the description has",
                           "add a line NAME,KIND to it, or *,skip for all other columns");
    if (column < 0) {
        column = spc_csv_column_count(csv);
        SPC_TRY(spc_csv_add_column(csv, name, length, others, 0));
        spc_csv_columns(csv)[column].learns = others == SPC_CSV_DICTIONARY;
        csv->others += !csv->desc->csv_columns && spc_csv_is_described(csv);
    }
    if (spc_csv_columns(csv)[column].kind == SPC_CSV_CROSS)
        return refuse_name(csv, field, "no column with the name of a cross",
                           "rename it in the heading, or the cross in its description");
    if (spc_csv_columns(csv)[column].field >= 0)
        return refuse_name(csv, field, "every column once", "rename it in the heading");
    spc_csv_columns(csv)[column].field = i;
    const int32_t narrow = (int32_t)column;
    return spc_array_add(&csv->fields, &narrow, sizeof narrow, csv->allocator, csv->error);
}

static sparcl_status match(spc_csv *csv, spc_csv_kind others, int64_t label) {
    for (int64_t i = 0; i < spc_csv_field_count(csv); i++)
        SPC_TRY(match_field(csv, i, others, label));
    return check_all_found(csv);
}

/* ---- the columns of the matrix -------------------------------------------------------------- */

int64_t spc_csv_own_width(const spc_csv_column *column) {
    switch (column->kind) {
    case SPC_CSV_NUMERIC:
    case SPC_CSV_LOG:
        return 1;
    case SPC_CSV_BUCKETS:
        return (int64_t)(column->bounds.used / sizeof(double)) + 1;
    case SPC_CSV_DICTIONARY:
        return spc_word_count(&column->words);
    default:
        return 0;
    }
}

/* As given, or those with which the matrix is as wide as requested, such as a model. */
static int find_bits(const spc_csv *csv, int64_t own) {
    if (csv->desc->hash_bits > 0) return csv->desc->hash_bits;
    for (int bits = 1; bits <= SPARCL_HASH_BITS_MAX; bits++)
        if (csv->desc->columns == ((int64_t)1 << bits) + own) return bits;
    return USUAL_HASH_BITS;
}

void spc_csv_number_columns(spc_csv *csv) {
    spc_csv_column *const columns = spc_csv_columns(csv);
    int64_t own = 0;
    int32_t number = 0;
    bool hashed = false;
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++) {
        size_t length = 0;
        const char *const name = spc_word_at(&csv->column_names, i, &length);
        columns[i].first = own;
        columns[i].number = columns[i].kind >= SPC_CSV_NUMERIC ? number++ : -1;
        columns[i].seed = spc_hash_name(name, length, 0);
        own += spc_csv_own_width(&columns[i]);
        csv->has_text |= columns[i].kind == SPC_CSV_TEXT;
        hashed |= columns[i].kind == SPC_CSV_HASHED || columns[i].kind == SPC_CSV_TEXT ||
                  columns[i].kind == SPC_CSV_CROSS;
        csv->learns |= columns[i].learns;
    }
    csv->bits = hashed ? find_bits(csv, own) : 0;
    csv->width = own + (hashed ? (int64_t)1 << csv->bits : 0);
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++)
        columns[i].first += csv->width - own;
}

static char delimiter_of(const spc_csv *csv, const spc_csv_text *text) {
    return csv->desc->csv_delimiter ? csv->desc->csv_delimiter : find_delimiter(text);
}

/* `text` is what comes after the first record. */
static sparcl_status plan_columns(spc_csv *csv, spc_csv_text text) {
    const bool is_described = spc_csv_is_described(csv);
    spc_csv_kind others = SPC_CSV_KINDS;
    int64_t label = -1;
    if (is_described) SPC_TRY(spc_csv_read_description(csv, &others));
    SPC_TRY(spc_csv_find_label(csv, &label, &csv->known_labels));
    if (csv->is_ratings) SPC_TRY(find_rating(csv, &label));
    csv->guesses =
        !is_described && !csv->is_ratings && !csv->desc->csv_label && csv->known_labels == 0;
    SPC_TRY(is_described ? spc_csv_check_label(csv, label) : guess(csv, text, label));
    SPC_TRY(match(csv, others, label));
    if (csv->standardizes && is_described) spc_csv_note_numbers(csv, text);
    if (csv->standardizes) spc_csv_plan_numbers(csv);
    SPC_TRY(spc_csv_plan_crosses(csv));
    if (csv->standardizes) spc_csv_scale_crossed(csv);
    return SPARCL_OK;
}

sparcl_status spc_csv_plan(spc_csv *csv, spc_csv_text *text) {
    if (!spc_csv_skip_blank_lines(text)) {
        const spc_csv_field none = {.column = 1, .line = text->line_number - 1};
        return refuse_at(csv, &none, "expected rows, found an empty file; use another file");
    }
    const spc_csv_text before = *text;
    text->delimiter = csv->delimiter = delimiter_of(csv, text);
    const spc_csv_shape shape = spc_csv_shape_of(text->at, text->end, csv->delimiter);
    SPC_TRY(read_first(csv, text));
    csv->heading = is_heading(csv, &shape);
    if (csv->heading) trim_names(csv);
    SPC_TRY(add_unnamed(csv, &shape));
    SPC_TRY(plan_columns(csv, *text));
    SPC_TRY(spc_csv_find_tag(csv, &csv->tag));
    spc_csv_number_columns(csv);
    if (!csv->heading) *text = before;
    return SPARCL_OK;
}
