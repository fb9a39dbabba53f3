/* train_nodes.h: trains from the nodes of a graph. */
#ifndef SPC_TRAIN_TRAIN_NODES_H
#define SPC_TRAIN_TRAIN_NODES_H

#include "train/loop.h"

/* Fill in a trainer from data whose rows are nodes; its classes are known. `valid` is to be NULL.
 */
sparcl_status spc_open_nodes(spc_trainer *t, sparcl_ctx *ctx, const sparcl_data *data,
                             const sparcl_data *valid, const sparcl_train_desc *checked,
                             sparcl_error *error);

#endif
