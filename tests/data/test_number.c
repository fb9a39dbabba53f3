/* test_number.c: decimal text against strtof and strtod of the C locale, bit for bit. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "data/io/number.h"

enum { ROOM = 2048, RANDOM_CASES = 100000 };

static uint64_t next_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static spc_rounded rounded; /* what was read last */

static spc_number read_f32(const char *text, float *value, size_t *used) {
    char padded[ROOM] = {0};
    snprintf(padded, sizeof padded - SPC_NUMBER_PAD, "%s", text);
    const char *at = padded;
    const spc_number result = spc_read_f32(&at, value, &rounded.f32);
    *used = (size_t)(at - padded);
    return result;
}

static spc_number read_f64(const char *text, double *value, size_t *used) {
    char padded[ROOM] = {0};
    snprintf(padded, sizeof padded - SPC_NUMBER_PAD, "%s", text);
    const char *at = padded;
    const spc_number result = spc_read_f64(&at, value, &rounded);
    *used = (size_t)(at - padded);
    return result;
}

/* Under the C locale only: the reference reads the locale. */
static void check_f32(const char *text) {
    float value = 0;
    size_t used = 0;
    char *end = NULL;
    const float expected = strtof(text, &end);
    const spc_number result = read_f32(text, &value, &used);
    if (result != (isinf(expected) ? SPC_NUMBER_RANGE : SPC_NUMBER_READ) ||
        spc_f32_bits(value) != spc_f32_bits(expected) || used != (size_t)(end - text))
        fail_msg("%s: expected %a and %zu bytes, found %a and %zu, result %d", text,
                 (double)expected, (size_t)(end - text), (double)value, used, (int)result);
}

static void check_f64(const char *text) {
    double value = 0;
    size_t used = 0;
    char *end = NULL;
    const double expected = strtod(text, &end);
    const spc_number result = read_f64(text, &value, &used);
    if (result != (isinf(expected) ? SPC_NUMBER_RANGE : SPC_NUMBER_READ) ||
        spc_f64_bits(value) != spc_f64_bits(expected) || used != (size_t)(end - text))
        fail_msg("%s: expected %a and %zu bytes, found %a and %zu, result %d", text, expected,
                 (size_t)(end - text), value, used, (int)result);
}

/* Numbers near the limits of rounding, of the types, and of the digits that are read at once. */
static const char edges[] =
    "0 -0 +0 0.0 -0.0e5 1 -1 +1 1. .5 -.5 00012 1e0 1E+2 1e-2 0.1 0.2 0.3 123456789 12345678 "
    "1234567 16777215 16777216 16777217 16777218 16777219 33554433 33554434 33554435 "
    "4294967295 4294967296 18446744073709551615 18446744073709551616 9999999999999999999 "
    "99999999999999999999 9007199254740991 9007199254740992 9007199254740993 "
    "9007199254740993.0 9007199254740992.9999999999999999999999 "
    "9007199254740993.00000000000000000001 3.4028234e38 3.4028235e38 "
    "3.40282346638528859811704183484516925440e38 3.4028235677973366163e38 "
    "3.4028235677973366e38 3.4028235677973365e38 340282356779733661637539395458142568447.9999 "
    "340282356779733661637539395458142568448 3.5e38 1e38 1e39 1e999 -1e39 "
    "1e99999999999999999999 1e-99999999999999999999 -1e-99999999999999999999 "
    "0e99999999999999999999 1.17549435e-38 1.1754943508222875e-38 1.17549429e-38 "
    "1.1754942e-38 1e-45 1.4e-45 7.0064923216240853e-46 7.0064923216240854e-46 "
    "7.006492321624085354618e-46 7.006492321624085354619e-46 7e-46 2.1019476964872256e-45 "
    "2.1e-45 5.877e-39 1e-46 -1e-46 1e-60 1e-70 1e-71 1234567890123456789e-70 "
    "1234567890123456789e-89 9999999999999999999e-71 "
    "0.000000000000000000000000000000000000000000000000000000000000000001e66 "
    "1000000000000000000000000000000000000000000000000000000000000000000000e-69 "
    "0.00000000000000000000000000000000000000000000123456789012345678901234567890e40 "
    "1.00000005960464477539062 1.000000059604644775390625 "
    "1.00000005960464477539062500000000000001 1.00000017881393432617187499 "
    "1.000000178813934326171875 1.00000017881393432617187501 8388608.5 8388609.5 8388610.5 "
    "0.50000002980232238769531249 0.500000029802322387695312500 2.2250738585072014e-308 "
    "2.2250738585072011e-308 4.9e-324 2.4703282292062327e-324 2.4703282292062328e-324 "
    "1.7976931348623157e308 1.7976931348623158e308 1.7976931348623159e308 1e308 1e309 1e22 "
    "1e23 1e-22 1e-23 3.5e-200 1e5";

static void edge_cases_round_as_strtof_and_strtod_do(void **state) {
    (void)state;
    char text[100];
    int length = 0, count = 0;
    for (const char *at = edges; sscanf(at, "%99s%n", text, &length) == 1; at += length, count++) {
        check_f32(text);
        check_f64(text);
    }
    assert_int_equal(count, 110);
}

static void a_random_float_comes_back_from_its_text(void **state) {
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < RANDOM_CASES; i++) {
        const uint32_t bits = (uint32_t)next_random(&random);
        const float value = spc_f32_of_bits(bits);
        if (!isfinite(value)) continue;
        char text[64];
        float back = 0;
        size_t used = 0;
        snprintf(text, sizeof text, "%.9g", (double)value);
        assert_int_equal(read_f32(text, &back, &used), SPC_NUMBER_READ);
        assert_int_equal(spc_f32_bits(back), bits);
        snprintf(text, sizeof text, "%.*e", (int)(next_random(&random) % 40), (double)value);
        check_f32(text);
    }
}

static void a_random_double_comes_back_from_its_text(void **state) {
    (void)state;
    uint64_t random = 2;
    for (int i = 0; i < RANDOM_CASES; i++) {
        const double value = spc_f64_of_bits(next_random(&random));
        if (!isfinite(value)) continue;
        char text[64];
        snprintf(text, sizeof text, "%.17g", value);
        check_f64(text);
        check_f32(text);
        snprintf(text, sizeof text, "%.6g", ldexp(value, 0));
        check_f64(text);
    }
}

/* The text of a point half-way between two floats, exact, and numbers just below and above it. */
static void half_way_cases_round_to_even_and_their_neighbours_to_nearest(void **state) {
    (void)state;
    uint64_t random = 3;
    for (int i = 0; i < RANDOM_CASES / 10; i++) {
        const uint32_t bits = (uint32_t)next_random(&random) & 0x7fffffffu;
        const float below = spc_f32_of_bits(bits), above = spc_f32_of_bits(bits + 1);
        if (!isfinite(above)) continue;
        char text[256];
        const int length = snprintf(text, 220, "%.200e", ((double)below + (double)above) / 2);
        check_f32(text);
        char *const exponent = memchr(text, 'e', (size_t)length);
        char tail[16];
        snprintf(tail, sizeof tail, "%s", exponent);
        snprintf(exponent, 40, "1%s", tail);
        check_f32(text);
        exponent[0] = '\0';
        for (char *digit = exponent - 1; digit > text; digit--) { /* one unit down, with borrow */
            if (*digit == '.') continue;
            if (*digit != '0') {
                --*digit;
                break;
            }
            *digit = '9';
        }
        snprintf(exponent, 20, "%s", tail);
        check_f32(text);
    }
}

static void random_digits_of_any_length_round_as_strtof_does(void **state) {
    (void)state;
    uint64_t random = 4;
    for (int i = 0; i < RANDOM_CASES; i++) {
        char text[128];
        const int length = 1 + (int)(next_random(&random) % 60);
        const int point = (int)(next_random(&random) % 70);
        int at = 0;
        for (int k = 0; k < length; k++) {
            if (k == point) text[at++] = '.';
            text[at++] = (char)('0' + next_random(&random) % 10);
        }
        snprintf(text + at, 16, "e%d", (int)(next_random(&random) % 140) - 90);
        check_f32(text);
        check_f64(text);
    }
}

static void nan_and_infinity_are_read_in_any_case(void **state) {
    (void)state;
    const struct {
        const char *text;
        float value;
        size_t used;
    } words[] = {{"nan", NAN, 3},       {"NaN", NAN, 3},           {"-nan", NAN, 4},
                 {"inf", INFINITY, 3},  {"-inf", -INFINITY, 4},    {"+inf", INFINITY, 4},
                 {"INF", INFINITY, 3},  {"Infinity", INFINITY, 8}, {"-INFINITY", -INFINITY, 9},
                 {"infin", INFINITY, 3}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        float value = 0;
        double wide = 0;
        size_t used = 0;
        assert_int_equal(read_f32(words[i].text, &value, &used), SPC_NUMBER_READ);
        assert_int_equal(spc_f32_bits(value), spc_f32_bits(words[i].value));
        assert_int_equal(used, words[i].used);
        assert_int_equal(read_f64(words[i].text, &wide, &used), SPC_NUMBER_READ);
        assert_true(isnan(words[i].value) ? isnan(wide) : wide == (double)words[i].value);
    }
}

static void text_that_is_no_number_is_not_consumed(void **state) {
    (void)state;
    const char *const none[] = {"",   " 1", "+",   "-",   ".",   "+.", "e5", "-e5", "x",
                                "na", "in", "--1", "+-1", ".e1", "_1", ":",  "\n",  "\x80"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        float value = 0;
        double wide = 0;
        size_t used = 9;
        assert_int_equal(read_f32(none[i], &value, &used), SPC_NUMBER_NONE);
        assert_int_equal(used, 0);
        assert_int_equal(read_f64(none[i], &wide, &used), SPC_NUMBER_NONE);
        assert_int_equal(used, 0);
    }
}

static void a_number_ends_where_its_syntax_ends(void **state) {
    (void)state;
    const struct {
        const char *text;
        float value;
        size_t used;
    } cases[] = {{"0x1p3", 0, 1},    {"1e", 1, 1},  {"1e+", 1, 1},   {"1e-x", 1, 1},
                 {"1.5.2", 1.5f, 3}, {"1,5", 1, 1}, {"1:2", 1, 1},   {"12 3", 12, 2},
                 {"1e2e3", 100, 3},  {"1f", 1, 1},  {"1_000", 1, 1}, {"1..", 1, 2},
                 {"7\n", 7, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float value = 0;
        size_t used = 0;
        assert_int_equal(read_f32(cases[i].text, &value, &used), SPC_NUMBER_READ);
        assert_int_equal(spc_f32_bits(value), spc_f32_bits(cases[i].value));
        assert_int_equal(used, cases[i].used);
    }
}

static void an_overflow_is_distinguished_from_infinity(void **state) {
    (void)state;
    float value = 0;
    double wide = 0;
    size_t used = 0;
    assert_int_equal(read_f32("1e39", &value, &used), SPC_NUMBER_RANGE);
    assert_int_equal(read_f32("-1e39", &value, &used), SPC_NUMBER_RANGE);
    assert_int_equal(read_f64("1e39", &wide, &used), SPC_NUMBER_READ);
    assert_int_equal(read_f64("1e309", &wide, &used), SPC_NUMBER_RANGE);
    assert_int_equal(used, 5);
}

static void a_very_long_number_is_read_to_its_end(void **state) {
    (void)state;
    char text[ROOM] = "0.";
    memset(text + 2, '0', 1000);
    snprintf(text + 1002, 64, "1234567e1001");
    check_f32(text);
    check_f64(text);
    memset(text, '9', 1500);
    snprintf(text + 1500, 64, "e-1490");
    check_f32(text);
    check_f64(text);
}

static void the_comma_of_a_locale_changes_nothing(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8",  "de_DE",      "fr_FR.UTF-8",
                                        "fr_FR.utf8",  "nl_NL.UTF-8", "es_ES.UTF-8"};
    const char *set = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !set; i++)
        set = setlocale(LC_ALL, names[i]);
    if (!set || strcmp(localeconv()->decimal_point, ",") != 0) {
        setlocale(LC_ALL, "C");
        skip();
    }
    float easy = 0, hard = 0;
    double wide = 0;
    size_t used = 0;
    const spc_number one = read_f32("1.5", &easy, &used);
    const spc_number two = read_f32("1.000000059604644775390625", &hard, &used);
    const spc_number three = read_f64("2.2250738585072014e-308", &wide, &used);
    setlocale(LC_ALL, "C");
    assert_int_equal(one, SPC_NUMBER_READ);
    assert_int_equal(two, SPC_NUMBER_READ);
    assert_int_equal(three, SPC_NUMBER_READ);
    assert_int_equal(spc_f32_bits(easy), spc_f32_bits(1.5f));
    assert_int_equal(spc_f32_bits(hard), spc_f32_bits(1.0f));
    assert_int_equal(spc_f64_bits(wide), spc_f64_bits(0x1p-1022));
}

static void eight_bytes_give_their_leading_digits(void **state) {
    (void)state;
    uint64_t random = 5;
    for (int i = 0; i < RANDOM_CASES; i++) {
        char bytes[9] = {0};
        const unsigned count = (unsigned)(next_random(&random) % 9);
        for (unsigned k = 0; k < 8; k++)
            bytes[k] =
                k < count ? (char)('0' + next_random(&random) % 10) : (char)next_random(&random);
        if (count < 8) bytes[count] = "/:\xff \n\x80\x01-"[next_random(&random) % 8];
        uint64_t value = 1;
        assert_int_equal(spc_parse_digits(bytes, &value), count);
        bytes[count] = '\0';
        assert_int_equal(value, count ? strtoull(bytes, NULL, 10) : 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edge_cases_round_as_strtof_and_strtod_do),
        cmocka_unit_test(a_random_float_comes_back_from_its_text),
        cmocka_unit_test(a_random_double_comes_back_from_its_text),
        cmocka_unit_test(half_way_cases_round_to_even_and_their_neighbours_to_nearest),
        cmocka_unit_test(random_digits_of_any_length_round_as_strtof_does),
        cmocka_unit_test(nan_and_infinity_are_read_in_any_case),
        cmocka_unit_test(text_that_is_no_number_is_not_consumed),
        cmocka_unit_test(a_number_ends_where_its_syntax_ends),
        cmocka_unit_test(an_overflow_is_distinguished_from_infinity),
        cmocka_unit_test(a_very_long_number_is_read_to_its_end),
        cmocka_unit_test(the_comma_of_a_locale_changes_nothing),
        cmocka_unit_test(eight_bytes_give_their_leading_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
