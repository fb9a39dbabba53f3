/* settings.c: the table of the settings of optimizers: their ranges and their names in text. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "optim/rules.h"

typedef enum range { ANY, NOT_NEGATIVE, NOT_POSITIVE, FRACTION, NOT_ZERO, LIMIT } range;

/* A setting; `choices` and `type` of an enum, by its values. */
typedef struct setting {
    sparcl_setting shown;
    range range;
    bool of_all_rules;
    const char *type;
    const char *choices[5];
} setting;

#define REAL(field, range_, all, words)                                                            \
    {                                                                                              \
        .shown = {#field, SPARCL_SETTING_REAL, offsetof(sparcl_optim, field), words},              \
        .range = range_, .of_all_rules = all                                                       \
    }
#define FLAG(field, all)                                                                           \
    {                                                                                              \
        .shown = {#field, SPARCL_SETTING_FLAG, offsetof(sparcl_optim, field), "0 or 1"},           \
        .of_all_rules = all                                                                        \
    }
#define CHOICE(field, type_, all, words, ...)                                                      \
    {                                                                                              \
        .shown = {#field, SPARCL_SETTING_CHOICE, offsetof(sparcl_optim, field), words},            \
        .type = #type_, .of_all_rules = all, .choices = {                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define FROM_0  "a finite number from 0"
#define BELOW_1 "a number from 0 to less than 1"

static const setting settings[] = {
    REAL(lr, ANY, true, "a finite number"),
    REAL(rho, FRACTION, false, BELOW_1),
    REAL(l1, NOT_NEGATIVE, false, FROM_0),
    REAL(l2, NOT_NEGATIVE, false, FROM_0),
    REAL(l2_shrinkage, NOT_NEGATIVE, false, FROM_0),
    REAL(beta, NOT_NEGATIVE, false, FROM_0),
    REAL(lr_power, NOT_POSITIVE, false, "a finite number that is not positive"),
    FLAG(multiply_linear_by_lr, false),
    REAL(lr_decay, NOT_NEGATIVE, false, FROM_0),
    REAL(momentum, FRACTION, false, BELOW_1),
    REAL(dampening, FRACTION, false, BELOW_1),
    FLAG(nesterov, false),
    REAL(beta1, FRACTION, false, BELOW_1),
    REAL(beta2, FRACTION, false, BELOW_1),
    REAL(epsilon, NOT_NEGATIVE, false, FROM_0),
    CHOICE(epsilon_place, sparcl_epsilon, false, "outside, inside or corrected", "outside",
           "inside", "corrected"),
    FLAG(no_bias_correction, false),
    REAL(weight_decay, NOT_NEGATIVE, true, FROM_0),
    CHOICE(decay, sparcl_decay, true, "coupled, decoupled or global", "coupled", "decoupled",
           "global"),
    REAL(rescale, NOT_ZERO, true, "a finite number that is not 0"),
    REAL(clip_value, LIMIT, true, "a number from 0, or inf"),
    FLAG(clip_stored, true),
    REAL(clip_weights, LIMIT, false, "a number from 0; sparcl_optim_init fills in INFINITY"),
    REAL(initial_accumulator, NOT_NEGATIVE, false, FROM_0),
    REAL(max_norm, LIMIT, false, "a number from 0; sparcl_optim_init fills in INFINITY"),
    CHOICE(moves, sparcl_moves, true, "present or all", "present", "all"),
    CHOICE(duplicates, sparcl_optim_duplicates, true, "sum, mean, error or separate", "sum", "mean",
           "error", "separate"),
};

/* ---- the table --------------------------------------------------------------------------------
 */

const sparcl_setting *sparcl_optim_setting(int i) {
    return i >= 0 && (size_t)i < SPC_COUNT(settings) ? &settings[i].shown : NULL;
}

static const setting *find(const char *name) {
    for (size_t i = 0; name && i < SPC_COUNT(settings); ++i)
        if (strcmp(settings[i].shown.name, name) == 0) return &settings[i];
    return NULL;
}

static bool has_word(const char *words, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = words; at && *at; at += *at == ' ') {
        const size_t found = strcspn(at, " ");
        if (found == length && memcmp(at, word, length) == 0) return true;
        at += found;
    }
    return false;
}

int sparcl_rule_uses(sparcl_rule rule, const char *name) {
    const spc_rule *const r = spc_rule_of(rule);
    const setting *const s = find(name);
    return r && s && (s->of_all_rules || has_word(r->uses, name));
}

/* ---- checks -----------------------------------------------------------------------------------
 */

static double real_of(const sparcl_optim *o, const setting *s) {
    return *(const double *)(const void *)((const char *)o + s->shown.offset);
}

static int int_of(const sparcl_optim *o, const setting *s) {
    return *(const int *)(const void *)((const char *)o + s->shown.offset);
}

/* False for NaN. */
static bool fits(range in, double x) {
    switch (in) {
    case NOT_NEGATIVE:
        return x >= 0 && isfinite(x);
    case NOT_POSITIVE:
        return x <= 0 && isfinite(x);
    case FRACTION:
        return x >= 0 && x < 1;
    case NOT_ZERO:
        return x != 0 && isfinite(x);
    case LIMIT:
        return x >= 0;
    case ANY:
        break;
    }
    return isfinite(x);
}

static bool is_choice(const setting *s, int i) {
    return i >= 0 && (size_t)i < SPC_COUNT(s->choices) && s->choices[i];
}

static sparcl_status check_setting(const sparcl_optim *o, const setting *s, sparcl_error *error) {
    const char *const name = s->shown.name;
    if (s->shown.type == SPARCL_SETTING_REAL && !fits(s->range, real_of(o, s)))
        return spc_fail(error, SPARCL_E_ARG, "%s is %g, expected %s%s", name, real_of(o, s),
                        s->shown.expected,
                        s->range == NOT_ZERO ? "; sparcl_optim_init fills in 1" : "");
    if (s->shown.type == SPARCL_SETTING_CHOICE && !is_choice(s, int_of(o, s)))
        return spc_fail(error, SPARCL_E_ARG, "%s is %d, expected a %s", name, int_of(o, s),
                        s->type);
    return SPARCL_OK;
}

/* What depends on several fields. */
static sparcl_status check_together(const sparcl_optim *o, sparcl_error *error) {
    const bool moves_all = o->moves == SPARCL_MOVES_ALL || o->decay == SPARCL_DECAY_GLOBAL;
    if (spc_rule_of(o->rule)->profiles[o->profile].step != 1)
        return spc_fail(error, SPARCL_E_ARG, "profile %s has no rule %d",
                        sparcl_rule_profile_name(o->profile), (int)o->rule);
    if (spc_rule_of(o->rule)->divides_by_rate && !(o->lr > 0))
        return spc_fail(error, SPARCL_E_ARG,
                        "lr is %g, expected a positive number: the rule divides by it", o->lr);
    if (o->max_norm > 0 && o->max_norm < (double)INFINITY && !spc_rule_of(o->rule)->is_by_row)
        return spc_fail(error, SPARCL_E_ARG, "max_norm is %g, expected INFINITY for rule %d",
                        o->max_norm, (int)o->rule);
    if (o->last_steps && moves_all)
        return spc_fail(error, SPARCL_E_ARG,
                        "last_steps is set, expected NULL where a step moves or decays all rows");
    if (o->last_steps && o->lazy)
        return spc_fail(error, SPARCL_E_ARG, "last_steps and lazy are set, expected one");
    if (o->step < 1)
        return spc_fail(error, SPARCL_E_ARG, "step is %lld, expected at least 1",
                        (long long)o->step);
    return SPARCL_OK;
}

sparcl_status sparcl_optim_check(const sparcl_optim *o, sparcl_error *error) {
    if (!o) return spc_fail(error, SPARCL_E_ARG, "optim is NULL");
    if (!spc_rule_of(o->rule))
        return spc_fail(error, SPARCL_E_ARG, "rule is %d, expected a sparcl_rule", (int)o->rule);
    if (o->reserved[0] || o->reserved[1])
        return spc_fail(error, SPARCL_E_ARG, "the reserved fields of optim are not zero");
    if ((unsigned)o->profile >= SPARCL_PROFILES)
        return spc_fail(error, SPARCL_E_ARG, "profile is %d, expected a sparcl_rule_profile",
                        (int)o->profile);
    for (size_t i = 0; i < SPC_COUNT(settings); ++i)
        SPC_TRY(check_setting(o, &settings[i], error));
    return check_together(o, error);
}

/* ---- text -------------------------------------------------------------------------------------
 */

void sparcl_optim_get(const sparcl_optim *o, const char *name, char *text, size_t capacity) {
    const setting *const s = find(name);
    char number[SPC_DECIMAL_BYTES] = "inf";
    if (capacity == 0) return;
    *text = '\0';
    if (!s || check_setting(o, s, NULL) != SPARCL_OK) return;
    if (s->shown.type == SPARCL_SETTING_CHOICE) {
        snprintf(text, capacity, "%s", s->choices[int_of(o, s)]);
    } else if (s->shown.type == SPARCL_SETTING_FLAG) {
        snprintf(text, capacity, "%d", int_of(o, s) != 0);
    } else {
        if (isfinite(real_of(o, s))) spc_decimal_print(number, real_of(o, s));
        snprintf(text, capacity, "%s", number);
    }
}

static bool read_real(const setting *s, const char *text, double *value) {
    if (s->range == LIMIT && strcmp(text, "inf") == 0)
        *value = (double)INFINITY;
    else if (!spc_decimal_parse(text, (int)strnlen(text, 1000), value))
        return false;
    return fits(s->range, *value);
}

static int read_int(const setting *s, const char *text) {
    if (s->shown.type == SPARCL_SETTING_FLAG)
        return strcmp(text, "0") == 0 ? 0 : strcmp(text, "1") == 0 ? 1 : -1;
    for (int i = 0; is_choice(s, i); ++i)
        if (strcmp(s->choices[i], text) == 0) return i;
    return -1;
}

sparcl_status sparcl_optim_set(sparcl_optim *optim, const char *name, const char *value,
                               sparcl_error *error) {
    const setting *const s = find(name);
    double real = 0;
    if (!optim || !value) return spc_fail(error, SPARCL_E_ARG, "optim_set: an argument is NULL");
    if (!s) return spc_fail(error, SPARCL_E_ARG, "there is no setting \"%.40s\"", name ? name : "");
    void *const at = (char *)optim + s->shown.offset;
    const bool is_real = s->shown.type == SPARCL_SETTING_REAL;
    const int i = is_real ? 0 : read_int(s, value);
    if (is_real ? !read_real(s, value, &real) : i < 0)
        return spc_fail(error, SPARCL_E_ARG, "%s: expected %s, found \"%.40s\"", name,
                        s->shown.expected, value);
    if (is_real)
        *(double *)at = real;
    else
        *(int *)at = i;
    return SPARCL_OK;
}
