/* svg.h: plots as an SVG file. */
#ifndef SPARCL_TOOL_SVG_H
#define SPARCL_TOOL_SVG_H

#include <stdio.h>

/* A line through points; x ascends. What an axis cannot show is left out: NaN, and on logarithmic
 * axes what is not positive. */
typedef struct svg_series {
    const char *name;
    const double *x, *y;
    int count;
} svg_series;

typedef struct svg_plot {
    const char *title, *x_label, *y_label;
    const svg_series *series;
    int count;
    int linear; /* both axes; else both are logarithmic */
} svg_plot;

/* Plots below one another. A failure shows in ferror(file). */
void svg_write(FILE *file, const svg_plot *plots, int count);

#endif
