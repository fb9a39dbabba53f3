/* test_graph_rows.c: gather and bag: their bits, row-sparse gradients with several readers, lists
 * and row-sparse inputs. */
#include "graph_test.h"
#include "sparcl/optim_text.h"

/* scores = w[list] + X w: two readers of rows of w. */
typedef struct twice {
    linear in;
    sparcl_node list;
} twice;

static twice make_twice(sparcl_ctx *ctx, const sparcl_optim *optim) {
    twice m;
    const int64_t shape[] = {COLS};
    assert_ok(ctx, sparcl_graph_create(ctx, &m.in.graph));
    sparcl_graph *const g = m.in.graph;
    const int64_t rows = sparcl_graph_dim(g, "rows", ROWS);
    m.in.x = sparcl_graph_csr(g, "x", rows, COLS, sparcl_graph_dim(g, "entries", ENTRIES));
    m.in.y = sparcl_graph_dense(g, "y", 1, &rows);
    m.list = sparcl_graph_list(g, "list", rows, COLS);
    m.in.w = sparcl_graph_parameter(g, "w", 1, shape, optim);
    const sparcl_node gathered = sparcl_graph_gather(g, m.in.w, m.list);
    const sparcl_node scores =
        sparcl_graph_binary(g, SPARCL_BINARY_ADD, gathered, sparcl_graph_spmm(g, m.in.x, m.in.w));
    m.in.losses = sparcl_graph_loss(g, SPARCL_LOSS_LOGISTIC, scores, m.in.y);
    m.in.mean = sparcl_graph_mean(g, m.in.losses);
    sparcl_graph_output(g, m.in.mean);
    assert_ok(ctx, sparcl_graph_backward(g, m.in.mean));
    return m;
}

static sparcl_list make_list(sparcl_ctx *ctx, int64_t count, int step) {
    sparcl_list list = {.limit = COLS, .count = count};
    int64_t indices[ROWS];
    for (int64_t i = 0; i < count; ++i)
        indices[i] = (i * 11 + 3 * step) % (step + 3);
    list.indices = put_ints(ctx, indices, count, SPARCL_INDEX32);
    assert_ok(ctx, sparcl_list_validate(ctx, &list, SPARCL_VALID));
    return list;
}

/* The same step with the operations themselves: the later reader's rows come first. */
static void step_by_hand(sparcl_ctx *ctx, sparcl_optim *optim, const sparcl_dense *w,
                         const sparcl_dense *states, const batch *b, const sparcl_list *list) {
    sparcl_pattern *pattern = NULL;
    sparcl_dense scores = {.rank = 1, .shape = {b->x.rows}}, more = scores;
    assert_ok(ctx, sparcl_dense_create(ctx, &scores));
    assert_ok(ctx, sparcl_dense_create(ctx, &more));
    assert_ok(ctx, sparcl_pattern_create(ctx, &pattern));
    assert_ok(ctx, sparcl_pattern_build(ctx, pattern, &b->x));
    sparcl_rows product = sparcl_pattern_columns(pattern), all = {.rank = 1, .shape = {COLS}};
    product.rank = 1;
    sparcl_rows gathered = {.rank = 1,
                            .shape = {COLS},
                            .nnr = list->count,
                            .indices = list->indices,
                            .values = scores.values,
                            .proof = {.flags = SPARCL_TRUSTED}};
    all.nnr = product.nnr + gathered.nnr;
    assert_ok(ctx, sparcl_rows_create(ctx, &all));
    assert_ok(ctx, sparcl_buf_create(ctx, &product.values, product.nnr * 4));
    ++optim->step;
    if (optim->lazy.last_steps) {
        assert_ok(ctx, sparcl_catch_up(ctx, optim, w, states, &product));
        assert_ok(ctx, sparcl_catch_up(ctx, optim, w, states, &gathered));
    }
    assert_ok(ctx, sparcl_gather_rows(ctx, &scores, w, list));
    assert_ok(ctx, sparcl_spmm(ctx, &more, 1, &b->x, w, 0));
    assert_ok(ctx, sparcl_binary(ctx, SPARCL_BINARY_ADD, &scores, &scores, &more));
    sparcl_dense matrix = scores;
    matrix.rank = 2;
    matrix.shape[1] = 1;
    assert_ok(ctx, sparcl_loss_gradient(ctx, SPARCL_LOSS_LOGISTIC, &matrix, NULL, &b->y,
                                        1.0 / (double)b->x.rows, &matrix, NULL));
    assert_ok(ctx, sparcl_spmm_t_rows(ctx, &product, 1, &b->x, &scores, pattern));
    if (!all.count) all.count = put_ints(ctx, &(int64_t){0}, 1, SPARCL_INDEX64);
    assert_ok(ctx, sparcl_rows_concat(ctx, &all, &product, &gathered));
    assert_ok(ctx, sparcl_step(ctx, optim, w, states, &all));
    sparcl_buf_free(product.values);
    sparcl_rows_free(&all);
    sparcl_pattern_free(pattern);
    sparcl_dense_free(&scores);
    sparcl_dense_free(&more);
}

static void train_both(sparcl_ctx *ctx, const sparcl_optim *given, bool fuses, float *found,
                       float *expected) {
    twice m = make_twice(ctx, given);
    sparcl_optim optim = *given;
    sparcl_dense w = {.rank = 1, .shape = {COLS}}, states[2] = {w, w};
    optim.step = 0;
    if (given->rule == SPARCL_RULE_MOMENTUM || given->decay.weight > 0) {
        assert_ok(ctx, sparcl_buf_create(ctx, &optim.lazy.last_steps, COLS * 8));
        assert_ok(ctx, sparcl_buf_fill(ctx, optim.lazy.last_steps, 0, COLS * 8, 0));
    }
    assert_ok(ctx, sparcl_dense_zeros(ctx, &w));
    for (int s = 0; s < 2; ++s)
        assert_ok(ctx, sparcl_dense_zeros(ctx, &states[s]));
    sparcl_graph_set_fusion(m.in.graph, fuses);
    for (int step = 0; step < STEPS; ++step) {
        batch b = make_batch(ctx, ROWS - 3 * step, ENTRIES / (8 * step + 1), 2, (uint64_t)step + 5);
        sparcl_list list = make_list(ctx, b.x.rows, step);
        bind(ctx, m.in.graph, m.in.x, m.in.y, &b);
        assert_ok(ctx, sparcl_graph_bind_list(m.in.graph, m.list, &list));
        assert_ok(ctx, sparcl_graph_step(m.in.graph));
        step_by_hand(ctx, &optim, &w, states, &b, &list);
        sparcl_list_free(&list);
        free_batch(&b);
    }
    assert_ok(ctx, sparcl_graph_finish(m.in.graph));
    ++optim.step;
    if (optim.lazy.last_steps) assert_ok(ctx, sparcl_catch_up(ctx, &optim, &w, states, NULL));
    read_value(ctx, m.in.graph, m.in.w, found);
    assert_ok(ctx, sparcl_dense_read(ctx, &w, expected));
    sparcl_buf_free(optim.lazy.last_steps);
    sparcl_dense_free(&w);
    for (int s = 0; s < 2; ++s)
        sparcl_dense_free(&states[s]);
    sparcl_graph_free(m.in.graph);
}

static void two_readers_of_rows_have_the_bits_of_the_operations(void **state) {
    static const sparcl_optim_duplicates duplicates[] = {SPARCL_DUPLICATES_MEAN,
                                                         SPARCL_DUPLICATES_SEPARATE};
    for (int i = 0; i < 8; ++i) {
        sparcl_optim optim;
        float found[2][COLS], expected[COLS];
        sparcl_optim_init(&optim, (sparcl_rule)(i % 4));
        optim.lr = 0.1;
        optim.decay.weight = i == 4 || i == 5 ? 0.01 : 0; /* sgd and momentum */
        if (i >= 6) optim.duplicates = duplicates[i - 6]; /* adagrad and adam */
        for (int fuses = 0; fuses < 2; ++fuses) {
            train_both(*state, &optim, fuses, found[fuses], expected);
            assert_memory_equal(found[fuses], expected, sizeof expected);
        }
        assert_true(found[0][0] != 0);
    }
}

static void train_with_output(sparcl_ctx *ctx, const sparcl_optim *optim, bool fuses,
                              float *found) {
    twice m = make_twice(ctx, optim);
    sparcl_graph_output(m.in.graph, sparcl_graph_gradient(m.in.graph, m.in.w));
    sparcl_graph_set_fusion(m.in.graph, fuses);
    for (int step = 0; step < STEPS; ++step) {
        batch b = make_batch(ctx, ROWS - 3 * step, ENTRIES / (8 * step + 1), 2, (uint64_t)step + 5);
        sparcl_list list = make_list(ctx, b.x.rows, step);
        bind(ctx, m.in.graph, m.in.x, m.in.y, &b);
        assert_ok(ctx, sparcl_graph_bind_list(m.in.graph, m.list, &list));
        assert_ok(ctx, sparcl_graph_step(m.in.graph));
        sparcl_list_free(&list);
        free_batch(&b);
    }
    read_value(ctx, m.in.graph, m.in.w, found);
    sparcl_graph_free(m.in.graph);
}

static void a_gradient_that_is_an_output_has_sums_for_any_optimizer(void **state) {
    float found[4][COLS];
    for (int i = 0; i < 4; ++i) {
        sparcl_optim optim;
        sparcl_optim_init(&optim, SPARCL_RULE_ADAGRAD);
        optim.lr = 0.1;
        optim.duplicates = i < 2 ? SPARCL_DUPLICATES_SUM : SPARCL_DUPLICATES_MEAN;
        train_with_output(*state, &optim, i % 2, found[i]);
        assert_memory_equal(found[i], found[0], sizeof found[0]);
    }
    assert_true(found[0][0] != 0);
}

/* An output that reads rows which the gradient does not have: they catch up, too. */
static void other_readers_see_rows_caught_up(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_optim optim;
    sparcl_optim_init(&optim, SPARCL_RULE_MOMENTUM);
    optim.lr = 0.1;
    linear m = make_linear(ctx, SPARCL_LOSS_LOGISTIC, 1, &optim);
    const sparcl_node all = sparcl_graph_list(m.graph, "all", COLS, COLS);
    const sparcl_node seen = sparcl_graph_gather(m.graph, m.w, all);
    float before[COLS], found[COLS], stale[COLS];
    int64_t ids[COLS];
    batch large = make_batch(ctx, ROWS, ENTRIES, 2, 6), small = make_batch(ctx, 3, 4, 2, 5);
    for (int64_t i = 0; i < COLS; ++i)
        ids[i] = i;
    sparcl_list list = {.limit = COLS,
                        .count = COLS,
                        .indices = put_ints(ctx, ids, COLS, SPARCL_INDEX32),
                        .proof = {.flags = SPARCL_TRUSTED}};
    assert_ok(ctx, sparcl_graph_backward(m.graph, m.mean));
    assert_ok(ctx, sparcl_graph_bind_list(m.graph, all, &list));
    bind(ctx, m.graph, m.x, m.y, &large);
    assert_ok(ctx, sparcl_graph_step(m.graph));
    bind(ctx, m.graph, m.x, m.y, &small);
    for (int step = 0; step < 2; ++step)
        assert_ok(ctx, sparcl_graph_step(m.graph));
    sparcl_dense current;
    assert_ok(ctx, sparcl_graph_current(m.graph, m.w, &current));
    assert_ok(ctx, sparcl_dense_read(ctx, &current, before));
    read_value(ctx, m.graph, m.w, stale);
    sparcl_graph_output(m.graph, seen);
    assert_ok(ctx, sparcl_graph_step(m.graph));
    read_value(ctx, m.graph, seen, found);
    assert_memory_equal(found, before, sizeof found);
    assert_memory_not_equal(found, stale, sizeof found);
    sparcl_list_free(&list);
    free_batch(&large);
    free_batch(&small);
    sparcl_graph_free(m.graph);
}

/* --- bags ------------------------------------------------------------------------------------- */

enum { WIDTH = 5 };

/* Softmax of an embedding bag, as a product or as a bag of gathered rows. */
static void train_bag(sparcl_ctx *ctx, int way, bool vector_table, float *result,
                      int64_t *launches) {
    linear m;
    sparcl_optim optim;
    const int64_t shape[] = {COLS, WIDTH};
    sparcl_optim_init(&optim, SPARCL_RULE_ADAGRAD);
    assert_ok(ctx, sparcl_graph_create(ctx, &m.graph));
    const int64_t rows = sparcl_graph_dim(m.graph, "rows", ROWS);
    m.x = sparcl_graph_csr(m.graph, "x", rows, COLS, sparcl_graph_dim(m.graph, "entries", ENTRIES));
    m.y = sparcl_graph_dense(m.graph, "y", 1, &rows);
    m.w = sparcl_graph_parameter(m.graph, "w", vector_table ? 1 : 2, shape, &optim);
    sparcl_node scores = SPARCL_NO_NODE;
    if (way == 0) {
        scores = sparcl_graph_spmm(m.graph, m.x, m.w);
    } else {
        const sparcl_node e = sparcl_graph_gather(m.graph, m.w, sparcl_graph_columns(m.graph, m.x));
        scores = sparcl_graph_bag(m.graph, m.x, e);
    }
    sparcl_graph_set_fusion(m.graph, way != 2);
    m.losses = sparcl_graph_loss(m.graph, vector_table ? SPARCL_LOSS_LOGISTIC : SPARCL_LOSS_SOFTMAX,
                                 scores, m.y);
    m.mean = sparcl_graph_mean(m.graph, m.losses);
    sparcl_graph_output(m.graph, m.mean);
    assert_ok(ctx, sparcl_graph_backward(m.graph, m.mean));
    for (int step = 0; step < STEPS; ++step) {
        batch b = make_batch(ctx, ROWS - 3 * step, ENTRIES / (step + 1), 2, (uint64_t)step + 5);
        bind(ctx, m.graph, m.x, m.y, &b);
        *launches = sparcl_ctx_launches(ctx);
        assert_ok(ctx, sparcl_graph_step(m.graph));
        *launches = sparcl_ctx_launches(ctx) - *launches;
        free_batch(&b);
    }
    read_value(ctx, m.graph, m.w, result);
    read_value(ctx, m.graph, m.mean, result + COLS * WIDTH);
    sparcl_graph_free(m.graph);
}

static void an_embedding_bag_has_the_bits_of_a_product(void **state) {
    for (int vector_table = 0; vector_table < 2; ++vector_table) {
        float results[3][COLS * WIDTH + 1] = {{0}};
        int64_t launches[3];
        for (int way = 0; way < 3; ++way)
            train_bag(*state, way, vector_table, results[way], &launches[way]);
        assert_memory_equal(results[0], results[1], sizeof results[0]);
        assert_memory_equal(results[0], results[2], sizeof results[0]);
        assert_int_equal(launches[0], launches[1]); /* the gathered rows are not made */
        assert_true(launches[2] > launches[1] && results[0][0] != 0);
    }
}

/* --- inputs ----------------------------------------------------------------------------------- */

static void what_does_not_fit_is_refused(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_graph *g = NULL;
    const int64_t shape[] = {COLS, WIDTH}, other[] = {COLS + 1, WIDTH};
    assert_ok(ctx, sparcl_graph_create(ctx, &g));
    const int64_t count = sparcl_graph_dim(g, "count", 8);
    const sparcl_node list = sparcl_graph_list(g, "list", count, COLS);
    const sparcl_node rows = sparcl_graph_rows(g, "rows", 2, shape, count);
    const sparcl_node table = sparcl_graph_dense(g, "table", 2, other);
    sparcl_list l = {.limit = COLS, .count = 9};
    sparcl_rows r = {.rank = 2, .shape = {COLS, WIDTH + 1}, .nnr = 3};
    assert_refused(ctx, sparcl_graph_bind_list(g, list, &l), SPARCL_E_SHAPE,
                   "graph: list: indices is 9, expected 0 to 8 (count)");
    l.count = 8;
    ++l.limit;
    assert_refused(ctx, sparcl_graph_bind_list(g, list, &l), SPARCL_E_SHAPE,
                   "graph: list: limit is 31, expected 30");
    assert_refused(ctx, sparcl_graph_bind_list(g, rows, &l), SPARCL_E_ARG, "is not a list input");
    assert_refused(ctx, sparcl_graph_bind_rows(g, rows, &r), SPARCL_E_SHAPE,
                   "graph: rows: a row's size is 6, expected 5");
    r.shape[1] = WIDTH;
    r.nnr = 9;
    assert_refused(ctx, sparcl_graph_bind_rows(g, rows, &r), SPARCL_E_SHAPE, "stored rows is 9");
    r.rank = 1;
    assert_refused(ctx, sparcl_graph_bind_rows(g, rows, &r), SPARCL_E_SHAPE, "the rank is 1");
    r.dtype = SPARCL_F64;
    assert_refused(ctx, sparcl_graph_bind_rows(g, rows, &r), SPARCL_E_DTYPE,
                   "its values are float64, expected float32");
    assert_refused(ctx, sparcl_graph_bind_rows(g, list, &r), SPARCL_E_ARG,
                   "is not a row-sparse input");
    assert_int_equal(sparcl_graph_gather(g, table, list), SPARCL_NO_NODE);
    assert_refused(ctx, sparcl_graph_forward(g), SPARCL_E_SHAPE,
                   "list has 30 rows as its limit, table has 31 rows");
    sparcl_graph_free(g);
}

/* Sizes of a list and of a row-sparse array must agree with those of other inputs. */
static void sizes_of_lists_and_rows_must_agree(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_graph *g = NULL;
    const int64_t shape[] = {COLS};
    assert_ok(ctx, sparcl_graph_create(ctx, &g));
    const int64_t count = sparcl_graph_dim(g, "count", 8);
    const sparcl_node list = sparcl_graph_list(g, "list", count, COLS);
    const sparcl_node rows = sparcl_graph_rows(g, "rows", 1, shape, count);
    const sparcl_node found = sparcl_graph_gather(g, sparcl_graph_to_dense(g, rows), list);
    const int64_t ids[] = {4, 29, 4}, wanted[] = {29, 4, 0, 4};
    const float values[] = {1, 2, 4};
    float got[3];
    sparcl_list l = {
        .limit = COLS, .count = 4, .indices = put_ints(ctx, wanted, 4, SPARCL_INDEX32)};
    sparcl_rows r = {.rank = 1,
                     .shape = {COLS},
                     .nnr = 3,
                     .indices = put_ints(ctx, ids, 3, SPARCL_INDEX32),
                     .values = put(ctx, values, sizeof values)};
    assert_ok(ctx, sparcl_list_validate(ctx, &l, SPARCL_VALID));
    assert_ok(ctx, sparcl_rows_validate(ctx, &r, SPARCL_VALID));
    sparcl_graph_output(g, found);
    assert_ok(ctx, sparcl_graph_bind_list(g, list, &l));
    assert_ok(ctx, sparcl_graph_bind_rows(g, rows, &r));
    assert_refused(ctx, sparcl_graph_forward(g), SPARCL_E_SHAPE,
                   "graph: rows: count is 3, but 4 in list");
    l.count = 3;
    l.proof = (sparcl_proof){.flags = SPARCL_TRUSTED};
    assert_ok(ctx, sparcl_graph_bind_list(g, list, &l));
    assert_ok(ctx, sparcl_graph_forward(g));
    read_value(ctx, g, found, got);
    assert_true(got[0] == 2 && got[1] == 5 && got[2] == 0);
    sparcl_list_free(&l);
    sparcl_rows_free(&r);
    sparcl_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_readers_of_rows_have_the_bits_of_the_operations),
        cmocka_unit_test(a_gradient_that_is_an_output_has_sums_for_any_optimizer),
        cmocka_unit_test(other_readers_see_rows_caught_up),
        cmocka_unit_test(an_embedding_bag_has_the_bits_of_a_product),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(sizes_of_lists_and_rows_must_agree),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
