/* output.h: prints results: JSON objects, tables, and files that are written completely or not at
 * all. */
#ifndef SPARCL_TOOL_OUTPUT_H
#define SPARCL_TOOL_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "base/writer.h"
#include "exit_codes.h"

enum { NUMBER_BYTES = 32 };

/* Text that may not be UTF-8, such as a path or a word of a table: an invalid byte becomes four
 * characters, \xe4, as in the Python package. */
json_t *json_text(const char *text);
/* json_object_set_new with such a key. */
void json_set_text_key(json_t *object, const char *key, json_t *value);

/* A number, or null for NaN and infinities, which JSON does not have. */
json_t *json_number(double value);

/* The shortest text that reads back as the same number. */
const char *shortest_number(char text[NUMBER_BYTES], double value);
/* Bytes in a readable form: "512 MiB". */
const char *format_bytes(char text[NUMBER_BYTES], int64_t bytes);

/* Print a JSON object on standard output, as JSON or as a table of its keys. Releases the object;
 * NULL means out of memory. */
exit_code print_object(json_t *object, bool as_json);
/* The same, as JSON to a file; "-" is standard output. */
exit_code save_object(json_t *object, const char *path);

/*
 * A table on standard output. A name that begins with '>' makes a right-aligned column, one with
 * '+' a tree. NULL means out of memory in all functions; table_print reports it.
 */
struct libscols_table;
struct libscols_line;
struct libscols_table *table_new(const char *const *names);
struct libscols_line *table_add(struct libscols_table *table, struct libscols_line *parent,
                                const char *const *cells);
exit_code table_print(struct libscols_table *table);

/* A file that gets its name only when it is complete. */
typedef struct out_file {
    FILE *file; /* where its text is printed; NULL: it is not open */
    char *bytes;
    size_t size;
    spc_writer writer;
    exit_code failure; /* of an earlier call, which has closed it */
} out_file;

/* NULL and "-" are standard output. Errors are printed on standard error. */
exit_code out_open(out_file *out, const char *path);
/* The same for a file that others read while it grows. */
exit_code out_open_growing(out_file *out, const char *path);
/* Write what was printed so far: for long texts, and for files that grow. After an error the file
 * is closed. */
exit_code out_flush(out_file *out);
/* With keep == false there is no file. Of a file that is not open any more, the failure. */
exit_code out_close(out_file *out, bool keep);

/* Flush standard output; prints an error if that fails, such as on a full disk. */
exit_code flush_results(void);

#endif
