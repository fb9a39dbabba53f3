/* show_nearest.c: the columns, or users and items, whose vectors are the most similar. */
#include "show_nearest.h"

#include <math.h>
#include <string.h>

#include "message.h"
#include "output.h"
#include "top_list.h"

/* The first parameter that has a vector for each column, or user and item. */
static const sparcl_tensor *find_vectors(const sparcl_model *model, int64_t count) {
    const sparcl_architecture *const a = sparcl_model_architecture(model);
    for (int i = 0; a->parameters[i]; i++) {
        const sparcl_tensor *const t = sparcl_model_tensor(model, a->parameters[i]);
        if (t && t->rank == 2 && t->shape[0] == count && strcmp(t->name, "weight") != 0) return t;
    }
    return NULL;
}

static double product(const float *x, const float *y, int64_t width) {
    double sum = 0;
    for (int64_t i = 0; i < width; i++)
        sum += (double)x[i] * (double)y[i];
    return sum;
}

/* A user is compared with users, a column "item 7" of a map of ids with items. */
static size_t kind_length(const column_names *names, const char *name) {
    const bool has_kinds = names->users > 0 || names->line_count > 0;
    const bool has_kind = strncmp(name, "user ", 5) == 0 || strncmp(name, "item ", 5) == 0;
    return has_kinds && has_kind ? 5 : 0;
}

static void collect(const column_names *names, const sparcl_tensor *vectors, int64_t row,
                    top_list *list) {
    char name[COLUMN_NAME_BYTES], other[COLUMN_NAME_BYTES];
    const size_t kind = kind_length(names, column_name(names, row, name));
    const int64_t width = vectors->shape[1];
    const float *const own = vectors->values + row * width;
    const double square = product(own, own, width);
    for (int64_t i = 0; i < names->count; i++) {
        const float *const at = vectors->values + i * width;
        const double cosine =
            product(own, at, width) / sqrt(square * product(at, at, width)); /* 0 / 0: no vector */
        if (i == row || isnan(cosine)) continue;
        if (kind > 0 && strncmp(column_name(names, i, other), name, kind) != 0) continue;
        top_list_offer(list, (top_entry){i, cosine, cosine});
    }
    top_list_sort(list);
}

static json_t *describe(const column_names *names, const sparcl_tensor *vectors, int64_t row,
                        const top_list *list) {
    char name[COLUMN_NAME_BYTES];
    json_t *const nearest = json_array();
    for (int64_t i = 0; i < list->count; i++)
        json_array_append_new(nearest,
                              json_pack("{s:o, s:o}", "name",
                                        json_text(column_name(names, list->entries[i].row, name)),
                                        "cosine", json_number(list->entries[i].value)));
    return json_pack("{s:o, s:s, s:o}", "id", json_text(column_name(names, row, name)), "of",
                     vectors->name, "nearest", nearest);
}

static exit_code refuse(const char *id, const char *why, const char *remedy) {
    print_error("--nearest %s: %s", id, why);
    print_remedy("%s", remedy);
    return EXIT_USAGE;
}

exit_code find_nearest(const sparcl_model *model, const column_names *names, const char *id,
                       int64_t top, json_t **found) {
    const sparcl_tensor *const vectors = find_vectors(model, names->count);
    top_list list;
    if (!vectors)
        return refuse(id, "expected a model with vectors of columns, such as fm, found another one",
                      "omit --nearest; 'sparcl help models' lists the models");
    const int64_t row = column_of_name(names, id);
    if (row < 0)
        return refuse(id, "the model has no column of this name",
                      "use a name or a number as the data have it; --names FILE has names");
    const float *const own = vectors->values + row * vectors->shape[1];
    if (product(own, own, vectors->shape[1]) == 0)
        return refuse(id, "its vector is 0, which is near to nothing",
                      "use one that the training data have");
    if (!top_list_create(&list, top < names->count ? top : names->count)) return out_of_memory();
    collect(names, vectors, row, &list);
    *found = describe(names, vectors, row, &list);
    top_list_free(&list);
    return *found ? EXIT_OK : out_of_memory();
}

exit_code print_nearest(const json_t *found) {
    static const char *const names[] = {"NAME", ">COSINE", NULL};
    struct libscols_table *const table = table_new(names);
    const json_t *entry;
    size_t i;
    char id[COLUMN_NAME_BYTES];
    snprintf(id, sizeof id, "%s", json_string_value(json_object_get(found, "id")));
    printf("\nNearest to %s, by %s:\n", make_printable(id),
           json_string_value(json_object_get(found, "of")));
    json_array_foreach(json_object_get(found, "nearest"), i, entry) {
        char name[COLUMN_NAME_BYTES], cosine[NUMBER_BYTES];
        snprintf(name, sizeof name, "%s", json_string_value(json_object_get(entry, "name")));
        snprintf(cosine, sizeof cosine, "%.6f",
                 json_number_value(json_object_get(entry, "cosine")));
        const char *const cells[] = {make_printable(name), cosine};
        table_add(table, NULL, cells);
    }
    return table_print(table);
}
