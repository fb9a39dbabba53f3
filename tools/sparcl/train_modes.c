/* train_modes.c: which options of sparcl train act in which kind of training. */
#include "train_modes.h"

#include <inttypes.h>
#include <string.h>

#include "message.h"
#include "model_kind.h"
#include "sparcl/optim.h"
#include "sparcl/optim_text.h"
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
    for (int i = 0; train_rows[i].name; i++)
        if (strcmp(train_rows[i].name, name) == 0) return option_origin_of(i) != FROM_DEFAULT;
    return false;
}

bool ends_search_of_rate(const char *option) {
    for (size_t i = 0; i < sizeof partial / sizeof *partial; i++)
        if (strcmp(partial[i].name, option) == 0)
            return (partial[i].acts_in & MODE_STEPS) && !(partial[i].acts_in & MODE_RATE);
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

bool has_own_rate(const char *optimizer) {
    return optimizer && (strstr(optimizer, "lr=") || strstr(optimizer, "preset="));
}

static bool is_linear(void) {
    return strcmp(train_given.kind, "linear") == 0;
}

train_mode train_mode_of(void) {
    if (train_given.solver == SPARCL_SOLVER_LBFGS) return MODE_LBFGS;
    if (!predicts_labels(train_given.kind) || train_given.l1 != 0) return MODE_STEPS;
    if (is_linear() && !find_end_of(MODE_SEARCH)) return MODE_SEARCH;
    return find_end_of(MODE_RATE) || has_own_rate(train_given.optimizer) ? MODE_STEPS : MODE_RATE;
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

/* Why no rate is searched for. */
static void print_steps(int64_t passes) {
    const bool may_search = is_linear() && !is_given("optimizer");
    const bool is_streamed = is_given("stream");
    const char *const cause =
        is_streamed ? "stream" : find_end_of(may_search ? MODE_SEARCH : MODE_RATE);
    if (cause && !is_given("lr") && (is_streamed || !is_given("epochs")) &&
        predicts_labels(train_given.kind) && !train_given.graph)
        print_note("--%s: steps of %s with the rate %g, %" PRId64 " %s; %s", cause,
                   sparcl_rule_name(train_given.optim.rule), train_given.optim.lr, passes,
                   passes == 1 ? "pass" : "passes",
                   is_streamed ? "a training without it on a part of the rows ('sparcl sample') "
                                 "finds a rate for --lr"
                               : "without it the settings are searched for");
}

static void print_search_of_rate(void) {
    const char *const rule = sparcl_rule_name(train_given.optim.rule);
    if (!is_linear())
        print_note("%s: steps of %s, whose rate and passes are searched for; --lr or --epochs ends "
                   "this",
                   train_given.kind, rule);
    else if (!is_given("optimizer"))
        print_note(
            "--%s: steps of %s, whose rate is searched for; without it L-BFGS, with a search "
            "for C",
            find_end_of(MODE_SEARCH), rule);
}

void print_mode_notes(train_mode mode, int64_t passes) {
    for (size_t i = 0; i < sizeof partial / sizeof *partial; i++)
        if (!(partial[i].acts_in & (int)mode) && is_given(partial[i].name))
            print_no_effect(partial[i].name, mode, partial[i].acts_in);
    for (size_t i = 0; i < sizeof dependent / sizeof *dependent; i++)
        if (is_given(dependent[i].name) && !is_given(dependent[i].with))
            print_note("--%s has no effect without --%s", dependent[i].name, dependent[i].with);
    if (mode & ANY_STEPS) print_settings_without_effect();
    if (mode == MODE_STEPS) print_steps(passes);
    if (mode == MODE_RATE) print_search_of_rate();
}
