/* test_sharded.c: tables of several arrays: the bits of one array, whatever the rows of a shard. */
#include "op_test.h"
#include "optim_settings.h"
#include "sparcl/optim_text.h"

#define ROWS  50
#define WIDTH 9
#define SIZE  (ROWS * WIDTH)
#define GIVEN 70 /* rows of the gradient: some indices twice, others not at all */
#define SHARD 16 /* rows: the last shard has two */

static sparcl_dense put_dense(sparcl_ctx *ctx, const float *x) {
    return (sparcl_dense){
        .rank = 2, .shape = {ROWS, WIDTH}, .values = put(ctx, x, SIZE * sizeof *x)};
}

static sparcl_rows put_gradient(sparcl_ctx *ctx, int64_t count, uint64_t seed) {
    int32_t ids[GIVEN];
    float *const values = make_floats(GIVEN * WIDTH, seed);
    for (int k = 0; k < GIVEN; ++k)
        ids[k] = (int32_t)(spec_random(&seed) % (ROWS - 3));
    const sparcl_rows rows = {.rank = 2,
                              .shape = {ROWS, WIDTH},
                              .nnr = count,
                              .indices = put(ctx, ids, sizeof ids),
                              .values = put(ctx, values, GIVEN * WIDTH * sizeof *values),
                              .proof.flags = SPARCL_TRUSTED};
    free(values);
    return rows;
}

/* A sharded table with the numbers of an array. */
static sparcl_sharded split(sparcl_ctx *ctx, const float *x, int64_t rows_per_shard) {
    int32_t ids[ROWS];
    sparcl_sharded t = {.rank = 2, .shape = {ROWS, WIDTH}, .rows_per_shard = rows_per_shard};
    for (int i = 0; i < ROWS; ++i)
        ids[i] = i;
    sparcl_rows all = {.rank = 2,
                       .shape = {ROWS, WIDTH},
                       .nnr = ROWS,
                       .indices = put(ctx, ids, sizeof ids),
                       .values = put(ctx, x, SIZE * sizeof *x),
                       .proof.flags = SPARCL_TRUSTED};
    assert_ok(ctx, sparcl_sharded_create(ctx, &t));
    assert_ok(ctx, sparcl_sharded_assign_rows(ctx, &t, &all));
    sparcl_rows_free(&all);
    return t;
}

/* All bytes of the shards one after the other are those of the array. */
static void assert_equal(sparcl_ctx *ctx, const char *name, const sparcl_sharded *t,
                         const sparcl_dense *whole) {
    char *const expected = bytes_of(ctx, whole->values);
    int64_t at = 0;
    for (int s = 0; s < t->count; ++s) {
        const int64_t bytes = sparcl_buf_bytes(t->shards[s].values);
        char *const got = bytes_of(ctx, t->shards[s].values);
        if (memcmp(got, expected + at, (size_t)bytes) != 0)
            fail_msg("%s: shard %d is different", name, s);
        free(got);
        at += bytes;
    }
    assert_int_equal(at, sparcl_buf_bytes(whole->values));
    free(expected);
}

/* Two steps of an array and of shards. */
static void compare(sparcl_ctx *ctx, sparcl_optim optim) {
    const int count = sparcl_rule_states(optim.rule);
    float *const x = make_floats(SIZE, 3);
    sparcl_dense table = put_dense(ctx, x), states[SPARCL_MAX_STATES];
    sparcl_sharded shards = split(ctx, x, SHARD), own[SPARCL_MAX_STATES];
    assert_ok(ctx, sparcl_optim_create_states(ctx, &optim, &table, states));
    assert_ok(ctx, sparcl_sharded_create_states(ctx, &optim, &shards, own));
    for (optim.step = 1; optim.step <= 2; ++optim.step) {
        sparcl_rows gradient = put_gradient(ctx, GIVEN, (uint64_t)optim.step);
        assert_ok(ctx, sparcl_step(ctx, &optim, &table, states, &gradient));
        assert_ok(ctx, sparcl_sharded_step(ctx, &optim, &shards, own, &gradient));
        sparcl_rows_free(&gradient);
    }
    assert_equal(ctx, sparcl_rule_name(optim.rule), &shards, &table);
    for (int i = 0; i < count; ++i) {
        assert_equal(ctx, sparcl_rule_name(optim.rule), &own[i], &states[i]);
        sparcl_dense_free(&states[i]);
        sparcl_sharded_free(&own[i]);
    }
    sparcl_dense_free(&table);
    sparcl_sharded_free(&shards);
    free(x);
}

static void a_step_has_the_bits_of_one_array(void **state) {
    for (int r = 0; r < SPARCL_RULES; ++r) {
        sparcl_optim o;
        sparcl_optim_init(&o, (sparcl_rule)r);
        if (o.rule == SPARCL_RULE_LAMB || o.rule == SPARCL_RULE_LARS) continue; /* refused */
        if (o.lr == 0) o.lr = 0.1;
        if (o.rule == SPARCL_RULE_ROWWISE_ADAGRAD_COUNTER) o.counter.max = 3;
        if (test_is_chosen(r, test_every(), 0)) compare(*state, o);
    }
}

static void clips_decays_and_random_bits_are_those_of_the_whole_table(void **state) {
    sparcl_optim o;
    sparcl_optim_init(&o, SPARCL_RULE_ADAM);
    o.states.type = SPARCL_STATES_BF16;
    o.states.seed = 4;
    compare(*state, o);
    o.clip.norm = 3;
    o.clip.row_norm = 0.5;
    o.moves = SPARCL_MOVES_ALL;
    o.duplicates = SPARCL_DUPLICATES_MEAN;
    compare(*state, o);
    sparcl_optim_init(&o, SPARCL_RULE_ADAGRAD);
    o.clip.stored = 1;
    o.clip.value = 0.25;
    o.decay.weight = 0.1;
    o.decay.kind = SPARCL_DECAY_GLOBAL;
    o.adagrad.initial_accumulator = 0.5;
    compare(*state, o);
}

static void last_steps_are_of_the_rows_of_the_table(void **state) {
    static const int64_t zeros[ROWS];
    sparcl_ctx *ctx = *state;
    sparcl_optim o = OPTIM(.rule = SPARCL_RULE_SGD, .lr = 0.1);
    float *const x = make_floats(SIZE, 3);
    sparcl_dense table = put_dense(ctx, x);
    sparcl_sharded shards = split(ctx, x, SHARD);
    sparcl_rows gradient = put_gradient(ctx, GIVEN, 1);
    sparcl_buf *of_array = put(ctx, zeros, sizeof zeros),
               *of_shards = put(ctx, zeros, sizeof zeros);
    o.step = 7;
    o.lazy.last_steps = of_array;
    assert_ok(ctx, sparcl_step(ctx, &o, &table, NULL, &gradient));
    o.lazy.last_steps = of_shards;
    assert_ok(ctx, sparcl_sharded_step(ctx, &o, &shards, NULL, &gradient));
    void *const expected = bytes_of(ctx, of_array);
    assert_holds(ctx, of_shards, expected);
    free(expected);
    free(x);
    sparcl_buf_free(of_array);
    sparcl_buf_free(of_shards);
    sparcl_rows_free(&gradient);
    sparcl_dense_free(&table);
    sparcl_sharded_free(&shards);
}

static void rows_are_gathered_from_all_shards(void **state) {
    static const int64_t ids[] = {49, 0, 16, 15, 16, 31, 32, 48, 7};
    sparcl_ctx *ctx = *state;
    float *const x = make_floats(SIZE, 8);
    for (int64_t rows = 1; rows <= 64; rows += 21) {
        sparcl_sharded shards = split(ctx, x, rows);
        sparcl_dense to = {.rank = 2, .shape = {COUNT(ids), WIDTH}};
        const sparcl_list list = {.count = COUNT(ids),
                                  .limit = ROWS,
                                  .index_type = SPARCL_INDEX64,
                                  .indices = put(ctx, ids, sizeof ids),
                                  .proof.flags = SPARCL_TRUSTED};
        assert_ok(ctx, sparcl_dense_zeros(ctx, &to));
        assert_ok(ctx, sparcl_sharded_gather(ctx, &to, &shards, &list));
        float *const got = bytes_of(ctx, to.values);
        for (size_t i = 0; i < COUNT(ids); ++i)
            assert_memory_equal(got + i * WIDTH, x + ids[i] * WIDTH, WIDTH * sizeof *x);
        free(got);
        sparcl_buf_free(list.indices);
        sparcl_dense_free(&to);
        sparcl_sharded_free(&shards);
    }
    free(x);
}

static void tables_of_no_rows_have_no_shards(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_sharded t = {.rank = 2, .shape = {0, 4}};
    assert_ok(ctx, sparcl_sharded_create(ctx, &t));
    assert_int_equal(t.count, 0);
    sparcl_sharded_free(&t);
    t = (sparcl_sharded){.rank = 2, .shape = {5, 0}};
    assert_ok(ctx, sparcl_sharded_create(ctx, &t));
    assert_int_equal(t.count, 1);
    sparcl_sharded_free(&t);
    sparcl_sharded_free(&t);
    sparcl_sharded_free(NULL);
}

static void by_default_a_shard_is_as_large_as_an_allocation(void **state) {
    sparcl_ctx *ctx = *state;
    const int64_t most = sparcl_ctx_device(ctx)->max_allocation;
    sparcl_sharded t = {.rank = 2, .shape = {3, 8}};
    assert_ok(ctx, sparcl_sharded_create(ctx, &t));
    assert_int_equal(t.count, 1);
    assert_int_equal(t.rows_per_shard, 3);
    sparcl_sharded_free(&t);
    t = (sparcl_sharded){.rank = 2, .shape = {1, most / 4 + 1}};
    assert_refused(ctx, sparcl_sharded_create(ctx, &t), SPARCL_E_SHAPE, "expected at most");
    assert_null(t.shards);
    t = (sparcl_sharded){.rank = 1, .shape = {65537}, .rows_per_shard = 1};
    assert_refused(ctx, sparcl_sharded_create(ctx, &t), SPARCL_E_SHAPE,
                   "65537 rows are 65537 shards of 1, expected at most 65536");
    t.rows_per_shard = -1;
    assert_refused(ctx, sparcl_sharded_create(ctx, &t), SPARCL_E_ARG, "rows_per_shard");
    assert_null(t.shards);
}

/* Of rows of one index the last stays, as in one array. */
static void rows_are_assigned_as_to_one_array(void **state) {
    sparcl_ctx *ctx = *state;
    float *const x = make_floats(SIZE, 8);
    sparcl_dense table = put_dense(ctx, x);
    sparcl_sharded shards = split(ctx, x, SHARD);
    sparcl_rows rows = put_gradient(ctx, GIVEN, 5);
    assert_ok(ctx, sparcl_assign_rows(ctx, &table, &rows));
    assert_ok(ctx, sparcl_sharded_assign_rows(ctx, &shards, &rows));
    assert_equal(ctx, "assign_rows", &shards, &table);
    sparcl_rows_free(&rows);
    sparcl_dense_free(&table);
    sparcl_sharded_free(&shards);
    free(x);
}

static void what_is_wrong_is_refused_and_changes_nothing(void **state) {
    sparcl_ctx *ctx = *state;
    float *const x = make_floats(SIZE, 8);
    sparcl_sharded t = split(ctx, x, SHARD), states[3];
    sparcl_dense whole = put_dense(ctx, x);
    sparcl_rows gradient = put_gradient(ctx, GIVEN, 2);
    sparcl_optim o;
    sparcl_optim_init(&o, SPARCL_RULE_ADAM);
    assert_ok(ctx, sparcl_sharded_create_states(ctx, &o, &t, states));
#define REFUSED(change, status, part)                                                              \
    do {                                                                                           \
        const sparcl_optim before = o;                                                             \
        const sparcl_rows stored = gradient;                                                       \
        const sparcl_sharded kept = states[1];                                                     \
        change;                                                                                    \
        assert_refused(ctx, sparcl_sharded_step(ctx, &o, &t, states, &gradient), status, part);    \
        o = before;                                                                                \
        gradient = stored;                                                                         \
        states[1] = kept;                                                                          \
        assert_equal(ctx, #change, &t, &whole);                                                    \
    } while (0)
    REFUSED(sparcl_optim_init(&o, SPARCL_RULE_LAMB), SPARCL_E_ARG,
            "the rate of lamb has norms of the whole table");
    REFUSED(sparcl_optim_init(&o, SPARCL_RULE_ROWWISE_ADAGRAD_COUNTER);
            o.counter.tail_id_is_ratio = 1;
            o.counter.mode = SPARCL_COUNTER_TAIL_LR_INCREASE, SPARCL_E_ARG, "max_counter is 0");
    REFUSED(o.moves = SPARCL_MOVES_EXACT, SPARCL_E_ARG, "exact lazy steps are of one array");
    REFUSED(o.lr = (double)NAN, SPARCL_E_ARG, "lr is nan");
    REFUSED(o.duplicates = SPARCL_DUPLICATES_ERROR, SPARCL_E_DATA, "");
    REFUSED(o.states.type = SPARCL_STATES_F16, SPARCL_E_DTYPE, "state");
    REFUSED(states[1].rows_per_shard = 5, SPARCL_E_ARG, "a state has 4 shards, expected 10");
    REFUSED(states[1].shards = t.shards, SPARCL_E_ALIAS, "overlaps");
    REFUSED(++gradient.shape[0], SPARCL_E_SHAPE, "gradient");
    REFUSED(gradient.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED, "gradient is not checked");
    REFUSED(gradient.values = t.shards[3].values, SPARCL_E_SHAPE, "gradient needs");
    assert_ok(ctx, sparcl_sharded_step(ctx, &o, &t, states, &gradient));
    for (int i = 0; i < 2; ++i)
        sparcl_sharded_free(&states[i]);
    sparcl_sharded_free(&t);
    sparcl_dense_free(&whole);
    sparcl_rows_free(&gradient);
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_has_the_bits_of_one_array),
        cmocka_unit_test(clips_decays_and_random_bits_are_those_of_the_whole_table),
        cmocka_unit_test(last_steps_are_of_the_rows_of_the_table),
        cmocka_unit_test(rows_are_gathered_from_all_shards),
        cmocka_unit_test(rows_are_assigned_as_to_one_array),
        cmocka_unit_test(tables_of_no_rows_have_no_shards),
        cmocka_unit_test(by_default_a_shard_is_as_large_as_an_allocation),
        cmocka_unit_test(what_is_wrong_is_refused_and_changes_nothing),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
