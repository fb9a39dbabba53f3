/* test_graph_training.c: what graph.h says of operations that do something else in evaluation than
 * in training. */
#include "graph_test.h"

/* --- dropout ---------------------------------------------------------------------------------- */

/* A linear model with noise: ones after dropout, added to the scores. */
typedef struct noisy {
    sparcl_graph *graph;
    sparcl_node w, noise;
    batch b;
    sparcl_dense ones;
} noisy;

static noisy make_noisy(sparcl_ctx *ctx, uint64_t seed) {
    const int64_t rows = ROWS, of_ones[] = {ROWS, 1}, of_w[] = {COLS, 1};
    noisy n = {.b = make_batch(ctx, ROWS, ENTRIES, 2, 3), .ones = vector(ctx, ROWS, 1)};
    sparcl_optim optim;
    float ones[ROWS];
    for (int i = 0; i < ROWS; ++i)
        ones[i] = 1;
    assert_ok(ctx, sparcl_dense_upload(ctx, &n.ones, ones));
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    assert_ok(ctx, sparcl_graph_create(ctx, &n.graph));
    sparcl_graph *const g = n.graph;
    const sparcl_node x = sparcl_graph_csr(g, "x", ROWS, COLS, n.b.x.nnz);
    const sparcl_node y = sparcl_graph_dense(g, "y", 1, &rows);
    const sparcl_node in = sparcl_graph_dense(g, "ones", 2, of_ones);
    n.w = sparcl_graph_parameter(g, "w", 2, of_w, &optim);
    n.noise = sparcl_graph_dropout(g, in, 0.5, seed);
    const sparcl_node scores = sparcl_graph_add(g, sparcl_graph_spmm(g, x, n.w), n.noise);
    const sparcl_node losses = sparcl_graph_loss(g, SPARCL_LOSS_LOGISTIC, scores, y);
    sparcl_graph_output(g, n.noise);
    assert_ok(ctx, sparcl_graph_backward(g, sparcl_graph_mean(g, losses)));
    bind(ctx, g, x, y, &n.b);
    assert_ok(ctx, sparcl_graph_bind_dense(g, in, &n.ones));
    return n;
}

static void free_noisy(noisy *n) {
    sparcl_graph_free(n->graph);
    free_batch(&n->b);
    sparcl_dense_free(&n->ones);
}

/* Steps, each with its noise, and then the weights. */
static void train_noisy(sparcl_ctx *ctx, uint64_t seed, float noise[STEPS][ROWS], float *w) {
    noisy n = make_noisy(ctx, seed);
    for (int s = 0; s < STEPS; ++s) {
        assert_ok(ctx, sparcl_graph_step(n.graph));
        read_value(ctx, n.graph, n.noise, noise[s]);
    }
    read_value(ctx, n.graph, n.w, w);
    free_noisy(&n);
}

static void every_step_has_its_own_mask_and_every_run_of_a_seed_the_same(void **state) {
    float noise[STEPS][ROWS], again[STEPS][ROWS], other[STEPS][ROWS];
    float w[COLS], w_again[COLS], w_other[COLS];
    train_noisy(*state, 11, noise, w);
    train_noisy(*state, 11, again, w_again);
    train_noisy(*state, 12, other, w_other);
    assert_memory_equal(noise, again, sizeof noise);
    assert_memory_equal(w, w_again, sizeof w);
    assert_memory_not_equal(w, w_other, sizeof w);
    for (int s = 0; s < STEPS; ++s) {
        int kept = 0;
        for (int i = 0; i < ROWS; ++i) {
            assert_true(noise[s][i] == 0 || noise[s][i] == 2);
            kept += noise[s][i] == 2;
        }
        assert_in_range(kept, 8, ROWS - 8);
        assert_memory_not_equal(noise[s], other[s], sizeof noise[s]);
        for (int t = 0; t < s; ++t)
            assert_memory_not_equal(noise[s], noise[t], sizeof noise[s]);
    }
}

static void the_mask_of_a_step_can_be_repeated(void **state) {
    float first[ROWS], found[ROWS];
    noisy n = make_noisy(*state, 11);
    assert_ok(*state, sparcl_graph_step(n.graph));
    read_value(*state, n.graph, n.noise, first);
    assert_ok(*state, sparcl_graph_forward(n.graph)); /* before the second step */
    read_value(*state, n.graph, n.noise, found);
    assert_memory_not_equal(first, found, sizeof first);
    sparcl_graph_set_step(n.graph, 0);
    assert_ok(*state, sparcl_graph_forward(n.graph));
    read_value(*state, n.graph, n.noise, found);
    assert_memory_equal(first, found, sizeof first);
    free_noisy(&n);
}

static void without_training_dropout_passes_its_operand_on(void **state) {
    float found[ROWS];
    noisy n = make_noisy(*state, 11);
    sparcl_graph_set_training(n.graph, 0);
    for (int s = 0; s < 2; ++s) {
        assert_ok(*state, s ? sparcl_graph_step(n.graph) : sparcl_graph_forward(n.graph));
        read_value(*state, n.graph, n.noise, found);
        for (int i = 0; i < ROWS; ++i)
            assert_true(found[i] == 1);
    }
    sparcl_graph_set_training(n.graph, 1);
    assert_ok(*state, sparcl_graph_forward(n.graph));
    read_value(*state, n.graph, n.noise, found);
    for (int i = 0; i < ROWS; ++i)
        assert_true(found[i] == 0 || found[i] == 2);
    free_noisy(&n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_has_its_own_mask_and_every_run_of_a_seed_the_same),
        cmocka_unit_test(the_mask_of_a_step_can_be_repeated),
        cmocka_unit_test(without_training_dropout_passes_its_operand_on),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
