/* start.h: how a training begins, also with the parameters of a model. */
#ifndef SPC_TRAIN_START_H
#define SPC_TRAIN_START_H

#include "train/problem.h"

/* As sparcl_train; the context's last error stays. */
sparcl_status spc_train(sparcl_ctx *ctx, sparcl_model **model, const sparcl_data *train,
                        const sparcl_data *valid, const sparcl_train_desc *desc,
                        sparcl_train_result *result, sparcl_error *error);

/* What needs no data. E_ARG. */
sparcl_status spc_start_check(const sparcl_train_desc *checked, sparcl_error *error);

/* The classes of the model, or without one those of the data, as spc_classes_find. */
sparcl_status spc_start_classes(spc_classes *classes, const sparcl_train_desc *checked,
                                const sparcl_data *data, sparcl_error *error);

/* The values of a parameter, whose shape in this training is `shape`. E_ARG. */
sparcl_status spc_start_values(const sparcl_train_desc *checked, const char *name,
                               const sparcl_tensor *shape, const float **values,
                               sparcl_error *error);

/* Of the data, and of the model that the training begins with, if there is one. */
uint64_t spc_start_fingerprint(const sparcl_train_desc *checked, const sparcl_data *data);

#endif
