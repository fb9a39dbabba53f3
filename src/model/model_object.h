/* model_object.h: the struct of a model, for the files of the training library. */
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

/* Check everything except the weights; an error is `status`, and its message begins with `what`. */
sparcl_status spc_model_check(const sparcl_model_info *info, sparcl_status status, const char *what,
                              sparcl_error *error);

/* A model with a copy of info->labels; weights and bias are allocated but unspecified, so that
 * large tables are read directly into them. `info` was checked. E_MEMORY. */
sparcl_status spc_model_new(sparcl_model **model, const sparcl_model_info *info,
                            sparcl_error *error);

/* The first label that is not finite or not above its predecessor; -1: they ascend. */
int64_t spc_labels_wrong(const double *labels, int64_t count);

/* Check that weights and bias are finite; an error is `status`, and its message begins with
 * `what`. */
sparcl_status spc_model_check_finite(const sparcl_model *model, sparcl_status status,
                                     const char *what, sparcl_error *error);

/* sparcl_model_load from an open file; `path` is for messages. */
sparcl_status spc_model_read(sparcl_model **model, FILE *file, const char *path,
                             sparcl_error *error);

#endif
