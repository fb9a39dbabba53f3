/* class_result.c: what a model predicts, class by class: as JSON, as tables. */
#include "class_result.h"

#include <math.h>
#include <stdbool.h>

#include "message.h"
#include "output.h"
#include "printable.h"
#include "top_list.h"

enum {
    MOST_CLASSES = 1000,
    MOST_PAIRS = 100,
    MOST_PRINTED = 20,
    MOST_COLUMNS = 10,
    WORST = 10,
    STEPS = 64,
    LABEL_BYTES = 64
};

/* ---- as JSON -------------------------------------------------------------------------------- */

/* Rows, or their weight. */
static json_t *count_number(double count) {
    return count == floor(count) && count < 1e15 ? json_integer((json_int_t)count)
                                                 : json_number(count);
}

static json_t *describe_class(const sparcl_class_report *r, int64_t c, const sparcl_model *model) {
    const double rows = r->rows[c], predicted = r->predicted[c], right = r->right[c];
    const double label = sparcl_model_get_info(model)->labels[c];
    const char *const word = sparcl_model_label_name(model, label);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "label",
                     word ? json_text(word) : json_number(label), "rows", count_number(rows),
                     "predicted", count_number(predicted), "precision",
                     json_number(right / predicted), "recall", json_number(right / rows), "f1",
                     json_number(2 * right / (rows + predicted)));
}

static json_t *describe_confusion(const sparcl_class_report *r) {
    if (!r->confusion || r->classes > MOST_PAIRS) return json_null();
    json_t *const matrix = json_array();
    for (int64_t i = 0; matrix && i < r->classes; i++) {
        json_t *const row = json_array();
        for (int64_t j = 0; row && j < r->classes; j++)
            json_array_append_new(row, count_number(r->confusion[i * r->classes + j]));
        json_array_append_new(matrix, row);
    }
    return matrix;
}

void classes_describe(json_t *object, const sparcl_model *model, const sparcl_class_report *r) {
    if (!r) return;
    json_t *const list = r->classes <= MOST_CLASSES ? json_array() : json_null();
    for (int64_t c = 0; json_is_array(list) && c < r->classes; c++)
        json_array_append_new(list, describe_class(r, c, model));
    json_object_set_new(object, "class_metrics", list);
    json_object_set_new(object, "confusion", describe_confusion(r));
}

/* ---- the curve ------------------------------------------------------------------------------ */

typedef struct rates {
    double false_positive, recall, precision;
} rates;

static rates rates_of(const sparcl_class_report *r, const sparcl_curve_point *p) {
    const double taken = p->true_positives + p->false_positives;
    return (rates){p->false_positives / r->rows[0], p->true_positives / r->rows[1],
                   taken > 0 ? p->true_positives / taken : 1};
}

static bool are_apart(rates a, rates b) {
    return fabs(a.false_positive - b.false_positive) + fabs(a.recall - b.recall) +
               fabs(a.precision - b.precision) >
           1.0 / STEPS;
}

void curve_describe(json_t *object, const char *prefix, const sparcl_model *model,
                    const sparcl_class_report *r) {
    rates last = {-1, -1, -1};
    char key[64];
    if (!r || r->point_count == 0) return;
    json_t *const list = json_pack("[[n, i, i, i]]", 0, 0, 1); /* above all scores */
    for (int64_t i = 0; list && i < r->point_count; i++) {
        const sparcl_curve_point *const p = &r->points[i];
        const rates now = rates_of(r, p);
        if (i > 0 && i + 1 < r->point_count && !are_apart(last, now)) continue;
        const double probability = sparcl_model_probability(model, p->threshold);
        json_array_append_new(
            list,
            json_pack("[o, f, f, f]", json_number(isnan(probability) ? p->threshold : probability),
                      now.false_positive, now.recall, now.precision));
        last = now;
    }
    snprintf(key, sizeof key, "%scurve", prefix);
    json_object_set_new(object, key, list);
}

/* ---- as tables ------------------------------------------------------------------------------ */

/* 0 / 0 has none. */
static const char *number_text(char text[NUMBER_BYTES], double value) {
    if (!isfinite(value)) return "-";
    snprintf(text, NUMBER_BYTES, value == floor(value) ? "%.15g" : "%.6g", value);
    return text;
}

/* Its word, or its number. */
static const char *label_text(char text[LABEL_BYTES], const sparcl_model *model, int64_t class) {
    const double label = sparcl_model_get_info(model)->labels[class];
    const char *const word = sparcl_model_label_name(model, label);
    if (!word) return shortest_number(text, label);
    snprintf(text, LABEL_BYTES, "%s", word);
    return make_printable(text);
}

static void add_class(struct libscols_table *table, const sparcl_class_report *r, int64_t c,
                      const sparcl_model *model) {
    char label[LABEL_BYTES], text[4][NUMBER_BYTES];
    const double rows = r->rows[c], predicted = r->predicted[c], right = r->right[c];
    const char *const cells[] = {label_text(label, model, c), number_text(text[0], rows),
                                 number_text(text[1], right / predicted),
                                 number_text(text[2], right / rows),
                                 number_text(text[3], 2 * right / (rows + predicted))};
    table_add(table, NULL, cells);
}

/* All, or of many those with the lowest F1 that have rows. */
static bool choose_classes(const sparcl_class_report *r, top_list *chosen) {
    const bool are_many = r->classes > MOST_PRINTED;
    if (!top_list_create(chosen, are_many ? WORST : r->classes)) return false;
    for (int64_t c = 0; c < r->classes; c++)
        if (!are_many || r->rows[c] > 0)
            top_list_offer(chosen, (top_entry){.row = c,
                                               .key = are_many ? -2 * r->right[c] /
                                                                     (r->rows[c] + r->predicted[c])
                                                               : 0});
    top_list_sort(chosen);
    return true;
}

static exit_code print_metrics(const sparcl_model *model, const sparcl_class_report *r) {
    static const char *const names[] = {"LABEL", ">ROWS", ">PRECISION", ">RECALL", ">F1", NULL};
    top_list chosen;
    if (!choose_classes(r, &chosen)) return out_of_memory();
    struct libscols_table *const table = table_new(names);
    for (int64_t i = 0; i < chosen.count; i++)
        add_class(table, r, chosen.entries[i].row, model);
    if (r->classes > MOST_PRINTED)
        printf("\nLowest F1, of %lld labels (--json has up to %d):\n", (long long)r->classes,
               MOST_CLASSES);
    else
        putchar('\n');
    top_list_free(&chosen);
    return table_print(table);
}

/* Of many classes the pairs that are confused most often. */
static exit_code print_pairs(const sparcl_model *model, const sparcl_class_report *r) {
    static const char *const names[] = {"LABEL", "PREDICTED", ">ROWS", NULL};
    top_list pairs;
    if (!r->confusion) return EXIT_OK;
    if (!top_list_create(&pairs, WORST)) return out_of_memory();
    for (int64_t i = 0; i < r->classes * r->classes; i++)
        if (i / r->classes != i % r->classes && r->confusion[i] > 0)
            top_list_offer(&pairs, (top_entry){i, r->confusion[i], r->confusion[i]});
    top_list_sort(&pairs);
    struct libscols_table *const table = table_new(names);
    for (int64_t i = 0; i < pairs.count; i++) {
        char labels[2][LABEL_BYTES], text[NUMBER_BYTES];
        const int64_t pair = pairs.entries[i].row;
        const char *const cells[] = {label_text(labels[0], model, pair / r->classes),
                                     label_text(labels[1], model, pair % r->classes),
                                     number_text(text, pairs.entries[i].value)};
        table_add(table, NULL, cells);
    }
    if (pairs.count > 0) puts("\nMost often confused:");
    top_list_free(&pairs);
    return table_print(table);
}

static exit_code print_confusion(const sparcl_model *model, const sparcl_class_report *r) {
    char text[MOST_COLUMNS + 1][LABEL_BYTES + 1];
    const char *cells[MOST_COLUMNS + 2] = {"LABEL"};
    for (int64_t c = 0; c < r->classes; c++) {
        text[c][0] = '>';
        label_text(text[c] + 1, model, c);
        cells[c + 1] = text[c];
    }
    struct libscols_table *const table = table_new(cells);
    for (int64_t c = 0; c < r->classes; c++) {
        cells[0] = label_text(text[MOST_COLUMNS], model, c);
        for (int64_t k = 0; k < r->classes; k++)
            cells[k + 1] = number_text(text[k], r->confusion[c * r->classes + k]);
        table_add(table, NULL, cells);
    }
    puts("\nRows of each label, by the predicted one:");
    return table_print(table);
}

exit_code classes_print(const sparcl_model *model, const sparcl_class_report *r) {
    if (!r) return EXIT_OK;
    exit_code code = print_metrics(model, r);
    if (code == EXIT_OK)
        code = (r->classes <= MOST_COLUMNS ? print_confusion : print_pairs)(model, r);
    return code == EXIT_OK ? flush_results() : code;
}
