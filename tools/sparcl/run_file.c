/* run_file.c: a manifest or a model file as a flat list of names and values, to compare two. */
#include "run_file.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "message.h"

enum { MOST_HEADER = 1 << 24, BLOCK = 8192 };

/* ---- facts ---------------------------------------------------------------------------------- */

/* Parts of a manifest that say when, where and how fast, name files that a run writes, or are
 * hundreds of numbers. */
static const char *const left_out[] = {"folder",
                                       "times",
                                       "model.path",
                                       "result.model",
                                       "result.peak_bytes",
                                       "result.profile",
                                       "result.seconds_per_pass",
                                       "result.valid_curve",
                                       "result.resumed_step",
                                       "options.output",
                                       "options.json",
                                       "options.svg",
                                       "options.manifest",
                                       "options.config",
                                       "options.log",
                                       "options.log-every",
                                       "options.tensorboard",
                                       "options.progress",
                                       "options.checkpoint",
                                       "options.checkpoint-every",
                                       "options.resume",
                                       "options.profile"};

bool run_file_leaves_out(const char *name) {
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        const size_t part = strlen(left_out[i]);
        if (strncmp(name, left_out[i], part) == 0 && (!name[part] || name[part] == '.'))
            return true;
    }
    const bool is_pass = strncmp(name, "passes.", 7) == 0;
    return (is_pass && length > 8 && strcmp(name + length - 8, ".seconds") == 0) ||
           (length > 5 && strncmp(name, "options.", 8) == 0 &&
            strcmp(name + length - 5, ".from") == 0);
}

static void flatten(json_t *facts, const char *prefix, json_t *value) {
    char name[256];
    const char *key;
    json_t *part;
    size_t i;
    if (*prefix && run_file_leaves_out(prefix)) return;
    if (!json_is_object(value) && !json_is_array(value)) {
        json_object_set(facts, prefix, value);
        return;
    }
    json_object_foreach(value, key, part) {
        snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", key);
        flatten(facts, name, part);
    }
    json_array_foreach(value, i, part) {
        snprintf(name, sizeof name, "%s.%zu", prefix, i + 1);
        flatten(facts, name, part);
    }
}

/* The shape of a tensor as a text: it is one fact. */
static void add_tensors(run_file *file) {
    const char *key;
    json_t *value;
    json_object_foreach(file->tensors, key, value) {
        char name[256];
        char *const shape = json_dumps(json_object_get(value, "shape"), JSON_COMPACT);
        if (strcmp(key, "__metadata__") != 0 && shape) {
            snprintf(name, sizeof name, "tensor %s", key);
            json_object_set_new(
                file->facts, name,
                json_sprintf("%s %s", json_string_value(json_object_get(value, "dtype")), shape));
        }
        free(shape);
    }
}

/* ---- files ---------------------------------------------------------------------------------- */

static exit_code refuse(const char *path, FILE *in) {
    if (ferror(in)) return cannot_read(path);
    print_error("%s: expected a manifest (sparcl train --manifest) or a safetensors file", path);
    print_remedy("sparcl diff compares two files that sparcl train has written");
    return EXIT_CONTRACT;
}

static exit_code read_manifest(run_file *file, FILE *in) {
    json_t *const all = json_loadf(in, JSON_REJECT_DUPLICATES, NULL);
    const char *const format = json_string_value(json_object_get(all, "format"));
    const bool is_manifest = format && strcmp(format, MANIFEST_FORMAT) == 0;
    if (is_manifest) flatten(file->facts, "", all);
    json_decref(all);
    return is_manifest ? EXIT_OK : refuse(file->path, in);
}

static exit_code read_model(run_file *file, FILE *in) {
    unsigned char raw[8];
    uint64_t length = 0;
    errno = 0;
    if (fread(raw, 1, 8, in) != 8) return refuse(file->path, in);
    for (int i = 8; i-- > 0;)
        length = length << 8 | raw[i];
    if (length > MOST_HEADER) return refuse(file->path, in);
    char *const text = malloc((size_t)length + 1);
    if (!text) return out_of_memory();
    const bool complete = fread(text, 1, (size_t)length, in) == length;
    if (complete) file->tensors = json_loadb(text, (size_t)length, JSON_REJECT_DUPLICATES, NULL);
    free(text);
    if (!json_is_object(file->tensors)) return refuse(file->path, in);
    file->data_at = 8 + (int64_t)length;
    flatten(file->facts, "", json_object_get(file->tensors, "__metadata__"));
    add_tensors(file);
    return EXIT_OK;
}

exit_code run_file_read(run_file *file, const char *path) {
    *file = (run_file){.path = path, .facts = json_object()};
    errno = 0;
    FILE *const in = fopen(path, "rb");
    if (!in) return cannot_read(path);
    const int first = fgetc(in);
    if (first != EOF) ungetc(first, in);
    const exit_code code = ferror(in)     ? cannot_read(path)
                           : first == '{' ? read_manifest(file, in)
                                          : read_model(file, in);
    fclose(in);
    return code;
}

void run_file_free(run_file *file) {
    json_decref(file->facts);
    json_decref(file->tensors);
}

/* ---- values --------------------------------------------------------------------------------- */

/* Bytes begin .. *end of a tensor in the file. */
static int64_t begin_of(const run_file *file, const char *tensor, int64_t *bytes) {
    const json_t *const offsets =
        json_object_get(json_object_get(file->tensors, tensor), "data_offsets");
    const int64_t begin = json_integer_value(json_array_get(offsets, 0));
    *bytes = json_integer_value(json_array_get(offsets, 1)) - begin;
    return file->data_at + begin;
}

static void compare_block(const float *x, const float *y, int64_t count, int64_t first,
                          double *largest, int64_t *at) {
    for (int64_t i = 0; i < count; i++) {
        const double difference = fabs((double)x[i] - (double)y[i]);
        if (memcmp(&x[i], &y[i], sizeof *x) == 0 || (*at >= 0 && !(difference > *largest)))
            continue;
        *largest = difference;
        *at = first + i;
    }
}

static exit_code compare_files(FILE *a, FILE *b, const run_file *of, int64_t count, double *largest,
                               int64_t *at) {
    float x[BLOCK], y[BLOCK];
    for (int64_t done = 0; done < count; done += BLOCK) {
        const size_t part = (size_t)(count - done < BLOCK ? count - done : BLOCK);
        errno = 0;
        if (fread(x, sizeof *x, part, a) != part || fread(y, sizeof *y, part, b) != part)
            return cannot_read(of->path);
        compare_block(x, y, (int64_t)part, done, largest, at);
    }
    return EXIT_OK;
}

exit_code run_file_compare(const run_file *a, const run_file *b, const char *tensor,
                           double *largest, int64_t *at) {
    int64_t bytes = 0, others = 0;
    const int64_t x = begin_of(a, tensor, &bytes), y = begin_of(b, tensor, &others);
    FILE *const one = fopen(a->path, "rb"), *const other = fopen(b->path, "rb");
    exit_code code = EXIT_OK;
    *largest = 0;
    *at = -1;
    if (!one || !other || fseeko(one, (off_t)x, SEEK_SET) != 0 ||
        fseeko(other, (off_t)y, SEEK_SET) != 0)
        code = cannot_read(a->path);
    else
        code = compare_files(one, other, a, bytes / (int64_t)sizeof(float), largest, at);
    if (one) fclose(one);
    if (other) fclose(other);
    return code;
}
