/* settings_text.c: optimizers as text: a name and settings. */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "optim/rules.h"
#include "sparcl/optim_text.h"

static const sparcl_rule_alias aliases[] = {
    {"nesterov", SPARCL_RULE_MOMENTUM, "nesterov=1"},
    {"adamw", SPARCL_RULE_ADAM, "decay=decoupled,weight_decay=0.01"},
};

const sparcl_rule_alias *sparcl_optim_alias(int i) {
    return i >= 0 && (size_t)i < SPC_COUNT(aliases) ? &aliases[i] : NULL;
}

/* ---- reading ----------------------------------------------------------------------------------
 */

enum { LONGEST = 63 };

/* The next "key=value" of a list, and *at behind it and its comma. */
static sparcl_status next_pair(const char **at, char key[LONGEST + 1], char value[LONGEST + 1],
                               sparcl_error *error) {
    const size_t length = strcspn(*at, ","), key_length = strcspn(*at, "=,");
    if (key_length == length || key_length > LONGEST || length - key_length - 1 > LONGEST)
        return spc_fail(error, SPARCL_E_ARG, "expected KEY=VALUE, found \"%.*s\"",
                        (int)(length < 40 ? length : 40), *at);
    memcpy(key, *at, key_length);
    key[key_length] = '\0';
    memcpy(value, *at + key_length + 1, length - key_length - 1);
    value[length - key_length - 1] = '\0';
    *at += length + ((*at)[length] == ',');
    return SPARCL_OK;
}

/* A comma at the end is no pair. */
static bool has_pair(const char *list, const char *at) {
    return *at || (at > list && at[-1] == ',');
}

static sparcl_status set_preset(sparcl_optim *optim, const char *name, sparcl_error *error) {
    char all[200];
    spc_text text = spc_text_in(all, sizeof all);
    for (int p = 0; p < SPARCL_PRESETS; ++p) {
        const char *const found = sparcl_preset_name((sparcl_preset)p);
        spc_text_add(&text, "%s%s", p == 0 ? "" : p + 1 < SPARCL_PRESETS ? ", " : " or ", found);
        if (strcmp(found, name) != 0) continue;
        if (sparcl_optim_preset(optim, optim->rule, (sparcl_preset)p) == SPARCL_OK)
            return SPARCL_OK;
        return spc_fail(error, SPARCL_E_ARG, "preset: %s has no %s", name,
                        sparcl_rule_name(optim->rule));
    }
    return spc_fail(error, SPARCL_E_ARG, "preset: expected %s, found \"%.40s\"", all, name);
}

/* The preset first, wherever it stands: it fills in all fields. */
static sparcl_status read_list(sparcl_optim *optim, const char *list, bool is_preset,
                               sparcl_error *error) {
    char key[LONGEST + 1], value[LONGEST + 1];
    for (const char *at = list; has_pair(list, at);) {
        SPC_TRY(next_pair(&at, key, value, error));
        if ((strcmp(key, "preset") == 0) != is_preset) continue;
        if (is_preset)
            SPC_TRY(set_preset(optim, value, error));
        else
            SPC_TRY(sparcl_optim_set(optim, key, value, error));
    }
    return SPARCL_OK;
}

static const char *name_at(int i) {
    if (i < SPARCL_RULES) return sparcl_rule_name((sparcl_rule)i);
    const sparcl_rule_alias *const alias = sparcl_optim_alias(i - SPARCL_RULES);
    return alias ? alias->name : NULL;
}

static sparcl_status refuse_name(const char *name, sparcl_error *error) {
    char all[800];
    spc_text text = spc_text_in(all, sizeof all);
    for (int i = 0; name_at(i); ++i)
        spc_text_add(&text, "%s%s", i == 0 ? "" : name_at(i + 1) ? ", " : " or ", name_at(i));
    return spc_fail(error, SPARCL_E_ARG, "optimizer: expected %s, found \"%.40s\"", all, name);
}

sparcl_status sparcl_optim_parse(sparcl_optim *optim, const char *text, sparcl_error *error) {
    char name[LONGEST + 1] = "";
    const size_t length = text ? strcspn(text, ":") : 0;
    const sparcl_rule_alias *alias = NULL;
    sparcl_optim made;
    sparcl_rule rule;
    if (!optim || !text) return spc_fail(error, SPARCL_E_ARG, "optim_parse: an argument is NULL");
    memcpy(name, text, length < LONGEST ? length : LONGEST);
    for (size_t i = 0; i < SPC_COUNT(aliases); ++i)
        if (strcmp(aliases[i].name, name) == 0) alias = &aliases[i];
    if (alias)
        rule = alias->rule;
    else if (sparcl_rule_parse(&rule, name, NULL) != SPARCL_OK)
        return refuse_name(name, error);
    sparcl_optim_init(&made, rule);
    const char *const list = text + length + (text[length] == ':');
    SPC_TRY(read_list(&made, list, true, error));
    if (alias) SPC_TRY(read_list(&made, alias->settings, false, error));
    SPC_TRY(read_list(&made, list, false, error));
    *optim = made;
    return SPARCL_OK;
}

/* ---- writing ----------------------------------------------------------------------------------
 */

void sparcl_optim_print(const sparcl_optim *optim, char text[SPARCL_OPTIM_TEXT]) {
    const char *before = ":";
    sparcl_optim base;
    char found[LONGEST + 1], usual[LONGEST + 1];
    spc_text out = spc_text_in(text, SPARCL_OPTIM_TEXT);
    if (sparcl_optim_check(optim, NULL) != SPARCL_OK) return;
    spc_text_add(&out, "%s", sparcl_rule_name(optim->rule));
    sparcl_optim_init(&base, optim->rule);
    if (base.preset != optim->preset &&
        sparcl_optim_preset(&base, optim->rule, optim->preset) == SPARCL_OK) {
        spc_text_add(&out, ":preset=%s", sparcl_preset_name(optim->preset));
        before = ",";
    }
    for (int i = 0; sparcl_optim_setting(i); ++i) {
        const sparcl_setting *const s = sparcl_optim_setting(i);
        if (!sparcl_rule_uses(optim->rule, s->name)) continue;
        sparcl_optim_get(optim, s->name, found, sizeof found);
        sparcl_optim_get(&base, s->name, usual, sizeof usual);
        if (strcmp(found, usual) == 0) continue;
        spc_text_add(&out, "%s%s=%s", before, s->name, found);
        before = ",";
    }
}
