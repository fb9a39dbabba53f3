/* test_lazy_calls.c: what sparcl/optim.h says besides its accuracy (test_lazy.c): which calls make
 * no difference, and what is refused. */
#include "op_test.h"
#include "sparcl/optim_text.h"

#define ROWS  12
#define WIDTH 5

/* A table, its states and the gradient of some of its rows. */
typedef struct arrays {
    sparcl_optim optim;
    sparcl_dense table, states[2];
    sparcl_rows rows;
} arrays;

/* Without an object, or with one. */
static arrays make_of(sparcl_ctx *ctx, const sparcl_optim *optim, int is_lazy, int replay) {
    static const int64_t ids[] = {7, 1, 10, 4};
    float *w = make_floats(ROWS * WIDTH, 1), *g = make_floats(4 * WIDTH, 2);
    arrays a = {.optim = *optim,
                .table = {.rank = 2, .shape = {ROWS, WIDTH}},
                .rows = {.rank = 2,
                         .shape = {ROWS, WIDTH},
                         .nnr = 4,
                         .proof.flags = SPARCL_TRUSTED | SPARCL_UNIQUE}};
    a.table.values = put_spare(ctx, w, ROWS * WIDTH);
    a.rows.values = put(ctx, g, 4 * WIDTH * 4);
    a.rows.indices = put_ints(ctx, ids, 4, SPARCL_INDEX32);
    assert_ok(ctx, sparcl_optim_create_states(ctx, &a.optim, &a.table, a.states));
    if (is_lazy)
        assert_ok(ctx, sparcl_lazy_create(ctx, &a.optim.lazy.object, &a.optim, &a.table, replay));
    free(w);
    free(g);
    return a;
}

static arrays make(sparcl_ctx *ctx, sparcl_rule rule, int replay) {
    sparcl_optim o;
    sparcl_optim_init(&o, rule);
    o.decay.kind = SPARCL_DECAY_DECOUPLED;
    o.decay.weight = 0.5;
    o.lr = 0.1;
    return make_of(ctx, &o, 1, replay);
}

/* With steps of all rows, or an object. */
static arrays make_with(sparcl_ctx *ctx, const char *text, int is_lazy) {
    sparcl_optim o;
    sparcl_error error = {0};
    if (sparcl_optim_parse(&o, text, &error) != SPARCL_OK) fail_msg("%s", error.message);
    o.moves = SPARCL_MOVES_ALL;
    return make_of(ctx, &o, is_lazy, 0);
}

static void drop(arrays *a) {
    sparcl_lazy_free(a->optim.lazy.object);
    sparcl_dense_free(&a->table);
    sparcl_dense_free(&a->states[0]);
    sparcl_dense_free(&a->states[1]);
    sparcl_rows_free(&a->rows);
}

static void step(sparcl_ctx *ctx, arrays *a, int64_t rows) {
    sparcl_rows some = a->rows;
    some.nnr = rows;
    assert_ok(ctx, sparcl_step(ctx, &a->optim, &a->table, a->states, &some));
    ++a->optim.step;
}

static void flush(sparcl_ctx *ctx, arrays *a) {
    assert_ok(ctx, sparcl_catch_up(ctx, &a->optim, &a->table, a->states, NULL));
}

static void assert_same_tables(sparcl_ctx *ctx, const arrays *a, const arrays *b) {
    float *x = bytes_of(ctx, a->table.values), *m = bytes_of(ctx, a->states[0].values);
    float *y = bytes_of(ctx, b->table.values), *n = bytes_of(ctx, b->states[0].values);
    assert_memory_equal(x, y, ROWS * WIDTH * sizeof *x);
    assert_memory_equal(m, n, ROWS * WIDTH * sizeof *m);
    free(x);
    free(m);
    free(y);
    free(n);
}

static void a_step_catches_up_its_rows(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make(ctx, SPARCL_RULE_ADAM, 0), b = make(ctx, SPARCL_RULE_ADAM, 0);
    for (int k = 0; k < 20; ++k) {
        step(ctx, &a, k % 5);
        sparcl_rows some = b.rows;
        some.nnr = k % 5;
        assert_ok(ctx, sparcl_catch_up(ctx, &b.optim, &b.table, b.states, &some));
        step(ctx, &b, k % 5);
    }
    assert_same_tables(ctx, &a, &b);
    drop(&a);
    drop(&b);
}

static void a_second_flush_changes_nothing(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make(ctx, SPARCL_RULE_ADAM, 0);
    step(ctx, &a, 4);
    step(ctx, &a, 0);
    float *before = bytes_of(ctx, a.table.values);
    flush(ctx, &a);
    float *w = bytes_of(ctx, a.table.values);
    assert_memory_not_equal(before, w, ROWS * WIDTH * sizeof *w);
    flush(ctx, &a);
    assert_holds(ctx, a.table.values, w);
    free(before);
    free(w);
    drop(&a);
}

static void a_row_that_is_stored_twice_catches_up_once(void **state) {
    sparcl_ctx *ctx = *state;
    static const int64_t twice[] = {10, 7, 1, 10, 4, 7, 7};
    arrays a = make(ctx, SPARCL_RULE_ADAM, 0), b = make(ctx, SPARCL_RULE_ADAM, 0);
    sparcl_rows rows = b.rows;
    rows.nnr = 7;
    rows.shape[1] = 0; /* its values are not read */
    rows.values = NULL;
    rows.proof.flags = SPARCL_TRUSTED;
    rows.indices = put_ints(ctx, twice, 7, SPARCL_INDEX32);
    for (int k = 0; k < 3; ++k) {
        step(ctx, &a, k ? 0 : 4);
        step(ctx, &b, k ? 0 : 4);
    }
    assert_ok(ctx, sparcl_catch_up(ctx, &a.optim, &a.table, a.states, &a.rows));
    assert_ok(ctx, sparcl_catch_up(ctx, &b.optim, &b.table, b.states, &rows));
    assert_same_tables(ctx, &a, &b);
    sparcl_buf_free(rows.indices);
    drop(&a);
    drop(&b);
}

/* Steps on all rows, whose bits replay has, for any decay. */
static void replay_has_the_bits_of_dense_steps(void **state) {
    sparcl_ctx *ctx = *state;
    for (int decay = SPARCL_DECAY_COUPLED; decay <= SPARCL_DECAY_INSIDE; ++decay) {
        arrays a = make(ctx, SPARCL_RULE_ADAM, 0), b = make(ctx, SPARCL_RULE_ADAM, 1);
        sparcl_lazy_free(a.optim.lazy.object);
        sparcl_lazy_free(b.optim.lazy.object);
        a.optim.lazy.object = NULL;
        a.optim.moves = SPARCL_MOVES_ALL;
        a.optim.decay.kind =
            decay == SPARCL_DECAY_DECOUPLED ? SPARCL_DECAY_GLOBAL : (sparcl_decay)decay;
        b.optim.decay.kind = (sparcl_decay)decay;
        assert_ok(ctx, sparcl_lazy_create(ctx, &b.optim.lazy.object, &b.optim, &b.table, 1));
        for (int k = 0; k < 9; ++k) {
            step(ctx, &a, k % 4);
            step(ctx, &b, k % 4);
            flush(ctx, &b);
        }
        assert_same_tables(ctx, &a, &b);
        assert_int_equal(sparcl_lazy_bytes(b.optim.lazy.object), 0);
        drop(&a);
        drop(&b);
    }
}

/* The weights are made anew in each step: those of the dense rule to the bit, at any rate; and 0
 * where a row never had a gradient, whatever it was at first. */
static void ftrl_has_the_bits_of_dense_steps(void **state) {
    sparcl_ctx *ctx = *state;
    static const char *const settings[] = {"ftrl:preset=mxnet,lr=0.1",
                                           "ftrl:preset=tf1,lr=0.1",
                                           "ftrl:preset=keras3,lr=0.1,l1=0.01,weight_decay=0.2",
                                           "ftrl:preset=hugectr,lr=0.1,beta=1,weight_decay=0.2",
                                           "ftrl:preset=tf1,lr_power=-0.7,multiply_linear_by_lr=1",
                                           "adagrad_da:lr=0.1,l1=0.01"};
    for (size_t k = 0; k < COUNT(settings); ++k) {
        arrays t[2]; /* dense, lazy */
        for (int lazy = 0; lazy < 2; ++lazy) {
            t[lazy] = make_with(ctx, settings[k], lazy);
            for (int i = 0; i < 9; ++i) {
                t[lazy].optim.lr *= i % 3 ? 0.9 : 1;
                step(ctx, &t[lazy], (i + 1) % 4);
            }
            if (lazy) assert_int_equal(sparcl_lazy_bytes(t[lazy].optim.lazy.object), 4 * ROWS);
            if (lazy) flush(ctx, &t[lazy]);
        }
        assert_same_tables(ctx, &t[0], &t[1]);
        assert_true(float_at(ctx, t[1].table.values, 0) == 0);
        assert_true(float_at(ctx, t[1].table.values, 7 * WIDTH) != 0);
        drop(&t[0]);
        drop(&t[1]);
    }
}

/* More steps than there is memory for at first; a row that was never in a gradient only decays. */
static void tables_grow_with_the_steps(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make(ctx, SPARCL_RULE_ADAM, 0);
    const float w = float_at(ctx, a.table.values, 0);
    const int64_t bytes = sparcl_lazy_bytes(a.optim.lazy.object);
    a.optim.decay.weight = 0.01;
    for (int k = 0; k < 1500; ++k)
        step(ctx, &a, k == 0 ? 4 : 0);
    flush(ctx, &a);
    assert_true(sparcl_lazy_bytes(a.optim.lazy.object) > bytes);
    assert_true(fabs(float_at(ctx, a.table.values, 0) / (w * pow(1 - 0.001, 1500)) - 1) < 5e-7);
    assert_int_equal(sparcl_lazy_bytes(NULL), 0);
    drop(&a);
}

/* How many steps the series of Adam moves, which decides what is replayed: with the usual betas the
 * numbers of docs/exact-lazy.md, whatever the C library. The memory has them. */
static void the_window_is_the_same_everywhere(void **state) {
    sparcl_ctx *ctx = *state;
    const struct {
        double beta1, beta2;
        int64_t window;
    } cases[] = {{0.9, 0.999, 202}, {0.5, 0.999, 31}, {0, 0.9, 1}, {0.9, 0.95, 7497}};
    for (size_t k = 0; k < COUNT(cases); ++k) {
        arrays a = make(ctx, SPARCL_RULE_ADAM, 0);
        const int64_t window = cases[k].window;
        sparcl_lazy_free(a.optim.lazy.object);
        a.optim.adam.beta1 = cases[k].beta1;
        a.optim.adam.beta2 = cases[k].beta2;
        assert_ok(ctx, sparcl_lazy_create(ctx, &a.optim.lazy.object, &a.optim, &a.table, 0));
        assert_int_equal(sparcl_lazy_bytes(a.optim.lazy.object),
                         4 * ROWS + 16 * window + 24 * (window + 1) + 4 * 6 * 2048 + 40 * 1024);
        drop(&a);
    }
}

static void training_may_begin_at_any_step(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make(ctx, SPARCL_RULE_MOMENTUM, 0), b = make(ctx, SPARCL_RULE_MOMENTUM, 0);
    sparcl_lazy_free(b.optim.lazy.object);
    b.optim.step = 1000;
    assert_ok(ctx, sparcl_lazy_create(ctx, &b.optim.lazy.object, &b.optim, &b.table, 0));
    for (int k = 0; k < 8; ++k) {
        step(ctx, &a, k % 3);
        step(ctx, &b, k % 3);
    }
    flush(ctx, &a);
    flush(ctx, &b);
    assert_same_tables(ctx, &a, &b);
    drop(&a);
    drop(&b);
}

static void a_dense_step_moves_all_rows(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make(ctx, SPARCL_RULE_ADAM, 0), b = make(ctx, SPARCL_RULE_ADAM, 0);
    float *g = make_floats(ROWS * WIDTH, 9);
    sparcl_dense gradient = {.rank = 2, .shape = {ROWS, WIDTH}};
    gradient.values = put(ctx, g, ROWS * WIDTH * 4);
    step(ctx, &a, 4);
    step(ctx, &b, 4);
    flush(ctx, &b);
    assert_ok(ctx, sparcl_step_dense(ctx, &a.optim, &a.table, a.states, &gradient));
    assert_ok(ctx, sparcl_step_dense(ctx, &b.optim, &b.table, b.states, &gradient));
    assert_same_tables(ctx, &a, &b);
    ++a.optim.step;
    flush(ctx, &a); /* no row has missed a step */
    assert_same_tables(ctx, &a, &b);
    sparcl_dense_free(&gradient);
    free(g);
    drop(&a);
    drop(&b);
}

static void a_refused_call_changes_nothing_and_says_why(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make(ctx, SPARCL_RULE_ADAM, 0);
    step(ctx, &a, 4);
    snapshot kept = SNAPSHOT(ctx, a.table.values, a.states[0].values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(arrays, a, violation,                                                 \
                             sparcl_step(ctx, &x.optim, &x.table, x.states, &x.rows), status,      \
                             part, assert_unchanged(ctx, &kept));                                  \
    assert_violation_refused(arrays, a, violation,                                                 \
                             sparcl_catch_up(ctx, &x.optim, &x.table, x.states, &x.rows), status,  \
                             part, assert_unchanged(ctx, &kept))
    REFUSED(++x.optim.step, SPARCL_E_ARG, "step is 3, expected 2, the one after the last step");
    REFUSED(x.optim.step = 1, SPARCL_E_ARG, "step is 1, expected 2");
    REFUSED(x.optim.adam.beta1 = 0.8, SPARCL_E_ARG, "beta1 of optim is not what it was");
    REFUSED(x.optim.decay.kind = SPARCL_DECAY_COUPLED, SPARCL_E_ARG, "decay of optim is not");
    REFUSED(x.optim.lr = 2, SPARCL_E_ARG, "takes away 1 of a weight");
    REFUSED(x.optim.lazy.last_steps = x.rows.indices, SPARCL_E_ARG, "last_steps and lazy are set");
    REFUSED((--x.table.shape[0], --x.states[0].shape[0], --x.states[1].shape[0]), SPARCL_E_ARG,
            "the table has 11 rows of float32, lazy of optim");
    REFUSED(x.rows.proof.flags = 0, SPARCL_E_UNCHECKED, "is not checked");
#undef REFUSED
    snapshot_free(&kept);
    drop(&a);
}

static void an_object_is_made_only_where_there_is_a_closed_form(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make(ctx, SPARCL_RULE_ADAM, 0);
#define REFUSED(violation, part)                                                                   \
    do {                                                                                           \
        sparcl_lazy *lazy = a.optim.lazy.object;                                                   \
        arrays x = a;                                                                              \
        violation;                                                                                 \
        assert_int_equal(sparcl_lazy_create(ctx, &lazy, &x.optim, &x.table, 0), SPARCL_E_ARG);     \
        assert_non_null(strstr(sparcl_ctx_error(ctx)->message, part));                             \
        assert_null(lazy);                                                                         \
    } while (0)
    REFUSED((sparcl_optim_init(&x.optim, SPARCL_RULE_FTRL), x.optim.preset = SPARCL_PRESET_TF1,
             x.optim.decay.weight = 0.1),
            "a coupled weight_decay, expected");
    REFUSED((sparcl_optim_init(&x.optim, SPARCL_RULE_FTRL), x.optim.ftrl.l2_shrinkage = 0.1),
            "l2_shrinkage, expected 0");
    REFUSED((sparcl_optim_init(&x.optim, SPARCL_RULE_RMSPROP), x.optim.clip.weights = 1),
            "clip_weights, expected INFINITY");
    REFUSED(sparcl_optim_init(&x.optim, SPARCL_RULE_ADAMAX),
            "AMSGRAD, NADAM, an RMSPROP, ADADELTA, FTRL");
    REFUSED(sparcl_optim_init(&x.optim, SPARCL_RULE_ROWWISE_ADAGRAD), "expected SGD, MOMENTUM");
    REFUSED(x.optim.decay.kind = SPARCL_DECAY_COUPLED, "a coupled weight_decay, expected");
    REFUSED(x.optim.decay.kind = SPARCL_DECAY_INSIDE, "a weight_decay inside of the move");
    REFUSED(x.optim.epsilon_place = SPARCL_EPSILON_INSIDE, "epsilon inside of the root");
    REFUSED(x.optim.adam.beta2 = 0, "beta2 0");
    REFUSED(x.optim.adam.beta2 = 0.9, "a row moves for 2147483647 steps");
    REFUSED(x.optim.adam.beta1 = 1, "beta1 is 1");
    assert_int_equal(sparcl_lazy_create(ctx, NULL, &a.optim, &a.table, 0), SPARCL_E_ARG);
    drop(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_catches_up_its_rows),
        cmocka_unit_test(a_second_flush_changes_nothing),
        cmocka_unit_test(a_row_that_is_stored_twice_catches_up_once),
        cmocka_unit_test(replay_has_the_bits_of_dense_steps),
        cmocka_unit_test(ftrl_has_the_bits_of_dense_steps),
        cmocka_unit_test(tables_grow_with_the_steps),
        cmocka_unit_test(the_window_is_the_same_everywhere),
        cmocka_unit_test(training_may_begin_at_any_step),
        cmocka_unit_test(a_dense_step_moves_all_rows),
        cmocka_unit_test(a_refused_call_changes_nothing_and_says_why),
        cmocka_unit_test(an_object_is_made_only_where_there_is_a_closed_form),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
