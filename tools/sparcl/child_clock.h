/* child_clock.h: the time of a child process, to find one that hangs also where the machine is
 * busy. */
#ifndef SPARCL_TOOL_CHILD_CLOCK_H
#define SPARCL_TOOL_CHILD_CLOCK_H

#include <sys/types.h>

/* How often a clock must be read, in milliseconds. */
enum { CHILD_CLOCK_TICK = 200 };

typedef struct child_clock {
    pid_t child;
    double seconds;   /* since the start, in which it ran or slept */
    double unsure;    /* of these, the last ones, which may be a wait that has not ended */
    double read;      /* spc_clock() of the last reading */
    double run, wait; /* of its threads, in all: on a core, and ready for one that others had */
} child_clock;

/* Begin at 0. */
void child_clock_start(child_clock *clock, pid_t child);

/* Read it: the seconds since the start, without those in which the child waited for a core. Where
 * the system does not say how long that was, all of them. */
double child_clock_read(child_clock *clock);

#endif
