/* test_schedule.c: schedules: their formulas against PyTorch's, their texts, refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"
#include "golden_schedules.h"
#include "sparcl/train.h"

static sparcl_schedule parse(const char *text) {
    sparcl_schedule s;
    sparcl_error error = {0};
    if (sparcl_schedule_parse(&s, text, &error) != SPARCL_OK) fail_msg("%s", error.message);
    return s;
}

/* PyTorch updates a rate from the one before, so it rounds many times. */
static void factors_are_those_of_pytorch(void **state) {
    (void)state;
    for (size_t i = 0; i < SPC_COUNT(schedule_golden); ++i) {
        const sparcl_schedule s = parse(schedule_golden[i].text);
        for (int t = 0; t < GOLDEN_STEPS; ++t) {
            const double found = sparcl_schedule_factor(&s, t, schedule_golden[i].total);
            const double expected = schedule_golden[i].factor[t];
            if (!(fabs(found - expected) <= 1e-12))
                fail_msg("%s, step %d: %.17g, expected %.17g", schedule_golden[i].text, t, found,
                         expected);
        }
    }
}

static void functions_are_within_their_bound(void **state) {
    (void)state;
    for (int i = 0; i <= 10000; ++i) {
        sparcl_schedule s = parse("cosine:period=10000");
        const double x = i / 10000.0;
        assert_true(fabs(sparcl_schedule_factor(&s, i, 1) - (1 + cos(acos(-1.0) * x)) / 2) < 1e-14);
        for (double power = 0.125; power < 3000; power *= 1.7) { /* to 0 */
            sparcl_schedule p = parse("polynomial:period=10000");
            p.power = power;
            const double expected = pow(1 - x, power);
            const double found = sparcl_schedule_factor(&p, i, 1);
            if (!(fabs(found - expected) < 1e-14)) fail_msg("%.17g^%.17g", 1 - x, power);
        }
    }
}

static void the_inverse_root_begins_at_the_warm_up(void **state) {
    (void)state;
    const sparcl_schedule s = parse("inverse-root:warmup=4,warmup_start=0");
    static const double expected[] = {0, 0.25, 0.5, 0.75, 1};
    for (int t = 0; t < 5; ++t)
        assert_true(sparcl_schedule_factor(&s, t, 100) == expected[t]);
    for (int t = 5; t < 50; ++t) /* fairseq: sqrt(warmup) / sqrt(updates) */
        assert_true(fabs(sparcl_schedule_factor(&s, t, 100) - sqrt(4) / sqrt(t)) < 1e-15);
    const sparcl_schedule alone = parse("inverse-root");
    assert_true(sparcl_schedule_factor(&alone, 3, 100) == 0.5);
}

static void declines_end_with_the_run(void **state) {
    (void)state;
    const sparcl_schedule cosine = parse("cosine:warmup=20,end=0.25"), line = parse("polynomial");
    assert_true(sparcl_schedule_factor(&cosine, 20, 120) == 1);
    assert_true(fabs(sparcl_schedule_factor(&cosine, 70, 120) - 0.625) < 1e-15);
    assert_true(sparcl_schedule_factor(&cosine, 120, 120) == 0.25);
    assert_true(sparcl_schedule_factor(&cosine, 500, 120) == 0.25);
    assert_true(sparcl_schedule_factor(&line, 30, 120) == 0.75);
    assert_true(sparcl_schedule_factor(&line, 120, 120) == 0);
    assert_true(sparcl_schedule_factor(&(sparcl_schedule){0}, 77, 120) == 1);
    /* No step is left after the warm-up. */
    assert_true(sparcl_schedule_factor(&cosine, 20, 20) == 1);
    const sparcl_schedule fast = parse("exponential:gamma=0.001");
    assert_true(sparcl_schedule_factor(&fast, 1000, 0) == 0); /* below every double */
}

static void texts_are_read_and_printed(void **state) {
    static const char *const same[] = {"constant",
                                       "constant:warmup=10",
                                       "step:period=30",
                                       "step:period=30,gamma=0.5,unit=pass",
                                       "exponential:gamma=0.999",
                                       "cosine:warmup=100,warmup_start=0,period=1000,end=0.01",
                                       "polynomial:period=7,power=0.9",
                                       "inverse-root:warmup=4000"};
    char text[SPARCL_SCHEDULE_TEXT];
    (void)state;
    for (size_t i = 0; i < SPC_COUNT(same); ++i) {
        const sparcl_schedule s = parse(same[i]);
        sparcl_schedule_print(&s, text);
        assert_string_equal(text, same[i]);
    }
    const sparcl_schedule s = parse("step:unit=step,gamma=0.1,period=5,warmup_start=1");
    sparcl_schedule_print(&s, text);
    assert_string_equal(text, "step:period=5");
    sparcl_schedule_print(&(sparcl_schedule){0}, text);
    assert_string_equal(text, "constant");
}

static void wrong_texts_are_refused(void **state) {
    static const char *const wrong[][2] = {
        {"", "found \"\""},
        {"linear", "expected constant, step"},
        {"cosine:", "KEY=VALUE"},
        {"cosine:warmup", "found \"warmup\""},
        {"cosine:warmup=", "found \"warmup=\""},
        {"cosine:warmup=-1", "found \"warmup=-1\""},
        {"cosine:warmup=1.5", "found \"warmup=1.5\""},
        {"cosine:warmup=99999999999999999999", "found \"warmup=9"},
        {"cosine:gamma=0.5", "another key of cosine"},
        {"cosine:end=2", "end is 2, expected 0 to 1"},
        {"cosine:end=nan", "found \"end=nan\""},
        {"cosine:unit=epoch", "step or pass"},
        {"cosine:warmup=1,,end=0", "found \"\""},
        {"exponential:gamma=1.5", "gamma is 1.5, expected 0 to 1"},
        {"step", "period is 0"},
        {"step:period=0", "period is 0"},
        {"polynomial:power=1e7", "power is 1e+07"},
        {"constant:warmup_start=1.1", "warmup_start is 1.1"},
    };
    (void)state;
    for (size_t i = 0; i < SPC_COUNT(wrong); ++i) {
        sparcl_schedule s = {.warmup = 7};
        sparcl_error error = {0};
        assert_int_equal(sparcl_schedule_parse(&s, wrong[i][0], &error), SPARCL_E_ARG);
        if (!strstr(error.message, wrong[i][1])) fail_msg("%s: %s", wrong[i][0], error.message);
        assert_int_equal(s.warmup, 7);
    }
    sparcl_schedule s = {.kind = (sparcl_schedule_kind)9};
    assert_int_equal(sparcl_schedule_check(&s, NULL), SPARCL_E_ARG);
    s = (sparcl_schedule){.warmup = -1};
    assert_int_equal(sparcl_schedule_check(&s, NULL), SPARCL_E_ARG);
    s = (sparcl_schedule){.size = 1};
    assert_int_equal(sparcl_schedule_check(&s, NULL), SPARCL_E_ARG);
    assert_int_equal(sparcl_schedule_check(NULL, NULL), SPARCL_E_ARG);
    assert_int_equal(sparcl_schedule_parse(NULL, "constant", NULL), SPARCL_E_ARG);
    assert_int_equal(sparcl_schedule_parse(&s, NULL, NULL), SPARCL_E_ARG);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_are_those_of_pytorch),
        cmocka_unit_test(functions_are_within_their_bound),
        cmocka_unit_test(the_inverse_root_begins_at_the_warm_up),
        cmocka_unit_test(declines_end_with_the_run),
        cmocka_unit_test(texts_are_read_and_printed),
        cmocka_unit_test(wrong_texts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
