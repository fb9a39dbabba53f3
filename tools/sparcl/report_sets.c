/* report_sets.c: which runs of a page are of the same data. */
#include "report_sets.h"

#include "svg.h"

static const json_t *data_at(const report_run *run, const char *name, const char *key) {
    const json_t *const all = json_object_get(run->facts, "data");
    return json_object_get(json_object_get(all, name), key);
}

static bool has_equal(const report_run *a, const report_run *b, const char *key) {
    static const char *const names[] = {"train", "valid"};
    for (int i = 0; i < 2; i++) {
        const json_t *const x = data_at(a, names[i], key), *const y = data_at(b, names[i], key);
        if (!x != !y || (x && !json_equal(x, y))) return false;
    }
    return true;
}

/* Of training and validation together: rows that are held out at random change none of it. */
static double total(const report_run *run, const char *key) {
    return json_number_value(data_at(run, "train", key)) +
           json_number_value(data_at(run, "valid", key));
}

static bool has_same_data(const report_run *a, const report_run *b) {
    if (!data_at(a, "train", "rows") || !data_at(b, "train", "rows")) return true;
    if (has_equal(a, b, "fingerprint")) return true;
    return has_equal(a, b, "path") && total(a, "rows") == total(b, "rows") &&
           total(a, "entries") == total(b, "entries");
}

int report_set_of(const report_run *runs, int i) {
    for (int j = 0; j < i; j++)
        if (has_same_data(&runs[j], &runs[i])) return j;
    return i;
}

bool report_sets_differ(const report_run *runs, int count) {
    for (int i = 1; i < count; i++)
        if (report_set_of(runs, i) == i) return true;
    return false;
}

int report_set_number(const report_run *runs, int i) {
    const int first = report_set_of(runs, i);
    int number = 1;
    for (int j = 0; j < first; j++)
        number += report_set_of(runs, j) == j;
    return number;
}

static void write_path(FILE *file, const report_run *run, const char *name) {
    const char *const path = json_string_value(data_at(run, name, "path"));
    svg_write_text(file, path ? path : "rows held out");
    fprintf(file, " (%.0f rows)", json_number_value(data_at(run, name, "rows")));
}

void report_sets_write(FILE *file, const report_run *runs, int count) {
    if (!report_sets_differ(runs, count)) return;
    fputs("<div class=\"warning\"><p>These runs are not all of the same data: their metrics and "
          "curves "
          "can be compared only within a set.</p>\n<ul>\n",
          file);
    for (int i = 0; i < count; i++) {
        if (report_set_of(runs, i) != i) continue;
        fprintf(file, "<li>data %d: ", report_set_number(runs, i));
        write_path(file, &runs[i], "train");
        if (data_at(&runs[i], "valid", "rows")) {
            fputs(", validated on ", file);
            write_path(file, &runs[i], "valid");
        }
        fputs("</li>\n", file);
    }
    fputs("</ul></div>\n", file);
}
