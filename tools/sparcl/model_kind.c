/* model_kind.c: parses the option --model, and prints the table of all models. */
#include "model_kind.h"

#include <string.h>

#include "base/nearest.h"
#include "message.h"

enum { WORDS = 256, NAME = 48 };

char model_words[WORDS];

void fill_model_words(void) {
    const sparcl_model_kind *kind;
    size_t at = 0;
    for (int i = 0; (kind = sparcl_model_kind_at(i)) && at < WORDS; i++)
        at += (size_t)snprintf(model_words + at, WORDS - at, "%s%s", i ? "|" : "", kind->name);
}

/* Of NAME[:KEY=VALUE,...]. */
static void copy_name(char name[NAME], const char *text) {
    const size_t length = strcspn(text, ":");
    snprintf(name, NAME, "%.*s", (int)(length < NAME ? length : NAME - 1), text);
}

static const sparcl_model_kind *find_kind(const char *text) {
    const sparcl_model_kind *kind;
    char name[NAME];
    copy_name(name, text);
    for (int i = 0; (kind = sparcl_model_kind_at(i)); i++)
        if (strcmp(kind->name, name) == 0) return kind;
    return NULL;
}

const char *usual_optimizer(const char *text) {
    const sparcl_model_kind *const kind = find_kind(text);
    return kind ? kind->optimizer : "sgd";
}

int64_t usual_epochs(const char *text) {
    const sparcl_model_kind *const kind = find_kind(text);
    return kind ? kind->epochs : 10;
}

bool has_one_score(const char *text) {
    const sparcl_model_kind *const kind = find_kind(text);
    return kind && kind->has_one_score;
}

bool predicts_labels(const char *text) {
    const sparcl_model_kind *const kind = find_kind(text);
    return kind && kind->task == SPARCL_TASK_LABELS;
}

static exit_code unknown_name(const char *text) {
    const sparcl_model_kind *kind;
    char name[NAME];
    copy_name(name, text);
    spc_nearest meant = {.word = name};
    for (int i = 0; (kind = sparcl_model_kind_at(i)); i++)
        spc_nearest_offer(&meant, kind->name);
    return usage_error("--model: expected one of %s, found \"%s\"%s", model_words, name,
                       spc_nearest_hint(&meant, "", ""));
}

exit_code read_model_kind(const char *text, const sparcl_architecture **architecture) {
    sparcl_error error = {0};
    if (!find_kind(text)) return unknown_name(text);
    if (sparcl_architecture_parse(architecture, text, &error) == SPARCL_OK) return EXIT_OK;
    if (error.status == SPARCL_E_MEMORY) return report(&error);
    return usage_error("--%s", error.message);
}

/* What a task needs, where it is not labels. */
static const char *const tasks[] = {
    [SPARCL_TASK_RECONSTRUCT] = "    loss      squared; no labels\n",
    [SPARCL_TASK_NODES] = "    reads     --graph FILE\n",
    [SPARCL_TASK_RANK] =
        "    loss      logistic, of two items; data: ratings, or a row of items for each user\n",
};

void print_models(FILE *out) {
    const sparcl_model_kind *kind;
    const sparcl_model_setting *setting;
    fputs(
        "sparcl train --model NAME[:KEY=VALUE,...], such as fm:factors=16. The default is linear.\n"
        "x is a row of the data; the scores are what the loss takes: one number, or with softmax\n"
        "one for each class.\n",
        out);
    for (int i = 0; (kind = sparcl_model_kind_at(i)); i++) {
        fprintf(out, "\n  %s\n    scores    %s\n    settings  %s\n", kind->name, kind->formula,
                *kind->settings ? kind->settings : "none");
        if (kind->usual) fprintf(out, "    default   %s\n", kind->usual);
        fprintf(out, "    steps of  %s, where no --optimizer is given; %lld passes\n",
                kind->optimizer, (long long)kind->epochs);
        if (kind->task != SPARCL_TASK_LABELS) fputs(tasks[kind->task], out);
        if (kind->reads_fields)
            fputs("    reads     libFFM text, or CSV: a field for each column\n", out);
        if (kind->has_one_score) fputs("    loss      not softmax\n", out);
        if (*kind->source) fprintf(out, "    source    %s\n", kind->source);
    }
    fputs("\nSettings:\n\n", out);
    for (int i = 0; (setting = sparcl_model_setting_at(i)); i++)
        fprintf(out, "  %-12s%s; default %s\n", setting->name, setting->expected, setting->usual);
}
