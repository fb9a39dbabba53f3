/* train_notes.h: what a model keeps of its training. */
#ifndef SPARCL_TOOL_TRAIN_NOTES_H
#define SPARCL_TOOL_TRAIN_NOTES_H

#include "train_job.h"

/* Where there are metrics of rows that were not trained on: notes of these, of the data, without
 * its folder, and of the options that the model depends on. */
exit_code note_training(train_job *job, const char *path);

#endif
