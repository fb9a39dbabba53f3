/* train_curve.h: writes the learning curve of a run as an SVG file. */
#ifndef SPARCL_TOOL_TRAIN_CURVE_H
#define SPARCL_TOOL_TRAIN_CURVE_H

#include <stdbool.h>

#include "exit_codes.h"
#include "sparcl/train.h"

/* The losses after each pass; NaN if there is none. A zeroed curve is empty. */
typedef struct train_curve {
    double *pass, *loss, *valid_loss;
    int count, capacity;
    bool out_of_memory;
} train_curve;

/* Add the progress of a step: stores the losses if a pass has ended. */
void curve_add(train_curve *curve, const sparcl_train_progress *now);
/* Errors are reported on standard error. */
exit_code curve_save(const train_curve *curve, const char *loss_name, const char *path);
void curve_free(train_curve *curve);

#endif
