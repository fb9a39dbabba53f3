/* class_curves.c: the ROC and the precision-recall curve, as SVG. */
#include <stdbool.h>
#include <stdlib.h>

#include "class_result.h"
#include "message.h"
#include "output.h"
#include "svg.h"

/* Where the points of both curves are; the first is above all scores. */
typedef struct curve_points {
    double *false_positive, *recall, *precision; /* [count] */
    int count;
} curve_points;

static bool make_points(curve_points *to, const sparcl_class_report *r) {
    const size_t count = (size_t)r->point_count + 1;
    *to = (curve_points){calloc(count, sizeof(double)), calloc(count, sizeof(double)),
                         calloc(count, sizeof(double)), (int)count};
    if (!to->false_positive || !to->recall || !to->precision) return false;
    to->precision[0] = 1; /* as in scikit-learn */
    for (size_t i = 1; i < count; i++) {
        const sparcl_curve_point *const p = &r->points[i - 1];
        to->false_positive[i] = p->false_positives / r->rows[0];
        to->recall[i] = p->true_positives / r->rows[1];
        to->precision[i] = p->true_positives / (p->true_positives + p->false_positives);
    }
    return true;
}

static void free_points(curve_points *points) {
    free(points->false_positive);
    free(points->recall);
    free(points->precision);
}

static void write_plots(FILE *file, const curve_points *points, const sparcl_metrics *m,
                        double share) {
    const double ends[] = {0, 1}, shares[] = {share, share};
    char auc[64], ap[64];
    snprintf(auc, sizeof auc, "AUC %.4f", m->auc);
    snprintf(ap, sizeof ap, "average precision %.4f", m->average_precision);
    const svg_series roc[] = {{auc, points->false_positive, points->recall, points->count},
                              {"chance", ends, ends, 2}};
    const svg_series pr[] = {{ap, points->recall, points->precision, points->count},
                             {"chance", ends, shares, 2}};
    const svg_plot plots[] = {{.title = "ROC curve",
                               .x_label = "false positive rate",
                               .y_label = "true positive rate (recall)",
                               .series = roc,
                               .count = 2,
                               .linear = 1,
                               .no_points = 1},
                              {.title = "Precision-recall curve",
                               .x_label = "recall",
                               .y_label = "precision",
                               .series = pr,
                               .count = 2,
                               .linear = 1,
                               .no_points = 1}};
    svg_write(file, plots, 2);
}

static exit_code refuse(const sparcl_model *model, const char *path) {
    const sparcl_model_info *const info = sparcl_model_get_info(model);
    const bool is_binary = info->classes == 2 && info->outputs == 1;
    print_error("%s: not written: curves are of two classes, found %s", path,
                is_binary ? "rows of only one, or scores that are NaN"
                          : "a model of more, or of numbers");
    print_remedy(is_binary ? "use data that have both labels" : "omit --svg");
    return EXIT_CONTRACT;
}

exit_code curves_save(const sparcl_model *model, const sparcl_metrics *metrics,
                      const sparcl_class_report *r, const char *path) {
    curve_points points;
    out_file out;
    if (!r || r->point_count == 0) return refuse(model, path);
    exit_code code = make_points(&points, r) ? EXIT_OK : out_of_memory();
    if (code == EXIT_OK) code = out_open(&out, path);
    if (code == EXIT_OK) {
        write_plots(out.file, &points, metrics, r->rows[1] / (r->rows[0] + r->rows[1]));
        code = out_close(&out, true);
    }
    free_points(&points);
    return code;
}
