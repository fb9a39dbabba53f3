/* class_weights.c: the option --class-weights. */
#include "class_weights.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "message.h"

static struct {
    const char *text; /* of weights by label; NULL */
    sparcl_class_weight *list;
    int count, balances;
} taken;

/* ---- the text ------------------------------------------------------------------------------- */

/* In quotes, where two are one, or up to an equals sign. */
static bool parse_label(const char **text, char *label) {
    const char *at = *text;
    const bool is_quoted = *at == '"';
    for (at += is_quoted; *at && *at != (is_quoted ? '"' : '=');) {
        *label++ = *at++;
        if (is_quoted && at[0] == '"' && at[1] == '"') *label++ = '"', at += 2;
    }
    *label = '\0';
    if (is_quoted && *at++ != '"') return false;
    *text = at + 1;
    return *at == '=';
}

/* "LABEL=W", up to a comma or the end; *text goes on to what follows. `label` has room for it. */
static bool parse_one(const char **text, char *label, double *weight) {
    char *end = NULL;
    if (**text == '=' || !parse_label(text, label)) return false;
    *weight = strtod(*text, &end);
    if (end == *text || (*end && *end != ',') || !(*weight >= 0)) return false;
    *text = *end ? end + 1 : end;
    return true;
}

/* Room for a label, and for as many weights as there can be. */
static exit_code reserve(const char *text, char **label) {
    size_t most = 1;
    for (const char *at = text; *at; at++)
        most += *at == '=';
    *label = malloc(strlen(text) + 1);
    taken.list = calloc(most, sizeof *taken.list);
    return *label && taken.list ? EXIT_OK : out_of_memory();
}

exit_code class_weights_take(const char *text) {
    char *label = NULL;
    double weight;
    taken.balances = strcmp(text, "balanced") == 0;
    if (taken.balances) return EXIT_OK;
    taken.text = text;
    exit_code code = reserve(text, &label);
    const char *at = text;
    do
        if (code == EXIT_OK && !parse_one(&at, label, &weight))
            code = usage_error("--class-weights: expected \"balanced\" or LABEL=W,... with weights "
                               "from 0, such as -1=1,1=5 or spam=2, found \"%s\"",
                               text);
    while (code == EXIT_OK && *at);
    free(label);
    return code;
}

/* ---- the labels ----------------------------------------------------------------------------- */

/* "ham", "spam", as far as there is room. */
static void list_words(const sparcl_data *data, char *list, size_t bytes) {
    const char *name;
    size_t used = 0;
    *list = '\0';
    for (int k = 0; (name = sparcl_data_label_name(data, k)); k++) {
        if (used + strlen(name) + sizeof "\"\", ..." > bytes) {
            snprintf(list + used, bytes - used, "%s...", k ? ", " : "");
            return;
        }
        used += (size_t)snprintf(list + used, bytes - used, "%s\"%s\"", k ? ", " : "", name);
    }
}

static exit_code refuse_word(const sparcl_data *data, const char *label) {
    char place[256], list[200];
    const char *name;
    spc_nearest meant = {.word = label};
    for (int k = 0; (name = sparcl_data_label_name(data, k)); k++)
        spc_nearest_offer(&meant, name);
    sparcl_data_place(data, -1, place, sizeof place);
    list_words(data, list, sizeof list);
    return usage_error("--class-weights: \"%s\" is no label of %s%s (labels: %s)", label, place,
                       spc_nearest_hint(&meant, "\"", "\""), list);
}

static exit_code find_label(const sparcl_data *data, const char *label, double *number) {
    char place[256], *end = NULL;
    const int64_t words = sparcl_data_get_info(data)->label_words;
    for (int64_t k = 0; k < words; k++) {
        *number = (double)k;
        if (strcmp(sparcl_data_label_name(data, *number), label) == 0) return EXIT_OK;
    }
    if (words > 0) return refuse_word(data, label);
    *number = strtod(label, &end);
    if (end != label && !*end) return EXIT_OK;
    return usage_error("--class-weights: expected numbers, which the labels of %s are, found "
                       "\"%s\"",
                       sparcl_data_place(data, -1, place, sizeof place), label);
}

exit_code class_weights_find(const sparcl_data *train) {
    char *const label = taken.text ? malloc(strlen(taken.text) + 1) : NULL;
    exit_code code = label || !taken.text ? EXIT_OK : out_of_memory();
    for (const char *at = taken.text; code == EXIT_OK && at && *at; taken.count++) {
        sparcl_class_weight *const to = &taken.list[taken.count];
        if (parse_one(&at, label, &to->weight)) code = find_label(train, label, &to->label);
    }
    free(label);
    return code;
}

void class_weights_describe(sparcl_train_desc *desc) {
    desc->class_weights = taken.list;
    desc->class_weight_count = taken.count;
    desc->balance_classes = taken.balances;
}
