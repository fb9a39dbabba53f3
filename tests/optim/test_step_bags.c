/* test_step_bags.c: what the header says of sparcl_step_bags. */
#include "op_test.h"
#include "sparcl/optim_text.h"

enum { ROWS = 40, BAGS = 120, ENTRIES = 1500 };

/* A table with its states, bags, and the gradient of what they make. */
typedef struct arrays {
    sparcl_optim optim;
    sparcl_dtype dtype;
    int64_t width, ld;
    sparcl_dense table, states[SPARCL_MAX_STATES], g, positions;
    sparcl_bags bags;
} arrays;

/* The settings that a case differs by. */
typedef struct variant {
    sparcl_rule rule;
    int64_t width;
    sparcl_bag_mode mode;
    sparcl_bounds bounds;
    bool has_weights, has_padding, by_frequency, has_offsets, has_gaps, is_f64, includes_last;
} variant;

static sparcl_dense make_dense(sparcl_ctx *ctx, sparcl_dtype dtype, int64_t rows, int64_t width,
                               int64_t ld, uint64_t seed) {
    double *const x = must_have(calloc((size_t)(rows * ld) + 1, sizeof *x));
    sparcl_dense view = {
        .rank = 2, .dtype = dtype, .shape = {rows, width}, .ld = ld == width ? 0 : ld};
    for (int64_t i = 0; i < rows * ld; ++i)
        x[i] = seed == 0 || i % 7 == 3 ? -0.0 : spec_uniform(&seed); /* a sum of -0 is 0 */
    assert_ok(ctx, spec_put_reals(ctx, &view.values, x, rows * ld, dtype));
    free(x);
    return view;
}

/* Bags of 0 to 25 entries; a third of the entries is row 8, so that its run is split. */
static sparcl_bags make_bags(sparcl_ctx *ctx, const variant *v, sparcl_dtype dtype) {
    int64_t *const ids = must_have(malloc(ENTRIES * sizeof *ids)), offsets[BAGS + 1] = {0};
    const bool has_bad = v->bounds != SPARCL_BOUNDS_ERROR;
    const int64_t bags = v->has_offsets ? BAGS : ENTRIES;
    uint64_t seed = 5;
    for (int64_t k = 0; k < ENTRIES; ++k) {
        const double x = spec_uniform(&seed);
        ids[k] = k % 3 == 1 ? 8 : (int64_t)((x + 1) * ROWS / 2.0001);
        if (has_bad && k % 11 == 4) ids[k] = k % 2 ? -1 - k : ROWS + k;
    }
    for (int64_t i = 0; i < BAGS; ++i)
        offsets[i + 1] = i + 1 == BAGS ? ENTRIES - 9 : offsets[i] + (i * 7) % 25;
    sparcl_bags b = {.bags = bags,
                     .indices = {.count = ENTRIES, .limit = ROWS, .proof = {SPARCL_TRUSTED}},
                     .include_last = v->includes_last,
                     .mode = v->mode,
                     .bounds = v->bounds,
                     .has_padding = v->has_padding,
                     .padding_index = 17,
                     .scale_by_frequency = v->by_frequency};
    b.indices.indices = put_ints(ctx, ids, ENTRIES, SPARCL_INDEX32);
    if (v->has_offsets) b.offsets = put_ints(ctx, offsets, BAGS + 1, SPARCL_INDEX32);
    if (v->has_weights) {
        const sparcl_dense w = make_dense(ctx, dtype, ENTRIES, 1, 1, 9);
        b.weights = w.values;
    }
    free(ids);
    return b;
}

static arrays make(sparcl_ctx *ctx, const variant *v) {
    const sparcl_dtype dtype = v->is_f64 ? SPARCL_F64 : SPARCL_F32;
    arrays x = {.dtype = dtype, .width = v->width, .bags = make_bags(ctx, v, dtype)};
    sparcl_optim_init(&x.optim, v->rule);
    x.table = make_dense(ctx, dtype, ROWS, v->width, v->width, 1);
    assert_ok(ctx, sparcl_optim_create_states(ctx, &x.optim, &x.table, x.states));
    x.g = make_dense(ctx, dtype, x.bags.bags, v->width, v->width + (v->has_gaps ? 3 : 0), 2);
    if (v->mode == SPARCL_BAG_MAX) {
        sparcl_dense y = {.rank = 2, .dtype = dtype, .shape = {x.bags.bags, v->width}};
        x.positions = y;
        x.positions.dtype = SPARCL_INT64;
        assert_ok(ctx, sparcl_dense_create(ctx, &y));
        assert_ok(ctx, sparcl_dense_create(ctx, &x.positions));
        assert_ok(ctx, sparcl_embedding_bag(ctx, &y, &x.table, &x.bags, &x.positions, NULL, 0));
        sparcl_dense_free(&y);
    }
    return x;
}

static void drop(arrays *x) {
    sparcl_dense_free(&x->table);
    for (int i = 0; i < SPARCL_MAX_STATES; ++i)
        sparcl_dense_free(&x->states[i]);
    sparcl_dense_free(&x->g);
    sparcl_dense_free(&x->positions);
    sparcl_buf_free(x->bags.indices.indices);
    sparcl_buf_free(x->bags.offsets);
    sparcl_buf_free(x->bags.weights);
}

static const sparcl_dense *positions_of(const arrays *x) {
    return x->positions.values ? &x->positions : NULL;
}

static sparcl_status step_bags(sparcl_ctx *ctx, const arrays *x) {
    return sparcl_step_bags(ctx, &x->optim, &x->table, x->states, &x->bags, &x->g, positions_of(x));
}

/* The gradient of the table, and a step with it. */
static void step_in_two(sparcl_ctx *ctx, const arrays *x) {
    sparcl_rows r = {.rank = 2, .dtype = x->dtype, .shape = {ROWS, x->width}, .nnr = ENTRIES};
    assert_ok(ctx, sparcl_rows_create(ctx, &r));
    assert_ok(ctx, sparcl_buf_fill(ctx, r.values, 0, sparcl_buf_bytes(r.values), 0));
    assert_ok(ctx, sparcl_embedding_bag_gradient(ctx, &r, &x->g, &x->bags, positions_of(x)));
    assert_ok(ctx, sparcl_step(ctx, &x->optim, &x->table, x->states, &r));
    sparcl_rows_free(&r);
}

static void assert_same(sparcl_ctx *ctx, const sparcl_dense *a, const sparcl_dense *b,
                        const char *what) {
    if (!a->values) return;
    void *const expected = bytes_of(ctx, b->values);
    void *const found = bytes_of(ctx, a->values);
    if (memcmp(found, expected, (size_t)sparcl_buf_bytes(a->values)) != 0)
        fail_msg("%s: other bits than in two calls", what);
    free(expected);
    free(found);
}

/* Three steps in each way. */
static void compare(sparcl_ctx *ctx, const variant *v, void (*change)(sparcl_optim *)) {
    char what[200];
    if (v->is_f64 && !sparcl_ctx_device(ctx)->has_f64) return;
    arrays a = make(ctx, v), b = make(ctx, v);
    snprintf(what, sizeof what,
             "%s, width %lld, mode %d, bounds %d, weights %d, padding %d, by frequency %d, "
             "offsets %d, gaps %d, F64 %d",
             sparcl_rule_name(v->rule), (long long)v->width, v->mode, v->bounds, v->has_weights,
             v->has_padding, v->by_frequency, v->has_offsets, v->has_gaps, v->is_f64);
    if (change) change(&a.optim), change(&b.optim);
    for (int t = 1; t <= 3; ++t) {
        a.optim.step = b.optim.step = t;
        assert_ok(ctx, step_bags(ctx, &a));
        step_in_two(ctx, &b);
    }
    assert_same(ctx, &a.table, &b.table, what);
    for (int i = 0; i < sparcl_rule_states(v->rule); ++i)
        assert_same(ctx, &a.states[i], &b.states[i], what);
    drop(&a);
    drop(&b);
}

static void bits_are_those_of_two_calls(void **state) {
    static const sparcl_rule rules[] = {SPARCL_RULE_SGD, SPARCL_RULE_MOMENTUM, SPARCL_RULE_ADAM,
                                        SPARCL_RULE_ROWWISE_ADAGRAD};
    static const int64_t widths[] = {1, 5, 64, 70};
    int compared = 0;
    for (int i = 0; i < 192; ++i) {
        const variant v = {.rule = rules[i % 4],
                           .width = widths[i / 4 % 4],
                           .mode = (sparcl_bag_mode)(i / 16 % 4),
                           .bounds = (sparcl_bounds)(i / 64),
                           .has_weights = i % 5 == 2 && i / 16 % 4 != SPARCL_BAG_MAX,
                           .has_padding = i % 3 == 1,
                           .by_frequency = i % 7 == 3 && i / 16 % 4 != SPARCL_BAG_MAX,
                           .has_offsets = i % 9 != 4,
                           .has_gaps = i % 4 == 1,
                           .is_f64 = i % 11 == 5,
                           .includes_last = i % 2};
        if (!test_is_chosen(i, test_every(), 0)) continue;
        compare(*state, &v, NULL);
        ++compared;
    }
    assert_true(compared >= 192 / test_every() / 2);
}

static const variant plain = {
    .rule = SPARCL_RULE_MOMENTUM, .width = 5, .has_offsets = true, .includes_last = true};

static void move_all(sparcl_optim *o) {
    o->moves = SPARCL_MOVES_ALL;
}

static void decay_all(sparcl_optim *o) {
    o->decay.kind = SPARCL_DECAY_GLOBAL;
    o->decay.weight = 0.1;
}

static void rescale_and_clip(sparcl_optim *o) {
    o->rescale = 0.5;
    o->clip.value = 0.25;
}

static void clip_stored(sparcl_optim *o) {
    rescale_and_clip(o);
    o->clip.stored = 1;
}

static void clip_norms(sparcl_optim *o) {
    o->clip.norm = 0.5;
    o->clip.row_norm = 0.125;
}

static void be_keras(sparcl_optim *o) {
    assert_int_equal(sparcl_optim_preset(o, o->rule, SPARCL_PRESET_KERAS3), SPARCL_OK);
}

static void take_means(sparcl_optim *o) {
    o->duplicates = SPARCL_DUPLICATES_MEAN;
}

static void refuse_duplicates(sparcl_optim *o) {
    o->duplicates = SPARCL_DUPLICATES_ERROR;
}

/* duplicates: there are none in the gradient of bags. */
static void dials_are_those_of_two_calls(void **state) {
    void (*const changes[])(sparcl_optim *) = {move_all,         decay_all,  rescale_and_clip,
                                               clip_stored,      clip_norms, take_means,
                                               refuse_duplicates};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; ++i)
        compare(*state, &plain, changes[i]);
    variant adam = plain;
    adam.rule = SPARCL_RULE_ADAM;
    compare(*state, &adam, be_keras); /* squares of the rows of one index */
    adam.rule = SPARCL_RULE_LAMB;     /* norms of the whole table */
    compare(*state, &adam, be_keras);
    adam.rule = SPARCL_RULE_LARS;
    compare(*state, &adam, decay_all);
}

static void last_steps_are_written(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make(ctx, &plain), b = make(ctx, &plain);
    a.optim.lazy.last_steps = put_ints(ctx, (int64_t[ROWS]){0}, ROWS, SPARCL_INDEX64);
    b.optim.lazy.last_steps = put_ints(ctx, (int64_t[ROWS]){0}, ROWS, SPARCL_INDEX64);
    a.optim.step = b.optim.step = 4;
    assert_ok(ctx, step_bags(ctx, &a));
    step_in_two(ctx, &b);
    for (int64_t i = 0; i < ROWS; ++i)
        assert_int_equal(int_at(ctx, a.optim.lazy.last_steps, i),
                         int_at(ctx, b.optim.lazy.last_steps, i));
    assert_int_equal(int_at(ctx, a.optim.lazy.last_steps, 8), 4);
    sparcl_buf_free(a.optim.lazy.last_steps);
    sparcl_buf_free(b.optim.lazy.last_steps);
    drop(&a);
    drop(&b);
}

/* All entries are left out, or there are none: no row moves. */
static void bags_without_entries_move_nothing(void **state) {
    sparcl_ctx *ctx = *state;
    variant v = plain;
    v.bounds = SPARCL_BOUNDS_SKIP;
    arrays x = make(ctx, &v);
    void *const before = bytes_of(ctx, x.table.values);
    int64_t *const bad = must_have(malloc(ENTRIES * sizeof *bad));
    for (int64_t k = 0; k < ENTRIES; ++k)
        bad[k] = -1;
    sparcl_buf_free(x.bags.indices.indices);
    x.bags.indices.indices = put_ints(ctx, bad, ENTRIES, SPARCL_INDEX32);
    assert_ok(ctx, step_bags(ctx, &x));
    assert_holds(ctx, x.table.values, before);
    x.bags.indices.count = 0;
    assert_ok(ctx, step_bags(ctx, &x));
    assert_holds(ctx, x.table.values, before);
    free(bad);
    free(before);
    drop(&x);
}

static void assert_step_refused(sparcl_ctx *ctx, const arrays *x, sparcl_status expected,
                                const char *part) {
    void *const before = bytes_of(ctx, x->table.values);
    assert_refused(ctx, step_bags(ctx, x), expected, part);
    assert_holds(ctx, x->table.values, before);
    free(before);
}

static void wrong_operands_are_refused(void **state) {
    sparcl_ctx *ctx = *state;
    const arrays x = make(ctx, &plain);
    arrays y = x;
    y.optim.lr = (double)NAN;
    assert_step_refused(ctx, &y, SPARCL_E_ARG, "lr");
    y = x;
    y.bags.indices.limit = ROWS - 1;
    assert_step_refused(ctx, &y, SPARCL_E_SHAPE, "limit");
    y = x;
    y.g.shape[1] = 4;
    assert_step_refused(ctx, &y, SPARCL_E_SHAPE, "(4)");
    y = x;
    y.g.shape[0] = BAGS - 1;
    assert_step_refused(ctx, &y, SPARCL_E_SHAPE, "bags");
    y = x;
    y.bags.mode = SPARCL_BAG_MAX;
    assert_step_refused(ctx, &y, SPARCL_E_ARG, "positions are NULL");
    y = x;
    y.positions = x.g;
    assert_step_refused(ctx, &y, SPARCL_E_ARG, "positions are given");
    y = x;
    y.bags.indices.proof.flags = 0;
    assert_step_refused(ctx, &y, SPARCL_E_UNCHECKED, "list");
    y = x;
    y.g = y.table;
    y.g.shape[0] = y.bags.bags = ROWS;
    assert_step_refused(ctx, &y, SPARCL_E_ALIAS, "overlap");
    y = x;
    drop(&y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_those_of_two_calls),
        cmocka_unit_test(dials_are_those_of_two_calls),
        cmocka_unit_test(last_steps_are_written),
        cmocka_unit_test(bags_without_entries_move_nothing),
        cmocka_unit_test(wrong_operands_are_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
