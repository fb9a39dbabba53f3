/* sweep_point.c: a point of a sweep: its settings, its files, and what became of its run. */
#include "sweep_point.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "message.h"
#include "model_kind.h"
#include "train_modes.h"

/* ---- files ---------------------------------------------------------------------------------- */

char *point_file(const char *folder, const sweep_point *point, const char *ending) {
    const size_t bytes = strlen(folder) + strlen(point->name) + strlen(ending) + 3;
    char *const path = malloc(bytes);
    if (path) snprintf(path, bytes, "%s/%s.%s", folder, point->name, ending);
    return path;
}

exit_code point_make(sweep_point *point, const sweep_grid *grid, int number, const json_t *all,
                     const char *folder) {
    *point = (sweep_point){.number = number,
                           .name = grid_name(grid, number),
                           .settings = grid_settings(grid, number, all)};
    if (point->name) point->manifest = point_file(folder, point, "json");
    return point->settings && point->manifest ? EXIT_OK : out_of_memory();
}

/* What decides the result; the rest says what is printed and saved. */
static json_t *deciding(const json_t *settings) {
    json_t *const kept = json_object();
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)settings, name, value) {
        if (!config_leaves_out(name)) json_object_set(kept, name, value);
    }
    return kept;
}

static const char *text_of(const json_t *value) {
    return !value ? "nothing" : json_is_true(value) ? "true" : json_string_value(value);
}

/* The first name in `a` or `b` whose value differs. */
static const char *find_difference(json_t *a, json_t *b) {
    const char *name;
    json_t *value;
    json_object_foreach(a, name, value) {
        if (!json_equal(value, json_object_get(b, name))) return name;
    }
    json_object_foreach(b, name, value) {
        if (!json_object_get(a, name)) return name;
    }
    return NULL;
}

static exit_code compare_settings(const sweep_point *point) {
    json_t *const found = config_of_manifest(point->run.facts);
    json_t *const expected = deciding(point->settings);
    const char *const name = find_difference(expected, found);
    if (name) {
        const char *const was = text_of(json_object_get(found, name));
        print_error("%s: the run is of another sweep: expected %s \"%s\", found \"%s\"",
                    point->manifest, name, text_of(json_object_get(expected, name)),
                    was ? was : "something else");
        print_remedy("use another folder with -o, or remove this file to run the point again");
    }
    json_decref(found);
    json_decref(expected);
    return name ? EXIT_CONTRACT : EXIT_OK;
}

exit_code point_find(sweep_point *point) {
    if (access(point->manifest, F_OK) != 0) return EXIT_OK;
    exit_code code = report_run_read(&point->run, point->manifest);
    point->is_read = true;
    if (code == EXIT_OK) code = compare_settings(point);
    if (code == EXIT_OK) point->state = SWEEP_DONE;
    return code;
}

void point_free(sweep_point *point) {
    if (point->is_read) report_run_free(&point->run);
    json_decref(point->settings);
    free(point->manifest);
    free(point->name);
}

/* ---- the command line ----------------------------------------------------------------------- */

typedef struct argument_list {
    char **texts;
    size_t count;
    bool failed;
} argument_list;

static void add(argument_list *list, const char *before, const char *text) {
    const size_t bytes = strlen(before) + strlen(text) + 1;
    char *const copy = malloc(bytes);
    if (copy) snprintf(copy, bytes, "%s%s", before, text);
    list->failed |= !copy;
    list->texts[list->count++] = copy;
}

static void add_file(argument_list *list, const char *option, const char *folder,
                     const sweep_point *point, const char *ending) {
    char *const path = point_file(folder, point, ending);
    if (path) add(list, option, path);
    list->failed |= !path;
    free(path);
}

/* The folder of each run is in that which was given for all. */
static void add_setting(argument_list *list, const sweep_point *point, const char *name,
                        const json_t *value) {
    char option[AXIS_NAME];
    const bool is_flag = json_is_true(value);
    snprintf(option, sizeof option, "--%s%s", name, is_flag ? "" : "=");
    if (strcmp(name, "tensorboard") != 0) {
        add(list, option, is_flag ? "" : json_string_value(value));
        return;
    }
    json_t *const folder = json_sprintf("%s/%s", json_string_value(value), point->name);
    list->failed |= !folder;
    if (folder) add(list, option, json_string_value(folder));
    json_decref(folder);
}

static const char *given_text(const json_t *settings, const char *name) {
    return json_string_value(json_object_get(settings, name));
}

/* Only steps of an optimizer have checkpoints: not L-BFGS, and no search for settings. */
static bool has_steps(const json_t *settings) {
    const char *const solver = given_text(settings, "solver"),
                      *const model = given_text(settings, "model"), *name;
    json_t *value;
    if (solver) return strcmp(solver, "steps") == 0;
    if ((model && !predicts_labels(model)) || has_own_rate(given_text(settings, "optimizer")))
        return true;
    json_object_foreach((json_t *)settings, name, value) if (ends_search_of_rate(name)) return true;
    return false;
}

static void add_settings(argument_list *list, const sweep_point *point) {
    const char *name;
    json_t *value;
    json_object_foreach(point->settings, name, value) {
        const bool is_used = strcmp(name, "checkpoint-every") != 0 || has_steps(point->settings);
        if (strcmp(name, "train") != 0 && is_used) add_setting(list, point, name, value);
    }
}

char **point_arguments(const sweep_point *point, const char *folder) {
    argument_list list = {calloc(json_object_size(point->settings) + 12, sizeof(char *)), 0, false};
    if (!list.texts) return NULL;
    add(&list, "", "sparcl");
    add(&list, "", "train");
    add_settings(&list, point);
    add_file(&list, "--output=", folder, point, "safetensors");
    add_file(&list, "--manifest=", folder, point, "json");
    if (has_steps(point->settings)) {
        add_file(&list, "--checkpoint=", folder, point, "checkpoint");
        add(&list, "", "--resume");
    }
    add(&list, "", "--");
    add(&list, "", json_string_value(json_object_get(point->settings, "train")));
    if (!list.failed) return list.texts;
    free_arguments(list.texts);
    return NULL;
}

void free_arguments(char **arguments) {
    for (char **a = arguments; a && *a; a++)
        free(*a);
    free(arguments);
}
