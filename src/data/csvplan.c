/* csvplan.c: from the beginning of a CSV file, decides what its columns are. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "data/csv.h"
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

/* The one that stands most often in the first line, outside of quotes. */
static char find_delimiter(const char *at) {
    static const char all[] = {',', '\t', ';', '|'};
    int counts[sizeof all] = {0}, best = 0;
    bool quoted = false;
    for (; *at != '\0' && (quoted || *at != '\n'); at++) {
        quoted ^= *at == '"';
        for (size_t i = 0; i < sizeof all && !quoted; i++)
            counts[i] += *at == all[i];
    }
    for (int i = 1; i < (int)sizeof all; i++)
        if (counts[i] > counts[best]) best = i;
    return all[best];
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
    return given == SPARCL_HEADING_AUTO ? spc_csv_has_names(shape) : given == SPARCL_HEADING_YES;
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

enum { NAME_BYTES = 32 };

static bool is_unnamed(const spc_csv *csv, int64_t i) {
    return csv->heading && ((const spc_csv_field *)csv->names.at)[i].length == 0;
}

/* Without a heading, columns are named by their numbers, from 1; one that it does not name, as
 * pandas does. */
static const char *name_of(const spc_csv *csv, int64_t i, char number[NAME_BYTES], size_t *length) {
    const spc_csv_field *const field = &((const spc_csv_field *)csv->names.at)[i];
    *length = field->length;
    if (csv->heading && field->length > 0) return field->at;
    *length = (size_t)(csv->heading ? snprintf(number, NAME_BYTES, "Unnamed: %" PRId64, i)
                                    : snprintf(number, NAME_BYTES, "%" PRId64, i + 1));
    return number;
}

/* ---- without a description ------------------------------------------------------------------ */

static int64_t find_label(const spc_csv *csv) {
    static const char *const names[] = {"label", "target", "y"};
    const spc_csv_field *const fields = csv->names.at;
    for (size_t k = 0; csv->heading && k < SPC_COUNT(names); k++)
        for (int64_t i = 0; i < spc_csv_field_count(csv); i++)
            if (spc_same_word(fields[i].at, fields[i].length, names[k])) return i;
    int64_t first = 0;
    while (first + 1 < spc_csv_field_count(csv) && is_unnamed(csv, first))
        first++;
    return first;
}

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

/* A column is hashed when any of its values in the text is no number, and does not stand for a
 * missing one. */
static sparcl_status note_value(spc_csv *csv, int64_t i, const spc_csv_field *field) {
    double number = 0;
    spc_rounded unused;
    if (i >= spc_csv_column_count(csv)) return SPARCL_OK;
    spc_csv_column *const column = &spc_csv_columns(csv)[i];
    if (column->kind != SPC_CSV_NUMERIC || spc_csv_number(field, &number, &unused) ||
        spc_csv_is_missing(field->at, field->length))
        return SPARCL_OK;
    column->kind = SPC_CSV_HASHED;
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

/* `text` is what comes after the first record. */
static sparcl_status guess(spc_csv *csv, spc_csv_text text) {
    const int64_t label = find_label(csv);
    for (int64_t i = 0; i < spc_csv_field_count(csv); i++) {
        char number[NAME_BYTES];
        size_t length = 0;
        const char *const name = name_of(csv, i, number, &length);
        if (spc_csv_find_column(csv, name, length) >= 0)
            return refuse_name(csv, (spc_csv_field *)csv->names.at + i, "every column once",
                               "rename it in the heading");
        SPC_TRY(spc_csv_add_column(csv, name, length,
                                   i == label           ? SPC_CSV_LABEL
                                   : is_unnamed(csv, i) ? SPC_CSV_SKIP
                                                        : SPC_CSV_NUMERIC,
                                   0));
    }
    return note_values(csv, text);
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
        if (columns[i].field >= 0 || columns[i].kind <= SPC_CSV_SKIP) continue;
        spc_text_add_shown(&text, name, length < 64 ? length : 64);
        return spc_fail(csv->error, SPARCL_E_FORMAT,
                        "%s:1:1: expected the column \"%s\", which %s:%" PRId64
                        " describes, found none; %s",
                        csv->name, shown, csv->desc->csv_columns, columns[i].line,
                        csv->heading ? "correct its name there or in the heading"
                                     : "the file has no heading, so name columns by numbers from 1 "
                                       "there, or say that the first line is one");
    }
    return SPARCL_OK;
}

static sparcl_status match_field(spc_csv *csv, int64_t i, spc_csv_kind others) {
    char number[NAME_BYTES];
    size_t length = 0;
    const char *const name = name_of(csv, i, number, &length);
    const spc_csv_field *const field = (const spc_csv_field *)csv->names.at + i;
    int64_t column = spc_csv_find_column(csv, name, length);
    if (column < 0 && others == SPC_CSV_KINDS)
        return refuse_name(csv, field, "a column that the description has",
                           "add a line NAME,KIND to it, or *,skip for all other columns");
    if (column < 0) {
        column = spc_csv_column_count(csv);
        SPC_TRY(spc_csv_add_column(csv, name, length, others, 0));
        spc_csv_columns(csv)[column].learns = others == SPC_CSV_DICTIONARY;
    }
    if (spc_csv_columns(csv)[column].field >= 0)
        return refuse_name(csv, field, "every column once", "rename it in the heading");
    spc_csv_columns(csv)[column].field = i;
    const int32_t narrow = (int32_t)column;
    return spc_array_add(&csv->fields, &narrow, sizeof narrow, csv->allocator, csv->error);
}

static sparcl_status match(spc_csv *csv, spc_csv_kind others) {
    for (int64_t i = 0; i < spc_csv_field_count(csv); i++)
        SPC_TRY(match_field(csv, i, others));
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

/* First what is hashed, in columns that all share; then each column of the description. */
static void number_columns(spc_csv *csv) {
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
        hashed |= columns[i].kind == SPC_CSV_HASHED;
        csv->learns |= columns[i].learns;
    }
    csv->bits = hashed ? find_bits(csv, own) : 0;
    csv->width = own + (hashed ? (int64_t)1 << csv->bits : 0);
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++)
        columns[i].first += csv->width - own;
}

static char delimiter_of(const spc_csv *csv, const char *text) {
    return csv->desc->csv_delimiter ? csv->desc->csv_delimiter : find_delimiter(text);
}

sparcl_status spc_csv_plan(spc_csv *csv, spc_csv_text *text) {
    spc_csv_kind others = SPC_CSV_KINDS;
    if (!spc_csv_skip_blank_lines(text)) {
        const spc_csv_field none = {.column = 1, .line = text->line_number - 1};
        return refuse_at(csv, &none, "expected rows, found an empty file; use another file");
    }
    const spc_csv_text before = *text;
    text->delimiter = csv->delimiter = delimiter_of(csv, text->at);
    const spc_csv_shape shape = spc_csv_shape_of(text->at, text->end, csv->delimiter);
    SPC_TRY(read_first(csv, text));
    csv->heading = is_heading(csv, &shape);
    SPC_TRY(add_unnamed(csv, &shape));
    if (csv->desc->csv_columns)
        SPC_TRY(spc_csv_read_description(csv, &others));
    else
        SPC_TRY(guess(csv, *text));
    SPC_TRY(match(csv, others));
    number_columns(csv);
    if (!csv->heading) *text = before;
    return SPARCL_OK;
}
