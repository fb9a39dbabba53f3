/* test_graph_state.c: a graph that was given the state of another one goes on with its bits. */
#include "graph_test.h"

#include "sparcl/graph.h"
#include "sparcl/ops/losses.h"
#include "sparcl/optim.h"
#include "sparcl/optim_text.h"

enum { BEFORE = 9, AFTER = 15, FEW = 20, OUTPUTS = 3, BYTES = 1 << 17 };

/* Every way in which a parameter keeps what rows have missed. */
static const char *const optimizers[] = {
    "sgd:lr=0.1",
    "sgd:lr=0.1,weight_decay=0.3",
    "momentum:lr=0.1",
    "momentum:lr=0.1,weight_decay=0.2",
    "adagrad:lr=0.1",
    "adam:lr=0.01",
    "adam:lr=0.01,state_type=f16,state_rounding=stochastic",
    "adam:lr=0.01,moves=exact,weight_decay=0.1,decay=global",
    "amsgrad:lr=0.02,moves=exact",
    "nadam:lr=0.01,moves=exact",
    "ftrl:lr=0.1,preset=tf1,l1=0.001,moves=exact",
    "adam_row_steps:lr=0.01",
    "rowwise_adagrad_counter:lr=0.1",
    "lion:lr=0.01",
};

static sparcl_optim optim_of(const char *text) {
    sparcl_optim o;
    sparcl_error error = {0};
    if (sparcl_optim_parse(&o, text, &error) != SPARCL_OK) fail_msg("%s", error.message);
    return o;
}

static linear open_linear(sparcl_ctx *ctx, const sparcl_optim *optim) {
    linear m = make_linear(ctx, SPARCL_LOSS_SOFTMAX, OUTPUTS, optim);
    assert_ok(ctx, sparcl_graph_backward(m.graph, m.mean));
    return m;
}

/* Few columns are in a batch, so that rows miss steps. */
static void step(sparcl_ctx *ctx, const linear *m, int k) {
    batch b = make_batch(ctx, ROWS, k % 4 ? FEW / 4 : FEW, 3, (uint64_t)k + 1);
    bind(ctx, m->graph, m->x, m->y, &b);
    assert_ok(ctx, sparcl_graph_step(m->graph));
    free_batch(&b);
}

/* All arrays, one after the other; the number of bytes. */
static int64_t read_state(sparcl_ctx *ctx, sparcl_graph *graph, unsigned char *to) {
    sparcl_state_array a;
    int64_t at = 0;
    for (int i = 0;; ++i) {
        assert_ok(ctx, sparcl_graph_state_array(graph, i, &a));
        if (!a.type) return at;
        assert_true(at + a.bytes <= BYTES);
        if (a.bytes) assert_ok(ctx, sparcl_buf_read(ctx, a.buf, a.at, a.bytes, to + at));
        at += a.bytes;
    }
}

static void write_state(sparcl_ctx *ctx, sparcl_graph *graph, const unsigned char *from) {
    sparcl_state_array a;
    for (int i = 0;; ++i) {
        assert_ok(ctx, sparcl_graph_state_array(graph, i, &a));
        if (!a.type) return;
        if (a.bytes) assert_ok(ctx, sparcl_buf_write(ctx, a.buf, a.at, a.bytes, from));
        from += a.bytes;
    }
}

static void move_state(sparcl_ctx *ctx, const linear *to, const linear *from) {
    unsigned char *const bytes = must_have(malloc(BYTES));
    sparcl_counters counters;
    assert_ok(ctx, sparcl_graph_counters(from->graph, from->w, &counters));
    assert_ok(ctx, sparcl_graph_set_counters(to->graph, to->w, &counters));
    read_state(ctx, from->graph, bytes);
    write_state(ctx, to->graph, bytes);
    sparcl_graph_set_step(to->graph, sparcl_graph_get_step(from->graph));
    free(bytes);
}

static void assert_same_state(sparcl_ctx *ctx, const linear *a, const linear *b, const char *of) {
    unsigned char *const one = must_have(malloc(BYTES)), *const other = must_have(malloc(BYTES));
    const int64_t bytes = read_state(ctx, a->graph, one);
    assert_int_equal(read_state(ctx, b->graph, other), bytes);
    if (memcmp(one, other, (size_t)bytes) != 0) fail_msg("%s: other bits", of);
    free(one);
    free(other);
}

static void another_graph_goes_on_with_the_same_bits(void **state) {
    sparcl_ctx *ctx = *state;
    for (size_t k = 0; k < COUNT(optimizers); ++k) {
        const sparcl_optim optim = optim_of(optimizers[k]);
        const linear a = open_linear(ctx, &optim), b = open_linear(ctx, &optim);
        for (int run = 0; run < BEFORE; ++run)
            step(ctx, &a, run);
        step(ctx, &b, 77); /* what it has done before does not matter */
        move_state(ctx, &b, &a);
        assert_int_equal(sparcl_graph_get_step(b.graph), BEFORE);
        for (int run = BEFORE; run < AFTER; ++run) {
            step(ctx, &a, run);
            step(ctx, &b, run);
        }
        assert_same_state(ctx, &a, &b, optimizers[k]);
        assert_ok(ctx, sparcl_graph_finish(a.graph));
        assert_ok(ctx, sparcl_graph_finish(b.graph));
        assert_same_state(ctx, &a, &b, optimizers[k]);
        sparcl_graph_free(a.graph);
        sparcl_graph_free(b.graph);
    }
}

/* More steps than an exact object has memory for at first. */
static void arrays_grow_with_the_counters(void **state) {
    sparcl_ctx *ctx = *state;
    const sparcl_optim optim = optim_of("adam:lr=0.01,moves=exact");
    const linear a = open_linear(ctx, &optim), b = open_linear(ctx, &optim);
    batch one = make_batch(ctx, 2, 3, 3, 5);
    bind(ctx, a.graph, a.x, a.y, &one);
    for (int run = 0; run < 1100; ++run)
        assert_ok(ctx, sparcl_graph_step(a.graph));
    move_state(ctx, &b, &a);
    step(ctx, &a, 8);
    step(ctx, &b, 8);
    assert_same_state(ctx, &a, &b, "1100 steps");
    free_batch(&one);
    sparcl_graph_free(a.graph);
    sparcl_graph_free(b.graph);
}

static void arrays_have_names_types_and_limits(void **state) {
    sparcl_ctx *ctx = *state;
    static const char *const parts[] = {"values",      "state0",         "state1",
                                        "exact_last",  "exact_sums",     "exact_low",
                                        "exact_steps", "exact_exponents"};
    const sparcl_optim optim = optim_of("adam:moves=exact");
    const linear a = open_linear(ctx, &optim);
    sparcl_state_array found;
    step(ctx, &a, 0);
    for (size_t i = 0; i < COUNT(parts); ++i) {
        assert_ok(ctx, sparcl_graph_state_array(a.graph, (int)i, &found));
        assert_string_equal(found.part, parts[i]);
        assert_int_equal(found.parameter, a.w);
        assert_string_equal(found.type, i == 3 || i == 7 ? "I32" : "F32");
        assert_int_equal(found.bytes, 4 * found.count);
        assert_int_equal(found.least, i == 3 ? -1 : i == 7 ? INT32_MIN : 0);
        assert_int_equal(found.most, i == 7);
        assert_true(found.buf && found.at + found.bytes <= sparcl_buf_bytes(found.buf));
    }
    assert_ok(ctx, sparcl_graph_state_array(a.graph, (int)COUNT(parts), &found));
    assert_null(found.type);
    sparcl_graph_free(a.graph);
}

static void wrong_arguments_are_refused(void **state) {
    sparcl_ctx *ctx = *state;
    const sparcl_optim optim = optim_of("adam:moves=exact");
    const linear a = open_linear(ctx, &optim);
    sparcl_state_array array;
    sparcl_counters good, bad;
    step(ctx, &a, 0);
    assert_ok(ctx, sparcl_graph_counters(a.graph, a.w, &good));
    assert_int_equal(sparcl_graph_state_array(a.graph, -1, &array), SPARCL_E_ARG);
    assert_int_equal(sparcl_graph_state_array(a.graph, 0, NULL), SPARCL_E_ARG);
    assert_int_equal(sparcl_graph_state_array(NULL, 0, &array), SPARCL_E_ARG);
    assert_int_equal(sparcl_graph_counters(a.graph, a.x, &bad), SPARCL_E_ARG);
    assert_int_equal(sparcl_graph_counters(a.graph, a.w, NULL), SPARCL_E_ARG);
    assert_int_equal(sparcl_graph_set_counters(a.graph, a.x, &good), SPARCL_E_ARG);
    assert_int_equal(sparcl_graph_set_counters(a.graph, a.w, NULL), SPARCL_E_ARG);
    for (size_t k = 0; k < 10; ++k) {
        bad = good;
        bad.integers[k / 2] = k % 2 ? INT64_MAX : -1;
        if (k == 6) continue; /* an exponent may be negative */
        assert_int_equal(sparcl_graph_set_counters(a.graph, a.w, &bad), SPARCL_E_ARG);
    }
    for (size_t i = 0; i < COUNT(good.numbers); ++i) {
        bad = good;
        bad.numbers[i] = NAN;
        assert_int_equal(sparcl_graph_set_counters(a.graph, a.w, &bad), SPARCL_E_ARG);
    }
    assert_ok(ctx, sparcl_graph_counters(a.graph, a.w, &bad));
    assert_memory_equal(&good, &bad, sizeof good);
    assert_int_equal(sparcl_graph_get_step(NULL), 0);
    sparcl_graph_free(a.graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_graph_goes_on_with_the_same_bits),
        cmocka_unit_test(arrays_grow_with_the_counters),
        cmocka_unit_test(arrays_have_names_types_and_limits),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
