/* sweep_point.h: a point of a sweep: its settings, its files, and what became of its run. */
#ifndef SPARCL_TOOL_SWEEP_POINT_H
#define SPARCL_TOOL_SWEEP_POINT_H

#include <stdbool.h>

#include "report_run.h"
#include "sweep_grid.h"

typedef enum sweep_state { SWEEP_WAITS, SWEEP_DONE, SWEEP_FAILED } sweep_state;

typedef struct sweep_point {
    int number; /* in the grid, from 0 */
    char *name;
    json_t *settings; /* the options of its run; "train" is the data */
    sweep_state state;
    exit_code code;         /* of a run that failed */
    char *manifest;         /* the path */
    report_run run;         /* done: what the manifest says */
    bool is_read, is_found; /* found: it was done before this command */
} sweep_point;

/* A file of the point, as FOLDER/NAME.ENDING; to be freed. NULL: out of memory. */
char *point_file(const char *folder, const sweep_point *point, const char *ending);

/* Fill in point `number`. */
exit_code point_make(sweep_point *point, const sweep_grid *grid, int number, const json_t *all,
                     const char *folder);
/* Read the manifest, if there is one: the point is done. One of other settings is refused. */
exit_code point_find(sweep_point *point);
void point_free(sweep_point *point);

/* The command line of the run, with NULL at its end, to be freed by free_arguments. NULL: out of
 * memory. */
char **point_arguments(const sweep_point *point, const char *folder);
void free_arguments(char **arguments);

#endif
