/* parameter_optims.c: optimizers of single parameters, as text. */
#include "model/parameter_optims.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "sparcl/optim_text.h"

/* Whether a list of settings sets a key. */
static bool sets(const char *settings, const char *key) {
    const size_t length = strlen(key);
    for (const char *at = settings; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, key, length) == 0 && at[length] == '=') return true;
    }
    return false;
}

void spc_set_training_rate(sparcl_optim *o) {
    if (o->rule == SPARCL_RULE_SGD || o->rule == SPARCL_RULE_MOMENTUM) o->lr = 0.1;
}

static bool has_rate(const char *text) {
    const char *const colon = strchr(text, ':');
    const char *const settings = colon ? colon + 1 : "";
    return sets(settings, "lr") || sets(settings, "profile");
}

static sparcl_status parse_one(sparcl_parameter_optim *to, const char *text, size_t length,
                               sparcl_error *error) {
    char optimizer[SPARCL_OPTIM_TEXT];
    sparcl_error found = {0};
    const char *const equals = memchr(text, '=', length);
    const size_t name = equals ? (size_t)(equals - text) : 0;
    if (name == 0 || name >= sizeof to->parameter || length - name > sizeof optimizer)
        return spc_fail(error, SPARCL_E_ARG,
                        "parameter optimizers: expected PARAMETER=OPTIMIZER, found \"%.*s\"",
                        (int)(length < 80 ? length : 80), text);
    snprintf(to->parameter, sizeof to->parameter, "%.*s", (int)name, text);
    snprintf(optimizer, sizeof optimizer, "%.*s", (int)(length - name - 1), equals + 1);
    if (sparcl_optim_parse(&to->optim, optimizer, &found) != SPARCL_OK)
        return spc_fail(error, SPARCL_E_ARG, "parameter optimizers: %s: %s", to->parameter,
                        found.message);
    if (!has_rate(optimizer)) spc_set_training_rate(&to->optim);
    return SPARCL_OK;
}

const sparcl_parameter_optim *spc_find_parameter_optim(const sparcl_parameter_optim *list,
                                                       int count, const char *name) {
    for (int i = 0; i < count; ++i)
        if (strncmp(list[i].parameter, name, sizeof list[i].parameter) == 0) return &list[i];
    return NULL;
}

sparcl_status sparcl_parameter_optims_parse(sparcl_parameter_optim *list, int *count,
                                            const char *text, sparcl_error *error) {
    *count = 0;
    while (*text) {
        const size_t length = strcspn(text, ";");
        sparcl_parameter_optim next;
        if (*count == SPARCL_PARAMETER_OPTIMS)
            return spc_fail(error, SPARCL_E_ARG, "parameter optimizers: expected at most %d",
                            SPARCL_PARAMETER_OPTIMS);
        SPC_TRY(parse_one(&next, text, length, error));
        if (spc_find_parameter_optim(list, *count, next.parameter))
            return spc_fail(error, SPARCL_E_ARG,
                            "parameter optimizers: %s has two, expected one for each parameter",
                            next.parameter);
        list[(*count)++] = next;
        text += length + (text[length] == ';');
    }
    return SPARCL_OK;
}

bool spc_print_parameter_optims(char *text, size_t capacity, const sparcl_parameter_optim *list,
                                int count) {
    spc_text to = spc_text_in(text, capacity);
    for (int i = 0; i < count; ++i) {
        char optimizer[SPARCL_OPTIM_TEXT];
        sparcl_optim_print(&list[i].optim, optimizer);
        spc_text_add(&to, "%s%s=%s", i ? ";" : "", list[i].parameter, optimizer);
    }
    return !to.cut;
}
