/* test_graph.c: what graph.h refuses, by name. */
#include "graph_test.h"
#include "sparcl/graph_operations.h"
#include "sparcl/ops.h"
#include "sparcl/optim.h"
#include "sparcl/optim_text.h"
#include "sparcl/plan.h"

/* --- refusals --------------------------------------------------------------------------------- */

static void the_first_error_stays(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_optim optim;
    sparcl_graph *g = NULL;
    const int64_t shape[] = {COLS + 1, 2};
    sparcl_optim_init(&optim, SPARCL_RULE_ADAM);
    assert_ok(ctx, sparcl_graph_create(ctx, &g));
    const sparcl_node x = sparcl_graph_csr(g, "clicks", ROWS, COLS, ENTRIES);
    const sparcl_node w = sparcl_graph_parameter(g, "weights", 2, shape, &optim);
    const sparcl_node scores = sparcl_graph_spmm(g, x, w);
    assert_int_equal(scores, SPARCL_NO_NODE);
    assert_int_equal(sparcl_graph_sum(g, scores), SPARCL_NO_NODE);
    assert_int_equal(sparcl_graph_dense(g, NULL, 1, shape), SPARCL_NO_NODE);
    static const char expected[] =
        "graph: spmm (node 2): clicks has 30 columns, weights has 31 rows, expected as many";
    assert_refused(ctx, sparcl_graph_forward(g), SPARCL_E_SHAPE, expected);
    assert_refused(ctx, sparcl_graph_step(g), SPARCL_E_SHAPE, expected);
    sparcl_graph_free(g);
}

static void wrong_inputs_are_refused_by_name(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_optim optim;
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    linear m = make_linear(ctx, SPARCL_LOSS_LOGISTIC, 1, &optim);
    batch b = make_batch(ctx, ROWS, ENTRIES, 2, 3), less = make_batch(ctx, ROWS - 1, 9, 2, 3);
    sparcl_dense value, wide = b.y;
    sparcl_csr narrow = b.x;
    sparcl_graph *const g = m.graph;
    sparcl_graph_output(g, m.mean);
    assert_refused(ctx, sparcl_graph_step(g), SPARCL_E_ARG, "sparcl_graph_backward");
    assert_refused(ctx, sparcl_graph_forward(g), SPARCL_E_ARG, "graph: x: the input is not bound");
    wide.shape[0] = ROWS + 1;
    narrow.cols = COLS - 1;
    assert_refused(ctx, sparcl_graph_bind_dense(g, m.y, &wide), SPARCL_E_SHAPE,
                   "graph: y: rows is 41, expected 0 to 40 (rows)");
    assert_refused(ctx, sparcl_graph_bind_csr(g, m.x, &narrow), SPARCL_E_SHAPE,
                   "graph: x: columns is 29, expected 30");
    assert_refused(ctx, sparcl_graph_bind_csr(g, m.y, &b.x), SPARCL_E_ARG, "is not a CSR input");
    assert_refused(ctx, sparcl_graph_bind_csr(g, 99, &b.x), SPARCL_E_ARG, "node 99, expected 0 to");
    assert_refused(ctx, sparcl_graph_bind_dense(g, m.w, &b.y), SPARCL_E_ARG, "not a dense input");
    assert_ok(ctx, sparcl_graph_bind_csr(g, m.x, &b.x));
    assert_ok(ctx, sparcl_graph_bind_dense(g, m.y, &less.y));
    assert_refused(ctx, sparcl_graph_forward(g), SPARCL_E_SHAPE,
                   "graph: y: rows is 39, but 40 in x");
    bind(ctx, g, m.x, m.y, &less);
    assert_refused(ctx, sparcl_graph_value(g, m.mean, &value), SPARCL_E_ARG, "not an output");
    assert_ok(ctx, sparcl_graph_forward(g));
    assert_ok(ctx, sparcl_graph_value(g, m.mean, &value));
    assert_refused(ctx, sparcl_graph_value(g, m.losses, &value), SPARCL_E_ARG, "not an output");
    assert_null(value.values);
    free_batch(&b);
    free_batch(&less);
    sparcl_graph_free(g);
}

/* One step with the caller's pattern, or with that of the graph. */
static void step_once(sparcl_ctx *ctx, const batch *b, sparcl_pattern *pattern, float *weights) {
    linear m = make_biased(ctx, SPARCL_LOSS_LOGISTIC, 1, SPARCL_RULE_ADAGRAD);
    bind(ctx, m.graph, m.x, m.y, b);
    if (pattern) assert_ok(ctx, sparcl_graph_bind_pattern(m.graph, m.x, pattern));
    assert_ok(ctx, sparcl_graph_step(m.graph));
    read_value(ctx, m.graph, m.w, weights);
    sparcl_graph_free(m.graph);
}

static void a_pattern_is_bound_after_its_matrix(void **state) {
    sparcl_ctx *ctx = *state;
    linear m = make_biased(ctx, SPARCL_LOSS_LOGISTIC, 1, SPARCL_RULE_ADAGRAD);
    batch b = make_batch(ctx, ROWS, ENTRIES, 2, 3), other = make_batch(ctx, ROWS, ENTRIES, 2, 4);
    sparcl_pattern *pattern = NULL;
    float own[COLS], bound[COLS];
    assert_ok(ctx, sparcl_pattern_create(ctx, &pattern));
    assert_ok(ctx, sparcl_pattern_build(ctx, pattern, &b.x));
    assert_refused(ctx, sparcl_graph_bind_pattern(m.graph, m.x, pattern), SPARCL_E_ARG,
                   "bind the matrix first");
    assert_refused(ctx, sparcl_graph_bind_pattern(m.graph, m.y, pattern), SPARCL_E_ARG,
                   "is not a CSR input");
    assert_ok(ctx, sparcl_graph_bind_csr(m.graph, m.x, &other.x));
    assert_refused(ctx, sparcl_graph_bind_pattern(m.graph, m.x, pattern), SPARCL_E_ARG,
                   "the pattern is not that of A as it is now");
    step_once(ctx, &b, NULL, own);
    step_once(ctx, &b, pattern, bound);
    assert_memory_equal(own, bound, sizeof own);
    /* it ends with the next matrix */
    assert_ok(ctx, sparcl_graph_bind_csr(m.graph, m.x, &b.x));
    assert_ok(ctx, sparcl_graph_bind_pattern(m.graph, m.x, pattern));
    bind(ctx, m.graph, m.x, m.y, &other);
    sparcl_pattern_free(pattern);
    assert_ok(ctx, sparcl_graph_step(m.graph));
    read_value(ctx, m.graph, m.w, bound);
    step_once(ctx, &other, NULL, own);
    assert_memory_equal(own, bound, sizeof own);
    free_batch(&b);
    free_batch(&other);
    sparcl_graph_free(m.graph);
}

static void gradients_need_one_element_and_a_parameter(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_optim optim;
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    linear m = make_linear(ctx, SPARCL_LOSS_LOGISTIC, 1, &optim);
    assert_refused(ctx, sparcl_graph_backward(m.graph, m.losses), SPARCL_E_SHAPE, "one element");
    sparcl_graph_free(m.graph);
    m = make_linear(ctx, SPARCL_LOSS_LOGISTIC, 1, &optim);
    assert_refused(ctx, sparcl_graph_backward(m.graph, sparcl_graph_sum(m.graph, m.y)),
                   SPARCL_E_ARG, "depends on no parameter");
    sparcl_graph_free(m.graph);
    m = make_linear(ctx, SPARCL_LOSS_LOGISTIC, 1, &optim);
    assert_ok(ctx, sparcl_graph_backward(m.graph, m.mean));
    assert_refused(ctx, sparcl_graph_backward(m.graph, m.mean), SPARCL_E_ARG, "already");
    sparcl_graph_free(m.graph);
    m = make_linear(ctx, SPARCL_LOSS_LOGISTIC, 2, &optim);
    assert_int_equal(m.losses, SPARCL_NO_NODE);
    assert_refused(ctx, sparcl_graph_forward(m.graph), SPARCL_E_SHAPE, "expected 1 for this loss");
    sparcl_graph_free(m.graph);
}

static void a_dimension_may_be_reserved_later(void **state) {
    sparcl_ctx *ctx = *state;
    linear m = make_biased(ctx, SPARCL_LOSS_SQUARED, 1, SPARCL_RULE_ADAM);
    batch b = make_batch(ctx, ROWS, ENTRIES + 50, 2, 6);
    assert_refused(ctx, sparcl_graph_bind_csr(m.graph, m.x, &b.x), SPARCL_E_SHAPE,
                   "graph: x: entries is 250, expected 0 to 200 (entries)");
    assert_refused(ctx, sparcl_graph_reserve(m.graph, 5, 9), SPARCL_E_ARG, "5 is no dimension");
    assert_refused(ctx, sparcl_graph_reserve(m.graph, -9, 9), SPARCL_E_ARG, "-9 is no dimension");
    assert_ok(ctx, sparcl_graph_reserve(m.graph, m.entries, ENTRIES + 50));
    bind(ctx, m.graph, m.x, m.y, &b);
    assert_ok(ctx, sparcl_graph_step(m.graph));
    free_batch(&b);
    sparcl_graph_free(m.graph);
}

/* As a reader of the shapes expects. */
static void a_name_is_one_dimension(void **state) {
    sparcl_ctx *ctx = *state;
    static const char longest[] = "entries of an input that has the longest of names";
    sparcl_graph *g = NULL;
    assert_ok(ctx, sparcl_graph_create(ctx, &g));
    const int64_t rows = sparcl_graph_dim(g, "rows", 2);
    assert_int_equal(sparcl_graph_dim(g, "rows", ROWS), rows);
    assert_int_not_equal(sparcl_graph_dim(g, "row", ROWS), rows);
    const int64_t cut = sparcl_graph_dim(g, longest, 1);
    assert_int_not_equal(sparcl_graph_dim(g, longest, 1), cut);
    const int64_t shape[] = {rows}, other[] = {sparcl_graph_dim(g, "rows", 1)};
    const sparcl_node x = sparcl_graph_dense(g, "x", 1, shape);
    const sparcl_node y = sparcl_graph_dense(g, "y", 1, other);
    sparcl_graph_output(g, sparcl_graph_binary(g, SPARCL_BINARY_ADD, x, y));
    assert_ok(ctx, sparcl_graph_take_error(g));
    sparcl_graph_free(g);
}

/* Each on a graph of its own, because the first error stays. */
static void operations_check_their_operands(void **state) {
    sparcl_ctx *ctx = *state;
    enum { X, ROW, MATRIX, OTHER, NODES };
    static const struct {
        int op, a, b;
        sparcl_status status;
        const char *part;
    } cases[] = {
        {'s', MATRIX, MATRIX, SPARCL_E_ARG, "matrix is dense, expected a CSR matrix"},
        {'s', X, X, SPARCL_E_ARG, "x is a CSR matrix, expected dense"},
        {'g', ROW, MATRIX, SPARCL_E_SHAPE, "row has rank 1, expected 2"},
        {'g', MATRIX, MATRIX, SPARCL_E_SHAPE, "matrix has 3 columns, matrix has 30 rows"},
        {'+', MATRIX, OTHER, SPARCL_E_SHAPE, "other is not of the shape of matrix, a row of it"},
        {'+', OTHER, ROW, SPARCL_E_SHAPE, "row is not of the shape of other, a row of it"},
        {'+', ROW, MATRIX, SPARCL_E_SHAPE, "matrix is not of the shape of row"},
        {'m', MATRIX, 0, SPARCL_E_SHAPE, "matrix has rank 2, expected 1"},
        {'+', MATRIX, X, SPARCL_E_ARG, "x is a CSR matrix, expected dense"},
        {'l', MATRIX, ROW, SPARCL_E_SHAPE, "matrix has 30 rows, row has 3 rows"},
        {'m', 77, 0, SPARCL_E_ARG, "operand 0 is node 77, expected 0 to 3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const int64_t row[] = {3}, matrix[] = {COLS, 3}, other[] = {COLS, 4};
        const sparcl_node a = cases[i].a, b = cases[i].b;
        sparcl_graph *g = NULL;
        assert_ok(ctx, sparcl_graph_create(ctx, &g));
        assert_int_equal(sparcl_graph_csr(g, "x", ROWS, COLS, ENTRIES), X);
        assert_int_equal(sparcl_graph_dense(g, "row", 1, row), ROW);
        assert_int_equal(sparcl_graph_dense(g, "matrix", 2, matrix), MATRIX);
        assert_int_equal(sparcl_graph_dense(g, "other", 2, other), OTHER);
        const sparcl_node made =
            cases[i].op == 's'   ? sparcl_graph_spmm(g, a, b)
            : cases[i].op == 'g' ? sparcl_graph_gemm(g, SPARCL_OP_N, a, SPARCL_OP_N, b)
            : cases[i].op == '+' ? sparcl_graph_binary(g, SPARCL_BINARY_ADD, a, b)
            : cases[i].op == 'm' ? sparcl_graph_mean(g, a)
                                 : sparcl_graph_loss(g, SPARCL_LOSS_SQUARED, a, b);
        assert_int_equal(made, SPARCL_NO_NODE);
        assert_refused(ctx, sparcl_graph_forward(g), cases[i].status, cases[i].part);
        sparcl_graph_free(g);
    }
}

/* What would make a CSR matrix dense, and other operands of the element-wise operations. */
static void element_wise_operations_check_their_operands(void **state) {
    sparcl_ctx *ctx = *state;
    for (int i = 0; i < 8; ++i) {
        static const struct {
            sparcl_status status;
            const char *part;
        } expected[] = {
            {SPARCL_E_ARG, "exp of 0 is not 0, so the result of a sparse array would be"},
            {SPARCL_E_ARG, "the function is 29, which is unknown"},
            {SPARCL_E_ARG, "expected low <= 0 <= high for a sparse array"},
            {SPARCL_E_ARG, "low is 2 and high 1, expected low <= high"},
            {SPARCL_E_SHAPE, "row is not of the shape of matrix, a row of it"},
            {SPARCL_E_ARG, "convert it first (sparcl_csr_to_dense)"},
            {SPARCL_E_ARG, "the axis is 2, expected 0 or 1"},
            {SPARCL_E_SHAPE, "x has rows rows, row has 4 elements"}};
        const int64_t row[] = {4}, matrix[] = {COLS, 3};
        sparcl_graph *g = NULL;
        assert_ok(ctx, sparcl_graph_create(ctx, &g));
        const int64_t rows = sparcl_graph_dim(g, "rows", ROWS);
        const sparcl_node x = sparcl_graph_csr(g, "x", rows, COLS, ENTRIES);
        const sparcl_node v = sparcl_graph_dense(g, "row", 1, row);
        const sparcl_node m = sparcl_graph_dense(g, "matrix", 2, matrix);
        const sparcl_node made =
            i == 0   ? sparcl_graph_unary(g, SPARCL_UNARY_EXP, x)
            : i == 1 ? sparcl_graph_unary(g, (sparcl_unary_op)29, m)
            : i == 2 ? sparcl_graph_clip(g, x, 1, 2)
            : i == 3 ? sparcl_graph_clip(g, m, 2, 1)
            : i == 4
                ? sparcl_graph_binary(g, SPARCL_BINARY_ADD, m, v)
                : sparcl_graph_csr_broadcast(g, i == 5 ? SPARCL_BINARY_ADD : SPARCL_BINARY_MULTIPLY,
                                             x, v, i == 6 ? 2 : 1);
        assert_int_equal(made, SPARCL_NO_NODE);
        assert_refused(ctx, sparcl_graph_forward(g), expected[i].status, expected[i].part);
        sparcl_graph_free(g);
    }
}

static void parameters_have_names_of_their_own(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_optim optim;
    sparcl_graph *g = NULL;
    const int64_t shape[] = {3};
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    assert_ok(ctx, sparcl_graph_create(ctx, &g));
    const sparcl_node w = sparcl_graph_parameter(g, "w", 1, shape, &optim);
    assert_true(sparcl_graph_is_parameter(g, w) && !sparcl_graph_is_parameter(g, 7));
    assert_string_equal(sparcl_graph_node_name(g, w), "w");
    assert_int_equal(sparcl_graph_parameter(g, "w", 1, shape, &optim), SPARCL_NO_NODE);
    assert_refused(ctx, sparcl_graph_forward(g), SPARCL_E_ARG,
                   "graph: w: another parameter has the same name");
    sparcl_graph_free(g);
}

static void an_error_is_taken_and_building_goes_on(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_optim optim;
    sparcl_graph *g = NULL;
    sparcl_dense view;
    const int64_t shape[] = {3}, other[] = {4};
    assert_int_equal(sparcl_graph_take_error(NULL), SPARCL_E_ARG);
    sparcl_optim_init(&optim, SPARCL_RULE_ADAM);
    assert_ok(ctx, sparcl_graph_create(ctx, &g));
    assert_ok(ctx, sparcl_graph_take_error(g));
    const sparcl_node w = sparcl_graph_parameter(g, "w", 1, shape, &optim);
    assert_int_equal(sparcl_graph_parameter(g, "w", 1, other, &optim), SPARCL_NO_NODE);
    assert_int_equal(sparcl_graph_nodes(g), 1);
    assert_refused(ctx, sparcl_graph_take_error(g), SPARCL_E_ARG,
                   "graph: w: another parameter has the same name");
    assert_ok(ctx, sparcl_graph_take_error(g));
    const sparcl_node v = sparcl_graph_parameter(g, "v", 1, other, &optim);
    assert_int_equal(sparcl_graph_binary(g, SPARCL_BINARY_ADD, w, v), SPARCL_NO_NODE);
    assert_refused(ctx, sparcl_graph_take_error(g), SPARCL_E_SHAPE, "v is not of the shape of w");
    const sparcl_node sum = sparcl_graph_sum(g, sparcl_graph_binary(g, SPARCL_BINARY_ADD, w, w));
    sparcl_graph_output(g, sum);
    assert_ok(ctx, sparcl_graph_backward(g, sum));
    assert_ok(ctx, sparcl_graph_step(g));
    assert_ok(ctx, sparcl_graph_value(g, sum, &view));
    assert_int_equal(sparcl_graph_backward(g, sum), SPARCL_E_ARG);
    assert_refused(ctx, sparcl_graph_take_error(g), SPARCL_E_ARG, "has gradients already");
    assert_int_equal(sparcl_graph_binary(g, SPARCL_BINARY_ADD, w, v), SPARCL_NO_NODE);
    assert_refused(ctx, sparcl_graph_take_error(g), SPARCL_E_SHAPE, "v is not of the shape of w");
    assert_ok(ctx, sparcl_graph_step(g));
    sparcl_graph_free(g);
}

static void a_size_that_is_no_dimension_is_refused(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_graph *g = NULL;
    assert_ok(ctx, sparcl_graph_create(ctx, &g));
    for (int64_t size = -1; size > -1000000000; size *= 10) {
        const sparcl_node a = sparcl_graph_csr(g, "a", 2, 3, 4);
        assert_int_equal(sparcl_graph_slice(g, a, 0, 0, size), SPARCL_NO_NODE);
        assert_refused(ctx, sparcl_graph_take_error(g), SPARCL_E_SHAPE, "");
        assert_int_equal(sparcl_graph_reshape(g, a, 2, (const int64_t[]){size, size}),
                         SPARCL_NO_NODE);
        assert_refused(ctx, sparcl_graph_take_error(g), SPARCL_E_SHAPE, "");
        const sparcl_node list = sparcl_graph_list(g, "i", 5, 3);
        assert_int_equal(sparcl_graph_bag_matrix(g, list, list, size, SPARCL_NO_NODE, NULL),
                         SPARCL_NO_NODE);
        assert_refused(ctx, sparcl_graph_take_error(g), SPARCL_E_SHAPE, "");
    }
    sparcl_graph_free(g);
}

static void a_parameter_keeps_its_name(void **state) {
    sparcl_optim optim;
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    linear m = make_linear(*state, SPARCL_LOSS_LOGISTIC, 1, &optim);
    sparcl_graph_name(m.graph, m.w, "layer");
    assert_string_equal(sparcl_graph_node_name(m.graph, m.w), "w");
    sparcl_graph_free(m.graph);
}

static void types_are_checked(void **state) {
    sparcl_ctx *ctx = *state;
    const bool has_f64 = sparcl_ctx_device(ctx)->has_f64;
    const int64_t shape[] = {3};
    sparcl_graph *g = NULL;
    assert_ok(ctx, sparcl_graph_create(ctx, &g));
    const sparcl_node x = sparcl_graph_dense(g, "x", 1, shape);
    sparcl_graph_set_dtype(g, SPARCL_F64);
    const sparcl_node y = sparcl_graph_dense(g, "y", 1, shape);
    assert_int_equal(sparcl_graph_binary(g, SPARCL_BINARY_ADD, x, y), has_f64 ? SPARCL_NO_NODE : 2);
    assert_refused(ctx, sparcl_graph_forward(g), has_f64 ? SPARCL_E_DTYPE : SPARCL_E_UNSUPPORTED,
                   has_f64 ? "x is float32, y is float64, expected one type: cast one "
                             "(sparcl_graph_cast)"
                           : "graph: the type is float64, which");
    sparcl_graph_free(g);
    assert_ok(ctx, sparcl_graph_create(ctx, &g));
    sparcl_graph_set_dtype(g, (sparcl_dtype)7);
    assert_refused(ctx, sparcl_graph_forward(g), SPARCL_E_DTYPE, "the type is 7");
    sparcl_graph_free(g);
    sparcl_graph_set_dtype(NULL, SPARCL_F32);
}

static void graphs_and_names_are_checked(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_graph *g = (sparcl_graph *)ctx;
    const int64_t size = 3;
    char name[49];
    memset(name, 'n', sizeof name - 1);
    name[48] = '\0';
    assert_int_equal(sparcl_graph_create(NULL, &g), SPARCL_E_ARG);
    assert_null(g);
    assert_refused(ctx, sparcl_graph_create(ctx, NULL), SPARCL_E_ARG, "graph is NULL");
    sparcl_graph_free(NULL);
    assert_ok(ctx, sparcl_graph_create(ctx, &g));
    assert_int_equal(sparcl_graph_dense(g, name + 1, 1, &size), 0); /* 47 bytes */
    assert_int_equal(sparcl_graph_nodes(g), 1);
    assert_int_equal(sparcl_graph_dense(g, name, 1, &size), SPARCL_NO_NODE);
    assert_refused(ctx, sparcl_graph_forward(g), SPARCL_E_ARG, "expected at most 47 bytes");
    sparcl_graph_free(g);
}

static void memory_may_be_allocated_before_the_first_run(void **state) {
    sparcl_ctx *ctx = *state;
    linear m = make_biased(ctx, SPARCL_LOSS_LOGISTIC, 1, SPARCL_RULE_ADAM);
    const int64_t before = sparcl_ctx_memory(ctx);
    int64_t bytes = 0;
    assert_ok(ctx, sparcl_graph_memory(m.graph, &bytes, NULL));
    assert_int_equal(sparcl_ctx_memory(ctx), before);
    assert_ok(ctx, sparcl_graph_allocate(m.graph));
    assert_true(bytes > 0);
    assert_int_equal(sparcl_ctx_memory(ctx), before + bytes);
    assert_ok(ctx, sparcl_graph_allocate(m.graph));
    assert_int_equal(sparcl_ctx_memory(ctx), before + bytes);
    sparcl_graph_free(m.graph);
}

/* The third letter of what `node` is: dense, csr, coo or row-sparse. */
static char kind_of(sparcl_ctx *ctx, sparcl_graph *g, sparcl_node node) {
    sparcl_node_info info;
    assert_ok(ctx, sparcl_graph_node_info(g, node, &info));
    return info.kind[2];
}

static void assert_format(sparcl_ctx *ctx, sparcl_graph *g, sparcl_node node, sparcl_format_of of,
                          int count, sparcl_format a, sparcl_format b) {
    const sparcl_format operands[] = {a, b};
    sparcl_format result;
    assert_int_equal(sparcl_result_format(of, operands, count, &result), SPARCL_OK);
    assert_int_equal(kind_of(ctx, g, node), "nr?ow"[result]);
}

/* Results have the formats that sparcl_result_format gives. */
static void nodes_have_the_formats_of_their_operations(void **state) {
    enum {
        D = SPARCL_FORMAT_DENSE,
        C = SPARCL_FORMAT_CSR,
        R = SPARCL_FORMAT_ROWS,
        O = SPARCL_FORMAT_COO
    };
    const int64_t shape[] = {COLS, COLS};
    sparcl_graph *g = NULL;
    assert_ok(*state, sparcl_graph_create(*state, &g));
    const sparcl_node c = sparcl_graph_csr(g, "c", COLS, COLS, 9);
    const sparcl_node d = sparcl_graph_dense(g, "d", 2, shape);
    const sparcl_node r = sparcl_graph_rows(g, "r", 2, shape, 3);
    const sparcl_node o = sparcl_graph_coo(g, "o", 2, shape, 9);
    const sparcl_node list = sparcl_graph_list(g, "list", 4, COLS);
    const sparcl_node rr[] = {r, r}, dr[] = {d, r}, cc[] = {c, c};
    const sparcl_node softmax = sparcl_graph_csr_softmax(g, SPARCL_SOFTMAX, c);
#define FORMAT(of, count, a, b, node)                                                              \
    assert_format(*state, g, (node), SPARCL_FORMAT_OF_##of, count, (sparcl_format)(a),             \
                  (sparcl_format)(b))
    FORMAT(MATMUL, 2, C, D, sparcl_graph_spmm(g, c, d));
    FORMAT(MATMUL, 2, D, C, sparcl_graph_matmul(g, SPARCL_OP_N, d, SPARCL_OP_N, c));
    FORMAT(MATMUL, 2, D, D, sparcl_graph_gemm(g, SPARCL_OP_N, d, SPARCL_OP_N, d));
    FORMAT(MATMUL, 2, C, C, sparcl_graph_spgemm(g, c, c, 9));
    FORMAT(SUM, 2, C, C, sparcl_graph_add(g, 1, c, 1, c));
    FORMAT(SUM, 2, O, O, sparcl_graph_add(g, 1, o, 1, o));
    FORMAT(SUM, 2, D, D, sparcl_graph_binary(g, SPARCL_BINARY_ADD, d, d));
    FORMAT(SUM, 2, R, R, sparcl_graph_add_n(g, rr, 2));
    FORMAT(SUM, 2, D, R, sparcl_graph_add_n(g, dr, 2));
    FORMAT(MULTIPLY, 2, C, C, sparcl_graph_multiply(g, c, c));
    FORMAT(MULTIPLY, 2, O, O, sparcl_graph_multiply(g, o, o));
    FORMAT(MULTIPLY, 2, C, D, sparcl_graph_multiply(g, c, d));
    FORMAT(MULTIPLY, 2, R, R, sparcl_graph_multiply(g, r, r));
    FORMAT(MULTIPLY, 2, R, D, sparcl_graph_multiply(g, r, d));
    FORMAT(BROADCAST, 2, C, D,
           sparcl_graph_csr_broadcast(g, SPARCL_BINARY_MULTIPLY, c, sparcl_graph_sum(g, d), 0));
    FORMAT(ZERO_FUNCTION, 1, C, 0, sparcl_graph_unary(g, SPARCL_UNARY_SIN, c));
    FORMAT(ZERO_FUNCTION, 1, C, 0, sparcl_graph_cast(g, c, SPARCL_F16));
    FORMAT(ZERO_FUNCTION, 1, D, 0, sparcl_graph_cast(g, d, SPARCL_F16));
    FORMAT(ZERO_FUNCTION, 1, R, 0, sparcl_graph_cast(g, r, SPARCL_F16));
    FORMAT(FUNCTION, 1, D, 0, sparcl_graph_unary(g, SPARCL_UNARY_EXP, d));
    FORMAT(REDUCTION, 1, C, 0, sparcl_graph_reduce(g, SPARCL_REDUCE_SUM, SPARCL_OVER_ALL, c, 1));
    FORMAT(REDUCTION, 1, O, 0, sparcl_graph_coo_reduce(g, SPARCL_MAX, o, 0, NULL));
    FORMAT(SOFTMAX, 1, C, 0, sparcl_graph_with_values(g, c, softmax));
    FORMAT(SELECTION, 1, C, 0, sparcl_graph_slice(g, c, 0, 0, 3));
    FORMAT(SELECTION, 2, C, C, sparcl_graph_concat(g, cc, 2, 0));
    FORMAT(SELECTION, 1, O, 0, sparcl_graph_reshape(g, o, 2, shape));
    FORMAT(SELECTION, 1, R, 0, sparcl_graph_rows_retain_stored(g, r, list));
    sparcl_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_parameter_keeps_its_name),
        cmocka_unit_test(a_pattern_is_bound_after_its_matrix),
        cmocka_unit_test(types_are_checked),
        cmocka_unit_test(graphs_and_names_are_checked),
        cmocka_unit_test(memory_may_be_allocated_before_the_first_run),
        cmocka_unit_test(operations_check_their_operands),
        cmocka_unit_test(element_wise_operations_check_their_operands),
        cmocka_unit_test(parameters_have_names_of_their_own),
        cmocka_unit_test(an_error_is_taken_and_building_goes_on),
        cmocka_unit_test(a_size_that_is_no_dimension_is_refused),
        cmocka_unit_test(the_first_error_stays),
        cmocka_unit_test(wrong_inputs_are_refused_by_name),
        cmocka_unit_test(gradients_need_one_element_and_a_parameter),
        cmocka_unit_test(a_dimension_may_be_reserved_later),
        cmocka_unit_test(a_name_is_one_dimension),
        cmocka_unit_test(nodes_have_the_formats_of_their_operations),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
