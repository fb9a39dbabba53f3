/* number.c: parses decimal text as float and double, correctly rounded, independent of the
 * locale. */
#include "data/io/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

/* A decimal number: digits * 10^exponent, plus less than one unit of `digits` when truncated
 * (`cut`). */
typedef struct decimal {
    uint64_t digits;
    int64_t exponent;
    bool negative, cut;
} decimal;

enum {
    DIGITS_MAX = 19,
    EXACT_POWER = 22,
    POWER_MAX = 70,
    F32_POWER_MAX = 38,
    HELD_F32 = 999999,
    SOME_F32 = 999999999
};

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
static bool round_to_f32(const decimal *number, float *value, double *about) {
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
    *about = number->exponent < 0 ? digits / powers[-number->exponent]
                                  : digits * powers[number->exponent];
    const float low = (float)(*about * (1 - 0x1p-50)), high = (float)(*about * (1 + 0x1p-50));
    *value = low;
    return low == high;
}

/* ---- what was rounded ------------------------------------------------------------------------ */

/* `number` without the zeros at its end. */
static decimal strip(decimal number) {
    while (!number.cut && number.digits > 0 && number.digits % 10 == 0) {
        number.digits /= 10;
        number.exponent++;
    }
    return number;
}

/* Of fractions with up to 17 digits the text is usually that of a double. */
static bool is_rounded_f64(decimal number, double value) {
    static const uint64_t always = (uint64_t)1 << 53, some = 99999999999999999;
    if (number.digits <= always && value != 0) return false;
    if (number.digits == 0) return false;
    if (number.exponent == 0 && value < 0x1p63 && value > -0x1p63)
        return (uint64_t)fabs(value) != number.digits;
    return value == 0 || strip(number).digits > some;
}

/* Any float that is not subnormal holds 6 digits, and some 9: `value`, printed with as many digits,
 * is then the number, from which it differs by less than half a unit of the last one. What has more
 * digits may be the double of a float: `wide` is that of the number, or nan: not known. */
__attribute__((noinline)) static bool is_rounded_f32(const decimal *given, const char *text,
                                                     double value, double wide) {
    spc_rounded rounded;
    const decimal number = strip(*given);
    const int64_t e = number.exponent;
    if (number.digits == 0) return false;
    if (number.digits <= HELD_F32 && fabs(value) >= (double)FLT_MIN) return false;
    if (e < -POWER_MAX || e > POWER_MAX) return true;
    const double size = fabs(value), scaled = e < 0 ? size * powers[-e] : size / powers[e];
    const double off = fabs(scaled - (double)number.digits);
    if (number.digits <= SOME_F32) return off > 0.5;
    if (off > scaled * 0x1p-49) return true;
    if (isnan(wide)) (void)spc_read_f64(&text, &wide, &rounded);
    return wide != value || is_rounded_f64(*given, wide);
}

/* True for most numbers with more digits than a float holds; false where that is not certain. */
static inline bool is_off(const decimal *number, double about, double value) {
    return number->digits > SOME_F32 && number->digits % 10 != 0 &&
           fabs(about - value) > about * 0x1p-49;
}

spc_number spc_read_f32(const char **at, float *value, bool *rounded) {
    decimal number;
    double word;
    const char *end = parse_decimal(*at, &number);
    if (!end) {
        end = parse_word(*at, &word);
        if (!end) return SPC_NUMBER_NONE;
        *at = end;
        *value = (float)word;
        *rounded = false;
        return SPC_NUMBER_READ;
    }
    float result;
    double about = (double)NAN;
    const bool is_sure = round_to_f32(&number, &result, &about);
    *rounded = is_off(&number, about, (double)result);
    if (is_sure)
        result = number.negative ? -result : result;
    else if (read_exactly(*at, &result, NULL) != SPC_NUMBER_READ)
        return SPC_NUMBER_NONE;
    if (!*rounded && (number.digits > HELD_F32 || fabsf(result) < FLT_MIN))
        *rounded = is_rounded_f32(&number, *at, (double)result, (double)NAN);
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

__attribute__((noinline)) static spc_rounded find_rounded(const decimal *number, double value) {
    return (spc_rounded){.f32 = is_rounded_f32(number, NULL, (double)(float)value, value),
                         .f64 = is_rounded_f64(*number, value)};
}

spc_number spc_read_f64(const char **at, double *value, spc_rounded *rounded) {
    decimal number;
    const char *end = parse_decimal(*at, &number);
    if (!end) {
        end = parse_word(*at, value);
        if (!end) return SPC_NUMBER_NONE;
        *rounded = (spc_rounded){.f32 = false};
        *at = end;
        return SPC_NUMBER_READ;
    }
    double result;
    if (round_to_f64(&number, &result))
        result = number.negative ? -result : result;
    else if (read_exactly(*at, NULL, &result) != SPC_NUMBER_READ)
        return SPC_NUMBER_NONE;
    *rounded = (spc_rounded){.f32 = false};
    if (number.digits > HELD_F32 || !(fabs(result) >= (double)FLT_MIN))
        *rounded = find_rounded(&number, result);
    *at = end;
    *value = result;
    return isinf(result) ? SPC_NUMBER_RANGE : SPC_NUMBER_READ;
}
