/* report_page.c: one HTML page that shows runs beside one another. */
#include "report_page.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "limits.h"
#include "message.h"
#include "output.h"
#include "report_chart.h"
#include "report_ranking.h"
#include "report_sets.h"
#include "report_table.h"
#include "svg.h"

enum { MOST_CURVES = 16 };

typedef struct page {
    FILE *file;
    const report_run *runs;
    int count;
} page;

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n<title>sparcl: runs</title>\n<style>\n"
    "body { font-family: sans-serif; margin: 1.5em min(2em, 3vw); overflow-wrap: anywhere; }\n"
    "svg { overflow: visible; }\n"
    ".wide { overflow-x: auto; margin-bottom: 1em; overflow-wrap: normal; }\n"
    ".charts { display: grid; gap: 1em 2em;\n"
    "          grid-template-columns: repeat(auto-fit, minmax(min(100%, 32em), 1fr)); }\n"
    ".warning { border-left: 4px solid #d55e00; background: #fdf3ea; padding: 0.2em 1em; }\n"
    ".best { background: #e5f4ec; font-weight: bold; }\n"
    "table { border-collapse: collapse; }\n"
    "th, td { padding: 0.2em 0.8em; border-bottom: 1px solid #ddd; text-align: left; }\n"
    "td { font-variant-numeric: tabular-nums; }\n";
static const char body[] = "</style>\n</head>\n<body>\n<h1>Runs</h1>\n";

static void heading(const page *p, const char *text) {
    fprintf(p->file, "<h2>%s</h2>\n", text);
}

/* ---- curves --------------------------------------------------------------------------------- */

static void free_series(svg_series *series, int count) {
    for (int i = 0; i < count; i++) {
        free((void *)series[i].name);
        free((void *)series[i].x);
        free((void *)series[i].y);
    }
    free(series);
}

/* Draw the series, if they are complete, and free them. */
static exit_code write_plot(const page *p, svg_plot plot, svg_series *series, bool is_complete) {
    plot.series = series;
    plot.linear = 1;
    const exit_code code = is_complete ? chart_write(p->file, &plot) : out_of_memory();
    free_series(series, plot.count);
    return code;
}

/* The runs, as many as a legend has room for, in one plot. */
static exit_code write_curves(const page *p, const char *key, const char *title) {
    svg_series *const series = calloc((size_t)p->count, sizeof *series);
    bool is_complete = series != NULL;
    const int most = p->count < MOST_CURVES ? p->count : MOST_CURVES;
    int drawn = 0;
    for (int i = 0; i < most && is_complete; i++) {
        svg_series *const s = &series[drawn++];
        *s = (svg_series){report_run_name(p->runs, i), report_run_values(&p->runs[i], "rows"),
                          report_run_values(&p->runs[i], key),
                          (int)json_array_size(p->runs[i].passes)};
        is_complete = s->name && s->x && s->y;
    }
    const svg_plot plot = {.title = title, .x_label = "examples", .y_label = title, .count = drawn};
    return write_plot(p, plot, series, is_complete);
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
    bool is_complete = series != NULL;
    const int most = p->count < MOST_CURVES ? p->count : MOST_CURVES;
    int drawn = 0;
    for (int i = 0; i < most && is_complete; i++) {
        const json_t *const bins =
            json_object_get(json_object_get(p->runs[i].facts, "result"), "valid_calibration");
        svg_series *const s = &series[drawn++];
        *s = (svg_series){report_run_name(p->runs, i), column_of(bins, 1), column_of(bins, 2),
                          (int)json_array_size(bins)};
        is_complete = s->name && s->x && s->y;
    }
    const svg_plot plot = {.title = "calibration",
                           .x_label = "predicted probability",
                           .y_label = "observed fraction",
                           .count = drawn};
    return write_plot(p, plot, series, is_complete);
}

/* ROC or precision-recall curves: column x of the points over column y, as SVG, because several
 * points have one x. */
static exit_code write_rates(const page *p, svg_plot plot, size_t x, size_t y) {
    svg_series *const series = calloc((size_t)p->count, sizeof *series);
    bool is_complete = series != NULL, any = false;
    const int most = p->count < MOST_CURVES ? p->count : MOST_CURVES;
    for (int i = 0; i < most && is_complete; i++) {
        const json_t *const points =
            json_object_get(json_object_get(p->runs[i].facts, "result"), "valid_curve");
        svg_series *const s = &series[plot.count++];
        *s = (svg_series){report_run_name(p->runs, i), column_of(points, x), column_of(points, y),
                          (int)json_array_size(points)};
        any |= s->count > 0;
        is_complete = s->name && s->x && s->y;
    }
    plot.series = series;
    plot.linear = plot.no_points = 1;
    if (is_complete && any) {
        fputs("<figure class=\"drawn\">\n", p->file);
        svg_write(p->file, &plot, 1);
        fputs("</figure>\n", p->file);
    }
    free_series(series, plot.count);
    return is_complete ? EXIT_OK : out_of_memory();
}

static exit_code write_class_curves(const page *p) {
    const svg_plot roc = {.title = "ROC curve",
                          .x_label = "false positive rate",
                          .y_label = "true positive rate (recall)"};
    const svg_plot pr = {
        .title = "precision-recall curve", .x_label = "recall", .y_label = "precision"};
    const exit_code code = write_rates(p, roc, 1, 2);
    return code == EXIT_OK ? write_rates(p, pr, 2, 3) : code;
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

/* What each node of the graph took, and how much of the limit of memory it reached. */
static void write_nodes(const page *p, const json_t *profile, double all) {
    const json_t *const nodes = json_object_get(profile, "nodes");
    const double limit = number_at(profile, "copy_gb_s");
    bool is_above = false;
    size_t i;
    json_t *node;
    if (json_array_size(nodes) == 0) return;
    fputs("<div "
          "class=\"wide\"><table>\n<tr><th>node</th><th>operation</th><th>of</th><th>seconds</"
          "th><th>part</th>"
          "<th>GB/s</th><th>of the limit</th></tr>\n",
          p->file);
    json_array_foreach(nodes, i, node) {
        const double seconds = number_at(node, "seconds");
        const double rate = seconds > 0 ? number_at(node, "bytes") / seconds / 1e9 : 0;
        is_above |= limit > 0 && rate > limit;
        fprintf(p->file, "<tr><td>%.0f</td><td>", number_at(node, "node"));
        svg_write_text(p->file, json_string_value(json_object_get(node, "operation")));
        fputs("</td><td>", p->file);
        svg_write_text(p->file, json_string_value(json_object_get(node, "of")));
        fprintf(p->file, "</td><td>%.6f</td><td>%.1f %%</td><td>%.2f</td><td>%.0f %%</td></tr>\n",
                seconds, all > 0 ? 100 * seconds / all : 0, rate,
                limit > 0 ? 100 * rate / limit : 0);
    }
    fprintf(p->file, "</table></div>\n<p>The limit: a copy of large arrays, %.2f GB/s%s.</p>\n",
            limit, is_above ? "; " LIMITS_NOTE : "");
}

/* Of a run with --profile. */
static void write_profile(const page *p, int run) {
    const json_t *const profile =
        json_object_get(json_object_get(p->runs[run].facts, "result"), "profile");
    const double all = number_at(profile, "seconds");
    if (!profile) return;
    fprintf(p->file, "<h2>Times of run %d</h2>\n<p>The device worked for %.1f %% of %.6f s.</p>\n",
            run + 1, all > 0 ? 100 * number_at(profile, "device_seconds") / all : 0, all);
    fputs("<div class=\"wide\"><table>\n<tr><th>phase</th><th>seconds</th><th>part</th></tr>\n",
          p->file);
    write_phases(p, json_object_get(profile, "kernels"), "kernel", all);
    write_phases(p, json_object_get(profile, "transfers"), "transfer", all);
    write_phase(p, "building kernels", number_at(profile, "build_seconds"), all);
    write_phase(p, "host and waiting", number_at(profile, "host_seconds"), all);
    fputs("</table></div>\n", p->file);
    write_nodes(p, profile, all);
}

static exit_code write_charts(const page *p) {
    heading(p, "Learning curves");
    if (p->count > MOST_CURVES)
        fprintf(p->file, "<p>Of the first %d of %d runs.</p>\n", MOST_CURVES, p->count);
    fputs("<div class=\"charts\">\n", p->file);
    exit_code code = write_curves(p, "loss", "loss");
    if (code == EXIT_OK) code = write_curves(p, "valid_loss", "validation loss");
    if (code == EXIT_OK) code = write_curves(p, "lr", "learning rate");
    if (code == EXIT_OK) code = write_calibration(p);
    if (code == EXIT_OK) code = write_class_curves(p);
    fputs("</div>\n", p->file);
    return code;
}

exit_code report_page_save(const report_run *runs, int count, report_layout layout,
                           const char *path) {
    out_file out;
    exit_code code = out_open(&out, path);
    if (code != EXIT_OK) return code;
    const page p = {out.file, runs, count};
    fputs(head, p.file);
    chart_write_style(p.file);
    fputs(body, p.file);
    report_sets_write(p.file, runs, count);
    code = report_ranking_write(p.file, runs, count);
    if (code == EXIT_OK) code = write_charts(&p);
    heading(&p, "Comparison");
    report_table_write(p.file, runs, count, layout);
    for (int i = 0; i < count; i++)
        write_profile(&p, i);
    chart_write_scripts(p.file);
    fputs("</body>\n</html>\n", p.file);
    const exit_code closed = out_close(&out, code == EXIT_OK);
    return code == EXIT_OK ? closed : code;
}
