/* train_pairs.h: trains a ranking from pairs of users and items. */
#ifndef SPC_TRAIN_TRAIN_PAIRS_H
#define SPC_TRAIN_TRAIN_PAIRS_H

#include "train/loop.h"

/* Fill in a trainer from a data set with a row for each user, and an entry for each item he has. */
sparcl_status spc_open_pairs(spc_trainer *t, sparcl_ctx *ctx, const sparcl_data *data,
                             const sparcl_data *valid, const sparcl_train_desc *checked,
                             sparcl_error *error);

#endif
