/* gradients_layers.c: models of embeddings, dropout, normalisation and concatenation. */
#include "gradients.h"

/* The matrix x with values that depend on a parameter and are far from 0, so that means are. */
static sparcl_node positive(model *m) {
    const sparcl_node v = sparcl_graph_gather(m->graph, parameter(m, "edge", COLS, 0),
                                              sparcl_graph_columns(m->graph, m->x));
    const sparcl_node curved = sparcl_graph_unary(m->graph, SPARCL_UNARY_SIGMOID, v);
    return sparcl_graph_with_values(m->graph, m->x, curved);
}
static sparcl_node bag_of(model *m, sparcl_bag_mode mode, int64_t padding) {
    return squared_head(m, sparcl_graph_embedding_bag(
                               m->graph, positive(m), table(m),
                               &(sparcl_embedding_options){
                                   .mode = mode, .has_padding = 1, .padding_index = padding}));
}
static sparcl_node bag_sum(model *m) {
    return bag_of(m, SPARCL_BAG_SUM, -1);
}
static sparcl_node bag_mean(model *m) {
    return bag_of(m, SPARCL_BAG_MEAN, -1);
}
static sparcl_node bag_sqrtn(model *m) {
    return bag_of(m, SPARCL_BAG_SQRTN, 3);
}
static sparcl_node bag_vector(model *m) {
    return squared(m, sparcl_graph_embedding_bag(
                          m->graph, positive(m), parameter(m, "t", COLS, 0),
                          &(sparcl_embedding_options){
                              .mode = SPARCL_BAG_MEAN, .has_padding = 1, .padding_index = 5}));
}
/* Of rows that are computed, so that no two are equal, where a maximum has a kink. */
static sparcl_node bag_max(model *m) {
    const sparcl_node e = sparcl_graph_spmm_t(m->graph, m->x, hidden(m));
    return squared_head(
        m, sparcl_graph_embedding_bag(m->graph, m->x, e,
                                      &(sparcl_embedding_options){.mode = SPARCL_BAG_MAX}));
}
/* Of a table in which two elements of a column are at least 1/32 apart: no difference changes which
 * is the maximum. */
static sparcl_node bag_max_apart(model *m) {
    const sparcl_node a = sparcl_graph_slice(m->graph, m->x, 1, 0, 19);
    const sparcl_node t = parameter(m, "t", 19, WIDTH);
    return squared_head(m, sparcl_graph_embedding_bag(
                               m->graph, a, t,
                               &(sparcl_embedding_options){
                                   .mode = SPARCL_BAG_MAX, .has_padding = 1, .padding_index = 4}));
}
static sparcl_node embedding(model *m) {
    return squared_head(m, sparcl_graph_embedding(
                               m->graph, table(m), m->per_row,
                               &(sparcl_embedding_options){.has_padding = 1, .padding_index = 5}));
}
/* A table that is read as a whole, too. */
static sparcl_node embedding_dense(model *m) {
    const sparcl_node t = table(m);
    const sparcl_node e = sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, t, t);
    return squared_head(m, sparcl_graph_embedding(m->graph, e, m->per_row, NULL));
}
/* Bags of the list by the offsets of another one, with weights, and each index as a bag. */
static sparcl_node bags_of_list(model *m) {
    const sparcl_node w =
        sparcl_graph_unary(m->graph, SPARCL_UNARY_EXP,
                           sparcl_graph_gather(m->graph, parameter(m, "edge", COLS, 0), m->list));
    const sparcl_bag_options options = {.has_padding = 1, .padding_index = 4};
    const sparcl_node a =
        sparcl_graph_bag_matrix(m->graph, m->list, m->per_row, m->rows, w, &options);
    return squared_head(
        m, sparcl_graph_embedding_bag(m->graph, a, table(m),
                                      &(sparcl_embedding_options){.mode = SPARCL_BAG_MEAN}));
}
static sparcl_node embedding_in_bounds(model *m) {
    const sparcl_embedding_options options = {
        .bounds = SPARCL_BOUNDS_CLAMP, .has_padding = 1, .padding_index = 5};
    return squared_head(m, sparcl_graph_embedding(m->graph, table(m), m->per_row, &options));
}
static sparcl_node dropout(model *m) {
    return squared_head(m, sparcl_graph_dropout(m->graph, hidden(m), 0.25, 9));
}
static sparcl_node norm(model *m, bool by_column) {
    const sparcl_node x = hidden(m), gamma = parameter(m, "gamma", WIDTH, 0);
    const sparcl_node beta = parameter(m, "beta", WIDTH, 0);
    const sparcl_node y = by_column ? sparcl_graph_batch_norm(m->graph, x, gamma, beta, 0.5)
                                    : sparcl_graph_layer_norm(m->graph, x, gamma, beta, 0.5);
    const sparcl_node r = sparcl_graph_unary(m->graph, SPARCL_UNARY_TANH, y);
    return sparcl_graph_sum(m->graph, sparcl_graph_sum(m->graph, r));
}
/* The differences are those of training: by the statistics of the batch. */
static sparcl_node batch_norm_running(model *m) {
    const sparcl_node mean = wide_parameter(m, "mean", WIDTH, 0),
                      variance = wide_parameter(m, "variance", WIDTH, 0);
    const sparcl_node gamma = parameter(m, "gamma", WIDTH, 0),
                      beta = parameter(m, "beta", WIDTH, 0);
    const sparcl_node y =
        sparcl_graph_batch_norm_running(m->graph, hidden(m), gamma, beta, 0.5, 0.1, mean, variance);
    const sparcl_node r = sparcl_graph_unary(m->graph, SPARCL_UNARY_TANH, y);
    return sparcl_graph_sum(m->graph, sparcl_graph_sum(m->graph, r));
}
static sparcl_node layer_norm(model *m) {
    return norm(m, false);
}
static sparcl_node batch_norm(model *m) {
    return norm(m, true);
}
/* Of a layer and a table, twice. */
static sparcl_node concat_columns(model *m) {
    const sparcl_node e = sparcl_graph_gather(m->graph, table(m), m->per_row);
    const sparcl_node x[] = {hidden(m), e, e};
    const sparcl_node both = sparcl_graph_concat(m->graph, x, 3, 1);
    return squared(m, product(m, both, parameter(m, "head", 3 * WIDTH, 1)));
}
static sparcl_node concat_rows(model *m) {
    const sparcl_node x[] = {sparcl_graph_gather(m->graph, table(m), m->list), hidden(m)};
    const sparcl_node both = sparcl_graph_concat(m->graph, x, 2, 0);
    const sparcl_node r = sparcl_graph_unary(m->graph, SPARCL_UNARY_TANH, both);
    return sparcl_graph_sum(m->graph, sparcl_graph_sum(m->graph, r));
}
/* Two parts of the columns of a layer, which overlap, and a part of the rows. */
static sparcl_node slice_columns(model *m) {
    const sparcl_node h = hidden(m);
    const sparcl_node one = sparcl_graph_slice(m->graph, h, 1, 0, 3);
    const sparcl_node two = sparcl_graph_slice(m->graph, h, 1, 1, 3);
    const sparcl_node both = sparcl_graph_binary(m->graph, SPARCL_BINARY_MULTIPLY, one, two);
    return squared(m, product(m, both, parameter(m, "head", 3, 1)));
}
static sparcl_node slice_rows(model *m) {
    const sparcl_node part = sparcl_graph_slice(m->graph, hidden(m), 0, 5, ROWS - 9);
    const sparcl_node r = sparcl_graph_unary(m->graph, SPARCL_UNARY_TANH, part);
    const sparcl_node sums = sparcl_graph_sum(m->graph, r);
    return sparcl_graph_sum(m->graph, sparcl_graph_slice(m->graph, sums, 0, 1, 2));
}

static sparcl_node in_wide(const model *m) {
    return sparcl_graph_with_values(m->graph, m->x,
                                    to_wide(m, sparcl_graph_values(m->graph, m->x)));
}
static sparcl_node interactions(model *m) {
    const sparcl_node t = to_wide(m, table(m));
    return squared(m, sparcl_graph_interactions(m->graph, in_wide(m), t));
}
/* The table is no parameter, so its gradient is dense. */
static sparcl_node interactions_computed(model *m) {
    const sparcl_node t = product(m, table(m), parameter(m, "v", WIDTH, WIDTH));
    return squared(m, sparcl_graph_interactions(m->graph, in_wide(m), to_wide(m, t)));
}
/* Every feature is a field of its own. */
static sparcl_node field_interactions(model *m) {
    sparcl_graph *const g = m->graph;
    const sparcl_node a = in_wide(m);
    const sparcl_node columns = sparcl_graph_columns(g, m->x);
    const sparcl_node rows = sparcl_graph_gather(g, parameter(m, "table", COLS, 2 * COLS), columns);
    const sparcl_node t = sparcl_graph_field_interactions(g, a, columns, to_wide(m, rows));
    return squared(m, sparcl_graph_reduce(g, SPARCL_REDUCE_SUM, SPARCL_OVER_STORED,
                                          sparcl_graph_with_values(g, a, t), 1));
}

const gradient_case gradients_layers[] = {
    {"embedding_bag", bag_sum, CURVED},
    {"embedding_bag", bag_mean, CURVED},
    {"embedding_bag", bag_sqrtn, CURVED},
    {"embedding_bag", bag_vector, CURVED},
    {"embedding_bag", bag_max, NARROW},
    {"embedding_bag", bag_max_apart, QUADRATIC},
    {"embedding", embedding, QUADRATIC},
    {"embedding", embedding_dense, QUADRATIC},
    {"dropout", dropout, QUADRATIC},
    {"layer_norm", layer_norm, STEEP},
    {"batch_norm", batch_norm, STEEP},
    {"batch_norm", batch_norm_running, STEEP},
    {"dense_concat", concat_columns, QUADRATIC},
    {"dense_concat", concat_rows, CURVED},
    {"dense_slice", slice_columns, CURVED},
    {"dense_slice", slice_rows, CURVED},
    {"bag_matrix", bags_of_list, CURVED},
    {"embedding", embedding_in_bounds, QUADRATIC},
    {"interactions", interactions, CURVED},
    {"interactions", interactions_computed, CURVED},
    {"field_interactions", field_interactions, CURVED},
    {NULL},
};
