/* tune_case.h: the operation and the input for timing each tunable and class. */
#ifndef SPARCL_TOOL_TUNE_CASE_H
#define SPARCL_TOOL_TUNE_CASE_H

#include "sparcl/context.h"
#include "spec/bench/bench.h"

typedef struct tune_case {
    const spec_bench *bench;
    char matrix[64]; /* a description for bench_matrix_open */
    int64_t n;
} tune_case;

/* For tunable `tunable`, class `input_class`, and kernels of the context's class; false if there is
 * none, because these kernels do not use the tunable. */
bool tune_case_of(const sparcl_ctx *ctx, int tunable, int input_class, tune_case *c);

#endif
