/* bench_time.c: measures the time of a call. */
#include "bench_time.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"

/* Without a given number of repeats: at least MIN_REPEATS, then until the time is over. */
enum { MIN_REPEATS = 5, FREE_REPEATS = 200 };

typedef struct task {
    bench_work work;
    const void *user;
    int in_flight;
} task;

/* Enqueue some calls and wait for all of them: seconds per call. */
static sparcl_status time_once(sparcl_ctx *ctx, const task *t, double *seconds) {
    sparcl_status status = SPARCL_OK;
    const double begin = spc_clock();
    for (int i = 0; i < t->in_flight && status == SPARCL_OK; i++)
        status = t->work(ctx, t->user);
    if (status == SPARCL_OK) status = sparcl_ctx_finish(ctx);
    *seconds = (spc_clock() - begin) / t->in_flight;
    return status;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool is_enough(int count, const bench_effort *effort, double begin) {
    if (effort->repeat) return count >= effort->repeat;
    return count >= FREE_REPEATS || (count >= MIN_REPEATS && spc_clock() - begin > effort->seconds);
}

sparcl_status bench_measure(sparcl_ctx *ctx, bench_work work, const void *user,
                            const bench_effort *effort, bench_times *times) {
    const task t = {work, user, effort->in_flight};
    sparcl_status status = SPARCL_OK;
    double ignored;
    times->count = 0;
    for (int i = 0; i < 2 && status == SPARCL_OK; i++)
        status = time_once(ctx, &t, &ignored);
    const double begin = spc_clock();
    for (; status == SPARCL_OK && !is_enough(times->count, effort, begin); times->count++)
        status = time_once(ctx, &t, &times->seconds[times->count]);
    qsort(times->seconds, (size_t)times->count, sizeof *times->seconds, compare);
    return status;
}

double bench_median(const bench_times *t) {
    return 0.5 * (t->seconds[(t->count - 1) / 2] + t->seconds[t->count / 2]);
}

double bench_p95(const bench_times *t) {
    return t->seconds[(int)ceil(0.95 * t->count) - 1];
}
