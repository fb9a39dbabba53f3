/* train_probe.h: sparcl train --probe: how well a linear classifier does on the codes of a model.
 */
#ifndef SPARCL_TOOL_TRAIN_PROBE_H
#define SPARCL_TOOL_TRAIN_PROBE_H

#include <jansson.h>
#include <stdbool.h>

#include "exit_codes.h"
#include "sparcl/apply.h"

typedef struct train_probe {
    sparcl_metrics train, valid; /* of the classifier */
    int64_t dead_units;          /* in no code of the training data */
    bool has_valid;
} train_probe;

/* Before the run: can these models and data have a probe? */
exit_code probe_check(const sparcl_architecture *architecture, const sparcl_data *train,
                      const sparcl_data *valid);

/* Encode the data, train a linear classifier by L-BFGS on the codes of `train`, and evaluate it.
 * `valid` may be NULL. */
exit_code probe_run(train_probe *probe, sparcl_ctx *ctx, const sparcl_model *model,
                    const sparcl_data *train, const sparcl_data *valid);
void probe_describe(const train_probe *probe, json_t *object);

#endif
