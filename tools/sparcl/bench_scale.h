/* bench_scale.h: measures how time and scratch memory grow with the number of entries and of
 * ids. */
#ifndef SPARCL_TOOL_BENCH_SCALE_H
#define SPARCL_TOOL_BENCH_SCALE_H

#include <stdbool.h>

#include "exit_codes.h"
#include "spec/bench/bench.h"

typedef struct scale_options {
    const spec_bench *only; /* NULL: all operations */
    sparcl_optim optim;     /* of operations with an optimizer */
    int64_t n;
    int64_t maximum; /* of entries, and of ids */
    const char *device, *svg;
    bool no_check, json;
} scale_options;

exit_code bench_scale(const scale_options *options);

#endif
