/* train_notes.c: what a model keeps of its training: metrics, data and options. */
#include "train_notes.h"

#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "message.h"
#include "metrics_result.h"
#include "output.h"
#include "train_names.h"
#include "train_options.h"

enum { LONGEST_VALUE = 1000 };

static const char *base_name(const char *path) {
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static exit_code set(sparcl_model *model, const char *key, const char *text) {
    sparcl_error error = {0};
    return sparcl_model_set_note(model, key, text, &error) == SPARCL_OK ? EXIT_OK : report(&error);
}

/* A text that may not be UTF-8. */
static exit_code set_text(sparcl_model *model, const char *key, const char *text) {
    json_t *const value = json_text(text);
    const exit_code code = value ? set(model, key, json_string_value(value)) : out_of_memory();
    json_decref(value);
    return code;
}

/* ---- options -------------------------------------------------------------------------------- */

/* Not those of where it runs and what is written beside the model. */
static bool is_noted(int i) {
    static const char *const others[] = {"device", "device-memory", "spill"};
    const tool_option *const option = &train_rows[i];
    if (option_origin_of(i) == FROM_DEFAULT || config_leaves_out(option->name)) return false;
    if (option->type == OPTION_FLAG && *(const int *)option->value != option->set) return false;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (strcmp(option->name, others[k]) == 0) return false;
    return true;
}

/* As a shell takes it. */
static void print_value(FILE *out, const char *text, size_t length) {
    const size_t shown = length < LONGEST_VALUE ? length : LONGEST_VALUE;
    const bool is_plain =
        length > 0 && strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                   "-+_.,:=/@%") >= length;
    if (!is_plain) fputc('\'', out);
    for (size_t i = 0; i < shown; i++)
        fprintf(out, text[i] == '\'' ? "'\\%c'" : "%c", text[i]);
    if (shown < length) fputs("...", out);
    if (!is_plain) fputc('\'', out);
}

/* An option that was given several times has a line for each. */
static void print_lines(FILE *out, const tool_option *option, const char *text) {
    for (const char *next; (next = strchr(text, '\n')); text = next + 1) {
        print_value(out, text, (size_t)(next - text));
        fprintf(out, " --%s ", option->name);
    }
    print_value(out, text, strlen(text));
}

static void print_options(FILE *out) {
    const char *before = "";
    for (int i = 0; train_rows[i].name; i++) {
        const tool_option *const option = &train_rows[i];
        const char *const text = option_text(i);
        if (!is_noted(i)) continue;
        fprintf(out, "%s--%s", before, option->name);
        before = " ";
        if (option->type == OPTION_FLAG || !text) continue;
        fputc(' ', out);
        const char *const shown = option->file == FILE_NONE ? text : base_name(text);
        if (option->type == OPTION_LINES)
            print_lines(out, option, shown);
        else
            print_value(out, shown, strlen(shown));
    }
}

static exit_code note_options(sparcl_model *model) {
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);
    if (!out) return out_of_memory();
    print_options(out);
    const bool is_whole = fclose(out) == 0;
    const exit_code code = is_whole ? set_text(model, "options", text) : out_of_memory();
    free(text);
    return code;
}

/* ---- metrics -------------------------------------------------------------------------------- */

/* Also of a graph. */
static json_t *find_metrics(const train_job *job) {
    json_t *const found = json_object();
    if (job->valid && job->architecture->task == SPARCL_TASK_RANK)
        rank_describe(found, "valid_", &job->ranks);
    else if (job->valid)
        metrics_describe(found, "valid_", &job->metrics);
    graph_describe(&job->graph, found);
    return found;
}

static exit_code note_metrics(sparcl_model *model, const json_t *metrics) {
    char text[NUMBER_BYTES];
    const char *key;
    json_t *value;
    exit_code code = EXIT_OK;
    json_object_foreach((json_t *)metrics, key, value) {
        if (code == EXIT_OK && json_is_number(value))
            code = set(model, key, shortest_number(text, json_number_value(value)));
    }
    return code;
}

exit_code note_training(train_job *job, const char *path) {
    char rows[NUMBER_BYTES];
    json_t *const metrics = find_metrics(job);
    if (!metrics) return out_of_memory();
    exit_code code = EXIT_OK;
    if (job->is_auto || json_object_size(metrics) > 0) {
        shortest_number(rows, (double)sparcl_data_get_info(job->train)->rows);
        code = note_metrics(job->model, metrics);
        if (code == EXIT_OK) code = set_text(job->model, "data", base_name(path));
        if (code == EXIT_OK) code = set(job->model, "rows", rows);
        if (code == EXIT_OK) code = note_options(job->model);
        if (code == EXIT_OK) code = note_column_names(job, path);
    }
    json_decref(metrics);
    return code;
}
