/* bench_crossover.h: finds the density above which a dense product is faster than the sparse
 * one. */
#ifndef SPARCL_TOOL_BENCH_CROSSOVER_H
#define SPARCL_TOOL_BENCH_CROSSOVER_H

#include <stdbool.h>

#include "exit_codes.h"
#include "sparcl/sparcl.h"

enum { CROSSOVER_SIDE = 1024, CROSSOVER_WIDTHS = 32 };

typedef struct crossover_options {
    const int64_t *widths;
    int count;
    const char *svg;
    bool json;
} crossover_options;

exit_code bench_crossover(sparcl_ctx *ctx, const crossover_options *options);

#endif
