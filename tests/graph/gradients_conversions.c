/* gradients_conversions.c: to dense arrays and back, with values that depend on a parameter. */
#include "gradients.h"

static sparcl_node to_dense_csr(model *m) {
    const sparcl_node a = sparcl_graph_to_dense(m->graph, weighted(m));
    return squared_head(m, product(m, a, parameter(m, "v", COLS, WIDTH)));
}
/* The elements of a layer with as many columns as x, where x has entries. */
static sparcl_node sparse_mask(model *m) {
    const sparcl_node h = product(m, hidden(m), parameter(m, "v", WIDTH, COLS));
    const sparcl_node v = sparcl_graph_sparse_mask(m->graph, m->x, h);
    return squared(m, sparcl_graph_bag(m->graph, m->x, v));
}
/* The elements of a row of the table are 1/32 apart, and 13/128 added to them makes their
 * magnitudes 1/64 or more apart, so that no difference changes which are taken. */
static sparcl_node topk_by(model *m, sparcl_topk by) {
    const sparcl_node e = sparcl_graph_gather(m->graph, table(m), m->per_row);
    const sparcl_node h = sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, e,
                                              sparcl_graph_clip(m->graph, e, 0.1015625, 0.1015625));
    const sparcl_node a = sparcl_graph_topk_rows(m->graph, h, WIDTH - 1, by);
    return squared(m, sparcl_graph_spmm(m->graph, a, parameter(m, "v", WIDTH, 1)));
}
static sparcl_node topk_rows(model *m) {
    return topk_by(m, SPARCL_TOPK_VALUE);
}
static sparcl_node topk_by_magnitude(model *m) {
    return topk_by(m, SPARCL_TOPK_MAGNITUDE);
}
/* The threshold is half way between two elements. */
static sparcl_node to_csr(model *m) {
    const sparcl_node h = sparcl_graph_unary(m->graph, SPARCL_UNARY_TANH,
                                             sparcl_graph_gather(m->graph, table(m), m->per_row));
    const sparcl_node a = sparcl_graph_to_csr(m->graph, h, 0.1089, ROWS * WIDTH);
    return squared(m, sparcl_graph_spmm(m->graph, a, parameter(m, "v", WIDTH, 1)));
}

const gradient_case gradients_conversions[] = {
    {"to_dense", to_dense_csr, CURVED}, {"sparse_mask", sparse_mask, QUADRATIC},
    {"topk_rows", topk_rows, CURVED},   {"topk_rows", topk_by_magnitude, CURVED},
    {"to_csr", to_csr, CURVED},         {NULL},
};
