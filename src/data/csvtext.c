/* csvtext.c: the fields of CSV text (RFC 4180): quotes, doubled quotes, line ends in quotes. */
#include "data/csvtext.h"

#include <string.h>

#include "data/number.h"
#include "data/words.h"

static spc_csv_fault fail_at(const spc_csv_text *text, const char *at, spc_csv_field *field,
                             spc_csv_fault fault) {
    field->line = text->line_number;
    field->column = at - text->line + 1;
    return fault;
}

/* What stands after a field: a delimiter, or the end of the line. */
static inline spc_csv_fault end_field(spc_csv_text *text, char *at, spc_csv_field *field,
                                      spc_csv_fault other) {
    text->at_record_end = *at != text->delimiter;
    text->at = at + 1;
    if (*at == text->delimiter) return SPC_CSV_GOOD;
    if (*at == '\r' && at[1] == '\n') at++;
    if (*at != '\n')
        return fail_at(text, at, field,
                       *at == '\0'   ? SPC_CSV_NUL
                       : *at == '\r' ? SPC_CSV_RETURN
                                     : other);
    text->at = text->line = at + 1;
    text->line_number++;
    return SPC_CSV_GOOD;
}

/* Moves what is between the quotes together where it has doubled quotes. */
static spc_csv_fault read_quoted(spc_csv_text *text, spc_csv_field *field) {
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
    field->length = (size_t)(to - field->at);
    if (to < at - 1) *to = '"'; /* no digits of a number after its end */
    return end_field(text, at, field, SPC_CSV_AFTER_QUOTE);
}

/* Bytes that are not inside a field without quotes. */
static const bool may_end[256] = {['\0'] = true, ['\n'] = true, ['\r'] = true, ['"'] = true};

spc_csv_fault spc_csv_next(spc_csv_text *text, spc_csv_field *field) {
    const char delimiter = text->delimiter;
    char *at = text->at;
    *field = (spc_csv_field){.at = at, .line = text->line_number, .column = at - text->line + 1};
    if (*at == '"') return read_quoted(text, field);
    while (!may_end[(unsigned char)*at] && *at != delimiter)
        at++;
    field->length = (size_t)(at - field->at);
    return end_field(text, at, field, SPC_CSV_QUOTE_INSIDE);
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
    case SPC_CSV_QUOTE_INSIDE:
        return "expected a field without quotes, or one that begins with a quote, found a quote "
               "inside it; put the field in quotes, and double the quotes in it";
    case SPC_CSV_NOT_CLOSED:
        return "expected a quote that closes the one that begins this field, found none; close it, "
               "and double quotes inside a field";
    case SPC_CSV_AFTER_QUOTE:
        return "expected a delimiter or the end of the line after the closing quote, found other "
               "text; remove it, or double quotes inside the field";
    case SPC_CSV_RETURN:
        return "expected a line feed after the carriage return, found none; end lines with LF or "
               "CR LF, or put the field in quotes";
    default:
        return "expected text, found a NUL byte; remove it";
    }
}

static size_t count_quotes(const char *bytes, size_t size) {
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += bytes[i] == '"';
    return count;
}

/* A line feed ends a record when the quotes before it, or what is the same here, those after it and
 * all, are even. */
size_t spc_csv_complete(const char *bytes, size_t size, bool *open) {
    bool odd = count_quotes(bytes, size) % 2 == 1;
    *open = odd;
    for (; size > 0; size--) {
        if (bytes[size - 1] == '\n' && !odd) return size;
        odd ^= bytes[size - 1] == '"';
    }
    return 0;
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
