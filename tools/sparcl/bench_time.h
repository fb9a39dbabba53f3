/* bench_time.h: how long a call takes: it is made again and again, and the times are sorted. */
#ifndef SPARCL_TOOL_BENCH_TIME_H
#define SPARCL_TOOL_BENCH_TIME_H

#include <stdint.h>

#include "sparcl/sparcl.h"

enum { MAX_REPEATS = 10000 };

typedef struct bench_times {
    double seconds[MAX_REPEATS]; /* of one call, ascending */
    int count;
} bench_times;

/* What is timed: enqueues one call. */
typedef sparcl_status (*bench_work)(sparcl_ctx *ctx, const void *user);

typedef struct bench_effort {
    int together;   /* calls in flight; the wait is for the last */
    int64_t repeat; /* how often; 0: for so many seconds, 5 to 200 times */
    double seconds;
} bench_effort;

/* Time the call, after two times that do not count: they build kernels and warm caches. */
sparcl_status bench_measure(sparcl_ctx *ctx, bench_work work, const void *user,
                            const bench_effort *effort, bench_times *times);

double bench_median(const bench_times *times);
/* 95 of 100 took no longer. */
double bench_p95(const bench_times *times);

#endif
