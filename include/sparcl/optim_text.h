/* optim_text.h: fills in, names, reads, prints and checks the settings of optimizers. */
#ifndef SPARCL_OPTIM_TEXT_H
#define SPARCL_OPTIM_TEXT_H

#include "sparcl/optim.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Fill in the defaults of a rule: those of SPARCL_PRESET_TORCH, or of the first preset that has
 * the rule, but with DUPLICATES_SUM and MOVES_PRESENT. An unknown rule is stored unchanged, and the
 * step refuses it. NULL: nothing is done.
 */
SPARCL_API void sparcl_optim_init(sparcl_optim *optim, sparcl_rule rule);

/**
 * Fill in what a system does: its order of operations, hyper-parameters and defaults for a
 * row-sparse gradient. The momentum of MOMENTUM is 0.9 in all presets (0 is SPARCL_RULE_SGD).
 *
 * Errors    E_ARG: the system has no such rule, optim is NULL, or an argument is no sparcl_rule or
 *           sparcl_preset; optim is unchanged.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_optim_preset(sparcl_optim *optim,
                                                                            sparcl_rule rule,
                                                                            sparcl_preset preset);

/** The name of a preset, as "torch"; "?" for an unknown one. */
SPARCL_EXPERIMENTAL_API const char *sparcl_preset_name(sparcl_preset preset);

/** The name of a rule, as "adam"; "?" for another number. */
SPARCL_API const char *sparcl_rule_name(sparcl_rule rule);

/** Parse the name of a rule.
 *
 * Errors    E_ARG: no such name; the message lists the names, and the result is unchanged.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_rule_parse(sparcl_rule *rule, const char *name,
                                                             sparcl_error *error);

/** What a rule computes, in one line; NULL for an unknown rule. */
SPARCL_EXPERIMENTAL_API const char *sparcl_rule_formula(sparcl_rule rule);

/** Not 0: sparcl_catch_up has the rule. */
SPARCL_EXPERIMENTAL_API int sparcl_rule_catches_up(sparcl_rule rule);

/**
 * Why there are no exact lazy steps (SPARCL_MOVES_EXACT) with these settings: what has no closed
 * form and what is expected, as "a coupled weight_decay, expected a decoupled or global one". NULL
 * where there are: with `lazy`, or for PyTorch's SGD and MOMENTUM with a coupled decay with
 * `last_steps`.
 */
SPARCL_EXPERIMENTAL_API const char *sparcl_optim_exact_refusal(const sparcl_optim *optim);

/** The C type of a setting. */
typedef enum sparcl_setting_type {
    SPARCL_SETTING_REAL = 0,   /**< double */
    SPARCL_SETTING_FLAG = 1,   /**< int, 0 or 1 */
    SPARCL_SETTING_CHOICE = 2, /**< an enum, by name */
    SPARCL_SETTING_INTEGER = 3 /**< uint64_t */
} sparcl_setting_type;

/** A setting: a field of sparcl_optim, except rule, preset, lazy, step and last_steps. */
typedef struct sparcl_setting {
    const char *name;         /**< in texts, as "weight_decay", which is the field decay.weight */
    sparcl_setting_type type; /**< of the field */
    size_t offset;            /**< of the field */
    const char *expected; /**< its values, as "a finite number from 0", "present, all or exact" */
    const char *meaning;  /**< what it is, in a few words, as "learning rate" */
} sparcl_setting;

/** Setting i, from 0; NULL after the last. */
SPARCL_EXPERIMENTAL_API const sparcl_setting *sparcl_optim_setting(int i);

/** Not 0: the rule uses the setting of this name. A field that it does not use changes no result
 * (momentum of SPARCL_RULE_SGD: SPARCL_RULE_MOMENTUM has it); sparcl_optim_set and
 * sparcl_optim_parse refuse it. */
SPARCL_EXPERIMENTAL_API int sparcl_rule_uses(sparcl_rule rule, const char *setting);

/** Another name for a rule with settings of its own. */
typedef struct sparcl_rule_alias {
    const char *name;     /**< as "adamw" */
    sparcl_rule rule;     /**< the rule */
    const char *settings; /**< as "decay=decoupled,weight_decay=0.01" */
} sparcl_rule_alias;

/** Alias i, from 0; NULL after the last. */
SPARCL_EXPERIMENTAL_API const sparcl_rule_alias *sparcl_optim_alias(int i);

/**
 * Set a field from text: a decimal number, 0 or 1, or a name in lower case, as "decoupled";
 * an INTEGER is digits only; clip_value, clip_norm, clip_row_norm, clip_weights, upper_bound and
 * max_norm may be "inf".
 *
 * Errors    E_ARG: there is no such setting, the rule of optim does not have it (sparcl_rule_uses),
 *           or its value is not what sparcl_setting.expected says; the message says what was found
 *           and expected, and optim is unchanged.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_optim_set(sparcl_optim *optim, const char *name,
                                                            const char *value, sparcl_error *error);

/** Write a setting as sparcl_optim_set reads it, cut to `capacity` bytes with a NUL; an empty text
 * for an unknown name or a value that sparcl_optim_check refuses. */
SPARCL_API void sparcl_optim_get(const sparcl_optim *optim, const char *name, char *text,
                                 size_t capacity);

/**
 * Fill in an optimizer from text: the name of a rule or an alias, and settings in any order, as
 * "adam:preset=keras3,lr=0.01". Without a preset the defaults are those of sparcl_optim_init,
 * with one those of sparcl_optim_preset; an alias's settings come before those of the text.
 *
 * Errors    E_ARG: the message says what was expected and found; optim is unchanged.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_optim_parse(sparcl_optim *optim, const char *text,
                                                              sparcl_error *error);

/** Bytes that hold the text of any optimizer. */
#define SPARCL_OPTIM_TEXT 2048

/**
 * Write an optimizer as text that sparcl_optim_parse reads back as the same rule, preset and
 * settings: the name of the rule, the preset unless it is that of sparcl_optim_init, and the
 * settings of the rule that differ from the defaults. It is the same in any locale. An optimizer
 * that sparcl_optim_check refuses gives an empty text.
 */
SPARCL_API void sparcl_optim_print(const sparcl_optim *optim, char text[SPARCL_OPTIM_TEXT]);

/**
 * Check an optimizer as every step does.
 *
 * Errors    E_ARG: the message names the first field that is wrong, what was found and what is
 *           expected.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_optim_check(const sparcl_optim *optim,
                                                              sparcl_error *error);

#ifdef __cplusplus
}
#endif

#endif
