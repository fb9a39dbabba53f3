/* test_graph_embedding.c: embeddings with options: scaled by frequency, and with a maximum norm. */
#include "graph_test.h"
#include "sparcl/ops/elements.h"
#include "sparcl/ops/layers.h"
#include "sparcl/optim.h"
#include "sparcl/optim_text.h"

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
    m.found = of_list ? sparcl_graph_embedding(g, m.table, m.list, &options)
                      : sparcl_graph_embedding_bag(g, m.x, m.table, &options);
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
    if (!rows.count) rows.count = put_ints(ctx, &(int64_t){0}, 1, SPARCL_INDEX64);
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
        .limit = COLS, .count = ROWS, .indices = put_ints(ctx, ids, ROWS, SPARCL_INDEX32)};
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
    const sparcl_node used = computed ? sparcl_graph_unary(g, SPARCL_UNARY_TANH, t) : t;
    assert_int_equal(sparcl_graph_embedding_bag(g, x, used, &o), SPARCL_NO_NODE);
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
    o.bounds = SPARCL_BOUNDS_SKIP;
    assert_option_refused(ctx, o, false, SPARCL_E_ARG, "there are bounds, but columns of a matrix");
    o.bounds = SPARCL_BOUNDS_ERROR;
    o.size = 1;
    assert_option_refused(ctx, o, false, SPARCL_E_ARG, "the size of the options");
}

/* --- bags of a list --------------------------------------------------------------------------- */

enum { LISTED = 9, BAGS = 4 };

/* Two indices are bad, and the last bag begins at the end. */
static const int64_t bag_ids[LISTED] = {3, -1, 12, 29, 3, 30, 0, 7, 12},
                     bag_offsets[BAGS + 1] = {0, 2, 2, 7, 9};

typedef struct bag_inputs {
    sparcl_list ids, offsets;
    sparcl_dense table, weights, want;
} bag_inputs;

static bag_inputs make_bag_inputs(sparcl_ctx *ctx, bool with_last) {
    bag_inputs in = {
        .ids = {.count = LISTED, .limit = COLS, .index_type = SPARCL_INDEX64},
        .offsets = {.count = BAGS + with_last, .limit = LISTED + 1, .index_type = SPARCL_INDEX32},
        .table = {.rank = 2, .shape = {COLS, WIDTH}},
        .weights = {.rank = 1, .shape = {LISTED}},
        .want = {.rank = 2, .shape = {BAGS, WIDTH}}};
    float *const values = make_floats(COLS * WIDTH, 3);
    in.ids.indices = put_ints(ctx, bag_ids, LISTED, SPARCL_INDEX64);
    in.offsets.indices = put_ints(ctx, bag_offsets, BAGS + with_last, SPARCL_INDEX32);
    assert_ok(ctx, sparcl_dense_upload(ctx, &in.table, values));
    assert_ok(ctx, sparcl_dense_upload(ctx, &in.weights, values));
    assert_ok(ctx, sparcl_dense_create(ctx, &in.want));
    free(values);
    return in;
}

static void free_bag_inputs(bag_inputs *in) {
    sparcl_list_free(&in->ids);
    sparcl_list_free(&in->offsets);
    sparcl_dense_free(&in->table);
    sparcl_dense_free(&in->weights);
    sparcl_dense_free(&in->want);
}

typedef struct bag_model {
    sparcl_graph *graph;
    sparcl_node ids, offsets, table, weights;
} bag_model;

/* A graph with these inputs, in which bags, offsets and indices may be of any number. */
static bag_model make_bag_model(sparcl_ctx *ctx, const bag_inputs *in) {
    const int64_t shape[] = {COLS, WIDTH};
    bag_model m;
    assert_ok(ctx, sparcl_graph_create(ctx, &m.graph));
    sparcl_graph *const g = m.graph;
    const int64_t n = sparcl_graph_dim(g, "indices", LISTED + 5);
    m.ids = sparcl_graph_list(g, "ids", n, COLS);
    m.offsets = sparcl_graph_list(g, "offsets", sparcl_graph_dim(g, "offsets", 10), LISTED + 1);
    m.table = sparcl_graph_dense(g, "table", 2, shape);
    m.weights = sparcl_graph_dense(g, "weights", 1, &n);
    assert_ok(ctx, sparcl_graph_bind_list(g, m.ids, &in->ids));
    assert_ok(ctx, sparcl_graph_bind_list(g, m.offsets, &in->offsets));
    assert_ok(ctx, sparcl_graph_bind_dense(g, m.table, &in->table));
    assert_ok(ctx, sparcl_graph_bind_dense(g, m.weights, &in->weights));
    return m;
}

static void assert_found(sparcl_ctx *ctx, const bag_model *m, sparcl_node node,
                         const sparcl_dense *want) {
    sparcl_dense found;
    sparcl_graph_output(m->graph, node);
    assert_ok(ctx, sparcl_graph_forward(m->graph));
    assert_ok(ctx, sparcl_graph_value(m->graph, node, &found));
    assert_int_equal(found.shape[0], want->shape[0]);
    assert_same(ctx, found.values, found.values_at, want->values, want->shape[0] * WIDTH);
}

static void check_bags(sparcl_ctx *ctx, sparcl_bounds bounds, bool with_last, bool weighted) {
    bag_inputs in = make_bag_inputs(ctx, with_last);
    bag_model m = make_bag_model(ctx, &in);
    const sparcl_bag_options o = {
        .bounds = bounds, .include_last = with_last, .has_padding = 1, .padding_index = 12};
    const sparcl_node a = sparcl_graph_bag_matrix(m.graph, m.ids, m.offsets, BAGS,
                                                  weighted ? m.weights : SPARCL_NO_NODE, &o);
    const sparcl_bags bags = {.bags = BAGS,
                              .indices = in.ids,
                              .offset_type = SPARCL_INDEX32,
                              .include_last = with_last,
                              .offsets = in.offsets.indices,
                              .weights = weighted ? in.weights.values : NULL,
                              .bounds = bounds,
                              .has_padding = 1,
                              .padding_index = 12};
    assert_ok(ctx, sparcl_embedding_bag(ctx, &in.want, &in.table, &bags, NULL, NULL, 0));
    assert_found(ctx, &m, sparcl_graph_embedding_bag(m.graph, a, m.table, NULL), &in.want);
    sparcl_graph_free(m.graph);
    free_bag_inputs(&in);
}

static void bags_of_a_list_have_the_bits_of_the_operation(void **state) {
    for (int i = 0; i < 8; ++i)
        check_bags(*state, i & 1 ? SPARCL_BOUNDS_SKIP : SPARCL_BOUNDS_CLAMP, i & 2, i & 4);
}

static void bad_indices_of_a_lookup_are_clamped_or_skipped(void **state) {
    sparcl_ctx *ctx = *state;
    for (int i = 0; i < 2; ++i) {
        bag_inputs in = make_bag_inputs(ctx, true);
        bag_model m = make_bag_model(ctx, &in);
        const sparcl_embedding_options o = {.bounds = i ? SPARCL_BOUNDS_SKIP : SPARCL_BOUNDS_CLAMP,
                                            .has_padding = 1};
        const sparcl_bags bags = {
            .bags = LISTED, .indices = in.ids, .bounds = o.bounds, .has_padding = 1};
        sparcl_dense want = {.rank = 2, .shape = {LISTED, WIDTH}};
        assert_ok(ctx, sparcl_dense_create(ctx, &want));
        assert_ok(ctx, sparcl_embedding(ctx, &want, &in.table, &bags, NULL, 0));
        assert_found(ctx, &m, sparcl_graph_embedding(m.graph, m.table, m.ids, &o), &want);
        sparcl_dense_free(&want);
        sparcl_graph_free(m.graph);
        free_bag_inputs(&in);
    }
}

/* The matrix of the caller's offsets and indices, without a copy of them. */
static void a_view_of_offsets_and_indices_is_the_matrix(void **state) {
    static const float ones[LISTED] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const int64_t good[LISTED] = {3, 1, 12, 29, 3, 28, 0, 7, 12};
    sparcl_ctx *ctx = *state;
    bag_inputs in = make_bag_inputs(ctx, true);
    sparcl_csr view = {.rows = BAGS, .cols = COLS, .nnz = LISTED, .index_type = SPARCL_INDEX64};
    assert_ok(ctx, sparcl_buf_write(ctx, in.ids.indices, 0, sizeof good, good));
    assert_ok(ctx, sparcl_list_validate(ctx, &in.ids, SPARCL_VALID));
    view.offsets = in.offsets.indices;
    view.indices = in.ids.indices;
    view.values = put(ctx, ones, sizeof ones);
    assert_ok(ctx, sparcl_csr_validate(ctx, &view, SPARCL_VALID));
    bag_model m = make_bag_model(ctx, &in);
    const sparcl_bag_options o = {.include_last = 1};
    const sparcl_node x = sparcl_graph_csr(m.graph, "x", BAGS, COLS, LISTED);
    const sparcl_node a =
        sparcl_graph_bag_matrix(m.graph, m.ids, m.offsets, BAGS, SPARCL_NO_NODE, &o);
    assert_ok(ctx, sparcl_graph_bind_csr(m.graph, x, &view));
    const sparcl_node own = sparcl_graph_embedding_bag(
        m.graph, x, m.table, &(sparcl_embedding_options){.mode = SPARCL_BAG_MEAN});
    const sparcl_node made = sparcl_graph_embedding_bag(
        m.graph, a, m.table, &(sparcl_embedding_options){.mode = SPARCL_BAG_MEAN});
    sparcl_graph_output(m.graph, own);
    sparcl_graph_output(m.graph, made);
    assert_ok(ctx, sparcl_graph_forward(m.graph));
    sparcl_dense found;
    assert_ok(ctx, sparcl_graph_value(m.graph, own, &found));
    assert_ok(ctx, sparcl_buf_copy(ctx, in.want.values, 0, found.values, found.values_at * 4,
                                   BAGS * WIDTH * 4));
    assert_found(ctx, &m, made, &in.want);
    sparcl_buf_free(view.values);
    sparcl_graph_free(m.graph);
    free_bag_inputs(&in);
}

static void bags_that_do_not_fit_are_refused(void **state) {
    static const struct {
        sparcl_bag_options options;
        int weights; /* 1: of another number, 2: a list */
        sparcl_status status;
        const char *part;
    } wrong[] = {
        {{.bounds = SPARCL_BOUNDS_CLAMP},
         0,
         SPARCL_E_SHAPE,
         "offsets has 5 offsets, expected 4 for 4 bags without the last offset"},
        {{.include_last = 1}, 0, SPARCL_E_UNCHECKED, "the list"},
        {{.bounds = (sparcl_bounds)3}, 0, SPARCL_E_ARG, "the bounds are 3, which is unknown"},
        {{.size = 1}, 0, SPARCL_E_ARG, "the size of the options"},
        {{.include_last = 1}, 1, SPARCL_E_SHAPE, "expected as many"},
        {{.include_last = 1}, 2, SPARCL_E_ARG, "ids is a list, expected dense"},
    };
    sparcl_ctx *ctx = *state;
    bag_inputs in = make_bag_inputs(ctx, true);
    for (size_t i = 0; i < COUNT(wrong); ++i) {
        bag_model m = make_bag_model(ctx, &in);
        const int64_t few[] = {3};
        const sparcl_node fewer = sparcl_graph_dense(m.graph, "few", 1, few);
        const sparcl_node weights[] = {SPARCL_NO_NODE, fewer, m.ids};
        const sparcl_node a = sparcl_graph_bag_matrix(m.graph, m.ids, m.offsets, BAGS,
                                                      weights[wrong[i].weights], &wrong[i].options);
        sparcl_graph_output(m.graph, a);
        assert_refused(ctx, sparcl_graph_forward(m.graph), wrong[i].status, wrong[i].part);
        sparcl_graph_free(m.graph);
    }
    free_bag_inputs(&in);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_have_the_bits_of_the_operations),
        cmocka_unit_test(options_that_do_not_fit_are_refused),
        cmocka_unit_test(bags_of_a_list_have_the_bits_of_the_operation),
        cmocka_unit_test(bad_indices_of_a_lookup_are_clamped_or_skipped),
        cmocka_unit_test(a_view_of_offsets_and_indices_is_the_matrix),
        cmocka_unit_test(bags_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
