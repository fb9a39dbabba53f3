/* plan_check.h: measures the formats of a plan. */
#ifndef SPARCL_TOOL_PLAN_CHECK_H
#define SPARCL_TOOL_PLAN_CHECK_H

#include "exit_codes.h"
#include "sparcl/data.h"
#include "sparcl/plan.h"

/* Seconds of a product for each format; 0: not measured. */
typedef struct plan_times {
    double seconds[SPARCL_FORMATS];
} plan_times;

typedef struct plan_verdict {
    double worst_ratio;  /* of predicted and measured time, at least 1; the largest of all
                              formats */
    double choice_ratio; /* the time of the choice divided by that of the fastest */
} plan_verdict;

/* Convert the matrix to each format that fits and is not predicted to take very long, and time the
 * product. Errors are printed. */
exit_code plan_measure(sparcl_ctx *ctx, const sparcl_data *data, const sparcl_plan_case *about,
                       const sparcl_plan *plan, plan_times *times);

plan_verdict plan_judge(const sparcl_plan *plan, const plan_times *times);

#endif
