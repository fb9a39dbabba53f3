/* sweep_table.c: the results of a sweep, sorted: as a table, CSV and JSON. */
#include "sweep_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "message.h"
#include "metric_names.h"
#include "output.h"

enum { MAX_COLUMNS = MAX_AXES + 64 };

static const json_t *result_of(const sweep_point *point) {
    return point->state == SWEEP_DONE ? json_object_get(point->run.facts, "result") : NULL;
}

static double metric_of(const sweep_point *point, const char *key) {
    const json_t *const value = json_object_get(result_of(point), key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static double seconds_of(const sweep_point *point) {
    const json_t *const times = json_object_get(point->run.facts, "times");
    return json_number_value(json_object_get(times, "seconds"));
}

static bool some_run_has(const sweep_table *t, const char *key) {
    for (int i = 0; i < t->count; i++)
        if (!isnan(metric_of(&t->points[i], key))) return true;
    return false;
}

/* The keys with a number in any run, in the order in which they occur: names, with true. */
static json_t *number_keys(const sweep_table *t) {
    json_t *const keys = json_object();
    for (int i = 0; i < t->count; i++) {
        const char *key;
        json_t *value;
        json_object_foreach((json_t *)result_of(&t->points[i]), key, value) {
            if (json_is_number(value)) json_object_set_new(keys, key, json_true());
        }
    }
    return keys;
}

/* ---- the order ------------------------------------------------------------------------------ */

/* What qsort compares: it has no argument for it. */
typedef struct sort_key {
    sweep_point point;
    double value; /* less is better; NaN: last */
} sort_key;

static int compare(const void *a, const void *b) {
    const sort_key *const x = a, *const y = b;
    if (isnan(x->value) != isnan(y->value)) return isnan(x->value) ? 1 : -1;
    if (x->value < y->value) return -1;
    if (x->value > y->value) return 1;
    return x->point.number - y->point.number;
}

static exit_code unknown_metric(const sweep_table *t, const char *wanted) {
    json_t *const keys = number_keys(t), *value;
    spc_nearest meant = {.word = wanted};
    const char *key;
    json_object_foreach(keys, key, value) spc_nearest_offer(&meant, key);
    print_error("--sort: no run has a number \"%s\"%s", wanted, spc_nearest_hint(&meant, "", ""));
    print_remedy("choose a JSON key of 'sparcl train --help', such as valid_loss; --csv lists all");
    json_decref(keys);
    return EXIT_USAGE;
}

exit_code sweep_table_sort(sweep_table *t, const char *wanted) {
    const exit_code code = !wanted || some_run_has(t, wanted) ? EXIT_OK : unknown_metric(t, wanted);
    t->metric = wanted && code == EXIT_OK       ? wanted
                : some_run_has(t, "valid_loss") ? "valid_loss"
                                                : "loss";
    sort_key *const sorted = calloc((size_t)t->count + 1, sizeof *sorted);
    if (!sorted) return out_of_memory();
    const double sign = metric_is_better_larger(t->metric) ? -1 : 1;
    for (int i = 0; i < t->count; i++)
        sorted[i] = (sort_key){t->points[i], sign * metric_of(&t->points[i], t->metric)};
    qsort(sorted, (size_t)t->count, sizeof *sorted, compare);
    for (int i = 0; i < t->count; i++)
        t->points[i] = sorted[i].point;
    free(sorted);
    return code;
}

/* ---- the table ------------------------------------------------------------------------------ */

static const char *state_text(char text[NUMBER_BYTES], const sweep_point *point) {
    if (point->state != SWEEP_FAILED) return point->state == SWEEP_DONE ? "done" : "not run";
    snprintf(text, NUMBER_BYTES, "failed (%d)", (int)point->code);
    return text;
}

/* What the table shows of the results: the metrics, of those the one to sort by first. */
static int choose_keys(const sweep_table *t, const char **keys) {
    int count = 0;
    keys[count++] = t->metric;
    for (int i = 0; metric_names[i]; i++)
        if (strcmp(metric_names[i], t->metric) != 0 && some_run_has(t, metric_names[i]))
            keys[count++] = metric_names[i];
    return count;
}

static struct libscols_table *new_table(const sweep_table *t, const char *const *keys, int count,
                                        bool has_states) {
    static char headings[MAX_COLUMNS][AXIS_NAME + 1];
    const char *names[MAX_COLUMNS + 3] = {0};
    int n = 0;
    for (int a = 0; a < t->grid->axis_count; a++)
        names[n++] = t->grid->axes[a].name;
    for (int k = 0; k < count; k++, n++) {
        snprintf(headings[n], sizeof headings[n], ">%s", keys[k]);
        for (char *c = headings[n]; *c; c++)
            if (*c == '_') *c = ' ';
        names[n] = headings[n];
    }
    names[n++] = ">seconds";
    if (has_states) names[n] = "state";
    return table_new(names);
}

static void add_line(struct libscols_table *table, const sweep_table *t, const sweep_point *point,
                     const char *const *keys, int count) {
    char texts[MAX_COLUMNS][NUMBER_BYTES], state[NUMBER_BYTES];
    const char *cells[MAX_COLUMNS + 3] = {0};
    int n = 0;
    for (int a = 0; a < t->grid->axis_count; a++)
        cells[n++] = grid_value(t->grid, point->number, a);
    for (int k = 0; k < count; k++, n++) {
        const double value = metric_of(point, keys[k]);
        snprintf(texts[n], NUMBER_BYTES, "%.6g", value);
        cells[n] = isnan(value) ? "-" : texts[n];
    }
    snprintf(texts[n], NUMBER_BYTES, "%.1f", seconds_of(point));
    cells[n] = point->state == SWEEP_DONE ? texts[n] : "-";
    cells[n + 1] = state_text(state, point);
    table_add(table, NULL, cells);
}

exit_code sweep_table_print(const sweep_table *t) {
    const char *keys[MAX_COLUMNS];
    const int count = choose_keys(t, keys);
    bool has_states = false;
    for (int i = 0; i < t->count; i++)
        has_states |= t->points[i].state != SWEEP_DONE;
    struct libscols_table *const table = new_table(t, keys, count, has_states);
    for (int i = 0; i < t->count; i++)
        add_line(table, t, &t->points[i], keys, count);
    const exit_code code = table_print(table);
    return code == EXIT_OK ? flush_results() : code;
}

/* ---- CSV ------------------------------------------------------------------------------------ */

/* In quotes where it needs them (RFC 4180). */
static void put_field(FILE *file, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++)
        fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', file);
}

static void put_line(FILE *file, const sweep_table *t, const sweep_point *point, json_t *keys) {
    char text[NUMBER_BYTES];
    const char *key;
    json_t *value;
    put_field(file, point->name);
    fprintf(file, ",%s", state_text(text, point));
    for (int a = 0; a < t->grid->axis_count; a++) {
        fputc(',', file);
        put_field(file, grid_value(t->grid, point->number, a));
    }
    json_object_foreach(keys, key, value) {
        const double x = metric_of(point, key);
        fprintf(file, ",%s", isnan(x) ? "" : shortest_number(text, x));
    }
    fprintf(file, ",%s\n",
            point->state == SWEEP_DONE ? shortest_number(text, seconds_of(point)) : "");
}

exit_code sweep_table_save_csv(const sweep_table *t, const char *path) {
    out_file out;
    const exit_code code = out_open(&out, path);
    if (code != EXIT_OK) return code;
    json_t *const keys = number_keys(t), *value;
    const char *key;
    fputs("name,state", out.file);
    for (int a = 0; a < t->grid->axis_count; a++)
        fprintf(out.file, ",%s", t->grid->axes[a].name);
    json_object_foreach(keys, key, value) fprintf(out.file, ",%s", key);
    fputs(",seconds\n", out.file);
    for (int i = 0; i < t->count; i++)
        put_line(out.file, t, &t->points[i], keys);
    json_decref(keys);
    return out_close(&out, true);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *describe_point(const sweep_table *t, const sweep_point *point) {
    static const char *const states[] = {"not run", "done", "failed"};
    json_t *const varies = json_object();
    for (int a = 0; a < t->grid->axis_count; a++)
        json_object_set_new(varies, t->grid->axes[a].name,
                            json_string(grid_value(t->grid, point->number, a)));
    json_t *const object = json_pack("{s:s, s:s, s:o}", "name", point->name, "state",
                                     states[point->state], "options", varies);
    if (point->state == SWEEP_FAILED)
        json_object_set_new(object, "exit_code", json_integer(point->code));
    if (point->state != SWEEP_DONE) return object;
    json_object_set_new(object, "manifest", json_text(point->manifest));
    json_object_set_new(object, "seconds", json_number(seconds_of(point)));
    json_object_set(object, "result", (json_t *)result_of(point));
    return object;
}

exit_code sweep_table_save_json(const sweep_table *t, const char *path) {
    json_t *const runs = json_array();
    for (int i = 0; i < t->count; i++)
        json_array_append_new(runs, describe_point(t, &t->points[i]));
    return save_object(json_pack("{s:s, s:o}", "sorted_by", t->metric, "runs", runs), path);
}
