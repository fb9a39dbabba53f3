/* rate_schedule.c: schedules as text, and their checks. */
#include "base/size.h"
#include "sparcl/train.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/text.h"

enum { PERIOD = 1, GAMMA = 2, POWER = 4, END = 8 };

/* What each kind has beside the warm-up. */
static const struct {
    const char *name;
    unsigned keys;
} kinds[] = {{"constant", 0},          {"step", PERIOD | GAMMA},       {"exponential", GAMMA},
             {"cosine", PERIOD | END}, {"polynomial", PERIOD | POWER}, {"inverse-root", 0}};

static const struct key {
    const char *name;
    unsigned of; /* 0: of all kinds */
    bool is_count;
    size_t at;
    double most;
} keys[] = {
    {"warmup", 0, true, offsetof(sparcl_schedule, warmup), 0},
    {"warmup_start", 0, false, offsetof(sparcl_schedule, warmup_start), 1},
    {"period", PERIOD, true, offsetof(sparcl_schedule, period), 0},
    {"gamma", GAMMA, false, offsetof(sparcl_schedule, gamma), 1},
    {"power", POWER, false, offsetof(sparcl_schedule, power), 1e6},
    {"end", END, false, offsetof(sparcl_schedule, end), 1},
};

void sparcl_schedule_init(sparcl_schedule *s, sparcl_schedule_kind kind) {
    *s = (sparcl_schedule){.size = sizeof *s,
                           .kind = kind,
                           .warmup_start = 1.0 / 3,
                           .gamma = kind == SPARCL_SCHEDULE_STEP ? 0.1 : 1,
                           .power = 1};
}

static bool has_key(const sparcl_schedule *s, const struct key *key) {
    return key->of == 0 || (kinds[s->kind].keys & key->of);
}

/* The beginning of no warm-up says nothing. */
static bool is_printed(const sparcl_schedule *s, const struct key *key) {
    return has_key(s, key) && (s->warmup > 0 || key->at != offsetof(sparcl_schedule, warmup_start));
}

static int64_t *count_at(sparcl_schedule *s, const struct key *key) {
    return (int64_t *)(void *)((char *)s + key->at);
}

static double *number_at(sparcl_schedule *s, const struct key *key) {
    return (double *)(void *)((char *)s + key->at);
}

static sparcl_status check_key(const sparcl_schedule *s, const struct key *key,
                               sparcl_error *error) {
    sparcl_schedule copy = *s;
    const double x = key->is_count ? 0 : *number_at(&copy, key);
    if (!has_key(s, key)) return SPARCL_OK;
    if (key->is_count && *count_at(&copy, key) < 0)
        return spc_fail(error, SPARCL_E_ARG, "schedule: %s is %lld, expected a number from 0",
                        key->name, (long long)*count_at(&copy, key));
    if (key->is_count || (x >= 0 && x <= key->most)) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG, "schedule: %s is %g, expected 0 to %g", key->name, x,
                    key->most);
}

sparcl_status sparcl_schedule_check(const sparcl_schedule *s, sparcl_error *error) {
    if (!s || (size_t)s->kind >= SPC_COUNT(kinds) || !spc_is_struct_size(s->size, sizeof *s))
        return spc_fail(error, SPARCL_E_ARG,
                        "schedule: its kind is unknown, or its size is neither 0 nor %zu",
                        sizeof *s);
    for (size_t i = 0; i < SPC_COUNT(keys); ++i)
        SPC_TRY(check_key(s, &keys[i], error));
    if (s->kind != SPARCL_SCHEDULE_STEP || s->period > 0) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG,
                    "schedule: period is 0, expected the steps or passes between two rates");
}

/* --- text ------------------------------------------------------------------------------------- */

void sparcl_schedule_print(const sparcl_schedule *s, char text[SPARCL_SCHEDULE_TEXT]) {
    sparcl_schedule usual, copy = *s;
    char number[SPC_DECIMAL_BYTES];
    spc_text to = spc_text_in(text, SPARCL_SCHEDULE_TEXT);
    const char *before = ":";
    sparcl_schedule_init(&usual, s->kind);
    spc_text_add(&to, "%s", kinds[s->kind].name);
    for (size_t i = 0; i < SPC_COUNT(keys); ++i) {
        if (!is_printed(s, &keys[i])) continue;
        if (keys[i].is_count && *count_at(&copy, &keys[i]) != *count_at(&usual, &keys[i])) {
            spc_text_add(&to, "%s%s=%lld", before, keys[i].name,
                         (long long)*count_at(&copy, &keys[i]));
            before = ",";
        } else if (!keys[i].is_count &&
                   *number_at(&copy, &keys[i]) != *number_at(&usual, &keys[i])) {
            spc_decimal_print(number, *number_at(&copy, &keys[i]));
            spc_text_add(&to, "%s%s=%s", before, keys[i].name, number);
            before = ",";
        }
    }
    if (s->per_pass) spc_text_add(&to, "%sunit=pass", before);
}

/* Digits only. */
static bool read_count(const char *text, size_t length, int64_t *count) {
    char digits[20];
    if (length == 0 || length >= sizeof digits - 1) return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    if (strspn(digits, "0123456789") != length) return false;
    *count = strtoll(digits, NULL, 10);
    return true;
}

static bool is_word(const char *text, size_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static sparcl_status set(sparcl_schedule *s, const char *text, size_t length, sparcl_error *error) {
    const char *const equals = memchr(text, '=', length);
    const size_t key = equals ? (size_t)(equals - text) : 0, size = length - key - 1;
    if (equals && is_word(text, key, "unit")) {
        s->per_pass = is_word(equals + 1, size, "pass");
        if (s->per_pass || is_word(equals + 1, size, "step")) return SPARCL_OK;
    }
    for (size_t i = 0; equals && i < SPC_COUNT(keys); ++i)
        if (is_word(text, key, keys[i].name) && has_key(s, &keys[i]) &&
            (keys[i].is_count ? read_count(equals + 1, size, count_at(s, &keys[i]))
                              : spc_decimal_parse(equals + 1, (int)size, number_at(s, &keys[i]))))
            return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG,
                    "schedule: expected KEY=VALUE, with warmup, warmup_start, unit (step or pass) "
                    "or another key of %s, found \"%.*s\"",
                    kinds[s->kind].name, (int)(length < 80 ? length : 80), text);
}

static sparcl_status find_kind(const char *text, size_t length, sparcl_schedule *s,
                               sparcl_error *error) {
    for (size_t i = 0; i < SPC_COUNT(kinds); ++i)
        if (is_word(text, length, kinds[i].name)) {
            sparcl_schedule_init(s, (sparcl_schedule_kind)i);
            return SPARCL_OK;
        }
    return spc_fail(error, SPARCL_E_ARG,
                    "schedule: expected constant, step, exponential, cosine, polynomial or "
                    "inverse-root, found \"%.*s\"",
                    (int)(length < 80 ? length : 80), text);
}

sparcl_status sparcl_schedule_parse(sparcl_schedule *schedule, const char *text,
                                    sparcl_error *error) {
    sparcl_schedule s;
    if (!schedule || !text) return spc_fail(error, SPARCL_E_ARG, "schedule: an argument is NULL");
    const size_t kind = strcspn(text, ":");
    SPC_TRY(find_kind(text, kind, &s, error));
    for (const char *at = text + kind; *at;) {
        const size_t length = strcspn(++at, ",");
        SPC_TRY(set(&s, at, length, error));
        at += length;
    }
    SPC_TRY(sparcl_schedule_check(&s, error));
    *schedule = s;
    return SPARCL_OK;
}
