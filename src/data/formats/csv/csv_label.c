/* csv_label.c: the names of the columns of a CSV file, and which of them is the label. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/text.h"
#include "base/utf8.h"
#include "data/formats/csv/csv.h"
#include "data/io/words.h"

/* ---- names ---------------------------------------------------------------------------------- */

bool spc_csv_is_unnamed(const spc_csv *csv, int64_t i) {
    return csv->heading && ((const spc_csv_field *)csv->names.at)[i].length == 0;
}

static bool has_name(const spc_csv *csv, const char *name) {
    const spc_csv_field *const fields = csv->names.at;
    const size_t length = strlen(name);
    for (int64_t i = 0; i < spc_csv_field_count(csv); i++)
        if (fields[i].length == length && memcmp(fields[i].at, name, length) == 0) return true;
    return false;
}

/* A table that was read and written by pandas twice has an index with this name beside another one
 * without a name. */
static int make_name(const spc_csv *csv, int64_t i, char name[SPC_CSV_NAME_BYTES]) {
    int length = snprintf(name, SPC_CSV_NAME_BYTES, "Unnamed: %" PRId64, i);
    for (int again = 1; i == 0 && has_name(csv, name) && again < 1000; again++)
        length = snprintf(name, SPC_CSV_NAME_BYTES, "Unnamed: %" PRId64 ".%d", i, again);
    return length;
}

const char *spc_csv_field_name(const spc_csv *csv, int64_t i, char number[SPC_CSV_NAME_BYTES],
                               size_t *length) {
    const spc_csv_field *const field = &((const spc_csv_field *)csv->names.at)[i];
    *length = field->length;
    if (csv->heading && field->length > 0) return field->at;
    *length = (size_t)(csv->heading ? make_name(csv, i, number)
                                    : snprintf(number, SPC_CSV_NAME_BYTES, "%" PRId64, i + 1));
    return number;
}

/* ---- what is wrong with the first record ---------------------------------------------------- */

sparcl_status spc_csv_refuse_at(const spc_csv *csv, const spc_csv_field *field, const char *why) {
    return spc_fail(csv->error, SPARCL_E_FORMAT, "%s:%" PRId64 ":%" PRId64 ": %s", csv->name,
                    field->line + 1, field->column, why);
}

sparcl_status spc_csv_refuse_name(const spc_csv *csv, const spc_csv_field *field,
                                  const char *expected, const char *remedy) {
    char why[512];
    spc_text text = spc_text_in(why, sizeof why);
    spc_text_add(&text, "expected %s, found the column \"", expected);
    spc_text_add_beginning(&text, field->at, field->length);
    spc_text_add(&text, "\"; %s", remedy);
    return spc_csv_refuse_at(csv, field, why);
}

/* ---- by its name ---------------------------------------------------------------------------- */

static int64_t find_field(const spc_csv *csv, const char *wanted) {
    char number[SPC_CSV_NAME_BYTES];
    for (int64_t i = 0; i < spc_csv_field_count(csv); i++) {
        size_t length = 0;
        const char *const name = spc_csv_field_name(csv, i, number, &length);
        if (length == strlen(wanted) && memcmp(name, wanted, length) == 0) return i;
    }
    return -1;
}

/* The columns with one of the names that labels usually have; *first is the one whose name is the
 * first of these. */
static int count_known(const spc_csv *csv, int64_t *first) {
    static const char *const names[] = {"label",   "target",   "y",    "click",
                                        "clicked", "is_click", "class"};
    const spc_csv_field *const fields = csv->names.at;
    int count = 0;
    for (size_t k = 0; csv->heading && k < SPC_COUNT(names); k++)
        for (int64_t i = 0; i < spc_csv_field_count(csv); i++)
            if (spc_same_word(fields[i].at, fields[i].length, names[k]) && count++ == 0) *first = i;
    return count;
}

static int64_t find_first_named(const spc_csv *csv) {
    int64_t first = 0;
    while (first + 1 < spc_csv_field_count(csv) && spc_csv_is_unnamed(csv, first))
        first++;
    return first;
}

bool spc_csv_has_label_name(const spc_csv *csv) {
    int64_t unused;
    return count_known(csv, &unused) > 0;
}

/* ---- as given ------------------------------------------------------------------------------- */

/* A number from 1 of a column; 0: it is none. */
static int64_t number_of(const spc_csv *csv, const char *given) {
    int64_t number = 0;
    for (const char *at = given; *at; at++) {
        if (*at < '0' || *at > '9' || number > spc_csv_field_count(csv)) return 0;
        number = 10 * number + (*at - '0');
    }
    return number <= spc_csv_field_count(csv) ? number : 0;
}

static void add_names(spc_text *text, const spc_csv *csv) {
    enum { ROOM = 128 };
    char number[SPC_CSV_NAME_BYTES];
    const int64_t count = spc_csv_field_count(csv);
    for (int64_t i = 0; i < count; i++) {
        size_t length = 0;
        const char *const name = spc_csv_field_name(csv, i, number, &length);
        if (text->capacity - text->length < ROOM) {
            spc_text_add(text, ", and %" PRId64 " more", count - i);
            return;
        }
        spc_text_add(text, i ? ", " : "");
        spc_text_add_beginning(text, name, length);
    }
}

/* The name that is most like the one that is given; empty: none is. One letter is like every
 * other. */
static void find_nearest(const spc_csv *csv, const char *given, char best[SPC_CSV_NAME_BYTES]) {
    char number[SPC_CSV_NAME_BYTES], copy[SPC_CSV_NAME_BYTES];
    spc_nearest meant = {.word = given};
    best[0] = '\0';
    for (int64_t i = 0; strlen(given) > 1 && i < spc_csv_field_count(csv); i++) {
        size_t length = 0;
        const char *const name = spc_csv_field_name(csv, i, number, &length);
        const bool is_same = spc_same_word(name, length, given);
        if (length >= SPC_CSV_NAME_BYTES) continue;
        memcpy(copy, name, length);
        copy[length] = '\0';
        spc_nearest_offer(&meant, copy);
        if (meant.best == copy || is_same) memcpy(best, copy, length + 1);
        if (is_same) return;
        if (meant.best) meant.best = best;
    }
}

static bool is_number(const char *text) {
    return text[strspn(text, "0123456789")] == '\0';
}

static sparcl_status refuse_given(const spc_csv *csv, const char *given, const char *use) {
    char why[800], best[SPC_CSV_NAME_BYTES] = "";
    spc_text text = spc_text_in(why, sizeof why);
    if (!is_number(given)) find_nearest(csv, given, best);
    spc_text_add(&text, "expected the column \"");
    spc_text_add_beginning(&text, given, strlen(given));
    spc_text_add(&text, "\" for the %s, found none of this name or number; ", use);
    if (best[0]) {
        spc_text_add(&text, "did you mean \"");
        spc_text_add_beginning(&text, best, strlen(best));
        spc_text_add(&text, "\"? Name ");
    } else
        spc_text_add(&text, "name ");
    spc_text_add(&text, "one of the %" PRId64 " columns%s: ", spc_csv_field_count(csv),
                 csv->heading ? "" : " (the file has no heading)");
    add_names(&text, csv);
    return spc_fail(csv->error, SPARCL_E_FORMAT, "%s:%" PRId64 ":1: %s", csv->name,
                    spc_csv_first_line(csv), why);
}

static bool is_described_label(const spc_csv *csv, const char *name) {
    const int64_t column = spc_csv_find_column(csv, name, strlen(name));
    return column >= 0 && spc_csv_columns(csv)[column].kind == SPC_CSV_LABEL;
}

static int64_t find_given(const spc_csv *csv, const char *given) {
    const int64_t field = find_field(csv, given);
    return field < 0 ? number_of(csv, given) - 1 : field;
}

/* Labels may be missing in a file whose description has them. */
static sparcl_status find_given_label(const spc_csv *csv, int64_t *field) {
    const char *const given = csv->desc->csv_label;
    *field = find_given(csv, given);
    if (*field >= 0 || is_described_label(csv, given)) return SPARCL_OK;
    return refuse_given(csv, given, "label");
}

sparcl_status spc_csv_find_given(const spc_csv *csv, const char *given, const char *use,
                                 int64_t *field) {
    *field = find_given(csv, given);
    return *field < 0 ? refuse_given(csv, given, use) : SPARCL_OK;
}

sparcl_status spc_csv_find_tag(const spc_csv *csv, int64_t *field) {
    *field = -1;
    return csv->desc->row_tag ? spc_csv_find_given(csv, csv->desc->row_tag, "tags of rows", field)
                              : SPARCL_OK;
}

/* A column in place of a file. */
static sparcl_status check_file(const spc_csv *csv) {
    const char *const labels = csv->desc->labels;
    if (!labels || find_field(csv, labels) < 0 || access(labels, F_OK) == 0) return SPARCL_OK;
    return spc_fail(csv->error, SPARCL_E_FORMAT,
                    "%s:1:1: expected a file of labels, found no file %s, but a column of this "
                    "name; use --label %s for the column",
                    csv->name, labels, labels);
}

static bool has_label(const spc_csv *csv) {
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++)
        if (spc_csv_columns(csv)[i].kind == SPC_CSV_LABEL) return true;
    return false;
}

static bool is_described_field(const spc_csv *csv, int64_t field) {
    char number[SPC_CSV_NAME_BYTES];
    size_t length = 0;
    const char *const name = spc_csv_field_name(csv, field, number, &length);
    return spc_csv_find_column(csv, name, length) >= 0;
}

sparcl_status spc_csv_find_label(const spc_csv *csv, int64_t *field, int *known) {
    *known = 0;
    *field = -1;
    SPC_TRY(check_file(csv));
    if (csv->desc->csv_label) return find_given_label(csv, field);
    if (spc_csv_is_described(csv) && (!csv->guesses_others || has_label(csv))) return SPARCL_OK;
    *known = count_known(csv, field);
    if (*known == 0 && !csv->guesses_others) *field = find_first_named(csv);
    if (*known > 0 && csv->guesses_others && is_described_field(csv, *field)) *field = -1;
    return SPARCL_OK;
}

/* ---- against a description ------------------------------------------------------------------ */

static sparcl_status refuse_described(const spc_csv *csv, int64_t column, const char *remedy) {
    char shown[128];
    size_t length = 0;
    const char *const name = spc_word_at(&csv->column_names, column, &length);
    const spc_csv_column *const described = &spc_csv_columns(csv)[column];
    spc_text text = spc_text_in(shown, sizeof shown);
    spc_text_add_beginning(&text, name, length);
    return spc_fail(
        csv->error, SPARCL_E_FORMAT,
        "%s:%" PRId64
        ":1: expected the label %s, as given by --label, found the column \"%s\" as %s; "
        "%s",
        spc_csv_description_name(csv), described->line, csv->desc->csv_label, shown,
        spc_csv_kind_names[described->kind], remedy);
}

sparcl_status spc_csv_check_label(const spc_csv *csv, int64_t field) {
    char number[SPC_CSV_NAME_BYTES];
    size_t length = 0;
    if (field < 0) return SPARCL_OK;
    const char *const name = spc_csv_field_name(csv, field, number, &length);
    const int64_t own = spc_csv_find_column(csv, name, length);
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++)
        if (i != own && spc_csv_columns(csv)[i].kind == SPC_CSV_LABEL)
            return refuse_described(csv, i, "remove --label, or this line");
    if (own < 0 || spc_csv_columns(csv)[own].kind == SPC_CSV_LABEL) return SPARCL_OK;
    return refuse_described(csv, own, "describe it as label there, or remove --label");
}
