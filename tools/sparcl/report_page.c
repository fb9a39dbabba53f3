/* report_page.c: one HTML page that shows runs beside one another. */
#include "report_page.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "output.h"
#include "run_file.h"
#include "svg.h"

typedef struct page {
    FILE *file;
    const report_run *runs;
    int count;
} page;

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n<title>sparcl: runs</title>\n<style>\n"
    "body { font-family: sans-serif; margin: 2em; }\n"
    "svg { overflow: visible; }\n"
    "table { border-collapse: collapse; margin-bottom: 1em; }\n"
    "th, td { padding: 0.2em 0.8em; border-bottom: 1px solid #ddd; text-align: left; }\n"
    "td { font-variant-numeric: tabular-nums; }\n"
    "</style>\n</head>\n<body>\n<h1>Runs</h1>\n";

static void heading(const page *p, const char *text) {
    fprintf(p->file, "<h2>%s</h2>\n", text);
}

/* ---- curves --------------------------------------------------------------------------------- */

static bool has_points(const svg_series *s) {
    for (int i = 0; i < s->count; i++)
        if (isfinite(s->x[i]) && isfinite(s->y[i])) return true;
    return false;
}

/* The name of a run in a legend: its number and the last part of its path. */
static char *name_run(const page *p, int i) {
    const char *const path = p->runs[i].path, *const slash = strrchr(path, '/');
    const size_t room = strlen(path) + 16;
    char *const name = malloc(room);
    if (name) snprintf(name, room, "%d: %s", i + 1, slash && slash[1] ? slash + 1 : path);
    return name;
}

/* Draw the series that have points, and free all. */
static void write_plot(const page *p, svg_plot plot, svg_series *series) {
    bool any = false;
    for (int i = 0; i < plot.count; i++)
        any |= has_points(&series[i]);
    plot.series = series;
    plot.linear = 1;
    if (any) svg_write(p->file, &plot, 1);
    for (int i = 0; i < plot.count; i++) {
        free((void *)series[i].name);
        free((void *)series[i].x);
        free((void *)series[i].y);
    }
    free(series);
}

/* All runs that have the key, in one plot. */
static exit_code write_curves(const page *p, const char *key, const char *title) {
    svg_series *const series = calloc((size_t)p->count, sizeof *series);
    exit_code code = series ? EXIT_OK : EXIT_RUNTIME;
    int drawn = 0;
    for (int i = 0; i < p->count && code == EXIT_OK; i++) {
        svg_series *const s = &series[drawn++];
        *s = (svg_series){name_run(p, i), report_run_values(&p->runs[i], "rows"),
                          report_run_values(&p->runs[i], key),
                          (int)json_array_size(p->runs[i].passes)};
        if (!s->name || !s->x || !s->y) code = EXIT_RUNTIME;
    }
    const svg_plot plot = {.title = title, .x_label = "examples", .y_label = title, .count = drawn};
    write_plot(p, plot, series);
    return code == EXIT_OK ? code : out_of_memory();
}

/* Column k of the rows of a list. */
static double *column_of(const json_t *rows, size_t k) {
    const size_t count = json_array_size(rows);
    double *const values = calloc(count + 1, sizeof *values);
    for (size_t i = 0; values && i < count; i++)
        values[i] = json_number_value(json_array_get(json_array_get(rows, i), k));
    return values;
}

/* Observed fractions over predicted probabilities, of runs that were validated. */
static exit_code write_calibration(const page *p) {
    svg_series *const series = calloc((size_t)p->count, sizeof *series);
    exit_code code = series ? EXIT_OK : EXIT_RUNTIME;
    int drawn = 0;
    for (int i = 0; i < p->count && code == EXIT_OK; i++) {
        const json_t *const bins =
            json_object_get(json_object_get(p->runs[i].facts, "result"), "valid_calibration");
        svg_series *const s = &series[drawn++];
        *s = (svg_series){name_run(p, i), column_of(bins, 1), column_of(bins, 2),
                          (int)json_array_size(bins)};
        if (!s->name || !s->x || !s->y) code = EXIT_RUNTIME;
    }
    const svg_plot plot = {.title = "calibration",
                           .x_label = "predicted probability",
                           .y_label = "observed fraction",
                           .count = drawn};
    write_plot(p, plot, series);
    return code == EXIT_OK ? code : out_of_memory();
}

/* ---- the comparison ------------------------------------------------------------------------- */

static void write_value(const page *p, const json_t *value) {
    char text[NUMBER_BYTES];
    if (json_is_string(value)) {
        svg_write_text(p->file, json_string_value(value));
    } else if (json_is_number(value)) {
        snprintf(text, sizeof text, "%.10g", json_number_value(value));
        fputs(text, p->file);
    } else {
        fputs(json_is_true(value) ? "true" : json_is_false(value) ? "false" : "-", p->file);
    }
}

/* What a run says at part.key, or at part.key.inner. */
static const json_t *value_at(const report_run *run, const char *part, const char *key,
                              const char *inner) {
    const json_t *const value = json_object_get(json_object_get(run->facts, part), key);
    return inner ? json_object_get(value, inner) : value;
}

static void write_row(const page *p, const char *label, const char *part, const char *key,
                      const char *inner) {
    fputs("<tr><th>", p->file);
    svg_write_text(p->file, label);
    fputs("</th>", p->file);
    for (int i = 0; i < p->count; i++) {
        fputs("<td>", p->file);
        write_value(p, value_at(&p->runs[i], part, key, inner));
        fputs("</td>", p->file);
    }
    fputs("</tr>\n", p->file);
}

static bool is_nothing(const json_t *value) {
    return !value || json_is_null(value);
}

static bool do_differ(const page *p, const char *part, const char *key, const char *inner) {
    const json_t *const first = value_at(&p->runs[0], part, key, inner);
    for (int i = 1; i < p->count; i++) {
        const json_t *const other = value_at(&p->runs[i], part, key, inner);
        if (is_nothing(first) && is_nothing(other)) continue;
        if (!json_equal(first, other)) return true;
    }
    return false;
}

/* The keys of a part in any run, in the order in which they occur, without what is left out. */
static json_t *collect_keys(const page *p, const char *part) {
    json_t *const found = json_object();
    for (int i = 0; i < p->count; i++) {
        const char *key;
        json_t *value;
        json_object_foreach(json_object_get(p->runs[i].facts, part), key, value) {
            char name[256];
            snprintf(name, sizeof name, "%s.%s", part, key);
            if (!run_file_leaves_out(name)) json_object_set_new(found, key, json_true());
        }
    }
    return found;
}

static void write_options(const page *p) {
    json_t *const found = collect_keys(p, "options");
    const char *key;
    json_t *value;
    json_object_foreach(found, key, value) {
        if (do_differ(p, "options", key, "value")) write_row(p, key, "options", key, "value");
    }
    json_decref(found);
}

static bool has_number(const page *p, const char *part, const char *key) {
    for (int i = 0; i < p->count; i++)
        if (json_is_number(value_at(&p->runs[i], part, key, NULL))) return true;
    return false;
}

static void write_metrics(const page *p) {
    json_t *const found = collect_keys(p, "result");
    const char *key;
    json_t *value;
    json_object_foreach(found, key, value) {
        if (has_number(p, "result", key)) write_row(p, key, "result", key, NULL);
    }
    json_decref(found);
}

static void write_table(const page *p) {
    heading(p, "Comparison");
    fputs("<table id=\"comparison\">\n<tr><th></th>", p->file);
    for (int i = 0; i < p->count; i++) {
        fprintf(p->file, "<th>%d: ", i + 1);
        svg_write_text(p->file, p->runs[i].path);
        fputs("</th>", p->file);
    }
    fputs("</tr>\n", p->file);
    write_options(p);
    write_metrics(p);
    write_row(p, "seconds", "times", "seconds", NULL);
    write_row(p, "seconds_per_pass", "result", "seconds_per_pass", NULL);
    write_row(p, "peak_bytes", "result", "peak_bytes", NULL);
    write_row(p, "device", "device", "name", NULL);
    write_row(p, "data", "data", "train", "path");
    fputs("</table>\n", p->file);
}

/* ---- times ---------------------------------------------------------------------------------- */

static void write_phase(const page *p, const char *name, double seconds, double all) {
    fputs("<tr><td>", p->file);
    svg_write_text(p->file, name);
    fprintf(p->file, "</td><td>%.6f</td><td>%.1f %%</td></tr>\n", seconds,
            all > 0 ? 100 * seconds / all : 0);
}

static void write_phases(const page *p, const json_t *list, const char *key, double all) {
    size_t i;
    json_t *line;
    json_array_foreach(list, i, line) {
        const char *const name = json_string_value(json_object_get(line, key));
        if (name) write_phase(p, name, json_number_value(json_object_get(line, "seconds")), all);
    }
}

static double number_at(const json_t *object, const char *key) {
    return json_number_value(json_object_get(object, key));
}

/* Of a run with --profile. */
static void write_profile(const page *p, int run) {
    const json_t *const profile = value_at(&p->runs[run], "result", "profile", NULL);
    const double all = number_at(profile, "seconds");
    if (!profile) return;
    fprintf(p->file, "<h2>Times of run %d</h2>\n<p>The device worked for %.1f %% of %.6f s.</p>\n",
            run + 1, all > 0 ? 100 * number_at(profile, "device_seconds") / all : 0, all);
    fputs("<table>\n<tr><th>phase</th><th>seconds</th><th>part</th></tr>\n", p->file);
    write_phases(p, json_object_get(profile, "kernels"), "kernel", all);
    write_phases(p, json_object_get(profile, "transfers"), "transfer", all);
    write_phase(p, "building kernels", number_at(profile, "build_seconds"), all);
    write_phase(p, "host and waiting", number_at(profile, "host_seconds"), all);
    fputs("</table>\n", p->file);
}

exit_code report_page_save(const report_run *runs, int count, const char *path) {
    out_file out;
    exit_code code = out_open(&out, path);
    if (code != EXIT_OK) return code;
    const page p = {out.file, runs, count};
    fputs(head, p.file);
    heading(&p, "Learning curves");
    code = write_curves(&p, "loss", "loss");
    if (code == EXIT_OK) code = write_curves(&p, "valid_loss", "validation loss");
    if (code == EXIT_OK) code = write_curves(&p, "lr", "learning rate");
    if (code == EXIT_OK) code = write_calibration(&p);
    write_table(&p);
    for (int i = 0; i < count; i++)
        write_profile(&p, i);
    fputs("</body>\n</html>\n", p.file);
    const exit_code closed = out_close(&out, code == EXIT_OK);
    return code == EXIT_OK ? closed : code;
}
