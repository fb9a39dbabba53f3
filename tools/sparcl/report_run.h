/* report_run.h: a run as the report shows it: read from its manifest or its log. */
#ifndef SPARCL_TOOL_REPORT_RUN_H
#define SPARCL_TOOL_REPORT_RUN_H

#include <jansson.h>

#include "exit_codes.h"

typedef struct report_run {
    const char *path;
    json_t *facts;  /* the manifest; of a log, what its last line says in the same form */
    json_t *passes; /* a list of objects, with the keys of a line of the log */
} report_run;

/* Errors are printed, with the line of the log. */
exit_code report_run_read(report_run *run, const char *path);
void report_run_free(report_run *run);

/* The values of a key in all passes, to be freed: NaN where a pass has none. NULL: out of memory.
 */
double *report_run_values(const report_run *run, const char *key);

#endif
