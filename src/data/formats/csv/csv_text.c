/* csv_text.c: the fields of CSV text (RFC 4180): quotes, doubled quotes, line ends in quotes.
 * Quotes in a field that begins with another character are characters, as pandas reads them, and
 * where text follows the closing quote. */
#include "data/formats/csv/csv_text.h"

#include <string.h>

#include "data/io/number.h"
#include "data/io/words.h"

static spc_csv_fault fail_at(const spc_csv_text *text, const char *at, spc_csv_field *field,
                             spc_csv_fault fault) {
    field->line = text->line_number;
    field->column = at - text->line + 1;
    return fault;
}

/* What stands after a field: a delimiter, or the end of the line. */
static inline spc_csv_fault end_field(spc_csv_text *text, char *at, spc_csv_field *field) {
    text->at_record_end = *at != text->delimiter;
    text->at = at + 1;
    if (*at == text->delimiter) return SPC_CSV_GOOD;
    if (*at == '\r' && at[1] == '\n') at++;
    if (*at != '\n') return fail_at(text, at, field, *at == '\0' ? SPC_CSV_NUL : SPC_CSV_RETURN);
    text->at = text->line = at + 1;
    text->line_number++;
    return SPC_CSV_GOOD;
}

/* Bytes that are not inside a field without quotes. */
static const bool may_end[256] = {['\0'] = true, ['\n'] = true, ['\r'] = true};

static spc_csv_fault read_plain(spc_csv_text *text, spc_csv_field *field) {
    char *at = text->at;
    field->at = at;
    while (!may_end[(unsigned char)*at] && *at != text->delimiter)
        at++;
    field->length = (size_t)(at - field->at);
    return end_field(text, at, field);
}

/* Quotes are doubled again, of which the bytes up to `to` have one; `at` is behind the closing one.
 */
static void double_quotes(const spc_csv_field *field, const char *to, char *at) {
    char *back = at - 1;
    while (to > field->at) {
        *--back = *--to;
        if (*to == '"') *--back = '"';
    }
}

/* Moves what is between the quotes together where it has doubled quotes. */
static spc_csv_fault read_quoted(spc_csv_text *text, spc_csv_field *field) {
    const spc_csv_text before = *text;
    char *at = text->at + 1, *to = at;
    field->at = at;
    for (;; at++) {
        if (*at == '"' && *++at != '"') break;
        if (*at == '\0' && at < text->end) return fail_at(text, at, field, SPC_CSV_NUL);
        if (at >= text->end) return SPC_CSV_NOT_CLOSED;
        if (*at == '\n') {
            text->line = at + 1;
            text->line_number++;
        }
        *to++ = *at;
    }
    if (*at != text->delimiter && !may_end[(unsigned char)*at]) {
        double_quotes(field, to, at);
        *text = before;
        return read_plain(text, field);
    }
    field->length = (size_t)(to - field->at);
    if (to < at - 1) *to = '"'; /* no digits of a number after its end */
    return end_field(text, at, field);
}

spc_csv_fault spc_csv_next(spc_csv_text *text, spc_csv_field *field) {
    char *const at = text->at;
    *field = (spc_csv_field){.at = at, .line = text->line_number, .column = at - text->line + 1};
    return *at == '"' ? read_quoted(text, field) : read_plain(text, field);
}

bool spc_csv_skip_blank_lines(spc_csv_text *text) {
    while (text->at < text->end) {
        char *at = text->at;
        while (*at == ' ' || (*at == '\t' && text->delimiter != '\t'))
            at++;
        if (!spc_at_line_end(at)) return true;
        text->at = text->line = at + (*at == '\r') + 1;
        text->line_number++;
    }
    return false;
}

const char *spc_csv_fault_text(spc_csv_fault fault) {
    switch (fault) {
    case SPC_CSV_NOT_CLOSED:
        return "expected a quote that closes the one that begins this field, found none; close it, "
               "and double quotes inside a field";
    case SPC_CSV_RETURN:
        return "expected a line feed after the carriage return, found none; end lines with LF or "
               "CR LF, or put the field in quotes";
    default:
        return "expected text, found a NUL byte; remove it";
    }
}

/* ---- records -------------------------------------------------------------------------------- */

const char spc_csv_delimiters[SPC_CSV_DELIMITERS] = {',', '\t', ';', '|'};

bool spc_csv_divides(char c, char delimiter) {
    return delimiter ? c == delimiter : memchr(spc_csv_delimiters, c, SPC_CSV_DELIMITERS) != NULL;
}

const char *spc_csv_skip_quoted(const char *at, const char *end) {
    for (at++; (at = memchr(at, '"', (size_t)(end - at))); at += 2)
        if (at + 1 >= end || at[1] != '"') return at + 1;
    return NULL;
}

/* The first quote from `at` on that begins a field, or the end; text begins a record. */
static const char *find_quoted(const char *text, const char *at, const char *end, char delimiter) {
    while (at < end && (at = memchr(at, '"', (size_t)(end - at)))) {
        if (at == text || at[-1] == '\n' || spc_csv_divides(at[-1], delimiter)) return at;
        at++;
    }
    return end;
}

static bool ends_field(char c, char delimiter) {
    return may_end[(unsigned char)c] || spc_csv_divides(c, delimiter);
}

size_t spc_csv_complete(const char *bytes, size_t size, char delimiter, bool *open) {
    const char *const end = bytes + size, *complete = bytes;
    for (const char *at = bytes; at;) {
        const char *const quoted = find_quoted(bytes, at, end, delimiter), *line = quoted;
        while (line > at && line[-1] != '\n')
            line--;
        if (line > at) complete = line;
        *open = quoted < end;
        if (quoted == end) break;
        at = spc_csv_skip_quoted(quoted, end);
        if (at && at < end && !ends_field(*at, delimiter)) at = quoted + 1;
    }
    return (size_t)(complete - bytes);
}

bool spc_csv_number(const spc_csv_field *field, double *value, spc_rounded *rounded) {
    const char *at = field->at, *const end = at + field->length;
    while (at < end && spc_is_blank(*at))
        at++;
    if (at == end || spc_read_f64(&at, value, rounded) != SPC_NUMBER_READ) return false;
    while (at < end && spc_is_blank(*at))
        at++;
    return at == end;
}
