/* gradients_sparse_products.c: sparse products with mean, maximum and minimum, products of sparse
 * matrices, and their sums and products element by element. */
#include "gradients.h"

/* The matrix `square` with values that depend on a parameter. */
static sparcl_node square(model *m, const char *name) {
    const sparcl_node columns = sparcl_graph_columns(m->graph, m->square);
    const sparcl_node v = sparcl_graph_gather(m->graph, parameter(m, name, COLS, 0), columns);
    return sparcl_graph_with_values(m->graph, m->square, v);
}
/* Of terms of which no two are equal. */
static sparcl_node reduced(model *m, sparcl_reduction kind) {
    const sparcl_node v =
        sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, sparcl_graph_values(m->graph, weighted(m)),
                            sparcl_graph_values(m->graph, m->x));
    const sparcl_node a = sparcl_graph_with_values(m->graph, m->x, v);
    return squared_head(m, sparcl_graph_spmm_reduce(m->graph, kind, a, table(m)));
}
static sparcl_node reduce_sum(model *m) {
    return reduced(m, SPARCL_REDUCE_SUM);
}
static sparcl_node reduce_mean(model *m) {
    return reduced(m, SPARCL_REDUCE_MEAN);
}
static sparcl_node reduce_max(model *m) {
    return reduced(m, SPARCL_REDUCE_MAX);
}
static sparcl_node reduce_min(model *m) {
    return reduced(m, SPARCL_REDUCE_MIN);
}
/* A sparse matrix [COLS, COLS] as the operator of a hidden layer. */
static sparcl_node applied(model *m, sparcl_node a) {
    const sparcl_node of_table = sparcl_graph_spmm(m->graph, a, table(m));
    return squared_head(m, sparcl_graph_spmm(m->graph, m->x, of_table));
}
static sparcl_node spgemm(model *m) {
    const sparcl_node a = square(m, "edge"), c = sparcl_graph_spgemm(m->graph, a, a, 12 * COLS);
    return applied(m, c);
}
/* Of the square of a matrix, and the matrix. */
static sparcl_node csr_add(model *m) {
    const sparcl_node a = square(m, "edge"),
                      c = sparcl_graph_spgemm(m->graph, a, m->square, 12 * COLS);
    return applied(m, sparcl_graph_add(m->graph, 0.5, c, -2, a));
}
static sparcl_node csr_multiply(model *m) {
    const sparcl_node a = square(m, "edge"),
                      c = sparcl_graph_spgemm(m->graph, a, m->square, 12 * COLS);
    const sparcl_node sum = sparcl_graph_add(m->graph, 1, c, 1, a);
    return applied(m, sparcl_graph_multiply(m->graph, sum, a));
}
/* Both factors depend on parameters. */
static sparcl_node csr_multiply_dense(model *m) {
    const sparcl_node x = product(m, hidden(m), parameter(m, "wide", WIDTH, COLS));
    const sparcl_node a = sparcl_graph_multiply(m->graph, weighted(m), x);
    return sparcl_graph_sum(m->graph, sparcl_graph_unary(m->graph, SPARCL_UNARY_TANH,
                                                         sparcl_graph_values(m->graph, a)));
}

const gradient_case gradients_sparse_products[] = {
    {"spmm_reduce", reduce_sum, CURVED},
    {"spmm_reduce", reduce_mean, CURVED},
    {"spmm_reduce", reduce_max, KINKED},
    {"spmm_reduce", reduce_min, KINKED},
    {"spgemm", spgemm, CURVED},
    {"csr_add", csr_add, CURVED},
    {"csr_multiply", csr_multiply, CURVED},
    {"csr_multiply_dense", csr_multiply_dense, STEEP},
    {NULL},
};
