/* test_graph_embedding.c: embeddings with options: scaled by frequency, and with a maximum norm. */
#include "graph_test.h"
#include "sparcl/embedding.h"

enum { WIDTH = 6, PADDING = 3 };

static const sparcl_embedding_options options = {.mode = SPARCL_BAG_MEAN,
                                                 .has_padding = 1,
                                                 .padding_index = PADDING,
                                                 .scale_by_frequency = 1,
                                                 .max_norm = 0.75};

/* The mean of the squares of what is looked up, of a list or by the rows of a matrix. */
typedef struct model {
    sparcl_graph *graph;
    sparcl_node x, list, table, found;
} model;

static model make_model(sparcl_ctx *ctx, bool of_list) {
    model m;
    sparcl_optim optim;
    const int64_t shape[] = {COLS, WIDTH};
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    optim.lr = 0; /* the step changes nothing */
    assert_ok(ctx, sparcl_graph_create(ctx, &m.graph));
    sparcl_graph *const g = m.graph;
    const int64_t rows = sparcl_graph_dim(g, "rows", ROWS);
    m.x = sparcl_graph_csr(g, "x", rows, COLS, sparcl_graph_dim(g, "entries", ENTRIES));
    m.list = sparcl_graph_list(g, "list", rows, COLS);
    m.table = sparcl_graph_parameter(g, "table", 2, shape, &optim);
    m.found = of_list ? sparcl_graph_embedding_with(g, m.table, m.list, &options)
                      : sparcl_graph_embedding_bag_with(g, m.x, m.table, &options);
    const sparcl_node mean = sparcl_graph_mean(g, sparcl_graph_dot_rows(g, m.found, m.found));
    assert_ok(ctx, sparcl_graph_backward(g, mean));
    sparcl_graph_output(g, m.found);
    sparcl_graph_output(g, sparcl_graph_gradient(g, m.found));
    sparcl_graph_output(g, sparcl_graph_gradient(g, m.table));
    return m;
}

static sparcl_bags bags_of(const sparcl_list *list, const sparcl_csr *x) {
    sparcl_bags bags = {.bags = list->count,
                        .indices = *list,
                        .has_padding = 1,
                        .padding_index = PADDING,
                        .scale_by_frequency = 1};
    if (!x) return bags;
    bags.bags = x->rows;
    bags.indices = (sparcl_list){.count = x->nnz,
                                 .limit = x->cols,
                                 .indices = x->indices,
                                 .proof = {.flags = SPARCL_TRUSTED}};
    bags.include_last = 1;
    bags.offsets = x->offsets;
    bags.weights = x->values;
    bags.mode = SPARCL_BAG_MEAN;
    return bags;
}

static void assert_same(sparcl_ctx *ctx, const sparcl_buf *a, int64_t a_at, const sparcl_buf *b,
                        int64_t count) {
    for (int64_t i = 0; i < count; ++i)
        if (float_at(ctx, a, a_at + i) != float_at(ctx, b, i))
            fail_msg("element %lld is %g, expected %g", (long long)i,
                     (double)float_at(ctx, a, a_at + i), (double)float_at(ctx, b, i));
}

/* A row-sparse array as a dense one; its number of rows. */
static int64_t spread(sparcl_ctx *ctx, const sparcl_rows *r, float *to) {
    const int64_t stored = int_at(ctx, r->count, r->count_at);
    int64_t ids[COLS];
    memset(to, 0, COLS * WIDTH * sizeof *to);
    assert_in_range(stored, 0, COLS);
    assert_ok(ctx, spec_get_ints(ctx, r->indices, r->indices_at, stored, r->index_type, ids));
    for (int64_t u = 0; u < stored; ++u)
        for (int64_t j = 0; j < WIDTH; ++j)
            to[ids[u] * WIDTH + j] = float_at(ctx, r->values, r->values_at + u * WIDTH + j);
    return stored;
}

/* The same by the operations themselves; w: the table before the run. */
static void compare(sparcl_ctx *ctx, const model *m, const sparcl_dense *w,
                    const sparcl_bags *bags) {
    sparcl_dense table, found, g, own = {.rank = 2, .shape = {bags->bags, WIDTH}};
    sparcl_rows gradient, rows = {.rank = 2, .shape = {COLS, WIDTH}, .nnr = COLS};
    sparcl_graph *const graph = m->graph;
    assert_ok(ctx, sparcl_graph_value(graph, m->table, &table));
    assert_ok(ctx, sparcl_graph_value(graph, m->found, &found));
    assert_ok(ctx, sparcl_graph_value(graph, sparcl_graph_gradient(graph, m->found), &g));
    assert_ok(ctx,
              sparcl_graph_rows_value(graph, sparcl_graph_gradient(graph, m->table), &gradient));
    assert_ok(ctx, sparcl_dense_create(ctx, &own));
    assert_ok(ctx, sparcl_rows_create(ctx, &rows));
    if (!rows.count) rows.count = put_ints(ctx, &(int64_t){0}, 1, SPARCL_I64);
    assert_ok(ctx, sparcl_embedding_renorm(ctx, w, bags, options.max_norm, 2));
    assert_ok(ctx, bags->offsets ? sparcl_embedding_bag(ctx, &own, w, bags, NULL, NULL, 0)
                                 : sparcl_embedding(ctx, &own, w, bags, NULL, 0));
    assert_ok(ctx, sparcl_embedding_bag_gradient(ctx, &rows, &g, bags, NULL));
    assert_same(ctx, table.values, table.values_at, w->values, COLS * WIDTH);
    assert_same(ctx, found.values, found.values_at, own.values, bags->bags * WIDTH);
    float of_graph[COLS * WIDTH], by_hand[COLS * WIDTH];
    assert_true(spread(ctx, &rows, by_hand) > COLS / 3);
    (void)spread(ctx, &gradient, of_graph); /* also the row of the padding index, of 0 */
    for (int i = 0; i < COLS * WIDTH; ++i)
        assert_true(of_graph[i] == by_hand[i]);
    sparcl_dense_free(&own);
    sparcl_rows_free(&rows);
}

static void options_have_the_bits_of_the_operations(void **state) {
    sparcl_ctx *ctx = *state;
    int64_t ids[ROWS];
    float *const x = make_floats(COLS * WIDTH, 7);
    for (int64_t i = 0; i < ROWS; ++i)
        ids[i] = i * 7 % (COLS - 4);
    batch b = make_batch(ctx, ROWS, ENTRIES, 2, 5);
    sparcl_list list = {
        .limit = COLS, .count = ROWS, .indices = put_ints(ctx, ids, ROWS, SPARCL_I32)};
    assert_ok(ctx, sparcl_list_validate(ctx, &list, SPARCL_VALID));
    for (int of_list = 0; of_list < 2; ++of_list) {
        const model m = make_model(ctx, of_list);
        const sparcl_bags bags = bags_of(&list, of_list ? NULL : &b.x);
        sparcl_dense table, w = {.rank = 2, .shape = {COLS, WIDTH}};
        assert_ok(ctx, sparcl_graph_bind_csr(m.graph, m.x, &b.x));
        assert_ok(ctx, sparcl_graph_bind_list(m.graph, m.list, &list));
        assert_ok(ctx, sparcl_graph_value(m.graph, m.table, &table));
        assert_ok(ctx, sparcl_buf_write(ctx, table.values, 0, COLS * WIDTH * 4, x));
        w.values = put(ctx, x, COLS * WIDTH * 4);
        assert_ok(ctx, sparcl_graph_step(m.graph));
        compare(ctx, &m, &w, &bags);
        sparcl_dense_free(&w);
        sparcl_graph_free(m.graph);
    }
    sparcl_list_free(&list);
    free_batch(&b);
    free(x);
}

/* What is built is refused at the next run. */
static void assert_option_refused(sparcl_ctx *ctx, sparcl_embedding_options o, bool computed,
                                  sparcl_status status, const char *part) {
    sparcl_graph *g = NULL;
    const int64_t shape[] = {COLS, WIDTH};
    assert_ok(ctx, sparcl_graph_create(ctx, &g));
    const int64_t rows = sparcl_graph_dim(g, "rows", ROWS);
    const sparcl_node x =
        sparcl_graph_csr(g, "x", rows, COLS, sparcl_graph_dim(g, "entries", ENTRIES));
    const sparcl_node t = sparcl_graph_dense(g, "table", 2, shape);
    const sparcl_node used = computed ? sparcl_graph_activate(g, SPARCL_ACTIVATION_TANH, t) : t;
    assert_int_equal(sparcl_graph_embedding_bag_with(g, x, used, &o), SPARCL_NO_NODE);
    assert_refused(ctx, sparcl_graph_forward(g), status, part);
    sparcl_graph_free(g);
}

static void options_that_do_not_fit_are_refused(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_embedding_options o = options;
    assert_option_refused(ctx, o, true, SPARCL_E_ARG, "is computed, expected a parameter or an");
    o.max_norm = -1;
    assert_option_refused(ctx, o, false, SPARCL_E_ARG, "max_norm is -1, expected 0 or more");
    o.max_norm = 0;
    o.mode = SPARCL_BAG_MAX;
    assert_option_refused(ctx, o, false, SPARCL_E_ARG, "scale_by_frequency is 1 in mode max");
    o.reserved[1] = 1;
    assert_option_refused(ctx, o, false, SPARCL_E_ARG, "the reserved fields of the options");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_have_the_bits_of_the_operations),
        cmocka_unit_test(options_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
