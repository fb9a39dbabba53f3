/* cmd_diff.c: sparcl diff: what differs between two runs, or between two models. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "column_names.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "run_file.h"

static struct { int json, all; } given;

/* A difference: [name, a, b], where a missing value is null. */
static void add(json_t *list, const char *name, json_t *a, json_t *b) {
    json_array_append_new(list, json_pack("{s:s, s:O?, s:O?}", "name", name, "a", a, "b", b));
}

/* A value that is null is as good as none. */
static bool are_equal(const json_t *a, const json_t *b) {
    const bool no_a = !a || json_is_null(a), no_b = !b || json_is_null(b);
    return no_a || no_b ? no_a == no_b : json_equal(a, b);
}

static void compare_facts(json_t *list, const run_file *a, const run_file *b) {
    const char *name;
    json_t *value;
    json_object_foreach(a->facts, name, value) {
        json_t *const other = json_object_get(b->facts, name);
        if (strcmp(name, "note." COLUMN_NAMES_NOTE) == 0) continue; /* the weights decide them */
        if (!are_equal(value, other)) add(list, name, value, other);
    }
    json_object_foreach(b->facts, name, value) {
        if (!json_object_get(a->facts, name) && !are_equal(NULL, value))
            add(list, name, NULL, value);
    }
}

/* Of tensors that have the same type and shape. */
static exit_code compare_values(json_t *list, const run_file *a, const run_file *b) {
    const char *name;
    json_t *value;
    json_object_foreach(a->facts, name, value) {
        const char *const tensor = strncmp(name, "tensor ", 7) == 0 ? name + 7 : NULL;
        double largest = 0;
        int64_t at = -1;
        if (!tensor || !json_equal(value, json_object_get(b->facts, name)) ||
            strncmp(json_string_value(value), "F32 ", 4) != 0)
            continue;
        const exit_code code = run_file_compare(a, b, tensor, &largest, &at);
        if (code != EXIT_OK) return code;
        if (at < 0) continue;
        json_t *const found =
            json_sprintf("largest difference %.6g, in element %" PRId64, largest, at);
        add(list, name, NULL, found);
        json_decref(found);
    }
    return EXIT_OK;
}

/* ---- printing ------------------------------------------------------------------------------- */

static char *text_of(const json_t *value) {
    if (json_is_string(value)) return strdup(json_string_value(value));
    return !value || json_is_null(value) ? strdup("-") : json_dumps(value, JSON_ENCODE_ANY);
}

/* The bytes of a name before a number in it: of "passes.3.loss" those of "passes". 0: there is
 * none.
 */
static size_t list_bytes(const char *name) {
    if (strncmp(name, "tensor ", 7) == 0) return 0;
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.'))
        if (dot[1] >= '0' && dot[1] <= '9') return (size_t)(dot - name);
    return 0;
}

static const char *name_of(const json_t *list, size_t i) {
    return json_string_value(json_object_get(json_array_get(list, i), "name"));
}

/* Rows from `first` on that are of the same list. */
static size_t count_of_list(const json_t *list, size_t first) {
    const char *const name = name_of(list, first);
    const size_t bytes = list_bytes(name);
    size_t i = first + 1;
    while (bytes > 0 && i < json_array_size(list) && list_bytes(name_of(list, i)) == bytes &&
           strncmp(name_of(list, i), name, bytes) == 0)
        i++;
    return i - first;
}

static void add_row(struct libscols_table *table, const json_t *row) {
    char *const a = text_of(json_object_get(row, "a"));
    char *const b = text_of(json_object_get(row, "b"));
    const char *const cells[] = {json_string_value(json_object_get(row, "name")), a, b};
    table_add(table, NULL, cells);
    free(a);
    free(b);
}

/* The values of a list are one row. */
static void add_list(struct libscols_table *table, const char *first, size_t count) {
    char name[128], text[64];
    const char *const cells[] = {name, "", text};
    snprintf(name, sizeof name, "%.*s", (int)list_bytes(first), first);
    snprintf(text, sizeof text, "%zu values differ (--all lists them)", count);
    table_add(table, NULL, cells);
}

static exit_code print_table(const json_t *list) {
    static const char *const names[] = {"name", "A", "B", NULL};
    struct libscols_table *const table = table_new(names);
    for (size_t i = 0; i < json_array_size(list);) {
        const size_t count = given.all ? 1 : count_of_list(list, i);
        if (count > 1)
            add_list(table, name_of(list, i), count);
        else
            add_row(table, json_array_get(list, i));
        i += count;
    }
    return table_print(table);
}

static exit_code show(json_t *list) {
    const bool differ = json_array_size(list) > 0;
    exit_code code = EXIT_OK;
    if (given.json)
        code = print_object(json_pack("{s:b, s:O}", "equal", !differ, "differences", list), true);
    else if (differ)
        code = print_table(list);
    if (code == EXIT_OK) code = flush_results();
    return code == EXIT_OK && differ ? EXIT_RUNTIME : code;
}

static exit_code compare(const run_file *a, const run_file *b) {
    json_t *const list = json_array();
    exit_code code = EXIT_OK;
    if (!a->tensors != !b->tensors) {
        print_error("%s is a %s, %s is a %s, expected two of one kind", a->path,
                    a->tensors ? "model" : "manifest", b->path, b->tensors ? "model" : "manifest");
        code = EXIT_CONTRACT;
    }
    if (code == EXIT_OK) compare_facts(list, a, b);
    if (code == EXIT_OK && a->tensors) code = compare_values(list, a, b);
    if (code == EXIT_OK) code = show(list);
    json_decref(list);
    return code;
}

static exit_code run(int operand_count, const char *const *operands) {
    run_file a, b = {0};
    (void)operand_count;
    exit_code code = run_file_read(&a, operands[0]);
    if (code == EXIT_OK) code = run_file_read(&b, operands[1]);
    if (code == EXIT_OK) code = compare(&a, &b);
    run_file_free(&a);
    run_file_free(&b);
    return code;
}

static const char *const examples[] = {
    "why two runs have other results: their manifests",
    "sparcl diff monday.json tuesday.json",
    "how far two models are apart",
    "sparcl diff a.safetensors b.safetensors",
    NULL,
};

static const tool_option options[] = {
    {.name = "all",
     .type = OPTION_FLAG,
     .value = &given.all,
     .set = 1,
     .help = "list each value that differs, also of passes and of bins"},
    OPTION_JSON(given.json),
    {0},
};

static const json_key keys[] = {
    {"equal", "true where nothing differs"},
    {"differences", "a list: name, a, b; null where a file has no such value"},
    {0},
};

extern const tool_command command_diff;
const tool_command command_diff = {
    .name = "diff",
    .summary = "say what differs between two runs or models",
    .operands = "A B [options]",
    .operands_min = 2,
    .operands_max = 2,
    .examples = examples,
    .options = options,
    .keys = keys,
    .notes =
        "A and B are manifests (sparcl train --manifest), or models. Of manifests, times and the\n"
        "names of files that runs write are left out, and the values of lists, such as passes, "
        "are\n"
        "counted; of models, settings, shapes and values are compared. Exits with 0 where nothing\n"
        "differs, with 1 where something does.",
    .run = run,
};
