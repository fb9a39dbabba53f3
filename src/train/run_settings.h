/* run_settings.h: what determines the steps of a run, as texts: to go on only with the same. */
#ifndef SPC_TRAIN_RUN_SETTINGS_H
#define SPC_TRAIN_RUN_SETTINGS_H

#include "model/safetensors.h"
#include "train/loop.h"

enum { SPC_SETTINGS = 24 };

typedef struct spc_settings_list {
    spc_note notes[SPC_SETTINGS]; /* values are malloc'ed */
    int count;
} spc_settings_list;

/* E_MEMORY. Free it also after a failure. */
sparcl_status spc_settings_of(spc_settings_list *list, const spc_trainer *trainer,
                              sparcl_error *error);
void spc_settings_free(spc_settings_list *list);

/* E_ARG: a checkpoint has other ones. */
sparcl_status spc_settings_compare(const spc_settings_list *list, const spc_tensors *in,
                                   sparcl_error *error);

#endif
