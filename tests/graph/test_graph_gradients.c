/* test_graph_gradients.c: the gradient of every operation, against central differences; in F64
 * where the device has it. */
#include <math.h>

#include "gradients.h"

/* All cases, one family after the other. */
static const gradient_case *const families[] = {
    gradients_basic,           gradients_reductions, gradients_conversions, gradients_elementwise,
    gradients_sparse_products, gradients_structure,  gradients_layers,      gradients_row_sparse};

static const gradient_case *case_at(int i) {
    for (size_t f = 0; f < COUNT(families); ++f)
        for (const gradient_case *c = families[f]; c->operation; ++c)
            if (i-- == 0) return c;
    return NULL;
}

/* --- inputs ----------------------------------------------------------------------------------- */

typedef struct inputs {
    spec_matrix matrix, square_matrix;
    sparcl_csr x, square;
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
    assert_true(spec_matrix_make(&in.square_matrix, SPEC_UNIFORM, COLS, COLS, 3 * COLS, 4));
    spec_matrix_unique(&in.square_matrix);
    assert_ok(ctx, spec_put_csr(ctx, &in.square, &in.square_matrix, dtype, type, type));
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
    spec_matrix_free(&in->square_matrix);
    sparcl_csr_free(&in->x);
    sparcl_csr_free(&in->square);
    sparcl_dense_free(&in->y);
    sparcl_list_free(&in->list);
    sparcl_list_free(&in->per_row);
    sparcl_rows_free(&in->sparse);
}

/* --- differences ------------------------------------------------------------------------------ */

static model make_model(sparcl_ctx *ctx, const gradient_case *c, sparcl_dtype dtype) {
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
    m.square = sparcl_graph_csr(m.graph, "square", COLS, COLS,
                                sparcl_graph_dim(m.graph, "square", 3 * COLS));
    m.result = c->build(&m);
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
    assert_ok(ctx, sparcl_graph_bind_csr(m->graph, m->square, &in->square));
}

static double result_of(sparcl_ctx *ctx, const model *m) {
    sparcl_dense value;
    double result = 0;
    sparcl_graph_set_step(m->graph, 0); /* the masks of dropout are those of the gradient */
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
 * one of h^2, large where it is steep, and it is wrong where a step crosses a kink. */
static double tolerance(const gradient_case *c, sparcl_dtype dtype, double result, double value) {
    static const double factors[] = {
        [QUADRATIC] = 1, [CURVED] = 4, [STEEP] = 40, [KINKED] = 100, [CLASSES] = 4, [NARROW] = 1};
    const double curved = c->kind == STEEP ? 1e-8 : 1e-9;
    if (dtype == SPARCL_F64) return 1e-10 * fmax(1, fabs(result)) + curved * fabs(value);
    return factors[c->kind] * (2e-5 * fmax(1, fabs(result)) + 1e-4 * fabs(value));
}

static double check_parameter(sparcl_ctx *ctx, const model *m, const gradient_case *c, int p,
                              sparcl_dtype dtype, const double *gradient, int64_t count) {
    const double result = result_of(ctx, m);
    double worst = 0;
    int64_t nonzero = 0;
    for (int64_t k = 0; k < count; ++k) {
        const double expected = difference(ctx, m, p, k);
        const double off = fabs(gradient[k] - expected) / tolerance(c, dtype, result, expected);
        if (!(off <= 1))
            fail_msg("%s, element %lld of parameter %d: gradient %.12g, difference %.12g",
                     c->operation, (long long)k, p, gradient[k], expected);
        if (off > worst) worst = off;
        nonzero += gradient[k] != 0;
    }
    assert_true(nonzero > count / 3);
    return worst;
}

static double check_case(sparcl_ctx *ctx, const gradient_case *c, sparcl_dtype dtype,
                         sparcl_itype type) {
    model m = make_model(ctx, c, dtype);
    inputs in = make_inputs(ctx, dtype, type, c->kind == CLASSES ? WIDTH : 2);
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
        worst = fmax(worst, check_parameter(ctx, &m, c, p, dtype, gradients[p], counts[p]));
        free(gradients[p]);
    }
    free_inputs(&in);
    sparcl_graph_free(m.graph);
    return worst;
}

static void check_cases(sparcl_ctx *ctx, sparcl_dtype dtype) {
    const gradient_case *c = NULL;
    for (int i = 0; (c = case_at(i)); ++i) {
        const bool wide = (i + (dtype == SPARCL_F64)) % 2;
        if (c->kind == NARROW && dtype != SPARCL_F64) continue;
        if (!test_is_chosen(i, test_every(), 0)) continue;
        print_message("%-14s %s: %.3f of the bound\n", c->operation,
                      dtype == SPARCL_F64 ? "float64" : "float32",
                      check_case(ctx, c, dtype, wide ? SPARCL_I64 : SPARCL_I32));
    }
}

static void gradients_equal_differences(void **state) {
    check_cases(*state, SPARCL_F32);
}

static void gradients_equal_differences_in_f64(void **state) {
    if (!sparcl_ctx_device(*state)->has_f64) skip();
    check_cases(*state, SPARCL_F64);
}

static void every_operation_has_a_case(void **state) {
    const sparcl_operation_info *op = NULL;
    (void)state;
    for (int i = 0; (op = sparcl_graph_operation(i)); ++i) {
        bool found = !op->gradients; /* an operation of gradients only */
        for (int k = 0; case_at(k); ++k)
            found |= strcmp(case_at(k)->operation, op->name) == 0;
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
