/* tune_time.h: checks the candidates of a tunable for one class of inputs, then times them
 * alternately.
 */
#ifndef SPARCL_TOOL_TUNE_TIME_H
#define SPARCL_TOOL_TUNE_TIME_H

#include "exit_codes.h"
#include "tune_case.h"

enum { TUNE_VALUES = SPARCL_TUNE_CANDIDATES + 1 };

/* A value and its measurements. */
typedef struct tune_trial {
    int32_t value;
    bool refused;        /* it gave a wrong result, and was not timed */
    double seconds;      /* per call: the median */
    double gain, spread; /* seconds of the default divided by its own, in each turn: the median, and
                              its uncertainty */
} tune_trial;

typedef struct tune_trials {
    tune_trial at[TUNE_VALUES]; /* the default first */
    int count, refused;
    int chosen; /* the default, unless another is faster by more than the spread */
    bool used;  /* the operation used the value */
} tune_trials;

/*
 * Time all values on a case for about `seconds` seconds; the context keeps its current value.
 * Errors and refused candidates are printed. Returns EXIT_INTERRUPTED after an interrupt.
 */
exit_code tune_try(sparcl_ctx *ctx, int tunable, int input_class, const tune_case *c,
                   double seconds, tune_trials *trials);

#endif
