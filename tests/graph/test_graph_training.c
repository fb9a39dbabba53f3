/* test_graph_training.c: what graph.h says of operations that do something else in evaluation than
 * in training. */
#include "graph_test.h"
#include "sparcl/optim_text.h"

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
    const sparcl_node scores =
        sparcl_graph_binary(g, SPARCL_BINARY_ADD, sparcl_graph_spmm(g, x, n.w), n.noise);
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

/* --- running statistics ----------------------------------------------------------------------- */

enum { WIDTH = 3 };

/* Batch normalisation of an input; a loss that reads it. */
typedef struct normed {
    sparcl_graph *graph;
    sparcl_node in, y, running[2];
    sparcl_dense x, labels;
    float host[ROWS * WIDTH];
} normed;

static const float momentum = 0.1F, epsilon = 0.125F;

/* With the statistics as parameters; `broken`: a refusal. */
static normed make_normed(sparcl_ctx *ctx, int broken) {
    const int64_t rows = ROWS, width = WIDTH, of_x[] = {ROWS, WIDTH}, of_head[] = {WIDTH, 1};
    normed n = {.x = vector(ctx, ROWS, WIDTH), .labels = {.rank = 1, .shape = {ROWS}}};
    sparcl_optim optim;
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    assert_ok(ctx, sparcl_dense_zeros(ctx, &n.labels));
    assert_ok(ctx, sparcl_graph_create(ctx, &n.graph));
    sparcl_graph *const g = n.graph;
    n.in = sparcl_graph_dense(g, "x", 2, of_x);
    const sparcl_node labels = sparcl_graph_dense(g, "labels", 1, &rows);
    const sparcl_node gamma = sparcl_graph_parameter(g, "gamma", 1, &width, &optim);
    const sparcl_node beta = sparcl_graph_parameter(g, "beta", 1, &width, &optim);
    const sparcl_node head = sparcl_graph_parameter(g, "head", 2, of_head, &optim);
    n.running[0] = sparcl_graph_parameter(g, "mean", 1, &width, &optim);
    n.running[1] = sparcl_graph_parameter(g, "variance", 1, &width, &optim);
    const sparcl_node mean = broken == 1 ? sparcl_graph_sum(g, n.in) : n.running[0];
    const sparcl_node variance = broken == 2 ? n.running[0] : n.running[1];
    n.y = sparcl_graph_batch_norm_running(g, n.in, gamma, beta, (double)epsilon,
                                          broken == 3 ? 1.5 : (double)momentum, mean,
                                          broken == 4 ? head : variance);
    const sparcl_node scores = sparcl_graph_gemm(g, SPARCL_OP_N, n.y, SPARCL_OP_N, head);
    const sparcl_node losses = sparcl_graph_loss(g, SPARCL_LOSS_SQUARED, scores, labels);
    if (broken) return n;
    sparcl_graph_output(g, n.y);
    assert_ok(ctx, sparcl_graph_backward(g, sparcl_graph_mean(g, losses)));
    assert_ok(ctx, sparcl_graph_bind_dense(g, n.in, &n.x));
    assert_ok(ctx, sparcl_graph_bind_dense(g, labels, &n.labels));
    for (int k = 0; k < 2; ++k) { /* gamma and the variance begin with ones */
        const float ones[] = {1, 1, 1};
        sparcl_dense value;
        assert_ok(ctx, sparcl_graph_value(g, k ? n.running[1] : gamma, &value));
        assert_ok(ctx, sparcl_dense_upload(ctx, &value, ones));
    }
    return n;
}

static void free_normed(normed *n) {
    sparcl_graph_free(n->graph);
    sparcl_dense_free(&n->x);
    sparcl_dense_free(&n->labels);
}

static void put_batch(sparcl_ctx *ctx, normed *n, uint64_t seed) {
    float *const x = make_floats(ROWS * WIDTH, seed);
    for (int i = 0; i < ROWS * WIDTH; ++i)
        n->host[i] = x[i] + (float)(i % WIDTH);
    free(x);
    assert_ok(ctx, sparcl_dense_upload(ctx, &n->x, n->host));
}

/* Each operation rounded once, sums from the first row on (rule S). */
static void move_statistics(const normed *n, float *mean, float *variance) {
    const float rest = (float)(1 - (double)momentum), unbiased = (float)((double)ROWS / (ROWS - 1));
    for (int j = 0; j < WIDTH; ++j) {
        volatile float sum = 0, squares = 0; /* no contraction */
        for (int i = 0; i < ROWS; ++i)
            sum = sum + n->host[i * WIDTH + j];
        const float own = sum / ROWS;
        for (int i = 0; i < ROWS; ++i) {
            const volatile float d = n->host[i * WIDTH + j] - own, square = d * d;
            squares = squares + square;
        }
        const volatile float corrected = squares / ROWS * unbiased;
        const volatile float a = rest * mean[j], b = momentum * own;
        const volatile float c = rest * variance[j], d = momentum * corrected;
        mean[j] = a + b;
        variance[j] = c + d;
    }
}

static void assert_statistics(sparcl_ctx *ctx, const normed *n, const float *mean,
                              const float *variance) {
    float found[WIDTH];
    read_value(ctx, n->graph, n->running[0], found);
    assert_memory_equal(found, mean, sizeof found);
    read_value(ctx, n->graph, n->running[1], found);
    assert_memory_equal(found, variance, sizeof found);
}

static void steps_move_running_statistics_and_evaluation_uses_them(void **state) {
    sparcl_ctx *ctx = *state;
    normed n = make_normed(ctx, 0);
    float mean[WIDTH] = {0, 0, 0}, variance[WIDTH] = {1, 1, 1};
    float y[ROWS * WIDTH], gamma[WIDTH], beta[WIDTH];
    for (uint64_t s = 0; s < STEPS; ++s) {
        put_batch(ctx, &n, s);
        assert_ok(ctx, sparcl_graph_step(n.graph));
        move_statistics(&n, mean, variance);
        assert_statistics(ctx, &n, mean, variance);
    }
    assert_ok(ctx, sparcl_graph_forward(n.graph)); /* by the batch, and changes nothing */
    read_value(ctx, n.graph, n.y, y);
    assert_statistics(ctx, &n, mean, variance);
    read_value(ctx, n.graph, 2, gamma);
    read_value(ctx, n.graph, 3, beta);
    for (int j = 0; j < WIDTH; ++j) {
        double sum = 0;
        for (int i = 0; i < ROWS; ++i)
            sum += (double)(y[i * WIDTH + j] - beta[j]);
        assert_true(fabs(sum) < 1e-4 * ROWS);
    }
    sparcl_graph_set_training(n.graph, 0);
    assert_ok(ctx, sparcl_graph_forward(n.graph));
    read_value(ctx, n.graph, n.y, y);
    assert_statistics(ctx, &n, mean, variance);
    for (int i = 0; i < ROWS * WIDTH; ++i) {
        const int j = i % WIDTH;
        const double rstd = 1 / sqrt((double)variance[j] + (double)epsilon);
        const double want = ((double)n.host[i] - (double)mean[j]) * rstd * (double)gamma[j];
        assert_true(fabs((double)y[i] - (want + (double)beta[j])) < 1e-5);
    }
    free_normed(&n);
}

static void a_step_by_running_statistics_is_refused_before_it_begins(void **state) {
    sparcl_ctx *ctx = *state;
    normed n = make_normed(ctx, 0);
    const float mean[WIDTH] = {0, 0, 0}, variance[WIDTH] = {1, 1, 1};
    put_batch(ctx, &n, 3);
    sparcl_graph_set_training(n.graph, 0);
    const int64_t before = sparcl_ctx_launches(ctx);
    assert_refused(ctx, sparcl_graph_step(n.graph), SPARCL_E_UNSUPPORTED,
                   "running statistics has no gradient");
    assert_int_equal(sparcl_ctx_launches(ctx), before);
    assert_statistics(ctx, &n, mean, variance);
    sparcl_graph_set_training(n.graph, 1);
    assert_ok(ctx, sparcl_graph_step(n.graph));
    free_normed(&n);
}

static void running_statistics_that_do_not_fit_are_refused(void **state) {
    static const char *const part[] = {
        "is the result of an operation, expected a parameter or an input",
        "is the running mean and the variance", "momentum is 1.5, expected 0 to 1",
        "head has rank 2"};
    for (int i = 0; i < 4; ++i) {
        normed n = make_normed(*state, i + 1);
        assert_refused(*state, sparcl_graph_forward(n.graph),
                       i == 3 ? SPARCL_E_SHAPE : SPARCL_E_ARG, part[i]);
        free_normed(&n);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_has_its_own_mask_and_every_run_of_a_seed_the_same),
        cmocka_unit_test(the_mask_of_a_step_can_be_repeated),
        cmocka_unit_test(without_training_dropout_passes_its_operand_on),
        cmocka_unit_test(steps_move_running_statistics_and_evaluation_uses_them),
        cmocka_unit_test(a_step_by_running_statistics_is_refused_before_it_begins),
        cmocka_unit_test(running_statistics_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
