/* report_chart.c: the charts of a page, as numbers for uPlot and as SVG. */
#include "report_chart.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "message.h"
#include "output.h"

/* Embedded files: third_party/uplot, and report_page.js. */
extern const unsigned char page_uPlot_iife_js[], page_uPlot_min_css[], page_uPlot_LICENSE[],
    page_report_page_js[];
extern const unsigned long page_uPlot_iife_js_bytes, page_uPlot_min_css_bytes,
    page_uPlot_LICENSE_bytes, page_report_page_js_bytes;

static void write_bytes(FILE *file, const unsigned char *bytes, unsigned long count) {
    fwrite(bytes, 1, count, file);
}

void chart_write_style(FILE *file) {
    write_bytes(file, page_uPlot_min_css, page_uPlot_min_css_bytes);
    fputs("\nfigure { margin: 0; min-width: 0; overflow-x: auto; }\n"
          ".drawn svg { width: 100%; height: auto; }\n",
          file);
}

void chart_write_scripts(FILE *file) {
    fputs("<script>\n/*\nuPlot:\n\n", file);
    write_bytes(file, page_uPlot_LICENSE, page_uPlot_LICENSE_bytes);
    fputs("*/\n", file);
    write_bytes(file, page_uPlot_iife_js, page_uPlot_iife_js_bytes);
    fputs("\n</script>\n<script>\n", file);
    write_bytes(file, page_report_page_js, page_report_page_js_bytes);
    fputs("</script>\n", file);
}

/* ---- numbers -------------------------------------------------------------------------------- */

static json_t *numbers(const double *values, int count) {
    json_t *const list = json_array();
    for (int i = 0; list && i < count; i++)
        json_array_append_new(list, json_number(values[i]));
    return list;
}

static json_t *describe(const svg_plot *plot) {
    json_t *const curves = json_array();
    for (int i = 0; curves && i < plot->count; i++) {
        const svg_series *const s = &plot->series[i];
        json_array_append_new(curves,
                              json_pack("{s:o, s:s, s:o, s:o}", "name", json_text(s->name),
                                        "colour", svg_colour(i), "x", numbers(s->x, s->count), "y",
                                        numbers(s->y, s->count)));
    }
    return json_pack("{s:s, s:s, s:s, s:o}", "title", plot->title, "x", plot->x_label, "y",
                     plot->y_label, "curves", curves);
}

/* As the text of an element <script>, which "<" could end: it is only in strings. */
static exit_code write_numbers(FILE *file, const svg_plot *plot) {
    json_t *const object = describe(plot);
    char *const text = json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII);
    json_decref(object);
    if (!text) return out_of_memory();
    fputs("<script type=\"application/json\">", file);
    for (const char *at = text; *at; at++)
        if (*at == '<')
            fputs("\\u003c", file);
        else
            fputc(*at, file);
    fputs("</script>\n", file);
    free(text);
    return EXIT_OK;
}

/* ---- a chart -------------------------------------------------------------------------------- */

static bool has_points(const svg_series *s) {
    for (int i = 0; i < s->count; i++)
        if (isfinite(s->x[i]) && isfinite(s->y[i])) return true;
    return false;
}

exit_code chart_write(FILE *file, const svg_plot *plot) {
    bool any = false;
    for (int i = 0; i < plot->count; i++)
        any |= has_points(&plot->series[i]);
    if (!any) return EXIT_OK;
    fputs("<figure>\n", file);
    const exit_code code = write_numbers(file, plot);
    fputs("<noscript>\n", file);
    svg_write(file, plot, 1);
    fputs("</noscript>\n</figure>\n", file);
    return code;
}
