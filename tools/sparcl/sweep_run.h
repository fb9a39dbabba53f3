/* sweep_run.h: runs the points of a sweep as processes. */
#ifndef SPARCL_TOOL_SWEEP_RUN_H
#define SPARCL_TOOL_SWEEP_RUN_H

#include "sweep_point.h"

typedef struct sweep_work {
    sweep_point *points;
    int count;
    const char *folder;
    int64_t jobs; /* processes at a time */
    bool stops_on_failure, is_quiet;
} sweep_work;

/*
 * Run the points that are not done. A failed one is reported, and the others go on. An interrupt is
 * passed on to the runs, which write their checkpoints: EXIT_INTERRUPTED.
 */
exit_code sweep_run(sweep_work *work);

#endif
