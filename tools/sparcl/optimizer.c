/* optimizer.c: parses the option --optimizer, and prints the table of all optimizers. */
#include "optimizer.h"

#include <string.h>

#include "base/nearest.h"
#include "message.h"
#include "sparcl/optim_text.h"

enum { WORDS = 1024, KEY = 32 };

char optimizer_words[WORDS];

/* ---- names ------------------------------------------------------------------------------------
 */

/* Name i of all rules, then of all aliases; NULL after the last. */
static const char *name_at(int i) {
    if (i < SPARCL_RULES) return sparcl_rule_name((sparcl_rule)i);
    const sparcl_rule_alias *const alias = sparcl_optim_alias(i - SPARCL_RULES);
    return alias ? alias->name : NULL;
}

void fill_optimizer_words(void) {
    size_t at = 0;
    for (int i = 0; name_at(i) && at < WORDS; i++)
        at += (size_t)snprintf(optimizer_words + at, WORDS - at, "%s%s", i ? "|" : "", name_at(i));
}

static bool is_name(const char *name) {
    for (int i = 0; name_at(i); i++)
        if (strcmp(name_at(i), name) == 0) return true;
    return false;
}

static bool is_key(const char *key) {
    const sparcl_setting *s;
    for (int i = 0; (s = sparcl_optim_setting(i)); i++)
        if (strcmp(s->name, key) == 0) return true;
    return strcmp(key, "preset") == 0;
}

/* ---- the option -------------------------------------------------------------------------------
 */

/* Copy the next key of a list of settings, and return what follows its value; NULL at the end. */
static const char *next_key(const char *at, char key[KEY]) {
    if (!*at) return NULL;
    const size_t length = strcspn(at, "=,");
    snprintf(key, KEY, "%.*s", (int)(length < KEY ? length : KEY - 1), at);
    at += strcspn(at, ",");
    return at + (*at == ',');
}

static const char *settings_of(const char *text) {
    const char *const colon = strchr(text, ':');
    return colon ? colon + 1 : "";
}

bool optimizer_has_key(const char *text, const char *key) {
    char found[KEY];
    for (const char *at = settings_of(text); (at = next_key(at, found));)
        if (strcmp(found, key) == 0) return true;
    return false;
}

static exit_code unknown_name(const char *name) {
    spc_nearest meant = {.word = name};
    for (int i = 0; name_at(i); i++)
        spc_nearest_offer(&meant, name_at(i));
    return usage_error("--optimizer: expected one of %s, found \"%s\"%s", optimizer_words, name,
                       spc_nearest_hint(&meant, "", ""));
}

static exit_code unknown_key(const char *key) {
    const sparcl_setting *s;
    spc_nearest meant = {.word = key};
    spc_nearest_offer(&meant, "preset");
    for (int i = 0; (s = sparcl_optim_setting(i)); i++)
        spc_nearest_offer(&meant, s->name);
    return usage_error("--optimizer: there is no setting \"%s\"%s", key,
                       meant.best ? spc_nearest_hint(&meant, "", "")
                                  : "; sparcl help optimizers lists them");
}

exit_code read_optimizer(const char *text, sparcl_optim *optim) {
    char name[KEY], key[KEY];
    sparcl_error error = {0};
    const size_t length = strcspn(text, ":");
    snprintf(name, sizeof name, "%.*s", (int)(length < KEY ? length : KEY - 1), text);
    if (!is_name(name)) return unknown_name(name);
    for (const char *at = settings_of(text); (at = next_key(at, key));)
        if (*key && !is_key(key)) return unknown_key(key);
    if (sparcl_optim_parse(optim, text, &error) == SPARCL_OK) return EXIT_OK;
    return usage_error("--optimizer: %s", error.message);
}

/* ---- the table --------------------------------------------------------------------------------
 */

static void print_states(sparcl_rule rule, FILE *out) {
    const int states = sparcl_rule_states(rule);
    int of_rows = 0;
    fputs("    states    ", out);
    for (int i = 0; i < states; i++) {
        of_rows += sparcl_rule_state_is_row(rule, i);
        fprintf(out, "%s%s", i ? ", " : "", sparcl_rule_state_name(rule, i));
    }
    if (states == 0) fputs("none", out);
    if (states > of_rows) fprintf(out, ": %d bytes for each f32 of a row", 4 * (states - of_rows));
    if (of_rows > 0) fprintf(out, ": %d bytes for each row", 4 * of_rows);
    fputc('\n', out);
}

/* A line of words that begins in column `indent` and is broken before column 96. */
typedef struct word_line {
    FILE *out;
    int indent, column;
} word_line;

static void put_word(word_line *line, const char *word, const char *rest) {
    const int length = (int)(strlen(word) + strlen(rest)) + 1;
    if (line->column + length > 96) {
        fprintf(line->out, "\n%*s", line->indent, "");
        line->column = line->indent;
    }
    fprintf(line->out, " %s%s", word, rest);
    line->column += length;
}

static void print_settings(sparcl_rule rule, FILE *out) {
    const sparcl_setting *s;
    word_line line = {out, 13, 13};
    fputs("    settings ", out);
    for (int i = 0; (s = sparcl_optim_setting(i)); i++)
        if (sparcl_rule_uses(rule, s->name)) put_word(&line, s->name, "");
    fputc('\n', out);
}

/* The learning rate, and what does something. */
static void print_preset(sparcl_rule rule, sparcl_preset preset, FILE *out) {
    const sparcl_setting *s;
    word_line line = {out, 13, 13};
    sparcl_optim optim, neutral;
    sparcl_optim_init(&neutral, SPARCL_RULES); /* of no rule: settings that do nothing */
    neutral.lr = -1;
    if (sparcl_optim_preset(&optim, rule, preset) != SPARCL_OK) return;
    fprintf(out, "    %-9s", sparcl_preset_name(preset));
    for (int i = 0; (s = sparcl_optim_setting(i)); i++) {
        char pair[64], without[64];
        const int key = snprintf(pair, sizeof pair, "%s=", s->name);
        sparcl_optim_get(&optim, s->name, pair + key, sizeof pair - (size_t)key);
        sparcl_optim_get(&neutral, s->name, without, sizeof without);
        if (strcmp(pair + key, without) != 0) put_word(&line, pair, "");
    }
    fputc('\n', out);
}

/* Whether it is exact with a coupled decay in that preset. */
static bool takes_coupled(sparcl_rule rule, sparcl_preset preset) {
    sparcl_optim optim;
    if (sparcl_optim_preset(&optim, rule, preset) != SPARCL_OK) return true;
    optim.decay.weight = 0.01;
    optim.decay.kind = SPARCL_DECAY_COUPLED;
    return !sparcl_optim_exact_refusal(&optim);
}

static bool has_preset(sparcl_rule rule, sparcl_preset preset) {
    sparcl_optim optim;
    return sparcl_optim_preset(&optim, rule, preset) == SPARCL_OK;
}

/* Whether the rows that a gradient does not have can move when they are next read. */
static void print_exact(sparcl_rule rule, FILE *out) {
    int presets = 0, refused = 0, named = 0;
    sparcl_optim optim;
    sparcl_optim_init(&optim, rule);
    if (sparcl_optim_exact_refusal(&optim)) {
        fputs("    exact     no closed form: no --exact\n", out);
        return;
    }
    for (int p = 0; p < SPARCL_PRESETS; p++) {
        presets += has_preset(rule, (sparcl_preset)p);
        refused += !takes_coupled(rule, (sparcl_preset)p);
    }
    fprintf(out, "    exact     yes, with any decay%s", refused ? " but a coupled one" : "");
    for (int p = 0; p < SPARCL_PRESETS && refused < presets; p++)
        if (!takes_coupled(rule, (sparcl_preset)p))
            fprintf(out, "%s%s", named++ ? ", " : " of ", sparcl_preset_name((sparcl_preset)p));
    fputc('\n', out);
}

static void print_rule(sparcl_rule rule, FILE *out) {
    const char *const formula = sparcl_rule_formula(rule);
    const char *const cut = strlen(formula) > 80 ? strstr(formula, "  w") : NULL;
    fprintf(out, "\n  %s\n    formula   ", sparcl_rule_name(rule));
    if (cut)
        fprintf(out, "%.*s\n              %s\n", (int)(cut - formula), formula, cut + 2);
    else
        fprintf(out, "%s\n", formula);
    print_states(rule, out);
    print_exact(rule, out);
    print_settings(rule, out);
    for (int p = 0; p < SPARCL_PRESETS; p++)
        print_preset(rule, (sparcl_preset)p, out);
}

void print_optimizers(FILE *out) {
    const sparcl_rule_alias *alias;
    const sparcl_setting *s;
    fputs(
        "sparcl train --optimizer NAME[:KEY=VALUE,...], such as adam:preset=keras3,lr=0.01.\n"
        "Below the settings of an optimizer are its defaults in each preset, the system whose\n"
        "order of operations it has. Without a preset they are those of the first, but rows of\n"
        "one index are added, only rows of the batch move, and lr is 0.1 for sgd and momentum.\n"
        "exact: --exact (moves=exact) gives the results of moves=all and decay=global; a row that\n"
        "a batch does not have moves when it is next read.\n",
        out);
    for (int r = 0; r < SPARCL_RULES; r++)
        print_rule((sparcl_rule)r, out);
    fputs("\nOther names:\n\n", out);
    for (int i = 0; (alias = sparcl_optim_alias(i)); i++)
        fprintf(out, "  %-18s%s:%s\n", alias->name, sparcl_rule_name(alias->rule), alias->settings);
    fputs("\nSettings:\n\n", out);
    for (int i = 0; (s = sparcl_optim_setting(i)); i++)
        fprintf(out, "  %-21s %s\n%24s%s\n", s->name, s->expected, "", s->meaning);
}
