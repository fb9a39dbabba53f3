/* gradients_row_sparse.c: models with row-sparse arrays, whose stored rows depend on parameters. */
#include "gradients.h"

static sparcl_node curved_sum(model *m, sparcl_node x) {
    const sparcl_node r = sparcl_graph_unary(m->graph, SPARCL_UNARY_TANH, x);
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
    const sparcl_node curved = sparcl_graph_unary(m->graph, SPARCL_UNARY_TANH, v);
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

/* Rows of a table at the indices of a shorter list: another selection of rows, each once. */
static sparcl_node other_rows(model *m) {
    const sparcl_node t = parameter(m, "other", COLS, WIDTH);
    const sparcl_node rows =
        sparcl_graph_as_rows(m->graph, sparcl_graph_gather(m->graph, t, m->per_row), m->per_row);
    return sparcl_graph_add_n(m->graph, &rows, 1);
}
/* The product with its second factor once more, so that each order of the operands occurs. */
static sparcl_node rows_multiply(model *m) {
    const sparcl_node a = unique_rows(m), b = other_rows(m);
    const sparcl_node ab = sparcl_graph_multiply(m->graph, a, b);
    const sparcl_node bab = sparcl_graph_multiply(m->graph, b, ab), both[] = {ab, bab};
    return curved_sum(m, sparcl_graph_to_dense(m->graph, sparcl_graph_add_n(m->graph, both, 2)));
}
static sparcl_node rows_square(model *m) {
    const sparcl_node a = unique_rows(m);
    return curved_sum(m, sparcl_graph_values(m->graph, sparcl_graph_multiply(m->graph, a, a)));
}
/* Of rows in no order, some twice. */
static sparcl_node rows_multiply_dense(model *m) {
    const sparcl_node a = sparcl_graph_multiply(m->graph, rows_of(m, "one"), table(m));
    return curved_sum(m, sparcl_graph_to_dense(m->graph, a));
}
/* Of an array with room for more rows. */
static sparcl_node counted_rows_multiply_dense(model *m) {
    const sparcl_node a = sparcl_graph_multiply(m->graph, unique_rows(m), table(m));
    return curved_sum(m, sparcl_graph_values(m->graph, a));
}

/* --- conversions ------------------------------------------------------------------------------ */

/* Rows without an element of more than 6/32 are not stored: the threshold is half way to 7/32. */
static sparcl_node to_rows(model *m) {
    const sparcl_node t = sparcl_graph_unary(m->graph, SPARCL_UNARY_TANH, table(m));
    const sparcl_node rows = sparcl_graph_to_rows(m->graph, t, 0.2004, COLS);
    return squared_head(m, sparcl_graph_spmm_rows(m->graph, m->x, rows));
}
/* The first rows have no entries, and the last ones do not fit. */
static sparcl_node csr_to_rows(model *m) {
    const sparcl_node a = sparcl_graph_triangle(m->graph, weighted(m), SPARCL_LOWER, -6);
    const sparcl_node rows = sparcl_graph_to_rows(m->graph, a, 0, 25);
    const sparcl_node x = sparcl_graph_to_dense(m->graph, rows);
    return squared_head(m, product(m, x, parameter(m, "v", COLS, WIDTH)));
}
/* The threshold is half way between two elements; so it is for rows that are stored twice. */
static sparcl_node rows_to_csr(model *m) {
    const sparcl_node a = sparcl_graph_to_csr(m->graph, unique_rows(m), 0.1089, COLS * WIDTH);
    const sparcl_node v = parameter(m, "v", WIDTH, WIDTH);
    return curved_sum(m, sparcl_graph_spmm(m->graph, a, v));
}
/* All elements, of rows in no order. */
static sparcl_node listed_rows_to_csr(model *m) {
    const sparcl_node a = sparcl_graph_to_csr(m->graph, rows_of(m, "one"), -1, COLS * WIDTH - 5);
    const sparcl_node v = parameter(m, "v", WIDTH, WIDTH);
    return curved_sum(m, sparcl_graph_spmm(m->graph, a, v));
}

/* --- parts and reductions --------------------------------------------------------------------- */

/* Of rows in no order, some twice. */
static sparcl_node rows_slice(model *m) {
    const sparcl_node part = sparcl_graph_slice(m->graph, rows_of(m, "one"), 0, 7, COLS - 11);
    return curved_sum(m, sparcl_graph_to_dense(m->graph, part));
}
/* Of each column, of all elements and of each row. The third row does not count: there is only room
 * for it. No difference crosses the kink of NORM1. */
static sparcl_node rows_reduced(model *m, sparcl_reduction kind) {
    const sparcl_node two = sparcl_graph_slice(m->graph, m->sparse, 0, 1, 15);
    const sparcl_node v =
        sparcl_graph_unary(m->graph, SPARCL_UNARY_EXP, parameter(m, "v", 3, WIDTH));
    const sparcl_node rows = sparcl_graph_with_values(m->graph, two, v);
    const sparcl_node columns =
        curved_sum(m, sparcl_graph_reduce(m->graph, kind, SPARCL_OVER_ALL, rows, 0));
    const sparcl_node all =
        curved_sum(m, sparcl_graph_reduce(m->graph, kind, SPARCL_OVER_ALL, rows, -1));
    const sparcl_node each =
        curved_sum(m, sparcl_graph_reduce(m->graph, kind, SPARCL_OVER_ALL, unique_rows(m), 1));
    return sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD,
                               sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, columns, all),
                               each);
}
#define ROWS_REDUCED(name, kind)                                                                   \
    static sparcl_node name(model *m) {                                                            \
        return rows_reduced(m, SPARCL_REDUCE_##kind);                                              \
    }
ROWS_REDUCED(rows_sum, SUM)
ROWS_REDUCED(rows_mean, MEAN)
ROWS_REDUCED(rows_squares, SQUARE_SUM)
ROWS_REDUCED(rows_norm, NORM)
ROWS_REDUCED(rows_norm1, NORM1)

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
    const sparcl_node a = weighted(m), t = sparcl_graph_transpose(m->graph, a);
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
    {"rows_multiply", rows_multiply, STEEP},
    {"rows_multiply", rows_square, STEEP},
    {"rows_multiply_dense", rows_multiply_dense, STEEP},
    {"rows_multiply_dense", counted_rows_multiply_dense, STEEP},
    {"rows_slice", rows_slice, CURVED},
    {"rows_reduce", rows_sum, STEEP},
    {"rows_reduce", rows_mean, STEEP},
    {"rows_reduce", rows_squares, STEEP},
    {"rows_reduce", rows_norm, STEEP},
    {"rows_reduce", rows_norm1, KINKED},
    {"to_rows", to_rows, CURVED},
    {"csr_to_rows", csr_to_rows, CURVED},
    {"rows_to_csr", rows_to_csr, CURVED},
    {"rows_to_csr", listed_rows_to_csr, CURVED},
    {"spmm_rows", spmm_rows, CURVED},
    {"spmm_rows", spmm_listed_rows, CURVED},
    {"spmm_t_rows", spmm_t_rows, CURVED},
    {"spmm_t_rows", spmm_t_rows_of_computed, STEEP},
    {NULL},
};
