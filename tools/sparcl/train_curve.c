/* train_curve.c: the learning curve: the losses on training and validation data after each pass. */
#include "train_curve.h"

#include <math.h>
#include <stdlib.h>

#include "message.h"
#include "output.h"
#include "svg.h"

static bool grow(double **numbers, int capacity) {
    double *const more = realloc(*numbers, (size_t)capacity * sizeof(double));
    if (more) *numbers = more;
    return more != NULL;
}

static bool ensure_capacity(train_curve *curve) {
    if (curve->count < curve->capacity) return true;
    const int capacity = curve->capacity > 0 ? 2 * curve->capacity : 64;
    if (!grow(&curve->pass, capacity) || !grow(&curve->loss, capacity) ||
        !grow(&curve->valid_loss, capacity))
        return false;
    curve->capacity = capacity;
    return true;
}

void curve_add(train_curve *curve, const sparcl_train_progress *now) {
    const double last = curve->count > 0 ? curve->pass[curve->count - 1] : 0;
    if ((double)now->epoch <= last || curve->out_of_memory) return;
    if (!ensure_capacity(curve)) {
        curve->out_of_memory = true;
        return;
    }
    curve->pass[curve->count] = (double)now->epoch;
    curve->loss[curve->count] = now->loss;
    curve->valid_loss[curve->count++] = now->valid_loss;
}

exit_code curve_save(const train_curve *curve, const char *loss_name, const char *path) {
    char label[64];
    snprintf(label, sizeof label, "%s loss", loss_name);
    const bool has_valid = curve->count > 0 && !isnan(curve->valid_loss[0]);
    const svg_series series[] = {
        {"training data", curve->pass, curve->loss, curve->count},
        {"validation data", curve->pass, curve->valid_loss, curve->count},
    };
    const svg_plot plot = {
        .title = "learning curve",
        .x_label = "passes over the training data",
        .y_label = label,
        .series = series,
        .count = has_valid ? 2 : 1,
        .linear = 1,
    };
    out_file out;
    if (curve->out_of_memory) return out_of_memory();
    const exit_code code = out_open(&out, path);
    if (code != EXIT_OK) return code;
    svg_write(out.file, &plot, 1);
    return out_close(&out, true);
}

void curve_free(train_curve *curve) {
    free(curve->pass);
    free(curve->loss);
    free(curve->valid_loss);
}
