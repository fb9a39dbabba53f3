/* report_chart.h: the charts of a page: drawn by uPlot, or without JavaScript as SVG. */
#ifndef SPARCL_TOOL_REPORT_CHART_H
#define SPARCL_TOOL_REPORT_CHART_H

#include "exit_codes.h"
#include "svg.h"

/* In the head of a page: the style of charts. */
void chart_write_style(FILE *file);

/* A chart of the series that have points; nothing without such a series. */
exit_code chart_write(FILE *file, const svg_plot *plot);

/* At the end of a page: uPlot with its licence, and what draws the charts. */
void chart_write_scripts(FILE *file);

#endif
