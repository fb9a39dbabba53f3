/* csv_text.h: the fields of CSV text (RFC 4180): quotes, doubled quotes, line ends in quotes. */
#ifndef SPC_DATA_CSVTEXT_H
#define SPC_DATA_CSVTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/io/number.h"

/* A position in text whose last line ends in a line feed, with a NUL after it. */
typedef struct spc_csv_text {
    char *at, *end;
    char *line;          /* the first byte of the line of `at` */
    int64_t line_number; /* from 0 */
    char delimiter;
    bool at_record_end; /* the last field was the last of its record */
} spc_csv_text;

/* A field. Its text is in place, with the quotes removed, which changes only bytes between them. */
typedef struct spc_csv_field {
    char *at;
    size_t length;
    int64_t line, column; /* where it begins: the line from 0, the column from 1 */
} spc_csv_field;

/* What is wrong at the position that the field then has. */
typedef enum spc_csv_fault {
    SPC_CSV_GOOD,
    SPC_CSV_NOT_CLOSED, /* a quote without the one that closes it */
    SPC_CSV_RETURN,     /* a carriage return without a line feed */
    SPC_CSV_NUL
} spc_csv_fault;

/* Read the next field, and go to the one after it. */
spc_csv_fault spc_csv_next(spc_csv_text *text, spc_csv_field *field);

/* Go to the next line that is not blank; false at the end of the text. */
bool spc_csv_skip_blank_lines(spc_csv_text *text);

/* "expected ..., found ...; how to fix it" */
const char *spc_csv_fault_text(spc_csv_fault fault);

/* The usual ones; of equally good ones the first is taken. */
enum { SPC_CSV_DELIMITERS = 4 };
extern const char spc_csv_delimiters[SPC_CSV_DELIMITERS];

/* Whether a character ends a field; 0: the delimiter is not known, and is one of the usual ones. */
bool spc_csv_divides(char c, char delimiter);

/* What follows the quote that closes the one at `at`; NULL where none does. */
const char *spc_csv_skip_quoted(const char *at, const char *end);

/* The bytes of complete records at the beginning of `size` bytes; 0 without one. *open: a quote is
 * not closed at the end. The delimiter is as above. */
size_t spc_csv_complete(const char *bytes, size_t size, char delimiter, bool *open);

/* The number that a field is, with blanks around it; false when it is none, or out of range. A byte
 * that cannot be part of a number must follow the field, and what number.h requires. */
bool spc_csv_number(const spc_csv_field *field, double *value, spc_rounded *rounded);

#endif
