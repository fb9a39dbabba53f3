/* report_table.c: the table of the page that compares runs. */
#include "report_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "metric_names.h"
#include "output.h"
#include "run_file.h"
#include "svg.h"

/* What is compared: the value at part.key, or at part.key.inner. */
typedef struct fact {
    const char *label, *part, *key, *inner;
} fact;

typedef struct table {
    FILE *file;
    const report_run *runs;
    int count;
    json_t *options, *results; /* names, which facts point to */
    fact *facts;
    int fact_count;
} table;

char *report_run_name(const report_run *runs, int i) {
    const char *const path = runs[i].path, *const slash = strrchr(path, '/');
    const size_t room = strlen(path) + 16;
    char *const name = malloc(room);
    if (name) snprintf(name, room, "%d: %s", i + 1, slash && slash[1] ? slash + 1 : path);
    return name;
}

/* ---- what is compared ----------------------------------------------------------------------- */

static const json_t *value_of(const report_run *run, const fact *f) {
    const json_t *const value = json_object_get(json_object_get(run->facts, f->part), f->key);
    return f->inner ? json_object_get(value, f->inner) : value;
}

static bool is_nothing(const json_t *value) {
    return !value || json_is_null(value);
}

static bool do_differ(const table *t, const fact *f) {
    const json_t *const first = value_of(&t->runs[0], f);
    for (int i = 1; i < t->count; i++) {
        const json_t *const other = value_of(&t->runs[i], f);
        if (is_nothing(first) && is_nothing(other)) continue;
        if (!json_equal(first, other)) return true;
    }
    return false;
}

static bool has_number(const table *t, const fact *f) {
    for (int i = 0; i < t->count; i++)
        if (json_is_number(value_of(&t->runs[i], f))) return true;
    return false;
}

/* The keys of a part in any run, in the order in which they occur, without what is left out. */
static json_t *collect_keys(const table *t, const char *part) {
    json_t *const found = json_object();
    for (int i = 0; i < t->count; i++) {
        const char *key;
        json_t *value;
        json_object_foreach(json_object_get(t->runs[i].facts, part), key, value) {
            char name[256];
            snprintf(name, sizeof name, "%s.%s", part, key);
            if (!run_file_leaves_out(name)) json_object_set_new(found, key, json_true());
        }
    }
    return found;
}

static const fact last_facts[] = {
    {"seconds", "times", "seconds", NULL},
    {"seconds_per_pass", "result", "seconds_per_pass", NULL},
    {"peak_bytes", "result", "peak_bytes", NULL},
    {"device", "device", "name", NULL},
    {"data", "data", "train", "path"},
};
enum { LAST_FACTS = sizeof last_facts / sizeof *last_facts };

/* Options that differ, results that are numbers, and what each run has. Where runs are below one
 * another, only what tells them apart. */
static void choose_facts(table *t, report_layout layout) {
    const bool is_short = layout == REPORT_RUNS_BELOW;
    const char *key;
    json_t *value;
    json_object_foreach(t->options, key, value) {
        const fact f = {key, "options", key, "value"};
        if (do_differ(t, &f)) t->facts[t->fact_count++] = f;
    }
    json_object_foreach(t->results, key, value) {
        const fact f = {key, "result", key, NULL};
        if (has_number(t, &f) && (!is_short || metric_is_known(key) || do_differ(t, &f)))
            t->facts[t->fact_count++] = f;
    }
    for (int i = 0; i < LAST_FACTS; i++)
        if (!is_short || do_differ(t, &last_facts[i])) t->facts[t->fact_count++] = last_facts[i];
}

/* ---- the table ------------------------------------------------------------------------------ */

static void write_value(FILE *file, const json_t *value) {
    char text[NUMBER_BYTES];
    fputs("<td>", file);
    if (json_is_string(value)) {
        svg_write_text(file, json_string_value(value));
    } else if (json_is_number(value)) {
        snprintf(text, sizeof text, "%.10g", json_number_value(value));
        fputs(text, file);
    } else {
        fputs(json_is_true(value) ? "true" : json_is_false(value) ? "false" : "-", file);
    }
    fputs("</td>", file);
}

static void write_heading(FILE *file, const char *text) {
    fputs("<th>", file);
    svg_write_text(file, text);
    fputs("</th>", file);
}

static void write_beside(const table *t) {
    fputs("<tr><th></th>", t->file);
    for (int i = 0; i < t->count; i++) {
        fprintf(t->file, "<th>%d: ", i + 1);
        svg_write_text(t->file, t->runs[i].path);
        fputs("</th>", t->file);
    }
    fputs("</tr>\n", t->file);
    for (int f = 0; f < t->fact_count; f++) {
        fputs("<tr>", t->file);
        write_heading(t->file, t->facts[f].label);
        for (int i = 0; i < t->count; i++)
            write_value(t->file, value_of(&t->runs[i], &t->facts[f]));
        fputs("</tr>\n", t->file);
    }
}

static void write_below(const table *t) {
    fputs("<tr><th></th>", t->file);
    for (int f = 0; f < t->fact_count; f++)
        write_heading(t->file, t->facts[f].label);
    fputs("</tr>\n", t->file);
    for (int i = 0; i < t->count; i++) {
        char *const name = report_run_name(t->runs, i);
        fputs("<tr>", t->file);
        write_heading(t->file, name ? name : "");
        for (int f = 0; f < t->fact_count; f++)
            write_value(t->file, value_of(&t->runs[i], &t->facts[f]));
        fputs("</tr>\n", t->file);
        free(name);
    }
}

void report_table_write(FILE *file, const report_run *runs, int count, report_layout layout) {
    table t = {.file = file, .runs = runs, .count = count};
    t.options = collect_keys(&t, "options");
    t.results = collect_keys(&t, "result");
    t.facts = calloc(json_object_size(t.options) + json_object_size(t.results) + LAST_FACTS,
                     sizeof *t.facts);
    if (t.facts) choose_facts(&t, layout);
    fputs("<table id=\"comparison\">\n", file);
    if (layout == REPORT_RUNS_BELOW)
        write_below(&t);
    else
        write_beside(&t);
    fputs("</table>\n", file);
    free(t.facts);
    json_decref(t.options);
    json_decref(t.results);
}
