/* show_hashed.c: the names that are hashed to the columns that are shown. */
#include "show_hashed.h"

#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "output.h"

/* Different columns, ascending. */
typedef struct column_list {
    int64_t *at;
    int64_t count;
} column_list;

static int compare(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t column_of(const json_t *entry) {
    return json_integer_value(json_object_get(entry, "column"));
}

static bool collect(column_list *to, const json_t *lists, int64_t first) {
    size_t i, k, most = 0;
    const json_t *list, *entry;
    int64_t kept = 0;
    json_array_foreach(lists, i, list) most += json_array_size(list);
    *to = (column_list){malloc((most + 1) * sizeof *to->at), 0};
    if (!to->at) return false;
    json_array_foreach(lists, i, list) {
        json_array_foreach(list, k, entry) {
            if (column_of(entry) >= first) to->at[to->count++] = column_of(entry);
        }
    }
    qsort(to->at, (size_t)to->count, sizeof *to->at, compare);
    for (int64_t c = 0; c < to->count; c++)
        if (c == 0 || to->at[c] != to->at[kept - 1]) to->at[kept++] = to->at[c];
    to->count = kept;
    return true;
}

static void set_names(json_t *lists, int64_t first, const sparcl_data *data) {
    size_t i, k;
    json_t *list, *entry;
    json_array_foreach(lists, i, list) {
        json_array_foreach(list, k, entry) {
            const int64_t column = column_of(entry);
            const char *const name = column >= first ? sparcl_data_column_name(data, column) : NULL;
            if (name) json_object_set_new(entry, "name", json_text(name));
        }
    }
}

exit_code name_hashed(json_t *lists, int64_t first, const char *path,
                      const input_options *options) {
    column_list columns;
    sparcl_data_desc desc = describe_input(options);
    sparcl_data *data = NULL;
    sparcl_error error = {0};
    if (strcmp(path, "-") == 0) {
        print_note("names of hashed columns need a file that can be read twice");
        return EXIT_OK;
    }
    if (!collect(&columns, lists, first)) return out_of_memory();
    desc.named_columns = columns.at;
    desc.named_column_count = columns.count;
    exit_code code = EXIT_OK;
    if (sparcl_data_read(&data, path, &desc, &error) != SPARCL_OK) code = report(&error);
    if (code == EXIT_OK) set_names(lists, first, data);
    sparcl_data_free(data);
    free(columns.at);
    return code;
}

void print_hashed(const json_t *lists) {
    size_t i, k;
    const json_t *list, *entry;
    json_array_foreach(lists, i, list) {
        json_array_foreach(list, k, entry) {
            if (strncmp(json_string_value(json_object_get(entry, "name")), "hash ", 5) != 0)
                continue;
            print_note(
                "\"hash N\" is the column of a word or an id whose name the model does not keep; "
                "--data FILE has its name");
            return;
        }
    }
}
