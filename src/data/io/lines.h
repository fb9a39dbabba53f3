/* lines.h: reads text line by line, and refuses what stands at a place of the line. */
#ifndef SPC_DATA_LINES_H
#define SPC_DATA_LINES_H

#include "data/io/block.h"
#include "data/io/input.h"
#include "data/io/number.h"

typedef struct spc_lines {
    spc_input *input;
    sparcl_error *error;
    int64_t number;   /* of the line, from 1; 0 before the first */
    const char *line; /* ends in a line feed, and readable bytes as number.h requires */
    const char *end;  /* of the text, after the line feed of its last line */
    spc_array text;
    size_t next;      /* where the next line begins */
    bool at_end;      /* the input has no more */
    spc_block *block; /* the text is this block, which has the lines that are refused; else NULL */
} spc_lines;

/* Lines are at most this long; the memory is twice that of the longest line, and 512 KiB. */
enum { SPC_LINE_MAX = 1 << 28 };

spc_lines spc_lines_of(spc_input *input, sparcl_error *error);
void spc_lines_free(spc_lines *lines);

/* Take the text from the next line on, or from the current one on: no more lines can be read. */
spc_array spc_lines_take_rest(spc_lines *lines, bool with_current);

/* Go to the next line; *any is false after the last one. E_FORMAT with the place. */
SPARCL_MUST_CHECK sparcl_status spc_lines_next(spc_lines *lines, bool *any);

/* The next line that is not blank and does not begin with one of these characters. */
SPARCL_MUST_CHECK sparcl_status spc_lines_next_row(spc_lines *lines, const char *comments,
                                                   bool *any);

/* E_FORMAT: "file:line:column: expected ..., found <the word at `at`>; <remedy>" */
sparcl_status spc_lines_refuse(const spc_lines *lines, const char *at, const char *expected,
                               const char *remedy);
/* The same with any reason: "file:line:column: why" */
sparcl_status spc_lines_refuse_why(const spc_lines *lines, const char *at, const char *format, ...)
    SPC_PRINTF(3, 4);

/* The same of a number of 8 digits and more. */
bool spc_read_long_count(const char **at, int64_t *value);

/* A whole number of digits at *at, which becomes its end; false when there is none, or it is larger
 * than 2^63 - 1. */
static inline bool spc_read_count(const char **at, int64_t *value) {
    uint64_t number = 0;
    const unsigned count = spc_parse_digits(*at, &number);
    if (count == 8) return spc_read_long_count(at, value);
    *at += count;
    *value = (int64_t)number;
    return count > 0;
}

#endif
