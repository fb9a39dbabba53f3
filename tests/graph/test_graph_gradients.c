/* test_graph_gradients.c: the gradient of every operation, against central differences; in F64
 * where the device has it. */
#include <math.h>

#include "graph_test.h"

/* --- models ----------------------------------------------------------------------------------- */

enum { WIDTH = 4, PARAMETERS = 3, INDICES = 55 };

/* A model with a scalar result. Its inputs: x [ROWS, COLS], y [ROWS], two lists of row indices
 * below COLS with duplicates, and a row-sparse array [COLS, WIDTH]. */
typedef struct model {
    sparcl_graph *graph;
    int64_t rows, entries, indices;
    sparcl_node x, y, list, per_row, sparse;
    sparcl_node parameters[PARAMETERS], result;
    int count; /* of parameters */
} model;

static sparcl_node parameter(model *m, const char *name, int64_t rows, int64_t cols) {
    const int64_t shape[] = {rows, cols};
    sparcl_optim optim;
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    return m->parameters[m->count++] =
               sparcl_graph_parameter(m->graph, name, cols ? 2 : 1, shape, &optim);
}

static sparcl_node product(const model *m, sparcl_node a, sparcl_node b) {
    return sparcl_graph_gemm(m->graph, SPARCL_OP_N, a, SPARCL_OP_N, b);
}

/* The mean loss of scores, or of the rows of a hidden layer times a parameter. */
static sparcl_node squared(model *m, sparcl_node scores) {
    return sparcl_graph_mean(m->graph,
                             sparcl_graph_loss(m->graph, SPARCL_LOSS_SQUARED, scores, m->y));
}
static sparcl_node squared_head(model *m, sparcl_node hidden) {
    return squared(m, product(m, hidden, parameter(m, "head", WIDTH, 1)));
}

static sparcl_node spmm(model *m) {
    return squared(m, sparcl_graph_spmm(m->graph, m->x, parameter(m, "w", COLS, 1)));
}
static sparcl_node spmm_vector(model *m) {
    return squared(m, sparcl_graph_spmm(m->graph, m->x, parameter(m, "w", COLS, 0)));
}
static sparcl_node hidden(model *m) {
    return sparcl_graph_spmm(m->graph, m->x, parameter(m, "w", COLS, WIDTH));
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
    const sparcl_node h = sparcl_graph_add(
        m->graph, hidden(m), sparcl_graph_spmm(m->graph, m->x, parameter(m, "v", COLS, WIDTH)));
    return squared_head(m, h);
}
static sparcl_node add_bias(model *m) {
    return squared_head(m, sparcl_graph_add_bias(m->graph, hidden(m), parameter(m, "b", WIDTH, 0)));
}
static sparcl_node activated(model *m, sparcl_activation kind) {
    return squared_head(m, sparcl_graph_activate(m->graph, kind, hidden(m)));
}
static sparcl_node relu(model *m) {
    return activated(m, SPARCL_ACTIVATION_RELU);
}
static sparcl_node sigmoid(model *m) {
    return activated(m, SPARCL_ACTIVATION_SIGMOID);
}
static sparcl_node hyperbolic(model *m) {
    return activated(m, SPARCL_ACTIVATION_TANH);
}
static sparcl_node table(model *m) {
    return parameter(m, "table", COLS, WIDTH);
}
static sparcl_node gather(model *m) {
    const sparcl_node h = sparcl_graph_gather(m->graph, table(m), m->per_row);
    return squared_head(m, sparcl_graph_activate(m->graph, SPARCL_ACTIVATION_TANH, h));
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
/* The matrix x with values that depend on a parameter. */
static sparcl_node weighted(model *m) {
    const sparcl_node v = sparcl_graph_gather(m->graph, parameter(m, "edge", COLS, 0),
                                              sparcl_graph_columns(m->graph, m->x));
    const sparcl_node curved = sparcl_graph_activate(m->graph, SPARCL_ACTIVATION_TANH, v);
    return sparcl_graph_with_values(m->graph, m->x, curved);
}
/* The values of a matrix with two readers. */
static sparcl_node values(model *m) {
    const sparcl_node a = weighted(m);
    const sparcl_node v = sparcl_graph_add(m->graph, sparcl_graph_values(m->graph, a),
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
    const sparcl_node b = sparcl_graph_add_bias(m->graph, e, parameter(m, "b", WIDTH, 0));
    return squared_head(
        m, sparcl_graph_bag(m->graph, m->x,
                            sparcl_graph_activate(m->graph, SPARCL_ACTIVATION_TANH, b)));
}
/* A table with three readers of rows: their rows are one row-sparse gradient. */
static sparcl_node readers_of_rows(model *m) {
    const sparcl_node t = table(m);
    const sparcl_node both =
        sparcl_graph_add(m->graph, sparcl_graph_gather(m->graph, t, m->per_row),
                         sparcl_graph_spmm(m->graph, m->x, t));
    const sparcl_node loss = squared_head(m, both);
    const sparcl_node more = sparcl_graph_sum(
        m->graph, product(m, sparcl_graph_gather(m->graph, t, m->list), m->parameters[1]));
    return sparcl_graph_add(m->graph, loss, more);
}
/* A table that is read as a whole, too: its gradient is dense. */
static sparcl_node readers_of_all(model *m) {
    const sparcl_node t = table(m), v = parameter(m, "v", WIDTH, WIDTH);
    const sparcl_node e = sparcl_graph_add(m->graph, product(m, t, v), t);
    const sparcl_node h = sparcl_graph_add(m->graph, sparcl_graph_gather(m->graph, e, m->per_row),
                                           sparcl_graph_gather(m->graph, t, m->per_row));
    return squared_head(m, h);
}
static sparcl_node to_dense(model *m) {
    const sparcl_node e =
        sparcl_graph_add(m->graph, table(m), sparcl_graph_to_dense(m->graph, m->sparse));
    return squared_head(m, sparcl_graph_spmm(m->graph, m->x, e));
}
static sparcl_node logistic(model *m) {
    return sparcl_graph_mean(
        m->graph,
        sparcl_graph_loss(m->graph, SPARCL_LOSS_LOGISTIC,
                          sparcl_graph_spmm(m->graph, m->x, parameter(m, "w", COLS, 1)), m->y));
}
static sparcl_node softmax(model *m) {
    const sparcl_node scores =
        sparcl_graph_add_bias(m->graph, hidden(m), parameter(m, "b", WIDTH, 0));
    return sparcl_graph_mean(m->graph,
                             sparcl_graph_loss(m->graph, SPARCL_LOSS_SOFTMAX, scores, m->y));
}
/* Losses that are summed twice. */
static sparcl_node sums_of_losses(model *m) {
    const sparcl_node losses =
        sparcl_graph_loss(m->graph, SPARCL_LOSS_SQUARED,
                          sparcl_graph_spmm(m->graph, m->x, parameter(m, "w", COLS, 1)), m->y);
    return sparcl_graph_add(m->graph, sparcl_graph_sum(m->graph, losses),
                            sparcl_graph_mean(m->graph, losses));
}
/* The sum of the sums of columns, of something else than losses. */
static sparcl_node sum(model *m) {
    const sparcl_node h = sparcl_graph_activate(m->graph, SPARCL_ACTIVATION_TANH, hidden(m));
    const sparcl_node columns = sparcl_graph_sum(m->graph, h);
    return sparcl_graph_sum(m->graph,
                            sparcl_graph_activate(m->graph, SPARCL_ACTIVATION_TANH, columns));
}
static sparcl_node mean(model *m) {
    const sparcl_node scores = sparcl_graph_spmm(m->graph, m->x, parameter(m, "w", COLS, 0));
    const sparcl_node b = parameter(m, "b", 1, 0);
    const sparcl_node s = sparcl_graph_add_bias(m->graph, scores, b);
    const sparcl_node r = sparcl_graph_activate(m->graph, SPARCL_ACTIVATION_TANH, s);
    return sparcl_graph_add(m->graph, sparcl_graph_mean(m->graph, r), b);
}

/* The operation that a model is for, and whether it has functions that are curved or kinked, so
 * that differences have an error of their own. */
static const struct {
    const char *operation;
    sparcl_node (*build)(model *m);
    enum { QUADRATIC, CURVED, KINKED } kind;
} cases[] = {
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
    {"add", add, QUADRATIC},
    {"add_bias", add_bias, QUADRATIC},
    {"activate", relu, KINKED},
    {"activate", sigmoid, CURVED},
    {"activate", hyperbolic, CURVED},
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
    {"loss", softmax, CURVED},
    {"loss", sums_of_losses, QUADRATIC},
    {"sum", sum, CURVED},
    {"mean", mean, CURVED},
};

enum { CASES = sizeof cases / sizeof cases[0] };

/* --- inputs ----------------------------------------------------------------------------------- */

typedef struct inputs {
    spec_matrix matrix;
    sparcl_csr x;
    sparcl_dense y;
    sparcl_list list, per_row;
    sparcl_rows sparse;
} inputs;

static sparcl_dense put_table(sparcl_ctx *ctx, int64_t rows, int64_t cols, sparcl_dtype dtype,
                              int seed) {
    sparcl_dense to = {.rank = cols ? 2 : 1, .dtype = dtype, .shape = {rows, cols}};
    const int64_t count = rows * (cols ? cols : 1);
    double *const values = must_have(calloc((size_t)count + 1, sizeof *values));
    for (int64_t k = 0; k < count; ++k)
        values[k] = (double)((k + seed) * 37 % 19 - 9) / 32;
    assert_ok(ctx, spec_put_reals(ctx, &to.values, values, count, dtype));
    free(values);
    return to;
}

static sparcl_list put_list(sparcl_ctx *ctx, int64_t count, sparcl_itype type, int seed) {
    sparcl_list list = {.limit = COLS, .count = count, .index_type = type};
    int64_t indices[INDICES];
    for (int64_t i = 0; i < count; ++i)
        indices[i] = (i * 7 + seed) % COLS;
    list.indices = put_ints(ctx, indices, count, type);
    assert_ok(ctx, sparcl_list_validate(ctx, &list, SPARCL_VALID));
    return list;
}

static inputs make_inputs(sparcl_ctx *ctx, sparcl_dtype dtype, sparcl_itype type, int classes) {
    inputs in = {.y = {.rank = 1, .dtype = dtype, .shape = {ROWS}}};
    double labels[ROWS];
    const int64_t ids[] = {3, 17, 3};
    assert_true(spec_matrix_make(&in.matrix, SPEC_UNIFORM, ROWS, COLS, ENTRIES, 3));
    assert_ok(ctx, spec_put_csr(ctx, &in.x, &in.matrix, dtype, type, type));
    for (int64_t i = 0; i < ROWS; ++i)
        labels[i] = (double)(i * 7 % classes);
    assert_ok(ctx, spec_put_reals(ctx, &in.y.values, labels, ROWS, dtype));
    in.list = put_list(ctx, INDICES, type, 2);
    in.per_row = put_list(ctx, ROWS, SPARCL_I32, 5);
    const sparcl_dense values = put_table(ctx, 3, WIDTH, dtype, 8);
    in.sparse = (sparcl_rows){.rank = 2,
                              .dtype = dtype,
                              .index_type = type,
                              .shape = {COLS, WIDTH},
                              .nnr = 3,
                              .indices = put_ints(ctx, ids, 3, type),
                              .values = values.values};
    assert_ok(ctx, sparcl_rows_validate(ctx, &in.sparse, SPARCL_VALID));
    return in;
}

static void free_inputs(inputs *in) {
    spec_matrix_free(&in->matrix);
    sparcl_csr_free(&in->x);
    sparcl_dense_free(&in->y);
    sparcl_list_free(&in->list);
    sparcl_list_free(&in->per_row);
    sparcl_rows_free(&in->sparse);
}

/* --- differences ------------------------------------------------------------------------------ */

static model make_model(sparcl_ctx *ctx, int i, sparcl_dtype dtype) {
    model m = {.count = 0};
    const int64_t shape[] = {COLS, WIDTH};
    assert_ok(ctx, sparcl_graph_create(ctx, &m.graph));
    sparcl_graph_set_dtype(m.graph, dtype);
    m.rows = sparcl_graph_dim(m.graph, "rows", ROWS + 3);
    m.entries = sparcl_graph_dim(m.graph, "entries", ENTRIES + 5);
    m.indices = sparcl_graph_dim(m.graph, "indices", INDICES + 2);
    m.x = sparcl_graph_csr(m.graph, "x", m.rows, COLS, m.entries);
    m.y = sparcl_graph_dense(m.graph, "y", 1, &m.rows);
    m.list = sparcl_graph_list(m.graph, "list", m.indices, COLS);
    m.per_row = sparcl_graph_list(m.graph, "per_row", m.rows, COLS);
    m.sparse = sparcl_graph_rows(m.graph, "sparse", 2, shape, 3);
    m.result = cases[i].build(&m);
    sparcl_graph_output(m.graph, m.result);
    assert_ok(ctx, sparcl_graph_backward(m.graph, m.result));
    for (int p = 0; p < m.count; ++p)
        sparcl_graph_output(m.graph, sparcl_graph_gradient(m.graph, m.parameters[p]));
    return m;
}

static void bind_inputs(sparcl_ctx *ctx, const model *m, const inputs *in) {
    assert_ok(ctx, sparcl_graph_bind_csr(m->graph, m->x, &in->x));
    assert_ok(ctx, sparcl_graph_bind_dense(m->graph, m->y, &in->y));
    assert_ok(ctx, sparcl_graph_bind_list(m->graph, m->list, &in->list));
    assert_ok(ctx, sparcl_graph_bind_list(m->graph, m->per_row, &in->per_row));
    assert_ok(ctx, sparcl_graph_bind_rows(m->graph, m->sparse, &in->sparse));
}

static double result_of(sparcl_ctx *ctx, const model *m) {
    sparcl_dense value;
    double result = 0;
    assert_ok(ctx, sparcl_graph_forward(m->graph));
    assert_ok(ctx, sparcl_graph_value(m->graph, m->result, &value));
    assert_ok(ctx, spec_get_reals(ctx, value.values, value.values_at, 1, value.dtype, &result));
    return result;
}

static void put_parameters(sparcl_ctx *ctx, const model *m) {
    for (int p = 0; p < m->count; ++p) {
        sparcl_dense to;
        assert_ok(ctx, sparcl_graph_value(m->graph, m->parameters[p], &to));
        sparcl_dense from =
            put_table(ctx, to.shape[0], to.rank == 2 ? to.shape[1] : 0, to.dtype, 11 * p);
        assert_ok(
            ctx, sparcl_buf_copy(ctx, to.values, 0, from.values, 0, sparcl_buf_bytes(from.values)));
        sparcl_dense_free(&from);
    }
}

/* A gradient as a dense array on the host. */
static double *read_gradient(sparcl_ctx *ctx, const model *m, int p, int64_t count) {
    const sparcl_node node = sparcl_graph_gradient(m->graph, m->parameters[p]);
    double *const all = must_have(calloc((size_t)count + 1, sizeof *all));
    sparcl_dense dense;
    sparcl_rows rows;
    int64_t ids[COLS * 3], stored = 0;
    double values[COLS * 3 * WIDTH];
    if (sparcl_graph_value(m->graph, node, &dense) == SPARCL_OK) {
        assert_ok(ctx, spec_get_reals(ctx, dense.values, dense.values_at, count, dense.dtype, all));
        return all;
    }
    assert_ok(ctx, sparcl_graph_rows_value(m->graph, node, &rows));
    const int64_t width = rows.rank == 2 ? rows.shape[1] : 1;
    stored = int_at(ctx, rows.count, rows.count_at);
    assert_in_range(stored, 1, COLS);
    assert_ok(ctx, spec_get_ints(ctx, rows.indices, rows.indices_at, stored, rows.index_type, ids));
    assert_ok(ctx,
              spec_get_reals(ctx, rows.values, rows.values_at, stored * width, rows.dtype, values));
    for (int64_t k = 0; k < stored; ++k) {
        assert_true(k == 0 || ids[k] > ids[k - 1]);
        memcpy(all + ids[k] * width, values + k * width, (size_t)width * sizeof *all);
    }
    return all;
}

/* The central difference by element k of a parameter. */
static double difference(sparcl_ctx *ctx, const model *m, int p, int64_t k) {
    sparcl_dense w;
    double at[2], old = 0;
    assert_ok(ctx, sparcl_graph_value(m->graph, m->parameters[p], &w));
    const double h = w.dtype == SPARCL_F64 ? ldexp(1, -17) : ldexp(1, -7);
    assert_ok(ctx, spec_get_reals(ctx, w.values, k, 1, w.dtype, &old));
    for (int side = 0; side < 3; ++side) {
        const double x = side == 2 ? old : side ? old + h : old - h;
        const float narrow = (float)x;
        const int64_t size = (int64_t)sparcl_dtype_size(w.dtype);
        assert_ok(ctx, sparcl_buf_write(ctx, w.values, k * size, size,
                                        w.dtype == SPARCL_F64 ? (const void *)&x : &narrow));
        if (side < 2) at[side] = result_of(ctx, m);
    }
    return (at[1] - at[0]) / (2 * h);
}

/* A central difference of a quadratic function has no error but rounding; of a curved one it has
 * one of h^2, and it is wrong where a step crosses a kink. */
static double tolerance(int i, sparcl_dtype dtype, double result, double value) {
    static const double factors[] = {[QUADRATIC] = 1, [CURVED] = 4, [KINKED] = 100};
    if (dtype == SPARCL_F64) return 1e-10 + 1e-9 * fabs(value);
    return factors[cases[i].kind] * (2e-5 * fmax(1, fabs(result)) + 1e-4 * fabs(value));
}

static double check_parameter(sparcl_ctx *ctx, const model *m, int i, int p, sparcl_dtype dtype,
                              const double *gradient, int64_t count) {
    const double result = result_of(ctx, m);
    double worst = 0;
    int64_t nonzero = 0;
    for (int64_t k = 0; k < count; ++k) {
        const double expected = difference(ctx, m, p, k);
        const double off = fabs(gradient[k] - expected) / tolerance(i, dtype, result, expected);
        if (!(off <= 1))
            fail_msg("case %d (%s), element %lld of parameter %d: gradient %.12g, difference %.12g",
                     i, cases[i].operation, (long long)k, p, gradient[k], expected);
        if (off > worst) worst = off;
        nonzero += gradient[k] != 0;
    }
    assert_true(nonzero > count / 3);
    return worst;
}

static double check_case(sparcl_ctx *ctx, int i, sparcl_dtype dtype, sparcl_itype type) {
    model m = make_model(ctx, i, dtype);
    inputs in = make_inputs(ctx, dtype, type, cases[i].build == softmax ? WIDTH : 2);
    double *gradients[PARAMETERS] = {NULL}, worst = 0;
    int64_t counts[PARAMETERS];
    put_parameters(ctx, &m);
    bind_inputs(ctx, &m, &in);
    assert_ok(ctx, sparcl_graph_step(m.graph));
    for (int p = 0; p < m.count; ++p) {
        sparcl_dense w;
        assert_ok(ctx, sparcl_graph_value(m.graph, m.parameters[p], &w));
        counts[p] = w.shape[0] * (w.rank == 2 ? w.shape[1] : 1);
        gradients[p] = read_gradient(ctx, &m, p, counts[p]);
    }
    put_parameters(ctx, &m); /* back to where the gradient was taken */
    for (int p = 0; p < m.count; ++p) {
        worst = fmax(worst, check_parameter(ctx, &m, i, p, dtype, gradients[p], counts[p]));
        free(gradients[p]);
    }
    free_inputs(&in);
    sparcl_graph_free(m.graph);
    return worst;
}

static void gradients_equal_differences(void **state) {
    for (int i = 0; i < CASES; ++i)
        print_message("%-10s float32: %.3f of the bound\n", cases[i].operation,
                      check_case(*state, i, SPARCL_F32, i % 2 ? SPARCL_I64 : SPARCL_I32));
}

static void gradients_equal_differences_in_f64(void **state) {
    if (!sparcl_ctx_device(*state)->has_f64) skip();
    for (int i = 0; i < CASES; ++i)
        print_message("%-10s float64: %.3f of the bound\n", cases[i].operation,
                      check_case(*state, i, SPARCL_F64, i % 2 ? SPARCL_I32 : SPARCL_I64));
}

static void every_operation_has_a_case(void **state) {
    const sparcl_operation_info *op = NULL;
    (void)state;
    for (int i = 0; (op = sparcl_graph_operation(i)); ++i) {
        bool found = !op->gradients; /* an operation of gradients only */
        for (int k = 0; k < CASES; ++k)
            found |= strcmp(cases[k].operation, op->name) == 0;
        if (!found) fail_msg("%s has no case", op->name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_equal_differences),
        cmocka_unit_test(gradients_equal_differences_in_f64),
        cmocka_unit_test(every_operation_has_a_case),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
