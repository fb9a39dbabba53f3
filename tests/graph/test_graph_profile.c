/* test_graph_profile.c: the parts of a profile are the nodes and steps of a graph. */
#include "graph_test.h"

#include "sparcl/optim_text.h"
#include "sparcl/profile.h"

enum { OUTPUTS = 3, RUNS = 4, BATCH_ENTRIES = 90 };

static int open_profiled(void **state) {
    sparcl_ctx_desc desc = test_desc();
    sparcl_error error = {0};
    sparcl_ctx *ctx = NULL;
    desc.profile = 1;
    if (sparcl_ctx_open(&ctx, &desc, &error) == SPARCL_E_DEVICE) {
        fprintf(stderr, "skipped: %s\n", error.message);
        exit(EXIT_SKIPPED);
    }
    if (!ctx) fail_msg("%s", error.message);
    *state = ctx;
    return 0;
}

static const sparcl_profile_part *find(const sparcl_profile *profile, const char *operation,
                                       const char *of) {
    for (int i = 0; i < profile->part_count; ++i)
        if (strcmp(profile->parts[i].operation, operation) == 0 &&
            strcmp(profile->parts[i].of, of) == 0)
            return &profile->parts[i];
    fail_msg("no part is %s of %s", operation, of);
    return NULL;
}

static void assert_part(const sparcl_profile *profile, const char *operation, const char *of,
                        int64_t runs, int64_t bytes) {
    const sparcl_profile_part *const part = find(profile, operation, of);
    assert_int_equal(part->runs, runs);
    assert_int_equal(part->bytes, bytes);
    assert_true(part->commands >= runs);
    assert_true(part->seconds >= 0);
}

static void step(sparcl_ctx *ctx, const linear *m, int runs) {
    batch b = make_batch(ctx, ROWS, BATCH_ENTRIES, OUTPUTS, 5);
    for (int run = 0; run < runs; ++run) {
        bind(ctx, m->graph, m->x, m->y, &b);
        assert_ok(ctx, sparcl_graph_step(m->graph));
    }
    free_batch(&b);
}

/* Of float, with indices and offsets of int. */
enum {
    MATRIX = (ROWS + 1) * 4 + BATCH_ENTRIES * 8,
    TABLE = COLS * OUTPUTS * 4,
    SCORES = ROWS * OUTPUTS * 4,
    GRADIENT = TABLE + COLS * 4
};

static void nodes_and_steps_are_parts(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_optim optim;
    sparcl_profile profile;
    sparcl_optim_init(&optim, SPARCL_RULE_ADAM);
    const linear m = make_linear(ctx, SPARCL_LOSS_SOFTMAX, OUTPUTS, &optim);
    assert_ok(ctx, sparcl_graph_backward(m.graph, m.mean));
    sparcl_graph_set_fusion(m.graph, false);
    assert_ok(ctx, sparcl_profile_reset(ctx));
    step(ctx, &m, RUNS);
    assert_ok(ctx, sparcl_profile_read(ctx, &profile));
    assert_part(&profile, "pattern", "x", RUNS, RUNS * 2 * MATRIX); /* of each batch */
    assert_part(&profile, "spmm", "x, w", RUNS, RUNS * (MATRIX + TABLE + SCORES));
    assert_part(&profile, "loss_gradient", "node 3, y, node 7", RUNS,
                RUNS * (2 * SCORES + ROWS * 4));
    assert_part(&profile, "spmm_t", "x, node 8", RUNS, RUNS * (MATRIX + SCORES + GRADIENT));
    assert_part(&profile, "step", "w", RUNS, RUNS * (GRADIENT + 2 * 3 * TABLE));
    sparcl_graph_free(m.graph);
}

static double seconds_of(const sparcl_profile *profile, bool of_parts) {
    double sum = 0;
    for (int i = 0; of_parts && i < profile->part_count; ++i)
        sum += profile->parts[i].seconds;
    for (int i = 0; !of_parts && i < profile->count; ++i)
        sum += profile->lines[i].seconds;
    return sum;
}

static int64_t commands_of(const sparcl_profile *profile, bool of_parts) {
    int64_t sum = 0;
    for (int i = 0; of_parts && i < profile->part_count; ++i)
        sum += profile->parts[i].commands;
    for (int i = 0; !of_parts && i < profile->count; ++i)
        sum += profile->lines[i].count;
    return sum;
}

/* What is called outside of a graph is in the lines, but in no part. */
static void other_commands_are_in_no_part(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_optim optim;
    sparcl_profile profile;
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    const linear m = make_linear(ctx, SPARCL_LOSS_SOFTMAX, OUTPUTS, &optim);
    assert_ok(ctx, sparcl_graph_backward(m.graph, m.mean));
    assert_ok(ctx, sparcl_profile_reset(ctx));
    step(ctx, &m, RUNS);
    assert_ok(ctx, sparcl_profile_read(ctx, &profile));
    const int64_t in_parts = commands_of(&profile, true), in_all = commands_of(&profile, false);
    assert_true(in_parts > 0 && in_parts <= in_all);
    assert_true(seconds_of(&profile, true) <= seconds_of(&profile, false) + 1e-9);
    sparcl_dense x = vector(ctx, ROWS, 1), sum = vector(ctx, 1, 1);
    x.rank = sum.rank = 1;
    assert_ok(ctx, sparcl_sum_rows(ctx, &sum, 1, &x, 0));
    assert_ok(ctx, sparcl_profile_read(ctx, &profile));
    assert_int_equal(commands_of(&profile, true), in_parts);
    assert_true(commands_of(&profile, false) > in_all);
    assert_ok(ctx, sparcl_profile_reset(ctx));
    assert_ok(ctx, sparcl_profile_read(ctx, &profile));
    assert_int_equal(profile.part_count, 0);
    sparcl_dense_free(&x);
    sparcl_dense_free(&sum);
    sparcl_graph_free(m.graph);
}

/* A run that fails leaves no part open. */
static void a_refused_run_ends_its_part(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_optim optim;
    sparcl_profile profile;
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    const linear m = make_linear(ctx, SPARCL_LOSS_SOFTMAX, OUTPUTS, &optim);
    assert_ok(ctx, sparcl_graph_backward(m.graph, m.mean));
    batch b = make_batch(ctx, ROWS, BATCH_ENTRIES, OUTPUTS, 5);
    bind(ctx, m.graph, m.x, m.y, &b);
    sparcl_buf *const values = b.x.values;
    b.x.values = NULL;
    assert_ok(ctx, sparcl_profile_reset(ctx));
    assert_true(sparcl_graph_bind_csr(m.graph, m.x, &b.x) != SPARCL_OK ||
                sparcl_graph_step(m.graph) != SPARCL_OK);
    b.x.values = values;
    sparcl_dense x = vector(ctx, ROWS, 1), sum = vector(ctx, 1, 1);
    x.rank = sum.rank = 1;
    assert_ok(ctx, sparcl_profile_read(ctx, &profile));
    const int64_t in_parts = commands_of(&profile, true);
    assert_ok(ctx, sparcl_sum_rows(ctx, &sum, 1, &x, 0));
    assert_ok(ctx, sparcl_profile_read(ctx, &profile));
    assert_int_equal(commands_of(&profile, true), in_parts);
    free_batch(&b);
    sparcl_dense_free(&x);
    sparcl_dense_free(&sum);
    sparcl_graph_free(m.graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nodes_and_steps_are_parts),
                                       cmocka_unit_test(other_commands_are_in_no_part),
                                       cmocka_unit_test(a_refused_run_ends_its_part)};
    return cmocka_run_group_tests(tests, open_profiled, close_ctx);
}
