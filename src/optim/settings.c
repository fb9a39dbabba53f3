/* settings.c: the table of the settings of optimizers: their ranges and their names in text. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/text.h"
#include "optim/rules.h"
#include "sparcl/optim_text.h"

typedef enum range { ANY, NOT_NEGATIVE, NOT_POSITIVE, FRACTION, NOT_ZERO, LIMIT } range;

/* The rules that use a setting: those that name it, all, or those with states of elements. */
typedef enum users { NAMED, ALL, WITH_STATES } users;

/* A setting; `choices` and `type` of an enum, by its values. */
typedef struct setting {
    sparcl_setting shown;
    range range;
    users users;
    const char *type;
    const char *choices[6];
} setting;

#define REAL(name_, field, meaning, range_, users_, words)                                         \
    {                                                                                              \
        .shown = {name_, SPARCL_SETTING_REAL, offsetof(sparcl_optim, field), words, meaning},      \
        .range = range_, .users = users_                                                           \
    }
#define FLAG(name_, field, meaning, users_)                                                        \
    {                                                                                              \
        .shown = {name_, SPARCL_SETTING_FLAG, offsetof(sparcl_optim, field), "0 or 1", meaning},   \
        .users = users_                                                                            \
    }
#define INTEGER(name_, field, meaning, users_, words)                                              \
    {                                                                                              \
        .shown = {name_, SPARCL_SETTING_INTEGER, offsetof(sparcl_optim, field), words, meaning},   \
        .users = users_                                                                            \
    }
#define CHOICE(name_, field, meaning, type_, users_, words, ...)                                   \
    {                                                                                              \
        .shown = {name_, SPARCL_SETTING_CHOICE, offsetof(sparcl_optim, field), words, meaning},    \
        .type = #type_, .users = users_, .choices = {                                              \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define FROM_0  "a finite number from 0"
#define BELOW_1 "a number from 0 to less than 1"

static const setting settings[] = {
    REAL("lr", lr, "learning rate", NOT_NEGATIVE, ALL, FROM_0),
    REAL("rho", rmsprop.rho, "decay of the mean of squared gradients", FRACTION, NAMED, BELOW_1),
    REAL("l1", ftrl.l1, "l1 regularization", NOT_NEGATIVE, NAMED, FROM_0),
    REAL("l2", ftrl.l2, "l2 regularization", NOT_NEGATIVE, NAMED, FROM_0),
    REAL("l2_shrinkage", ftrl.l2_shrinkage,
         "l2 regularization that is a part of the gradient, not of its square", NOT_NEGATIVE, NAMED,
         FROM_0),
    REAL("beta", ftrl.beta, "is added to the root of the sum of squared gradients", NOT_NEGATIVE,
         NAMED, FROM_0),
    REAL("lr_power", ftrl.lr_power, "power of the sum of squared gradients; -0.5: the root",
         NOT_POSITIVE, NAMED, "a finite number that is not positive"),
    FLAG("multiply_linear_by_lr", ftrl.multiply_linear_by_lr,
         "1: the linear state holds lr times as much", NAMED),
    REAL("momentum_decay", adam.momentum_decay, "how fast the momentum comes near beta1",
         NOT_NEGATIVE, NAMED, FROM_0),
    REAL("wd_lh", decay.signum, "weight decay apart from weight_decay: w = (1 - lr wd_lh) w",
         NOT_NEGATIVE, NAMED, FROM_0),
    REAL("eta", eta, "factor of the whole move (adam), or of the rate that norms give (lars)", ANY,
         NAMED, "a finite number"),
    REAL("ar_alpha", rmsprop.ar_alpha, "how much a row shrinks for each step in which it is absent",
         NOT_NEGATIVE, NAMED, FROM_0),
    REAL("min_shrinkage", rmsprop.min_shrinkage, "smallest factor by which a row shrinks",
         NOT_NEGATIVE, NAMED, FROM_0),
    REAL("lower_bound", trust.lower_bound,
         "the norm of the weights counts as at least this; 0: no limit", NOT_NEGATIVE, NAMED,
         FROM_0),
    REAL("upper_bound", trust.upper_bound,
         "the norm of the weights counts as at most this; inf: no limit", LIMIT, NAMED,
         "a number from 0, or inf"),
    CHOICE("counter_mode", counter.mode, "what the counter of a row does to its rate and decay",
           sparcl_counter_mode, NAMED,
           "equal, tail_lr_increase, tail_lr_decrease, counter_sgd, adagradw or cowclip", "equal",
           "tail_lr_increase", "tail_lr_decrease", "counter_sgd", "adagradw", "cowclip"),
    REAL("counter_halflife", counter.halflife,
         "steps in which a counter becomes half; 0: counters are 1", ANY, NAMED, "a finite number"),
    REAL("adjustment_iter", counter.adjustment_iter,
         "step up to which rates and weights are not adjusted", NOT_NEGATIVE, NAMED, FROM_0),
    REAL("adjustment_ub", counter.adjustment_ub, "power, or factor, of the counter", NOT_NEGATIVE,
         NAMED, FROM_0),
    REAL("tail_id_threshold", counter.tail_id_threshold,
         "rows whose counter is above it are adjusted", NOT_NEGATIVE, NAMED, FROM_0),
    FLAG("tail_id_is_ratio", counter.tail_id_is_ratio,
         "1: tail_id_threshold is a part of max_counter", NAMED),
    REAL("max_counter", counter.max, "largest counter; 0: that of the table in each step",
         NOT_NEGATIVE, NAMED, FROM_0),
    REAL("weight_norm_coefficient", counter.weight_norm_coefficient,
         "cowclip: limit of a row of the gradient, in norms of the weights", NOT_NEGATIVE, NAMED,
         FROM_0),
    FLAG("frozen", adagrad.frozen, "1: the sum of squared gradients stays as it is", NAMED),
    REAL("lr_decay", adagrad.lr_decay, "the rate is lr / (1 + (t - 1) lr_decay) in step t",
         NOT_NEGATIVE, NAMED, FROM_0),
    REAL("momentum", momentum.factor, "momentum factor", FRACTION, NAMED, BELOW_1),
    REAL("last_lr", momentum.last_lr,
         "lr of the step before, where that was another: corrects the momentum", ANY, NAMED,
         "a finite number"),
    REAL("dampening", momentum.dampening,
         "the gradient adds 1 - dampening of itself to the momentum", FRACTION, NAMED, BELOW_1),
    FLAG("nesterov", momentum.nesterov, "1: Nesterov's momentum", NAMED),
    REAL("beta1", adam.beta1, "decay of the mean of gradients", FRACTION, NAMED, BELOW_1),
    REAL("beta2", adam.beta2, "decay of the mean of squared gradients", FRACTION, NAMED, BELOW_1),
    REAL("epsilon", epsilon, "is added to the denominator", NOT_NEGATIVE, NAMED, FROM_0),
    CHOICE("epsilon_place", epsilon_place,
           "where epsilon is added: to the root, inside of it, or to the corrected root",
           sparcl_epsilon, NAMED, "outside, inside or corrected", "outside", "inside", "corrected"),
    FLAG("no_bias_correction", adam.no_bias_correction,
         "1: the means are not corrected for their beginning at 0", NAMED),
    REAL("weight_decay", decay.weight, "weight decay; 0: none", NOT_NEGATIVE, ALL, FROM_0),
    CHOICE("decay", decay.kind,
           "what weight_decay is: a part of the gradient (coupled), or apart from it", sparcl_decay,
           ALL, "coupled, decoupled, global or inside", "coupled", "decoupled", "global", "inside"),
    REAL("rescale", rescale, "factor of the gradient", NOT_ZERO, ALL,
         "a finite number that is not 0"),
    REAL("clip_value", clip.value,
         "largest absolute value of an element of the gradient; inf: no limit", LIMIT, ALL,
         "a number from 0, or inf"),
    FLAG("clip_stored", clip.stored, "1: the gradient is clipped as it is stored, before all else",
         ALL),
    REAL("clip_norm", clip.norm, "largest 2-norm of the gradient; inf: no limit", LIMIT, ALL,
         "a number from 0, or inf"),
    REAL("clip_row_norm", clip.row_norm, "largest 2-norm of a row of the gradient; inf: no limit",
         LIMIT, ALL, "a number from 0, or inf"),
    REAL("clip_weights", clip.weights,
         "largest absolute value of a weight after the step; inf: no limit", LIMIT, NAMED,
         "a number from 0, or inf"),
    REAL("initial_accumulator", adagrad.initial_accumulator,
         "the sum of squared gradients before the first step", NOT_NEGATIVE, NAMED, FROM_0),
    REAL("max_norm", max_norm, "largest 2-norm of a row of weights after the step; inf: no limit",
         LIMIT, NAMED, "a number from 0, or inf"),
    CHOICE("moves", moves, "rows that move: those of the gradient, all, or all when they are read",
           sparcl_moves, ALL, "present, all or exact", "present", "all", "exact"),
    CHOICE("duplicates", duplicates, "what becomes of rows of the gradient with one index",
           sparcl_optim_duplicates, ALL, "sum, mean, error, separate or squares", "sum", "mean",
           "error", "separate", "squares"),
    FLAG("check_finite", check_finite,
         "1: a gradient that is not finite is refused; waits for the device", ALL),
    CHOICE("state_type", states.type, "type of the states: that of the table, or 16 bits",
           sparcl_state_type, WITH_STATES, "table, f16 or bf16", "table", "f16", "bf16"),
    CHOICE("state_rounding", states.rounding, "how states of 16 bits are rounded",
           sparcl_state_rounding, WITH_STATES, "stochastic or nearest", "stochastic", "nearest"),
    INTEGER("seed", states.seed, "seed of the stochastic rounding", WITH_STATES,
            "a whole number from 0 to 18446744073709551615"),
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
    if (!r || !s) return 0;
    if (s->users == WITH_STATES) return spc_has_element_states(r);
    return s->users == ALL || has_word(r->uses, name);
}

/* ---- checks -----------------------------------------------------------------------------------
 */

static double real_of(const sparcl_optim *o, const setting *s) {
    return *(const double *)(const void *)((const char *)o + s->shown.offset);
}

static uint64_t integer_of(const sparcl_optim *o, const setting *s) {
    return *(const uint64_t *)(const void *)((const char *)o + s->shown.offset);
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

static sparcl_status check_duplicates(const sparcl_optim *o, sparcl_error *error) {
    const spc_rule *const rule = spc_rule_of(o->rule);
    if (o->duplicates == SPARCL_DUPLICATES_SEPARATE && rule->is_by_table)
        return spc_fail(error, SPARCL_E_ARG,
                        "duplicates is separate, expected sum, mean or error for %s, whose rate "
                        "has norms of the whole table",
                        sparcl_rule_name(o->rule));
    if (o->duplicates == SPARCL_DUPLICATES_SQUARES && !rule->squares)
        return spc_fail(error, SPARCL_E_ARG, "duplicates is squares, expected sum, mean%s for %s",
                        rule->is_by_table ? " or error" : ", error or separate",
                        sparcl_rule_name(o->rule));
    return SPARCL_OK;
}

/* FBGEMM multiplies the decay by counter_halflife / counter, so weights would grow. */
static sparcl_status check_counter(const sparcl_optim *o, sparcl_error *error) {
    const sparcl_counter_mode mode = o->counter.mode;
    const bool is_global = o->decay.kind == SPARCL_DECAY_GLOBAL;
    if (o->rule != SPARCL_RULE_ROWWISE_ADAGRAD_COUNTER || o->decay.weight == 0 || is_global ||
        mode == SPARCL_COUNTER_COWCLIP)
        return SPARCL_OK;
    if (mode == SPARCL_COUNTER_ADAGRADW && o->decay.kind == SPARCL_DECAY_COUPLED)
        return spc_fail(error, SPARCL_E_ARG,
                        "decay is coupled, expected decoupled or global where counter_mode is "
                        "adagradw");
    if (mode != SPARCL_COUNTER_ADAGRADW && o->counter.halflife < 0)
        return spc_fail(error, SPARCL_E_ARG,
                        "counter_halflife is %g, expected a number from 0: weight_decay is "
                        "multiplied by counter_halflife / counter",
                        o->counter.halflife);
    return SPARCL_OK;
}

/* What depends on several fields. */
static sparcl_status check_together(const sparcl_optim *o, sparcl_error *error) {
    const bool moves_all = o->moves == SPARCL_MOVES_ALL || o->decay.kind == SPARCL_DECAY_GLOBAL;
    if (spc_rule_of(o->rule)->presets[o->preset].step != 1)
        return spc_fail(error, SPARCL_E_ARG, "preset %s has no rule %s",
                        sparcl_preset_name(o->preset), sparcl_rule_name(o->rule));
    if (spc_rule_of(o->rule)->divides_by_rate && !(o->lr > 0))
        return spc_fail(error, SPARCL_E_ARG,
                        "lr is %g, expected a positive number: the rule divides by it", o->lr);
    if (o->max_norm > 0 && o->max_norm < (double)INFINITY && !spc_rule_of(o->rule)->is_by_row)
        return spc_fail(error, SPARCL_E_ARG,
                        "max_norm is %g, expected inf for %s, which has no norms of rows",
                        o->max_norm, sparcl_rule_name(o->rule));
    if (o->decay.kind == SPARCL_DECAY_INSIDE && !spc_rule_of(o->rule)->decays_inside)
        return spc_fail(error, SPARCL_E_ARG,
                        "decay is inside, expected coupled, decoupled or global for %s",
                        sparcl_rule_name(o->rule));
    SPC_TRY(check_duplicates(o, error));
    if (o->lazy.last_steps && moves_all)
        return spc_fail(error, SPARCL_E_ARG,
                        "last_steps is set, expected NULL where a step moves or decays all rows");
    if (o->lazy.last_steps && o->lazy.object)
        return spc_fail(error, SPARCL_E_ARG, "last_steps and lazy are set, expected one");
    if (o->lazy.last_steps && spc_has_half_states(o))
        return spc_fail(error, SPARCL_E_ARG,
                        "last_steps is set, expected NULL with a state_type of 16 bits");
    if (o->step < 1)
        return spc_fail(error, SPARCL_E_ARG, "step is %lld, expected at least 1",
                        (long long)o->step);
    return check_counter(o, error);
}

sparcl_status sparcl_optim_check(const sparcl_optim *o, sparcl_error *error) {
    if (!o) return spc_fail(error, SPARCL_E_ARG, "optim is NULL");
    if (!spc_rule_of(o->rule))
        return spc_fail(error, SPARCL_E_ARG, "rule is %d, expected a sparcl_rule", (int)o->rule);
    if (o->size != sizeof *o)
        return spc_fail(error, SPARCL_E_ARG,
                        "size is %zu, expected %zu: sparcl_optim_init fills it in", o->size,
                        sizeof *o);
    if ((unsigned)o->preset >= SPARCL_PRESETS)
        return spc_fail(error, SPARCL_E_ARG, "preset is %d, expected a sparcl_preset",
                        (int)o->preset);
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
    } else if (s->shown.type == SPARCL_SETTING_INTEGER) {
        snprintf(text, capacity, "%" PRIu64, integer_of(o, s));
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

static bool read_integer(const char *text, uint64_t *value) {
    *value = 0;
    if (!*text) return false;
    for (; *text; ++text) {
        const uint64_t digit = (uint64_t)(unsigned char)*text - '0';
        if (digit > 9 || *value > (UINT64_MAX - digit) / 10) return false;
        *value = *value * 10 + digit;
    }
    return true;
}

static int read_int(const setting *s, const char *text) {
    if (s->shown.type == SPARCL_SETTING_FLAG)
        return strcmp(text, "0") == 0 ? 0 : strcmp(text, "1") == 0 ? 1 : -1;
    for (int i = 0; is_choice(s, i); ++i)
        if (strcmp(s->choices[i], text) == 0) return i;
    return -1;
}

static sparcl_status refuse_unused(sparcl_rule rule, const setting *s, const char *value,
                                   sparcl_error *error) {
    char having[700], own[400];
    spc_text rules = spc_text_in(having, sizeof having), names = spc_text_in(own, sizeof own);
    const char *first = NULL;
    for (int r = 0; r < SPARCL_RULES; ++r) {
        if (!sparcl_rule_uses((sparcl_rule)r, s->shown.name)) continue;
        spc_text_add(&rules, "%s%s", first ? ", " : "", sparcl_rule_name((sparcl_rule)r));
        if (!first) first = sparcl_rule_name((sparcl_rule)r);
    }
    for (size_t i = 0; i < SPC_COUNT(settings); ++i)
        if (sparcl_rule_uses(rule, settings[i].shown.name))
            spc_text_add(&names, "%s%s", names.length ? ", " : "", settings[i].shown.name);
    return spc_fail(
        error, SPARCL_E_ARG,
        "%s has no setting %s; use \"%s:%s=%.40s\" (rules with it: %s); settings of %s: "
        "%s",
        sparcl_rule_name(rule), s->shown.name, first, s->shown.name, value, having,
        sparcl_rule_name(rule), own);
}

sparcl_status sparcl_optim_set(sparcl_optim *optim, const char *name, const char *value,
                               sparcl_error *error) {
    const setting *const s = find(name);
    double real = 0;
    uint64_t integer = 0;
    int i = 0;
    bool is_read;
    if (!optim || !value) return spc_fail(error, SPARCL_E_ARG, "optim_set: an argument is NULL");
    if (!s) return spc_fail(error, SPARCL_E_ARG, "there is no setting \"%.40s\"", name ? name : "");
    if (!sparcl_rule_uses(optim->rule, name)) return refuse_unused(optim->rule, s, value, error);
    void *const at = (char *)optim + s->shown.offset;
    if (s->shown.type == SPARCL_SETTING_REAL)
        is_read = read_real(s, value, &real);
    else if (s->shown.type == SPARCL_SETTING_INTEGER)
        is_read = read_integer(value, &integer);
    else
        is_read = (i = read_int(s, value)) >= 0;
    if (!is_read)
        return spc_fail(error, SPARCL_E_ARG, "%s: expected %s, found \"%.40s\"", name,
                        s->shown.expected, value);
    if (s->shown.type == SPARCL_SETTING_REAL)
        *(double *)at = real;
    else if (s->shown.type == SPARCL_SETTING_INTEGER)
        *(uint64_t *)at = integer;
    else
        *(int *)at = i;
    return SPARCL_OK;
}
