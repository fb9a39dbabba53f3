/* run_settings.h: what determines the steps of a run, as texts: to go on only with the same. */
#ifndef SPC_TRAIN_RUN_SETTINGS_H
#define SPC_TRAIN_RUN_SETTINGS_H

#include "train/checkpoint_file.h"
#include "train/run.h"

enum { SPC_SETTINGS = 32 };

typedef struct spc_settings_list {
    spc_note notes[SPC_SETTINGS]; /* values are malloc'ed */
    int count;
} spc_settings_list;

/* Those of a run on data with a fingerprint, and validation data or NULL. E_MEMORY. Free it also
 * after a failure. */
sparcl_status spc_settings_of(spc_settings_list *list, const spc_run *run, uint64_t fingerprint,
                              const sparcl_data *valid, sparcl_error *error);
void spc_settings_free(spc_settings_list *list);

/* Those of a search by L-BFGS. */
typedef struct spc_search_settings {
    const sparcl_train_desc *desc; /* from spc_run_check */
    const sparcl_data *train, *valid;
    int64_t columns, outputs;
} spc_search_settings;

sparcl_status spc_settings_of_search(spc_settings_list *list, const spc_search_settings *search,
                                     sparcl_error *error);

/* Write a checkpoint with these settings. */
sparcl_status spc_settings_write(sparcl_ctx *ctx, const char *path, spc_settings_list *list,
                                 const spc_items *items, sparcl_error *error);

/* Which solver a checkpoint is of. */
sparcl_solver spc_settings_solver(const spc_tensors *in);

/* E_ARG: a checkpoint has other ones; E_FORMAT: the file is of another kind. */
sparcl_status spc_settings_compare(const spc_settings_list *list, const spc_tensors *in,
                                   sparcl_error *error);

#endif
