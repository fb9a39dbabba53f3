/* bench_time.h: measures the time of a call: repeats it and sorts the times. */
#ifndef SPARCL_TOOL_BENCH_TIME_H
#define SPARCL_TOOL_BENCH_TIME_H

#include <stdint.h>

#include "sparcl/sparcl.h"

enum { MAX_REPEATS = 10000 };

typedef struct bench_times {
    double seconds[MAX_REPEATS]; /* per call, ascending */
    int count;
} bench_times;

/* The function to time: enqueues one call. */
typedef sparcl_status (*bench_work)(sparcl_ctx *ctx, const void *user);

typedef struct bench_effort {
    int in_flight;  /* calls in flight; the wait is for the last */
    int64_t repeat; /* number of measurements; 0: for `seconds`, 5 to 200 times */
    double seconds;
} bench_effort;

/* Time the call. Two measurements before are discarded: they build kernels and warm up caches. */
sparcl_status bench_measure(sparcl_ctx *ctx, bench_work work, const void *user,
                            const bench_effort *effort, bench_times *times);

double bench_median(const bench_times *times);
/* The 95th percentile. */
double bench_p95(const bench_times *times);

#endif
