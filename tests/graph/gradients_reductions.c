/* gradients_reductions.c: reductions, segments, dot products of rows and softmax of rows. */
#include "gradients.h"

/* The sum of the squares of a vector. */
static sparcl_node squares(model *m, sparcl_node x) {
    return sparcl_graph_sum(m->graph, sparcl_graph_dot_rows(m->graph, x, x));
}
/* Of reductions by rows, by columns and of all elements. */
static sparcl_node all_reduced(model *m, sparcl_node rows, sparcl_node columns, sparcl_node all) {
    const sparcl_node both = sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, squared(m, rows),
                                                 to_wide(m, squares(m, columns)));
    return sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, both, to_wide(m, all));
}
/* Of a hidden layer; of absolute values where no difference crosses the kink at 0. */
static sparcl_node reduced(model *m, sparcl_reduction kind) {
    const sparcl_unary_op f =
        kind == SPARCL_REDUCE_NORM1 ? SPARCL_UNARY_SIGMOID : SPARCL_UNARY_TANH;
    const sparcl_node h = sparcl_graph_unary(m->graph, f, hidden(m));
    return all_reduced(m, sparcl_graph_reduce(m->graph, kind, SPARCL_OVER_ALL, h, 1),
                       sparcl_graph_reduce(m->graph, kind, SPARCL_OVER_ALL, h, 0),
                       sparcl_graph_reduce(m->graph, kind, SPARCL_OVER_ALL, h, -1));
}
static sparcl_node reduce_sum(model *m) {
    return reduced(m, SPARCL_REDUCE_SUM);
}
static sparcl_node reduce_mean(model *m) {
    return reduced(m, SPARCL_REDUCE_MEAN);
}
static sparcl_node reduce_norm(model *m) {
    return reduced(m, SPARCL_REDUCE_NORM);
}
static sparcl_node reduce_norm1(model *m) {
    return reduced(m, SPARCL_REDUCE_NORM1);
}
static sparcl_node reduce_squares(model *m) {
    return reduced(m, SPARCL_REDUCE_SQUARE_SUM);
}
/* Values of the matrix x that depend on a parameter; no two of them are equal. */
static sparcl_node distinct(model *m) {
    return sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD,
                               sparcl_graph_values(m->graph, weighted(m)),
                               sparcl_graph_values(m->graph, m->x));
}
static sparcl_node matrix_reduced(model *m, sparcl_reduction kind, sparcl_reduce_over over) {
    const sparcl_node a = sparcl_graph_with_values(m->graph, m->x, distinct(m));
    return all_reduced(m, sparcl_graph_reduce(m->graph, kind, over, a, 1),
                       sparcl_graph_reduce(m->graph, kind, over, a, 0),
                       sparcl_graph_reduce(m->graph, kind, over, a, -1));
}
#define MATRIX_REDUCED(name, kind, over)                                                           \
    static sparcl_node name(model *m) {                                                            \
        return matrix_reduced(m, SPARCL_REDUCE_##kind, SPARCL_OVER_##over);                        \
    }
MATRIX_REDUCED(matrix_sum, SUM, ALL)
MATRIX_REDUCED(matrix_mean, MEAN, STORED)
MATRIX_REDUCED(matrix_max, MAX, STORED)
MATRIX_REDUCED(matrix_min, MIN, ALL)
MATRIX_REDUCED(matrix_prod, PROD, STORED)
MATRIX_REDUCED(matrix_norm, NORM, ALL)
MATRIX_REDUCED(matrix_squares, SQUARE_SUM, ALL)
MATRIX_REDUCED(matrix_mean_of_all, MEAN, ALL)
MATRIX_REDUCED(matrix_sqrtn, SQRTN, STORED)
MATRIX_REDUCED(matrix_sqrtn_of_all, SQRTN, ALL)
MATRIX_REDUCED(matrix_max_of_all, MAX, ALL)
MATRIX_REDUCED(matrix_min_of_stored, MIN, STORED)
MATRIX_REDUCED(matrix_norm1, NORM1, ALL)
/* Some rows store all of their elements: the products of the others, and of columns, are 0. The
 * threshold is half way between two elements. */
static sparcl_node matrix_prod_of_all(model *m) {
    const sparcl_node t = sparcl_graph_unary(m->graph, SPARCL_UNARY_EXP,
                                             sparcl_graph_gather(m->graph, table(m), m->per_row));
    const sparcl_node a = sparcl_graph_to_csr(m->graph, t, 0.791, ROWS * WIDTH);
    const sparcl_reduction kind = SPARCL_REDUCE_PROD;
    return all_reduced(m, sparcl_graph_reduce(m->graph, kind, SPARCL_OVER_ALL, a, 1),
                       sparcl_graph_reduce(m->graph, kind, SPARCL_OVER_ALL, a, 0),
                       sparcl_graph_reduce(m->graph, kind, SPARCL_OVER_ALL, a, -1));
}
/* Rows of a table by the segments of a list, and rows for each entry by those of the matrix. */
static sparcl_node segments_reduced(model *m, sparcl_reduction kind) {
    const sparcl_node t = sparcl_graph_unary(m->graph, SPARCL_UNARY_TANH, table(m));
    const sparcl_node by_list = sparcl_graph_segment_reduce(
        m->graph, kind, sparcl_graph_gather(m->graph, t, m->list), m->list);
    const sparcl_node of_entries =
        sparcl_graph_gather(m->graph, by_list, sparcl_graph_columns(m->graph, m->x));
    return squared_head(m, sparcl_graph_segment_reduce(m->graph, kind, of_entries, m->x));
}
#define SEGMENTS_REDUCED(name, kind)                                                               \
    static sparcl_node name(model *m) {                                                            \
        return segments_reduced(m, SPARCL_REDUCE_##kind);                                          \
    }
SEGMENTS_REDUCED(segment_sum, SUM)
SEGMENTS_REDUCED(segment_mean, MEAN)
SEGMENTS_REDUCED(segment_sqrtn, SQRTN)
SEGMENTS_REDUCED(segment_prod, PROD)
SEGMENTS_REDUCED(segment_squares, SQUARE_SUM)
SEGMENTS_REDUCED(segment_norm, NORM)
SEGMENTS_REDUCED(segment_norm1, NORM1)
/* Of numbers of which no two are equal. */
static sparcl_node segment_max(model *m) {
    const sparcl_node v = distinct(m), columns = sparcl_graph_columns(m->graph, m->x);
    const sparcl_node largest = sparcl_graph_segment_reduce(m->graph, SPARCL_REDUCE_MAX, v, m->x);
    const sparcl_node smallest =
        sparcl_graph_segment_reduce(m->graph, SPARCL_REDUCE_MIN, v, columns);
    return sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, squared(m, largest),
                               to_wide(m, squares(m, smallest)));
}
static sparcl_node dot_rows(model *m) {
    const sparcl_node x = hidden(m);
    const sparcl_node y = sparcl_graph_gather(m->graph, table(m), m->per_row);
    return squared(m, sparcl_graph_dot_rows(m->graph, x, y));
}
/* Attention: weights of a softmax times rows. */
static sparcl_node attention(model *m, sparcl_softmax kind) {
    const sparcl_node a = weighted(m);
    const sparcl_node weights =
        sparcl_graph_with_values(m->graph, a, sparcl_graph_csr_softmax(m->graph, kind, a));
    return squared_head(m, sparcl_graph_spmm(m->graph, weights, table(m)));
}
static sparcl_node csr_softmax(model *m) {
    return attention(m, SPARCL_SOFTMAX);
}
static sparcl_node csr_log_softmax(model *m) {
    return attention(m, SPARCL_LOG_SOFTMAX);
}
/* Two numbers or more for each entry: the weights of rows, head by head. */
static sparcl_node softmax_heads(model *m, sparcl_softmax kind) {
    const sparcl_node columns = sparcl_graph_columns(m->graph, m->x);
    const sparcl_node scores = sparcl_graph_gather(m->graph, table(m), columns);
    const sparcl_node rows =
        sparcl_graph_gather(m->graph, parameter(m, "rows", COLS, WIDTH), columns);
    const sparcl_node weights = sparcl_graph_csr_softmax_heads(m->graph, kind, m->x, scores);
    const sparcl_node terms = sparcl_graph_binary(m->graph, SPARCL_BINARY_MULTIPLY, weights, rows);
    return squared_head(m, sparcl_graph_segment_reduce(m->graph, SPARCL_REDUCE_SUM, terms, m->x));
}
static sparcl_node csr_softmax_heads(model *m) {
    return softmax_heads(m, SPARCL_SOFTMAX);
}
static sparcl_node csr_log_softmax_heads(model *m) {
    return softmax_heads(m, SPARCL_LOG_SOFTMAX);
}

const gradient_case gradients_reductions[] = {
    {"reduce", reduce_sum, CURVED},
    {"reduce", reduce_mean, CURVED},
    {"reduce", reduce_norm, CURVED},
    {"reduce", reduce_norm1, CURVED},
    {"reduce", reduce_squares, CURVED},
    {"csr_reduce", matrix_sum, CURVED},
    {"csr_reduce", matrix_mean, CURVED},
    {"csr_reduce", matrix_max, KINKED},
    {"csr_reduce", matrix_min, KINKED},
    {"csr_reduce", matrix_prod, STEEP},
    {"csr_reduce", matrix_norm, CURVED},
    {"csr_reduce", matrix_squares, CURVED},
    {"csr_reduce", matrix_mean_of_all, CURVED},
    {"csr_reduce", matrix_sqrtn, CURVED},
    {"csr_reduce", matrix_sqrtn_of_all, CURVED},
    {"csr_reduce", matrix_max_of_all, KINKED},
    {"csr_reduce", matrix_min_of_stored, KINKED},
    {"csr_reduce", matrix_norm1, KINKED},
    {"csr_reduce", matrix_prod_of_all, STEEP},
    {"segment_reduce", segment_sum, CURVED},
    {"segment_reduce", segment_mean, CURVED},
    {"segment_reduce", segment_sqrtn, CURVED},
    {"segment_reduce", segment_max, KINKED},
    {"segment_reduce", segment_prod, STEEP},
    {"segment_reduce", segment_squares, CURVED},
    {"segment_reduce", segment_norm, STEEP},
    {"segment_reduce", segment_norm1, KINKED},
    {"dot_rows", dot_rows, QUADRATIC},
    {"csr_softmax", csr_softmax, CURVED},
    {"csr_softmax", csr_log_softmax, CURVED},
    {"csr_softmax_heads", csr_softmax_heads, CURVED},
    {"csr_softmax_heads", csr_log_softmax_heads, CURVED},
    {NULL},
};
