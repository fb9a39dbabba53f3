/* test_graph_formats.c: products, conversions and parts of row-sparse arrays, CSR matrices and
 * dense arrays in graphs: the bits of the operations called by hand, and refusals. */
#include <math.h>

#include "graph_test.h"
#include "sparcl/ops.h"

enum { WIDTH = 3, STORED = 7, SPARE = 4 };

/* A matrix [ROWS, COLS] with capacity that it does not use after a slice, and rows [COLS, WIDTH] in
 * no order, of which one is stored twice. */
typedef struct inputs {
    spec_matrix matrix;
    sparcl_csr a;
    sparcl_rows r;
    sparcl_dense x;
} inputs;

static inputs make_inputs(sparcl_ctx *ctx) {
    static const int64_t ids[STORED] = {17, 3, 8, 29, 3, 0, 11};
    inputs in = {
        .r = {.rank = 2, .index_type = SPARCL_INDEX32, .shape = {COLS, WIDTH}, .nnr = STORED},
        .x = {.rank = 2, .shape = {ROWS, WIDTH}}};
    float *const values = make_floats(STORED * WIDTH, 4), *const x = make_floats(ROWS * WIDTH, 5);
    assert_true(spec_matrix_make(&in.matrix, SPEC_UNIFORM, ROWS, COLS, ENTRIES, 3));
    assert_ok(ctx,
              spec_put_csr(ctx, &in.a, &in.matrix, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
    in.r.indices = put_ints(ctx, ids, STORED, SPARCL_INDEX32);
    in.r.values = put(ctx, values, STORED * WIDTH * 4);
    assert_ok(ctx, sparcl_rows_validate(ctx, &in.r, SPARCL_VALID));
    assert_ok(ctx, sparcl_dense_upload(ctx, &in.x, x));
    free(values);
    free(x);
    return in;
}

static void free_inputs(inputs *in) {
    spec_matrix_free(&in->matrix);
    sparcl_csr_free(&in->a);
    sparcl_rows_free(&in->r);
    sparcl_dense_free(&in->x);
}

/* A graph with these inputs. */
typedef struct model {
    sparcl_graph *graph;
    sparcl_node a, r, x;
} model;

static model make_model(sparcl_ctx *ctx, const inputs *in) {
    const int64_t of_r[] = {COLS, WIDTH}, of_x[] = {ROWS, WIDTH};
    model m;
    assert_ok(ctx, sparcl_graph_create(ctx, &m.graph));
    m.a = sparcl_graph_csr(m.graph, "a", ROWS, COLS, ENTRIES);
    m.r = sparcl_graph_rows(m.graph, "r", 2, of_r, STORED);
    m.x = sparcl_graph_dense(m.graph, "x", 2, of_x);
    assert_ok(ctx, sparcl_graph_bind_csr(m.graph, m.a, &in->a));
    assert_ok(ctx, sparcl_graph_bind_rows(m.graph, m.r, &in->r));
    assert_ok(ctx, sparcl_graph_bind_dense(m.graph, m.x, &in->x));
    return m;
}

static void run(sparcl_ctx *ctx, const model *m, sparcl_node node) {
    sparcl_graph_output(m->graph, node);
    assert_ok(ctx, sparcl_graph_forward(m->graph));
}

/* The floats of an output. */
static float *read_dense(sparcl_ctx *ctx, const model *m, sparcl_node node, int64_t count) {
    float *const to = must_have(calloc((size_t)count + 1, sizeof *to));
    sparcl_dense view;
    assert_ok(ctx, sparcl_graph_value(m->graph, node, &view));
    int64_t found = view.shape[0];
    for (int d = 1; d < view.rank; ++d)
        found *= view.shape[d];
    assert_int_equal(found, count);
    assert_ok(ctx, sparcl_dense_read(ctx, &view, to));
    return to;
}

static void assert_same(sparcl_ctx *ctx, const model *m, sparcl_node node,
                        const sparcl_dense *want) {
    const int64_t count = want->shape[0] * (want->rank > 1 ? want->shape[1] : 1);
    float *const expected = must_have(calloc((size_t)count + 1, sizeof *expected));
    float *const got = read_dense(ctx, m, node, count);
    assert_ok(ctx, sparcl_dense_read(ctx, want, expected));
    assert_memory_equal(got, expected, (size_t)count * sizeof *got);
    free(expected);
    free(got);
}

/* --- products --------------------------------------------------------------------------------- */

static void a_product_with_rows_is_that_of_matmul(void **state) {
    sparcl_ctx *ctx = *state;
    inputs in = make_inputs(ctx);
    model m = make_model(ctx, &in);
    sparcl_dense want = vector(ctx, ROWS, WIDTH);
    const sparcl_matrix a = sparcl_matrix_csr(in.a), b = sparcl_matrix_rows(in.r);
    sparcl_matrix c = sparcl_matrix_dense(want);
    assert_ok(ctx, sparcl_matmul(ctx, &c, 1, SPARCL_OP_N, &a, SPARCL_OP_N, &b, 0, NULL));
    const sparcl_node y = sparcl_graph_spmm_rows(m.graph, m.a, m.r);
    const sparcl_node z = sparcl_graph_matmul(m.graph, SPARCL_OP_N, m.a, SPARCL_OP_N, m.r);
    sparcl_graph_output(m.graph, z);
    run(ctx, &m, y);
    assert_same(ctx, &m, y, &want);
    assert_same(ctx, &m, z, &want);
    sparcl_dense_free(&want);
    sparcl_graph_free(m.graph);
    free_inputs(&in);
}

static void a_transposed_product_has_rows_where_a_has_columns(void **state) {
    sparcl_ctx *ctx = *state;
    inputs in = make_inputs(ctx);
    model m = make_model(ctx, &in);
    sparcl_rows rows;
    int64_t ids[COLS];
    bool has[COLS] = {false};
    const sparcl_node y = sparcl_graph_spmm_t_rows(m.graph, m.a, m.x);
    const sparcl_node dense = sparcl_graph_spmm_t(m.graph, m.a, m.x);
    const sparcl_node same = sparcl_graph_to_dense(m.graph, y);
    sparcl_graph_output(m.graph, dense);
    sparcl_graph_output(m.graph, same);
    run(ctx, &m, y);
    assert_ok(ctx, sparcl_graph_rows_value(m.graph, y, &rows));
    const int64_t count = int_at(ctx, rows.count, rows.count_at);
    assert_in_range(count, 1, COLS);
    assert_ok(ctx, spec_get_ints(ctx, rows.indices, rows.indices_at, count, rows.index_type, ids));
    for (int64_t k = 0; k < in.matrix.nnz; ++k)
        has[in.matrix.indices[k]] = true;
    for (int64_t j = 0, k = 0; j < COLS; ++j)
        if (has[j]) assert_int_equal(ids[k++], j);
    float *const one = read_dense(ctx, &m, dense, COLS * WIDTH);
    float *const other = read_dense(ctx, &m, same, COLS * WIDTH);
    assert_memory_equal(one, other, COLS * WIDTH * sizeof *one);
    assert_int_equal(sparcl_rows_flags(&rows) & (SPARCL_SORTED | SPARCL_UNIQUE),
                     SPARCL_SORTED | SPARCL_UNIQUE);
    free(one);
    free(other);
    sparcl_graph_free(m.graph);
    free_inputs(&in);
}

/* --- conversions, parts and reductions -------------------------------------------------------- */

/* A row-sparse result is `want`, which is freed. */
static void assert_same_rows(sparcl_ctx *ctx, const model *m, sparcl_node node, sparcl_rows *want) {
    sparcl_rows found;
    int64_t counts[2], ids[2][ROWS];
    double values[2][ROWS * COLS];
    assert_ok(ctx, sparcl_graph_rows_value(m->graph, node, &found));
    const sparcl_rows *const both[] = {&found, want};
    for (int i = 0; i < 2; ++i) {
        const sparcl_rows *const r = both[i];
        counts[i] = int_at(ctx, r->count, r->count_at);
        assert_in_range(counts[i], 1, ROWS);
        assert_ok(ctx,
                  spec_get_ints(ctx, r->indices, r->indices_at, counts[i], r->index_type, ids[i]));
        assert_ok(ctx, spec_get_reals(ctx, r->values, r->values_at, counts[i] * r->shape[1],
                                      SPARCL_F32, values[i]));
    }
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(ids[0], ids[1], (size_t)counts[0] * sizeof *ids[0]);
    assert_memory_equal(values[0], values[1],
                        (size_t)(counts[0] * want->shape[1]) * sizeof *values[0]);
    sparcl_rows_free(want);
}

static sparcl_rows room(sparcl_ctx *ctx, int64_t rows, int64_t width, int64_t stored) {
    sparcl_rows to = {
        .rank = 2, .index_type = SPARCL_INDEX64, .shape = {rows, width}, .nnr = stored};
    assert_ok(ctx, sparcl_rows_create(ctx, &to));
    return to;
}

static void conversions_to_rows_are_those_called_by_hand(void **state) {
    sparcl_ctx *ctx = *state;
    inputs in = make_inputs(ctx);
    model m = make_model(ctx, &in);
    sparcl_rows of_csr = room(ctx, ROWS, COLS, 30), of_x = room(ctx, ROWS, WIDTH, ROWS);
    sparcl_rows part = room(ctx, 20, WIDTH, STORED);
    const sparcl_node one = sparcl_graph_to_rows(m.graph, m.a, 0, 30);
    const sparcl_node two = sparcl_graph_to_rows(m.graph, m.x, 0.6, ROWS);
    const sparcl_node three = sparcl_graph_slice(m.graph, m.r, 0, 2, 20);
    sparcl_graph_output(m.graph, two);
    sparcl_graph_output(m.graph, three);
    run(ctx, &m, one);
    assert_ok(ctx, sparcl_csr_to_rows(ctx, &of_csr, &in.a, NULL));
    assert_ok(ctx, sparcl_dense_to_rows(ctx, &of_x, &in.x, 0.6, NULL));
    assert_ok(ctx, sparcl_rows_slice(ctx, &part, &in.r, 2, NULL));
    assert_same_rows(ctx, &m, one, &of_csr);
    assert_same_rows(ctx, &m, two, &of_x);
    assert_same_rows(ctx, &m, three, &part);
    sparcl_graph_free(m.graph);
    free_inputs(&in);
}

/* As dense arrays: a CSR matrix of rows, parts of x, and sums of rows. */
static void parts_and_sums_are_those_called_by_hand(void **state) {
    sparcl_ctx *ctx = *state;
    inputs in = make_inputs(ctx);
    model m = make_model(ctx, &in);
    sparcl_dense rows = vector(ctx, COLS, WIDTH), sums = {.rank = 1, .shape = {WIDTH}};
    assert_ok(ctx, sparcl_dense_zeros(ctx, &sums));
    assert_ok(ctx, sparcl_rows_to_dense(ctx, &rows, &in.r));
    assert_ok(ctx, sparcl_rows_reduce(ctx, SPARCL_REDUCE_NORM, &sums, &in.r, 0));
    const sparcl_node csr = sparcl_graph_to_csr(m.graph, m.r, 0, STORED * WIDTH);
    const sparcl_node dense = sparcl_graph_to_dense(m.graph, csr);
    const sparcl_node norms =
        sparcl_graph_reduce(m.graph, SPARCL_REDUCE_NORM, SPARCL_OVER_ALL, m.r, 0);
    const sparcl_node part = sparcl_graph_slice(m.graph, m.x, 1, 1, 2);
    const sparcl_node few = sparcl_graph_slice(m.graph, part, 0, 10, 5);
    sparcl_graph_output(m.graph, norms);
    sparcl_graph_output(m.graph, few);
    run(ctx, &m, dense);
    assert_same(ctx, &m, dense, &rows);
    assert_same(ctx, &m, norms, &sums);
    float x[ROWS * WIDTH], *const got = read_dense(ctx, &m, few, 5 * 2);
    assert_ok(ctx, sparcl_dense_read(ctx, &in.x, x));
    for (int i = 0; i < 5; ++i)
        assert_memory_equal(got + 2 * i, x + (10 + i) * WIDTH + 1, 2 * sizeof *got);
    free(got);
    sparcl_dense_free(&rows);
    sparcl_dense_free(&sums);
    sparcl_graph_free(m.graph);
    free_inputs(&in);
}

/* --- columns ---------------------------------------------------------------------------------- */

/* A slice has room for all entries of its operand; the columns past its own are 0. */
static void columns_of_unused_capacity_are_0(void **state) {
    sparcl_ctx *ctx = *state;
    inputs in = make_inputs(ctx);
    model m = make_model(ctx, &in);
    sparcl_csr part;
    const sparcl_node a = sparcl_graph_slice(m.graph, m.a, 0, 0, SPARE);
    const int64_t of_t[] = {COLS, WIDTH};
    const sparcl_node t = sparcl_graph_dense(m.graph, "t", 2, of_t);
    sparcl_dense table = {.rank = 2, .shape = {COLS, WIDTH}};
    float *const values = make_floats(COLS * WIDTH, 6);
    assert_ok(ctx, sparcl_dense_upload(ctx, &table, values));
    assert_ok(ctx, sparcl_graph_bind_dense(m.graph, t, &table));
    const sparcl_node rows = sparcl_graph_gather(m.graph, t, sparcl_graph_columns(m.graph, a));
    sparcl_graph_output(m.graph, a);
    run(ctx, &m, rows);
    assert_ok(ctx, sparcl_graph_csr_value(m.graph, a, &part));
    int64_t ends[SPARE + 1];
    assert_ok(ctx,
              spec_get_ints(ctx, part.offsets, part.offsets_at, SPARE + 1, part.offset_type, ends));
    float *const got = read_dense(ctx, &m, rows, ENTRIES * WIDTH);
    assert_in_range(ends[SPARE], 1, ENTRIES - 1);
    for (int64_t k = ends[SPARE]; k < ENTRIES; ++k)
        assert_memory_equal(got + k * WIDTH, values, WIDTH * sizeof *got);
    free(got);
    free(values);
    sparcl_dense_free(&table);
    sparcl_graph_free(m.graph);
    free_inputs(&in);
}

/* --- refusals --------------------------------------------------------------------------------- */

typedef struct refusal {
    sparcl_node (*build)(const model *m);
    sparcl_status status;
    const char *part;
} refusal;

static sparcl_node product_of_dense(const model *m) {
    return sparcl_graph_spmm_rows(m->graph, m->a, m->x);
}
static sparcl_node product_of_fewer(const model *m) {
    return sparcl_graph_spmm_rows(m->graph, sparcl_graph_transpose(m->graph, m->a), m->r);
}
static sparcl_node transposed_of_rows(const model *m) {
    return sparcl_graph_spmm_t_rows(m->graph, m->a, m->r);
}
static sparcl_node transposed_of_fewer(const model *m) {
    return sparcl_graph_spmm_t_rows(m->graph, sparcl_graph_transpose(m->graph, m->a), m->x);
}
static sparcl_node rows_of_rows(const model *m) {
    return sparcl_graph_to_rows(m->graph, m->r, 0, ROWS);
}
static sparcl_node slice_of_more(const model *m) {
    const sparcl_node part = sparcl_graph_slice(m->graph, m->r, 0, 11, 20);
    sparcl_graph_output(m->graph, part);
    return SPARCL_NO_NODE;
}
static sparcl_node slice_axis(const model *m) {
    return sparcl_graph_slice(m->graph, m->x, 2, 0, 1);
}
static sparcl_node slice_past_the_end(const model *m) {
    return sparcl_graph_slice(m->graph, m->x, 0, 38, 3);
}
static sparcl_node slice_before_the_start(const model *m) {
    return sparcl_graph_slice(m->graph, m->x, 1, -1, 3);
}
static sparcl_node sums_of_axis(const model *m) {
    return sparcl_graph_reduce(m->graph, SPARCL_REDUCE_SUM, SPARCL_OVER_ALL, m->r, 2);
}
static sparcl_node shifted_matrix(const model *m) {
    return sparcl_graph_binary_scalar(m->graph, SPARCL_BINARY_ADD, m->a, 2);
}
static sparcl_node largest_rows(const model *m) {
    return sparcl_graph_binary_scalar(m->graph, SPARCL_BINARY_MAXIMUM, m->r, 0);
}
static sparcl_node largest_of_nan(const model *m) {
    return sparcl_graph_binary_scalar(m->graph, SPARCL_BINARY_MAXIMUM, m->x, (double)NAN);
}
static sparcl_node unknown_operation(const model *m) {
    return sparcl_graph_binary_scalar(m->graph, (sparcl_binary_op)6, m->x, 1);
}
static sparcl_node exponential_of_rows(const model *m) {
    return sparcl_graph_unary(m->graph, SPARCL_UNARY_EXP, m->r);
}
static sparcl_node value_of_many(const model *m) {
    return sparcl_graph_fill_empty_rows(
        m->graph, m->a, 0,
        sparcl_graph_reduce(m->graph, SPARCL_REDUCE_SUM, SPARCL_OVER_ALL, m->x, 0));
}
static sparcl_node value_of_rank_2(const model *m) {
    return sparcl_graph_fill_empty_rows(m->graph, m->a, 0, m->x);
}

static const refusal refusals[] = {
    {product_of_dense, SPARCL_E_ARG, "x is dense, expected row-sparse"},
    {product_of_fewer, SPARCL_E_SHAPE, "has 40 columns, r has 30 rows, expected as many"},
    {transposed_of_rows, SPARCL_E_ARG, "r is row-sparse, expected dense"},
    {transposed_of_fewer, SPARCL_E_SHAPE, "has 30 rows, x has 40 rows, expected as many"},
    {rows_of_rows, SPARCL_E_ARG, "r is row-sparse, expected dense"},
    {slice_of_more, SPARCL_E_SHAPE, "rows_slice"},
    {slice_axis, SPARCL_E_ARG, "the axis is 2, expected 0 or 1"},
    {slice_past_the_end, SPARCL_E_SHAPE, "3 rows from 38 on, expected a part of the 40"},
    {slice_before_the_start, SPARCL_E_SHAPE, "3 columns from -1 on, expected a part of the 3"},
    {sums_of_axis, SPARCL_E_ARG, "axis is 2, expected -1, 0 or 1"},
    {shifted_matrix, SPARCL_E_ARG, "the number 2, so the result of a sparse array would be dense"},
    {largest_rows, SPARCL_E_ARG, "the number 0, so the result of a sparse array would be dense"},
    {largest_of_nan, SPARCL_E_ARG, "a maximum or minimum with NaN"},
    {unknown_operation, SPARCL_E_ARG, "the operation is 6, which is unknown"},
    {exponential_of_rows, SPARCL_E_ARG, "exp of 0 is not 0"},
    {value_of_many, SPARCL_E_SHAPE, "has 3 elements, expected 1"},
    {value_of_rank_2, SPARCL_E_SHAPE, "x has rank 2, expected 1"},
};

static void what_does_not_fit_is_refused(void **state) {
    inputs in = make_inputs(*state);
    for (size_t i = 0; i < COUNT(refusals); ++i) {
        model m = make_model(*state, &in);
        assert_int_equal(refusals[i].build(&m), SPARCL_NO_NODE);
        assert_refused(*state, sparcl_graph_forward(m.graph), refusals[i].status, refusals[i].part);
        sparcl_graph_free(m.graph);
    }
    free_inputs(&in);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_with_rows_is_that_of_matmul),
        cmocka_unit_test(a_transposed_product_has_rows_where_a_has_columns),
        cmocka_unit_test(conversions_to_rows_are_those_called_by_hand),
        cmocka_unit_test(parts_and_sums_are_those_called_by_hand),
        cmocka_unit_test(columns_of_unused_capacity_are_0),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
