/* calibration.h: the points at which a device is measured, for the cost model of choose.c. */
#ifndef SPC_PLAN_CALIBRATION_H
#define SPC_PLAN_CALIBRATION_H

#include <stdbool.h>

#include "sparcl/plan.h"

extern const double spc_plan_widths[SPARCL_PLAN_WIDTHS];     /* columns of B */
extern const double spc_plan_sets[SPARCL_PLAN_WORKING_SETS]; /* bytes of B in the working set */
extern const double spc_plan_dense[SPARCL_PLAN_SIZES];       /* bytes of a dense A */

/* The bytes of the cache lines of `count` rows of n floats, scattered among `rows` rows. */
double spc_plan_working_set(double count, double rows, double n);

/* Work, in rows plus entries, that is enough for all cores. */
#define SPC_PLAN_SHARED (1 << 15)

/* Seconds per entry, for a working set of this many bytes of B. */
double spc_plan_entry(const sparcl_calibration *c, double n, double bytes);

/* Are all its numbers positive and finite? */
bool spc_calibration_is_good(const sparcl_calibration *calibration);

#endif
