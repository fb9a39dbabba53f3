/* report_run.c: a run as the report shows it: read from its manifest or its log. */
#include "report_run.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "message.h"
#include "output.h"

/* The columns of a log. */
static const char *const keys[] = {"epoch", "step",       "rows", "seconds",
                                   "loss",  "valid_loss", "lr",   "rows_per_second"};
enum { KEYS = sizeof keys / sizeof *keys };

/* A safetensors file: the length of its heading in 8 bytes, then this in JSON. */
static bool is_model(FILE *in) {
    char first[9] = "";
    rewind(in);
    const bool is_read = fread(first, 1, sizeof first, in) == sizeof first;
    rewind(in);
    return is_read && first[7] == '\0' && first[8] == '{';
}

static exit_code refuse_model(const char *path) {
    print_error("%s: expected a manifest (sparcl train --manifest) or a log (--log), found a model",
                path);
    print_remedy("give the file of --manifest of its training; 'sparcl show %s' describes the "
                 "model",
                 path);
    return EXIT_CONTRACT;
}

static exit_code refuse(const char *path, long line, const char *found) {
    print_error("%s:%ld: expected a manifest (sparcl train --manifest) or a log (--log), found %s",
                path, line, found);
    print_remedy("sparcl report reads files that sparcl train has written");
    return EXIT_CONTRACT;
}

/* ---- lines of a log ------------------------------------------------------------------------- */

/* Empty fields are numbers that the run did not have. NULL: the line is no line of a log. */
static json_t *read_csv(char *line) {
    json_t *const pass = json_object();
    for (int i = 0; i < KEYS; i++) {
        const size_t length = strcspn(line, ",");
        const bool is_last = line[length] == '\0';
        char *end = line;
        line[length] = '\0';
        const double value = length ? strtod(line, &end) : (double)NAN;
        if (*end || is_last != (i == KEYS - 1)) break;
        json_object_set_new(pass, keys[i], json_number(value));
        if (is_last) return pass;
        line += length + 1;
    }
    json_decref(pass);
    return NULL;
}

static json_t *read_line(char *line, bool is_csv) {
    line[strcspn(line, "\r\n")] = '\0';
    if (is_csv) return read_csv(line);
    json_t *const pass = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    if (json_is_number(json_object_get(pass, "rows"))) return pass;
    json_decref(pass);
    return NULL;
}

static exit_code read_lines(report_run *run, FILE *in) {
    char *line = NULL;
    size_t room = 0;
    bool is_csv = false;
    exit_code code = EXIT_OK;
    errno = 0;
    for (long number = 1; code == EXIT_OK && getline(&line, &room, in) >= 0; number++) {
        if (number == 1 && strncmp(line, "epoch,step,rows,", 16) == 0) {
            is_csv = true;
            continue;
        }
        json_t *const pass = read_line(line, is_csv);
        if (!pass) code = refuse(run->path, number, "another line");
        if (pass) json_array_append_new(run->passes, pass);
    }
    free(line);
    return ferror(in) ? cannot_read(run->path) : code;
}

/* In the form of a manifest. */
static void describe_end(report_run *run) {
    const json_t *const last = json_array_get(run->passes, json_array_size(run->passes) - 1);
    run->facts =
        json_pack("{s:{s:O?, s:O?, s:O?, s:O?}, s:{s:O?}}", "result", "epochs",
                  json_object_get(last, "epoch"), "steps", json_object_get(last, "step"), "loss",
                  json_object_get(last, "loss"), "valid_loss", json_object_get(last, "valid_loss"),
                  "times", "seconds", json_object_get(last, "seconds"));
}

/* ---- files ---------------------------------------------------------------------------------- */

static bool read_manifest(report_run *run, FILE *in) {
    json_t *const all = json_loadf(in, JSON_REJECT_DUPLICATES, NULL);
    const char *const format = json_string_value(json_object_get(all, "format"));
    json_t *const passes = json_object_get(all, "passes");
    if (format && strcmp(format, MANIFEST_FORMAT) == 0 && json_is_array(passes)) {
        json_decref(run->passes);
        run->passes = json_incref(passes);
        run->facts = all;
        return true;
    }
    json_decref(all);
    return false;
}

exit_code report_run_read(report_run *run, const char *path) {
    *run = (report_run){.path = path, .passes = json_array()};
    errno = 0;
    FILE *const in = fopen(path, "rb");
    if (!in) return cannot_read(path);
    exit_code code = EXIT_OK;
    if (!read_manifest(run, in) && ferror(in)) {
        code = cannot_read(path);
    } else if (!run->facts && is_model(in)) {
        code = refuse_model(path);
    } else if (!run->facts) {
        rewind(in);
        code = read_lines(run, in);
        if (code == EXIT_OK && json_array_size(run->passes) == 0) code = refuse(path, 1, "no pass");
        if (code == EXIT_OK) describe_end(run);
    }
    fclose(in);
    return code;
}

void report_run_free(report_run *run) {
    json_decref(run->facts);
    json_decref(run->passes);
}

double *report_run_values(const report_run *run, const char *key) {
    const size_t count = json_array_size(run->passes);
    double *const values = malloc((count + 1) * sizeof *values);
    for (size_t i = 0; values && i < count; i++) {
        const json_t *const value = json_object_get(json_array_get(run->passes, i), key);
        values[i] = json_is_number(value) ? json_number_value(value) : (double)NAN;
    }
    return values;
}
