/* output.c: prints results: JSON objects, tables, and files that are written completely or not at
 * all. */
#include "output.h"

#include <errno.h>
#include <inttypes.h>
#include <libsmartcols.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "live_line.h"
#include "message.h"

/* ---- numbers -------------------------------------------------------------------------------- */

json_t *json_number(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

/* Bytes of the UTF-8 character at `at`; 0: invalid. */
static size_t character_bytes(const char *at) {
    for (size_t n = 1; n <= 4 && at[n - 1]; n++) {
        json_t *const one = json_stringn(at, n);
        const bool valid = one != NULL;
        json_decref(one);
        if (valid) return n;
    }
    return 0;
}

json_t *json_text(const char *text) {
    enum { ESCAPED = 4 };
    const size_t room = ESCAPED * strlen(text) + 1;
    char *const shown = malloc(room);
    size_t length = 0;
    if (!shown) return NULL;
    while (*text) {
        const size_t bytes = character_bytes(text);
        memcpy(shown + length, text, bytes);
        if (bytes == 0)
            snprintf(shown + length, room - length, "\\x%02x", (unsigned)(unsigned char)*text);
        length += bytes > 0 ? bytes : ESCAPED;
        text += bytes > 0 ? bytes : 1;
    }
    json_t *const value = json_stringn(shown, length);
    free(shown);
    return value;
}

void json_set_text_key(json_t *object, const char *key, json_t *value) {
    json_t *const text = json_text(key);
    if (text)
        json_object_set_new(object, json_string_value(text), value);
    else
        json_decref(value);
    json_decref(text);
}

const char *shortest_number(char text[NUMBER_BYTES], double value) {
    if (value == trunc(value) && fabs(value) < 1e15) {
        snprintf(text, NUMBER_BYTES, "%.0f", value);
        return text;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, NUMBER_BYTES, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    return text;
}

const char *format_bytes(char text[NUMBER_BYTES], int64_t bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1024.0 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1024.0;
        unit++;
    }
    snprintf(text, NUMBER_BYTES, "%.*f %s", unit == 0 || value >= 100.0 ? 0 : 1, value,
             units[unit]);
    return text;
}

/* ---- objects -------------------------------------------------------------------------------- */

static const char *value_text(char text[NUMBER_BYTES], const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_STRING:
        return json_string_value(value);
    case JSON_TRUE:
        return "yes";
    case JSON_FALSE:
        return "no";
    case JSON_INTEGER:
        snprintf(text, NUMBER_BYTES, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return text;
    case JSON_REAL:
        snprintf(text, NUMBER_BYTES, "%.6g", json_real_value(value));
        return text;
    case JSON_NULL:
    case JSON_OBJECT:
    case JSON_ARRAY:
        break;
    }
    return "-";
}

static exit_code print_pairs(json_t *object) {
    static const char *const names[] = {"name", "value", NULL};
    struct libscols_table *const table = table_new(names);
    if (table) scols_table_enable_noheadings(table, 1);
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        char name[64], text[NUMBER_BYTES];
        if (json_is_array(value)) continue;
        snprintf(name, sizeof name, "%s", key);
        for (char *c = name; *c; c++)
            if (*c == '_') *c = ' ';
        const char *const cells[] = {name, value_text(text, value)};
        table_add(table, NULL, cells);
    }
    return table_print(table);
}

static int dump(const json_t *object, FILE *file) {
    return json_dumpf(object, file, JSON_INDENT(2)) != 0 || fputc('\n', file) == EOF;
}

exit_code print_object(json_t *object, bool as_json) {
    exit_code code = EXIT_OK;
    if (!object) return out_of_memory();
    live_line_end();
    if (!as_json)
        code = print_pairs(object);
    else
        dump(object, stdout); /* flush_results finds a write error */
    json_decref(object);
    return code == EXIT_OK ? flush_results() : code;
}

exit_code save_object(json_t *object, const char *path) {
    out_file out;
    if (!object) return out_of_memory();
    exit_code code = out_open(&out, path);
    if (code == EXIT_OK) {
        dump(object, out.file); /* out_close finds a write error */
        code = out_close(&out, true);
    }
    json_decref(object);
    return code;
}

/* ---- tables --------------------------------------------------------------------------------- */

struct libscols_table *table_new(const char *const *names) {
    struct libscols_table *const table = scols_new_table();
    if (!table) return NULL;
    for (; *names; names++) {
        const char mark = (*names)[0];
        const int flags = mark == '>' ? SCOLS_FL_RIGHT : mark == '+' ? SCOLS_FL_TREE : 0;
        if (!scols_table_new_column(table, *names + (flags != 0), 0, flags)) {
            scols_unref_table(table);
            return NULL;
        }
    }
    return table;
}

/* A byte that json_text has written as \xfc. */
static bool is_escaped(const char *at) {
    return at[0] == '\\' && at[1] == 'x' && at[2] >= '8' && at[2] <= 'f' &&
           strspn(at + 2, "0123456789abcdef") >= 2;
}

/* A table escapes bytes itself, also the backslash of those that are escaped. */
static int set_cell(struct libscols_line *line, size_t column, const char *cell) {
    char *const text = strdup(cell), *to = text;
    if (!text) return -1;
    for (const char *at = cell; *at; at += is_escaped(at) ? 4 : 1)
        *to++ = is_escaped(at) ? (char)strtol((char[]){at[2], at[3], '\0'}, NULL, 16) : *at;
    *to = '\0';
    const int failure = scols_line_set_data(line, column, text);
    free(text);
    return failure;
}

struct libscols_line *table_add(struct libscols_table *table, struct libscols_line *parent,
                                const char *const *cells) {
    if (!table) return NULL;
    struct libscols_line *const line = scols_table_new_line(table, parent);
    const size_t columns = scols_table_get_ncols(table);
    for (size_t i = 0; line && i < columns; i++) {
        if (cells[i] && set_cell(line, i, cells[i]) != 0) return NULL;
    }
    return line;
}

exit_code table_print(struct libscols_table *table) {
    if (!table) return out_of_memory();
    live_line_end();
    const int failure = scols_print_table(table);
    scols_unref_table(table);
    return failure ? out_of_memory() : EXIT_OK;
}

/* ---- files ---------------------------------------------------------------------------------- */

static exit_code report_write(const sparcl_error *error) {
    print_error("%s", error->message);
    print_remedy("check that the folder exists, is writable and has free space");
    return exit_code_of(error->status);
}

/* What is printed goes to memory first, so that the cause of an error is known. */
static exit_code open_bytes(out_file *out) {
    out->file = open_memstream(&out->bytes, &out->size);
    if (out->file) return EXIT_OK;
    spc_writer_discard(&out->writer);
    return out_of_memory();
}

static const char stdout_name[] = "standard output";

exit_code out_open(out_file *out, const char *path) {
    const bool is_stdout = !path || is_standard_output(path);
    sparcl_error error = {0};
    *out = (out_file){0};
    if (is_stdout && flush_results() != EXIT_OK) return EXIT_RUNTIME;
    if (spc_writer_open(&out->writer, is_stdout ? "/dev/stdout" : path, false, &error) != SPARCL_OK)
        return report_write(&error);
    if (is_stdout) out->writer.path = stdout_name;
    return open_bytes(out);
}

exit_code out_open_growing(out_file *out, const char *path) {
    sparcl_error error = {0};
    *out = (out_file){0};
    if (spc_writer_open_growing(&out->writer, path, &error) != SPARCL_OK)
        return report_write(&error);
    return open_bytes(out);
}

/* The writer keeps nothing after an error: the first one is that which is reported. */
static exit_code put_bytes(out_file *out) {
    sparcl_error error = {0};
    const bool is_complete = fclose(out->file) == 0;
    if (out->writer.path == stdout_name) live_line_end();
    exit_code code = EXIT_OK;
    if (!is_complete)
        code = out_of_memory();
    else if (spc_writer_put(&out->writer, out->bytes, out->size, &error) != SPARCL_OK)
        code = report_write(&error);
    free(out->bytes);
    out->file = NULL;
    out->bytes = NULL;
    if (code != EXIT_OK) spc_writer_discard(&out->writer);
    out->failure = code;
    return code;
}

exit_code out_flush(out_file *out) {
    const exit_code code = put_bytes(out);
    return code == EXIT_OK ? open_bytes(out) : code;
}

static void discard(out_file *out) {
    if (out->file) fclose(out->file);
    free(out->bytes);
    spc_writer_discard(&out->writer);
}

exit_code out_close(out_file *out, bool keep) {
    sparcl_error error = {0};
    if (!out->file || !keep) {
        discard(out);
        return out->failure;
    }
    const exit_code code = put_bytes(out);
    if (code != EXIT_OK || spc_writer_commit(&out->writer, NULL, &error) == SPARCL_OK) return code;
    return report_write(&error);
}

/* The cause of an earlier error is no longer known: the next byte has the same. */
static int cause_of_failure(void) {
    clearerr(stdout);
    errno = 0;
    if (fputc('\n', stdout) != EOF && fflush(stdout) == 0) return EIO;
    return errno;
}

exit_code flush_results(void) {
    sparcl_error error = {.status = SPARCL_E_IO};
    live_line_end();
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return EXIT_OK;
    const int failure = errno ? errno : cause_of_failure();
    clearerr(stdout);
    snprintf(error.message, sizeof error.message, "standard output: cannot be written: %s",
             strerror(failure));
    return report_write(&error);
}
