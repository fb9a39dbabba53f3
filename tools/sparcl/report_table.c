/* report_table.c: the table of the page that compares runs. */
#include "report_table.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "metric_names.h"
#include "output.h"
#include "report_ranking.h"
#include "report_sets.h"
#include "run_file.h"
#include "svg.h"

/* What is compared: the value at part.key, or at part.key.inner. */
typedef struct fact {
    const char *label, *part, *key, *inner;
    bool is_second; /* another fact has the label, with other values */
} fact;

typedef struct table {
    FILE *file;
    const report_run *runs;
    int count;
    json_t *options, *results; /* names, which facts point to */
    fact *facts;
    int fact_count;
    bool has_sets; /* of several data sets */
} table;

void report_number_write(FILE *file, const json_t *number) {
    const double value = json_number_value(number);
    if (json_is_integer(number))
        fprintf(file, "%" JSON_INTEGER_FORMAT, json_integer_value(number));
    else
        fprintf(file, fabs(value) >= 1e5 && fabs(value) < 1e15 ? "%.0f" : "%.5g", value);
}

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
    {"seconds", "times", "seconds", NULL, false},
    {"seconds_per_pass", "result", "seconds_per_pass", NULL, false},
    {"peak_bytes", "result", "peak_bytes", NULL, false},
    {"device", "device", "name", NULL, false},
    {"data", "data", "train", "path", false},
};
enum { LAST_FACTS = sizeof last_facts / sizeof *last_facts };

/* Options that were given are texts. */
static double number_of(const json_t *value) {
    return json_is_string(value) ? strtod(json_string_value(value), NULL)
                                 : json_number_value(value);
}

static bool has_same_values(const table *t, const fact *a, const fact *b) {
    for (int i = 0; i < t->count; i++) {
        const json_t *const x = value_of(&t->runs[i], a), *const y = value_of(&t->runs[i], b);
        if (!is_nothing(x) && !is_nothing(y) && number_of(x) != number_of(y)) return false;
    }
    return true;
}

/* No fact twice: as an option and a result of it, or among the last. */
static void add_fact(table *t, fact f) {
    for (int i = 0; i < t->fact_count; i++) {
        if (strcmp(t->facts[i].label, f.label) != 0) continue;
        if (has_same_values(t, &t->facts[i], &f)) return;
        f.is_second = true;
    }
    t->facts[t->fact_count++] = f;
}

/* Options that differ, results that are numbers, and what each run has. Where runs are below one
 * another, only what tells them apart. */
static void choose_facts(table *t, report_layout layout) {
    const bool is_short = layout == REPORT_RUNS_BELOW;
    const char *key;
    json_t *value;
    json_object_foreach(t->options, key, value) {
        const fact f = {key, "options", key, "value", false};
        if (do_differ(t, &f)) add_fact(t, f);
    }
    json_object_foreach(t->results, key, value) {
        const fact f = {key, "result", key, NULL, false};
        if (has_number(t, &f) && (!is_short || metric_is_known(key) || do_differ(t, &f)))
            add_fact(t, f);
    }
    for (int i = 0; i < LAST_FACTS; i++)
        if (!is_short || do_differ(t, &last_facts[i])) add_fact(t, last_facts[i]);
}

/* ---- the table ------------------------------------------------------------------------------ */

/* Of the run, and not of a constant that it is compared with. */
static bool is_metric(const char *key) {
    return !strstr(key, "best_constant") &&
           (metric_is_known(key) || metric_is_better_larger(key) || strstr(key, "_error"));
}

/* The best value of a metric; NaN where none is to be marked. */
static double best_of(const table *t, const fact *f) {
    double best = (double)NAN;
    if (t->has_sets || strcmp(f->part, "result") != 0 || !is_metric(f->key) || !do_differ(t, f))
        return best;
    const bool is_large = metric_is_better_larger(f->key);
    for (int i = 0; i < t->count; i++) {
        const json_t *const value = value_of(&t->runs[i], f);
        const double x = json_number_value(value);
        if (json_is_number(value) && (isnan(best) || (is_large ? x > best : x < best))) best = x;
    }
    return best;
}

static void write_number(FILE *file, const json_t *value, double best) {
    char exact[NUMBER_BYTES];
    snprintf(exact, sizeof exact, "%.17g", json_number_value(value));
    fprintf(file,
            json_number_value(value) == best ? "<td class=\"best\" title=\"%s\">"
                                             : "<td title=\"%s\">",
            exact);
    report_number_write(file, value);
    fputs("</td>", file);
}

static void write_value(FILE *file, const json_t *value, double best) {
    if (json_is_number(value)) {
        write_number(file, value, best);
        return;
    }
    fputs("<td>", file);
    if (json_is_string(value))
        svg_write_text(file, json_string_value(value));
    else
        fputs(json_is_true(value) ? "true" : json_is_false(value) ? "false" : "-", file);
    fputs("</td>", file);
}

static void write_heading(FILE *file, const char *text, const char *more) {
    fputs("<th>", file);
    svg_write_text(file, text);
    fprintf(file, "%s</th>", more);
}

static void write_label(FILE *file, const fact *f) {
    write_heading(file, f->label, f->is_second ? " (result)" : "");
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
        const double best = best_of(t, &t->facts[f]);
        fputs("<tr>", t->file);
        write_label(t->file, &t->facts[f]);
        for (int i = 0; i < t->count; i++)
            write_value(t->file, value_of(&t->runs[i], &t->facts[f]), best);
        fputs("</tr>\n", t->file);
    }
}

static void write_below(const table *t) {
    fputs("<tr><th></th>", t->file);
    for (int f = 0; f < t->fact_count; f++)
        write_label(t->file, &t->facts[f]);
    fputs("</tr>\n", t->file);
    for (int i = 0; i < t->count; i++) {
        char *const name = report_run_name(t->runs, i);
        fputs("<tr>", t->file);
        write_heading(t->file, name ? name : "", "");
        for (int f = 0; f < t->fact_count; f++)
            write_value(t->file, value_of(&t->runs[i], &t->facts[f]), best_of(t, &t->facts[f]));
        fputs("</tr>\n", t->file);
        free(name);
    }
}

void report_table_write(FILE *file, const report_run *runs, int count, report_layout layout) {
    table t = {
        .file = file, .runs = runs, .count = count, .has_sets = report_sets_differ(runs, count)};
    t.options = collect_keys(&t, "options");
    t.results = collect_keys(&t, "result");
    t.facts = calloc(json_object_size(t.options) + json_object_size(t.results) + LAST_FACTS,
                     sizeof *t.facts);
    if (t.facts) choose_facts(&t, layout);
    fputs("<div class=\"wide\"><table id=\"comparison\">\n", file);
    if (layout == REPORT_RUNS_BELOW)
        write_below(&t);
    else
        write_beside(&t);
    fputs("</table></div>\n", file);
    free(t.facts);
    json_decref(t.options);
    json_decref(t.results);
}
