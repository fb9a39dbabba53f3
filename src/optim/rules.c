/* rules.c: the table of optimizer rules, their presets, and the numbers of a step. */
#include "optim/rules.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "sparcl/optim_text.h"

static const spc_rule *const rules[SPARCL_RULES] = {
    [SPARCL_RULE_SGD] = &spc_rule_sgd,
    [SPARCL_RULE_MOMENTUM] = &spc_rule_momentum,
    [SPARCL_RULE_ADAGRAD] = &spc_rule_adagrad,
    [SPARCL_RULE_ADAM] = &spc_rule_adam,
    [SPARCL_RULE_AMSGRAD] = &spc_rule_amsgrad,
    [SPARCL_RULE_RMSPROP] = &spc_rule_rmsprop,
    [SPARCL_RULE_RMSPROP_MOMENTUM] = &spc_rule_rmsprop_momentum,
    [SPARCL_RULE_RMSPROP_CENTERED] = &spc_rule_rmsprop_centered,
    [SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM] = &spc_rule_rmsprop_centered_momentum,
    [SPARCL_RULE_ADADELTA] = &spc_rule_adadelta,
    [SPARCL_RULE_FTRL] = &spc_rule_ftrl,
    [SPARCL_RULE_PROXIMAL_SGD] = &spc_rule_proximal_sgd,
    [SPARCL_RULE_PROXIMAL_ADAGRAD] = &spc_rule_proximal_adagrad,
    [SPARCL_RULE_ADAGRAD_DA] = &spc_rule_adagrad_da,
    [SPARCL_RULE_ROWWISE_ADAGRAD] = &spc_rule_rowwise_adagrad,
    [SPARCL_RULE_NADAM] = &spc_rule_nadam,
    [SPARCL_RULE_ADAMAX] = &spc_rule_adamax,
    [SPARCL_RULE_LION] = &spc_rule_lion,
    [SPARCL_RULE_SIGNSGD] = &spc_rule_signsgd,
    [SPARCL_RULE_SIGNUM] = &spc_rule_signum,
    [SPARCL_RULE_YOGI] = &spc_rule_yogi,
    [SPARCL_RULE_ROWWISE_ADAM] = &spc_rule_rowwise_adam,
    [SPARCL_RULE_ROWWISE_RMSPROP] = &spc_rule_rowwise_rmsprop,
    [SPARCL_RULE_ROWWISE_LARS] = &spc_rule_rowwise_lars,
    [SPARCL_RULE_ROWWISE_LAMB] = &spc_rule_rowwise_lamb,
    [SPARCL_RULE_ADAM_ROW_STEPS] = &spc_rule_adam_row_steps,
    [SPARCL_RULE_LAMB] = &spc_rule_lamb,
    [SPARCL_RULE_LARS] = &spc_rule_lars,
    [SPARCL_RULE_ROWWISE_ADAGRAD_COUNTER] = &spc_rule_rowwise_adagrad_counter,
};

static const char *const preset_names[SPARCL_PRESETS] = {
    [SPARCL_PRESET_TORCH] = "torch",   [SPARCL_PRESET_MXNET] = "mxnet",
    [SPARCL_PRESET_TF1] = "tf1",       [SPARCL_PRESET_KERAS3] = "keras3",
    [SPARCL_PRESET_ADDONS] = "addons", [SPARCL_PRESET_DGL] = "dgl",
    [SPARCL_PRESET_FBGEMM] = "fbgemm", [SPARCL_PRESET_HUGECTR] = "hugectr",
};

const spc_rule *spc_rule_of(sparcl_rule rule) {
    return (unsigned)rule < SPARCL_RULES ? rules[rule] : NULL;
}

const char *sparcl_preset_name(sparcl_preset preset) {
    return (unsigned)preset < SPARCL_PRESETS ? preset_names[preset] : "?";
}

const char *sparcl_rule_name(sparcl_rule rule) {
    return spc_rule_of(rule) ? rules[rule]->name : "?";
}

const char *sparcl_rule_formula(sparcl_rule rule) {
    return spc_rule_of(rule) ? rules[rule]->formula : NULL;
}

int sparcl_rule_catches_up(sparcl_rule rule) {
    return spc_rule_of(rule) && rules[rule]->catches_up;
}

sparcl_status sparcl_rule_parse(sparcl_rule *rule, const char *name, sparcl_error *error) {
    char all[700];
    spc_text text = spc_text_in(all, sizeof all);
    for (int r = 0; r < SPARCL_RULES; ++r) {
        if (name && strcmp(rules[r]->name, name) == 0) {
            *rule = (sparcl_rule)r;
            return SPARCL_OK;
        }
        spc_text_add(&text, "%s%s",
                     r == 0                 ? ""
                     : r + 1 < SPARCL_RULES ? ", "
                                            : " or ",
                     rules[r]->name);
    }
    return spc_fail(error, SPARCL_E_ARG, "optimizer: expected %s, found \"%.40s\"", all,
                    name ? name : "");
}

int sparcl_rule_states(sparcl_rule rule) {
    return spc_rule_of(rule) ? rules[rule]->states : -1;
}

const char *sparcl_rule_state_name(sparcl_rule rule, int i) {
    const bool is_state = i >= 0 && i < sparcl_rule_states(rule);
    return is_state ? rules[rule]->state_names[i] : NULL;
}

int sparcl_rule_state_is_row(sparcl_rule rule, int i) {
    return i >= 0 && i < sparcl_rule_states(rule) && spc_is_row_state(rules[rule], i);
}

sparcl_status sparcl_optim_preset(sparcl_optim *optim, sparcl_rule rule, sparcl_preset preset) {
    const spc_rule *const r = spc_rule_of(rule);
    if (!optim || !r || (unsigned)preset >= SPARCL_PRESETS || r->presets[preset].step != 1)
        return SPARCL_E_ARG;
    *optim = r->presets[preset];
    optim->size = sizeof *optim;
    optim->rule = rule;
    optim->preset = preset;
    optim->rescale = 1;
    if (optim->eta == 0) optim->eta = 1;
    optim->clip.value = optim->clip.weights = optim->max_norm = (double)INFINITY;
    optim->clip.norm = optim->clip.row_norm = optim->trust.upper_bound = (double)INFINITY;
    return SPARCL_OK;
}

void sparcl_optim_init(sparcl_optim *optim, sparcl_rule rule) {
    if (!optim) return;
    for (int preset = 0; preset < SPARCL_PRESETS; ++preset)
        if (sparcl_optim_preset(optim, rule, (sparcl_preset)preset) == SPARCL_OK) {
            optim->duplicates = SPARCL_DUPLICATES_SUM;
            optim->moves = SPARCL_MOVES_PRESENT;
            return;
        }
    *optim = (sparcl_optim){.size = sizeof *optim,
                            .rule = rule,
                            .step = 1,
                            .rescale = 1,
                            .eta = 1,
                            .clip = {.value = (double)INFINITY,
                                     .norm = (double)INFINITY,
                                     .row_norm = (double)INFINITY,
                                     .weights = (double)INFINITY},
                            .trust.upper_bound = (double)INFINITY,
                            .max_norm = (double)INFINITY};
}

/* The decay apart from the gradient: PyTorch multiplies by 1 - lr wd, Keras takes away (w wd) lr,
 * TensorFlow Addons w wd. */
static void decoupled_decay(const sparcl_optim *o, spc_hyper *h) {
    if (o->preset == SPARCL_PRESET_KERAS3 || o->preset == SPARCL_PRESET_ADDONS) {
        h->shrink = o->decay.weight;
        h->shrink_lr = o->preset == SPARCL_PRESET_KERAS3 ? o->lr : 1;
    } else {
        h->keep = 1 - o->lr * o->decay.weight;
    }
}

spc_hyper spc_hyper_of(const spc_rule *rule, const sparcl_optim *o) {
    spc_hyper h = {.lr = o->lr,
                   .rescale = o->rescale,
                   .clip = o->clip.value,
                   .clip_decayed = (double)INFINITY,
                   .keep = 1,
                   .form = rule->form};
    if (o->decay.kind == SPARCL_DECAY_COUPLED)
        h.decay = o->decay.weight;
    else if (o->decay.kind != SPARCL_DECAY_INSIDE)
        decoupled_decay(o, &h);
    rule->hyper(o, &h);
    return h;
}

uint32_t spc_prepare_options(const sparcl_optim *o, const spc_hyper *h) {
    const bool is_plain = h->rescale == 1 && isinf(h->clip) && isinf(h->clip_decayed) &&
                          h->keep == 1 && h->shrink == 0 && o->duplicates != SPARCL_DUPLICATES_MEAN;
    return is_plain ? 0u : SPC_PREPARE;
}
