/* report_ranking.c: the runs of a page from best to worst. */
#include "report_ranking.h"

#include <math.h>
#include <stdlib.h>

#include "message.h"
#include "metric_names.h"
#include "report_sets.h"
#include "report_table.h"
#include "svg.h"

typedef struct place {
    int run, set;
    double order; /* small is good; NaN: no such metric */
} place;

static const json_t *result_of(const report_run *run, const char *key) {
    return json_object_get(json_object_get(run->facts, "result"), key);
}

static int count_with(const report_run *runs, int count, const char *metric) {
    int found = 0;
    for (int i = 0; i < count; i++)
        found += json_is_number(result_of(&runs[i], metric));
    return found;
}

/* The first metric that all runs have; else the one that most have. NULL: none. */
static const char *choose_metric(const report_run *runs, int count) {
    const char *best = NULL;
    int most = 0;
    for (int i = 0; metric_names[i]; i++) {
        const int found = count_with(runs, count, metric_names[i]);
        if (found > most) {
            most = found;
            best = metric_names[i];
        }
    }
    return best;
}

static int by_set_and_order(const void *left, const void *right) {
    const place *const a = left, *const b = right;
    if (a->set != b->set) return a->set < b->set ? -1 : 1;
    if (isnan(a->order) != isnan(b->order)) return isnan(a->order) ? 1 : -1;
    if (a->order < b->order || a->order > b->order) return a->order < b->order ? -1 : 1;
    return a->run - b->run;
}

static place *make_places(const report_run *runs, int count, const char *metric) {
    place *const places = malloc((size_t)count * sizeof *places);
    for (int i = 0; places && i < count; i++) {
        const json_t *const value = result_of(&runs[i], metric);
        const double x = json_is_number(value) ? json_number_value(value) : (double)NAN;
        places[i] = (place){i, report_set_of(runs, i), metric_is_better_larger(metric) ? -x : x};
    }
    if (places) qsort(places, (size_t)count, sizeof *places, by_set_and_order);
    return places;
}

static void write_cell(FILE *file, const json_t *number) {
    fputs("<td>", file);
    if (json_is_number(number))
        report_number_write(file, number);
    else
        fputs("-", file);
    fputs("</td>", file);
}

/* Equal values have one rank. */
static void write_place(FILE *file, const report_run *runs, const char *metric, const place *p,
                        int rank, int has_sets) {
    char *const name = report_run_name(runs, p->run);
    fputs(rank == 1 ? "<tr class=\"best\"><td>" : "<tr><td>", file);
    if (rank > 0)
        fprintf(file, "%d</td>", rank);
    else
        fputs("-</td>", file);
    if (has_sets) fprintf(file, "<td>%d</td>", report_set_number(runs, p->run));
    fputs("<th>", file);
    svg_write_text(file, name ? name : "");
    fputs("</th>", file);
    write_cell(file, result_of(&runs[p->run], metric));
    write_cell(file, json_object_get(json_object_get(runs[p->run].facts, "times"), "seconds"));
    fputs("</tr>\n", file);
    free(name);
}

exit_code report_ranking_write(FILE *file, const report_run *runs, int count) {
    const char *const metric = choose_metric(runs, count);
    const int has_sets = report_sets_differ(runs, count);
    if (count < 2 || !metric) return EXIT_OK;
    place *const places = make_places(runs, count, metric);
    if (!places) return out_of_memory();
    fprintf(file,
            "<h2>Ranking by %s</h2>\n<div class=\"wide\"><table id=\"ranking\">\n"
            "<tr><th>rank</th>%s<th>run</th><th>%s</th><th>seconds</th></tr>\n",
            metric, has_sets ? "<th>data</th>" : "", metric);
    int first = 0, rank = 0;
    for (int i = 0; i < count; i++) {
        if (i == 0 || places[i].set != places[i - 1].set) first = i;
        if (i == first || places[i].order > places[i - 1].order) rank = i - first + 1;
        write_place(file, runs, metric, &places[i], isnan(places[i].order) ? 0 : rank, has_sets);
    }
    fputs("</table></div>\n", file);
    free(places);
    return EXIT_OK;
}
