/* fm.c: the factorization machine (Rendle, ICDM 2010). */
#include "model/builtin.h"

/* Of each row x: (|x V|^2 - the sum of x_j^2 |V_j|^2) / 2, which is the sum of x_i x_j V_i V_j over
 * the pairs i < j. */
static sparcl_node pairs(sparcl_build *b, sparcl_node factors) {
    sparcl_graph *const g = b->graph;
    const sparcl_node rows = sparcl_graph_gather(g, factors, sparcl_graph_columns(g, b->x));
    const sparcl_node squares = sparcl_graph_with_values(
        g, b->x, sparcl_graph_unary(g, SPARCL_UNARY_SQUARE, sparcl_graph_values(g, b->x)));
    const sparcl_node all =
        sparcl_graph_reduce(g, SPARCL_REDUCE_SQUARE_SUM, sparcl_graph_bag(g, b->x, rows), 1);
    const sparcl_node own =
        sparcl_graph_bag(g, squares, sparcl_graph_reduce(g, SPARCL_REDUCE_SQUARE_SUM, rows, 1));
    return sparcl_graph_binary_scalar(
        g, SPARCL_BINARY_MULTIPLY, sparcl_graph_binary(g, SPARCL_BINARY_SUBTRACT, all, own), 0.5);
}

static sparcl_status build(void *user, sparcl_build *b) {
    const spc_model_settings *const s = user;
    const int64_t one = 1, factors[] = {b->columns, s->factors};
    sparcl_graph *const g = b->graph;
    const sparcl_node weight = sparcl_build_parameter(b, "weight", 1, &b->columns, NULL);
    const sparcl_node bias = sparcl_build_parameter(b, "bias", 1, &one, &b->optim_without_l2);
    const sparcl_node v = sparcl_build_parameter(b, "factors", 2, factors, NULL);
    const sparcl_node line = sparcl_graph_add_bias(g, sparcl_graph_spmm(g, b->x, weight), bias);
    b->scores = sparcl_graph_add(g, line, pairs(b, v));
    return SPARCL_OK;
}

const spc_builtin spc_builtin_fm = {
    .kind = {.name = "fm",
             .formula = "x weight + bias + (|x factors|^2 - sum of x_j^2 |factors_j|^2) / 2",
             .source = "Rendle, Factorization Machines, ICDM 2010",
             .settings = "factors init",
             .has_one_score = 1},
    .build = build,
    .init = spc_init_factors,
    .parameters = {"weight", "bias", "factors"}};
