/* test_parameters.c: what model.h says of the parameters of a graph in a file. */
#include <math.h>
#include <unistd.h>

#include "graph_test.h"
#include "sparcl/model.h"
#include "sparcl/optim_text.h"

static const char *const path = "test_parameters.safetensors";

static void must_save(sparcl_ctx *ctx, const linear *m) {
    sparcl_error error = {0};
    if (sparcl_parameters_save(ctx, m->graph, path, &error) != SPARCL_OK)
        fail_msg("%s", error.message);
}

/* The status, and a message that has `part`. */
static void must_refuse(sparcl_ctx *ctx, sparcl_graph *graph, const char *from,
                        sparcl_status expected, const char *part) {
    sparcl_error error = {0};
    const sparcl_status status = sparcl_parameters_load(ctx, graph, from, &error);
    if (status != expected || !strstr(error.message, part))
        fail_msg("%s (%s), expected %s with \"%s\"", sparcl_status_name(status), error.message,
                 sparcl_status_name(expected), part);
}

static void train_some(sparcl_ctx *ctx, const linear *m) {
    for (uint64_t step = 0; step < 3; ++step) {
        batch b = make_batch(ctx, ROWS, 20, 2, step + 1);
        bind(ctx, m->graph, m->x, m->y, &b);
        assert_ok(ctx, sparcl_graph_step(m->graph));
        free_batch(&b);
    }
}

/* With momentum, rows have missed steps when the file is written. */
static void parameters_are_read_back(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_error error = {0};
    linear m = make_biased(ctx, SPARCL_LOSS_LOGISTIC, 1, SPARCL_RULE_MOMENTUM);
    linear other = make_biased(ctx, SPARCL_LOSS_LOGISTIC, 1, SPARCL_RULE_ADAM);
    float expected[COLS + 1], found[COLS + 1];
    train_some(ctx, &m);
    train_some(ctx, &other);
    must_save(ctx, &m);
    assert_int_equal(sparcl_parameters_load(ctx, other.graph, path, &error), SPARCL_OK);
    assert_ok(ctx, sparcl_graph_finish(m.graph));
    read_value(ctx, m.graph, m.w, expected);
    read_value(ctx, m.graph, m.bias, expected + COLS);
    read_value(ctx, other.graph, other.w, found);
    read_value(ctx, other.graph, other.bias, found + COLS);
    assert_memory_equal(found, expected, sizeof found);
    assert_true(found[COLS] != 0);
    sparcl_graph_free(m.graph);
    sparcl_graph_free(other.graph);
    unlink(path);
}

/* An optimizer whose rows catch up: a file that is written in between changes no bit, and holds
 * the current values; what is read back counts as current. */
static void a_file_in_between_changes_no_bit(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_error error = {0};
    sparcl_optim optim;
    linear m[3];
    float values[3][COLS], saved[COLS];
    sparcl_optim_init(&optim, SPARCL_RULE_ADAM);
    optim.lr = 0.1;
    optim.moves = SPARCL_MOVES_EXACT;
    for (int k = 0; k < 3; ++k) {
        m[k] = make_linear(ctx, SPARCL_LOSS_LOGISTIC, 1, &optim);
        assert_ok(ctx, sparcl_graph_backward(m[k].graph, m[k].mean));
        train_some(ctx, &m[k]);
    }
    must_save(ctx, &m[0]);
    assert_int_equal(sparcl_parameters_load(ctx, m[2].graph, path, &error), SPARCL_OK);
    read_value(ctx, m[2].graph, m[2].w, saved);
    for (int k = 0; k < 3; ++k) {
        train_some(ctx, &m[k]);
        assert_ok(ctx, sparcl_graph_finish(m[k].graph));
        read_value(ctx, m[k].graph, m[k].w, values[k]);
        sparcl_graph_free(m[k].graph);
    }
    assert_memory_equal(values[0], values[1], sizeof saved);
    for (int i = 0; i < COLS; ++i) /* whose rows caught up at the load, and were rounded there */
        assert_true(fabsf(values[2][i] - values[0][i]) <= 1e-6F * fabsf(values[0][i]) + 1e-7F);
    assert_memory_not_equal(values[0], saved, sizeof saved);
    unlink(path);
}

static void another_file_changes_nothing(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_error error = {0};
    linear m = make_biased(ctx, SPARCL_LOSS_SOFTMAX, 3, SPARCL_RULE_SGD), wide;
    linear narrow = make_biased(ctx, SPARCL_LOSS_LOGISTIC, 1, SPARCL_RULE_SGD);
    sparcl_optim optim;
    float before[COLS], after[COLS];
    must_save(ctx, &m);
    train_some(ctx, &narrow);
    read_value(ctx, narrow.graph, narrow.w, before);
    must_refuse(ctx, narrow.graph, path, SPARCL_E_FORMAT, "w has another shape or type");
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    wide = make_linear(ctx, SPARCL_LOSS_LOGISTIC, 1, &optim);
    must_refuse(ctx, wide.graph, path, SPARCL_E_FORMAT, "has 2 tensors, expected 1");
    must_refuse(ctx, narrow.graph, ".", SPARCL_E_IO, "is not a regular file");
    must_refuse(ctx, narrow.graph, "no/file", SPARCL_E_IO, "cannot be opened");
    assert_int_equal(sparcl_parameters_load(ctx, NULL, path, &error), SPARCL_E_ARG);
    assert_int_equal(sparcl_parameters_save(NULL, m.graph, path, &error), SPARCL_E_ARG);
    assert_int_equal(truncate(path, 100), 0);
    must_refuse(ctx, narrow.graph, path, SPARCL_E_FORMAT, path);
    read_value(ctx, narrow.graph, narrow.w, after);
    assert_memory_equal(before, after, sizeof before);
    sparcl_graph_free(m.graph);
    sparcl_graph_free(narrow.graph);
    sparcl_graph_free(wide.graph);
    unlink(path);
}

static void values_that_are_not_finite_are_not_written(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_error error = {0};
    const float nan = NAN;
    sparcl_dense w;
    linear m = make_biased(ctx, SPARCL_LOSS_LOGISTIC, 1, SPARCL_RULE_SGD);
    assert_ok(ctx, sparcl_graph_value(m.graph, m.w, &w));
    assert_ok(ctx, sparcl_buf_write(ctx, w.values, 8, 4, &nan));
    assert_int_equal(sparcl_parameters_save(ctx, m.graph, path, &error), SPARCL_E_DIVERGED);
    assert_non_null(strstr(error.message, "element 2 of w is nan"));
    assert_int_not_equal(access(path, F_OK), 0);
    sparcl_graph_free(m.graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_read_back),
        cmocka_unit_test(a_file_in_between_changes_no_bit),
        cmocka_unit_test(another_file_changes_nothing),
        cmocka_unit_test(values_that_are_not_finite_are_not_written),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
