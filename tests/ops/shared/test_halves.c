/* test_halves.c: values of 16 bits on the device (cl/halves.cl) and in the specs
 * (src/spec/shared/stored.c), which round by other methods, are equal for all values, and for
 * numbers around every boundary. */
#include "op_test.h"

#include "spec/shared/stored.h"

#define ALL 65536

static const sparcl_dtype formats[] = {SPARCL_F16, SPARCL_BF16};

static void convert(sparcl_ctx *ctx, sparcl_dtype to_type, void *to, sparcl_dtype from_type,
                    const void *from, int64_t count) {
    sparcl_dense x = {.rank = 1, .dtype = from_type, .shape = {count}};
    sparcl_dense y = {.rank = 1, .dtype = to_type, .shape = {count}};
    assert_ok(ctx, sparcl_dense_upload(ctx, &x, from));
    assert_ok(ctx, sparcl_dense_create(ctx, &y));
    assert_ok(ctx, sparcl_copy(ctx, &y, &x));
    assert_ok(ctx, sparcl_dense_read(ctx, &y, to));
    sparcl_dense_free(&x);
    sparcl_dense_free(&y);
}

static void all_values_are_widened_as_in_the_specs(void **state) {
    sparcl_ctx *ctx = *state;
    uint16_t *halves = must_have(calloc(ALL, sizeof *halves));
    float *wide = must_have(calloc(ALL, sizeof *wide));
    for (int64_t i = 0; i < ALL; ++i)
        halves[i] = (uint16_t)i;
    for (size_t f = 0; f < COUNT(formats); ++f) {
        convert(ctx, SPARCL_F32, wide, formats[f], halves, ALL);
        for (int64_t i = 0; i < ALL; ++i) {
            const float want = (float)spec_decode(formats[f], halves, i);
            if (memcmp(&wide[i], &want, 4) != 0 && !(isnan(wide[i]) && isnan(want)))
                fail_msg("0x%llx is %a, expected %a", (long long)i, (double)wide[i], (double)want);
        }
    }
    free(halves);
    free(wide);
}

/* For each value of 16 bits: itself, half way to the next one, and the floats beside these; and
 * random floats. */
static int64_t numbers_to_round(sparcl_dtype format, float *x) {
    uint16_t bits[ALL / 2 + 1];
    uint64_t seed = 7;
    int64_t count = 0;
    for (int64_t i = 0; i <= ALL / 2; ++i)
        bits[i] = (uint16_t)i;
    for (int64_t i = 0; i < ALL / 2; ++i) {
        const double here = spec_decode(format, bits, i), next = spec_decode(format, bits, i + 1);
        const float value = (float)here;
        const float half = (float)(isfinite(next) ? (here + next) / 2 : here * (1 + 0x1p-9));
        const float around[] = {value,
                                nextafterf(value, INFINITY),
                                half,
                                nextafterf(half, 0),
                                nextafterf(half, INFINITY),
                                (float)ldexp(spec_uniform(&seed), (int)(i % 280) - 150)};
        for (size_t k = 0; k < COUNT(around); ++k) {
            x[count++] = around[k];
            x[count++] = -around[k];
        }
    }
    return count;
}

static void numbers_are_rounded_as_in_the_specs(void **state) {
    sparcl_ctx *ctx = *state;
    float *x = must_have(calloc(ALL * 6, sizeof *x));
    uint16_t *got = must_have(calloc(ALL * 6, sizeof *got)), want;
    for (size_t f = 0; f < COUNT(formats); ++f) {
        const int64_t count = numbers_to_round(formats[f], x);
        convert(ctx, formats[f], got, SPARCL_F32, x, count);
        for (int64_t i = 0; i < count; ++i) {
            spec_encode(formats[f], &want, 0, (double)x[i]);
            if (got[i] != want && !isnan(x[i]))
                fail_msg("%a becomes 0x%x, expected 0x%x", (double)x[i], got[i], want);
            if (isnan(x[i])) assert_true(isnan(spec_decode(formats[f], got, i)));
        }
    }
    free(x);
    free(got);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_values_are_widened_as_in_the_specs),
        cmocka_unit_test(numbers_are_rounded_as_in_the_specs),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
