/* output.h: results: JSON objects, tables, and files that appear whole or not at all. */
#ifndef SPARCL_TOOL_OUTPUT_H
#define SPARCL_TOOL_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "exit_codes.h"

enum { NUMBER_BYTES = 32 };

/* Text that may not be UTF-8, such as a path: what is not becomes U+FFFD. */
json_t *json_text(const char *text);

/* A number, or null for NaN and infinities, which JSON does not have. */
json_t *json_number(double value);

/* The shortest text that reads back as the same number. */
const char *shortest_number(char text[NUMBER_BYTES], double value);
/* Bytes for people: "512 MiB". */
const char *format_bytes(char text[NUMBER_BYTES], int64_t bytes);

/* Results are built as JSON and shown as that, or as a table of its keys. Both take the reference
 * and print on standard output; an object that is NULL is out of memory. */
exit_code print_object(json_t *object, bool as_json);
/* The same into a file; "-" is standard output. */
exit_code save_object(json_t *object, const char *path);

/*
 * A table on standard output. A name that begins with '>' makes a column of numbers, one with '+'
 * shows which line belongs to which. NULL anywhere below is out of memory, and is told at the end.
 */
struct libscols_table;
struct libscols_line;
struct libscols_table *table_new(const char *const *names);
struct libscols_line *table_add(struct libscols_table *table, struct libscols_line *parent,
                                const char *const *cells);
exit_code table_print(struct libscols_table *table);

/* A file that gets its name only when it is whole. */
typedef struct out_file {
    FILE *file;
    const char *path;
    char *temporary; /* NULL: written directly, as standard output and devices are */
} out_file;

/* Is it written as it is, with no temporary file? NULL or "-" is standard output. */
bool out_is_direct(const char *path);
/* A failure is told on standard error. */
exit_code out_open(out_file *out, const char *path);
/* With keep == false the file is thrown away. */
exit_code out_close(out_file *out, bool keep);

/* Hand on what was printed on standard output; says so when that fails (a full disk). */
exit_code flush_results(void);

#endif
