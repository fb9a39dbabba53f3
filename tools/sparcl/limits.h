/* limits.h: how fast a device moves memory at most, and what a kernel costs that does nothing. */
#ifndef SPARCL_TOOL_LIMITS_H
#define SPARCL_TOOL_LIMITS_H

#include <stdbool.h>

#include "bench_time.h"
#include "sparcl/probe.h"

typedef struct limits_speed {
    double rate; /* bytes a second, by the shortest time; what is read and what is written count */
    bench_times times;
} limits_speed;

/* READ, WRITE, COPY or TRIAD, with arrays that are `bytes` large together; of stores into the
 * caches and past them, what is faster. */
sparcl_status limits_stream(sparcl_ctx *ctx, sparcl_traffic_kind kind, int64_t bytes,
                            limits_speed *speed);
/* GATHER of random rows, or UPDATE of a part of the rows in their order, of a table. */
sparcl_status limits_rows(sparcl_ctx *ctx, sparcl_traffic_kind kind, int64_t row_bytes,
                          int64_t table_bytes, limits_speed *speed);
/* Between host and device. */
sparcl_status limits_transfers(sparcl_ctx *ctx, int64_t bytes, limits_speed *read,
                               limits_speed *write);
/* An empty kernel: seconds of one, with a wait for each, or with many in flight. */
sparcl_status limits_launch(sparcl_ctx *ctx, bool queued, limits_speed *speed);

#endif
