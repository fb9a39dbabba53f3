/* test_graph_computed_rows.c: a table whose rows are the columns of a matrix that the run computes:
 * its row-sparse gradient and its steps have the bits of those where the matrix is bound. */
#include "graph_test.h"
#include "sparcl/optim_text.h"

enum { UNITS = 48, LARGEST = 2, OUTPUTS = 5, RUNS = 12, GROUP = 8 };

/* scores = topk(h) decoder, or codes decoder. */
typedef struct decoder {
    sparcl_graph *graph;
    sparcl_node from, codes, y, table, mean;
} decoder;

static decoder make_decoder(sparcl_ctx *ctx, const sparcl_optim *optim, bool computes,
                            double limit) {
    decoder d;
    assert_ok(ctx, sparcl_graph_create(ctx, &d.graph));
    sparcl_graph *const g = d.graph;
    const int64_t rows = sparcl_graph_dim(g, "rows", ROWS);
    const int64_t entries = sparcl_graph_dim(g, "entries", ROWS * LARGEST);
    const int64_t units[] = {rows, UNITS}, table[] = {UNITS, OUTPUTS};
    d.from = computes ? sparcl_graph_dense(g, "h", 2, units)
                      : sparcl_graph_csr(g, "codes", rows, UNITS, entries);
    d.codes = computes ? sparcl_graph_topk_rows(g, d.from, LARGEST, SPARCL_TOPK_MAGNITUDE) : d.from;
    d.y = sparcl_graph_dense(g, "y", 1, &rows);
    d.table = sparcl_graph_parameter(g, "decoder", 2, table, optim);
    const sparcl_node scores = sparcl_graph_spmm(g, d.codes, d.table);
    d.mean = sparcl_graph_mean(g, sparcl_graph_loss(g, SPARCL_LOSS_SOFTMAX, scores, d.y));
    sparcl_graph_output(g, d.mean);
    if (computes) sparcl_graph_output(g, d.codes);
    assert_ok(ctx, sparcl_graph_clip_global_norm(g, limit));
    assert_ok(ctx, sparcl_graph_backward(g, d.mean));
    if (computes) sparcl_graph_output(g, sparcl_graph_gradient(g, d.table));
    return d;
}

/* The largest units of a run are those of one group, so that other rows wait for many steps. */
static sparcl_dense make_units(sparcl_ctx *ctx, int64_t rows, int run) {
    sparcl_dense h = {.rank = 2, .shape = {rows, UNITS}};
    float *const values = make_floats(rows * UNITS, (uint64_t)run + 1);
    for (int64_t i = 0; i < rows * UNITS; ++i)
        if (i % UNITS / GROUP == run % (UNITS / GROUP)) values[i] += 4;
    assert_ok(ctx, sparcl_dense_upload(ctx, &h, values));
    free(values);
    return h;
}

static sparcl_dense make_labels(sparcl_ctx *ctx, int64_t rows, int run) {
    sparcl_dense y = {.rank = 1, .shape = {rows}};
    float labels[ROWS];
    for (int64_t i = 0; i < rows; ++i)
        labels[i] = (float)((i * 7 + run) % OUTPUTS);
    assert_ok(ctx, sparcl_dense_upload(ctx, &y, labels));
    return y;
}

static void assert_same_value(sparcl_ctx *ctx, const decoder *a, const decoder *b) {
    float one[UNITS * OUTPUTS], other[UNITS * OUTPUTS];
    sparcl_dense view;
    assert_ok(ctx, sparcl_graph_current(a->graph, a->table, &view));
    assert_ok(ctx, sparcl_dense_read(ctx, &view, one));
    assert_ok(ctx, sparcl_graph_current(b->graph, b->table, &view));
    assert_ok(ctx, sparcl_dense_read(ctx, &view, other));
    assert_memory_equal(one, other, sizeof one);
}

/* As many stored rows as units of one group, at most. */
static void assert_few_rows(sparcl_ctx *ctx, const decoder *d) {
    sparcl_rows rows;
    const sparcl_node gradient = sparcl_graph_gradient(d->graph, d->table);
    assert_ok(ctx, sparcl_graph_rows_value(d->graph, gradient, &rows));
    assert_in_range(int_at(ctx, rows.count, rows.count_at), 1, GROUP);
}

static void step_both(sparcl_ctx *ctx, const decoder *computed, const decoder *bound, int run) {
    const int64_t count = run % 3 ? ROWS : ROWS / 2;
    sparcl_dense h = make_units(ctx, count, run), y = make_labels(ctx, count, run);
    sparcl_csr codes;
    assert_ok(ctx, sparcl_graph_bind_dense(computed->graph, computed->from, &h));
    assert_ok(ctx, sparcl_graph_bind_dense(computed->graph, computed->y, &y));
    assert_ok(ctx, sparcl_graph_step(computed->graph));
    assert_ok(ctx, sparcl_graph_csr_value(computed->graph, computed->codes, &codes));
    assert_ok(ctx, sparcl_graph_bind_csr(bound->graph, bound->from, &codes));
    assert_ok(ctx, sparcl_graph_bind_dense(bound->graph, bound->y, &y));
    assert_ok(ctx, sparcl_graph_step(bound->graph));
    assert_few_rows(ctx, computed);
    sparcl_dense_free(&h);
    sparcl_dense_free(&y);
}

static void train(sparcl_ctx *ctx, const char *text, sparcl_moves moves, double limit) {
    sparcl_optim optim;
    sparcl_error error = {0};
    if (sparcl_optim_parse(&optim, text, &error) != SPARCL_OK) fail_msg("%s", error.message);
    optim.moves = moves;
    const decoder computed = make_decoder(ctx, &optim, true, limit);
    const decoder bound = make_decoder(ctx, &optim, false, limit);
    for (int run = 0; run < RUNS; ++run) {
        step_both(ctx, &computed, &bound, run);
        assert_same_value(ctx, &computed, &bound);
    }
    assert_ok(ctx, sparcl_graph_finish(computed.graph));
    assert_ok(ctx, sparcl_graph_finish(bound.graph));
    assert_same_value(ctx, &computed, &bound);
    sparcl_graph_free(computed.graph);
    sparcl_graph_free(bound.graph);
}

static void steps_have_the_bits_of_a_bound_matrix(void **state) {
    static const char *const optimizers[] = {"adam:lr=0.01", "momentum:lr=0.1",
                                             "adagrad:lr=0.1,weight_decay=0.2,decay=decoupled",
                                             "sgd:lr=0.1,weight_decay=0.3"};
    for (size_t k = 0; k < COUNT(optimizers); ++k) {
        train(*state, optimizers[k], SPARCL_MOVES_PRESENT, (double)INFINITY);
        train(*state, optimizers[k], SPARCL_MOVES_EXACT, (double)INFINITY);
        train(*state, optimizers[k], SPARCL_MOVES_EXACT, 0.01); /* of the norm of the gradient */
    }
}

/* A second reader has rows of its own, so the gradient is dense. */
static void of_two_readers_it_is_dense(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_graph *g = NULL;
    sparcl_optim optim;
    sparcl_rows rows;
    sparcl_dense dense;
    const int64_t units[] = {ROWS, UNITS}, table[] = {UNITS};
    sparcl_optim_init(&optim, SPARCL_RULE_ADAM);
    assert_ok(ctx, sparcl_graph_create(ctx, &g));
    const sparcl_node h = sparcl_graph_dense(g, "h", 2, units);
    const sparcl_node codes = sparcl_graph_topk_rows(g, h, LARGEST, SPARCL_TOPK_VALUE);
    const sparcl_node other = sparcl_graph_topk_rows(g, h, LARGEST, SPARCL_TOPK_MAGNITUDE);
    const sparcl_node w = sparcl_graph_parameter(g, "w", 1, table, &optim);
    const sparcl_node sum = sparcl_graph_binary(
        g, SPARCL_BINARY_ADD, sparcl_graph_spmm(g, codes, w), sparcl_graph_spmm(g, other, w));
    const sparcl_node mean = sparcl_graph_mean(g, sparcl_graph_unary(g, SPARCL_UNARY_SQUARE, sum));
    assert_ok(ctx, sparcl_graph_backward(g, mean));
    sparcl_graph_output(g, sparcl_graph_gradient(g, w));
    sparcl_dense input = make_units(ctx, ROWS, 0);
    assert_ok(ctx, sparcl_graph_bind_dense(g, h, &input));
    assert_ok(ctx, sparcl_graph_step(g));
    assert_ok(ctx, sparcl_graph_value(g, sparcl_graph_gradient(g, w), &dense));
    assert_int_equal(sparcl_graph_rows_value(g, sparcl_graph_gradient(g, w), &rows), SPARCL_E_ARG);
    sparcl_dense_free(&input);
    sparcl_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_have_the_bits_of_a_bound_matrix),
        cmocka_unit_test(of_two_readers_it_is_dense),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
