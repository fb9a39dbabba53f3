/* stop.h: what an interrupt from the keyboard (SIGINT) or a request to end (SIGTERM) does. */
#ifndef SPARCL_TOOL_STOP_H
#define SPARCL_TOOL_STOP_H

#include <stdbool.h>

typedef enum stop_mode {
    STOP_AT_ONCE, /* nothing is half done: end with exit 9 */
    STOP_SOON,    /* a step is in work: remember the first request, end at the second */
    STOP_NEVER    /* a file is being written: go on to the end */
} stop_mode;

/* Take over both signals; begins as STOP_AT_ONCE. */
void stop_install(void);
void stop_set_mode(stop_mode mode);
bool stop_was_requested(void);

#endif
