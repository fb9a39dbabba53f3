/* test_arguments.c: arguments of kernels that did not change are not set again (launch/launch.c).
 */
#include "op_test.h"

#include "launch/launch.h"

enum { ELEMENTS = 37, ROUNDS = 40 };

static sparcl_dense vector(sparcl_buf *values) {
    return (sparcl_dense){.rank = 1, .dtype = SPARCL_F32, .shape = {ELEMENTS}, .values = values};
}

/* Drivers give a buffer the memory object of one that was freed. */
static void a_buffer_in_the_place_of_a_freed_one_is_another_argument(void **state) {
    sparcl_ctx *ctx = *state;
    float got[ELEMENTS];
    for (int round = 0; round < ROUNDS; ++round) {
        float *numbers = make_floats(ELEMENTS, (uint64_t)round);
        sparcl_dense from = vector(put(ctx, numbers, sizeof got)), to = {0};
        memset(got, 0, sizeof got);
        to = vector(put(ctx, got, sizeof got));
        assert_ok(ctx, sparcl_copy(ctx, &to, &from));
        assert_ok(ctx, sparcl_buf_read(ctx, to.values, 0, sizeof got, got));
        assert_memory_equal(got, numbers, sizeof got);
        sparcl_dense_free(&from);
        sparcl_dense_free(&to);
        free(numbers);
    }
}

/* 0 and -0 are equal, and not the same bits. */
static void a_number_is_set_if_its_bits_change(void **state) {
    static const double factors[] = {1, 1, -1, 0.0, -0.0, 0.0, 2, 2};
    sparcl_ctx *ctx = *state;
    float ones[ELEMENTS], got[ELEMENTS];
    for (int i = 0; i < ELEMENTS; ++i)
        ones[i] = 1;
    sparcl_dense x = vector(put(ctx, ones, sizeof ones)), y = vector(put(ctx, ones, sizeof ones));
    for (size_t i = 0; i < COUNT(factors); ++i) {
        const sparcl_term term = {.factor = factors[i], .dense = &x};
        assert_ok(ctx, sparcl_add_n(ctx, &y, &term, 1));
        assert_ok(ctx, sparcl_buf_read(ctx, y.values, 0, sizeof got, got));
        assert_true(got[0] == (float)factors[i]);
        assert_int_equal(signbit(got[0]) != 0, signbit(factors[i]) != 0);
    }
    sparcl_dense_free(&x);
    sparcl_dense_free(&y);
}

/* After a launch that was refused, too. */
static void more_arguments_than_a_kernel_can_have_are_refused(void **state) {
    sparcl_ctx *ctx = *state;
    spc_arg many[200];
    for (size_t i = 0; i < COUNT(many); ++i)
        many[i] = SPC_I32(0);
    assert_int_equal(
        spc_launch(ctx, "probe", 0, "probe_sum", spc_range_groups(ctx, 1), many, COUNT(many)),
        SPARCL_E_OPENCL);
    a_number_is_set_if_its_bits_change(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_in_the_place_of_a_freed_one_is_another_argument),
        cmocka_unit_test(a_number_is_set_if_its_bits_change),
        cmocka_unit_test(more_arguments_than_a_kernel_can_have_are_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
