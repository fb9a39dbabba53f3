/* svg.h: writes plots as an SVG file. */
#ifndef SPARCL_TOOL_SVG_H
#define SPARCL_TOOL_SVG_H

#include <stdio.h>

/* A line through points; x does not descend. Points that an axis cannot show are omitted: NaN, and
 * numbers that are not positive on a logarithmic axis. */
typedef struct svg_series {
    const char *name;
    const double *x, *y;
    int count;
} svg_series;

typedef struct svg_plot {
    const char *title, *x_label, *y_label;
    const svg_series *series;
    int count;
    int linear;    /* both axes; otherwise both are logarithmic */
    int no_points; /* only lines, of many points */
} svg_plot;

/* The colour of a series, by its number in the plot. */
const char *svg_colour(int number);

/* Write plots below one another. Errors are in ferror(file). */
void svg_write(FILE *file, const svg_plot *plots, int count);

/* Write text with <, > and & escaped. */
void svg_write_text(FILE *file, const char *text);

#endif
