/* report_ranking.h: the runs of a page from best to worst. */
#ifndef SPARCL_TOOL_REPORT_RANKING_H
#define SPARCL_TOOL_REPORT_RANKING_H

#include <stdio.h>

#include "report_run.h"

/* The ranking by the first metric that all runs have, in each set of the same data on its own;
 * nothing for one run. Errors are in ferror(file), and exits of no memory are returned. */
exit_code report_ranking_write(FILE *file, const report_run *runs, int count);

#endif
