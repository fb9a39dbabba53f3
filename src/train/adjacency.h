/* adjacency.h: the normalised matrix between nodes that a model reads (sparcl_adjacency). */
#ifndef SPC_TRAIN_ADJACENCY_H
#define SPC_TRAIN_ADJACENCY_H

#include "base/macros.h"
#include "sparcl/train.h"

/*
 * Make it on the device. Entry (i, j) of `edges` is between the nodes i and first_column + j: 0 for
 * a graph between nodes, the number of users for items. E_FORMAT: edges are not square (where
 * first_column is 0), a weight is negative or not finite, or there are more than 2^31 - 1 nodes;
 * E_MEMORY; errors of the core.
 */
sparcl_status spc_adjacency_make(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_data *edges,
                                 int64_t first_column, sparcl_adjacency kind, sparcl_error *error);

#endif
