/* plan_check.h: what a plan predicts, measured. */
#ifndef SPARCL_TOOL_PLAN_CHECK_H
#define SPARCL_TOOL_PLAN_CHECK_H

#include "exit_codes.h"
#include "sparcl/data.h"
#include "sparcl/plan.h"

/* Seconds of a product by form; 0: not measured. */
typedef struct plan_times {
    double seconds[SPARCL_FORMATS];
} plan_times;

typedef struct plan_verdict {
    double worst_ratio;  /* of predicted and measured, the larger by the smaller */
    double choice_ratio; /* the choice's time by that of the fastest */
} plan_verdict;

/* Make the matrix in each form that fits and is not predicted to take very long, and time the
 * product. What goes wrong is told. */
exit_code plan_measure(sparcl_ctx *ctx, const sparcl_data *data, const sparcl_plan_case *about,
                       const sparcl_plan *plan, plan_times *times);

plan_verdict plan_judge(const sparcl_plan *plan, const plan_times *times);

#endif
