/* report_table.h: the table of the page that compares runs. */
#ifndef SPARCL_TOOL_REPORT_TABLE_H
#define SPARCL_TOOL_REPORT_TABLE_H

#include <stdio.h>

#include "report_run.h"

/* Few runs with many facts are read best beside one another; many runs below one another. */
typedef enum report_layout { REPORT_RUNS_BESIDE, REPORT_RUNS_BELOW } report_layout;

/* The options that differ, metrics, seconds, memory, device and data. Errors are in ferror(file).
 */
void report_table_write(FILE *file, const report_run *runs, int count, report_layout layout);

/* A short name of a run, to be freed: the last part of its path. NULL: out of memory. */
char *report_run_name(const report_run *runs, int i);

/* A number in at most five digits that matter; integers are complete. */
void report_number_write(FILE *file, const json_t *number);

#endif
