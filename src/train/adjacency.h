/* adjacency.h: the normalised matrix between nodes that a model reads (sparcl_adjacency). */
#ifndef SPC_TRAIN_ADJACENCY_H
#define SPC_TRAIN_ADJACENCY_H

#include "base/macros.h"
#include "sparcl/train.h"

/*
 * Make it on the device. Entry (i, j) of `edges` is between the nodes i and users + j, where there
 * are users + items nodes; a graph between nodes has no users, and as many items as rows. E_FORMAT:
 * edges are not square (where there are no users), a weight is negative or not finite, or there are
 * more than 2^31 - 1 nodes; E_MEMORY; errors of the core.
 */
sparcl_status spc_adjacency_make(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_data *edges,
                                 int64_t users, int64_t items, sparcl_adjacency kind,
                                 sparcl_error *error);

#endif
