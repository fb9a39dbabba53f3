/* gradients_row_sparse.c: models with row-sparse arrays, whose stored rows depend on parameters. */
#include "gradients.h"

static sparcl_node curved_sum(model *m, sparcl_node x) {
    const sparcl_node r = sparcl_graph_activate(m->graph, SPARCL_ACTIVATION_TANH, x);
    return sparcl_graph_sum(m->graph, sparcl_graph_sum(m->graph, r));
}

/* Rows of a table at the indices of the list, which has some twice. */
static sparcl_node rows_of(model *m, const char *name) {
    const sparcl_node t = parameter(m, name, COLS, WIDTH);
    return sparcl_graph_as_rows(m->graph, sparcl_graph_gather(m->graph, t, m->list), m->list);
}

/* The same with each row once. */
static sparcl_node unique_rows(model *m) {
    const sparcl_node rows[] = {rows_of(m, "one"), m->sparse};
    return sparcl_graph_add_n(m->graph, rows, 2);
}

static sparcl_node as_rows(model *m) {
    return curved_sum(m, sparcl_graph_to_dense(m->graph, rows_of(m, "one")));
}
static sparcl_node add_rows(model *m) {
    const sparcl_node one = rows_of(m, "one"), rows[] = {one, m->sparse, rows_of(m, "two"), one};
    return curved_sum(m, sparcl_graph_to_dense(m->graph, sparcl_graph_add_n(m->graph, rows, 4)));
}
/* More dense arrays than one launch adds, among row-sparse ones. */
static sparcl_node add_mixed(model *m) {
    const sparcl_node t = table(m), one = rows_of(m, "one");
    const sparcl_node all[] = {one, t, t, t, t, t, m->sparse, t};
    return curved_sum(m, sparcl_graph_add_n(m->graph, all, 8));
}
/* The stored rows as a dense array, which an operation changes. */
static sparcl_node with_values(model *m) {
    const sparcl_node rows = unique_rows(m), v = sparcl_graph_values(m->graph, rows);
    const sparcl_node curved = sparcl_graph_activate(m->graph, SPARCL_ACTIVATION_TANH, v);
    return curved_sum(
        m, sparcl_graph_to_dense(m->graph, sparcl_graph_with_values(m->graph, rows, curved)));
}
static sparcl_node retain_all(model *m) {
    const sparcl_node rows = sparcl_graph_rows_retain_all(m->graph, unique_rows(m), m->per_row);
    return curved_sum(m, sparcl_graph_values(m->graph, rows));
}
static sparcl_node retain_stored(model *m) {
    const sparcl_node rows = sparcl_graph_rows_retain_stored(m->graph, unique_rows(m), m->per_row);
    return curved_sum(m, sparcl_graph_to_dense(m->graph, rows));
}

/* --- products --------------------------------------------------------------------------------- */

static sparcl_node spmm_rows(model *m) {
    return squared_head(m, sparcl_graph_spmm_rows(m->graph, weighted(m), unique_rows(m)));
}
/* Rows of B in the order of a list, some twice. */
static sparcl_node spmm_listed_rows(model *m) {
    return squared_head(
        m, sparcl_graph_matmul(m->graph, SPARCL_OP_N, weighted(m), SPARCL_OP_N, rows_of(m, "one")));
}
static sparcl_node spmm_t_rows(model *m) {
    const sparcl_node rows = sparcl_graph_spmm_t_rows(m->graph, weighted(m), hidden(m));
    return squared_head(m, sparcl_graph_spmm_rows(m->graph, m->x, rows));
}
/* Of a matrix that is computed, and then a transposed product with the rows. */
static sparcl_node spmm_t_rows_of_computed(model *m) {
    const sparcl_node a = weighted(m), t = sparcl_graph_csr_transpose(m->graph, a);
    const sparcl_node rows = sparcl_graph_spmm_t_rows(m->graph, t, table(m));
    return curved_sum(m, sparcl_graph_matmul(m->graph, SPARCL_OP_T, a, SPARCL_OP_N, rows));
}

const gradient_case gradients_row_sparse[] = {
    {"as_rows", as_rows, CURVED},
    {"add_n", add_rows, STEEP},
    {"add_n", add_mixed, STEEP},
    {"with_values", with_values, CURVED},
    {"rows_retain_all", retain_all, CURVED},
    {"rows_retain_stored", retain_stored, CURVED},
    {"spmm_rows", spmm_rows, CURVED},
    {"spmm_rows", spmm_listed_rows, CURVED},
    {"spmm_t_rows", spmm_t_rows, CURVED},
    {"spmm_t_rows", spmm_t_rows_of_computed, STEEP},
    {NULL},
};
