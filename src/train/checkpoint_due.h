/* checkpoint_due.h: when a checkpoint is written, and what becomes of one that cannot be. */
#ifndef SPC_TRAIN_CHECKPOINT_DUE_H
#define SPC_TRAIN_CHECKPOINT_DUE_H

#include <stdbool.h>

#include "sparcl/train.h"

typedef struct spc_checkpoint_due {
    double time;        /* of the last one; before it, of the beginning: the clock */
    sparcl_error error; /* of the last one */
} spc_checkpoint_due;

typedef sparcl_status (*spc_save_state)(void *user, sparcl_error *error);

/* After a step or an iteration: call `save` if a checkpoint is due, or if the run ends here
 * (`now`). A file that cannot be written is an error only then; else the progress says it, and the
 * run goes on. */
sparcl_status spc_checkpoint_if_due(spc_checkpoint_due *due, const sparcl_train_desc *desc,
                                    sparcl_train_progress *progress, bool now, spc_save_state save,
                                    void *user, sparcl_error *error);

#endif
