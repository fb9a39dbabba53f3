/* svg.h: plots with two logarithmic axes, as an SVG file. */
#ifndef SPARCL_TOOL_SVG_H
#define SPARCL_TOOL_SVG_H

#include <stdio.h>

/* A line through points; x ascends. What is not positive is left out. */
typedef struct svg_series {
    const char *name;
    const double *x, *y;
    int count;
} svg_series;

typedef struct svg_plot {
    const char *title, *x_label, *y_label;
    const svg_series *series;
    int count;
} svg_plot;

/* Plots below one another. A failure shows in ferror(file). */
void svg_write(FILE *file, const svg_plot *plots, int count);

#endif
