/* train_log.h: the progress of a training as lines of a file, JSON or CSV, and for TensorBoard. */
#ifndef SPARCL_TOOL_TRAIN_LOG_H
#define SPARCL_TOOL_TRAIN_LOG_H

#include <jansson.h>
#include <stdbool.h>

#include "event_file.h"
#include "exit_codes.h"
#include "sparcl/train.h"

typedef struct train_log {
    out_file lines;
    event_file events;
    bool is_csv;
    int64_t every; /* steps; 0: only passes */
    sparcl_train_progress last;
} train_log;

/* Begin the file, CSV where its name ends in .csv, and an event file in the folder. Either may be
 * NULL. */
exit_code log_open(train_log *log, const char *path, const char *folder, int64_t every);
/* Write a line if a pass has ended, or the number of steps since the last line is reached. */
void log_add(train_log *log, const sparcl_train_progress *now);
/* To the event file: the metrics of the result, at its last step. */
void log_add_result(train_log *log, const json_t *result);
/* An error if a line could not be written. */
exit_code log_close(train_log *log);

#endif
