/* gradients_coo.c: models with COO arrays, whose values depend on parameters. */
#include "gradients.h"

enum { CUBE_A = 5, CUBE_B = 6 }; /* COLS is their product */

/* Values of the matrix x that depend on a parameter; no two of them are equal. */
static sparcl_node distinct(model *m) {
    return sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD,
                               sparcl_graph_values(m->graph, weighted(m)),
                               sparcl_graph_values(m->graph, m->x));
}
/* The matrix with them [ROWS, COLS], and as a cube [ROWS, CUBE_A, CUBE_B]. */
static sparcl_node matrix(model *m) {
    return sparcl_graph_to_coo(m->graph, sparcl_graph_with_values(m->graph, m->x, distinct(m)), 0,
                               0);
}
static sparcl_node cube_of(model *m, sparcl_node a) {
    const int64_t shape[] = {m->rows, CUBE_A, CUBE_B};
    return sparcl_graph_reshape(m->graph, a, 3, shape);
}
static sparcl_node cube(model *m) {
    return cube_of(m, matrix(m));
}
/* A square matrix without duplicates, of a fixed size. */
static sparcl_node square(model *m, const char *name) {
    const sparcl_node v = sparcl_graph_gather(m->graph, parameter(m, name, COLS, 0),
                                              sparcl_graph_columns(m->graph, m->square));
    const sparcl_node curved = sparcl_graph_unary(m->graph, SPARCL_UNARY_TANH, v);
    return sparcl_graph_to_coo(m->graph, sparcl_graph_with_values(m->graph, m->square, curved), 0,
                               0);
}
static sparcl_node fixed_cube(model *m, const char *name) {
    const int64_t shape[] = {COLS, CUBE_A, CUBE_B};
    return sparcl_graph_reshape(m->graph, square(m, name), 3, shape);
}

/* A matrix of as many rows as x times a parameter, and one of another number of rows. */
static sparcl_node score(model *m, sparcl_node a, int64_t cols) {
    const sparcl_node csr = sparcl_graph_to_csr(m->graph, a, 0, 0);
    return squared_head(m, sparcl_graph_spmm(m->graph, csr, parameter(m, "v", cols, WIDTH)));
}
static sparcl_node score_rows(model *m, sparcl_node a, int64_t cols) {
    const sparcl_node csr = sparcl_graph_to_csr(m->graph, a, 0, 0);
    const sparcl_node h = sparcl_graph_spmm(m->graph, csr, parameter(m, "v", cols, 0));
    return sparcl_graph_mean(m->graph, sparcl_graph_unary(m->graph, SPARCL_UNARY_TANH, h));
}
/* A cube of fixed sizes as a matrix. */
static sparcl_node score_cube(model *m, sparcl_node a, int64_t rows, int64_t cols) {
    const int64_t shape[] = {rows, cols};
    return score_rows(m, sparcl_graph_reshape(m->graph, a, 2, shape), cols);
}
static sparcl_node squares(model *m, sparcl_node x) {
    return sparcl_graph_sum(m->graph, sparcl_graph_dot_rows(m->graph, x, x));
}

/* --- values and conversions ------------------------------------------------------------------- */

/* sin of the values, times a parameter for each column, in another type and back. */
static sparcl_node values(model *m) {
    const sparcl_node a = sparcl_graph_unary(m->graph, SPARCL_UNARY_SIN, matrix(m));
    const sparcl_node scale = sparcl_graph_gather(m->graph, parameter(m, "scale", COLS, 0),
                                                  sparcl_graph_columns(m->graph, m->x));
    const sparcl_node v = sparcl_graph_binary(m->graph, SPARCL_BINARY_MULTIPLY,
                                              sparcl_graph_values(m->graph, a), scale);
    return score_rows(m, sparcl_graph_with_values(m->graph, a, v), COLS);
}
static sparcl_node cast(model *m) {
    const sparcl_node a = cast_to(m, matrix(m), wide(m));
    return score(m, cast_to(m, a, m->dtype), COLS);
}
/* The columns are those of a list, in no order. */
static sparcl_node unsorted(model *m) {
    const sparcl_node a = sparcl_graph_with_values(m->graph, m->x, distinct(m));
    return sparcl_graph_to_coo(
        m->graph, sparcl_graph_take_columns(m->graph, a, m->per_row, 4 * ENTRIES), 0, 0);
}
static sparcl_node applied(model *m, sparcl_node a) {
    const sparcl_node csr = sparcl_graph_to_csr(m->graph, a, 0, 0);
    return squared_head(m, sparcl_graph_spmm(m->graph, csr, hidden(m)));
}
static sparcl_node to_csr(model *m) {
    return applied(m, unsorted(m));
}
static sparcl_node from_csr(model *m) {
    return score(m, matrix(m), COLS);
}
static sparcl_node sorted(model *m) {
    return applied(m, sparcl_graph_sort(m->graph, unsorted(m)));
}
static sparcl_node to_dense(model *m) {
    return squared_head(m, product(m, sparcl_graph_to_dense(m->graph, unsorted(m)), hidden(m)));
}
/* The elements of a dense array where a COO array has entries. */
static sparcl_node sparse_mask(model *m) {
    const sparcl_node h = product(m, hidden(m), parameter(m, "v", WIDTH, COLS));
    const sparcl_node a = sparcl_graph_to_coo(m->graph, m->x, 0, 0);
    return to_wide(m, squares(m, sparcl_graph_sparse_mask(m->graph, a, h)));
}
/* The threshold is half way between two elements. */
static sparcl_node from_dense(model *m) {
    const sparcl_node h = sparcl_graph_unary(m->graph, SPARCL_UNARY_TANH,
                                             sparcl_graph_gather(m->graph, table(m), m->per_row));
    const sparcl_node a = sparcl_graph_to_coo(m->graph, h, 0.1089, ROWS * WIDTH);
    return squared(m, sparcl_graph_spmm(m->graph, sparcl_graph_to_csr(m->graph, a, 0, 0),
                                        parameter(m, "v", WIDTH, 1)));
}

/* --- shapes ----------------------------------------------------------------------------------- */

static sparcl_node reshape(model *m) {
    return score_cube(m, fixed_cube(m, "edge"), CUBE_A * CUBE_A, COLS * CUBE_B / CUBE_A);
}
static sparcl_node permute(model *m) {
    static const int axes[] = {2, 0, 1};
    const sparcl_node a = sparcl_graph_coo_permute(m->graph, fixed_cube(m, "edge"), 3, axes);
    return score_cube(m, a, CUBE_B, COLS * CUBE_A);
}
/* [COLS, 1, CUBE_A, CUBE_B, 1]. */
static sparcl_node expand_dims(model *m) {
    const int64_t shape[] = {CUBE_A * COLS, CUBE_B};
    const sparcl_node a = sparcl_graph_coo_expand_dims(m->graph, fixed_cube(m, "edge"), 1);
    const sparcl_node b = sparcl_graph_coo_expand_dims(m->graph, a, 4);
    return score_rows(m, sparcl_graph_reshape(m->graph, b, 2, shape), CUBE_B);
}
static sparcl_node squeeze(model *m) {
    const sparcl_node a = sparcl_graph_coo_expand_dims(m->graph, matrix(m), 0);
    const sparcl_node b = sparcl_graph_coo_expand_dims(m->graph, a, 2);
    const sparcl_node one = sparcl_graph_coo_squeeze(m->graph, b, 2);
    return score(m, sparcl_graph_coo_squeeze(m->graph, one, -1), COLS);
}
static sparcl_node project(model *m) {
    static const int axes[] = {0, 2};
    return score(m, sparcl_graph_coo_project(m->graph, cube(m), 2, axes), CUBE_B);
}
static sparcl_node slice(model *m) {
    const int64_t start[] = {3, 1, 0}, shape[] = {COLS - 5, CUBE_A - 1, CUBE_B - 1};
    const sparcl_node a = sparcl_graph_coo_slice(m->graph, fixed_cube(m, "edge"), 3, start, shape);
    return score_cube(m, a, COLS - 5, (CUBE_A - 1) * (CUBE_B - 1));
}
/* Along the last axis, so that the entries are in no order. */
static sparcl_node concat(model *m) {
    const sparcl_node a = fixed_cube(m, "edge"), all[] = {a, fixed_cube(m, "other"), a};
    return score_cube(m, sparcl_graph_concat(m->graph, all, 3, 2), COLS, CUBE_A * 3 * CUBE_B);
}
static sparcl_node concat_rows(model *m) {
    const sparcl_node a = matrix(m), all[] = {a, a};
    return score_rows(m, sparcl_graph_concat(m->graph, all, 2, 0), COLS);
}

/* --- entries that are combined ---------------------------------------------------------------- */

static sparcl_node fill_empty_rows(model *m) {
    static const int axes[] = {1, 2, 0};
    const sparcl_node a = sparcl_graph_coo_permute(m->graph, fixed_cube(m, "edge"), 3, axes);
    const int64_t shape[] = {COLS * COLS / 2, 2};
    const sparcl_node thin = sparcl_graph_reshape(m->graph, a, 2, shape);
    return score_rows(m, sparcl_graph_fill_empty_rows(m->graph, thin, 0.5, SPARCL_NO_NODE), 2);
}
/* What is stored for each row and index of the last dimension. */
static sparcl_node coalesced(model *m, sparcl_duplicates how) {
    static const int axes[] = {0, 2};
    const sparcl_node a = sparcl_graph_coo_project(m->graph, cube(m), 2, axes);
    return score(m, sparcl_graph_coalesce(m->graph, a, how), CUBE_B);
}
#define COALESCED(name, how)                                                                       \
    static sparcl_node name(model *m) {                                                            \
        return coalesced(m, SPARCL_##how);                                                         \
    }
COALESCED(coalesce_sum, SUM)
COALESCED(coalesce_mean, MEAN)
COALESCED(coalesce_max, MAX)
COALESCED(coalesce_min, MIN)
COALESCED(coalesce_first, FIRST)
COALESCED(coalesce_last, LAST)

/* Two cubes of which one has its dimensions in another order, so that few places are common. */
static sparcl_node second(model *m) {
    const int64_t shape[] = {COLS, CUBE_A, CUBE_B};
    static const int axes[] = {1, 0};
    const sparcl_node t = sparcl_graph_coo_permute(m->graph, square(m, "other"), 2, axes);
    return sparcl_graph_reshape(m->graph, t, 3, shape);
}
static sparcl_node add(model *m) {
    const sparcl_node a = fixed_cube(m, "edge");
    const sparcl_node sum = sparcl_graph_add(m->graph, 0.5, a, -2, second(m));
    return score_cube(m, sparcl_graph_add(m->graph, 1, sum, 1, a), COLS, COLS);
}
static sparcl_node multiply(model *m) {
    const sparcl_node a = fixed_cube(m, "edge"), b = second(m);
    const sparcl_node sum = sparcl_graph_add(m->graph, 1, a, 1, b);
    const sparcl_node part = sparcl_graph_multiply(m->graph, sum, a);
    const sparcl_node rest = sparcl_graph_multiply(m->graph, b, sum);
    return score_cube(m, sparcl_graph_add(m->graph, 1, part, 3, rest), COLS, COLS);
}

/* Reductions over one axis, over two, and over all. */
static sparcl_node reduced(model *m, sparcl_duplicates how) {
    static const int last[] = {2}, others[] = {0, 1};
    const sparcl_node a = cube(m);
    const sparcl_node rows = sparcl_graph_coo_reduce(m->graph, how, a, 1, last);
    const sparcl_node columns = sparcl_graph_coo_reduce(m->graph, how, a, 2, others);
    const sparcl_node all = sparcl_graph_coo_reduce(m->graph, how, a, 0, NULL);
    const sparcl_node first = squared(m, product(m, rows, parameter(m, "head", CUBE_A, 1)));
    const sparcl_node both =
        sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, first, to_wide(m, squares(m, columns)));
    return sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, both, to_wide(m, all));
}
#define REDUCED(name, how)                                                                         \
    static sparcl_node name(model *m) {                                                            \
        return reduced(m, SPARCL_##how);                                                           \
    }
REDUCED(reduce_sum, SUM)
REDUCED(reduce_mean, MEAN)
REDUCED(reduce_max, MAX)
REDUCED(reduce_min, MIN)

const gradient_case gradients_coo[] = {
    {"values", values, CURVED},
    {"cast", cast, CURVED},
    {"coo_to_csr", to_csr, CURVED},
    {"csr_to_coo", from_csr, CURVED},
    {"to_dense", to_dense, CURVED},
    {"sparse_mask", sparse_mask, CURVED},
    {"to_coo", from_dense, CURVED},
    {"coo_sort", sorted, CURVED},
    {"coo_reshape", reshape, CURVED},
    {"coo_permute", permute, CURVED},
    {"coo_expand_dims", expand_dims, CURVED},
    {"coo_squeeze", squeeze, CURVED},
    {"coo_project", project, CURVED},
    {"coo_slice", slice, CURVED},
    {"coo_concat", concat, CURVED},
    {"coo_concat", concat_rows, CURVED},
    {"coo_fill_empty_rows", fill_empty_rows, CURVED},
    {"coo_coalesce", coalesce_sum, CURVED},
    {"coo_coalesce", coalesce_mean, CURVED},
    {"coo_coalesce", coalesce_max, KINKED},
    {"coo_coalesce", coalesce_min, KINKED},
    {"coo_coalesce", coalesce_first, CURVED},
    {"coo_coalesce", coalesce_last, CURVED},
    {"coo_add", add, CURVED},
    {"coo_multiply", multiply, CURVED},
    {"to_dense", reduce_sum, CURVED},
    {"coo_coalesce", reduce_mean, CURVED},
    {"coo_coalesce", reduce_max, KINKED},
    {"coo_coalesce", reduce_min, NARROW},
    {NULL},
};
