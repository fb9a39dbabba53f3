/* metrics_result.c: the metrics of a model on a data set, as JSON. */
#include "metrics_result.h"

#include <math.h>
#include <stdio.h>

#include "output.h"

static void add(json_t *object, const char *prefix, const char *name, json_t *value) {
    char key[64];
    snprintf(key, sizeof key, "%s%s", prefix, name);
    json_object_set_new(object, key, value);
}

static void add_defined(json_t *object, const char *prefix, const char *name, double value) {
    if (!isnan(value)) add(object, prefix, name, json_number(value));
}

static void add_calibration(json_t *object, const char *prefix, const sparcl_metrics *m) {
    json_t *const bins = json_array();
    for (int b = 0; b < SPARCL_CALIBRATION_BINS; ++b)
        if (m->calibration[b].rows > 0)
            json_array_append_new(bins, json_pack("[f, f, f]", m->calibration[b].rows,
                                                  m->calibration[b].predicted,
                                                  m->calibration[b].observed));
    add(object, prefix, "calibration", bins);
}

/* The part of the variance that is explained. */
static double r2_of(const sparcl_metrics *m) {
    const double part = m->rmse / m->best_constant_rmse;
    return m->best_constant_rmse > 0 ? 1 - part * part : (double)NAN;
}

void metrics_describe(json_t *object, const char *prefix, const sparcl_metrics *m) {
    const struct {
        const char *name;
        double value;
    } values[] = {{"objective", m->objective},
                  {"accuracy", m->accuracy},
                  {"f1", m->f1},
                  {"auc", m->auc},
                  {"average_precision", m->average_precision},
                  {"calibration_error", m->calibration_error},
                  {"rmse", m->rmse},
                  {"mae", m->mae},
                  {"r2", r2_of(m)},
                  {"best_constant_loss", m->best_constant_loss},
                  {"best_constant_accuracy", m->best_constant_accuracy},
                  {"best_constant_f1", m->best_constant_f1},
                  {"best_constant_average_precision", m->best_constant_average_precision},
                  {"best_constant_rmse", m->best_constant_rmse},
                  {"best_constant_mae", m->best_constant_mae}};
    add(object, prefix, "rows", json_integer((json_int_t)m->rows));
    add(object, prefix, "loss", json_number(m->loss));
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i)
        add_defined(object, prefix, values[i].name, values[i].value);
    if (m->unknown_labels > 0)
        add(object, prefix, "unknown_labels", json_integer((json_int_t)m->unknown_labels));
    if (!isnan(m->calibration_error)) add_calibration(object, prefix, m);
}
