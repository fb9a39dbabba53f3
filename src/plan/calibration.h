/* calibration.h: the points that a device is measured at, for the cost model of choose.c. */
#ifndef SPC_PLAN_CALIBRATION_H
#define SPC_PLAN_CALIBRATION_H

#include <stdbool.h>

#include "sparcl/plan.h"

extern const double spc_plan_widths[SPARCL_PLAN_WIDTHS]; /* columns of B */
extern const double spc_plan_sets[SPARCL_PLAN_SETS];     /* bytes of B that are read again */
extern const double spc_plan_dense[SPARCL_PLAN_SIZES];   /* bytes of a dense A */

/* Bytes of the cache lines that `count` rows of n floats take, scattered among `rows` of them. */
double spc_plan_set(double count, double rows, double n);

/* Rows and entries that all cores share. */
#define SPC_PLAN_SHARED (1 << 15)

/* Seconds of an entry, where so many bytes of B are read again and again. */
double spc_plan_entry(const sparcl_calibration *c, double n, double bytes);

/* Is every number of it positive and finite? */
bool spc_calibration_is_good(const sparcl_calibration *calibration);

#endif
