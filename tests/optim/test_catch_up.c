/* test_catch_up.c: what the header says of sparcl_catch_up. */
#include "op_test.h"

#define ROWS  12
#define WIDTH 3

/* A table, its momentum and the steps that its rows have had. */
typedef struct arrays {
    sparcl_optim optim;
    sparcl_dense table, state;
    sparcl_rows rows; /* some of the table's, without values */
} arrays;

static arrays make(sparcl_ctx *ctx, sparcl_rule rule) {
    const int64_t last[ROWS] = {0, 4, 9, 10, 11, 3, 0, 12, 1, 2, 5, 6};
    const int64_t ids[] = {7, 1, 10, 4, 0};
    float *x = make_floats(ROWS * WIDTH, 1), *b = make_floats(ROWS * WIDTH, 2);
    arrays a = {.optim = {.rule = rule,
                          .lr = 0.1,
                          .momentum.factor = 0.9,
                          .decay.weight = 0.5,
                          .size = sizeof(sparcl_optim),
                          .rescale = 1,
                          .clip.value = (double)INFINITY,
                          .max_norm = (double)INFINITY,
                          .clip.norm = (double)INFINITY,
                          .clip.row_norm = (double)INFINITY,
                          .step = 11},
                .table = {.rank = 2, .shape = {ROWS, WIDTH}},
                .state = {.rank = 2, .shape = {ROWS, WIDTH}},
                .rows = {.rank = 2,
                         .shape = {ROWS, 0},
                         .nnr = 5,
                         .proof.flags = SPARCL_TRUSTED | SPARCL_UNIQUE}};
    a.optim.lazy.last_steps = put_ints(ctx, last, ROWS, SPARCL_INDEX64);
    a.table.values = put_spare(ctx, x, ROWS * WIDTH);
    a.state.values = put_spare(ctx, b, ROWS * WIDTH);
    a.rows.indices = put_ints(ctx, ids, 5, SPARCL_INDEX32);
    free(x);
    free(b);
    return a;
}

static void drop(arrays *a) {
    sparcl_buf_free(a->optim.lazy.last_steps);
    sparcl_buf_free(a->table.values);
    sparcl_buf_free(a->state.values);
    sparcl_buf_free(a->rows.indices);
    sparcl_buf_free(a->rows.count);
}

/* A step with a gradient of l2 w, as sparcl/optim.h has it. */
static void step_idle(const sparcl_optim *o, double *w, double *b) {
    const double g = o->decay.weight * *w;
    *b = o->rule == SPARCL_RULE_MOMENTUM ? o->momentum.factor * *b + g : *b;
    *w -= o->lr * (o->rule == SPARCL_RULE_MOMENTUM ? *b : g);
}

static bool named(int64_t row) {
    return row == 7 || row == 1 || row == 10 || row == 4 || row == 0;
}

static void catch_up_equals_steps_without_gradient(void **state) {
    sparcl_ctx *ctx = *state;
    for (int k = 0; k < 4; ++k) {
        arrays a = make(ctx, k % 2 ? SPARCL_RULE_MOMENTUM : SPARCL_RULE_SGD);
        const bool all = k >= 2;
        float *w = bytes_of(ctx, a.table.values), *b = bytes_of(ctx, a.state.values);
        int64_t *last = bytes_of(ctx, a.optim.lazy.last_steps);
        assert_ok(ctx, sparcl_catch_up(ctx, &a.optim, &a.table, &a.state, all ? NULL : &a.rows));
        for (int64_t i = 0; i < ROWS * WIDTH; ++i) {
            const int64_t row = i / WIDTH;
            const float now_w = float_at(ctx, a.table.values, i);
            const float now_b = float_at(ctx, a.state.values, i);
            double x = w[i], y = b[i];
            const bool moves = (all || named(row)) && last[row] < 10;
            for (int64_t t = last[row]; moves && t < 10; ++t)
                step_idle(&a.optim, &x, &y);
            assert_true(fabs(now_w - x) < 1e-6 && fabs(now_b - y) < 1e-6);
            if (!moves) assert_true(now_w == w[i] && now_b == b[i]);
            assert_int_equal(int_at(ctx, a.optim.lazy.last_steps, row), moves ? 10 : last[row]);
        }
        free(w);
        free(b);
        free(last);
        drop(&a);
    }
}

static void a_negative_step_number_counts_as_0(void **state) {
    sparcl_ctx *ctx = *state;
    for (int rule = 0; rule < 2; ++rule) {
        const int64_t below[] = {-1, INT64_MIN, -1000}, none[] = {0, 0, 0};
        arrays a = make(ctx, (sparcl_rule)rule), b = make(ctx, (sparcl_rule)rule);
        assert_ok(ctx, sparcl_buf_write(ctx, a.optim.lazy.last_steps, 0, sizeof below, below));
        assert_ok(ctx, sparcl_buf_write(ctx, b.optim.lazy.last_steps, 0, sizeof none, none));
        assert_ok(ctx, sparcl_catch_up(ctx, &a.optim, &a.table, &a.state, NULL));
        assert_ok(ctx, sparcl_catch_up(ctx, &b.optim, &b.table, &b.state, NULL));
        void *w = bytes_of(ctx, b.table.values), *last = bytes_of(ctx, b.optim.lazy.last_steps);
        assert_holds(ctx, a.table.values, w);
        assert_holds(ctx, a.optim.lazy.last_steps, last);
        free(w);
        free(last);
        drop(&a);
        drop(&b);
    }
}

static void a_row_without_missed_steps_keeps_its_bits(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make(ctx, SPARCL_RULE_MOMENTUM);
    assert_ok(ctx, sparcl_catch_up(ctx, &a.optim, &a.table, &a.state, NULL));
    void *w = bytes_of(ctx, a.table.values), *b = bytes_of(ctx, a.state.values);
    assert_ok(ctx, sparcl_catch_up(ctx, &a.optim, &a.table, &a.state, NULL));
    assert_holds(ctx, a.table.values, w);
    assert_holds(ctx, a.state.values, b);
    a.optim.step = 1;
    assert_ok(ctx, sparcl_catch_up(ctx, &a.optim, &a.table, &a.state, NULL));
    assert_holds(ctx, a.table.values, w);
    free(w);
    free(b);
    drop(&a);
}

/* Row-sparse steps on some rows with catch_up, and dense steps with a gradient that is 0 elsewhere.
 */
static void lazy_training_equals_dense_training(void **state) {
    sparcl_ctx *ctx = *state;
    for (int rule = 0; rule < 2; ++rule) {
        arrays lazy = make(ctx, (sparcl_rule)rule), dense = make(ctx, (sparcl_rule)rule);
        uint64_t seed = 5;
        int64_t zeros[ROWS] = {0};
        assert_ok(ctx, sparcl_buf_write(ctx, lazy.optim.lazy.last_steps, 0, sizeof zeros, zeros));
        sparcl_buf_free(dense.optim.lazy.last_steps); /* dense training has no use for it */
        dense.optim.lazy.last_steps = NULL;
        lazy.rows.shape[1] = WIDTH;
        for (int64_t t = 1; t <= 40; ++t) {
            float g[ROWS * WIDTH] = {0}, packed[2 * WIDTH];
            const int64_t first = (int64_t)(spec_random(&seed) % 6);
            const int64_t ids[] = {first, first + 6};
            for (int64_t i = 0; i < 2 * WIDTH; ++i) {
                packed[i] = (float)spec_uniform(&seed);
                g[ids[i / WIDTH] * WIDTH + i % WIDTH] = packed[i];
            }
            sparcl_buf_free(lazy.rows.indices);
            lazy.rows.nnr = 2;
            lazy.rows.indices = put_ints(ctx, ids, 2, SPARCL_INDEX32);
            lazy.rows.values = put(ctx, packed, sizeof packed);
            const sparcl_dense gradient = {
                .rank = 2, .shape = {ROWS, WIDTH}, .values = put(ctx, g, sizeof g)};
            lazy.optim.step = dense.optim.step = t;
            assert_ok(ctx, sparcl_catch_up(ctx, &lazy.optim, &lazy.table, &lazy.state, &lazy.rows));
            assert_ok(ctx, sparcl_step(ctx, &lazy.optim, &lazy.table, &lazy.state, &lazy.rows));
            assert_ok(ctx,
                      sparcl_step_dense(ctx, &dense.optim, &dense.table, &dense.state, &gradient));
            sparcl_buf_free(lazy.rows.values);
            sparcl_buf_free(gradient.values);
        }
        lazy.optim.step = 41;
        assert_ok(ctx, sparcl_catch_up(ctx, &lazy.optim, &lazy.table, &lazy.state, NULL));
        for (int64_t i = 0; i < ROWS * WIDTH; ++i) {
            const float x = float_at(ctx, lazy.table.values, i);
            assert_true(fabsf(x - float_at(ctx, dense.table.values, i)) < 1e-5F);
            assert_int_equal(int_at(ctx, lazy.optim.lazy.last_steps, i / WIDTH), 40);
        }
        drop(&lazy);
        drop(&dense);
    }
}

static void the_count_on_the_device_is_honoured(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make(ctx, SPARCL_RULE_SGD);
    a.rows.count = put_ints(ctx, (int64_t[]){0, 2}, 2, SPARCL_INDEX64);
    a.rows.count_at = 1;
    assert_ok(ctx, sparcl_catch_up(ctx, &a.optim, &a.table, NULL, &a.rows));
    assert_int_equal(int_at(ctx, a.optim.lazy.last_steps, 1), 10);
    assert_int_equal(int_at(ctx, a.optim.lazy.last_steps, 7), 12);
    assert_int_equal(int_at(ctx, a.optim.lazy.last_steps, 10), 5);
    assert_int_equal(int_at(ctx, a.optim.lazy.last_steps, 0), 0);
    drop(&a);
}

static void a_row_that_is_stored_twice_catches_up_once(void **state) {
    sparcl_ctx *ctx = *state;
    const int64_t ids[] = {7, 0, 1, 10, 0, 7, 4, 10, 0};
    for (int rule = SPARCL_RULE_SGD; rule <= SPARCL_RULE_MOMENTUM; ++rule) {
        arrays one = make(ctx, (sparcl_rule)rule), other = make(ctx, (sparcl_rule)rule);
        sparcl_buf_free(other.rows.indices);
        other.rows.indices = put_ints(ctx, ids, 9, SPARCL_INDEX32);
        other.rows.nnr = 9;
        other.rows.proof.flags = SPARCL_TRUSTED;
        float *before = bytes_of(ctx, one.table.values);
        assert_ok(ctx, sparcl_catch_up(ctx, &one.optim, &one.table, &one.state, &one.rows));
        assert_ok(ctx, sparcl_catch_up(ctx, &other.optim, &other.table, &other.state, &other.rows));
        float *w = bytes_of(ctx, one.table.values), *w2 = bytes_of(ctx, other.table.values);
        float *b = bytes_of(ctx, one.state.values), *b2 = bytes_of(ctx, other.state.values);
        int64_t *last = bytes_of(ctx, one.optim.lazy.last_steps);
        int64_t *last2 = bytes_of(ctx, other.optim.lazy.last_steps);
        assert_memory_not_equal(w, before, ROWS * WIDTH * sizeof *w);
        assert_memory_equal(w, w2, ROWS * WIDTH * sizeof *w);
        assert_memory_equal(b, b2, ROWS * WIDTH * sizeof *b);
        assert_memory_equal(last, last2, ROWS * sizeof *last);
        free(before);
        free(w);
        free(w2);
        free(b);
        free(b2);
        free(last);
        free(last2);
        drop(&one);
        drop(&other);
    }
}

static void a_refused_call_changes_nothing_and_says_why(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make(ctx, SPARCL_RULE_MOMENTUM);
    snapshot kept = SNAPSHOT(ctx, a.table.values, a.optim.lazy.last_steps);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(arrays, a, violation,                                                 \
                             sparcl_catch_up(ctx, &x.optim, &x.table, &x.state, &x.rows), status,  \
                             part, assert_unchanged(ctx, &kept))
    REFUSED(x.optim.rule = SPARCL_RULE_ADAGRAD, SPARCL_E_ARG,
            "rule is 2, expected SPARCL_RULE_SGD or SPARCL_RULE_MOMENTUM, which have");
    REFUSED(x.optim.lr = (double)NAN, SPARCL_E_ARG, "lr is nan");
    REFUSED(x.optim.step = 0, SPARCL_E_ARG, "step is 0, expected at least 1");
    REFUSED(x.optim.step = ((int64_t)1 << 40) + 1, SPARCL_E_ARG, "expected at most 2^40");
    REFUSED(x.optim.lazy.last_steps = NULL, SPARCL_E_ARG, "last_steps of optim is NULL");
    REFUSED(x.optim.lazy.last_steps_at = 1, SPARCL_E_SHAPE, "last_steps needs 12 elements");
    REFUSED(++x.rows.shape[0], SPARCL_E_SHAPE, "rows are of an array with 13, the table has 12");
    REFUSED(x.rows.indices = NULL, SPARCL_E_SHAPE, "rows has no buffer");
    REFUSED(x.rows.proof.flags = 0, SPARCL_E_UNCHECKED, "rows is not checked");
    REFUSED(--x.state.shape[1], SPARCL_E_SHAPE,
            "dimension 1 of the first state is 2, of the table 3");
    REFUSED(x.state.values = x.table.values, SPARCL_E_ALIAS, "table overlaps the first state");
    REFUSED(x.rows.indices = x.table.values, SPARCL_E_ALIAS, "table overlaps the indices of rows");
    REFUSED(x.rows.indices = x.optim.lazy.last_steps, SPARCL_E_ALIAS,
            "last_steps overlaps the indices of rows");
    snapshot_free(&kept);
    drop(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(catch_up_equals_steps_without_gradient),
        cmocka_unit_test(a_negative_step_number_counts_as_0),
        cmocka_unit_test(a_row_without_missed_steps_keeps_its_bits),
        cmocka_unit_test(lazy_training_equals_dense_training),
        cmocka_unit_test(the_count_on_the_device_is_honoured),
        cmocka_unit_test(a_row_that_is_stored_twice_catches_up_once),
        cmocka_unit_test(a_refused_call_changes_nothing_and_says_why),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
