/* tune_case.h: what each tunable is tried on: an operation and an input of each class. */
#ifndef SPARCL_TOOL_TUNE_CASE_H
#define SPARCL_TOOL_TUNE_CASE_H

#include "sparcl/context.h"
#include "spec/bench.h"

typedef struct tune_case {
    const spec_bench *bench;
    char matrix[64]; /* a description, as bench_matrix_open takes it */
    int64_t n;
} tune_case;

/* For tunable `tunable`, class `input_class`, and kernels of the context's class; false where there
 * is none, because these kernels do not look at it. */
bool tune_case_of(const sparcl_ctx *ctx, int tunable, int input_class, tune_case *c);

#endif
