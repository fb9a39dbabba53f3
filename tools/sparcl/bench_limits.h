/* bench_limits.h: measures the maximum memory throughput of the device, for 'bench limits' and for
 * the limit of each timed call. */
#ifndef SPARCL_TOOL_BENCH_LIMITS_H
#define SPARCL_TOOL_BENCH_LIMITS_H

#include "exit_codes.h"
#include "limits.h"
#include "spec/bench/bench.h"

/* 'sparcl bench limits': a line for each kind of traffic. */
sparcl_status bench_limits_print(sparcl_ctx *ctx, bool as_json);

/* Bytes per second that the device reaches with memory traffic of the call's kind and size. */
sparcl_status bench_limit_of(sparcl_ctx *ctx, const spec_bench *bench, const spec_bench_call *call,
                             double *rate);

#endif
