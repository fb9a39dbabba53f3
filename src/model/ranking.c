/* ranking.c: models that rank items for users: matrix factorization, and LightGCN. */
#include "model/builtin.h"

static sparcl_node parameter(const spc_model_settings *s, sparcl_build *b) {
    const int64_t shape[] = {b->node_count, s->factors};
    b->penalty = s->penalty;
    b->own_table = sparcl_build_parameter(b, "factors", 2, shape, NULL);
    return b->own_table;
}

static sparcl_status build_bpr(void *user, sparcl_build *b) {
    b->table = parameter(user, b);
    return SPARCL_OK;
}

/* The mean of the factors and of what `propagations` products with the adjacency make of them. */
static sparcl_status build_lightgcn(void *user, sparcl_build *b) {
    const spc_model_settings *const s = user;
    sparcl_node layers[SPC_MAX_PROPAGATIONS + 1];
    layers[0] = parameter(s, b);
    for (int i = 0; i < s->propagations; ++i)
        layers[i + 1] = sparcl_graph_spmm(b->graph, b->adjacency, layers[i]);
    b->table =
        sparcl_graph_binary_scalar(b->graph, SPARCL_BINARY_MULTIPLY,
                                   sparcl_graph_add_n(b->graph, layers, (int)s->propagations + 1),
                                   1 / (double)(s->propagations + 1));
    return SPARCL_OK;
}

const spc_builtin spc_builtin_bpr = {
    .kind = {.name = "bpr",
             .formula = "factors of the user * factors of the item, above those of other items",
             .source = "Rendle et al., BPR: Bayesian Personalized Ranking, UAI 2009",
             .settings = "factors init penalty",
             .usual = "factors=64,init=0.1,penalty=0.01",
             .optimizer = "adam:lr=0.005",
             .epochs = 50,
             .task = SPARCL_TASK_RANK},
    .build = build_bpr,
    .init = spc_init_factors,
    .parameters = {"factors"}};
const spc_builtin spc_builtin_lightgcn = {
    .kind = {.name = "lightgcn",
             .formula =
                 "as bpr, with the mean of factors, adjacency factors, adjacency^2 factors...",
             .source = "He et al., LightGCN, SIGIR 2020",
             .settings = "factors init penalty layers",
             .usual = "factors=64,init=0.1,penalty=0.0001",
             .optimizer = "adam:lr=0.005",
             .epochs = 20,
             .task = SPARCL_TASK_RANK},
    .build = build_lightgcn,
    .init = spc_init_factors,
    .adjacency = SPARCL_ADJACENCY_SYMMETRIC,
    .parameters = {"factors"}};
