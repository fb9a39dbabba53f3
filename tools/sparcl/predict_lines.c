/* predict_lines.c: the lines of sparcl predict. */
#include "predict_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "message.h"
#include "not_finite.h"

enum { LINES_AT_ONCE = 65536, MAX_NAME = 512 };

/* ---- what is asked for ---------------------------------------------------------------------- */

static bool has_numbers(sparcl_loss loss) {
    return loss == SPARCL_LOSS_SQUARED || loss == SPARCL_LOSS_POISSON;
}

static bool needs_probabilities(const line_options *o) {
    return o->proba || o->top > 0 || !isnan(o->threshold);
}

int choose_lines(int to, const char *path) {
    if (to != LINES_BY_NAME) return to;
    if (!path) return LINES_TSV;
    if (ends_in(path, ".csv")) return LINES_CSV;
    return ends_in(path, ".json") || ends_in(path, ".jsonl") ? LINES_JSON : LINES_TSV;
}

static bool asks_for_scores(const line_options *o) {
    return o->scores || needs_probabilities(o);
}

/* Probabilities are always computed from scores: those of the device, in float32, have other
 * digits. */
static bool computes_probabilities(const sparcl_model *model) {
    const sparcl_loss loss = sparcl_model_get_info(model)->loss;
    const sparcl_task task = sparcl_model_architecture(model)->task;
    return (task == SPARCL_TASK_LABELS || task == SPARCL_TASK_NODES) &&
           (loss == SPARCL_LOSS_LOGISTIC || loss == SPARCL_LOSS_SOFTMAX);
}

bool lines_need_scores(const line_options *o, const sparcl_model *model) {
    return asks_for_scores(o) || computes_probabilities(model);
}

static const char *option_of_probabilities(const line_options *o) {
    return o->proba ? "--proba" : o->top > 0 ? "--top" : "--threshold";
}

static exit_code check_ranking(const line_options *o) {
    if (needs_probabilities(o))
        return usage_error("%s: the model ranks items, which have no probabilities; use --k for "
                           "their number, --scores for their scores",
                           option_of_probabilities(o));
    if (!o->tag) return EXIT_OK;
    return usage_error("--tag: a line is of a user, not of a row; omit it: where users "
                       "have names, they come first");
}

exit_code check_lines(const line_options *o, const sparcl_model *model) {
    const sparcl_loss loss = sparcl_model_get_info(model)->loss;
    const sparcl_task task = sparcl_model_architecture(model)->task;
    if (task == SPARCL_TASK_RANK) return check_ranking(o);
    if (!asks_for_scores(o) && o->to == LINES_TSV && !o->tag) return EXIT_OK;
    if (task == SPARCL_TASK_RECONSTRUCT)
        return usage_error("%s: the model predicts no labels, but rows",
                           needs_probabilities(o) ? option_of_probabilities(o)
                           : o->scores            ? "--scores"
                           : o->tag               ? "--tag"
                                                  : "--to, --json, or as -o ends");
    if (!needs_probabilities(o)) return EXIT_OK;
    if (has_numbers(loss) || (loss == SPARCL_LOSS_HINGE && !sparcl_model_calibration(model)))
        return usage_error("%s: %s loss has no probabilities, expected a model of logistic or "
                           "softmax loss%s",
                           option_of_probabilities(o), sparcl_loss_name(loss),
                           loss == SPARCL_LOSS_HINGE
                               ? "; --scores prints its scores, and train --calibrate finds some"
                               : "");
    if (!isnan(o->threshold) && loss == SPARCL_LOSS_SOFTMAX)
        return usage_error("--threshold is for two classes, the model has %lld",
                           (long long)sparcl_model_get_info(model)->classes);
    if (o->threshold > 1)
        return usage_error("--threshold is %g, expected a probability, 0 to 1", o->threshold);
    if (!isnan(o->threshold) && o->top > 0)
        return usage_error("--threshold chooses the label, --top the most probable: use one");
    return EXIT_OK;
}

/* ---- memory --------------------------------------------------------------------------------- */

bool make_predicted(predicted_rows *to, int64_t rows, int64_t outputs) {
    const size_t count = (size_t)rows + 1;
    *to = (predicted_rows){
        .count = rows,
        .label = malloc(count * sizeof *to->label),
        .p = malloc(count * sizeof *to->p),
        .scores = outputs > 0 ? malloc(count * (size_t)outputs * sizeof *to->scores) : NULL};
    return to->label && to->p && (to->scores || outputs == 0);
}

void free_predicted(predicted_rows *rows) {
    free(rows->label);
    free(rows->p);
    free(rows->scores);
    *rows = (predicted_rows){0};
}

/* ---- probabilities -------------------------------------------------------------------------- */

/* The class that comes after `before` (-1: the first), from the most probable on; of equal ones the
 * lower label. */
static int64_t next_class(const double *p, int64_t classes, int64_t before) {
    int64_t best = -1;
    for (int64_t c = 0; c < classes; c++) {
        const bool is_after = before < 0 || p[c] < p[before] || (p[c] == p[before] && c > before);
        if (is_after && (best < 0 || p[c] > p[best])) best = c;
    }
    return best;
}

/* That of the label; NaN where all are. */
static double largest(const double *p, int64_t classes) {
    double found = NAN;
    for (int64_t c = 0; c < classes; c++)
        found = fmax(found, p[c]);
    return found;
}

/* ---- fields --------------------------------------------------------------------------------- */

/* Lines with the same fields. */
typedef struct line {
    out_file *out; /* its file is another after out_flush */
    const line_options *options;
    const sparcl_model *model;
    const sparcl_model_info *info;
    bool has_names; /* the heading */
    int fields;
    double *p; /* [classes] */
} line;

typedef enum value_kind { A_LABEL, A_NUMBER } value_kind;

static void print_json(FILE *file, const char *text) {
    json_t *const value = json_text(text);
    json_dumpf(value, file, JSON_ENCODE_ANY);
    json_decref(value);
}

static void print_csv(FILE *file, const char *text) {
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++)
        fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', file);
}

/* A text keeps its line and its field. */
static void print_tsv(FILE *file, const char *text) {
    for (; *text; text++)
        fputc(strchr("\t\r\n", *text) ? ' ' : *text, file);
}

void print_text_as(FILE *file, int to, const char *text) {
    static void (*const forms[])(FILE *, const char *) = {
        [LINES_TSV] = print_tsv, [LINES_CSV] = print_csv, [LINES_JSON] = print_json};
    forms[to](file, text);
}

static void print_text(const line *l, const char *text) {
    print_text_as(l->out->file, l->options->to, text);
}

void print_real_as(FILE *file, int to, double value) {
    if (to == LINES_JSON && !isfinite(value))
        fputs("null", file);
    else
        fprintf(file, "%.9g", without_sign_of_nan(value));
}

static void print_value(const line *l, value_kind kind, double value) {
    char text[NUMBER_BYTES];
    const char *const word = kind == A_LABEL ? sparcl_model_label_name(l->model, value) : NULL;
    if (word)
        print_text(l, word);
    else if (kind == A_LABEL && isfinite(value))
        fputs(shortest_number(text, value), l->out->file);
    else
        print_real_as(l->out->file, l->options->to, value);
}

static void separate(line *l) {
    if (l->options->to == LINES_JSON)
        fputs(l->fields++ == 0 ? "{" : ", ", l->out->file);
    else if (l->fields++ > 0)
        fputc(l->options->to == LINES_CSV ? ',' : '\t', l->out->file);
}

/* `suffix`: of the name; "": none. */
static void put(line *l, const char *name, const char *suffix, value_kind kind, double value) {
    const bool is_json = l->options->to == LINES_JSON;
    separate(l);
    char text[MAX_NAME];
    if (is_json || l->has_names) {
        snprintf(text, sizeof text, "%s%s", name, suffix);
        print_text(l, text);
    }
    if (is_json) fputs(": ", l->out->file);
    if (!l->has_names) print_value(l, kind, value);
}

static void put_tag(line *l, const char *tag) {
    separate(l);
    if (l->options->to == LINES_JSON) {
        print_json(l->out->file, l->options->tag);
        fputs(": ", l->out->file);
    }
    print_text(l, tag);
}

static void end_line(line *l) {
    fputs(l->options->to == LINES_JSON ? "}\n" : "\n", l->out->file);
    l->fields = 0;
}

static void put_of_class(line *l, const char *name, int64_t class, double value) {
    char number[NUMBER_BYTES], suffix[MAX_NAME];
    const double label = l->info->labels[class];
    const char *const word = sparcl_model_label_name(l->model, label);
    snprintf(suffix, sizeof suffix, "_%s", word ? word : shortest_number(number, label));
    put(l, name, suffix, A_NUMBER, value);
}

static void put_top(line *l) {
    int64_t class = -1;
    for (int64_t k = 1; k <= l->options->top && k <= l->info->classes; k++) {
        char suffix[NUMBER_BYTES + 16];
        snprintf(suffix, sizeof suffix, "%lld", (long long)k);
        if (!l->has_names) class = next_class(l->p, l->info->classes, class);
        const bool is_known = class >= 0; /* a probability may be NaN */
        put(l, "top", suffix, A_LABEL, is_known ? l->info->labels[class] : NAN);
        snprintf(suffix, sizeof suffix, "%lld_probability", (long long)k);
        put(l, "top", suffix, A_NUMBER, is_known ? l->p[class] : NAN);
    }
}

static void put_label(line *l, double label, double p) {
    const double limit = l->options->threshold;
    if (!l->has_names && !isnan(limit)) {
        const int class = l->p[1] >= limit;
        label = l->info->labels[class];
        p = l->p[class];
    }
    if (has_numbers(l->info->loss)) {
        put(l, "prediction", "", A_NUMBER, p);
        return;
    }
    put(l, "label", "", A_LABEL, label);
    if (l->info->loss == SPARCL_LOSS_HINGE && l->options->scores) return;
    if (!l->options->proba)
        put(l, l->info->loss == SPARCL_LOSS_HINGE ? "score" : "probability", "", A_NUMBER, p);
}

/* `scores` may be NULL in a heading, and where no line needs them. */
static void put_fields(line *l, double label, double p, const float *scores) {
    const sparcl_model_info *const info = l->info;
    if (scores && sparcl_model_probabilities(l->model, scores, l->p) &&
        computes_probabilities(l->model))
        p = largest(l->p, info->classes);
    if (l->options->top > 0)
        put_top(l);
    else
        put_label(l, label, p);
    for (int64_t c = 0; l->options->proba && c < info->classes; c++)
        put_of_class(l, "probability", c, l->p[c]);
    for (int64_t o = 0; l->options->scores && o < info->outputs; o++) {
        const double score = scores ? (double)scores[o] : 0;
        if (info->outputs == 1)
            put(l, "score", "", A_NUMBER, score);
        else
            put_of_class(l, "score", o, score);
    }
    end_line(l);
}

/* ---- lines ---------------------------------------------------------------------------------- */

static exit_code begin(line *l, out_file *out, const line_options *options,
                       const sparcl_model *model) {
    const sparcl_model_info *const info = sparcl_model_get_info(model);
    *l = (line){.out = out, .options = options, .model = model, .info = info};
    l->p = calloc((size_t)info->classes + 1, sizeof *l->p);
    return l->p ? EXIT_OK : out_of_memory();
}

exit_code print_heading(out_file *out, const line_options *options, const sparcl_model *model) {
    line l;
    if (options->to != LINES_CSV) return EXIT_OK;
    const exit_code code = begin(&l, out, options, model);
    l.has_names = true;
    if (code == EXIT_OK && options->tag) put_tag(&l, options->tag);
    if (code == EXIT_OK) put_fields(&l, 0, 0, NULL);
    free(l.p);
    return code;
}

exit_code print_lines(out_file *out, const line_options *options, const sparcl_model *model,
                      const predicted_rows *rows) {
    line l;
    exit_code code = begin(&l, out, options, model);
    for (int64_t i = 0; i < rows->count && code == EXIT_OK; i++) {
        if (options->tag) put_tag(&l, sparcl_data_row_tag(rows->data, i));
        put_fields(&l, rows->label[i], (double)rows->p[i],
                   rows->scores ? rows->scores + i * l.info->outputs : NULL);
        if ((i + 1) % LINES_AT_ONCE == 0) code = out_flush(out);
    }
    free(l.p);
    return code;
}
