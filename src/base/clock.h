/* clock.h: the time, for what is timed. */
#ifndef SPC_BASE_CLOCK_H
#define SPC_BASE_CLOCK_H

/* Seconds of a clock that only goes forward. */
double spc_clock(void);

#endif
