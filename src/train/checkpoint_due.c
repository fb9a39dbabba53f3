/* checkpoint_due.c: when a checkpoint is written. */
#include "train/checkpoint_due.h"

#include "base/clock.h"
#include "base/error.h"

static bool is_due(const spc_checkpoint_due *due, const sparcl_train_desc *desc, int64_t step) {
    return (desc->checkpoint_steps > 0 && step % desc->checkpoint_steps == 0) ||
           (desc->checkpoint_seconds > 0 && spc_clock() - due->time >= desc->checkpoint_seconds);
}

sparcl_status spc_checkpoint_if_due(spc_checkpoint_due *due, const sparcl_train_desc *desc,
                                    sparcl_train_progress *progress, bool now, spc_save_state save,
                                    void *user, sparcl_error *error) {
    if (!desc->checkpoint || !(now || is_due(due, desc, progress->step))) return SPARCL_OK;
    due->error = (sparcl_error){0};
    const sparcl_status status = save(user, &due->error);
    due->time = spc_clock();
    progress->checkpoint_error = status == SPARCL_OK ? NULL : due->error.message;
    if (status == SPARCL_OK) progress->checkpoint_step = progress->step;
    if (status == SPARCL_OK || (!now && status == SPARCL_E_IO)) return SPARCL_OK;
    return spc_fail(error, status, "%s", due->error.message);
}
