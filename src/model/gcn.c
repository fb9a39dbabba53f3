/* gcn.c: the graph convolutional network (Kipf and Welling, ICLR 2017). */
#include "model/builtin.h"
#include "model/layer_names.h"

/* Entries of x that a step keeps, as dropout keeps elements. */
static sparcl_node drop_entries(sparcl_build *b, double rate) {
    sparcl_graph *const g = b->graph;
    if (!(rate > 0 && b->trains)) return b->x;
    return sparcl_graph_with_values(
        g, b->x, sparcl_graph_dropout(g, sparcl_graph_values(g, b->x), rate, b->seed));
}

/* Layer i: h w of each node, from x or the layer before, then the mean over neighbours. */
static sparcl_node layer(sparcl_build *b, const spc_model_settings *s, int i, sparcl_node h,
                         int64_t inputs, int64_t outputs) {
    sparcl_graph *const g = b->graph;
    const int64_t shape[] = {inputs, outputs};
    const sparcl_node w = sparcl_build_parameter(b, spc_layer_weight(i), 2, shape, NULL);
    const sparcl_node bias =
        sparcl_build_parameter(b, spc_layer_bias(i), 1, &outputs, &b->optim_without_l2);
    if (i > 0 && s->dropout > 0 && b->trains)
        h = sparcl_graph_dropout(g, h, s->dropout, b->seed + (uint64_t)i);
    h = i == 0 ? sparcl_graph_spmm(g, drop_entries(b, s->dropout), w)
               : sparcl_graph_gemm(g, SPARCL_OP_N, h, SPARCL_OP_N, w);
    return sparcl_graph_binary(g, SPARCL_BINARY_ADD, sparcl_graph_spmm(g, b->adjacency, h), bias);
}

static sparcl_status build(void *user, sparcl_build *b) {
    const spc_model_settings *const s = user;
    sparcl_node h = b->x;
    int64_t inputs = b->columns;
    for (int i = 0; i < s->layers; inputs = s->hidden[i++])
        h = sparcl_graph_unary(b->graph, s->activation, layer(b, s, i, h, inputs, s->hidden[i]));
    b->scores =
        sparcl_graph_gather(b->graph, layer(b, s, s->layers, h, inputs, b->outputs), b->nodes);
    return SPARCL_OK;
}

const spc_builtin spc_builtin_gcn = {
    .kind = {.name = "gcn",
             .formula = "h = activation(adjacency h w + b) for each hidden layer; then without it",
             .source = "Kipf and Welling, Graph Convolutional Networks, ICLR 2017",
             .settings = "hidden activation dropout",
             .usual = "hidden=16,dropout=0.5",
             .optimizer = "adam:lr=0.01",
             .epochs = 200,
             .task = SPARCL_TASK_NODES},
    .build = build,
    .init = spc_init_layers,
    .adjacency = SPARCL_ADJACENCY_SELF_LOOPS,
    .has_layers = true};
