/* csv_form.c: how the numbers of a column of CSV are written. */
#include "data/formats/csv/csv_form.h"

#include <string.h>

#include "data/io/words.h"

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* ---- amounts -------------------------------------------------------------------------------- */

/* A part of a field. */
typedef struct span {
    const char *at, *end;
} span;

static void trim(span *s) {
    while (s->at < s->end && spc_is_blank(*s->at))
        s->at++;
    while (s->at < s->end && spc_is_blank(s->end[-1]))
        s->end--;
}

static bool take_sign(span *s, bool *is_negative) {
    if (s->at == s->end || (*s->at != '-' && *s->at != '+')) return false;
    *is_negative = *s->at++ == '-';
    return true;
}

/* Symbols: %, $, and characters beyond ASCII. */
static bool is_symbol(span s) {
    for (const char *at = s.at; at < s.end; at++)
        if (*at != '%' && *at != '$' && (unsigned char)*at < 0x80) return false;
    return s.at < s.end;
}

static bool has_only_letters(span s) {
    for (const char *at = s.at; at < s.end; at++)
        if (!is_letter(*at) && (unsigned char)*at < 0x80) return false;
    return s.at < s.end;
}

static bool is_currency_code(span s) {
    for (const char *at = s.at; at < s.end; at++)
        if (*at < 'A' || *at > 'Z') return false;
    return s.end - s.at == 3;
}

static bool keep_unit(span unit, spc_csv_amount *amount) {
    const size_t length = (size_t)(unit.end - unit.at);
    if (length >= sizeof amount->unit || amount->unit[0]) return false;
    memcpy(amount->unit, unit.at, length);
    return true;
}

/* What stands before the number. */
static bool take_prefix(span *s, spc_csv_amount *amount) {
    span unit = {s->at, s->at};
    while (unit.end < s->end && !is_digit(*unit.end) && !strchr("+-., \t", *unit.end))
        unit.end++;
    const bool has_blank = unit.end < s->end && spc_is_blank(*unit.end);
    if (unit.end == unit.at) return true;
    s->at = unit.end;
    trim(s);
    return (is_symbol(unit) || (has_blank && is_currency_code(unit))) && keep_unit(unit, amount);
}

static const char *skip_exponent(const char *at, const char *end) {
    const char *digits = at + 1;
    if (at == end || (*at | 0x20) != 'e') return at;
    digits += digits < end && (*digits == '-' || *digits == '+');
    if (digits >= end || !is_digit(*digits)) return at;
    while (digits < end && is_digit(*digits))
        digits++;
    return digits;
}

static void take_digits(span *s, spc_csv_amount *amount) {
    amount->digits = s->at;
    for (; s->at < s->end && (is_digit(*s->at) || *s->at == '.' || *s->at == ','); s->at++)
        amount->has_mark |= !is_digit(*s->at);
    s->at = skip_exponent(s->at, s->end);
    amount->length = (size_t)(s->at - amount->digits);
}

static bool take_suffix(span *s, spc_csv_amount *amount) {
    const bool has_blank = s->at < s->end && spc_is_blank(*s->at);
    trim(s);
    if (s->at == s->end) return true;
    return (is_symbol(*s) || (has_blank && has_only_letters(*s))) && keep_unit(*s, amount);
}

/* "(12.50)" and "($12.50)", as spreadsheets write negative amounts. */
static bool take_parentheses(span *s) {
    if (s->end - s->at < 3 || *s->at != '(' || s->end[-1] != ')') return false;
    s->at++;
    s->end--;
    trim(s);
    return true;
}

bool spc_csv_find_amount(const spc_csv_field *field, spc_csv_amount *amount) {
    span s = {field->at, field->at + field->length};
    *amount = (spc_csv_amount){.digits = NULL};
    trim(&s);
    amount->is_accounting = amount->is_negative = take_parentheses(&s);
    const bool is_signed = amount->is_accounting || take_sign(&s, &amount->is_negative);
    if (!take_prefix(&s, amount)) return false;
    if (!is_signed) take_sign(&s, &amount->is_negative);
    take_digits(&s, amount);
    return amount->length > 0 && take_suffix(&s, amount);
}

/* ---- numbers -------------------------------------------------------------------------------- */

/* Whole digits without the marks between thousands, which divide all of them in threes; NULL: they
 * do not. */
static char *copy_whole(const char *at, const char *end, char group, char *to) {
    const char *mark = memchr(at, group, (size_t)(end - at));
    const char *const first = mark ? mark : end;
    if (mark && (first - at < 1 || first - at > 3 || *at == '0')) return NULL;
    for (int64_t digits = mark ? 3 : 0; at < end; at++) {
        if (*at == group) {
            if (digits != 3) return NULL;
            digits = 0;
            mark = at;
            continue;
        }
        digits += mark && at > mark;
        *to++ = *at;
    }
    return !mark || end - mark == 4 ? to : NULL;
}

bool spc_csv_amount_value(const spc_csv_amount *amount, char decimal, double *value,
                          spc_rounded *rounded) {
    enum { DIGITS_MAX = 64 };
    char copy[DIGITS_MAX + 1 + SPC_NUMBER_PAD] = {0};
    const char *at = amount->digits, *const end = at + amount->length, *read = copy;
    const char *point = at;
    if (amount->length >= DIGITS_MAX) return false;
    while (point < end && *point != decimal && (*point | 0x20) != 'e')
        point++;
    copy[0] = amount->is_negative ? '-' : '+';
    char *to = copy_whole(at, point, decimal == '.' ? ',' : '.', copy + 1);
    if (!to) return false;
    memcpy(to, point, (size_t)(end - point));
    if (point < end && *point == decimal) *to = '.';
    return spc_read_f64(&read, value, rounded) == SPC_NUMBER_READ && read == to + (end - point);
}

bool spc_csv_read_number(const spc_csv_form *form, const spc_csv_field *field, double *value,
                         spc_rounded *rounded) {
    spc_csv_amount amount;
    if (form->decimal == 0) return spc_csv_number(field, value, rounded);
    return spc_csv_find_amount(field, &amount) && strcmp(amount.unit, form->unit) == 0 &&
           spc_csv_amount_value(&amount, form->decimal, value, rounded);
}

/* ---- in descriptions ------------------------------------------------------------------------ */

void spc_csv_add_form(spc_text *text, const spc_csv_form *form) {
    if (form->decimal) spc_text_add(text, form->decimal == ',' ? ":comma" : ":point");
    if (form->coerces) spc_text_add(text, ":coerce");
    if (form->unit[0]) spc_text_add(text, ":unit=%s", form->unit);
}

static bool parse_word(const char *at, size_t length, spc_csv_form *form) {
    static const char unit[] = "unit=";
    const size_t before = sizeof unit - 1;
    if (spc_same_word(at, length, "comma") || spc_same_word(at, length, "point")) {
        form->decimal = (*at | 0x20) == 'c' ? ',' : '.';
        return true;
    }
    if (spc_same_word(at, length, "coerce")) return form->coerces = true;
    if (length <= before || length - before >= sizeof form->unit || memcmp(at, unit, before) != 0)
        return false;
    memcpy(form->unit, at + before, length - before);
    return true;
}

bool spc_csv_parse_form(const char *at, size_t length, spc_csv_form *form) {
    const char *const end = at + length;
    *form = (spc_csv_form){.decimal = 0};
    for (;;) {
        const char *const colon = memchr(at, ':', (size_t)(end - at));
        const char *const stop = colon ? colon : end;
        if (!parse_word(at, (size_t)(stop - at), form)) return false;
        if (!colon) break;
        at = colon + 1;
    }
    if (form->unit[0] && form->decimal == 0) form->decimal = '.';
    return true;
}
