/* clock.h: a clock for measurements. */
#ifndef SPC_BASE_CLOCK_H
#define SPC_BASE_CLOCK_H

/* Seconds of a monotonic clock. */
double spc_clock(void);

#endif
