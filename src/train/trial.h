/* trial.h: a search for settings: the data, its parts, and what was tried. */
#ifndef SPC_TRAIN_TRIAL_H
#define SPC_TRAIN_TRIAL_H

#include "sparcl/auto.h"
#include "train/problem.h"

enum { SPC_FOLDS = 5 };

typedef struct spc_trial {
    sparcl_ctx *ctx;
    const sparcl_data *data;
    sparcl_data *weighted;  /* the data with weights of classes as weights of rows; NULL: none */
    sparcl_train_desc desc; /* checked; of all rows */
    bool is_linear;
    sparcl_select select;
    spc_classes classes;
    int64_t columns, parameters;
    sparcl_data *rest[SPC_FOLDS], *held[SPC_FOLDS];
    double *start[SPC_FOLDS]; /* [parameters]: of the last setting */
    double value;             /* what is being tried, */
    int fold;                 /* on these rows */
    int most;                 /* settings that may be tried */
    sparcl_tried_fn after;
    void *user;
    sparcl_auto_result *result;
} spc_trial;

/* The data with the weights that losses have: for parts, and for a training without those of the
 * description. */
static inline const sparcl_data *spc_trial_data(const spc_trial *trial) {
    return trial->weighted ? trial->weighted : trial->data;
}

/* The description for training with a value on the rows of a fold: without class weights, and with
 * the progress of the search. */
sparcl_train_desc spc_trial_part_desc(spc_trial *trial, double value, int fold);

/* Keep what was tried; *ends: nothing better is to be expected. E_INTERRUPTED. */
SPARCL_MUST_CHECK sparcl_status spc_trial_keep(spc_trial *trial, const sparcl_tried *tried,
                                               bool *ends, sparcl_error *error);

/* c_search.c: choose C for L-BFGS, and train with it. */
SPARCL_MUST_CHECK sparcl_status spc_search_c(spc_trial *trial, sparcl_model **model,
                                             sparcl_error *error);

/* rate_search.c: choose the rate of the description's optimizer, and train with it. */
SPARCL_MUST_CHECK sparcl_status spc_search_rate(spc_trial *trial, sparcl_model **model,
                                                sparcl_error *error);

#endif
