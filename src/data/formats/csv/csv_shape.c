/* csv_shape.c: what the first records of text look like, that may be CSV. */
#include "data/formats/csv/csv_shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "data/formats/csv/csv_text.h"
#include "data/io/words.h"

/* Also errors of spreadsheets. */
bool spc_csv_is_missing(const char *at, size_t length) {
    enum { LONGEST = 7 };
    static const char *const words[] = {
        "na",     "nan",   "n/a",    "null",    "none",   "?",     "-nan",    "<na>",
        "#na",    "-",     "--",     ".",       "k.a.",   "#n/a",  "#nv",     "#name?",
        "#null!", "#num!", "#zahl!", "#value!", "#wert!", "#ref!", "#bezug!", "#div/0!"};
    while (length > 0 && spc_is_blank(at[length - 1]))
        length--;
    for (; length > 0 && spc_is_blank(*at); length--)
        at++;
    if (length == 0) return true;
    for (size_t i = 0; length <= LONGEST && i < SPC_COUNT(words); i++)
        if (spc_same_word(at, length, words[i])) return true;
    return false;
}

/* ---- a record ------------------------------------------------------------------------------- */

/* The end of a field, or of the text. */
static const char *find_field_end(const char *at, const char *end, char delimiter) {
    if (at < end && *at == '"' && !(at = spc_csv_skip_quoted(at, end))) return end;
    while (at < end && *at != delimiter && *at != '\n')
        at++;
    return at;
}

static bool is_pair(const char *at, const char *end) {
    for (; at + 1 < end; at++)
        if (*at >= '0' && *at <= '9' && at[1] == ':') return true;
    return false;
}

/* A number is copied, as what follows it may not be readable. */
static spc_csv_look look_at(const char *at, const char *end) {
    enum { NUMBER_MAX = 64 };
    char copy[NUMBER_MAX + 1 + SPC_NUMBER_PAD] = {0};
    double value = 0;
    spc_rounded unused;
    if (end > at && end[-1] == '\r') end--;
    const bool quoted = end - at >= 2 && *at == '"' && end[-1] == '"';
    at += quoted;
    end -= quoted;
    const size_t length = (size_t)(end - at);
    if (spc_csv_is_missing(at, length)) return SPC_CSV_NOTHING;
    if (length > NUMBER_MAX) return SPC_CSV_A_WORD;
    memcpy(copy, at, length);
    const spc_csv_field field = {.at = copy, .length = length};
    return spc_csv_number(&field, &value, &unused) ? SPC_CSV_A_NUMBER : SPC_CSV_A_WORD;
}

/* As amounts, dates and times are: with at least as many digits as letters. */
static bool is_value(const char *at, const char *end) {
    int64_t digits = 0, others = 0;
    for (; at < end; at++) {
        const char letter = (char)(*at | 0x20);
        digits += *at >= '0' && *at <= '9';
        others += letter >= 'a' && letter <= 'z';
    }
    return digits > 0 && digits >= others;
}

/* As pandas has names of its own, after that of its index: nothing, 0, 1, ... */
static bool is_counted(const char *at, const char *end, int64_t field) {
    char number[24] = "";
    if (end > at && end[-1] == '\r') end--;
    if (field > 0) snprintf(number, sizeof number, "%" PRId64, field - 1);
    return (size_t)(end - at) == strlen(number) && memcmp(at, number, strlen(number)) == 0;
}

/* Read the record at *at, which becomes that of the next one. */
static spc_csv_record read_record(const char **at, const char *end, char delimiter) {
    spc_csv_record r = {.counts = true};
    while (*at < end && (spc_is_blank(**at) ? **at != delimiter : spc_at_line_end(*at)))
        ++*at;
    for (bool more = *at < end; more; r.fields++) {
        const char *const stop = find_field_end(*at, end, delimiter);
        const spc_csv_look look = look_at(*at, stop);
        if (r.fields < SPC_CSV_LOOKS) {
            r.looks[r.fields] = look;
            r.is_value[r.fields] = is_value(*at, stop);
        }
        r.has_pairs |= look == SPC_CSV_A_WORD && is_pair(*at, stop);
        r.counts = r.counts && is_counted(*at, stop, r.fields);
        r.is_cut = stop == end;
        more = stop < end && *stop == delimiter;
        *at = stop + (stop < end);
    }
    return r;
}

/* ---- names of rows -------------------------------------------------------------------------- */

/* Part of a field with a delimiter in it, which no double quotes keep together: it begins with a
 * blank before a word, or with a single quote that does not close. */
static bool is_part(const char *at, const char *stop, char delimiter) {
    if (stop > at && stop[-1] == '\r') stop--;
    if (at == stop || spc_csv_is_missing(at, (size_t)(stop - at))) return false;
    if (*at == '\'') return stop - at == 1 || stop[-1] != '\'';
    return *at == ' ' && delimiter != ' ' && look_at(at, stop) == SPC_CSV_A_WORD;
}

/* The record has `fields` fields, none of them a part of one. */
static bool has_whole_fields(const char *at, const char *end, char delimiter, int64_t fields) {
    for (bool more = at < end; more; fields--) {
        const char *const stop = find_field_end(at, end, delimiter);
        if (is_part(at, stop, delimiter)) return false;
        more = stop < end && *stop == delimiter;
        at = stop + (stop < end);
    }
    return fields == 0;
}

/* A whole number or a word, in quotes where the heading has some. */
static bool is_row_name(const char *at, const char *stop, bool is_quoted) {
    const size_t length = (size_t)(stop - at);
    if (length == 0 || (*at == '"') != is_quoted) return false;
    return is_quoted || look_at(at, stop) == SPC_CSV_A_WORD || memchr(at, '.', length) == NULL;
}

static bool is_among(const char *const *names, const size_t *lengths, int count, const char *at,
                     size_t length) {
    for (int i = 0; i < count; i++)
        if (lengths[i] == length && memcmp(names[i], at, length) == 0) return true;
    return false;
}

/* The first fields of the records from `at` on name these: they all differ. */
static bool have_names(const char *at, const char *end, char delimiter, int64_t fields,
                       bool are_quoted) {
    enum { RECORDS = 64 };
    const char *names[RECORDS];
    size_t lengths[RECORDS];
    for (int i = 0; i < RECORDS && at < end; i++) {
        const char *const name = names[i] = at, *const stop = find_field_end(at, end, delimiter);
        const spc_csv_record record = read_record(&at, end, delimiter);
        if (i > 0 && (record.is_cut || record.fields == 0)) break;
        lengths[i] = (size_t)(stop - name);
        if (record.fields != fields || !is_row_name(name, stop, are_quoted) ||
            is_among(names, lengths, i, name, lengths[i]) ||
            !has_whole_fields(name, at, delimiter, fields))
            return false;
    }
    return true;
}

/* `text` is that of the first record. */
static int find_unnamed(const spc_csv_shape *shape, const char *text, const char *end) {
    const spc_csv_record *const second = &shape->second;
    if (second->fields != shape->first.fields + 1 || second->fields > SPC_CSV_LOOKS) return 0;
    if (second->looks[second->fields - 1] == SPC_CSV_NOTHING) return 1;
    return have_names(shape->next, end, shape->delimiter, second->fields, *text == '"') ? -1 : 0;
}

spc_csv_shape spc_csv_shape_of(const char *text, const char *end, char delimiter) {
    spc_csv_shape shape = {.delimiter = delimiter, .next = text};
    shape.first = read_record(&shape.next, end, delimiter);
    const char *next = shape.next;
    shape.second = read_record(&next, end, delimiter);
    shape.unnamed = find_unnamed(&shape, text, end);
    return shape;
}

/* ---- the table ------------------------------------------------------------------------------ */

int64_t spc_csv_count_looks(const spc_csv_record *r, spc_csv_look look) {
    int64_t count = 0;
    for (int64_t i = 0; i < spc_csv_looked_at(r); i++)
        count += r->looks[i] == look;
    return count;
}

/* Under each word of the first record the second has a number, or nothing; and some number. */
static bool has_numbers_under_words(const spc_csv_shape *shape) {
    const int64_t shift = shape->unnamed < 0;
    int64_t numbers = 0;
    for (int64_t i = 0; i < spc_csv_looked_at(&shape->first); i++) {
        if (shape->first.looks[i] != SPC_CSV_A_WORD) continue;
        if (i + shift >= spc_csv_looked_at(&shape->second)) return false;
        const spc_csv_look below = shape->second.looks[i + shift];
        if (below == SPC_CSV_A_WORD) return false;
        numbers += below == SPC_CSV_A_NUMBER;
    }
    return numbers > 0;
}

bool spc_csv_has_names(const spc_csv_shape *shape) {
    const spc_csv_record *const first = &shape->first;
    const int64_t count = spc_csv_looked_at(first);
    int64_t empty = spc_csv_count_looks(first, SPC_CSV_NOTHING);
    if (first->counts && count > 1 && shape->second.fields == first->fields)
        return shape->second.looks[0] != SPC_CSV_NOTHING;
    if (count == 0 || spc_csv_count_looks(first, SPC_CSV_A_WORD) == 0) return false;
    if (count > 1) empty -= first->looks[0] == SPC_CSV_NOTHING;
    if (count > 1 && count == first->fields) empty -= first->looks[count - 1] == SPC_CSV_NOTHING;
    if (empty > 0) return false;
    return spc_csv_count_looks(first, SPC_CSV_A_NUMBER) == 0 || has_numbers_under_words(shape);
}

/* A record with as many fields as the next one, which is no heading over numbers. */
static bool is_heading_of(const char *at, const char *next, const char *end, char delimiter) {
    const spc_csv_shape shape = spc_csv_shape_of(at, end, delimiter),
                        below = spc_csv_shape_of(next, end, delimiter);
    return shape.first.fields > 1 && shape.first.fields == shape.second.fields &&
           !(spc_csv_has_names(&below) && has_numbers_under_words(&below));
}

const char *spc_csv_after_comments(const char *text, const char *end, char delimiter) {
    for (;;) {
        while (text < end && (*text == '\n' || *text == '\r' || *text == ' '))
            text++;
        if (text == end || *text != '#') return text;
        const char *const stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop || stop + 1 == end) return text;
        if (stop[1] != '#' && is_heading_of(text, stop + 1, end, delimiter)) return text;
        text = stop + 1;
    }
}

/* How many fields of the record at *at, which becomes that of the next one, are those of the first;
 * *fields: of how many that are not empty. */
static int64_t count_equal(const char **at, const char *first, const char *end, char delimiter,
                           int64_t *fields) {
    int64_t equal = 0;
    *fields = 0;
    for (bool more = *at < end; more;) {
        const char *const stop = find_field_end(*at, end, delimiter), *const stop_first =
                                                                          find_field_end(first, end,
                                                                                         delimiter);
        const size_t length = (size_t)(stop_first - first);
        if (length > 0 && *first != '\r') {
            ++*fields;
            equal += (size_t)(stop - *at) == length && memcmp(*at, first, length) == 0;
        }
        more = stop < end && *stop == delimiter && *stop_first == delimiter;
        first = stop_first + 1;
        *at = stop + (stop < end);
    }
    return equal;
}

bool spc_csv_repeats_first(const char *text, const char *end, char delimiter) {
    const spc_csv_shape shape = spc_csv_shape_of(text, end, delimiter);
    const char *at = text;
    if (spc_csv_count_looks(&shape.first, SPC_CSV_A_NUMBER) > 0 ||
        spc_csv_count_looks(&shape.second, SPC_CSV_A_NUMBER) > 0 ||
        shape.first.fields != shape.second.fields)
        return false;
    read_record(&at, end, delimiter);
    while (at < end) {
        int64_t fields = 0;
        const int64_t equal = count_equal(&at, text, end, delimiter, &fields);
        if (equal > 0 && equal < fields) return true;
    }
    return false;
}

bool spc_csv_is_table(const spc_csv_shape *shape) {
    const spc_csv_record *const first = &shape->first, *const second = &shape->second;
    const bool names =
        spc_csv_has_names(shape) && spc_csv_count_looks(first, SPC_CSV_A_NUMBER) == 0;
    if (first->fields < 2 || (first->has_pairs && !names)) return false;
    if (second->fields == 0 || second->is_cut) return names || first->fields > 2;
    if (second->fields == first->fields || shape->unnamed != 0) return names || !second->has_pairs;
    return names && shape->delimiter != '\t'; /* the reader names the record that is ragged */
}
