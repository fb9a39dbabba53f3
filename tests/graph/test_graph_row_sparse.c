/* test_graph_row_sparse.c: what graph.h says of operations on row-sparse arrays: the bits of the
 * operations called by hand, and refusals. */
#include "graph_test.h"
#include "sparcl/ops/elements.h"
#include "sparcl/ops/structure.h"

enum { LIMIT = 20, WIDTH = 3, FIRST = 6, SECOND = 4, LISTED = 7 };

/* Two row-sparse arrays [LIMIT, WIDTH], with indices of 32 and of 64 bits, and a list. */
typedef struct inputs {
    sparcl_rows a, b;
    sparcl_list list;
    sparcl_dense x;
} inputs;

static sparcl_rows make_rows(sparcl_ctx *ctx, int64_t count, sparcl_itype type, uint64_t seed) {
    float *const values = make_floats(count * WIDTH, seed);
    int64_t ids[FIRST];
    sparcl_rows r = {.rank = 2, .index_type = type, .shape = {LIMIT, WIDTH}, .nnr = count};
    for (int64_t k = 0; k < count; ++k)
        ids[k] = (k * 7 + (int64_t)seed) % LIMIT;
    r.indices = put_ints(ctx, ids, count, type);
    r.values = put(ctx, values, count * WIDTH * 4);
    assert_ok(ctx, sparcl_rows_validate(ctx, &r, SPARCL_VALID));
    free(values);
    return r;
}

static inputs make_inputs(sparcl_ctx *ctx) {
    static const int64_t ids[LISTED] = {3, 0, 10, 3, 19, 1, 8};
    inputs in = {.a = make_rows(ctx, FIRST, SPARCL_INDEX32, 3),
                 .b = make_rows(ctx, SECOND, SPARCL_INDEX64, 1)};
    float *const x = make_floats(LIMIT * WIDTH, 9);
    in.list = (sparcl_list){.count = LISTED, .limit = LIMIT, .index_type = SPARCL_INDEX32};
    in.list.indices = put_ints(ctx, ids, LISTED, SPARCL_INDEX32);
    assert_ok(ctx, sparcl_list_validate(ctx, &in.list, SPARCL_VALID));
    in.x = (sparcl_dense){.rank = 2, .shape = {LIMIT, WIDTH}};
    assert_ok(ctx, sparcl_dense_upload(ctx, &in.x, x));
    free(x);
    return in;
}

static void free_inputs(inputs *in) {
    sparcl_rows_free(&in->a);
    sparcl_rows_free(&in->b);
    sparcl_list_free(&in->list);
    sparcl_dense_free(&in->x);
}

/* A graph with these inputs, and results of all operations. */
typedef struct outputs {
    sparcl_graph *graph;
    sparcl_node sum, all, stored, mixed, product, scaled;
} outputs;

static outputs make_graph(sparcl_ctx *ctx, const inputs *in) {
    const int64_t shape[] = {LIMIT, WIDTH};
    outputs o;
    assert_ok(ctx, sparcl_graph_create(ctx, &o.graph));
    sparcl_graph *const g = o.graph;
    const int64_t stored = sparcl_graph_dim(g, "stored", FIRST + 2);
    const sparcl_node a = sparcl_graph_rows(g, "a", 2, shape, stored);
    const sparcl_node b = sparcl_graph_rows(g, "b", 2, shape, SECOND);
    const sparcl_node list = sparcl_graph_list(g, "list", LISTED, LIMIT);
    const sparcl_node x = sparcl_graph_dense(g, "x", 2, shape), all[] = {a, b, x, a};
    o.sum = sparcl_graph_add_n(g, all, 2);
    o.all = sparcl_graph_rows_retain_all(g, o.sum, list);
    o.stored = sparcl_graph_rows_retain_stored(g, o.sum, list);
    o.mixed = sparcl_graph_add_n(g, all, 4);
    o.product = sparcl_graph_multiply(g, o.sum, sparcl_graph_add_n(g, &b, 1));
    o.scaled = sparcl_graph_multiply(g, o.product, x);
    const sparcl_node wanted[] = {o.sum, o.all, o.stored, o.mixed, o.product, o.scaled};
    for (size_t i = 0; i < COUNT(wanted); ++i)
        sparcl_graph_output(g, wanted[i]);
    assert_ok(ctx, sparcl_graph_bind_rows(g, a, &in->a));
    assert_ok(ctx, sparcl_graph_bind_rows(g, b, &in->b));
    assert_ok(ctx, sparcl_graph_bind_list(g, list, &in->list));
    assert_ok(ctx, sparcl_graph_bind_dense(g, x, &in->x));
    return o;
}

/* A result of at most `capacity` rows. */
static sparcl_rows room(sparcl_ctx *ctx, int64_t capacity, bool counted) {
    sparcl_rows to = {
        .rank = 2, .index_type = SPARCL_INDEX64, .shape = {LIMIT, WIDTH}, .nnr = capacity};
    assert_ok(ctx, sparcl_rows_create(ctx, &to));
    if (!counted) {
        sparcl_buf_free(to.count);
        to.count = NULL;
    }
    return to;
}

static void assert_same_rows(sparcl_ctx *ctx, const sparcl_rows *found, const sparcl_rows *want) {
    int64_t count[2] = {found->nnr, want->nnr}, ids[2][FIRST + SECOND];
    double values[2][(FIRST + SECOND) * WIDTH];
    const sparcl_rows *const both[] = {found, want};
    for (int i = 0; i < 2; ++i) {
        const sparcl_rows *const r = both[i];
        if (r->count) count[i] = int_at(ctx, r->count, r->count_at);
        assert_in_range(count[i], 3, FIRST + SECOND);
        assert_ok(ctx,
                  spec_get_ints(ctx, r->indices, r->indices_at, count[i], r->index_type, ids[i]));
        assert_ok(ctx, spec_get_reals(ctx, r->values, r->values_at, count[i] * WIDTH, SPARCL_F32,
                                      values[i]));
    }
    assert_int_equal(count[0], count[1]);
    assert_memory_equal(ids[0], ids[1], (size_t)count[0] * sizeof *ids[0]);
    assert_memory_equal(values[0], values[1], (size_t)(count[0] * WIDTH) * sizeof *values[0]);
}

static void assert_rows(sparcl_ctx *ctx, const outputs *o, sparcl_node node, sparcl_rows *want) {
    sparcl_rows found;
    assert_ok(ctx, sparcl_graph_rows_value(o->graph, node, &found));
    assert_same_rows(ctx, &found, want);
    sparcl_rows_free(want);
}

/* The product, and then itself times the dense array. */
static void assert_product(sparcl_ctx *ctx, const outputs *o, sparcl_rows *product,
                           const sparcl_dense *x) {
    sparcl_rows found;
    sparcl_dense v = {.rank = 2, .shape = {SECOND, WIDTH}};
    assert_ok(ctx, sparcl_graph_rows_value(o->graph, o->product, &found));
    assert_same_rows(ctx, &found, product);
    v.values = product->values;
    v.values_at = product->values_at;
    assert_ok(ctx, sparcl_rows_multiply_dense(ctx, &v, product, x));
    assert_rows(ctx, o, o->scaled, product);
}

static void a_graph_has_the_bits_of_the_operations(void **state) {
    sparcl_ctx *ctx = *state;
    inputs in = make_inputs(ctx);
    outputs o = make_graph(ctx, &in);
    const sparcl_term terms[] = {
        {1, NULL, &in.a}, {1, NULL, &in.b}, {1, &in.x, NULL}, {1, NULL, &in.a}};
    sparcl_rows sum = room(ctx, FIRST + SECOND, true), all = room(ctx, LISTED, false);
    sparcl_rows stored = room(ctx, LISTED, true);
    sparcl_dense mixed = {.rank = 2, .shape = {LIMIT, WIDTH}};
    float want[LIMIT * WIDTH], found[LIMIT * WIDTH];
    sparcl_rows once = room(ctx, SECOND, true), product = room(ctx, SECOND, true);
    assert_ok(ctx, sparcl_dense_create(ctx, &mixed));
    assert_ok(ctx, sparcl_rows_add_n(ctx, &sum, terms, 2, NULL));
    assert_ok(ctx, sparcl_rows_retain_all(ctx, &all, &sum, &in.list, NULL));
    assert_ok(ctx, sparcl_rows_retain_stored(ctx, &stored, &sum, &in.list, NULL));
    assert_ok(ctx, sparcl_add_n(ctx, &mixed, terms, 4));
    assert_ok(ctx, sparcl_rows_add_n(ctx, &once, terms + 1, 1, NULL));
    assert_ok(ctx, sparcl_rows_multiply(ctx, &product, &sum, &once, NULL));
    assert_ok(ctx, sparcl_dense_read(ctx, &mixed, want));
    assert_ok(ctx, sparcl_graph_forward(o.graph));
    read_value(ctx, o.graph, o.mixed, found);
    assert_memory_equal(found, want, sizeof want);
    assert_rows(ctx, &o, o.all, &all);
    assert_rows(ctx, &o, o.stored, &stored);
    assert_rows(ctx, &o, o.sum, &sum);
    assert_product(ctx, &o, &product, &in.x);
    sparcl_rows_free(&once);
    sparcl_dense_free(&mixed);
    sparcl_graph_free(o.graph);
    free_inputs(&in);
}

/* In the values of a result, rows past its count are 0. */
static void rows_that_are_not_stored_have_values_of_0(void **state) {
    sparcl_ctx *ctx = *state;
    inputs in = make_inputs(ctx);
    outputs o = make_graph(ctx, &in);
    float values[LISTED * WIDTH];
    sparcl_rows stored;
    const sparcl_node squares =
        sparcl_graph_multiply(o.graph, o.stored, sparcl_graph_to_dense(o.graph, o.sum));
    const sparcl_node v[] = {sparcl_graph_values(o.graph, o.stored),
                             sparcl_graph_values(o.graph, squares)};
    for (size_t i = 0; i < COUNT(v); ++i)
        sparcl_graph_output(o.graph, v[i]);
    assert_ok(ctx, sparcl_graph_forward(o.graph));
    assert_ok(ctx, sparcl_graph_rows_value(o.graph, o.stored, &stored));
    const int64_t count = int_at(ctx, stored.count, stored.count_at);
    assert_in_range(count, 1, LISTED - 1);
    for (size_t n = 0; n < COUNT(v); ++n) {
        read_value(ctx, o.graph, v[n], values);
        for (int64_t i = 0; i < LISTED * WIDTH; ++i)
            assert_true((values[i] == 0) == (i >= count * WIDTH));
    }
    sparcl_graph_free(o.graph);
    free_inputs(&in);
}

static sparcl_node add_two(sparcl_graph *g, sparcl_node a, sparcl_node b) {
    const sparcl_node both[] = {a, b};
    return sparcl_graph_add_n(g, both, 2);
}

/* The first is row-sparse, and the second another one of its shape, or a dense one. */
static void factors_that_do_not_fit_are_refused(void **state) {
    static const char *const part[] = {
        "a is row-sparse, expected dense", "has 20 rows, as has 21 rows, expected as many",
        "has 3 columns, wide has 4 columns, expected as many", "flat has rank 1, expected 2"};
    const int64_t shape[] = {LIMIT, WIDTH}, more[] = {LIMIT + 1, WIDTH}, wide[] = {LIMIT, 4};
    for (int i = 0; i < (int)COUNT(part); ++i) {
        sparcl_graph *g = NULL;
        assert_ok(*state, sparcl_graph_create(*state, &g));
        const sparcl_node a = sparcl_graph_rows(g, "a", 2, shape, FIRST);
        const sparcl_node as = sparcl_graph_rows(g, "as", 2, more, FIRST);
        const sparcl_node x = sparcl_graph_dense(g, "x", 2, shape);
        const sparcl_node w = sparcl_graph_dense(g, "wide", 2, wide);
        const sparcl_node flat = sparcl_graph_dense(g, "flat", 1, shape);
        sparcl_graph_output(g, i == 0   ? sparcl_graph_multiply(g, x, a)
                               : i == 1 ? sparcl_graph_multiply(g, a, as)
                               : i == 2 ? sparcl_graph_multiply(g, a, w)
                                        : sparcl_graph_multiply(g, a, flat));
        assert_refused(*state, sparcl_graph_forward(g), i == 0 ? SPARCL_E_ARG : SPARCL_E_SHAPE,
                       part[i]);
        sparcl_graph_free(g);
    }
}

/* The rows of an input have no order, as far as is known. */
static void factors_without_an_order_are_refused(void **state) {
    sparcl_ctx *ctx = *state;
    inputs in = make_inputs(ctx);
    sparcl_graph *g = NULL;
    const int64_t shape[] = {LIMIT, WIDTH};
    assert_ok(ctx, sparcl_graph_create(ctx, &g));
    const sparcl_node a = sparcl_graph_rows(g, "a", 2, shape, FIRST);
    sparcl_graph_output(g, sparcl_graph_multiply(g, sparcl_graph_add_n(g, &a, 1), a));
    assert_ok(ctx, sparcl_graph_bind_rows(g, a, &in.a));
    assert_refused(ctx, sparcl_graph_forward(g), SPARCL_E_UNCHECKED, "rows_multiply: B");
    sparcl_graph_free(g);
    free_inputs(&in);
}

static void what_does_not_fit_is_refused(void **state) {
    static const char *const part[] = {"has 20 rows, as has 21 rows, expected as many",
                                       "expected dense",
                                       "there are 9 operands, expected 1 to 8",
                                       "has 21 rows as its limit",
                                       "expected row-sparse",
                                       "has 7 indices"};
    for (int i = 0; i < (int)COUNT(part); ++i) {
        sparcl_graph *g = NULL;
        const int64_t shape[] = {LIMIT, WIDTH}, more[] = {LIMIT + 1, WIDTH};
        assert_ok(*state, sparcl_graph_create(*state, &g));
        const sparcl_node a = sparcl_graph_rows(g, "a", 2, shape, FIRST);
        const sparcl_node as = sparcl_graph_rows(g, "as", 2, more, FIRST);
        const sparcl_node m = sparcl_graph_csr(g, "m", LIMIT, WIDTH, 5);
        const sparcl_node list = sparcl_graph_list(g, "list", LISTED, LIMIT + 1);
        const sparcl_node x = sparcl_graph_dense(g, "x", 2, shape);
        const sparcl_node nine[] = {a, a, a, a, a, a, a, a, a};
        sparcl_graph_output(g, i == 0   ? add_two(g, a, as)
                               : i == 1 ? add_two(g, a, m)
                               : i == 2 ? sparcl_graph_add_n(g, nine, 9)
                               : i == 3 ? sparcl_graph_rows_retain_all(g, a, list)
                               : i == 4 ? sparcl_graph_rows_retain_stored(g, x, list)
                                        : sparcl_graph_as_rows(g, x, list));
        assert_refused(*state, sparcl_graph_forward(g),
                       i == 0 || i == 3 || i == 5 ? SPARCL_E_SHAPE : SPARCL_E_ARG, part[i]);
        sparcl_graph_free(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_has_the_bits_of_the_operations),
        cmocka_unit_test(rows_that_are_not_stored_have_values_of_0),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(factors_that_do_not_fit_are_refused),
        cmocka_unit_test(factors_without_an_order_are_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
