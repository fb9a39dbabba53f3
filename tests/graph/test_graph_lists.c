/* test_graph_lists.c: several lists of rows of one table: what a graph computes once, in one sum or
 * in one launch has the same bits, and the values of the operations themselves. */
#include "graph_test.h"
#include "sparcl/optim_text.h"

enum { LISTS = 3, WIDE = 6 };

typedef struct ranking {
    sparcl_graph *graph;
    sparcl_node lists[LISTS], labels, table, losses, mean;
} ranking;

static sparcl_node half_squares(sparcl_graph *g, sparcl_node rows) {
    return sparcl_graph_binary_scalar(
        g, SPARCL_BINARY_MULTIPLY,
        sparcl_graph_reduce(g, SPARCL_REDUCE_SQUARE_SUM, SPARCL_OVER_ALL, rows, 1), 0.03);
}

/* Scores of rows of the table, or of it times a number, which is computed. */
static ranking make_ranking(sparcl_ctx *ctx, bool is_computed, int64_t width,
                            const sparcl_optim *optim) {
    ranking m;
    const int64_t shape[] = {COLS, width};
    sparcl_node rows[LISTS];
    assert_ok(ctx, sparcl_graph_create(ctx, &m.graph));
    sparcl_graph *const g = m.graph;
    const int64_t count = sparcl_graph_dim(g, "rows", ROWS);
    m.labels = sparcl_graph_dense(g, "labels", 1, &count);
    m.table = sparcl_graph_parameter(g, "table", 2, shape, optim);
    const sparcl_node x =
        is_computed ? sparcl_graph_binary_scalar(g, SPARCL_BINARY_MULTIPLY, m.table, 0.7) : m.table;
    for (int i = 0; i < LISTS; ++i) {
        m.lists[i] = sparcl_graph_list(g, "list", count, COLS);
        rows[i] = sparcl_graph_gather(g, x, m.lists[i]);
    }
    const sparcl_node scores = sparcl_graph_dot_rows(
        g, rows[0], sparcl_graph_binary(g, SPARCL_BINARY_SUBTRACT, rows[1], rows[2]));
    m.losses = sparcl_graph_loss(g, SPARCL_LOSS_LOGISTIC, scores, m.labels);
    for (int i = 0; i < LISTS; ++i)
        m.losses =
            sparcl_graph_binary(g, SPARCL_BINARY_ADD, m.losses,
                                half_squares(g, sparcl_graph_gather(g, m.table, m.lists[i])));
    m.mean = sparcl_graph_mean(g, m.losses);
    sparcl_graph_output(g, m.mean);
    sparcl_graph_output(g, m.losses);
    assert_ok(ctx, sparcl_graph_backward(g, m.mean));
    return m;
}

/* Indices occur several times, in one list and in two. */
static sparcl_list make_list(sparcl_ctx *ctx, int64_t count, int which, int step) {
    sparcl_list list = {.limit = COLS, .count = count};
    int64_t indices[ROWS];
    for (int64_t i = 0; i < count; ++i)
        indices[i] = (which ? 9 : 0) + (i * 11 + 3 * step + which) % (step + 7);
    list.indices = put_ints(ctx, indices, count, SPARCL_INDEX32);
    assert_ok(ctx, sparcl_list_validate(ctx, &list, SPARCL_VALID));
    return list;
}

static sparcl_dense make_labels(sparcl_ctx *ctx, int64_t count) {
    sparcl_dense labels = {.rank = 1, .shape = {count}};
    float ones[ROWS];
    for (int64_t i = 0; i < count; ++i)
        ones[i] = 1;
    assert_ok(ctx, sparcl_dense_upload(ctx, &labels, ones));
    return labels;
}

static void put_table(sparcl_ctx *ctx, const ranking *m, int64_t width) {
    float start[COLS * 300];
    sparcl_dense table;
    for (int64_t i = 0; i < COLS * width; ++i)
        start[i] = (float)((i * 37 % 101) - 50) / 64;
    assert_ok(ctx, sparcl_graph_value(m->graph, m->table, &table));
    assert_ok(ctx,
              sparcl_buf_write(ctx, table.values, table.values_at * 4, COLS * width * 4, start));
}

/* The losses of the last step and the table; the launches of that step. */
static int64_t train(sparcl_ctx *ctx, const ranking *m, int64_t width, float *result) {
    int64_t launches = 0;
    put_table(ctx, m, width);
    for (int step = 0; step < STEPS; ++step) {
        const int64_t count = ROWS - step;
        sparcl_list lists[LISTS];
        sparcl_dense labels = make_labels(ctx, count);
        assert_ok(ctx, sparcl_graph_bind_dense(m->graph, m->labels, &labels));
        for (int i = 0; i < LISTS; ++i) {
            lists[i] = make_list(ctx, count, i, step);
            assert_ok(ctx, sparcl_graph_bind_list(m->graph, m->lists[i], &lists[i]));
        }
        launches = sparcl_ctx_launches(ctx);
        assert_ok(ctx, sparcl_graph_step(m->graph));
        launches = sparcl_ctx_launches(ctx) - launches;
        read_value(ctx, m->graph, m->losses, result);
        for (int i = 0; i < LISTS; ++i)
            sparcl_list_free(&lists[i]);
        sparcl_dense_free(&labels);
    }
    assert_ok(ctx, sparcl_graph_finish(m->graph));
    read_value(ctx, m->graph, m->table, result + ROWS);
    return launches;
}

/* Rows longer than a block are summed by themselves. */
static void compare(sparcl_ctx *ctx) {
    static const int64_t widths[] = {1, WIDE, 8, 300};
    static float results[2][ROWS + COLS * 300];
    sparcl_optim optim;
    for (int computed = 0; computed < 2; ++computed)
        for (size_t w = 0; w < COUNT(widths); ++w) {
            int64_t launches[2];
            memset(results, 0, sizeof results);
            for (int fuses = 0; fuses < 2; ++fuses) {
                sparcl_optim_init(&optim, SPARCL_RULE_MOMENTUM);
                optim.lr = 0.3;
                ranking m = make_ranking(ctx, computed, widths[w], &optim);
                sparcl_graph_set_fusion(m.graph, fuses);
                launches[fuses] = train(ctx, &m, widths[w], results[fuses]);
                sparcl_graph_free(m.graph);
            }
            assert_memory_equal(results[0], results[1], sizeof results[0]);
            assert_true(results[0][0] > 0 && results[0][ROWS] != 0);
            assert_true(launches[1] + 8 < launches[0]);
        }
}

static void fusion_changes_no_bit_of_rankings(void **state) {
    compare(*state);
}

static void nor_with_kernels_for_gpus(void **state) {
    sparcl_ctx *const ctx = open_class(SPARCL_CLASS_GPU);
    (void)state;
    if (ctx) compare(ctx);
    sparcl_ctx_close(ctx);
}

/* Values that are outputs are there by themselves. */
static void outputs_are_not_left_out(void **state) {
    sparcl_ctx *const ctx = *state;
    float one[COLS * WIDE], other[COLS * WIDE];
    sparcl_node copies[2];
    sparcl_graph *g = NULL;
    const int64_t shape[] = {COLS, WIDE};
    sparcl_dense table = vector(ctx, COLS, WIDE);
    sparcl_list list = make_list(ctx, 20, 0, 1);
    assert_ok(ctx, sparcl_graph_create(ctx, &g));
    const sparcl_node x = sparcl_graph_dense(g, "x", 2, shape);
    const sparcl_node of = sparcl_graph_list(g, "list", 20, COLS);
    for (int i = 0; i < 2; ++i) {
        copies[i] = sparcl_graph_gather(g, x, of);
        sparcl_graph_output(g, copies[i]);
    }
    for (int64_t i = 0; i < COLS * WIDE; ++i)
        one[i] = (float)i;
    assert_ok(ctx, sparcl_buf_write(ctx, table.values, 0, sizeof one, one));
    assert_ok(ctx, sparcl_graph_bind_dense(g, x, &table));
    assert_ok(ctx, sparcl_graph_bind_list(g, of, &list));
    assert_ok(ctx, sparcl_graph_forward(g));
    read_value(ctx, g, copies[0], one);
    read_value(ctx, g, copies[1], other);
    assert_memory_equal(one, other, 20 * WIDE * sizeof *one);
    assert_true(one[0] == (float)(3 % 8) * WIDE);
    sparcl_list_free(&list);
    sparcl_dense_free(&table);
    sparcl_graph_free(g);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(fusion_changes_no_bit_of_rankings),
        cmocka_unit_test(nor_with_kernels_for_gpus),
        cmocka_unit_test(outputs_are_not_left_out),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
