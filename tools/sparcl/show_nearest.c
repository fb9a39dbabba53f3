/* show_nearest.c: the columns, or users and items, whose vectors are the most similar. */
#include "show_nearest.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "message.h"
#include "output.h"
#include "printable.h"
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

/* What is compared. */
typedef struct search {
    const column_names *names;
    const sparcl_tensor *vectors;
    const sparcl_tensor *weights; /* of columns; NULL: the model has none */
    const double *deviations;     /* of columns of data; NULL: there are none */
    int64_t row;
    const char *id;
} search;

/* A column that training did not see has a vector of chance, and no weight. */
static bool is_seen(const search *s, int64_t row) {
    const int64_t width = s->weights && s->weights->rank == 2 ? s->weights->shape[1] : 1;
    const float *const own = s->weights ? s->weights->values + row * width : NULL;
    return (!own || product(own, own, width) > 0) && (!s->deviations || s->deviations[row] > 0);
}

static void collect(const search *s, top_list *list) {
    char name[COLUMN_NAME_BYTES], other[COLUMN_NAME_BYTES];
    const size_t kind = kind_length(s->names, column_name(s->names, s->row, name));
    const int64_t width = s->vectors->shape[1];
    const float *const own = s->vectors->values + s->row * width;
    const double square = product(own, own, width);
    for (int64_t i = 0; i < s->names->count; i++) {
        const float *const at = s->vectors->values + i * width;
        const double cosine =
            product(own, at, width) / sqrt(square * product(at, at, width)); /* 0 / 0: no vector */
        if (i == s->row || isnan(cosine) || !is_seen(s, i)) continue;
        if (kind > 0 && strncmp(column_name(s->names, i, other), name, kind) != 0) continue;
        top_list_offer(list, (top_entry){i, cosine, cosine});
    }
    top_list_sort(list);
}

/* A hashed column is called as it was asked for. */
static json_t *describe(const search *s, const top_list *list) {
    char name[COLUMN_NAME_BYTES];
    json_t *const nearest = json_array();
    for (int64_t i = 0; i < list->count; i++) {
        const int64_t row = list->entries[i].row;
        json_array_append_new(nearest, json_pack("{s:o, s:I, s:o}", "name",
                                                 json_text(column_name(s->names, row, name)),
                                                 "column", (json_int_t)row, "cosine",
                                                 json_number(list->entries[i].value)));
    }
    column_name(s->names, s->row, name);
    return json_pack("{s:o, s:s, s:o}", "id",
                     json_text(strncmp(name, "hash ", 5) == 0 ? s->id : name), "of",
                     s->vectors->name, "nearest", nearest);
}

static exit_code refuse(const char *id, const char *why, const char *remedy) {
    print_error("--nearest %s: %s", id, why);
    print_remedy("%s", remedy);
    return EXIT_USAGE;
}

exit_code find_nearest(const sparcl_model *model, const column_names *names, const char *id,
                       int64_t top, const double *deviations, json_t **found) {
    search s = {.names = names, .deviations = deviations, .id = id};
    top_list list;
    s.vectors = find_vectors(model, names->count);
    s.weights = sparcl_model_tensor(model, "weight");
    if (!s.vectors)
        return refuse(id, "expected a model with vectors of columns, such as fm, found another one",
                      "omit --nearest; 'sparcl help models' lists the models");
    s.row = column_of_name(names, id);
    if (s.row < 0)
        return refuse(id, "the model has no column of this name",
                      "use a name or a number as the data have it; --names FILE has names");
    const float *const own = s.vectors->values + s.row * s.vectors->shape[1];
    if (!is_seen(&s, s.row) || product(own, own, s.vectors->shape[1]) == 0)
        return refuse(id, "its vector is not trained, as the training data do not have it",
                      "use one that they have");
    if (!top_list_create(&list, top < names->count ? top : names->count)) return out_of_memory();
    collect(&s, &list);
    *found = describe(&s, &list);
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
