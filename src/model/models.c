/* models.c: the models that the library has, and their settings as text. */
#include "sparcl/architecture.h"
#include "sparcl/ops/elements.h"
#include "sparcl/ops/losses.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/builtin.h"
#include "model/layer_names.h"
#include "model/linear.h"

static const spc_builtin *const builtins[] = {
    &spc_builtin_linear, &spc_builtin_fm,        &spc_builtin_ffm,
    &spc_builtin_mlp,    &spc_builtin_wide_deep, &spc_builtin_autoencoder,
    &spc_builtin_gcn,    &spc_builtin_bpr,       &spc_builtin_lightgcn};

/* --- settings --------------------------------------------------------------------------------- */

enum { MAX_COUNT = 1 << 20 };

/* A value of `length` bytes. False: it is not one. */
static bool parse_count(const char *text, int length, int64_t *count) {
    double value;
    if (!spc_decimal_parse(text, length, &value)) return false;
    if (!(value >= 1 && value <= MAX_COUNT && value == floor(value))) return false;
    *count = (int64_t)value;
    return true;
}

static bool set_units(spc_model_settings *s, const char *text, int length) {
    return parse_count(text, length, &s->units);
}

static bool set_k(spc_model_settings *s, const char *text, int length) {
    return parse_count(text, length, &s->k);
}

static bool set_factors(spc_model_settings *s, const char *text, int length) {
    return parse_count(text, length, &s->factors);
}

static bool set_hidden(spc_model_settings *s, const char *text, int length) {
    const char *const end = text + length;
    for (s->layers = 0; s->layers < SPC_MAX_HIDDEN; ++text) {
        const char *const dash = memchr(text, '-', (size_t)(end - text));
        const char *const stop = dash ? dash : end;
        if (!parse_count(text, (int)(stop - text), &s->hidden[s->layers++])) return false;
        text = stop;
        if (!dash) return true;
    }
    return false;
}

static const sparcl_unary_op activations[] = {SPARCL_UNARY_RELU, SPARCL_UNARY_SIGMOID,
                                              SPARCL_UNARY_TANH};

static bool set_activation(spc_model_settings *s, const char *text, int length) {
    for (size_t i = 0; i < SPC_COUNT(activations); ++i) {
        const char *const name = sparcl_unary_name(activations[i]);
        if (strlen(name) != (size_t)length || memcmp(name, text, (size_t)length)) continue;
        s->activation = activations[i];
        return true;
    }
    return false;
}

static bool set_dropout(spc_model_settings *s, const char *text, int length) {
    return spc_decimal_parse(text, length, &s->dropout) && s->dropout >= 0 && s->dropout < 1;
}

static bool set_init(spc_model_settings *s, const char *text, int length) {
    return spc_decimal_parse(text, length, &s->init) && s->init >= 0 && s->init < INFINITY;
}

static bool set_penalty(spc_model_settings *s, const char *text, int length) {
    return spc_decimal_parse(text, length, &s->penalty) && s->penalty >= 0 && s->penalty < INFINITY;
}

static bool set_propagations(spc_model_settings *s, const char *text, int length) {
    return parse_count(text, length, &s->propagations) && s->propagations <= SPC_MAX_PROPAGATIONS;
}

static void print_factors(spc_text *to, const spc_model_settings *s) {
    spc_text_add(to, "%lld", (long long)s->factors);
}

static void print_units(spc_text *to, const spc_model_settings *s) {
    spc_text_add(to, "%lld", (long long)s->units);
}

static void print_k(spc_text *to, const spc_model_settings *s) {
    spc_text_add(to, "%lld", (long long)s->k);
}

static void print_hidden(spc_text *to, const spc_model_settings *s) {
    for (int i = 0; i < s->layers; ++i)
        spc_text_add(to, "%s%lld", i ? "-" : "", (long long)s->hidden[i]);
}

static void print_activation(spc_text *to, const spc_model_settings *s) {
    spc_text_add(to, "%s", sparcl_unary_name(s->activation));
}

static void print_real(spc_text *to, double value) {
    char text[SPC_DECIMAL_BYTES];
    spc_decimal_print(text, value);
    spc_text_add(to, "%s", text);
}

static void print_dropout(spc_text *to, const spc_model_settings *s) {
    print_real(to, s->dropout);
}

static void print_init(spc_text *to, const spc_model_settings *s) {
    print_real(to, s->init);
}

static void print_penalty(spc_text *to, const spc_model_settings *s) {
    print_real(to, s->penalty);
}

static void print_propagations(spc_text *to, const spc_model_settings *s) {
    spc_text_add(to, "%lld", (long long)s->propagations);
}

static const struct setting {
    sparcl_model_setting about;
    bool (*set)(spc_model_settings *s, const char *text, int length);
    void (*print)(spc_text *to, const spc_model_settings *s);
} settings[] = {
    {{"factors", "an integer from 1 to 1048576", "8"}, set_factors, print_factors},
    {{"hidden", "1 to 8 widths of layers, such as 128-64", "64"}, set_hidden, print_hidden},
    {{"activation", "relu, sigmoid or tanh", "relu"}, set_activation, print_activation},
    {{"dropout", "a number from 0 to less than 1", "0"}, set_dropout, print_dropout},
    {{"init", "a finite number from 0", "0.01"}, set_init, print_init},
    {{"units", "an integer from 1 to 1048576", "1024"}, set_units, print_units},
    {{"penalty", "a finite number from 0", "0"}, set_penalty, print_penalty},
    {{"layers", "an integer from 1 to 7", "3"}, set_propagations, print_propagations},
    {{"k", "an integer from 1 to 1048576", "25"}, set_k, print_k},
};

const sparcl_model_setting *sparcl_model_setting_at(int i) {
    return i >= 0 && (size_t)i < SPC_COUNT(settings) ? &settings[i].about : NULL;
}

const sparcl_model_kind *sparcl_model_kind_at(int i) {
    return i >= 0 && (size_t)i < SPC_COUNT(builtins) ? &builtins[i]->kind : NULL;
}

/* A word of a list that blanks separate. */
static bool has_word(const char *list, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
    return false;
}

static const struct setting *find_setting(const spc_builtin *of, const char *name, size_t length) {
    for (size_t i = 0; i < SPC_COUNT(settings); ++i) {
        const char *const found = settings[i].about.name;
        if (strlen(found) == length && memcmp(found, name, length) == 0)
            return has_word(of->kind.settings, found) ? &settings[i] : NULL;
    }
    return NULL;
}

/* What a message begins with, and the status of errors. */
typedef struct reader {
    const spc_builtin *of;
    sparcl_status status;
    const char *what;
} reader;

/* "factors, init"; a number without a key is the width of a layer after a comma. */
static sparcl_status refuse_key(const reader *r, const char *text, size_t length,
                                sparcl_error *error) {
    const char *const keys = r->of->kind.settings;
    const bool is_width = length > 0 && strspn(text, "0123456789") >= length;
    char list[128];
    spc_text to = spc_text_in(list, sizeof list);
    for (const char *at = keys; *at; ++at)
        spc_text_add(&to, *at == ' ' ? ", " : "%c", *at);
    return spc_fail(error, r->status,
                    "%s: expected KEY=VALUE, with a key of %s%s%s, found \"%.*s\"%s", r->what,
                    r->of->kind.name, *keys ? ": " : ", which has none", list, (int)length, text,
                    is_width && has_word(keys, "hidden")
                        ? "; widths of layers are divided by -, as in hidden=64-32"
                        : "");
}

static sparcl_status parse_setting(const reader *r, spc_model_settings *s, const char *text,
                                   size_t length, sparcl_error *error) {
    const char *const equals = memchr(text, '=', length);
    const size_t key = equals ? (size_t)(equals - text) : length;
    const struct setting *const setting = find_setting(r->of, text, key);
    if (!setting || !equals) return refuse_key(r, text, length, error);
    if (setting->set(s, equals + 1, (int)(length - key - 1))) return SPARCL_OK;
    return spc_fail(error, r->status, "%s: %s: expected %s, found \"%.*s\"", r->what,
                    setting->about.name, setting->about.expected, (int)(length - key - 1),
                    equals + 1);
}

static sparcl_status parse_list(const reader *r, spc_model_settings *s, const char *text,
                                sparcl_error *error) {
    while (*text) {
        const size_t length = strcspn(text, ",");
        SPC_TRY(parse_setting(r, s, text, length, error));
        text += length + (text[length] == ',');
    }
    return SPARCL_OK;
}

static sparcl_status parse_settings(const reader *r, spc_model_settings *s, const char *text,
                                    sparcl_error *error) {
    for (size_t i = 0; i < SPC_COUNT(settings); ++i)
        settings[i].set(s, settings[i].about.usual, (int)strlen(settings[i].about.usual));
    if (r->of->kind.usual) SPC_TRY(parse_list(r, s, r->of->kind.usual, error));
    return parse_list(r, s, text, error);
}

static void print_settings(char text[SPARCL_MODEL_TEXT], const spc_builtin *of,
                           const spc_model_settings *s) {
    spc_text to = spc_text_in(text, SPARCL_MODEL_TEXT);
    for (size_t i = 0; i < SPC_COUNT(settings); ++i) {
        if (!has_word(of->kind.settings, settings[i].about.name)) continue;
        spc_text_add(&to, "%s%s=", to.length ? "," : "", settings[i].about.name);
        settings[i].print(&to, s);
    }
}

/* --- architectures ---------------------------------------------------------------------------- */

/* An architecture, and all that it points to. */
typedef struct builtin_object {
    sparcl_architecture architecture; /* the first member */
    spc_model_settings settings;
    char text[SPARCL_MODEL_TEXT];
    const char *parameters[4 + 2 * (SPC_MAX_HIDDEN + 1) + 1];
} builtin_object;

static const spc_builtin *find_builtin(const char *name) {
    for (size_t i = 0; name && i < SPC_COUNT(builtins); ++i)
        if (strcmp(builtins[i]->kind.name, name) == 0) return builtins[i];
    return NULL;
}

bool spc_is_builtin_name(const char *name) {
    return find_builtin(name);
}

bool spc_is_builtin(const sparcl_architecture *a) {
    const spc_builtin *const of = find_builtin(a->name);
    return of && of->build == a->build;
}

bool spc_builtin_takes(const sparcl_architecture *a, sparcl_loss loss) {
    return !spc_is_builtin(a) || loss != SPARCL_LOSS_SOFTMAX ||
           !find_builtin(a->name)->kind.has_one_score;
}

static void list_parameters(builtin_object *o, const spc_builtin *of) {
    int n = 0;
    for (size_t i = 0; i < SPC_COUNT(of->parameters) && of->parameters[i]; ++i)
        o->parameters[n++] = of->parameters[i];
    for (int i = 0; of->has_layers && i <= o->settings.layers; ++i) {
        o->parameters[n++] = spc_layer_weight(i);
        o->parameters[n++] = spc_layer_bias(i);
    }
}

static sparcl_status make_object(const sparcl_architecture **to, const spc_builtin *of,
                                 const spc_model_settings *s, sparcl_error *error) {
    builtin_object *const o = spc_alloc_zero(NULL, 1, sizeof *o);
    *to = NULL;
    if (!o) return spc_fail_memory(error, "model", sizeof *o);
    o->settings = *s;
    print_settings(o->text, of, s);
    list_parameters(o, of);
    o->architecture = (sparcl_architecture){.name = of->kind.name,
                                            .build = of->build,
                                            .parameters = o->parameters,
                                            .init = of->init,
                                            .task = of->kind.task,
                                            .adjacency = of->adjacency,
                                            .reads_fields = of->kind.reads_fields,
                                            .user = &o->settings,
                                            .settings = o->text};
    *to = &o->architecture;
    return SPARCL_OK;
}

sparcl_status spc_builtin_make(const sparcl_architecture **architecture, const char *name,
                               const char *text, sparcl_status status, const char *what,
                               sparcl_error *error) {
    const reader r = {find_builtin(name), status, what};
    spc_model_settings s = {0};
    *architecture = NULL;
    SPC_TRY(parse_settings(&r, &s, text, error));
    return make_object(architecture, r.of, &s, error);
}

sparcl_status spc_builtin_copy(const sparcl_architecture **to, const sparcl_architecture *from,
                               sparcl_error *error) {
    return make_object(to, find_builtin(from->name), from->user, error);
}

static sparcl_status unknown_name(const char *name, sparcl_error *error) {
    char names[256];
    spc_text list = spc_text_in(names, sizeof names);
    for (size_t i = 0; i < SPC_COUNT(builtins); ++i)
        spc_text_add(&list, "%s%s", i ? ", " : "", builtins[i]->kind.name);
    return spc_fail(error, SPARCL_E_ARG, "model: expected one of %s, found \"%.40s\"", names, name);
}

sparcl_status sparcl_architecture_parse(const sparcl_architecture **architecture, const char *text,
                                        sparcl_error *error) {
    char name[48];
    const size_t length = text ? strcspn(text, ":") : 0;
    *architecture = NULL;
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1),
             text ? text : "");
    if (!find_builtin(name)) return unknown_name(name, error);
    return spc_builtin_make(architecture, name, text[length] ? text + length + 1 : "", SPARCL_E_ARG,
                            "model", error);
}

void sparcl_architecture_free(const sparcl_architecture *architecture) {
    const union {
        const sparcl_architecture *in;
        void *out;
    } object = {.in = architecture}; /* the first member of what was allocated */
    if (architecture) spc_free(NULL, object.out, sizeof(builtin_object));
}
