/* train_modes.c: which options of sparcl train act in which kind of training. */
#include "train_modes.h"

#include <inttypes.h>
#include <string.h>

#include "message.h"
#include "sparcl/optim_setup.h"
#include "train_options.h"

enum {
    ANY_STEPS = MODE_STEPS | MODE_RATE,
    GIVEN = MODE_STEPS | MODE_LBFGS,
    ANY_SEARCH = MODE_SEARCH | MODE_RATE
};

/* Options that do not act in every kind of training. Those that do not act in a search end it. */
static const struct {
    const char *name;
    int acts_in; /* train_modes */
} partial[] = {{"optimizer", ANY_STEPS},  {"parameter-optimizers", MODE_STEPS},
               {"lr", MODE_STEPS},        {"momentum", ANY_STEPS},
               {"beta1", ANY_STEPS},      {"beta2", ANY_STEPS},
               {"epsilon", ANY_STEPS},    {"exact", ANY_STEPS},
               {"batch", ANY_STEPS},      {"patience", MODE_STEPS},
               {"schedule", MODE_STEPS},  {"clip-value", ANY_STEPS},
               {"clip-norm", ANY_STEPS},  {"clip-global-norm", MODE_STEPS},
               {"dry-run", MODE_STEPS},   {"graph", MODE_STEPS},
               {"epochs", GIVEN},         {"l2", GIVEN | MODE_RATE},
               {"start", GIVEN},          {"max-hours", GIVEN},
               {"checkpoint", GIVEN},     {"solver", GIVEN},
               {"stream", GIVEN},         {"l1", MODE_LBFGS},
               {"tolerance", MODE_LBFGS}, {"gradient-tolerance", MODE_LBFGS},
               {"select", ANY_SEARCH},    {"raw-labels", MODE_STEPS}};

/* Options that act with another one only. */
static const struct {
    const char *name, *with;
} dependent[] = {
    {"valid-format", "valid"},         {"graph-format", "graph"}, {"per-class", "graph"},
    {"valid-nodes", "graph"},          {"test-nodes", "graph"},   {"probe-l2", "probe"},
    {"checkpoint-every", "checkpoint"}};

/* Settings of the optimizer that are options, too. */
static const struct {
    const char *option, *setting;
} settings[] = {
    {"momentum", "momentum"}, {"beta1", "beta1"}, {"beta2", "beta2"}, {"epsilon", "epsilon"}};

static bool is_given(const char *name) {
    for (int i = 0; command_train.options[i].name; i++)
        if (strcmp(command_train.options[i].name, name) == 0)
            return option_origin_of(i) != FROM_DEFAULT;
    return false;
}

/* The first option that is given, acts in steps, and not in a kind of training; NULL: none. Those
 * for L-BFGS alone do not mean it. */
static const char *find_end_of(train_mode mode) {
    for (size_t i = 0; i < sizeof partial / sizeof *partial; i++)
        if ((partial[i].acts_in & MODE_STEPS) && !(partial[i].acts_in & (int)mode) &&
            is_given(partial[i].name))
            return partial[i].name;
    return NULL;
}

/* A profile is that of a system with a rate of its own. */
static bool has_rate(void) {
    const char *const text = train_given.optimizer;
    return text && (strstr(text, "lr=") || strstr(text, "profile="));
}

train_mode train_mode_of(void) {
    if (train_given.solver == SPARCL_SOLVER_LBFGS) return MODE_LBFGS;
    if (strcmp(train_given.kind, "linear") != 0 || train_given.l1 != 0) return MODE_STEPS;
    if (!find_end_of(MODE_SEARCH)) return MODE_SEARCH;
    return find_end_of(MODE_RATE) || has_rate() ? MODE_STEPS : MODE_RATE;
}

static void print_no_effect(const char *name, train_mode mode, int acts_in) {
    const char *const where[] = {[MODE_SEARCH] = "in the search for settings",
                                 [MODE_STEPS] = "in steps of an optimizer",
                                 [MODE_LBFGS] = "with --solver lbfgs",
                                 [MODE_RATE] = "in the search for a rate"};
    const char *const other = acts_in & MODE_LBFGS   ? "with --solver lbfgs"
                              : acts_in & MODE_STEPS ? "in steps, such as with --optimizer adam"
                                                     : "without options that end the search";
    print_note("--%s has no effect %s; it acts %s", name, where[mode], other);
}

/* The optimizer does not have it. */
static void print_settings_without_effect(void) {
    const sparcl_rule rule = train_given.optim.rule;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (is_given(settings[i].option) && !sparcl_rule_uses(rule, settings[i].setting))
            print_note("--%s has no effect: %s has no such setting ('sparcl help optimizers' lists "
                       "what each one has)",
                       settings[i].option, sparcl_rule_name(rule));
}

static void print_end_of_search(train_mode mode, int64_t passes) {
    const char *const rule = sparcl_rule_name(train_given.optim.rule);
    const char *cause = find_end_of(MODE_SEARCH);
    if (!cause || is_given("epochs") || strcmp(train_given.kind, "linear") != 0 ||
        train_given.graph)
        return;
    if (mode == MODE_STEPS && is_given("optimizer")) cause = find_end_of(MODE_RATE);
    if (mode == MODE_RATE && !is_given("optimizer"))
        print_note(
            "--%s: steps of %s, whose rate is searched for; without it L-BFGS, with a search "
            "for C",
            cause, rule);
    else if (mode == MODE_STEPS && cause && !is_given("lr"))
        print_note("--%s: steps of %s, %" PRId64
                   " passes; without it the settings are searched for",
                   cause, rule, passes);
}

void print_mode_notes(train_mode mode, int64_t passes) {
    for (size_t i = 0; i < sizeof partial / sizeof *partial; i++)
        if (!(partial[i].acts_in & (int)mode) && is_given(partial[i].name))
            print_no_effect(partial[i].name, mode, partial[i].acts_in);
    for (size_t i = 0; i < sizeof dependent / sizeof *dependent; i++)
        if (is_given(dependent[i].name) && !is_given(dependent[i].with))
            print_note("--%s has no effect without --%s", dependent[i].name, dependent[i].with);
    if (!(mode & (MODE_STEPS | MODE_RATE))) return;
    print_settings_without_effect();
    print_end_of_search(mode, passes);
}
