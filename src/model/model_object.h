/* model_object.h: what a model is made of; for the files of the training library. */
#ifndef SPC_MODEL_OBJECT_H
#define SPC_MODEL_OBJECT_H

#include <stdio.h>

#include "base/macros.h"
#include "sparcl/model.h"

struct sparcl_model {
    sparcl_model_info info; /* info.labels is `labels` */
    double *labels;         /* [classes] */
    float *weights;         /* [columns, outputs] */
    float *bias;            /* [outputs], NULL without */
    size_t label_bytes, weight_bytes, bias_bytes;
};

/* Check all that can be checked without the weights; a broken rule is `status`, said of `what`. */
sparcl_status spc_model_check(const sparcl_model_info *info, sparcl_status status, const char *what,
                              sparcl_error *error);

/* A model with a copy of info->labels and room for weights and bias, contents unspecified: so that
 * large tables are read straight to where they stay. `info` was checked. E_MEMORY. */
sparcl_status spc_model_new(sparcl_model **model, const sparcl_model_info *info,
                            sparcl_error *error);

/* The first label that is not finite or not above the one before it; -1: they ascend. */
int64_t spc_labels_wrong(const double *labels, int64_t count);

/* Weights and bias must be finite: the first that is not is `status`, said of `what`. */
sparcl_status spc_model_check_finite(const sparcl_model *model, sparcl_status status,
                                     const char *what, sparcl_error *error);

/* sparcl_model_load from an open file; `path` is for messages. */
sparcl_status spc_model_read(sparcl_model **model, FILE *file, const char *path,
                             sparcl_error *error);

#endif
