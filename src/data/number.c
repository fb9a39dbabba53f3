/* number.c: parses decimal text as float and double, correctly rounded, independent of the
 * locale. */
#include "data/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* A decimal number: digits * 10^exponent, plus less than one unit of `digits` when truncated
 * (`cut`). */
typedef struct decimal {
    uint64_t digits;
    int64_t exponent;
    bool negative, cut;
} decimal;

enum { DIGITS_MAX = 19, EXACT_POWER = 22, POWER_MAX = 70, F32_POWER_MAX = 38 };

/* Up to 1e22 exact, above correctly rounded. */
static const double powers[POWER_MAX + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14,
    1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29,
    1e30, 1e31, 1e32, 1e33, 1e34, 1e35, 1e36, 1e37, 1e38, 1e39, 1e40, 1e41, 1e42, 1e43, 1e44,
    1e45, 1e46, 1e47, 1e48, 1e49, 1e50, 1e51, 1e52, 1e53, 1e54, 1e55, 1e56, 1e57, 1e58, 1e59,
    1e60, 1e61, 1e62, 1e63, 1e64, 1e65, 1e66, 1e67, 1e68, 1e69, 1e70,
};

/* With an exponent beyond this, any mantissa that fits in memory becomes 0 or infinite. */
static const int64_t exponent_limit = INT64_MAX / 4;

static const char *parse_digits(const char *at, uint64_t *digits) {
    static const uint64_t scale[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    unsigned count;
    do {
        uint64_t value;
        count = spc_parse_digits(at, &value);
        *digits = *digits * scale[count] + value;
        at += count;
    } while (count == 8);
    return at;
}

/* For more than 19 digits: keep the first 19 significant ones. */
static void parse_long(const char *at, const char *end, decimal *number) {
    int kept = 0;
    bool point = false;
    number->digits = 0;
    number->exponent = 0;
    for (; at < end; at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        if (kept < DIGITS_MAX) {
            number->digits = number->digits * 10 + (uint64_t)(*at - '0');
            kept += number->digits != 0;
            number->exponent -= point;
        } else {
            number->cut |= *at != '0';
            number->exponent += !point;
        }
    }
}

static const char *parse_exponent(const char *at, int64_t *exponent) {
    const char *digit = at + 1;
    const bool negative = *digit == '-';
    if (*digit == '-' || *digit == '+') digit++;
    if (*digit < '0' || *digit > '9') return at; /* the number ends before the e */
    int64_t value = 0;
    for (; *digit >= '0' && *digit <= '9'; digit++)
        if (value < exponent_limit / 10 - 1) value = value * 10 + (*digit - '0');
    *exponent += negative ? -value : value;
    return digit;
}

/* Parse a number; returns its end, or NULL when none begins at `at`. */
static const char *parse_decimal(const char *at, decimal *number) {
    *number = (decimal){.negative = *at == '-'};
    if (*at == '-' || *at == '+') at++;
    const char *const first = at;
    at = parse_digits(at, &number->digits);
    ptrdiff_t count = at - first;
    if (*at == '.') {
        const char *const fraction = at + 1;
        at = parse_digits(fraction, &number->digits);
        number->exponent = fraction - at;
        count += at - fraction;
    }
    if (count == 0) return NULL;
    if (count > DIGITS_MAX) parse_long(first, at, number);
    if (*at == 'e' || *at == 'E') at = parse_exponent(at, &number->exponent);
    return at;
}

static bool same_word(const char *at, const char *word) {
    for (; *word; at++, word++)
        if ((*at | 0x20) != *word) return false;
    return true;
}

/* Parse "nan", "inf" or "infinity", with or without sign; returns its end, or NULL. */
static const char *parse_word(const char *at, double *value) {
    const bool negative = *at == '-';
    if (*at == '-' || *at == '+') at++;
    if (same_word(at, "nan")) {
        *value = (double)NAN; /* the same NaN for both signs */
        return at + 3;
    }
    if (!same_word(at, "inf")) return NULL;
    *value = negative ? -(double)INFINITY : (double)INFINITY;
    return at + (same_word(at + 3, "inity") ? 8 : 3);
}

/* Exact for every text, and rarely needed: the C library with the "C" locale, for this thread
 * only. */
static spc_number read_exactly(const char *text, float *single, double *value) {
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) return SPC_NUMBER_NONE; /* refused rather than read incorrectly */
    const locale_t before = uselocale(plain);
    if (single)
        *single = strtof(text, NULL);
    else
        *value = strtod(text, NULL);
    uselocale(before);
    freelocale(plain);
    return SPC_NUMBER_READ;
}

/*
 * Round a decimal to the nearest float; returns false when a double is not precise enough. Three
 * roundings to double (digits, power, quotient) and the truncated digits cause a relative error
 * below 2^-51. If both ends of a wider interval round to the same float, so does the number itself.
 */
static bool round_to_f32(const decimal *number, float *value) {
    if (number->digits == 0 || number->exponent < -POWER_MAX) {
        *value = 0;
        return true;
    }
    if (number->exponent == 0 && !number->cut) {
        *value = (float)number->digits;
        return true;
    }
    if (number->exponent > F32_POWER_MAX) {
        *value = INFINITY;
        return true;
    }
    const double digits = (double)number->digits;
    const double about = number->exponent < 0 ? digits / powers[-number->exponent]
                                              : digits * powers[number->exponent];
    const float low = (float)(about * (1 - 0x1p-50)), high = (float)(about * (1 + 0x1p-50));
    *value = low;
    return low == high;
}

spc_number spc_read_f32(const char **at, float *value) {
    decimal number;
    double word;
    const char *end = parse_decimal(*at, &number);
    if (!end) {
        end = parse_word(*at, &word);
        if (!end) return SPC_NUMBER_NONE;
        *at = end;
        *value = (float)word;
        return SPC_NUMBER_READ;
    }
    float result;
    if (round_to_f32(&number, &result))
        result = number.negative ? -result : result;
    else if (read_exactly(*at, &result, NULL) != SPC_NUMBER_READ)
        return SPC_NUMBER_NONE;
    *at = end;
    *value = result;
    return isinf(result) ? SPC_NUMBER_RANGE : SPC_NUMBER_READ;
}

/* One operation on two exact doubles is correctly rounded. */
static bool round_to_f64(const decimal *number, double *value) {
    const bool exact = number->digits <= (UINT64_C(1) << 53) && !number->cut &&
                       number->exponent >= -EXACT_POWER && number->exponent <= EXACT_POWER;
    if (!exact) return false;
    const double digits = (double)number->digits;
    *value = number->exponent < 0 ? digits / powers[-number->exponent]
                                  : digits * powers[number->exponent];
    return true;
}

spc_number spc_read_f64(const char **at, double *value) {
    decimal number;
    const char *end = parse_decimal(*at, &number);
    if (!end) {
        end = parse_word(*at, value);
        if (!end) return SPC_NUMBER_NONE;
        *at = end;
        return SPC_NUMBER_READ;
    }
    double result;
    if (round_to_f64(&number, &result))
        result = number.negative ? -result : result;
    else if (read_exactly(*at, NULL, &result) != SPC_NUMBER_READ)
        return SPC_NUMBER_NONE;
    *at = end;
    *value = result;
    return isinf(result) ? SPC_NUMBER_RANGE : SPC_NUMBER_READ;
}
