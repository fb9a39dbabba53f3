/* test_probe.c: the check of quotients and roots, and what the device under test does. */
#include "device_test.h"

#include <math.h>

#include "probe/exact.h"

static void the_check_accepts_only_the_nearest_float(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 200000; ++i) {
        float a = 0, b = 0, x = 0;
        spc_hard_division(i, i % 3 == 0, &a, &b);
        spc_hard_root(i, i % 3 == 0, &x);
        /* A quotient or root in double, rounded once more, is the float one (Figueroa 1995). */
        const float quotient = (float)((double)a / (double)b), root = (float)sqrt(x);
        assert_true(spc_is_quotient(a, b, quotient));
        assert_true(spc_is_root(x, root));
        if (isfinite(quotient) && quotient != 0) {
            assert_false(spc_is_quotient(a, b, nextafterf(quotient, INFINITY)));
            assert_false(spc_is_quotient(a, b, nextafterf(quotient, -INFINITY)));
            assert_false(spc_is_quotient(a, b, -quotient));
        }
        if (isfinite(root) && root != 0) {
            assert_false(spc_is_root(x, nextafterf(root, INFINITY)));
            assert_false(spc_is_root(x, nextafterf(root, 0)));
        }
    }
}

static void the_check_handles_zero_infinity_and_nan(void **state) {
    static const float all[] = {0,         -0.0f, 1,      -1,     3,    INFINITY,
                                -INFINITY, NAN,   1e-45f, -3e38f, 1e38f};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        assert_true(spc_is_root(all[i], sqrtf(all[i])));
        assert_false(spc_is_root(all[i], -7));
        for (size_t j = 0; j < sizeof all / sizeof *all; ++j) {
            const float quotient = (float)((double)all[i] / (double)all[j]);
            assert_true(spc_is_quotient(all[i], all[j], quotient));
            assert_false(spc_is_quotient(all[i], all[j], 7));
        }
    }
}

static void half_of_the_numbers_are_hard_to_round(void **state) {
    int hard = 0;
    (void)state;
    for (uint32_t i = 0; i < 1000; ++i) {
        float a = 0, b = 0;
        spc_hard_division(i, false, &a, &b);
        const float q = (float)((double)a / (double)b);
        const double step = nextafterf(q, INFINITY) - q, miss = fabs((double)a / (double)b - q);
        hard += fabs(miss / step - 0.5) < 1e-5;
    }
    assert_in_range(hard, 300, 700);
}

static void print(const sparcl_ctx *ctx, const sparcl_probe *p) {
    printf(
        "%s (%s): flushes inputs %d, results %d; contracts %d; reorders sums %d, marked %d; plain "
        "divide %d, root %d rounded; used %d %d, own %d %d right; conversions %d; loops end at "
        "%lld "
        "%s\n",
        sparcl_ctx_device(ctx)->name, sparcl_ctx_platform(ctx), p->flushes_inputs,
        p->flushes_results, p->contracts, p->reorders_sums, p->reorders_in_order,
        p->plain_divide_correct, p->plain_sqrt_correct, p->divide_correct, p->sqrt_correct,
        p->software_divide_correct, p->software_sqrt_correct, p->conversions_correct,
        (long long)p->loop_limit, p->first_error);
}

/* What the promise of docs/numerics.md is based on. */
static void the_device_computes_as_promised(void **state) {
    sparcl_ctx *ctx = test_open();
    sparcl_probe p;
    (void)state;
    assert_ok(ctx, sparcl_ctx_probe(ctx, &p));
    print(ctx, &p);
    assert_false(p.contracts);
    assert_false(p.reorders_in_order);
    assert_true(p.divide_correct && p.sqrt_correct && p.conversions_correct);
    assert_true(p.software_divide_correct && p.software_sqrt_correct);
    assert_true(p.loops_correct);
    assert_true(p.cases >= 4000);
    assert_string_equal(p.first_error, "");
    sparcl_ctx_close(ctx);
}

/* All CPU implementations known keep subnormal numbers; rusticl only says that it does not. */
static void a_cpu_keeps_subnormal_numbers_whatever_it_claims(void **state) {
    sparcl_ctx *ctx = test_open();
    sparcl_probe p;
    (void)state;
    assert_ok(ctx, sparcl_ctx_probe(ctx, &p));
    if (sparcl_ctx_device(ctx)->types == SPARCL_TYPE_CPU)
        assert_false(p.flushes_inputs || p.flushes_results);
    if (strcmp(sparcl_ctx_platform(ctx), "rusticl") == 0)
        assert_false(sparcl_ctx_device(ctx)->has_denormals);
    sparcl_ctx_close(ctx);
}

static void probing_twice_finds_the_same_and_keeps_no_memory(void **state) {
    sparcl_ctx *ctx = test_open();
    sparcl_probe first, second;
    (void)state;
    const int64_t before = sparcl_ctx_memory(ctx);
    assert_ok(ctx, sparcl_ctx_probe(ctx, &first));
    assert_ok(ctx, sparcl_ctx_probe(ctx, &second));
    assert_memory_equal(&first, &second, sizeof first);
    assert_int_equal(sparcl_ctx_memory(ctx), before);
    sparcl_ctx_close(ctx);
}

static void null_is_refused(void **state) {
    sparcl_ctx *ctx = test_open();
    sparcl_probe probe;
    (void)state;
    memset(&probe, 0x55, sizeof probe);
    assert_int_equal(sparcl_ctx_probe(NULL, &probe), SPARCL_E_ARG);
    const sparcl_probe zero = {0};
    assert_memory_equal(&probe, &zero, sizeof probe);
    assert_refused(ctx, sparcl_ctx_probe(ctx, NULL), SPARCL_E_ARG, "probe is NULL");
    assert_int_equal(sparcl_ctx_build_all(NULL, NULL, NULL), SPARCL_E_ARG);
    sparcl_ctx_close(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_check_accepts_only_the_nearest_float),
        cmocka_unit_test(the_check_handles_zero_infinity_and_nan),
        cmocka_unit_test(half_of_the_numbers_are_hard_to_round),
        cmocka_unit_test(the_device_computes_as_promised),
        cmocka_unit_test(a_cpu_keeps_subnormal_numbers_whatever_it_claims),
        cmocka_unit_test(probing_twice_finds_the_same_and_keeps_no_memory),
        cmocka_unit_test(null_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
