/* train_history.h: what a training has reported of its passes. */
#ifndef SPARCL_TOOL_TRAIN_HISTORY_H
#define SPARCL_TOOL_TRAIN_HISTORY_H

#include <jansson.h>
#include <stdbool.h>

#include "exit_codes.h"
#include "sparcl/train.h"

typedef struct train_history {
    sparcl_train_progress *passes; /* the report at the end of each */
    int count, capacity;
    bool out_of_memory;
} train_history;

/* Keep a report, if a pass has ended. */
void history_add(train_history *history, const sparcl_train_progress *now);
/* The part of its loss by which the last pass fell; 0: by none, or the loss of validation rows did
 * not fall. */
double history_last_fall(const train_history *history);
/* A list of the passes. */
json_t *history_describe(const train_history *history);
void history_free(train_history *history);

/* A report: epoch, step, rows, seconds, loss, valid_loss, lr. */
json_t *progress_describe(const sparcl_train_progress *now);

#endif
