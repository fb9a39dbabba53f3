/* bench_scale.h: how time and scratch memory grow with the entries and with the ids. */
#ifndef SPARCL_TOOL_BENCH_SCALE_H
#define SPARCL_TOOL_BENCH_SCALE_H

#include <stdbool.h>

#include "exit_codes.h"
#include "spec/bench.h"

typedef struct scale_options {
    const spec_bench *only; /* NULL: each operation */
    sparcl_rule rule;       /* of those that have rules */
    int64_t n;
    int64_t maximum; /* entries, and ids */
    const char *device, *svg;
    bool no_check, json;
} scale_options;

exit_code bench_scale(const scale_options *options);

#endif
