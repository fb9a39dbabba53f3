/* train_plan.h: the output of train --dry-run: the device memory that a run would take. */
#ifndef SPARCL_TOOL_TRAIN_PLAN_H
#define SPARCL_TOOL_TRAIN_PLAN_H

#include <jansson.h>

#include "exit_codes.h"
#include "sparcl/train.h"

typedef struct train_plan {
    sparcl_train_memory memory; /* without the graph */
    int64_t unshared;           /* bytes of values if no two shared memory */
    json_t *nodes;              /* NULL until the run was counted, or when out of memory */
} train_plan;

/* A sparcl_train_memory_fn; `user` is a plan. */
void plan_take(void *user, const sparcl_train_memory *memory);

/* Print the numbers and a table of the nodes; `json` is a file for the same as JSON, or NULL. */
exit_code plan_show(const train_plan *plan, const sparcl_ctx *ctx, const sparcl_data *train,
                    const sparcl_train_result *result, const char *json);
void plan_end(train_plan *plan);

#endif
