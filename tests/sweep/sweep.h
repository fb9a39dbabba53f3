/* sweep.h: the current case of the sweep, for launches.c. */
#ifndef TESTS_SWEEP_H
#define TESTS_SWEEP_H

/* The shape of the case that is tried, as a text; "" between cases. */
extern const char *sweep_case;

#endif
