/* show_weights.c: the largest weights of a model, by name. */
#include "show_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "output.h"
#include "printable.h"
#include "top_list.h"

enum { MOST_CLASSES = 1000, MOST_PRINTED = 20 };

/* ---- which weights -------------------------------------------------------------------------- */

/* The weights of a linear part, or else the first layer, of which a column has a row. */
static const sparcl_tensor *find_tensor(const sparcl_model *model, bool *has_weights) {
    const sparcl_architecture *const a = sparcl_model_architecture(model);
    const int64_t columns = sparcl_model_get_info(model)->columns;
    const sparcl_tensor *const weight = sparcl_model_tensor(model, "weight");
    *has_weights = weight != NULL;
    if (weight || a->task == SPARCL_TASK_RANK) return weight;
    for (int i = 0; a->parameters[i]; i++) {
        const sparcl_tensor *const t = sparcl_model_tensor(model, a->parameters[i]);
        if (t && t->rank == 2 && t->shape[0] == columns) return t;
    }
    return NULL;
}

/* One for each class, or one of all: of two classes the weights are for the higher one. */
typedef struct weight_lists {
    const sparcl_model *model;
    const sparcl_tensor *tensor;
    bool has_weights; /* else the norms of rows */
    int64_t width;    /* of a row of the tensor */
    int64_t first, count;
    top_list *lists; /* [count] */
} weight_lists;

static bool make_lists(weight_lists *w, int64_t top) {
    const int64_t rows = w->tensor->shape[0];
    w->lists = calloc((size_t)w->count + 1, sizeof *w->lists);
    for (int64_t i = 0; w->lists && i < w->count; i++)
        if (!top_list_create(&w->lists[i], top < rows ? top : rows)) return false;
    return w->lists != NULL;
}

static void free_lists(weight_lists *w) {
    for (int64_t i = 0; w->lists && i < w->count; i++)
        top_list_free(&w->lists[i]);
    free(w->lists);
}

static double norm_of(const float *row, int64_t width) {
    double sum = 0;
    for (int64_t i = 0; i < width; i++)
        sum += (double)row[i] * (double)row[i];
    return sqrt(sum);
}

static void offer(top_list *list, int64_t row, double value, const double *deviations) {
    const double key = fabs(value) * (deviations ? deviations[row] : 1);
    if (key > 0) top_list_offer(list, (top_entry){.row = row, .key = key, .value = value});
}

static void collect(weight_lists *w, const double *deviations) {
    for (int64_t row = 0; row < w->tensor->shape[0]; row++) {
        const float *const at = w->tensor->values + row * w->width;
        if (!w->has_weights) offer(&w->lists[0], row, norm_of(at, w->width), deviations);
        for (int64_t i = 0; w->has_weights && i < w->count; i++)
            offer(&w->lists[i], row, (double)at[w->first + i], deviations);
    }
    for (int64_t i = 0; i < w->count; i++)
        top_list_sort(&w->lists[i]);
}

/* ---- classes -------------------------------------------------------------------------------- */

/* "1", or "1 (yes)" where the table has words for labels. */
static const char *class_text(const sparcl_model_info *info, const column_names *names,
                              int64_t class, char text[COLUMN_NAME_BYTES]) {
    const char *const word = sparcl_model_label_name(names->model, info->labels[class]);
    char number[NUMBER_BYTES];
    shortest_number(number, info->labels[class]);
    snprintf(text, COLUMN_NAME_BYTES, word ? "%s (%s)" : "%s", number, word);
    return text;
}

/* The class of a list; -1: of none. */
static int64_t class_of(const sparcl_model_info *info, int64_t list) {
    return info->classes == 0 ? -1 : info->outputs == 1 ? info->classes - 1 : list;
}

static bool has_name(const sparcl_model_info *info, const column_names *names, int64_t class,
                     const char *name) {
    char text[COLUMN_NAME_BYTES];
    char *end;
    const double label = strtod(name, &end);
    class_text(info, names, class, text);
    if (*name && !*end) return label == info->labels[class];
    const char *const word = strchr(text, '(');
    return word && strncmp(word + 1, name, strlen(name)) == 0 &&
           strcmp(word + 1 + strlen(name), ")") == 0;
}

/* The lists that are asked for. */
static exit_code choose_class(weight_lists *w, const column_names *names, const char *name) {
    const sparcl_model_info *const info = sparcl_model_get_info(w->model);
    w->count = w->has_weights ? info->outputs : 1;
    for (int64_t i = 0; name && w->has_weights && i < w->count; i++)
        if (class_of(info, i) >= 0 && has_name(info, names, class_of(info, i), name)) {
            w->first = i;
            w->count = 1;
            return EXIT_OK;
        }
    if (name) {
        print_error("--class %s: the model has no weights of this class", name);
        print_remedy(info->outputs == 1 ? "omit --class: one weight of a column is for all classes"
                                        : "use one of the labels that 'sparcl show' lists");
        return EXIT_USAGE;
    }
    if (w->count <= MOST_CLASSES) return EXIT_OK;
    print_note("weights of the first %d of %lld classes are listed (--class LABEL: of one)",
               MOST_CLASSES, (long long)w->count);
    w->count = MOST_CLASSES;
    return EXIT_OK;
}

/* ---- as JSON -------------------------------------------------------------------------------- */

static json_t *describe_entry(const top_entry *e, const column_names *names,
                              const double *deviations) {
    char name[COLUMN_NAME_BYTES];
    const double deviation = deviations     ? deviations[e->row]
                             : names->table ? sparcl_csv_columns_deviation(names->table, e->row)
                                            : (double)NAN;
    return json_pack("{s:o, s:I, s:o, s:o}", "name", json_text(column_name(names, e->row, name)),
                     "column", (json_int_t)e->row, "weight", json_number(e->value), "importance",
                     json_number(fabs(e->value) * deviation));
}

static json_t *describe_list(const weight_lists *w, int64_t i, const column_names *names,
                             const double *deviations) {
    const sparcl_model_info *const info = sparcl_model_get_info(w->model);
    const sparcl_tensor *const bias = sparcl_model_tensor(w->model, "bias");
    const int64_t output = w->first + i, class = class_of(info, output);
    char text[COLUMN_NAME_BYTES];
    json_t *const largest = json_array(), *const object = json_object();
    for (int64_t k = 0; largest && k < w->lists[i].count; k++)
        json_array_append_new(largest, describe_entry(&w->lists[i].entries[k], names, deviations));
    json_object_set_new(object, "class",
                        w->has_weights && class >= 0
                            ? json_text(class_text(info, names, class, text))
                            : json_null());
    json_object_set_new(object, "bias",
                        bias && w->has_weights ? json_number((double)bias->values[output])
                                               : json_null());
    json_object_set_new(object, "largest", largest);
    return object;
}

/* Without weights of columns. */
static exit_code check_unused(const sparcl_model *model, const weight_options *options) {
    if (!options->class_name && !options->deviations) return EXIT_OK;
    print_error("%s has no effect: a model of the kind %s has no weights of columns",
                options->class_name ? "--class" : "--data", sparcl_model_architecture(model)->name);
    print_remedy("omit it; --nearest ID lists what is similar to ID");
    return EXIT_USAGE;
}

exit_code find_weights(const sparcl_model *model, const column_names *names,
                       const weight_options *options, json_t **list) {
    weight_lists w = {.model = model};
    *list = NULL;
    w.tensor = find_tensor(model, &w.has_weights);
    if (!w.tensor) return check_unused(model, options);
    w.width = w.tensor->rank == 2 ? w.tensor->shape[1] : 1;
    exit_code code = choose_class(&w, names, options->class_name);
    if (code != EXIT_OK) return code;
    *list = make_lists(&w, options->top) ? json_array() : NULL;
    if (*list) collect(&w, options->deviations);
    for (int64_t i = 0; *list && i < w.count; i++)
        json_array_append_new(*list, describe_list(&w, i, names, options->deviations));
    free_lists(&w);
    return *list ? EXIT_OK : out_of_memory();
}

/* ---- as a table ----------------------------------------------------------------------------- */

static const char *number_text(char text[NUMBER_BYTES], const json_t *value) {
    snprintf(text, NUMBER_BYTES, json_is_number(value) ? "%.6g" : "-", json_number_value(value));
    return text;
}

static void add_entries(struct libscols_table *table, const json_t *list, bool has_classes) {
    const char *const class = json_string_value(json_object_get(list, "class"));
    const json_t *entry;
    size_t i;
    json_array_foreach(json_object_get(list, "largest"), i, entry) {
        char weight[NUMBER_BYTES], importance[NUMBER_BYTES], name[COLUMN_NAME_BYTES];
        snprintf(name, sizeof name, "%s", json_string_value(json_object_get(entry, "name")));
        const char *const cells[] = {class, make_printable(name),
                                     number_text(weight, json_object_get(entry, "weight")),
                                     number_text(importance, json_object_get(entry, "importance"))};
        table_add(table, NULL, cells + !has_classes);
    }
}

/* "Largest weights (above 0: for the label 1):" */
static void print_heading(const sparcl_model *model, const json_t *list) {
    bool has_weights;
    const char *const of = find_tensor(model, &has_weights)->name;
    const char *const class = json_string_value(json_object_get(json_array_get(list, 0), "class"));
    if (!has_weights)
        printf("\nLargest norms of the rows of %s:\n", of);
    else if (class && json_array_size(list) == 1)
        printf("\nLargest weights (above 0: for the label %s):\n", class);
    else
        puts("\nLargest weights:");
}

exit_code print_weights(const sparcl_model *model, const json_t *list) {
    bool has_weights;
    find_tensor(model, &has_weights);
    const bool has_classes = json_array_size(list) > 1;
    const char *const names[] = {"LABEL", "NAME", has_weights ? ">WEIGHT" : ">NORM", ">IMPORTANCE",
                                 NULL};
    struct libscols_table *const table = table_new(names + !has_classes);
    const json_t *part;
    size_t i;
    print_heading(model, list);
    json_array_foreach(list, i, part) {
        if (i == MOST_PRINTED) break;
        add_entries(table, part, has_classes);
    }
    if (json_array_size(list) > MOST_PRINTED)
        print_note("the first %d of %zu classes are shown (--class LABEL: one of them; --json: "
                   "more)",
                   MOST_PRINTED, json_array_size(list));
    return table_print(table);
}
