/* fm.c: the factorization machine (Rendle, ICDM 2010). */
#include "model/builtin.h"

static sparcl_status build(void *user, sparcl_build *b) {
    const spc_model_settings *const s = user;
    const int64_t one = 1, factors[] = {b->columns, s->factors};
    sparcl_graph *const g = b->graph;
    const sparcl_node weight = sparcl_build_parameter(b, "weight", 1, &b->columns, NULL);
    const sparcl_node bias = sparcl_build_parameter(b, "bias", 1, &one, &b->optim_without_l2);
    const sparcl_node v = sparcl_build_parameter(b, "factors", 2, factors, NULL);
    const sparcl_node line =
        sparcl_graph_binary(g, SPARCL_BINARY_ADD, sparcl_graph_spmm(g, b->x, weight), bias);
    b->scores =
        sparcl_graph_binary(g, SPARCL_BINARY_ADD, line, sparcl_graph_interactions(g, b->x, v));
    return SPARCL_OK;
}

const spc_builtin spc_builtin_fm = {
    .kind = {.name = "fm",
             .formula = "x weight + bias + (|x factors|^2 - sum of x_j^2 |factors_j|^2) / 2",
             .source = "Rendle, Factorization Machines, ICDM 2010",
             .settings = "factors init",
             .optimizer = "adam",
             .epochs = 10,
             .has_one_score = 1},
    .build = build,
    .init = spc_init_factors,
    .parameters = {"weight", "bias", "factors"}};
