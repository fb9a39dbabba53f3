/* stop.h: an interrupt from the keyboard (SIGINT) and requests to end (SIGTERM, SIGHUP, SIGUSR1,
 * with which batch systems announce the end of a job).
 */
#ifndef SPARCL_TOOL_STOP_H
#define SPARCL_TOOL_STOP_H

#include <stdbool.h>

typedef enum stop_mode {
    STOP_AT_ONCE, /* exit with 9, without the temporary files of outputs */
    STOP_SOON,    /* during a step: report and record the first request, exit at the second, if it
                     does not come at once */
    STOP_WRITTEN, /* while a result is written: the same, but the command goes on to its end */
    STOP_NEVER    /* the command ends: only record the request */
} stop_mode;

/* Take these signals from now on, in this thread, before there are others; the initial mode is
 * STOP_AT_ONCE. */
void stop_install(void);
/* In a child after fork(): these signals end it. */
void stop_leave_to_system(void);
void stop_set_mode(stop_mode mode);
bool stop_was_requested(void);

#endif
