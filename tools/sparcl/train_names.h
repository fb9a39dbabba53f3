/* train_names.h: the names of the hashed columns with the largest weights, which a model keeps. */
#ifndef SPARCL_TOOL_TRAIN_NAMES_H
#define SPARCL_TOOL_TRAIN_NAMES_H

#include "train_job.h"

/* Note them with the model, as COLUMN_NAMES_NOTE; `path` is the training file, which is read again
 * for them, if it is small. */
exit_code note_column_names(train_job *job, const char *path);

#endif
