/* show_facts.c: what a model is, and how it was trained. */
#include "show_facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "input_file.h"
#include "output.h"
#include "printable.h"
#include "sparcl/architecture.h"
#include "sparcl/optim_text.h"

enum { MOST_LABELS = 1000 };

static void add(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value);
}

static void add_text(json_t *object, const char *key, const char *text) {
    if (text && *text) add(object, key, json_text(text));
}

/* Hyper-parameters are 0 where they were not used. */
static void add_used(json_t *object, const char *key, double value) {
    if (value != 0) add(object, key, json_number(value));
}

/* ---- what it is ----------------------------------------------------------------------------- */

static const char *formula_of(const char *kind) {
    const sparcl_model_kind *about;
    for (int i = 0; (about = sparcl_model_kind_at(i)); i++)
        if (strcmp(about->name, kind) == 0) return about->formula;
    return NULL;
}

/* "2: 0 (no), 1 (yes)", as far as a line has room for it. */
static json_t *labels_line(const sparcl_model_info *info, const column_names *names) {
    char line[120] = "", one[NUMBER_BYTES + 64], number[NUMBER_BYTES];
    size_t used = 0;
    for (int64_t i = 0; i < info->classes; i++) {
        const char *const word = sparcl_model_label_name(names->model, info->labels[i]);
        const int length = snprintf(one, sizeof one, word ? "%s%s (%.47s)" : "%s%s", i ? ", " : "",
                                    shortest_number(number, info->labels[i]), word);
        make_printable(one);
        if (used + (size_t)length + sizeof ", ..." > sizeof line) {
            strcpy(line + used, ", ...");
            break;
        }
        strcpy(line + used, one);
        used += (size_t)length;
    }
    char text[160];
    snprintf(text, sizeof text, "%" PRId64 ": %s", info->classes, line);
    return json_text(text);
}

static json_t *labels_list(const sparcl_model_info *info) {
    json_t *const list = info->classes > 0 && info->classes <= MOST_LABELS ? json_array() : NULL;
    for (int64_t i = 0; list && i < info->classes; i++)
        json_array_append_new(list, json_number(info->labels[i]));
    return list ? list : json_null();
}

/* Null where labels are numbers. */
static json_t *label_names_list(const sparcl_model_info *info, const sparcl_model *model) {
    const bool are_named = info->classes > 0 && info->classes <= MOST_LABELS &&
                           sparcl_model_label_name(model, info->labels[0]);
    json_t *const list = are_named ? json_array() : json_null();
    for (int64_t i = 0; are_named && i < info->classes; i++) {
        const char *const name = sparcl_model_label_name(model, info->labels[i]);
        json_array_append_new(list, name ? json_text(name) : json_null());
    }
    return list;
}

/* Where the columns are from. */
static json_t *columns_of(const sparcl_model_info *info, const column_names *names) {
    const sparcl_known_ids *const known = &info->known_ids;
    char table[256];
    if (info->csv_description && names->users > 0)
        return json_sprintf("words of %" PRId64 " users and %" PRId64 " items", names->users,
                            info->columns);
    if (info->csv_description) {
        describe_table(info->csv_description, table, sizeof table);
        return json_text(make_printable(table));
    }
    if (known->users)
        return json_sprintf("ids of %" PRId64 " users and %" PRId64 " items", known->user_count,
                            known->item_count);
    if (known->nodes) return json_sprintf("ids of %" PRId64 " nodes", known->node_count);
    if (info->feature_ids) return json_sprintf("%" PRId64 " ids (--compact-ids)", info->id_count);
    if (info->crosses) {
        const int length = snprintf(table, sizeof table, "names, crossed: %s", info->crosses);
        for (char *end = table; length > 0 && (end = strchr(end, '\n'));)
            *end = ' ';
        return json_text(make_printable(table));
    }
    if (info->hash_bits) return json_sprintf("hashed ids (--hash-bits %d)", info->hash_bits);
    return json_sprintf("numbers from %d", info->index_base);
}

static void add_kind(json_t *object, const sparcl_model *model) {
    const sparcl_architecture *const a = sparcl_model_architecture(model);
    char kind[SPARCL_MODEL_TEXT + 48];
    const char *const settings = a->settings ? a->settings : "";
    snprintf(kind, sizeof kind, "%s%s%s", a->name, *settings ? ":" : "", settings);
    add(object, "kind", json_text(kind));
    add_text(object, "formula", formula_of(a->name));
}

static int64_t count_values(const sparcl_tensor *t) {
    int64_t count = 1;
    for (int i = 0; i < t->rank; i++)
        count *= t->shape[i];
    return count;
}

static void add_data(json_t *object, const sparcl_model *model, const column_names *names,
                     bool as_json) {
    const sparcl_model_info *const info = sparcl_model_get_info(model);
    add(object, "cols", json_integer((json_int_t)info->columns));
    add(object, "columns_are", columns_of(info, names));
    if (names->users > 0) add(object, "users", json_integer((json_int_t)names->users));
    add(object, "outputs", json_integer((json_int_t)info->outputs));
    add(object, "classes", json_integer((json_int_t)info->classes));
    if (as_json) {
        add(object, "labels", labels_list(info));
        add(object, "label_names", label_names_list(info, model));
    } else if (info->classes > 0) {
        add(object, "classes", labels_line(info, names));
    } else {
        json_object_del(object, "classes");
    }
    add(object, "index_base", json_integer(info->index_base));
    if (info->fields > 0) add(object, "fields", json_integer((json_int_t)info->fields));
}

/* ---- how it was trained --------------------------------------------------------------------- */

/* Steps of an optimizer, or a solver. */
static void add_training(json_t *object, const sparcl_model_info *info) {
    char fingerprint[24];
    if (info->solver)
        add_text(object, "solver", info->solver);
    else
        add_text(object, "optimizer", sparcl_rule_name(info->optimizer));
    add_used(object, "lr", info->lr);
    add_used(object, "l2", info->l2);
    add_used(object, "momentum", info->momentum);
    add_used(object, "beta1", info->beta1);
    add_used(object, "beta2", info->beta2);
    add_used(object, "epsilon", info->epsilon);
    add_used(object, "clip_global_norm", info->clip_global_norm);
    add_text(object, "settings", info->settings);
    add_text(object, "parameter_settings", info->parameter_settings);
    add_text(object, "schedule", info->schedule);
    add(object, info->solver ? "iterations" : "epochs", json_integer((json_int_t)info->epochs));
    if (info->batch > 0) add(object, "batch", json_integer((json_int_t)info->batch));
    add(object, "seed", json_sprintf("%" PRIu64, info->seed));
    snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, info->fingerprint);
    if (info->fingerprint != 0) add_text(object, "data_fingerprint", fingerprint);
}

/* ---- notes ---------------------------------------------------------------------------------- */

/* A number, where it is one: of metrics. */
static json_t *note_value(const char *text) {
    json_t *const number = json_loads(text, JSON_DECODE_ANY, NULL);
    if (json_is_number(number)) return number;
    json_decref(number);
    return json_text(text);
}

static json_t *printed_value(const char *text) {
    json_t *const value = note_value(text);
    char *const line = json_is_string(value) ? strdup(text) : NULL;
    if (!line) return value;
    json_decref(value);
    json_t *const printed = json_text(make_printable(line));
    free(line);
    return printed;
}

/* An object in JSON, else lines. */
static void add_notes(json_t *object, const sparcl_model *model, bool as_json) {
    json_t *const notes = as_json ? json_object() : NULL;
    const char *key;
    for (int i = 0; (key = sparcl_model_note_key(model, i)); i++) {
        char name[SPARCL_NOTE_KEY + 8];
        const char *const text = sparcl_model_note(model, key);
        snprintf(name, sizeof name, "%s%s", json_object_get(object, key) ? "note." : "", key);
        if (strcmp(key, COLUMN_NAMES_NOTE) == 0) continue; /* weights are called so */
        if (as_json)
            add(notes, key, note_value(text));
        else
            add(object, make_printable(name), printed_value(text));
    }
    if (as_json) add(object, "notes", notes);
}

json_t *show_facts(const sparcl_model *model, const column_names *names, const char *path,
                   bool as_json) {
    const sparcl_model_info *const info = sparcl_model_get_info(model);
    struct stat about;
    json_t *const object = json_object();
    if (!object) return NULL;
    add(object, "model", json_text(path));
    if (stat(path, &about) == 0) add(object, "bytes", json_integer((json_int_t)about.st_size));
    add_kind(object, model);
    add_text(object, "loss_function", sparcl_loss_name(info->loss));
    add_text(object, "calibrated_by", sparcl_model_calibration(model));
    add_data(object, model, names, as_json);
    add_training(object, info);
    add_notes(object, model, as_json);
    return object;
}

/* ---- parameters ----------------------------------------------------------------------------- */

static int64_t count_nonzero(const sparcl_tensor *t) {
    int64_t count = 0;
    for (int64_t i = 0, all = count_values(t); i < all; i++)
        count += t->values[i] != 0;
    return count;
}

json_t *show_parameters(const sparcl_model *model) {
    const char *const *const parameters = sparcl_model_architecture(model)->parameters;
    json_t *const list = json_array();
    for (int i = 0; list && parameters[i]; i++) {
        const sparcl_tensor *const t = sparcl_model_tensor(model, parameters[i]);
        json_t *const shape = json_array();
        for (int d = 0; d < t->rank; d++)
            json_array_append_new(shape, json_integer((json_int_t)t->shape[d]));
        json_array_append_new(
            list, json_pack("{s:s, s:o, s:I, s:I, s:I}", "name", t->name, "shape", shape, "values",
                            (json_int_t)count_values(t), "nonzero", (json_int_t)count_nonzero(t),
                            "bytes", (json_int_t)(count_values(t) * (int64_t)sizeof *t->values)));
    }
    return list;
}

exit_code print_parameters(const json_t *list) {
    static const char *const names[] = {"PARAMETER", ">SHAPE", ">NONZERO", ">BYTES", NULL};
    struct libscols_table *const table = table_new(names);
    const json_t *parameter, *extent;
    size_t i, d;
    putchar('\n');
    json_array_foreach(list, i, parameter) {
        char shape[128] = "", nonzero[NUMBER_BYTES], bytes[NUMBER_BYTES];
        json_array_foreach(json_object_get(parameter, "shape"), d, extent) {
            const size_t used = strlen(shape);
            snprintf(shape + used, sizeof shape - used, "%s%" JSON_INTEGER_FORMAT, d ? " x " : "",
                     json_integer_value(extent));
        }
        snprintf(nonzero, sizeof nonzero, "%" JSON_INTEGER_FORMAT,
                 json_integer_value(json_object_get(parameter, "nonzero")));
        format_bytes(bytes, json_integer_value(json_object_get(parameter, "bytes")));
        const char *const cells[] = {json_string_value(json_object_get(parameter, "name")), shape,
                                     nonzero, bytes};
        table_add(table, NULL, cells);
    }
    return table_print(table);
}
