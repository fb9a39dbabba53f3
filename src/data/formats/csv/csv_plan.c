/* csv_plan.c: from the beginning of a CSV file, decides what its columns are. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/utf8.h"
#include "data/formats/csv/csv.h"
#include "data/formats/csv/csv_guess.h"
#include "data/formats/csv/csv_numbers.h"
#include "data/formats/csv/csv_shape.h"
#include "data/io/murmur3.h"
#include "data/io/words.h"

enum { USUAL_HASH_BITS = 18 };

/* ---- the delimiter and the first record ----------------------------------------------------- */

/* With it, the first two records have as many fields. */
static bool divides_evenly(const spc_csv_text *text, char delimiter) {
    const spc_csv_shape shape = spc_csv_shape_of(text->at, text->end, delimiter);
    return shape.first.fields > 1 &&
           (shape.first.fields == shape.second.fields || shape.unnamed != 0);
}

/* The one that stands most often in the first line, outside of quotes; but one that divides the
 * second record as the first where that one does not. */
static char find_delimiter(const spc_csv_text *text) {
    const char *const all = spc_csv_delimiters;
    const char *at = text->at;
    int counts[SPC_CSV_DELIMITERS] = {0}, best = 0;
    while (at && *at != '\0' && *at != '\n') {
        for (int i = 0; i < SPC_CSV_DELIMITERS; i++)
            counts[i] += *at == all[i];
        at = *at == '"' && (at == text->at || spc_csv_divides(at[-1], 0))
                 ? spc_csv_skip_quoted(at, text->end)
                 : at + 1;
    }
    for (int i = 1; i < SPC_CSV_DELIMITERS; i++)
        if (counts[i] > counts[best]) best = i;
    for (int i = 0; i < SPC_CSV_DELIMITERS && !divides_evenly(text, all[best]); i++)
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
        if (fault != SPC_CSV_GOOD) return spc_csv_refuse_at(csv, &field, spc_csv_fault_text(fault));
        SPC_TRY(spc_array_add(&csv->names, &field, sizeof field, csv->allocator, csv->error));
    } while (!text->at_record_end);
    return SPARCL_OK;
}

/* Whether a rating, which is a number, or both names may be a heading. */
static bool may_have_names(const spc_csv *csv, const spc_csv_shape *shape) {
    const spc_csv_record *const first = &shape->first;
    const int64_t rating = csv->ratings.rating;
    if (csv->is_ratings && rating >= 0 && rating < SPC_CSV_LOOKS)
        return first->looks[rating] == SPC_CSV_A_WORD && !first->is_value[rating];
    return spc_csv_has_names(shape);
}

/* `first` is the text from the first record on. */
static sparcl_status find_heading(spc_csv *csv, const spc_csv_shape *shape,
                                  const spc_csv_text *first) {
    static const char note[] = "the first line was taken for a row, as one of its words stands "
                               "below in the same column (--csv-heading yes: for a heading)\n";
    const sparcl_heading given = csv->desc->csv_heading;
    csv->heading = given == SPARCL_HEADING_YES;
    if (given != SPARCL_HEADING_AUTO) return SPARCL_OK;
    csv->heading = may_have_names(csv, shape);
    if (!csv->heading || (csv->is_ratings && shape->first.fields > 2) ||
        spc_csv_is_described(csv) || spc_csv_has_label_name(csv) ||
        !spc_csv_repeats_first(first->at, first->end, csv->delimiter))
        return SPARCL_OK;
    csv->heading = false;
    if (csv->is_ratings) return SPARCL_OK;
    return spc_array_add(&csv->notes, note, sizeof note - 1, csv->allocator, csv->error);
}

/* A column without a name, where the heading has none. */
static sparcl_status add_unnamed(spc_csv *csv, const spc_csv_shape *shape) {
    const int where = csv->heading ? shape->unnamed : 0;
    const spc_csv_field none = {.at = NULL, .line = spc_csv_first_line(csv) - 1};
    if (where == 0) return SPARCL_OK;
    SPC_TRY(spc_array_add(&csv->names, &none, sizeof none, csv->allocator, csv->error));
    spc_csv_field *const names = csv->names.at;
    const size_t others = (size_t)spc_csv_field_count(csv) - 1;
    if (where > 0) return SPARCL_OK;
    memmove(names + 1, names, others * sizeof *names);
    names[0] = none;
    return SPARCL_OK;
}

/* ---- with a description --------------------------------------------------------------------- */

/* A column of the training data; perhaps its name has other letters in case. */
static sparcl_status refuse_missing(const spc_csv *csv, const char *name) {
    char why[384];
    spc_text text = spc_text_in(why, sizeof why);
    spc_text_add(&text, "expected the column \"%s\", as the training data has it, found none; ",
                 name);
    for (int64_t i = 0; csv->heading && i < spc_csv_field_count(csv); i++) {
        const spc_csv_field *const field = (const spc_csv_field *)csv->names.at + i;
        if (!spc_same_word(field->at, field->length, name)) continue;
        spc_text_add(&text, "did you mean \"");
        spc_text_add_beginning(&text, field->at, field->length);
        spc_text_add(&text, "\"? If so, ");
        break;
    }
    spc_text_add(&text, "%s",
                 csv->heading ? "correct its name in the heading, or add it"
                              : "it has no heading: add one, or say that the first line is one");
    return spc_fail(csv->error, SPARCL_E_FORMAT, "%s:%" PRId64 ":1: %s", csv->name,
                    spc_csv_first_line(csv), why);
}

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
        spc_text_add_beginning(&text, name, length);
        if (!csv->desc->csv_columns) return refuse_missing(csv, shown);
        return spc_fail(csv->error, SPARCL_E_FORMAT,
                        "%s:%" PRId64 ":1: expected the column \"%s\", which %s:%" PRId64
                        " describes, found none; %s",
                        csv->name, spc_csv_first_line(csv), shown, spc_csv_description_name(csv),
                        columns[i].line,
                        csv->heading ? "correct its name there or in the heading, or add it"
                                     : "the file has no heading, so name columns by numbers from 1 "
                                       "there, or say that the first line is one");
    }
    return SPARCL_OK;
}

/* Labels have no unit of their own there, and none is left out. */
static spc_csv_form form_of_other(const spc_csv *csv, bool is_label) {
    const char decimal = csv->others_form.decimal;
    if (!is_label) return csv->others_form;
    return (spc_csv_form){.decimal = decimal ? decimal : csv->desc->csv_decimal};
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
        return spc_csv_refuse_name(csv, field, "a column that the description has",
                                   "add a line NAME,KIND to it; or *,auto or *,skip for all other "
                                   "columns");
    if (column < 0) {
        column = spc_csv_column_count(csv);
        SPC_TRY(spc_csv_add_column(csv, name, length, others, 0));
        spc_csv_columns(csv)[column].learns = others == SPC_CSV_DICTIONARY;
        spc_csv_columns(csv)[column].form = form_of_other(csv, i == label);
        csv->others += !csv->desc->csv_columns && spc_csv_is_described(csv);
    }
    if (spc_csv_columns(csv)[column].kind == SPC_CSV_CROSS)
        return spc_csv_refuse_name(csv, field, "no column with the name of a cross",
                                   "rename it in the heading, or the cross in its description");
    if (spc_csv_columns(csv)[column].field >= 0)
        return spc_csv_refuse_name(
            csv, field, "every column once",
            "a column before it has this name: rename one of them in the heading");
    spc_csv_columns(csv)[column].field = i;
    const int32_t narrow = (int32_t)column;
    return spc_array_add(&csv->fields, &narrow, sizeof narrow, csv->allocator, csv->error);
}

static sparcl_status match(spc_csv *csv, spc_csv_kind others, int64_t label) {
    if (spc_csv_has_places(csv)) return spc_csv_match_places(csv);
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

/* The fields of ratings have a meaning by the names in the heading, or by their place; without a
 * rating there are no labels. */
static sparcl_status find_rating(spc_csv *csv, int64_t *label) {
    const spc_csv_field *const names = csv->heading ? csv->names.at : NULL;
    char note[1024];
    spc_text text = spc_text_in(note, sizeof note);
    if (spc_csv_field_count(csv) < 2)
        return spc_csv_refuse_at(csv, csv->names.at,
                                 "expected \"user,item[,rating[,time]]\", found one field; divide "
                                 "the fields by commas, semicolons or tabs");
    csv->ratings = spc_rating_fields_of(names, names ? spc_csv_field_count(csv) : 0);
    csv->ratings.count = spc_csv_field_count(csv);
    if (!csv->ratings.by_name) csv->ratings.rating = csv->ratings.count > 2 ? 2 : -1;
    *label = csv->ratings.rating;
    if (spc_rating_fields_are_usual(&csv->ratings)) return SPARCL_OK;
    spc_rating_fields_note(&text, &csv->ratings, names, csv->desc->ratings);
    return spc_array_add(&csv->notes, note, text.length, csv->allocator, csv->error);
}

/* Columns that are described by numbers have no names, and those of words look as if they had. */
static void find_no_heading(spc_csv *csv) {
    const spc_csv_field *const names = csv->names.at;
    if (csv->desc->csv_heading != SPARCL_HEADING_AUTO || spc_csv_find_column(csv, "1", 1) < 0)
        return;
    for (int64_t i = 0; i < spc_csv_field_count(csv); i++)
        if (spc_csv_find_column(csv, names[i].at, names[i].length) >= 0) return;
    csv->heading = false;
}

/* `text` is what comes after the first record. */
static sparcl_status plan_columns(spc_csv *csv, spc_csv_text text) {
    const bool is_described = spc_csv_is_described(csv);
    spc_csv_kind others = SPC_CSV_KINDS;
    int64_t label = -1;
    if (is_described) SPC_TRY(spc_csv_read_description(csv, &others));
    if (is_described) find_no_heading(csv);
    SPC_TRY(spc_csv_find_label(csv, &label, &csv->known_labels));
    if (csv->is_ratings) SPC_TRY(find_rating(csv, &label));
    csv->guesses =
        !is_described && !csv->is_ratings && !csv->desc->csv_label && csv->known_labels == 0;
    SPC_TRY(is_described ? spc_csv_check_label(csv, label) : spc_csv_guess(csv, text, label));
    if (others == SPC_CSV_AUTO) SPC_TRY(spc_csv_guess_others(csv, text, label));
    SPC_TRY(match(csv, others, label));
    if (csv->standardizes && is_described) spc_csv_note_numbers(csv, text);
    spc_csv_plan_numbers(csv);
    SPC_TRY(spc_csv_plan_crosses(csv));
    if (csv->standardizes) spc_csv_scale_crossed(csv);
    return SPARCL_OK;
}

/* Behind titles, with the delimiter of the table where their own does not divide it. */
static const char *after_titles(const spc_csv *csv, const spc_csv_text *text) {
    const char usual = delimiter_of(csv, text);
    if (csv->desc->csv_heading != SPARCL_HEADING_AUTO || csv->is_ratings) return text->at;
    const char *at = spc_csv_after_titles(text->at, text->end, usual);
    if (csv->desc->csv_delimiter || divides_evenly(text, usual)) return at;
    for (int i = 0; at == text->at && i < SPC_CSV_DELIMITERS; i++)
        at = spc_csv_after_titles(text->at, text->end, spc_csv_delimiters[i]);
    return at;
}

/* Behind comments; with the delimiter of what is below the first ones. */
static const char *after_comments(const spc_csv *csv, const spc_csv_text *text) {
    spc_csv_text table = *text;
    while (table.at < table.end && *table.at == '#')
        table.at = (char *)memchr(table.at, '\n', (size_t)(table.end - table.at)) + 1;
    if (table.at == text->at || table.at == table.end) return text->at;
    return spc_csv_after_comments(text->at, text->end, delimiter_of(csv, &table));
}

/* How many lines there are, which become those before the text. */
static int64_t skip_to(spc_csv_text *text, const char *after) {
    const int64_t before = text->line_number;
    for (; text->at < after; text->at++)
        text->line_number += *text->at == '\n';
    text->line = text->at;
    return text->line_number - before;
}

static sparcl_status note_skipped(spc_csv *csv, int64_t lines, const char *one, const char *many) {
    char note[256];
    spc_text said = spc_text_in(note, sizeof note);
    if (lines == 0) return SPARCL_OK;
    if (lines > 1)
        spc_text_add(&said, "the first %" PRId64 " lines are %s\n", lines, many);
    else
        spc_text_add(&said, "the first line is %s\n", one);
    return spc_array_add(&csv->notes, note, said.length, csv->allocator, csv->error);
}

/* Comments and titles before the heading. */
static sparcl_status skip_above(spc_csv *csv, spc_csv_text *text) {
    const int64_t comments = skip_to(text, after_comments(csv, text)),
                  titles = skip_to(text, after_titles(csv, text));
    if (titles == 0)
        return note_skipped(csv, comments, "a comment (#), which is skipped",
                            "comments (#), which are skipped");
    return note_skipped(csv, comments + titles,
                        "a title above the heading, which is skipped (--csv-heading yes: it is the "
                        "heading; --csv-heading no: a row)",
                        "titles above the heading, which are skipped (--csv-heading yes: the first "
                        "one is the heading; --csv-heading no: a row)");
}

sparcl_status spc_csv_plan(spc_csv *csv, spc_csv_text *text) {
    if (!spc_csv_skip_blank_lines(text)) {
        const spc_csv_field none = {.column = 1, .line = text->line_number - 1};
        return spc_csv_refuse_at(csv, &none,
                                 "expected rows, found an empty file; use another file");
    }
    SPC_TRY(skip_above(csv, text));
    const spc_csv_text before = *text;
    text->delimiter = csv->delimiter = delimiter_of(csv, text);
    const spc_csv_shape shape = spc_csv_shape_of(text->at, text->end, csv->delimiter);
    SPC_TRY(read_first(csv, text));
    if (csv->is_ratings)
        csv->ratings = spc_rating_fields_of(csv->names.at, spc_csv_field_count(csv));
    SPC_TRY(find_heading(csv, &shape, &before));
    if (csv->heading) trim_names(csv);
    SPC_TRY(add_unnamed(csv, &shape));
    SPC_TRY(plan_columns(csv, *text));
    SPC_TRY(spc_csv_find_tag(csv, &csv->tag));
    spc_csv_number_columns(csv);
    if (!csv->heading) *text = before;
    return SPARCL_OK;
}
