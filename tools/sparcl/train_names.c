/* train_names.c: the names of the hashed columns with the largest weights, which a model keeps. */
#include "train_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "column_names.h"
#include "message.h"
#include "model_input.h"
#include "output.h"
#include "show_hashed.h"
#include "show_weights.h"
#include "train_options.h"

/* Of all classes; names are at most a part of the bytes of the parameters. */
enum { MOST_NAMES = 100, MOST_FILE_BYTES = 16 << 20, PART_OF_BYTES = 32 };

/* Hashed columns, of a file that is read again in no time. */
static bool are_cheap(const train_job *job, const char *path) {
    const sparcl_data_info *const info = sparcl_data_get_info(job->train);
    struct stat about;
    return info->hash_bits > 0 && !info->streamed && stat(path, &about) == 0 &&
           S_ISREG(about.st_mode) && about.st_size <= MOST_FILE_BYTES &&
           sparcl_model_get_info(job->model)->outputs <= MOST_NAMES;
}

static size_t most_bytes(const sparcl_model *model) {
    const sparcl_architecture *const a = sparcl_model_architecture(model);
    size_t values = 0;
    for (int i = 0; a->parameters[i]; i++) {
        const sparcl_tensor *const t = sparcl_model_tensor(model, a->parameters[i]);
        size_t of_tensor = t != NULL;
        for (int k = 0; t && k < t->rank; k++)
            of_tensor *= (size_t)t->shape[k];
        values += of_tensor;
    }
    const size_t bytes = values * sizeof(float) / PART_OF_BYTES;
    return bytes < SPARCL_NOTE_TEXT ? bytes : SPARCL_NOTE_TEXT - 1;
}

/* The name that the data have for a column which the model only knows by its hash; or NULL. */
static const char *new_name(const column_names *names, const json_t *entry) {
    const char *const name = json_string_value(json_object_get(entry, "name"));
    const int64_t column = json_integer_value(json_object_get(entry, "column"));
    char own[COLUMN_NAME_BYTES];
    if (!name || strcmp(column_name(names, column, own), name) == 0) return NULL;
    return strncmp(own, "hash ", 5) == 0 ? name : NULL;
}

/* False: there is no room. */
static bool add_name(json_t *chosen, const char *name, const json_t *entry, size_t *room) {
    char column[24];
    snprintf(column, sizeof column, "%lld",
             (long long)json_integer_value(json_object_get(entry, "column")));
    const size_t bytes = strlen(name) + strlen(column) + strlen("\"\":\"\",");
    if (bytes > *room) return false;
    *room -= bytes;
    json_object_set(chosen, column, json_object_get(entry, "name"));
    return true;
}

/* {"17": "city=Paris", ...}: those of the largest weights, as many as there is room for. */
static json_t *choose_names(const column_names *names, const json_t *weights, size_t room) {
    json_t *const chosen = json_object();
    const json_t *list;
    size_t i;
    for (size_t rank = 0; rank < MOST_NAMES; rank++) {
        json_array_foreach(weights, i, list) {
            const json_t *const entry = json_array_get(json_object_get(list, "largest"), rank);
            const char *const name = new_name(names, entry);
            if (name && !add_name(chosen, name, entry, &room)) return chosen;
        }
    }
    return chosen;
}

static exit_code save_names(sparcl_model *model, const column_names *names, const json_t *weights) {
    json_t *const chosen = choose_names(names, weights, most_bytes(model));
    char *const text = json_dumps(chosen, JSON_COMPACT);
    sparcl_error error = {0};
    exit_code code = text ? EXIT_OK : out_of_memory();
    if (text && json_object_size(chosen) > 0 && strlen(text) < SPARCL_NOTE_TEXT &&
        sparcl_model_set_note(model, COLUMN_NAMES_NOTE, text, &error) != SPARCL_OK)
        code = report(&error);
    free(text);
    json_decref(chosen);
    return code;
}

/* As the training file was read, but with the columns that the model has. */
static input_options input_again(const sparcl_model *model) {
    input_options options = train_given.input;
    options.csv_columns = options.crosses = options.labels = options.weights = NULL;
    return input_of_model(model, &options);
}

static json_t *lists_of(const json_t *weights) {
    json_t *const lists = json_array();
    const json_t *list;
    size_t i;
    json_array_foreach(weights, i, list) {
        json_array_append(lists, json_object_get(list, "largest"));
    }
    return lists;
}

exit_code note_column_names(train_job *job, const char *path) {
    column_names names;
    json_t *weights = NULL;
    if (!are_cheap(job, path)) return EXIT_OK;
    const input_options input = input_again(job->model);
    const weight_options options = {MOST_NAMES / sparcl_model_get_info(job->model)->outputs, NULL,
                                    NULL};
    exit_code code = column_names_open(&names, job->model, NULL);
    if (code == EXIT_OK) code = find_weights(job->model, &names, &options, &weights);
    if (code == EXIT_OK && weights) {
        json_t *const lists = lists_of(weights);
        code = name_hashed(lists, 0, path, &input);
        json_decref(lists);
        if (code == EXIT_OK) code = save_names(job->model, &names, weights);
    }
    json_decref(weights);
    column_names_close(&names);
    return code;
}
