/* bench_limits.h: what the device can do at most, told on its own and beside what was timed. */
#ifndef SPARCL_TOOL_BENCH_LIMITS_H
#define SPARCL_TOOL_BENCH_LIMITS_H

#include "exit_codes.h"
#include "limits.h"
#include "spec/bench.h"

/* 'sparcl bench limits': a line for each kind of traffic. */
sparcl_status bench_limits_print(sparcl_ctx *ctx, bool as_json);

/* Bytes a second that the device reaches with traffic of the kind and size of the call's. */
sparcl_status bench_limit_of(sparcl_ctx *ctx, const spec_bench *bench, const spec_bench_call *call,
                             double *rate);

#endif
