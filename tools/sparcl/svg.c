/* svg.c: writes plots as an SVG file. */
#include "svg.h"

#include <math.h>

/* In pixels: the frame of a plot, the margins at the left, above and below, and the width of the
 * legend. */
enum { WIDTH = 560, HEIGHT = 300, LEFT = 70, ABOVE = 40, BELOW = 60, LEGEND = 190, LINE = 18 };

/* Colours that colour-blind people can distinguish (Okabe and Ito 2008), and others. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000", "#999900"};
enum { COLOURS = sizeof colours / sizeof *colours };

const char *svg_colour(int number) {
    return colours[number % COLOURS];
}

/* The range of an axis, from one grid line to another; on a logarithmic axis low, high and step are
 * exponents of ten. */
typedef struct axis {
    double low, high, step;
    int linear;
} axis;

static double scale(int linear, double x) {
    return linear ? x : log10(x);
}

static int is_drawn(int linear, const svg_series *s, int i) {
    return isfinite(scale(linear, s->x[i])) && isfinite(scale(linear, s->y[i]));
}

/* 1, 2 or 5 times a power of ten, so that four to ten steps fit into `range`. */
static double find_step(double range) {
    const double ten = pow(10, floor(log10(range / 4)));
    return range / 4 >= 5 * ten ? 5 * ten : range / 4 >= 2 * ten ? 2 * ten : ten;
}

/* The range from a multiple of the step at or below the minimum to one at or above the maximum. */
static axis find_axis(const svg_plot *plot, int of_y) {
    axis a = {INFINITY, -INFINITY, 1, plot->linear};
    for (int s = 0; s < plot->count; s++)
        for (int i = 0; i < plot->series[s].count; i++) {
            if (!is_drawn(a.linear, &plot->series[s], i)) continue;
            const double x = scale(a.linear, (of_y ? plot->series[s].y : plot->series[s].x)[i]);
            a.low = fmin(a.low, x);
            a.high = fmax(a.high, x);
        }
    if (!(a.low <= a.high)) a.low = a.high = 0; /* no points */
    if (a.linear && a.low < a.high) a.step = find_step(a.high - a.low);
    a.low = a.step * floor(a.low / a.step);
    a.high = a.step * ceil(a.high / a.step);
    if (a.low == a.high) a.high += a.step;
    return a;
}

/* The position of a number on an axis: 0 to 1. */
static double place(const axis *a, double x) {
    return (scale(a->linear, x) - a->low) / (a->high - a->low);
}

void svg_write_text(FILE *file, const char *text) {
    for (; *text; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '&':
            fputs("&amp;", file);
            break;
        default:
            fputc(*text, file);
        }
}

static void write_text(FILE *file, double x, double y, const char *anchor, const char *text) {
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    svg_write_text(file, text);
    fputs("</text>\n", file);
}

static void write_line(FILE *file, double x1, double y1, double x2, double y2) {
    fprintf(file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", x1,
            y1, x2, y2);
}

/* The text of grid line i of an axis. */
static void write_number(char *text, size_t bytes, const axis *a, int i) {
    const double x = a->low + i * a->step;
    snprintf(text, bytes, a->linear ? "%.6g" : "1e%g", fabs(x) < a->step / 2 ? 0 : x);
}

static int count_lines(const axis *a) {
    return (int)lround((a->high - a->low) / a->step);
}

/* Draw a grid line at each step, with its number. */
static void write_axes(FILE *file, const svg_plot *plot, const axis *x, const axis *y) {
    char number[32];
    const int columns = count_lines(x), rows = count_lines(y);
    for (int i = 0; i <= columns; i++) {
        const double at = LEFT + WIDTH * (double)i / columns;
        write_line(file, at, ABOVE, at, ABOVE + HEIGHT);
        write_number(number, sizeof number, x, i);
        write_text(file, at, ABOVE + HEIGHT + LINE, "middle", number);
    }
    for (int i = 0; i <= rows; i++) {
        const double at = ABOVE + HEIGHT * (1 - (double)i / rows);
        write_line(file, LEFT, at, LEFT + WIDTH, at);
        write_number(number, sizeof number, y, i);
        write_text(file, LEFT - 6, at + 4, "end", number);
    }
    write_text(file, LEFT, ABOVE - 16, "start", plot->title);
    write_text(file, LEFT + WIDTH / 2, ABOVE + HEIGHT + 2 * LINE, "middle", plot->x_label);
    fprintf(file, "<g transform=\"rotate(-90)\">\n");
    write_text(file, -(ABOVE + HEIGHT / 2), 14, "middle", plot->y_label);
    fprintf(file, "</g>\n");
}

/* With its values, which a browser shows under the pointer. */
static void write_point(FILE *file, const svg_series *s, int i, const axis *x, const axis *y) {
    fprintf(file, "<circle r=\"3\" cx=\"%.1f\" cy=\"%.1f\"><title>",
            LEFT + WIDTH * place(x, s->x[i]), ABOVE + HEIGHT * (1 - place(y, s->y[i])));
    svg_write_text(file, s->name);
    fprintf(file, ": %.6g at %.10g</title></circle>\n", s->y[i], s->x[i]);
}

/* After all colours are used, they are used again with dashes. */
static void write_series(FILE *file, const svg_plot *plot, int number, const axis *x,
                         const axis *y) {
    const svg_series *const s = &plot->series[number];
    const char *const colour = svg_colour(number);
    const char *const dashes = number < COLOURS ? "none" : "6 3";
    const double legend = ABOVE + 10 + LINE * number, left = LEFT + WIDTH + 10;
    fprintf(file, "<g stroke=\"%s\" fill=\"%s\">\n", colour, colour);
    fprintf(file, "<polyline fill=\"none\" stroke-width=\"2\" stroke-dasharray=\"%s\" points=\"",
            dashes);
    for (int i = 0; i < s->count; i++)
        if (is_drawn(x->linear, s, i))
            fprintf(file, "%.1f,%.1f ", LEFT + WIDTH * place(x, s->x[i]),
                    ABOVE + HEIGHT * (1 - place(y, s->y[i])));
    fprintf(file, "\"/>\n");
    for (int i = 0; i < s->count && !plot->no_points; i++)
        if (is_drawn(x->linear, s, i)) write_point(file, s, i, x, y);
    fprintf(file,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke-width=\"2\" "
            "stroke-dasharray=\"%s\"/>\n</g>\n",
            left, legend - 4, left + 22, legend - 4, dashes);
    write_text(file, left + 28, legend, "start", s->name);
}

void svg_write(FILE *file, const svg_plot *plots, int count) {
    const int step = ABOVE + HEIGHT + BELOW;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            LEFT + WIDTH + LEGEND, step * count, LEFT + WIDTH + LEGEND, step * count);
    for (int p = 0; p < count; p++) {
        const axis x = find_axis(&plots[p], 0), y = find_axis(&plots[p], 1);
        fprintf(file, "<g transform=\"translate(0 %d)\">\n", step * p);
        write_axes(file, &plots[p], &x, &y);
        for (int s = 0; s < plots[p].count; s++)
            write_series(file, &plots[p], s, &x, &y);
        fprintf(file, "</g>\n");
    }
    fprintf(file, "</svg>\n");
}
