/* cursor.h: the position of a parser in a block of lines, and what the formats of text share. */
#ifndef SPC_DATA_CURSOR_H
#define SPC_DATA_CURSOR_H

#include "data/io/block.h"
#include "data/io/number.h"

typedef struct spc_cursor {
    spc_block *block;
    const spc_block_rules *rules;
    const char *line; /* its first byte */
    int64_t line_number;
} spc_cursor;

/* Read one row at *at, which becomes the end of its line or a "#"; false after spc_cursor_stop. */
typedef bool (*spc_read_row)(spc_cursor *c, const char **at);

/* Where reading a block begins, with no rows, or goes on after a row with a problem. */
char *spc_block_begin(spc_block *block, const spc_block_rules *rules);

/* Read all lines of a block; blank lines are skipped, and after `comments` also what begins with
 * "#". */
void spc_cursor_read_lines(spc_block *block, const spc_block_rules *rules, spc_read_row read,
                           bool comments);

/* Stop with the message "expected ..., found <the word at `at`>; <how to fix it>". Always returns
 * false. */
bool spc_cursor_stop(spc_cursor *c, const char *at, const char *expected, const char *remedy);

/* One label, which must be a finite number; further ones after a comma with rules.multilabel. */
bool spc_cursor_read_labels(spc_cursor *c, const char **at);

/* The digits of an index after the first 8; false after spc_cursor_stop. */
bool spc_cursor_read_long_digits(spc_cursor *c, const char *begin, const char **at, int64_t *index);

/* The digits of an index at *at; false after spc_cursor_stop. Without digits, *at stays. */
static inline bool spc_cursor_read_digits(spc_cursor *c, const char **at, int64_t *index) {
    const char *const begin = *at;
    uint64_t value;
    const unsigned count = spc_parse_digits(begin, &value);
    *at += count;
    *index = (int64_t)value;
    return count < 8 || spc_cursor_read_long_digits(c, begin, at, index);
}

/* A value of any form, and what may follow one. `colons` is the remedy where a colon follows. */
bool spc_cursor_read_any_value(spc_cursor *c, const char **at, float *value, const char *colons);

static inline bool spc_cursor_read_value(spc_cursor *c, const char **at, float *value,
                                         const char *colons) {
    const char *const begin = *at;
    const unsigned digit = (unsigned)(begin[0] - '0');
    if (digit <= 9 && (begin[1] == ' ' || begin[1] == '\n')) { /* most binary data */
        *value = (float)digit;
        *at = begin + 1;
        return true;
    }
    return spc_cursor_read_any_value(c, at, value, colons);
}

/* A row without a label: see spc_block_rows_end. */
void spc_cursor_no_label(spc_cursor *c, const char *at);

/* The tag of the row that is read, in the text of its block; nothing where tags are not kept. */
void spc_cursor_tag(spc_cursor *c, const char *at, size_t length);

void spc_cursor_note_not_finite(spc_cursor *c, const char *at);
void spc_cursor_note_width(spc_cursor *c, const char *at, int64_t index);

/* Handle an index that is not above its predecessor: sorting repairs it, unless the rules are
 * strict. */
bool spc_cursor_check_disorder(spc_cursor *c, const char *at, int64_t index, int64_t before,
                               bool *unsorted);

/* The entries from `first` on are a row; in disorder they are repaired. False after
 * spc_cursor_stop. */
bool spc_cursor_end_row(spc_cursor *c, int64_t first, bool unsorted, bool disorder);

#endif
