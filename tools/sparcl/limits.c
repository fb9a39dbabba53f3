/* limits.c: measures the maximum memory throughput of a device, and the time of an empty kernel. */
#include "limits.h"

#include <math.h>
#include <stdlib.h>

/* Many short calls are in flight, so that the time is that of the memory and not of the queue. */
static const double flight_seconds = 2e-3, turn_seconds = 0.03;
enum { MAX_IN_FLIGHT = 200, LAUNCHES = 100 };

enum { FLOATS_OF_LINE = 16, LINE_BYTES = 64 };
/* One row of this number of rows is updated, on average, as with a mini-batch. */
enum { ROWS_BETWEEN = 9 };
enum { MIN_IDS = 1024, MAX_IDS = 1 << 22 };

static int64_t at_min(int64_t x, int64_t minimum) {
    return x < minimum ? minimum : x;
}

/* ---- one call, repeated --------------------------------------------------------------------- */

static sparcl_status enqueue(sparcl_ctx *ctx, const void *user) {
    return sparcl_ctx_traffic(ctx, user);
}

/* Time one call after the first ones, which build the kernel. */
static sparcl_status time_one(sparcl_ctx *ctx, const sparcl_traffic *traffic, double *seconds) {
    const bench_effort two = {.in_flight = 1, .repeat = 1};
    static bench_times t;
    const sparcl_status status = bench_measure(ctx, enqueue, traffic, &two, &t);
    *seconds = status == SPARCL_OK ? t.seconds[0] : 0;
    return status;
}

/* Time calls that move `bytes` bytes each. */
static sparcl_status time_traffic(sparcl_ctx *ctx, const sparcl_traffic *traffic, double bytes,
                                  limits_speed *speed) {
    double one = 0;
    sparcl_status status = time_one(ctx, traffic, &one);
    const double in_flight = one > 0 ? ceil(flight_seconds / one) : 1;
    const bench_effort effort = {.in_flight =
                                     in_flight < MAX_IN_FLIGHT ? (int)in_flight : MAX_IN_FLIGHT,
                                 .seconds = turn_seconds};
    if (status == SPARCL_OK) status = bench_measure(ctx, enqueue, traffic, &effort, &speed->times);
    speed->rate = status == SPARCL_OK ? bytes / speed->times.seconds[0] : 0;
    return status;
}

/* An array of numbers that are neither 0 nor subnormal. */
static sparcl_status make_array(sparcl_ctx *ctx, sparcl_traffic *t, sparcl_buf **buf) {
    const int64_t bytes = t->rows * t->width * (int64_t)sizeof(float);
    const sparcl_status status = sparcl_buf_create(ctx, buf, bytes);
    if (status != SPARCL_OK) return status;
    sparcl_traffic fill = *t;
    fill.kind = SPARCL_TRAFFIC_WRITE;
    fill.z = *buf;
    return sparcl_ctx_traffic(ctx, &fill);
}

/* The output of kernels that only read. */
static sparcl_status make_place(sparcl_ctx *ctx, sparcl_traffic *t) {
    return sparcl_buf_create(ctx, &t->z, sizeof(float));
}

static void free_arrays(sparcl_traffic *t) {
    sparcl_buf_free(t->x);
    sparcl_buf_free(t->y);
    sparcl_buf_free(t->z);
    sparcl_buf_free(t->ids);
}

/* ---- streams -------------------------------------------------------------------------------- */

sparcl_status limits_stream(sparcl_ctx *ctx, sparcl_traffic_kind kind, int64_t bytes,
                            limits_speed *speed) {
    const bool reads = kind != SPARCL_TRAFFIC_WRITE, writes = kind != SPARCL_TRAFFIC_READ;
    const bool reads_two = kind == SPARCL_TRAFFIC_TRIAD;
    const int arrays = (int)reads + (int)writes + (int)reads_two;
    const int64_t rows = at_min(bytes / arrays / LINE_BYTES, 1);
    sparcl_traffic t = {.kind = kind, .rows = rows, .width = FLOATS_OF_LINE};
    sparcl_status status = writes ? make_array(ctx, &t, &t.z) : make_place(ctx, &t);
    if (status == SPARCL_OK && reads) status = make_array(ctx, &t, &t.x);
    if (status == SPARCL_OK && reads_two) status = make_array(ctx, &t, &t.y);
    if (status == SPARCL_OK)
        status = time_traffic(ctx, &t, (double)rows * LINE_BYTES * arrays, speed);
    t.non_temporal = 1;
    if (status == SPARCL_OK && writes) {
        limits_speed past;
        status = time_traffic(ctx, &t, (double)rows * LINE_BYTES * arrays, &past);
        if (status == SPARCL_OK && past.rate > speed->rate) *speed = past;
    }
    free_arrays(&t);
    return status;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static uint64_t draw(uint64_t *seed) { /* splitmix64 */
    uint64_t x = *seed += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Random rows; or some rows, ascending and unique. */
static int64_t draw_ids(int32_t *ids, int64_t capacity, int64_t rows, bool ascending) {
    uint64_t seed = 1;
    int64_t count = 0;
    if (!ascending)
        for (; count < capacity; count++)
            ids[count] = (int32_t)(draw(&seed) % (uint64_t)rows);
    for (int64_t row = 0; ascending && count < capacity && row < rows; count++) {
        ids[count] = (int32_t)row;
        row += 1 + (int64_t)(draw(&seed) % (2 * ROWS_BETWEEN - 1));
    }
    return count;
}

/* One id per row on average, but enough ids for a measurement. */
static sparcl_status make_ids(sparcl_ctx *ctx, sparcl_traffic *t) {
    const bool ascending = t->kind == SPARCL_TRAFFIC_UPDATE;
    const int64_t capacity = t->rows < MAX_IDS ? at_min(t->rows, MIN_IDS) : MAX_IDS;
    int32_t *const ids = malloc((size_t)capacity * sizeof *ids);
    if (!ids) return SPARCL_E_MEMORY;
    t->ids_count = draw_ids(ids, capacity, t->rows, ascending);
    const sparcl_status status =
        sparcl_buf_upload(ctx, &t->ids, ids, t->ids_count * (int64_t)sizeof *ids);
    free(ids);
    return status;
}

sparcl_status limits_rows(sparcl_ctx *ctx, sparcl_traffic_kind kind, int64_t row_bytes,
                          int64_t table_bytes, limits_speed *speed) {
    const int64_t lines = at_min((row_bytes + LINE_BYTES - 1) / LINE_BYTES, 1);
    const bool updates = kind == SPARCL_TRAFFIC_UPDATE;
    sparcl_traffic t = {.kind = kind,
                        .rows = at_min(table_bytes / (lines * LINE_BYTES), 1),
                        .width = lines * FLOATS_OF_LINE};
    sparcl_status status = updates ? make_array(ctx, &t, &t.z) : make_place(ctx, &t);
    if (status == SPARCL_OK) status = make_array(ctx, &t, &t.x);
    if (status == SPARCL_OK) status = make_ids(ctx, &t);
    if (status == SPARCL_OK)
        status = time_traffic(
            ctx, &t, (double)(t.ids_count * lines * LINE_BYTES * (updates ? 3 : 1)), speed);
    free_arrays(&t);
    return status;
}

/* ---- transfers and empty kernels --------------------------------------------------------------
 */

typedef struct transfer {
    sparcl_buf *buf;
    int64_t bytes;
    void *host;
} transfer;

static sparcl_status write_once(sparcl_ctx *ctx, const void *user) {
    const transfer *const t = user;
    return sparcl_buf_write(ctx, t->buf, 0, t->bytes, t->host);
}

static sparcl_status read_once(sparcl_ctx *ctx, const void *user) {
    const transfer *const t = user;
    return sparcl_buf_read(ctx, t->buf, 0, t->bytes, t->host);
}

sparcl_status limits_transfers(sparcl_ctx *ctx, int64_t bytes, limits_speed *read,
                               limits_speed *write) {
    const bench_effort effort = {.in_flight = 1, .seconds = turn_seconds};
    transfer t = {.bytes = bytes, .host = calloc(1, (size_t)bytes)};
    sparcl_status status = t.host ? sparcl_buf_create(ctx, &t.buf, bytes) : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = bench_measure(ctx, write_once, &t, &effort, &write->times);
    if (status == SPARCL_OK) status = bench_measure(ctx, read_once, &t, &effort, &read->times);
    if (status == SPARCL_OK) write->rate = (double)bytes / write->times.seconds[0];
    if (status == SPARCL_OK) read->rate = (double)bytes / read->times.seconds[0];
    sparcl_buf_free(t.buf);
    free(t.host);
    return status;
}

/* Larger arrays are not measured where calls of this size took longer: it is a simulator. */
static const double slow_seconds = 0.05;
enum { MIN_BYTES = 1 << 16, MAX_BYTES = 1 << 28, STEP = 64 };

/* Increase the size to MAX_BYTES, so that caches have no effect. Only the time of the calls counts:
 * the first ones of a size may build kernels for seconds. */
sparcl_status limits_bandwidth(sparcl_ctx *ctx, limits_memory *memory) {
    const int64_t maximum = sparcl_ctx_device(ctx)->max_allocation / 4;
    double seconds = 0;
    for (int64_t next = MIN_BYTES; next <= MAX_BYTES && next <= maximum && seconds < slow_seconds;
         next *= STEP * seconds < slow_seconds ? STEP : 4) {
        memory->bytes = next;
        sparcl_status status = limits_stream(ctx, SPARCL_TRAFFIC_COPY, next, &memory->copy);
        if (status == SPARCL_OK)
            status = limits_transfers(ctx, next, &memory->read, &memory->write);
        if (status != SPARCL_OK) return status;
        seconds = memory->copy.times.seconds[0] + memory->read.times.seconds[0] +
                  memory->write.times.seconds[0];
    }
    return SPARCL_OK;
}

sparcl_status limits_launch(sparcl_ctx *ctx, bool queued, limits_speed *speed) {
    const sparcl_traffic nothing = {.kind = SPARCL_TRAFFIC_NONE, .width = FLOATS_OF_LINE};
    const bench_effort effort = {.in_flight = queued ? LAUNCHES : 1, .seconds = turn_seconds};
    speed->rate = 0;
    return bench_measure(ctx, enqueue, &nothing, &effort, &speed->times);
}
