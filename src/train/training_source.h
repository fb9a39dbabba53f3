/* training_source.h: where the batches of a training come from: rows of a data set, nodes of a
 * graph, pairs of users and items, or a callback. */
#ifndef SPC_TRAIN_TRAINING_SOURCE_H
#define SPC_TRAIN_TRAINING_SOURCE_H

#include "train/problem.h"
#include "train/run.h"

/* Functions that may be NULL: nothing to do. */
typedef struct spc_source {
    void *state;
    /* Before the first step of a pass; may be NULL. */
    sparcl_status (*start)(void *state, int64_t epoch, sparcl_error *error);
    /* Get the batch of a step; the views are valid until the next call. */
    sparcl_status (*next)(void *state, int64_t epoch, int64_t step, spc_inputs *inputs,
                          sparcl_error *error);
    /* The loss of the best constant prediction; NULL: it has none. */
    sparcl_status (*constant_loss)(const void *state, double *loss, sparcl_error *error);
    /* Add the bytes on the device. */
    void (*add_memory)(const void *state, sparcl_train_memory *memory);
    void (*close)(void *state);
    spc_scored train, valid; /* the rows of which losses are computed */
    bool on_host;
} spc_source;

/* What a source is opened for; all of it must stay valid. */
typedef struct spc_training {
    sparcl_ctx *ctx;
    const sparcl_data *train, *valid; /* valid NULL: none */
    const sparcl_train_desc *desc;    /* from spc_run_check */
    const spc_classes *classes;
} spc_training;

/* Open the source and the run that its sizes determine. Close both also after a failure. */
sparcl_status spc_open_rows(spc_source *source, spc_run *run, const spc_training *of,
                            sparcl_error *error);
sparcl_status spc_open_nodes(spc_source *source, spc_run *run, const spc_training *of,
                             sparcl_error *error);
sparcl_status spc_open_pairs(spc_source *source, spc_run *run, const spc_training *of,
                             sparcl_error *error);

#endif
