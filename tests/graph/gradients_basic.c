/* gradients_basic.c: products, selections, activations and losses. */
#include "gradients.h"

static sparcl_node spmm(model *m) {
    return squared(m, sparcl_graph_spmm(m->graph, m->x, parameter(m, "w", COLS, 1)));
}
static sparcl_node spmm_vector(model *m) {
    return squared(m, sparcl_graph_spmm(m->graph, m->x, parameter(m, "w", COLS, 0)));
}
static sparcl_node gemm(model *m) {
    return squared_head(m, product(m, hidden(m), parameter(m, "v", WIDTH, WIDTH)));
}
static sparcl_node gemm_transposed(model *m) {
    /* (v' h')' is h v, written as op(v') op(h')... each operand once as its transpose */
    const sparcl_node v = parameter(m, "v", WIDTH, WIDTH);
    const sparcl_node h = hidden(m);
    const sparcl_node t = sparcl_graph_gemm(m->graph, SPARCL_OP_T, v, SPARCL_OP_T, h);
    return squared(m, sparcl_graph_gemm(m->graph, SPARCL_OP_T, t, SPARCL_OP_N,
                                        parameter(m, "head", WIDTH, 1)));
}
static sparcl_node add(model *m) {
    const sparcl_node h =
        sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, hidden(m),
                            sparcl_graph_spmm(m->graph, m->x, parameter(m, "v", COLS, WIDTH)));
    return squared_head(m, h);
}
static sparcl_node add_bias(model *m) {
    return squared_head(m, sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, hidden(m),
                                               parameter(m, "b", WIDTH, 0)));
}
static sparcl_node activated(model *m, sparcl_unary_op kind) {
    return squared_head(m, sparcl_graph_unary(m->graph, kind, hidden(m)));
}
static sparcl_node relu(model *m) {
    return activated(m, SPARCL_UNARY_RELU);
}
static sparcl_node sigmoid(model *m) {
    return activated(m, SPARCL_UNARY_SIGMOID);
}
static sparcl_node hyperbolic(model *m) {
    return activated(m, SPARCL_UNARY_TANH);
}
static sparcl_node gather(model *m) {
    const sparcl_node h = sparcl_graph_gather(m->graph, table(m), m->per_row);
    return squared_head(m, sparcl_graph_unary(m->graph, SPARCL_UNARY_TANH, h));
}
static sparcl_node gather_vector(model *m) {
    return squared(m, sparcl_graph_gather(m->graph, parameter(m, "w", COLS, 0), m->per_row));
}
/* The table is no parameter, so its gradient is dense. */
static sparcl_node gather_computed(model *m) {
    const sparcl_node e = product(m, table(m), parameter(m, "v", WIDTH, WIDTH));
    return squared_head(m, sparcl_graph_gather(m->graph, e, m->per_row));
}
static sparcl_node bag(model *m) {
    const sparcl_node e =
        sparcl_graph_gather(m->graph, table(m), sparcl_graph_columns(m->graph, m->x));
    return squared_head(m, sparcl_graph_bag(m->graph, m->x, e));
}
static sparcl_node bag_vector(model *m) {
    const sparcl_node e = sparcl_graph_gather(m->graph, parameter(m, "w", COLS, 0),
                                              sparcl_graph_columns(m->graph, m->x));
    return squared(m, sparcl_graph_bag(m->graph, m->x, e));
}
/* The matrix depends on a parameter, too. */
static sparcl_node bag_of_values(model *m) {
    const sparcl_node e =
        sparcl_graph_gather(m->graph, table(m), sparcl_graph_columns(m->graph, m->x));
    return squared_head(m, sparcl_graph_bag(m->graph, weighted(m), e));
}
/* The values of a matrix with two readers. */
static sparcl_node values(model *m) {
    const sparcl_node a = weighted(m);
    const sparcl_node v =
        sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, sparcl_graph_values(m->graph, a),
                            sparcl_graph_values(m->graph, a));
    return squared(m, sparcl_graph_bag(m->graph, m->x, v));
}
/* A sparse layer: the values of the matrix, and what it is multiplied with. */
static sparcl_node spmm_values(model *m) {
    return squared_head(m,
                        sparcl_graph_spmm(m->graph, weighted(m), parameter(m, "v", COLS, WIDTH)));
}
static sparcl_node spmm_values_vector(model *m) {
    return squared(m, sparcl_graph_spmm(m->graph, weighted(m), parameter(m, "v", COLS, 0)));
}
/* All products of a CSR matrix and a dense one; the matrix has values that depend on a parameter.
 */
static sparcl_node spmm_t(model *m) {
    const sparcl_node e = sparcl_graph_spmm_t(m->graph, weighted(m), hidden(m));
    return squared_head(m, sparcl_graph_spmm(m->graph, m->x, e));
}
static sparcl_node matmul_dense_first(model *m) {
    const sparcl_node a = weighted(m), h = sparcl_graph_transpose(m->graph, hidden(m));
    const sparcl_node e = sparcl_graph_matmul(m->graph, SPARCL_OP_N, h, SPARCL_OP_N, a);
    const sparcl_node r = sparcl_graph_matmul(m->graph, SPARCL_OP_N, e, SPARCL_OP_T, m->x);
    return squared_head(m, sparcl_graph_transpose(m->graph, r));
}
static sparcl_node matmul_transposed(model *m) {
    const sparcl_node v = sparcl_graph_transpose(m->graph, parameter(m, "v", COLS, WIDTH));
    return squared_head(m, sparcl_graph_matmul(m->graph, SPARCL_OP_N, weighted(m), SPARCL_OP_T, v));
}
/* Attention without softmax: x of a layer and a table, whose rows are read. */
static sparcl_node sddmm(model *m) {
    const sparcl_node t = table(m);
    const sparcl_node v = sparcl_graph_sddmm(m->graph, m->x, hidden(m), t);
    return squared_head(
        m, sparcl_graph_spmm(m->graph, sparcl_graph_with_values(m->graph, m->x, v), t));
}
static sparcl_node sddmm_vector(model *m) {
    const sparcl_node w = parameter(m, "w", COLS, 0);
    const sparcl_node v =
        sparcl_graph_sddmm(m->graph, m->x, sparcl_graph_spmm(m->graph, m->x, w), w);
    return squared(m, sparcl_graph_bag(m->graph, m->x, v));
}
/* Not an embedding bag: each gathered row has a bias first. */
static sparcl_node bag_of_others(model *m) {
    const sparcl_node e =
        sparcl_graph_gather(m->graph, table(m), sparcl_graph_columns(m->graph, m->x));
    const sparcl_node b =
        sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, e, parameter(m, "b", WIDTH, 0));
    return squared_head(
        m, sparcl_graph_bag(m->graph, m->x, sparcl_graph_unary(m->graph, SPARCL_UNARY_TANH, b)));
}
/* A table with three readers of rows: their rows are one row-sparse gradient. */
static sparcl_node readers_of_rows(model *m) {
    const sparcl_node t = table(m);
    const sparcl_node both = sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD,
                                                 sparcl_graph_gather(m->graph, t, m->per_row),
                                                 sparcl_graph_spmm(m->graph, m->x, t));
    const sparcl_node loss = squared_head(m, both);
    const sparcl_node more = sparcl_graph_sum(
        m->graph, product(m, sparcl_graph_gather(m->graph, t, m->list), parameter_at(m, 1)));
    return sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, loss, to_wide(m, more));
}
/* A table that is read as a whole, too: its gradient is dense. */
static sparcl_node readers_of_all(model *m) {
    const sparcl_node t = table(m), v = parameter(m, "v", WIDTH, WIDTH);
    const sparcl_node e = sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, product(m, t, v), t);
    const sparcl_node h = sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD,
                                              sparcl_graph_gather(m->graph, e, m->per_row),
                                              sparcl_graph_gather(m->graph, t, m->per_row));
    return squared_head(m, h);
}
static sparcl_node to_dense(model *m) {
    const sparcl_node e = sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, table(m),
                                              sparcl_graph_to_dense(m->graph, m->sparse));
    return squared_head(m, sparcl_graph_spmm(m->graph, m->x, e));
}
static sparcl_node logistic(model *m) {
    const sparcl_node scores = sparcl_graph_spmm(m->graph, m->x, parameter(m, "w", COLS, 1));
    return sparcl_graph_mean(m->graph, losses(m, SPARCL_LOSS_LOGISTIC, scores));
}
static sparcl_node softmax(model *m) {
    const sparcl_node scores =
        sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, hidden(m), parameter(m, "b", WIDTH, 0));
    return sparcl_graph_mean(m->graph, losses(m, SPARCL_LOSS_SOFTMAX, scores));
}
/* Losses with weights, and the square of each: their gradients differ from row to row. */
static sparcl_node weighted_losses(model *m, sparcl_loss loss, sparcl_node scores) {
    sparcl_graph *const g = m->graph;
    const sparcl_node all = losses(m, loss, scores);
    const sparcl_node weights = sparcl_graph_binary_scalar(g, SPARCL_BINARY_ADD, m->y, 0.5);
    const sparcl_node squares = sparcl_graph_unary(g, SPARCL_UNARY_SQUARE, all);
    return sparcl_graph_mean(
        g, sparcl_graph_binary(g, SPARCL_BINARY_ADD, squares,
                               sparcl_graph_binary(g, SPARCL_BINARY_MULTIPLY, all, weights)));
}
static sparcl_node weighted_logistic(model *m) {
    return weighted_losses(m, SPARCL_LOSS_LOGISTIC,
                           sparcl_graph_spmm(m->graph, m->x, parameter(m, "w", COLS, 0)));
}
static sparcl_node weighted_softmax(model *m) {
    return weighted_losses(m, SPARCL_LOSS_SOFTMAX, hidden(m));
}
/* Losses that are summed twice. */
static sparcl_node sums_of_losses(model *m) {
    const sparcl_node scores = sparcl_graph_spmm(m->graph, m->x, parameter(m, "w", COLS, 1));
    const sparcl_node of_rows = losses(m, SPARCL_LOSS_SQUARED, scores);
    return sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, sparcl_graph_sum(m->graph, of_rows),
                               sparcl_graph_mean(m->graph, of_rows));
}
/* The sum of the sums of columns, of something else than losses. */
static sparcl_node sum(model *m) {
    const sparcl_node h = sparcl_graph_unary(m->graph, SPARCL_UNARY_TANH, hidden(m));
    const sparcl_node columns = sparcl_graph_sum(m->graph, h);
    return sparcl_graph_sum(m->graph, sparcl_graph_unary(m->graph, SPARCL_UNARY_TANH, columns));
}
static sparcl_node mean(model *m) {
    const sparcl_node scores = sparcl_graph_spmm(m->graph, m->x, parameter(m, "w", COLS, 0));
    const sparcl_node b = parameter(m, "b", 1, 0);
    const sparcl_node s = sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, scores, b);
    const sparcl_node r = sparcl_graph_unary(m->graph, SPARCL_UNARY_TANH, s);
    return sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, sparcl_graph_mean(m->graph, r), b);
}

const gradient_case gradients_basic[] = {
    {"spmm", spmm, QUADRATIC},
    {"spmm", spmm_vector, QUADRATIC},
    {"gemm", gemm, QUADRATIC},
    {"gemm", gemm_transposed, QUADRATIC},
    {"gather", gather, CURVED},
    {"gather", gather_vector, QUADRATIC},
    {"gather", gather_computed, QUADRATIC},
    {"gather", readers_of_rows, QUADRATIC},
    {"gather", readers_of_all, QUADRATIC},
    {"bag", bag, QUADRATIC},
    {"bag", bag_vector, QUADRATIC},
    {"bag", bag_of_others, CURVED},
    {"bag", bag_of_values, CURVED},
    {"binary", add, QUADRATIC},
    {"binary", add_bias, QUADRATIC},
    {"unary", relu, KINKED},
    {"unary", sigmoid, CURVED},
    {"unary", hyperbolic, CURVED},
    {"columns", bag, QUADRATIC},
    {"spmm", spmm_values, CURVED},
    {"spmm", spmm_values_vector, CURVED},
    {"spmm_t", spmm_t, CURVED},
    {"spmm_t", matmul_dense_first, CURVED},
    {"transpose", matmul_transposed, CURVED},
    {"sddmm", sddmm, CURVED},
    {"sddmm", sddmm_vector, CURVED},
    {"values", values, CURVED},
    {"with_values", values, CURVED},
    {"to_dense", to_dense, QUADRATIC},
    {"loss", logistic, CURVED},
    {"loss", softmax, CLASSES},
    {"loss", weighted_logistic, CURVED},
    {"loss", weighted_softmax, CLASSES},
    {"loss", sums_of_losses, QUADRATIC},
    {"sum", sum, CURVED},
    {"mean", mean, CURVED},
    {NULL},
};
