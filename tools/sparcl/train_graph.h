/* train_graph.h: sparcl train: the graph between rows, and which of them train, validate and test.
 */
#ifndef SPARCL_TOOL_TRAIN_GRAPH_H
#define SPARCL_TOOL_TRAIN_GRAPH_H

#include <jansson.h>

#include "exit_codes.h"
#include "sparcl/apply.h"
#include "sparcl/train.h"

typedef struct train_graph {
    sparcl_data *edges;
    int64_t *rows;     /* of the three parts, one after the other */
    int64_t counts[3]; /* train, validate, test */
    sparcl_train_nodes nodes;
    sparcl_metrics valid, test;
} train_graph;

/* Read --graph and draw the rows of the data, where the model reads a graph. */
exit_code graph_read(train_graph *graph, const sparcl_architecture *architecture,
                     const sparcl_data *data);
void graph_free(train_graph *graph);

/* Evaluate on the rows that validate and test; nothing where there is no graph. */
exit_code graph_evaluate(train_graph *graph, sparcl_ctx *ctx, const sparcl_model *model,
                         const sparcl_data *data);
/* Add what was found to an object. */
void graph_describe(const train_graph *graph, json_t *object);

#endif
