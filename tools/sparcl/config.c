/* config.c: options from a file: --config. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "output.h"

static json_t *manifest;

/* What a repeated run has anew: where results go, and how a run is saved. */
static const char *const left_out[] = {
    "output",           "json",     "svg",       "progress",    "profile",   "dry-run",
    "config",           "manifest", "log",       "tensorboard", "log-every", "checkpoint",
    "checkpoint-every", "resume",   "overwrite", "max-hours"};

bool config_leaves_out(const char *name) {
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (strcmp(name, left_out[i]) == 0) return true;
    return false;
}

json_t *config_of_manifest(const json_t *from) {
    json_t *const options = json_object();
    const char *name;
    json_t *option;
    json_object_foreach(json_object_get(from, "options"), name, option) {
        const char *const origin = json_string_value(json_object_get(option, "from"));
        if (!origin || strcmp(origin, "default") == 0 || config_leaves_out(name)) continue;
        json_object_set(options, name, json_object_get(option, "value"));
    }
    json_object_set(
        options, "train",
        json_object_get(json_object_get(json_object_get(from, "data"), "train"), "path"));
    return options;
}

static exit_code refuse(const char *path, const char *found) {
    print_error("%s: expected a JSON object of options, such as {\"epochs\": 20}, found %s", path,
                found);
    print_remedy("the names are those of the command line without dashes");
    return EXIT_CONTRACT;
}

exit_code config_read(const char *path, json_t **options) {
    json_error_t why;
    errno = 0;
    FILE *const in = fopen(path, "rb");
    *options = NULL;
    if (!in) return cannot_read(path);
    json_t *const all = json_loadf(in, JSON_REJECT_DUPLICATES, &why);
    const bool failed = ferror(in) != 0;
    fclose(in);
    if (failed) {
        json_decref(all);
        return cannot_read(path);
    }
    if (!all) {
        print_error("%s:%d:%d: expected JSON: %s", path, why.line, why.column, why.text);
        print_remedy("write the options as an object, such as {\"epochs\": 20}");
        return EXIT_CONTRACT;
    }
    if (!json_is_object(all)) {
        json_decref(all);
        return refuse(path, "something else");
    }
    const char *const format = json_string_value(json_object_get(all, "format"));
    if (!format) {
        *options = all;
        return EXIT_OK;
    }
    if (strcmp(format, MANIFEST_FORMAT) != 0) {
        json_decref(all);
        return refuse(path, "a file of another format");
    }
    manifest = all;
    *options = config_of_manifest(all);
    return EXIT_OK;
}

char *config_text(const json_t *value) {
    char number[NUMBER_BYTES];
    if (json_is_string(value)) return strdup(json_string_value(value));
    if (json_is_integer(value)) {
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return strdup(number);
    }
    return json_is_real(value) ? strdup(shortest_number(number, json_real_value(value))) : NULL;
}

const json_t *config_manifest(void) {
    return manifest;
}

void config_end(void) {
    json_decref(manifest);
    manifest = NULL;
}
