/* train_curve.h: the learning curve of a run, as an SVG file. */
#ifndef SPARCL_TOOL_TRAIN_CURVE_H
#define SPARCL_TOOL_TRAIN_CURVE_H

#include <stdbool.h>

#include "exit_codes.h"
#include "sparcl/train.h"

/* The losses after each pass, NaN where there are none; zero is an empty one. */
typedef struct train_curve {
    double *pass, *loss, *valid_loss;
    int count, capacity;
    bool lacks_memory;
} train_curve;

/* What a step reports; a pass that ended is kept. */
void curve_add(train_curve *curve, const sparcl_train_progress *now);
/* A failure is reported on standard error. */
exit_code curve_save(const train_curve *curve, const char *loss_name, const char *path);
void curve_free(train_curve *curve);

#endif
