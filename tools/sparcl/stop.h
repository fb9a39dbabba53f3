/* stop.h: handles an interrupt from the keyboard (SIGINT) and requests to end (SIGTERM, SIGHUP,
 * SIGUSR1).
 */
#ifndef SPARCL_TOOL_STOP_H
#define SPARCL_TOOL_STOP_H

#include <stdbool.h>

typedef enum stop_mode {
    STOP_AT_ONCE, /* exit with 9, without the temporary files of outputs */
    STOP_SOON,    /* during a step: report and record the first request, exit at the second */
    STOP_NEVER    /* results are being written: only record the request */
} stop_mode;

/* Install the handlers of these signals; the initial mode is STOP_AT_ONCE. */
void stop_install(void);
/* For commands that look for requests between steps: SIGUSR1, with which batch systems announce the
 * end of a job, is one for them. */
void stop_hold_announcement(void);
void stop_set_mode(stop_mode mode);
bool stop_was_requested(void);

#endif
