/* ffm.c: the field-aware factorization machine (Juan et al., RecSys 2016). */
#include "model/builtin.h"

/* A feature has a vector for each field: that of the other feature of a pair is taken. */
static sparcl_node pairs(sparcl_build *b, sparcl_node factors) {
    sparcl_graph *const g = b->graph;
    const sparcl_node rows = sparcl_graph_gather(g, factors, sparcl_graph_columns(g, b->x));
    const sparcl_node terms = sparcl_graph_field_interactions(g, b->x, b->fields, rows);
    return sparcl_graph_reduce(g, SPARCL_REDUCE_SUM, SPARCL_OVER_STORED,
                               sparcl_graph_with_values(g, b->x, terms), 1);
}

static sparcl_status build(void *user, sparcl_build *b) {
    const spc_model_settings *const s = user;
    const int64_t one = 1, factors[] = {b->columns, b->field_count * s->factors};
    sparcl_graph *const g = b->graph;
    const sparcl_node weight = sparcl_build_parameter(b, "weight", 1, &b->columns, NULL);
    const sparcl_node bias = sparcl_build_parameter(b, "bias", 1, &one, &b->optim_without_l2);
    const sparcl_node v = sparcl_build_parameter(b, "factors", 2, factors, NULL);
    const sparcl_node line =
        sparcl_graph_binary(g, SPARCL_BINARY_ADD, sparcl_graph_spmm(g, b->x, weight), bias);
    b->scores = sparcl_graph_binary(g, SPARCL_BINARY_ADD, line, pairs(b, v));
    return SPARCL_OK;
}

const spc_builtin spc_builtin_ffm = {
    .kind = {.name = "ffm",
             .formula = "x weight + bias + sum of x_i x_j <factors_i[field j], factors_j[field i]>",
             .source = "Juan et al., Field-aware Factorization Machines, RecSys 2016",
             .settings = "factors init",
             .usual = "factors=4",
             .optimizer = "adam",
             .epochs = 10,
             .has_one_score = 1,
             .reads_fields = 1},
    .build = build,
    .init = spc_init_factors,
    .parameters = {"weight", "bias", "factors"}};
