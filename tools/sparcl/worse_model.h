/* worse_model.h: notes about a model that a constant prediction would beat. */
#ifndef SPARCL_TOOL_WORSE_MODEL_H
#define SPARCL_TOOL_WORSE_MODEL_H

#include <stdbool.h>

#include "sparcl/apply.h"
#include "sparcl/train.h"

/* On the rows of the training, and on validation rows: `metrics` are NULL without these. `remedy`
 * is what else to do. Returns whether the model is worse on the rows of the training. */
bool print_worse_model(const sparcl_train_result *result, const sparcl_metrics *metrics,
                       const char *remedy);

/* On the rows of an evaluation. */
void print_worse_evaluation(const sparcl_metrics *metrics);

#endif
