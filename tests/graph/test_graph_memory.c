/* test_graph_memory.c: the memory of a graph: planned, shared, taken once, in several buffers. */
#include "graph/engine/node.h"
#include "graph_test.h"
#include "sparcl/optim_text.h"

enum { HIDDEN = 4, SMALL = 2048 };

/* Squared loss of tanh(X W1 + b) W2. */
typedef struct deep {
    linear in; /* w is W1 */
    sparcl_node hidden, w2, scores;
} deep;

static deep make_deep(sparcl_ctx *ctx) {
    deep m;
    sparcl_optim optim;
    const int64_t first[] = {COLS, HIDDEN}, second[] = {HIDDEN, 1}, bias = HIDDEN;
    sparcl_optim_init(&optim, SPARCL_RULE_ADAM);
    assert_ok(ctx, sparcl_graph_create(ctx, &m.in.graph));
    sparcl_graph *const g = m.in.graph;
    const int64_t rows = sparcl_graph_dim(g, "rows", ROWS);
    m.in.x = sparcl_graph_csr(g, "x", rows, COLS, sparcl_graph_dim(g, "entries", ENTRIES));
    m.in.y = sparcl_graph_dense(g, "y", 1, &rows);
    m.in.w = sparcl_graph_parameter(g, "w1", 2, first, &optim);
    m.in.bias = sparcl_graph_parameter(g, "b", 1, &bias, &optim);
    m.w2 = sparcl_graph_parameter(g, "w2", 2, second, &optim);
    m.hidden = sparcl_graph_unary(
        g, SPARCL_UNARY_TANH,
        sparcl_graph_binary(g, SPARCL_BINARY_ADD, sparcl_graph_spmm(g, m.in.x, m.in.w), m.in.bias));
    m.scores = sparcl_graph_gemm(g, SPARCL_OP_N, m.hidden, SPARCL_OP_N, m.w2);
    m.in.losses = sparcl_graph_loss(g, SPARCL_LOSS_SQUARED, m.scores, m.in.y);
    m.in.mean = sparcl_graph_mean(g, m.in.losses);
    sparcl_graph_output(g, m.in.mean);
    assert_ok(ctx, sparcl_graph_backward(g, m.in.mean));
    return m;
}

static void put_numbers(sparcl_ctx *ctx, const deep *m) {
    const sparcl_node all[] = {m->in.w, m->w2};
    for (int i = 0; i < 2; ++i) {
        sparcl_dense value;
        float *const numbers = make_floats(COLS * HIDDEN, 5);
        assert_ok(ctx, sparcl_graph_value(m->in.graph, all[i], &value));
        assert_ok(ctx, sparcl_dense_upload(ctx, &value, numbers));
        free(numbers);
    }
}

static void only_the_first_run_takes_memory(void **state) {
    sparcl_ctx *ctx = *state;
    deep m = make_deep(ctx);
    batch b = make_batch(ctx, ROWS, ENTRIES, 2, 3);
    bind(ctx, m.in.graph, m.in.x, m.in.y, &b);
    assert_ok(ctx, sparcl_graph_step(m.in.graph));
    const int64_t after = sparcl_ctx_memory(ctx), launches = sparcl_ctx_launches(ctx);
    for (int step = 0; step < 3; ++step)
        assert_ok(ctx, sparcl_graph_step(m.in.graph));
    assert_int_equal(sparcl_ctx_memory(ctx), after);
    assert_true(sparcl_ctx_launches(ctx) > launches);
    free_batch(&b);
    sparcl_graph_free(m.in.graph);
}

/* What a run takes is what the plan says, and no two values that are needed at one time share it.
 */
static void the_plan_is_what_a_run_takes(void **state) {
    sparcl_ctx *ctx = *state;
    deep m = make_deep(ctx);
    int64_t bytes = 0, unshared = 0, sum = 0, end = 0;
    int shares = 0;
    const int64_t before = sparcl_ctx_memory(ctx);
    assert_ok(ctx, sparcl_graph_memory(m.in.graph, &bytes, &unshared));
    assert_int_equal(sparcl_ctx_memory(ctx), before);
    for (int i = 0; i < sparcl_graph_nodes(m.in.graph); ++i) {
        sparcl_node_info info;
        assert_ok(ctx, sparcl_graph_node_info(m.in.graph, i, &info));
        if (info.at < 0) continue;
        sum += info.bytes;
        if (info.at + info.bytes > end) end = info.at + info.bytes;
        for (int k = 0; k < i; ++k) {
            sparcl_node_info other;
            const spc_node *const a = spc_node_at(m.in.graph, i), *const c =
                                                                      spc_node_at(m.in.graph, k);
            assert_ok(ctx, sparcl_graph_node_info(m.in.graph, k, &other));
            if (other.at < 0 || other.at >= info.at + info.bytes ||
                info.at >= other.at + other.bytes)
                continue;
            ++shares;
            /* one ends where the other begins at the latest */
            assert_true(a->to <= c->from || c->to <= a->from);
        }
    }
    assert_int_equal(sum, unshared);
    assert_int_equal(end, bytes);
    assert_true(shares > 3 && bytes < unshared);
    assert_ok(ctx, sparcl_graph_allocate(m.in.graph));
    assert_int_equal(sparcl_ctx_memory(ctx) - before, bytes);
    sparcl_graph_free(m.in.graph);
}

static void nodes_are_described(void **state) {
    sparcl_ctx *ctx = *state;
    deep m = make_deep(ctx);
    sparcl_node_info info;
    assert_ok(ctx, sparcl_graph_node_info(m.in.graph, m.in.x, &info));
    assert_string_equal(info.operation, "input");
    assert_string_equal(info.kind, "csr");
    assert_true(info.bytes == 0 && info.at == -1 && info.shape[2] == ENTRIES);
    assert_ok(ctx, sparcl_graph_node_info(m.in.graph, m.in.w, &info));
    assert_string_equal(info.operation, "parameter");
    assert_string_equal(info.name, "w1");
    assert_int_equal(info.bytes, 3 * COLS * HIDDEN * 4); /* and both states of Adam */
    assert_ok(ctx, sparcl_graph_node_info(m.in.graph, m.hidden, &info));
    assert_string_equal(info.operation, "unary");
    assert_true(info.rank == 2 && info.shape[0] == ROWS && info.shape[1] == HIDDEN && info.runs);
    assert_int_equal(info.bytes, ROWS * HIDDEN * 4);
    assert_ok(ctx,
              sparcl_graph_node_info(m.in.graph, sparcl_graph_gradient(m.in.graph, m.in.w), &info));
    assert_string_equal(info.operation, "spmm_t");
    assert_string_equal(info.kind, "row-sparse");
    assert_int_equal(info.stored, COLS); /* fewer than entries */
    assert_refused(ctx, sparcl_graph_node_info(m.in.graph, 1000, &info), SPARCL_E_ARG,
                   "graph: node_info: node 1000");
    assert_true(info.name == NULL);
    assert_int_equal(sparcl_graph_node_info(NULL, 0, &info), SPARCL_E_ARG);
    assert_int_equal(sparcl_graph_node_info(m.in.graph, 0, NULL), SPARCL_E_ARG);
    sparcl_graph_free(m.in.graph);
}

/* Three steps; the parameters and the loss. */
static void train(sparcl_ctx *ctx, const deep *m, float *result) {
    batch b = make_batch(ctx, ROWS, ENTRIES, 2, 3);
    put_numbers(ctx, m);
    bind(ctx, m->in.graph, m->in.x, m->in.y, &b);
    for (int step = 0; step < 3; ++step)
        assert_ok(ctx, sparcl_graph_step(m->in.graph));
    read_value(ctx, m->in.graph, m->in.w, result);
    read_value(ctx, m->in.graph, m->w2, result + COLS * HIDDEN);
    read_value(ctx, m->in.graph, m->in.mean, result + COLS * HIDDEN + HIDDEN);
    free_batch(&b);
}

/* As on a device whose largest allocation is smaller than what the values need together. */
static void values_may_need_several_buffers(void **state) {
    sparcl_ctx *ctx = *state;
    float results[2][COLS * HIDDEN + HIDDEN + 1];
    for (int small = 0; small < 2; ++small) {
        deep m = make_deep(ctx);
        int64_t bytes = 0;
        if (small) m.in.graph->arena.limit = SMALL / 2;
        for (int i = 0; i < sparcl_graph_nodes(m.in.graph); ++i)
            sparcl_graph_output(m.in.graph, spc_node_at(m.in.graph, i)->op ? i : -1);
        train(ctx, &m, results[small]);
        assert_ok(ctx, sparcl_graph_memory(m.in.graph, &bytes, NULL));
        assert_true(small ? m.in.graph->arena.count > 3 : m.in.graph->arena.count == 1);
        sparcl_graph_free(m.in.graph);
    }
    assert_memory_equal(results[0], results[1], sizeof results[0]);
    assert_true(results[0][0] != 0);
}

static void a_value_larger_than_an_allocation_is_refused(void **state) {
    sparcl_ctx *ctx = *state;
    deep m = make_deep(ctx);
    m.in.graph->arena.limit = 256;
    assert_refused(ctx, sparcl_graph_allocate(m.in.graph), SPARCL_E_MEMORY,
                   "its value needs more than 256 bytes, the largest allocation of");
    sparcl_graph_free(m.in.graph);
}

/* Three dimensions of 2^62 are more than any memory has. */
static void sizes_beyond_any_memory_are_refused(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_graph *g = NULL;
    assert_ok(ctx, sparcl_graph_create(ctx, &g));
    const int64_t shape[] = {sparcl_graph_dim(g, "rows", (int64_t)1 << 62), (int64_t)1 << 31, 8};
    const sparcl_node x = sparcl_graph_dense(g, "x", 3, shape);
    sparcl_graph_output(g, sparcl_graph_binary(g, SPARCL_BINARY_ADD, x, x));
    assert_refused(ctx, sparcl_graph_memory(g, NULL, NULL), SPARCL_E_MEMORY,
                   "graph: binary (node 1): its value needs more than");
    sparcl_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_first_run_takes_memory),
        cmocka_unit_test(the_plan_is_what_a_run_takes),
        cmocka_unit_test(nodes_are_described),
        cmocka_unit_test(values_may_need_several_buffers),
        cmocka_unit_test(a_value_larger_than_an_allocation_is_refused),
        cmocka_unit_test(sizes_beyond_any_memory_are_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
