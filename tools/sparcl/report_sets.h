/* report_sets.h: which runs of a page are of the same data, so that their metrics can be compared.
 */
#ifndef SPARCL_TOOL_REPORT_SETS_H
#define SPARCL_TOOL_REPORT_SETS_H

#include <stdbool.h>
#include <stdio.h>

#include "report_run.h"

/* The first run with the data of run i. Logs do not name their data: they fit any. */
int report_set_of(const report_run *runs, int i);

bool report_sets_differ(const report_run *runs, int count);

/* 1 for the data of the first run, 2 for those of the next that differ. */
int report_set_number(const report_run *runs, int i);

/* A warning with the data of each set, where there are several. */
void report_sets_write(FILE *file, const report_run *runs, int count);

#endif
