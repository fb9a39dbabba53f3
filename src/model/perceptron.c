/* perceptron.c: a multilayer perceptron on sparse rows, alone and beside a linear model (wide and
 * deep). Its first layer is a bag of embeddings. */
#include "model/builtin.h"
#include "model/layer_names.h"

/* Layer `i` of h, [rows, inputs] or the data, with `outputs` columns. */
static sparcl_node layer(sparcl_build *b, int i, sparcl_node h, int64_t inputs, int64_t outputs) {
    const int64_t shape[] = {inputs, outputs};
    const sparcl_node w = sparcl_build_parameter(b, spc_layer_weight(i), 2, shape, NULL);
    const sparcl_node bias =
        sparcl_build_parameter(b, spc_layer_bias(i), 1, &outputs, &b->optim_without_l2);
    h = i == 0 ? sparcl_graph_spmm(b->graph, h, w)
               : sparcl_graph_gemm(b->graph, SPARCL_OP_N, h, SPARCL_OP_N, w);
    return sparcl_graph_binary(b->graph, SPARCL_BINARY_ADD, h, bias);
}

static sparcl_node deep(const spc_model_settings *s, sparcl_build *b) {
    sparcl_node h = b->x;
    int64_t inputs = b->columns;
    for (int i = 0; i < s->layers; inputs = s->hidden[i++]) {
        h = sparcl_graph_unary(b->graph, s->activation, layer(b, i, h, inputs, s->hidden[i]));
        if (s->dropout > 0 && b->trains)
            h = sparcl_graph_dropout(b->graph, h, s->dropout, b->seed + (uint64_t)i);
    }
    return layer(b, s->layers, h, inputs, b->outputs);
}

static sparcl_status build_mlp(void *user, sparcl_build *b) {
    b->scores = deep(user, b);
    return SPARCL_OK;
}

static sparcl_status build_wide_deep(void *user, sparcl_build *b) {
    const int64_t shape[] = {b->columns, b->outputs};
    const sparcl_node weight = sparcl_build_parameter(b, "weight", 2, shape, NULL);
    const sparcl_node wide = sparcl_graph_spmm(b->graph, b->x, weight);
    b->scores = sparcl_graph_binary(b->graph, SPARCL_BINARY_ADD, wide, deep(user, b));
    return SPARCL_OK;
}

/* The wide part begins with 0. */
static void init_wide_deep(void *user, uint64_t seed, int parameter, int rank, const int64_t *shape,
                           float *values) {
    if (parameter > 0) spc_init_layers(user, seed, parameter, rank, shape, values);
}

const spc_builtin spc_builtin_mlp = {
    .kind = {.name = "mlp",
             .formula = "h = activation(h w + b) for each hidden layer, from h = x; then h w + b",
             .source = "",
             .settings = "hidden activation dropout",
             .optimizer = "adam",
             .epochs = 10},
    .build = build_mlp,
    .init = spc_init_layers,
    .has_layers = true};
const spc_builtin spc_builtin_wide_deep = {
    .kind = {.name = "wide-deep",
             .formula = "x weight + mlp(x)",
             .source = "Cheng et al., Wide & Deep Learning for Recommender Systems, DLRS 2016",
             .settings = "hidden activation dropout",
             .optimizer = "adam",
             .epochs = 10},
    .build = build_wide_deep,
    .init = init_wide_deep,
    .parameters = {"weight"},
    .has_layers = true};
