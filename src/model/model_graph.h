/* model_graph.h: the graph of a model: runs its forward function, and checks what it has made. */
#ifndef SPC_MODEL_MODEL_GRAPH_H
#define SPC_MODEL_MODEL_GRAPH_H

#include <stdbool.h>

#include "base/macros.h"
#include "sparcl/model.h"
#include "sparcl/sparcl.h"

/* A parameter of the graph. */
typedef struct spc_built {
    sparcl_node node;
    sparcl_tensor shape; /* without values */
    double l2;           /* coefficient in the objective */
} spc_built;

typedef struct spc_model_graph {
    sparcl_build build; /* first: what the forward function gets */
    const sparcl_architecture *architecture;
    bool trains;                       /* parameters are that of the graph; else they are inputs */
    const sparcl_parameter_optim *own; /* [own_count]: optimizers of single parameters */
    int own_count;
    int64_t entries, edges;        /* dimensions: of x and of the adjacency */
    sparcl_node weights;           /* [rows]: factors of the losses; SPARCL_NO_NODE: none */
    sparcl_node user, item, other; /* SPARCL_TASK_RANK: lists [rows]: rows of the table */
    spc_built *parameters;         /* [count]: in the order of the architecture's list */
    int count;
    sparcl_error error; /* the first of sparcl_build_parameter */
} spc_model_graph;

/* What a graph is for. */
typedef struct spc_model_graph_desc {
    const sparcl_architecture *architecture;
    sparcl_loss loss;
    sparcl_optim optim;
    int64_t columns, outputs;
    int64_t rows, entries; /* capacities */
    int64_t nodes;         /* of the graph between nodes; users and items */
    bool trains;
    bool weighs;                       /* rows have weights */
    int64_t fields;                    /* where the architecture reads them */
    uint64_t seed;                     /* where it trains */
    const sparcl_parameter_optim *own; /* optimizers of single parameters */
    int own_count;
} spc_model_graph_desc;

/* The inputs of a run: those that the task of the architecture has. */
typedef struct spc_inputs {
    sparcl_csr x;
    sparcl_pattern *pattern; /* of x; NULL: the graph builds it where it needs one */
    sparcl_list fields;
    sparcl_dense labels, weights;
    sparcl_csr adjacency;
    sparcl_list nodes;
    sparcl_list user, item, other; /* other: an item that the user does not have */
} spc_inputs;

/* Bind them; the graph must have room. */
sparcl_status spc_model_graph_bind(const spc_model_graph *graph, const spc_inputs *inputs);
/* The same for what stays from run to run, with room for it: x and the adjacency of nodes. */
sparcl_status spc_model_graph_bind_all(const spc_model_graph *graph, const spc_inputs *inputs);

/* Make a graph with the nodes of the forward function, scores and losses. Close it also after a
 * failure. E_ARG: the nodes are not as the architecture says; errors of the forward function. */
sparcl_status spc_model_graph_open(spc_model_graph *graph, sparcl_ctx *ctx,
                                   const spc_model_graph_desc *desc, sparcl_error *error);
void spc_model_graph_close(spc_model_graph *graph);

/* l2/2 |w|^2 of all parameters, in double. */
double spc_model_graph_penalty(const spc_model_graph *graph, const sparcl_model *model);

#endif
