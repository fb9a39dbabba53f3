/* metric_names.h: the metrics among the results of runs. */
#ifndef SPARCL_TOOL_METRIC_NAMES_H
#define SPARCL_TOOL_METRIC_NAMES_H

#include <stdbool.h>

/* The keys of what tables of runs show, in their order; NULL ends them. */
extern const char *const metric_names[];

/* True for a name in metric_names. */
bool metric_is_known(const char *name);

/* True for what is to be large, such as accuracy; false for losses. */
bool metric_is_better_larger(const char *name);

#endif
