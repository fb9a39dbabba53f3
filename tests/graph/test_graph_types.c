/* test_graph_types.c: element types in graphs: casts, what is refused, and mixed precision with the
 * bits of plain C. */
#include <math.h>

#include "graph_test.h"
#include "sparcl/optim_text.h"
#include "spec/optim/rule_answer.h"
#include "spec/shared/elementary.h"

static sparcl_dense put_dense(sparcl_ctx *ctx, sparcl_dtype dtype, int64_t count, const double *x) {
    sparcl_dense v = {.rank = 1, .dtype = dtype, .shape = {count}};
    assert_ok(ctx, spec_put_reals(ctx, &v.values, x, count, dtype));
    return v;
}

static void assert_values(sparcl_ctx *ctx, const sparcl_dense *v, sparcl_dtype dtype,
                          const double *expected, int64_t count) {
    double got[ENTRIES];
    assert_int_equal(v->dtype, dtype);
    assert_ok(ctx, spec_get_reals(ctx, v->values, v->values_at, count, dtype, got));
    for (int64_t k = 0; k < count; ++k)
        assert_true(got[k] == expected[k]);
}

static sparcl_graph *make_graph(sparcl_ctx *ctx) {
    sparcl_graph *g = NULL;
    assert_ok(ctx, sparcl_graph_create(ctx, &g));
    return g;
}

/* --- casts ------------------------------------------------------------------------------------ */

static void stored(sparcl_dtype dtype, const double *x, int64_t count, double *to) {
    for (int64_t k = 0; k < count; ++k)
        to[k] = spec_store(dtype, x[k]);
}

static void check_dense_cast(sparcl_ctx *ctx, sparcl_dtype from, sparcl_dtype to) {
    const double x[] = {1.0 / 3, -70000, 0x1.002p0, 1e-6, -0.0};
    const int64_t count = COUNT(x);
    double in[COUNT(x)], expected[COUNT(x)];
    sparcl_graph *const g = make_graph(ctx);
    sparcl_dense value;
    sparcl_graph_set_dtype(g, from);
    const sparcl_node input = sparcl_graph_dense(g, "x", 1, &count);
    const sparcl_node result = sparcl_graph_cast(g, input, to);
    stored(from, x, count, in);
    stored(to, in, count, expected);
    sparcl_dense view = put_dense(ctx, from, count, x);
    assert_true((result == input) == (from == to));
    sparcl_graph_output(g, result);
    assert_ok(ctx, sparcl_graph_bind_dense(g, input, &view));
    assert_ok(ctx, sparcl_graph_forward(g));
    assert_ok(ctx, sparcl_graph_value(g, result, &value));
    assert_values(ctx, &value, to, expected, count);
    sparcl_dense_free(&view);
    sparcl_graph_free(g);
}

static void dense_arrays_are_cast(void **state) {
    static const sparcl_dtype types[] = {SPARCL_F32, SPARCL_F16, SPARCL_BF16, SPARCL_F64};
    const size_t count = sparcl_ctx_device(*state)->has_f64 ? 4 : 3;
    for (size_t from = 0; from < count; ++from)
        for (size_t to = 0; to < count; ++to)
            check_dense_cast(*state, types[from], types[to]);
}

/* The indices of sparse arrays stay where they are. */
static void sparse_arrays_are_cast(void **state) {
    sparcl_ctx *const ctx = *state;
    const int64_t ids[] = {4, 1}, shape[] = {COLS, 2};
    const double rows_of[] = {1.0 / 3, 2, 1e5, -7.1};
    double expected[ENTRIES];
    batch b = make_batch(ctx, ROWS, ENTRIES, 2, 3);
    sparcl_graph *const g = make_graph(ctx);
    sparcl_csr matrix;
    sparcl_rows sparse = {.rank = 2, .shape = {COLS, 2}, .nnr = 2}, rows;
    const sparcl_node a = sparcl_graph_csr(g, "a", ROWS, COLS, ENTRIES);
    const sparcl_node r = sparcl_graph_rows(g, "r", 2, shape, 2);
    const sparcl_node half = sparcl_graph_cast(g, a, SPARCL_F16);
    const sparcl_node bf16 = sparcl_graph_cast(g, r, SPARCL_BF16);
    sparse.indices = put_ints(ctx, ids, 2, SPARCL_INDEX32);
    assert_ok(ctx, spec_put_reals(ctx, &sparse.values, rows_of, 4, SPARCL_F32));
    assert_ok(ctx, sparcl_rows_validate(ctx, &sparse, SPARCL_VALID));
    assert_int_equal(sparcl_graph_cast(g, a, SPARCL_F32), a);
    sparcl_graph_output(g, half);
    sparcl_graph_output(g, bf16);
    assert_ok(ctx, sparcl_graph_bind_csr(g, a, &b.x));
    assert_ok(ctx, sparcl_graph_bind_rows(g, r, &sparse));
    assert_ok(ctx, sparcl_graph_forward(g));
    assert_ok(ctx, sparcl_graph_csr_value(g, half, &matrix));
    assert_ok(ctx, sparcl_graph_rows_value(g, bf16, &rows));
    assert_ptr_equal(matrix.indices, b.x.indices);
    assert_ptr_equal(matrix.offsets, b.x.offsets);
    assert_ptr_equal(rows.indices, sparse.indices);
    const sparcl_dense of_matrix = {
        .dtype = matrix.dtype, .values = matrix.values, .values_at = matrix.values_at};
    const sparcl_dense of_rows = {
        .dtype = rows.dtype, .values = rows.values, .values_at = rows.values_at};
    stored(SPARCL_F16, b.matrix.values, ENTRIES, expected);
    assert_values(ctx, &of_matrix, SPARCL_F16, expected, ENTRIES);
    stored(SPARCL_BF16, rows_of, 4, expected);
    assert_values(ctx, &of_rows, SPARCL_BF16, expected, 4);
    sparcl_rows_free(&sparse);
    free_batch(&b);
    sparcl_graph_free(g);
}

/* Where an F16 value has two readers, their gradients are added in F16: 1 + 3 * 2^-12, which F32
 * has, becomes 1 + 2^-10. */
static void gradients_are_added_in_the_type_of_their_value(void **state) {
    sparcl_ctx *const ctx = *state;
    const int64_t one = 1;
    const double factors[] = {1, 0x3p-12}, zero = 0, sum = 1 + 0x1p-10;
    sparcl_node in[2], terms[2];
    sparcl_dense views[2], value;
    sparcl_optim optim;
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    sparcl_graph *const g = make_graph(ctx);
    const sparcl_node w = sparcl_graph_parameter(g, "w", 1, &one, &optim);
    const sparcl_node h = sparcl_graph_cast(g, w, SPARCL_F16);
    sparcl_graph_set_dtype(g, SPARCL_F16);
    for (int i = 0; i < 2; ++i) {
        in[i] = sparcl_graph_dense(g, i ? "b" : "a", 1, &one);
        terms[i] = sparcl_graph_binary(g, SPARCL_BINARY_MULTIPLY, h, in[i]);
        views[i] = put_dense(ctx, SPARCL_F16, 1, &factors[i]);
        assert_ok(ctx, sparcl_graph_bind_dense(g, in[i], &views[i]));
    }
    const sparcl_node result = sparcl_graph_binary(g, SPARCL_BINARY_ADD, terms[0], terms[1]);
    assert_ok(ctx, sparcl_graph_backward(g, result));
    const sparcl_node gradient = sparcl_graph_gradient(g, w);
    sparcl_graph_output(g, result);
    sparcl_graph_output(g, gradient);
    assert_ok(ctx, sparcl_graph_step(g));
    assert_ok(ctx, sparcl_graph_value(g, result, &value));
    assert_values(ctx, &value, SPARCL_F16, &zero, 1);
    assert_ok(ctx, sparcl_graph_value(g, gradient, &value));
    assert_values(ctx, &value, SPARCL_F32, &sum, 1);
    for (int i = 0; i < 2; ++i)
        sparcl_dense_free(&views[i]);
    sparcl_graph_free(g);
}

/* --- what is fused ---------------------------------------------------------------------------- */

/* A step of a linear model. With `by_cast` its matrix is in F16, and is cast to F32. */
static void train_linear(sparcl_ctx *ctx, bool by_cast, const spec_matrix *x,
                         const sparcl_dense *labels, float *weights) {
    const int64_t shape[] = {COLS, 1}, rows = ROWS;
    sparcl_optim optim;
    sparcl_csr csr;
    sparcl_node_info info;
    sparcl_graph *const g = make_graph(ctx);
    sparcl_optim_init(&optim, SPARCL_RULE_ADAGRAD);
    sparcl_graph_set_dtype(g, by_cast ? SPARCL_F16 : SPARCL_F32);
    const sparcl_node a = sparcl_graph_csr(g, "x", ROWS, COLS, ENTRIES);
    sparcl_graph_set_dtype(g, SPARCL_F32);
    const sparcl_node y = sparcl_graph_dense(g, "y", 1, &rows);
    const sparcl_node w = sparcl_graph_parameter(g, "w", 2, shape, &optim);
    const sparcl_node scores = sparcl_graph_spmm(g, sparcl_graph_cast(g, a, SPARCL_F32), w);
    const sparcl_node losses = sparcl_graph_loss(g, SPARCL_LOSS_LOGISTIC, scores, y);
    assert_ok(ctx, sparcl_graph_backward(g, sparcl_graph_mean(g, losses)));
    assert_ok(ctx, spec_put_csr(ctx, &csr, x, by_cast ? SPARCL_F16 : SPARCL_F32, SPARCL_INDEX32,
                                SPARCL_INDEX32));
    assert_ok(ctx, sparcl_graph_bind_csr(g, a, &csr));
    assert_ok(ctx, sparcl_graph_bind_dense(g, y, labels));
    for (int step = 0; step < STEPS; ++step)
        assert_ok(ctx, sparcl_graph_step(g));
    assert_ok(ctx, sparcl_graph_node_info(g, sparcl_graph_gradient(g, w), &info));
    assert_string_equal(info.kind, "row-sparse");
    read_value(ctx, g, w, weights);
    sparcl_csr_free(&csr);
    sparcl_graph_free(g);
}

/* The loss computes the product, and steps update rows, as of any other matrix. */
static void a_cast_matrix_is_read_as_any_other(void **state) {
    float weights[2][COLS];
    double y[ROWS];
    spec_matrix x;
    assert_true(spec_matrix_make(&x, SPEC_UNIFORM, ROWS, COLS, ENTRIES, 3));
    stored(SPARCL_F16, x.values, ENTRIES, x.values);
    for (int i = 0; i < ROWS; ++i)
        y[i] = i % 3 == 0;
    sparcl_dense labels = put_dense(*state, SPARCL_F32, ROWS, y);
    for (int i = 0; i < 2; ++i)
        train_linear(*state, i, &x, &labels, weights[i]);
    assert_memory_equal(weights[0], weights[1], sizeof *weights);
    spec_matrix_free(&x);
    sparcl_dense_free(&labels);
}

/* --- refusals --------------------------------------------------------------------------------- */

/* What is added to a graph with inputs x [3] in F32, h [3] in F16, m [3, 3] in F16 and a list. */
static sparcl_node add_wrong(sparcl_graph *g, int what) {
    enum { X, H, M, LIST };
    const int64_t three = 3;
    sparcl_optim optim;
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    sparcl_graph_set_dtype(g, SPARCL_BF16);
    switch (what) {
    case 0:
        return sparcl_graph_binary(g, SPARCL_BINARY_ADD, X, H);
    case 1:
        return sparcl_graph_parameter(g, "w", 1, &three, &optim);
    case 2:
        return sparcl_graph_loss(g, SPARCL_LOSS_SQUARED, H, H);
    case 3:
        return sparcl_graph_cast(g, X, SPARCL_INT32);
    case 4:
        return sparcl_graph_cast(g, LIST, SPARCL_F32);
    case 5:
        return sparcl_graph_cast(g, 77, SPARCL_F32);
    default:
        return sparcl_graph_batch_norm_running(g, M, H, H, 1, 0.1, H, H);
    }
}

static void other_types_are_refused(void **state) {
    static const struct {
        sparcl_status status;
        const char *part;
    } cases[] = {
        {SPARCL_E_DTYPE, "x is float32, h is float16, expected one type: cast one"},
        {SPARCL_E_DTYPE,
         "a parameter is bfloat16, expected float32 or float64: keep it in float32"},
        {SPARCL_E_DTYPE, "h is float16, expected float32 or float64: cast it (sparcl_graph_cast)"},
        {SPARCL_E_DTYPE, "graph: cast: the type is 4, expected SPARCL_F32, SPARCL_F64"},
        {SPARCL_E_ARG, "list is a list, expected dense"},
        {SPARCL_E_ARG, "operand 0 is node 77, expected 0 to 3"},
        {SPARCL_E_DTYPE, "h is float16, expected float32 as running statistic"},
    };
    for (size_t i = 0; i < COUNT(cases); ++i) {
        const int64_t shape[] = {3, 3};
        sparcl_graph *const g = make_graph(*state);
        (void)sparcl_graph_dense(g, "x", 1, shape);
        sparcl_graph_set_dtype(g, SPARCL_F16);
        (void)sparcl_graph_dense(g, "h", 1, shape);
        (void)sparcl_graph_dense(g, "m", 2, shape);
        (void)sparcl_graph_list(g, "list", 3, 3);
        assert_int_equal(add_wrong(g, (int)i), SPARCL_NO_NODE);
        assert_refused(*state, sparcl_graph_forward(g), cases[i].status, cases[i].part);
        sparcl_graph_free(g);
    }
    assert_int_equal(sparcl_graph_cast(NULL, 0, SPARCL_F32), SPARCL_NO_NODE);
}

static void doubles_need_a_device_that_has_them(void **state) {
    const int64_t shape[] = {3};
    sparcl_graph *const g = make_graph(*state);
    const bool has_f64 = sparcl_ctx_device(*state)->has_f64;
    const sparcl_node x = sparcl_graph_dense(g, "x", 1, shape);
    const sparcl_node wide = sparcl_graph_cast(g, x, SPARCL_F64);
    assert_true((wide == SPARCL_NO_NODE) != has_f64);
    if (!has_f64)
        assert_refused(*state, sparcl_graph_forward(g), SPARCL_E_UNSUPPORTED,
                       "graph: cast: the type is float64, which");
    sparcl_graph_free(g);
}

/* --- mixed precision -------------------------------------------------------------------------- */

/* A linear model with logistic loss, whose weights are F32 and whose products are computed in a
 * type of 16 bits: the matrix, the weights and the gradient of the scores are rounded to it. */
typedef struct mixed {
    sparcl_graph *graph;
    sparcl_node x, y, w, loss;
} mixed;

static mixed make_mixed(sparcl_ctx *ctx, sparcl_dtype narrow, const sparcl_optim *optim) {
    const int64_t rows = ROWS, shape[] = {COLS, 1};
    mixed m = {.graph = make_graph(ctx)};
    sparcl_graph *const g = m.graph;
    m.x = sparcl_graph_csr(g, "x", ROWS, COLS, ENTRIES);
    m.y = sparcl_graph_dense(g, "y", 1, &rows);
    m.w = sparcl_graph_parameter(g, "w", 2, shape, optim);
    const sparcl_node scores =
        sparcl_graph_spmm(g, sparcl_graph_cast(g, m.x, narrow), sparcl_graph_cast(g, m.w, narrow));
    m.loss = sparcl_graph_mean(g, sparcl_graph_loss(g, SPARCL_LOSS_LOGISTIC,
                                                    sparcl_graph_cast(g, scores, SPARCL_F32), m.y));
    sparcl_graph_output(g, m.loss);
    assert_ok(ctx, sparcl_graph_backward(g, m.loss));
    return m;
}

static double f32(double x) {
    return spec_round(SPARCL_F32, x);
}

/* Element i of A b, stored in 16 bits. */
static double product(sparcl_dtype narrow, const spec_matrix *a, int64_t i, const double *b) {
    const int64_t begin = a->offsets[i], length = a->offsets[i + 1] - begin;
    double terms[ENTRIES];
    for (int64_t k = 0; k < length; ++k)
        terms[k] = b[a->indices[begin + k]];
    return spec_store(narrow,
                      spec_sum_products(SPARCL_F32, a->values + begin, terms, 1, length, true));
}

/* One step in plain C: the loss; w is changed. `x` has values of 16 bits. */
static double plain_step(sparcl_dtype narrow, const spec_matrix *x, const spec_matrix *transposed,
                         const double *y, sparcl_optim *optim, spec_element *w) {
    double rounded[COLS], residual[ROWS], losses[ROWS], ones[ROWS];
    const double inverse = f32(1.0 / ROWS);
    for (int64_t j = 0; j < COLS; ++j)
        rounded[j] = spec_store(narrow, w[j].w);
    for (int64_t i = 0; i < ROWS; ++i) {
        const double s = product(narrow, x, i, rounded);
        const double e = spec_log1p(SPARCL_F32, spec_exp(SPARCL_F32, -fabs(s)));
        losses[i] = f32(f32(fmax(s, 0) - f32(y[i] * s)) + e);
        residual[i] = spec_store(narrow, f32(f32(spec_sigmoid(SPARCL_F32, s) - y[i]) * inverse));
        ones[i] = 1;
    }
    ++optim->step;
    const spec_hyper hyper = spec_hyper_of(optim, SPARCL_F32);
    for (int64_t j = 0; j < COLS; ++j)
        w[j] = spec_step_order(&hyper, w[j], product(narrow, transposed, j, residual));
    return f32(inverse * spec_sum_products(SPARCL_F32, losses, ones, 1, ROWS, true));
}

/* Labels that a linear model gives. */
static void make_labels(const spec_matrix *x, double *y) {
    for (int64_t i = 0; i < ROWS; ++i) {
        double sum = 0;
        for (int64_t k = x->offsets[i]; k < x->offsets[i + 1]; ++k)
            sum += x->values[k] * (double)(x->indices[k] % 5 - 2);
        y[i] = sum > 0;
    }
}

static void check_mixed(sparcl_ctx *ctx, sparcl_dtype narrow, sparcl_rule rule) {
    enum { TRAINING_STEPS = 20 };
    spec_element w[COLS] = {{0}};
    spec_matrix x, transposed;
    sparcl_csr csr;
    sparcl_optim optim;
    sparcl_dense value;
    double y[ROWS], first = 0, last = 0, expected[COLS];
    sparcl_optim_init(&optim, rule);
    optim.lr = rule == SPARCL_RULE_SGD ? 8 : 0.25;
    mixed m = make_mixed(ctx, narrow, &optim);
    optim.step = 0; /* the graph counts steps from 0, too */
    assert_true(spec_matrix_make(&x, SPEC_UNIFORM, ROWS, COLS, ENTRIES, 3));
    assert_ok(ctx, spec_put_csr(ctx, &csr, &x, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
    make_labels(&x, y);
    sparcl_dense labels = put_dense(ctx, SPARCL_F32, ROWS, y);
    stored(narrow, x.values, ENTRIES, x.values);
    assert_true(spec_matrix_transpose(&transposed, &x));
    assert_ok(ctx, sparcl_graph_bind_csr(m.graph, m.x, &csr));
    assert_ok(ctx, sparcl_graph_bind_dense(m.graph, m.y, &labels));
    for (int step = 0; step < TRAINING_STEPS; ++step) {
        last = plain_step(narrow, &x, &transposed, y, &optim, w);
        if (step == 0) first = last;
        assert_ok(ctx, sparcl_graph_step(m.graph));
        assert_ok(ctx, sparcl_graph_value(m.graph, m.loss, &value));
        assert_values(ctx, &value, SPARCL_F32, &last, 1);
        for (int64_t j = 0; j < COLS; ++j)
            expected[j] = w[j].w;
        assert_ok(ctx, sparcl_graph_value(m.graph, m.w, &value));
        assert_values(ctx, &value, SPARCL_F32, expected, COLS);
    }
    print_message("type %d: the loss falls from %.4f to %.4f\n", (int)narrow, first, last);
    assert_true(last < first / 3);
    spec_matrix_free(&x);
    spec_matrix_free(&transposed);
    sparcl_csr_free(&csr);
    sparcl_dense_free(&labels);
    sparcl_graph_free(m.graph);
}

static void mixed_precision_has_the_bits_of_plain_c(void **state) {
    check_mixed(*state, SPARCL_BF16, SPARCL_RULE_SGD);
    check_mixed(*state, SPARCL_F16, SPARCL_RULE_ADAM);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_arrays_are_cast),
        cmocka_unit_test(sparse_arrays_are_cast),
        cmocka_unit_test(gradients_are_added_in_the_type_of_their_value),
        cmocka_unit_test(a_cast_matrix_is_read_as_any_other),
        cmocka_unit_test(other_types_are_refused),
        cmocka_unit_test(doubles_need_a_device_that_has_them),
        cmocka_unit_test(mixed_precision_has_the_bits_of_plain_c),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
