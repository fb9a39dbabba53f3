/* tune_time.h: the candidates of a tunable for one class of inputs: checked, then timed in turns.
 */
#ifndef SPARCL_TOOL_TUNE_TIME_H
#define SPARCL_TOOL_TUNE_TIME_H

#include "exit_codes.h"
#include "tune_case.h"

enum { TUNE_VALUES = SPARCL_TUNE_CANDIDATES + 1 };

/* One value. */
typedef struct tune_trial {
    int32_t value;
    bool refused;        /* it gave a wrong result, and was not timed */
    double seconds;      /* of a call: the median */
    double gain, spread; /* seconds of the default by its own, turn by turn: the median, and by how
                            much that is uncertain */
} tune_trial;

typedef struct tune_trials {
    tune_trial at[TUNE_VALUES]; /* the default first */
    int count, refused;
    int chosen; /* the default, unless another is faster by more than the spread */
    bool used;  /* the operation looked at the value */
} tune_trials;

/*
 * Try them on a case for about so many seconds; the context then has the value that it had. What
 * goes wrong is told, a refused candidate too. EXIT_INTERRUPTED where that was asked for meanwhile.
 */
exit_code tune_try(sparcl_ctx *ctx, int tunable, int input_class, const tune_case *c,
                   double seconds, tune_trials *trials);

#endif
