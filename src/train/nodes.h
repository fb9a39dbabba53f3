/* nodes.h: rows that are nodes of a graph: all of them, and the graph, on the device; and parts of
 * them to train with and to score. */
#ifndef SPC_TRAIN_NODES_H
#define SPC_TRAIN_NODES_H

#include "train/score.h"

/* Nodes with their targets, on the device. */
typedef struct spc_node_list {
    const struct spc_nodes *of;
    int64_t count;
    sparcl_list list;
    sparcl_dense targets, weights; /* weights without values: 1 */
} spc_node_list;

typedef struct spc_nodes {
    sparcl_ctx *ctx;
    sparcl_csr x, adjacency;
    spc_node_list train, valid;
} spc_nodes;

/* Copy all rows and the graph to the device. Close it also after a failure. */
sparcl_status spc_nodes_open(spc_nodes *nodes, sparcl_ctx *ctx, const sparcl_data *data,
                             int64_t columns, const sparcl_data *edges, sparcl_adjacency kind,
                             sparcl_error *error);
void spc_nodes_close(spc_nodes *nodes);
int64_t spc_nodes_bytes(const spc_nodes *nodes);

/* E_ARG: a number is none of `all` rows, or twice in the list. `what` begins messages. */
sparcl_status spc_check_node_list(int64_t all, const int64_t *rows, int64_t count, const char *what,
                                  sparcl_error *error);

/* A list of nodes; targets and weights are those of all rows, NULL: zeros, and no weights. Checked
 * as above. */
sparcl_status spc_node_list_open(spc_node_list *list, const spc_nodes *nodes, const int64_t *rows,
                                 int64_t count, const float *targets, const float *weights,
                                 const char *what, sparcl_error *error);
void spc_node_list_close(spc_node_list *list);

/* The inputs of a run on a list. */
spc_inputs spc_node_list_inputs(const spc_node_list *list);
spc_scored spc_scored_nodes(spc_node_list *list);

#endif
