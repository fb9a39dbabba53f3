/* limits.h: measures the maximum memory throughput of a device, and the time of an empty kernel. */
#ifndef SPARCL_TOOL_LIMITS_H
#define SPARCL_TOOL_LIMITS_H

#include <stdbool.h>

#include "bench_time.h"
#include "sparcl/probe.h"

/* Rates are compared with those of memory. */
#define LIMITS_NOTE "what is above the limit came from caches"

typedef struct limits_speed {
    double rate; /* bytes per second, read and written, by the minimum time */
    bench_times times;
} limits_speed;

/* READ, WRITE, COPY or TRIAD, with arrays of `bytes` bytes together; normal or non-temporal stores,
 * whichever is faster. */
sparcl_status limits_stream(sparcl_ctx *ctx, sparcl_traffic_kind kind, int64_t bytes,
                            limits_speed *speed);
/* GATHER of random rows, or UPDATE of some rows in ascending order, of a table. */
sparcl_status limits_rows(sparcl_ctx *ctx, sparcl_traffic_kind kind, int64_t row_bytes,
                          int64_t table_bytes, limits_speed *speed);
/* Transfers between host and device. */
sparcl_status limits_transfers(sparcl_ctx *ctx, int64_t bytes, limits_speed *read,
                               limits_speed *write);
/* Streams and transfers of arrays that are larger than caches, where that is quick. */
typedef struct limits_memory {
    int64_t bytes; /* copied, read and written */
    limits_speed copy, read, write;
} limits_memory;
sparcl_status limits_bandwidth(sparcl_ctx *ctx, limits_memory *memory);
/* The time of an empty kernel, with a wait after each, or with many in flight. */
sparcl_status limits_launch(sparcl_ctx *ctx, bool queued, limits_speed *speed);

#endif
