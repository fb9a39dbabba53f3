/* decimal.c: converts doubles to decimal text and back, exactly and independent of the locale. */
#include "base/decimal.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CHARACTERS = 400 }; /* longer numbers are refused */

/* Use the C locale in this thread only; setlocale would change it for the process. */
static locale_t enter_c_locale(locale_t *c) {
    *c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return uselocale(*c);
}

static void leave_c_locale(locale_t c, locale_t before) {
    uselocale(before);
    if (c != (locale_t)0) freelocale(c);
}

int spc_decimal_print(char text[SPC_DECIMAL_BYTES], double value) {
    locale_t c;
    const locale_t before = enter_c_locale(&c);
    int length = 0;
    if (value == trunc(value) && fabs(value) < 1e15) {
        length = snprintf(text, SPC_DECIMAL_BYTES, "%.0f", value);
    } else {
        for (int digits = 1; digits <= 17; digits++) {
            length = snprintf(text, SPC_DECIMAL_BYTES, "%.*g", digits, value);
            if (strtod(text, NULL) == value) break;
        }
    }
    leave_c_locale(c, before);
    return length;
}

int spc_decimal_print_f32(char text[SPC_DECIMAL_BYTES], float value) {
    locale_t c;
    const locale_t before = enter_c_locale(&c);
    int length = 0;
    for (int digits = 1; digits <= 9; digits++) {
        length = snprintf(text, SPC_DECIMAL_BYTES, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value) break;
    }
    leave_c_locale(c, before);
    return length;
}

bool spc_decimal_parse(const char *text, int length, double *value) {
    char copy[MAX_CHARACTERS + 1];
    if (length <= 0 || length > MAX_CHARACTERS) return false;
    memcpy(copy, text, (size_t)length);
    copy[length] = '\0';
    /* Refuse other text that strtod accepts: blanks, hexadecimal, "inf", "nan". */
    if (strspn(copy, "0123456789+-.eE") != (size_t)length) return false;
    locale_t c;
    const locale_t before = enter_c_locale(&c);
    char *end = copy;
    *value = strtod(copy, &end);
    leave_c_locale(c, before);
    return end == copy + length && isfinite(*value);
}
