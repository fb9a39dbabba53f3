/* test_half_states.c: states of 16 bits, rounded at random or to nearest: docs/numerics.md. That
 * each rule rounds as its plain-C answer is in the sweep. */
#include "op_test.h"
#include "spec/optim/half_states.h"
#include "spec/shared/stored.h"

#include "optim_settings.h"
#include "sparcl/optim_text.h"

#define ROWS           64
#define WIDTH          17
#define COUNT_OF_TABLE (ROWS * WIDTH)

static sparcl_dense filled(sparcl_ctx *ctx, float x) {
    float values[COUNT_OF_TABLE];
    for (int i = 0; i < COUNT_OF_TABLE; ++i)
        values[i] = x;
    return (sparcl_dense){
        .rank = 2, .shape = {ROWS, WIDTH}, .values = put(ctx, values, sizeof values)};
}

static double state_at(const uint16_t *states, sparcl_state_type type, int64_t i) {
    return spec_decode(type == SPARCL_STATES_F16 ? SPARCL_F16 : SPARCL_BF16, states, i);
}

/* The mean of Adagrad's sums after some steps with one gradient, from 1 on. */
static double mean_sum(sparcl_ctx *ctx, sparcl_optim optim, float g, int steps) {
    sparcl_dense table = filled(ctx, 0), gradient = filled(ctx, g), state;
    double mean = 0;
    assert_ok(ctx, sparcl_optim_create_states(ctx, &optim, &table, &state));
    for (optim.step = 1; optim.step <= steps; ++optim.step)
        assert_ok(ctx, sparcl_step_dense(ctx, &optim, &table, &state, &gradient));
    uint16_t *const sums = bytes_of(ctx, state.values);
    for (int i = 0; i < COUNT_OF_TABLE; ++i)
        mean += state_at(sums, optim.states.type, i);
    free(sums);
    sparcl_dense_free(&table);
    sparcl_dense_free(&gradient);
    sparcl_dense_free(&state);
    return mean / COUNT_OF_TABLE;
}

/* g^2 is less than half of a unit of a sum of 1. 1088 sums of 200 random roundings: the standard
 * deviation of their mean is less than a unit times sqrt(200 / 4 / 1088). */
static void small_terms_are_lost_only_by_rounding_to_nearest(void **state) {
    static const struct {
        sparcl_state_type type;
        double unit;
    } cases[] = {{SPARCL_STATES_BF16, 0x1p-7}, {SPARCL_STATES_F16, 0x1p-10}};
    for (size_t k = 0; k < COUNT(cases); ++k) {
        const double unit = cases[k].unit;
        const float g = (float)sqrt(unit / 4);
        sparcl_optim o =
            OPTIM(.rule = SPARCL_RULE_ADAGRAD, .lr = 0.01, .adagrad.initial_accumulator = 1,
                  .states.type = cases[k].type, .states.seed = 5);
        const double random = mean_sum(*state, o, g, 200);
        const double expected = 1 + 200 * (double)g * (double)g;
        if (fabs(random - expected) > 4 * unit * sqrt(200.0 / 4 / COUNT_OF_TABLE))
            fail_msg("type %d: the mean is %g, expected %g", (int)cases[k].type, random, expected);
        o.states.rounding = SPARCL_ROUNDING_NEAREST;
        assert_true(mean_sum(*state, o, g, 200) == 1);
    }
}

/* One step of Adam with a random gradient: the first state. */
static uint16_t *first_state(sparcl_ctx *ctx, const sparcl_optim *optim, bool is_dense) {
    sparcl_dense table = filled(ctx, 1), states[2];
    float *const g = make_floats(COUNT_OF_TABLE, 9);
    assert_ok(ctx, sparcl_optim_create_states(ctx, optim, &table, states));
    sparcl_dense gradient = table;
    gradient.values = put(ctx, g, COUNT_OF_TABLE * 4);
    if (is_dense) {
        assert_ok(ctx, sparcl_step_dense(ctx, optim, &table, states, &gradient));
    } else {
        int32_t ids[ROWS];
        float reversed[COUNT_OF_TABLE];
        for (int i = 0; i < ROWS; ++i) {
            ids[i] = ROWS - 1 - i;
            memcpy(reversed + i * WIDTH, g + ids[i] * WIDTH, WIDTH * sizeof *g);
        }
        sparcl_rows rows = {.rank = 2,
                            .shape = {ROWS, WIDTH},
                            .nnr = ROWS,
                            .indices = put(ctx, ids, sizeof ids),
                            .values = put(ctx, reversed, sizeof reversed),
                            .proof.flags = SPARCL_TRUSTED};
        assert_ok(ctx, sparcl_step(ctx, optim, &table, states, &rows));
        sparcl_rows_free(&rows);
    }
    uint16_t *const found = bytes_of(ctx, states[0].values);
    free(g);
    sparcl_dense_free(&gradient);
    sparcl_dense_free(&table);
    for (int i = 0; i < 2; ++i)
        sparcl_dense_free(&states[i]);
    return found;
}

static int count_different(const uint16_t *a, const uint16_t *b) {
    int count = 0;
    for (int i = 0; i < COUNT_OF_TABLE; ++i)
        count += a[i] != b[i];
    return count;
}

/* A dense step without gaps is one of chunks; rows of a gradient may have any order. */
static void random_bits_depend_on_seed_step_and_element_only(void **state) {
    sparcl_optim o =
        OPTIM(.rule = SPARCL_RULE_ADAM, .lr = 0.01, .adam.beta1 = 0.9, .adam.beta2 = 0.999,
              .epsilon = 1e-8, .states.type = SPARCL_STATES_F16, .states.seed = 1);
    uint16_t *const dense = first_state(*state, &o, true), *const rows =
                                                               first_state(*state, &o, false);
    o.step = 2;
    uint16_t *const later = first_state(*state, &o, true);
    o.step = 1;
    o.states.seed = 2;
    uint16_t *const other = first_state(*state, &o, true);
    assert_int_equal(count_different(dense, rows), 0);
    assert_true(count_different(dense, later) > COUNT_OF_TABLE / 8);
    assert_true(count_different(dense, other) > COUNT_OF_TABLE / 8);
    free(dense);
    free(rows);
    free(later);
    free(other);
}

/* Momentum with momentum 0: after a step the state is the gradient, rounded; of -0 it is 0 (0 +
 * -0). */
static uint16_t *rounded(sparcl_ctx *ctx, const float *g, const sparcl_optim *optim) {
    sparcl_dense table = filled(ctx, 0), gradient = table, state;
    gradient.values = put(ctx, g, COUNT_OF_TABLE * sizeof *g);
    assert_ok(ctx, sparcl_optim_create_states(ctx, optim, &table, &state));
    assert_ok(ctx, sparcl_step_dense(ctx, optim, &table, &state, &gradient));
    uint16_t *const found = bytes_of(ctx, state.values);
    sparcl_dense_free(&table);
    sparcl_dense_free(&gradient);
    sparcl_dense_free(&state);
    return found;
}

/* Subnormal halves, the least that is not always 0, the largest, and what is no number; the plain-C
 * answer divides by units where the kernel adds bits. */
static void numbers_at_the_ends_of_the_range_are_rounded_as_stated(void **state) {
    static const float ends[] = {
        0,          0x1p-32F,         0x1.fffffep-33F, -0x1p-30F, 0x1p-26F, -0x1.8p-25F, 0x1p-24F,
        0x1.8p-15F, 0x1.ffcp-15F,     0x1p-14F,        65504,     65510,    -65535,      65536,
        0x1.fp127F, -0x1.fffffep127F, INFINITY,        -INFINITY, NAN};
    static const sparcl_state_type types[] = {SPARCL_STATES_F16, SPARCL_STATES_BF16};
    float g[COUNT_OF_TABLE];
    for (int i = 0; i < COUNT_OF_TABLE; ++i)
        g[i] = ends[i % (int)COUNT(ends)];
    for (int k = 0; k < 4; ++k) {
        const sparcl_optim o =
            OPTIM(.rule = SPARCL_RULE_MOMENTUM, .states.type = types[k / 2], .states.seed = 3,
                  .states.rounding = (sparcl_state_rounding)(k % 2));
        uint16_t *const found = rounded(*state, g, &o);
        for (int i = 0; i < COUNT_OF_TABLE; ++i) {
            const double got = state_at(found, o.states.type, i);
            const spec_num want = spec_stored_state(&o, 0, i, num_exact(SPARCL_F32, (double)g[i]));
            if (isnan(want.order) ? !isnan(got)
                                  : !(got == want.order) || signbit(got) != signbit(want.order))
                fail_msg("type %d, %a: %a, expected %a", (int)o.states.type, (double)g[i], got,
                         want.order);
            if (fabsf(g[i]) < 0x1p-32F && k == 0) assert_true(got == 0);
        }
        free(found);
    }
}

/* A quarter of the unit of subnormal halves, 2^-24. */
static void the_mean_of_subnormal_halves_is_right(void **state) {
    const sparcl_optim o =
        OPTIM(.rule = SPARCL_RULE_MOMENTUM, .states.type = SPARCL_STATES_F16, .states.seed = 6);
    float g[COUNT_OF_TABLE];
    double sum = 0;
    for (int i = 0; i < COUNT_OF_TABLE; ++i)
        g[i] = 0x1p-26F;
    uint16_t *const found = rounded(*state, g, &o);
    for (int i = 0; i < COUNT_OF_TABLE; ++i)
        sum += state_at(found, SPARCL_STATES_F16, i) * 0x1p24;
    assert_true(fabs(sum - COUNT_OF_TABLE / 4.0) < 4 * sqrt(COUNT_OF_TABLE * 3.0 / 16));
    free(found);
}

/* It has no states, and a state of rows stays as it is. */
static void rules_without_states_of_elements_do_not_use_the_type(void **state) {
    sparcl_ctx *ctx = *state;
    const sparcl_rule rules[] = {SPARCL_RULE_SGD, SPARCL_RULE_ROWWISE_ADAGRAD};
    for (size_t k = 0; k < COUNT(rules); ++k) {
        sparcl_dense table = filled(ctx, 1), made[1] = {{0}};
        sparcl_optim o;
        sparcl_optim_init(&o, rules[k]);
        o.states.type = SPARCL_STATES_F16;
        assert_int_equal(sparcl_rule_uses(rules[k], "state_type"), 0);
        assert_ok(ctx, sparcl_optim_create_states(ctx, &o, &table, made));
        assert_int_equal(made[0].dtype, SPARCL_F32);
        sparcl_dense gradient = filled(ctx, 1);
        assert_ok(ctx, sparcl_step_dense(ctx, &o, &table, made, &gradient));
        sparcl_dense_free(&gradient);
        sparcl_dense_free(&made[0]);
        sparcl_dense_free(&table);
    }
    assert_int_equal(sparcl_rule_uses(SPARCL_RULE_ADAM, "state_type"), 1);
}

static void what_cannot_have_states_of_16_bits_is_refused(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_dense table = filled(ctx, 1), gradient = filled(ctx, 1), sums;
    sparcl_lazy *lazy = NULL;
    sparcl_optim o = OPTIM(.rule = SPARCL_RULE_ADAGRAD, .lr = 0.01);
    assert_ok(ctx, sparcl_optim_create_states(ctx, &o, &table, &sums));
    o.states.type = SPARCL_STATES_BF16;
    assert_refused(ctx, sparcl_step_dense(ctx, &o, &table, &sums, &gradient), SPARCL_E_DTYPE,
                   "the first state");
    assert_refused(ctx, sparcl_lazy_create(ctx, &lazy, &o, &table, 0), SPARCL_E_ARG,
                   "a state_type of 16 bits, expected that of the table");
    o.lazy.last_steps = gradient.values;
    assert_refused(ctx, sparcl_step_dense(ctx, &o, &table, &sums, &gradient), SPARCL_E_ARG,
                   "last_steps is set, expected NULL with a state_type of 16 bits");
    o.lazy.last_steps = NULL;
    table.dtype = SPARCL_F64;
    table.shape[0] /= 2;
    if (sparcl_ctx_device(ctx)->has_f64)
        assert_refused(ctx, sparcl_optim_create_states(ctx, &o, &table, &sums), SPARCL_E_DTYPE,
                       "state_type has 16 bits and the table type 1, expected SPARCL_F32");
    o.states.type = (sparcl_state_type)3;
    assert_refused(ctx, sparcl_step_dense(ctx, &o, &table, &sums, &gradient), SPARCL_E_ARG,
                   "state_type is 3, expected a sparcl_state_type");
    sparcl_dense_free(&table);
    sparcl_dense_free(&gradient);
    sparcl_dense_free(&sums);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_terms_are_lost_only_by_rounding_to_nearest),
        cmocka_unit_test(random_bits_depend_on_seed_step_and_element_only),
        cmocka_unit_test(numbers_at_the_ends_of_the_range_are_rounded_as_stated),
        cmocka_unit_test(the_mean_of_subnormal_halves_is_right),
        cmocka_unit_test(rules_without_states_of_elements_do_not_use_the_type),
        cmocka_unit_test(what_cannot_have_states_of_16_bits_is_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
