/* gradients_structure.c: CSR matrices in another order and shape. */
#include "gradients.h"

/* A matrix of as many rows as x, times a parameter. */
static sparcl_node score(model *m, sparcl_node a, int64_t cols) {
    return squared_head(m, sparcl_graph_spmm(m->graph, a, parameter(m, "v", cols, WIDTH)));
}

/* A matrix of another number of rows: the mean of a hidden layer, and the loss of its sum. */
static sparcl_node score_rows(model *m, sparcl_node a, int64_t cols) {
    const sparcl_node h = sparcl_graph_spmm(m->graph, a, parameter(m, "v", cols, 0));
    return sparcl_graph_mean(m->graph, sparcl_graph_unary(m->graph, SPARCL_UNARY_TANH, h));
}

static sparcl_node transpose(model *m) {
    const sparcl_node t = sparcl_graph_transpose(m->graph, weighted(m));
    return score_rows(m, sparcl_graph_transpose(m->graph, t), COLS);
}
static sparcl_node transpose_times(model *m) {
    const sparcl_node t = sparcl_graph_transpose(m->graph, weighted(m));
    return squared_head(
        m, sparcl_graph_spmm(m->graph, m->x, sparcl_graph_spmm(m->graph, t, hidden(m))));
}
static sparcl_node reshape(model *m) {
    const sparcl_node a = sparcl_graph_slice(m->graph, weighted(m), 0, 1, 10);
    return score_rows(m, sparcl_graph_reshape(m->graph, a, 2, (const int64_t[]){COLS, 10}), 10);
}
static sparcl_node slice_rows(model *m) {
    return score_rows(m, sparcl_graph_slice(m->graph, weighted(m), 0, 2, ROWS - 5), COLS);
}
static sparcl_node slice_columns(model *m) {
    return score(m, sparcl_graph_slice(m->graph, weighted(m), 1, 3, COLS - 4), COLS - 4);
}
/* Rows are taken twice. */
static sparcl_node take_rows(model *m) {
    const sparcl_node t = sparcl_graph_transpose(m->graph, weighted(m));
    const sparcl_node a = sparcl_graph_take_rows(m->graph, t, m->per_row, 4 * ENTRIES);
    const sparcl_node back = sparcl_graph_transpose(m->graph, a);
    return squared_head(
        m, sparcl_graph_spmm(m->graph, back, sparcl_graph_spmm(m->graph, m->x, table(m))));
}
static sparcl_node take_columns(model *m) {
    const sparcl_node a = sparcl_graph_take_columns(m->graph, weighted(m), m->per_row, 4 * ENTRIES);
    return squared_head(m, sparcl_graph_spmm(m->graph, a, hidden(m)));
}
static sparcl_node retain_rows(model *m) {
    const sparcl_node t = sparcl_graph_transpose(m->graph, weighted(m));
    const sparcl_node a = sparcl_graph_retain_rows(m->graph, t, m->list);
    return score(m, sparcl_graph_transpose(m->graph, a), COLS);
}
static sparcl_node concat_rows(model *m) {
    const sparcl_node a = weighted(m), all[] = {a, m->x, a};
    return score_rows(m, sparcl_graph_concat(m->graph, all, 3, 0), COLS);
}
/* More than a node takes at once. */
static sparcl_node concat_columns(model *m) {
    const sparcl_node a = weighted(m), all[] = {m->x, a, a, m->x, m->x, a, a, m->x, a, m->x};
    return score(m, sparcl_graph_concat(m->graph, all, 10, 1), 10 * COLS);
}
static sparcl_node block_diagonal(model *m) {
    const sparcl_node a = weighted(m), all[] = {m->x, a};
    return score_rows(m, sparcl_graph_block_diagonal(m->graph, all, 2), 2 * COLS);
}
/* Half of the entries are duplicates. */
static sparcl_node sum_duplicates(model *m) {
    const sparcl_node a = weighted(m), both[] = {a, a};
    const sparcl_node twice = sparcl_graph_concat(m->graph, both, 2, 0);
    const sparcl_node narrow =
        sparcl_graph_reshape(m->graph, twice, 2, (const int64_t[]){COLS, 2 * ROWS});
    return score_rows(m, sparcl_graph_coalesce(m->graph, narrow, SPARCL_SUM), 2 * ROWS);
}
static sparcl_node fill_empty_rows(model *m) {
    const sparcl_node t = sparcl_graph_transpose(m->graph, weighted(m));
    const sparcl_node a = sparcl_graph_fill_empty_rows(m->graph, t, 0.5, SPARCL_NO_NODE);
    return squared_head(m,
                        sparcl_graph_spmm(m->graph, sparcl_graph_transpose(m->graph, a), table(m)));
}
/* The value of the first columns, which have no entries, is a parameter. */
static sparcl_node fill_with_value(model *m) {
    const sparcl_node part = sparcl_graph_triangle(m->graph, weighted(m), SPARCL_LOWER, -9);
    const sparcl_node a =
        sparcl_graph_fill_empty_rows(m->graph, part, 0, parameter(m, "value", 1, 0));
    return squared(m, sparcl_graph_spmm(m->graph, a, parameter(m, "v", COLS, 0)));
}

/* Rows that a list has put out of order. */
static sparcl_node sort_indices(model *m) {
    const sparcl_node a = sparcl_graph_take_columns(m->graph, weighted(m), m->per_row, 4 * ENTRIES);
    return squared_head(m, sparcl_graph_spmm(m->graph, sparcl_graph_sort(m->graph, a), hidden(m)));
}
static sparcl_node lower(model *m) {
    return score(m, sparcl_graph_triangle(m->graph, weighted(m), SPARCL_LOWER, 1), COLS);
}
static sparcl_node upper(model *m) {
    return score(m, sparcl_graph_triangle(m->graph, weighted(m), SPARCL_UPPER, -1), COLS);
}
static sparcl_node diagonal(model *m) {
    const sparcl_node x = sparcl_graph_unary(
        m->graph, SPARCL_UNARY_EXP, product(m, hidden(m), parameter(m, "wide", WIDTH, COLS)));
    const sparcl_node a = sparcl_graph_to_csr(m->graph, x, 0, ROWS * COLS);
    return score_rows(m, sparcl_graph_triangle(m->graph, a, SPARCL_DIAGONAL, 2), COLS);
}
static sparcl_node prune(model *m) {
    return score(m, sparcl_graph_prune(m->graph, weighted(m), 0.1089), COLS);
}
/* Values of capacity that is not used are 0, and the function of them is not. */
static sparcl_node values_of_part(model *m) {
    const sparcl_node a = sparcl_graph_triangle(m->graph, weighted(m), SPARCL_LOWER, 1);
    const sparcl_node both[] = {a, sparcl_graph_slice(m->graph, a, 0, 0, 9)};
    const sparcl_node all = sparcl_graph_concat(m->graph, both, 2, 0);
    return sparcl_graph_sum(m->graph, sparcl_graph_unary(m->graph, SPARCL_UNARY_EXP,
                                                         sparcl_graph_values(m->graph, all)));
}

const gradient_case gradients_structure[] = {
    {"csr_transpose", transpose, CURVED},
    {"csr_transpose", transpose_times, CURVED},
    {"csr_reshape", reshape, CURVED},
    {"sort_indices", sort_indices, CURVED},
    {"triangle", lower, CURVED},
    {"triangle", upper, CURVED},
    {"triangle", diagonal, CURVED},
    {"prune", prune, CURVED},
    {"values", values_of_part, STEEP},
    {"slice_rows", slice_rows, CURVED},
    {"slice_columns", slice_columns, CURVED},
    {"take_rows", take_rows, CURVED},
    {"take_columns", take_columns, CURVED},
    {"retain_rows", retain_rows, CURVED},
    {"concat_rows", concat_rows, CURVED},
    {"concat_columns", concat_columns, CURVED},
    {"block_diagonal", block_diagonal, CURVED},
    {"sum_duplicates", sum_duplicates, CURVED},
    {"fill_empty_rows", fill_empty_rows, CURVED},
    {"fill_empty_rows", fill_with_value, CURVED},
    {NULL},
};
