/* bench_limits.c: measures the maximum memory throughput of the device, for 'bench limits' and for
 * the limit of each timed call. */
#include "bench_limits.h"

#include <inttypes.h>
#include <stdlib.h>

#include "live_line.h"
#include "output.h"
#include "verbose.h"

/* Larger than the caches, but small enough for a short measurement. */
static const int64_t large = 1 << 27;
/* Tables are larger, because only some of their rows are used. */
static const int64_t large_table = 1 << 28, largest_table = 1 << 29;

static int64_t fits(const sparcl_ctx *ctx, int64_t bytes) {
    const int64_t maximum = sparcl_ctx_device(ctx)->max_allocation / 2;
    return bytes < maximum ? bytes : maximum;
}

/* ---- bench limits --------------------------------------------------------------------------- */

/* A measured case. */
typedef struct limit {
    const char *name;
    int64_t width, bytes; /* floats per row, bytes of the array; 0: none */
    bool queued;
} limit;

static void print_heading(bool as_json) {
    live_line_end();
    if (!as_json)
        printf("%-10s %8s %10s %10s %10s %9s\n", "traffic", "row", "of", "median ms", "min ms",
               "GB/s");
}

static sparcl_status print(const sparcl_ctx *ctx, bool as_json, const limit *of,
                           const limits_speed *s) {
    const double middle = bench_median(&s->times), minimum = s->times.seconds[0];
    live_line_end();
    if (!as_json) {
        char row[NUMBER_BYTES] = "", bytes[NUMBER_BYTES] = "", rate[NUMBER_BYTES] = "";
        if (of->width) format_bytes(row, of->width * 4);
        if (of->bytes) format_bytes(bytes, of->bytes);
        if (s->rate > 0) snprintf(rate, sizeof rate, "%.4g", s->rate / 1e9);
        printf("%-10s %8s %10s %10.4g %10.4g %9s%s\n", of->name, row, bytes, middle * 1e3,
               minimum * 1e3, rate, of->queued && !of->bytes ? " queued" : "");
        return SPARCL_OK;
    }
    json_t *const line =
        json_pack("{s:s, s:s, s:I, s:I, s:o, s:f, s:f, s:f, s:i, s:f, s:b}", "op", "limits", "case",
                  of->name, "n", (json_int_t)(of->width ? of->width : 1), "bytes",
                  (json_int_t)of->bytes, "device", json_text(sparcl_ctx_device(ctx)->name),
                  "median_s", middle, "min_s", minimum, "p95_s", bench_p95(&s->times), "repeat",
                  s->times.count, "gbytes_per_s", s->rate / 1e9, "queued", of->queued);
    char *const text = line ? json_dumps(line, JSON_COMPACT) : NULL;
    if (text) puts(text);
    free(text);
    json_decref(line);
    return text ? SPARCL_OK : SPARCL_E_MEMORY;
}

static sparcl_status print_streams(sparcl_ctx *ctx, bool as_json, int64_t bytes) {
    static const char *const names[] = {"", "read", "write", "copy", "triad"};
    sparcl_status status = SPARCL_OK;
    for (int kind = SPARCL_TRAFFIC_READ; kind <= SPARCL_TRAFFIC_TRIAD && status == SPARCL_OK;
         kind++) {
        limits_speed s;
        begin_part("measuring %s", names[kind]);
        status = limits_stream(ctx, (sparcl_traffic_kind)kind, bytes, &s);
        const limit of = {names[kind], 0, bytes, true};
        if (status == SPARCL_OK) status = print(ctx, as_json, &of, &s);
    }
    return status;
}

static sparcl_status print_rows(sparcl_ctx *ctx, bool as_json, sparcl_traffic_kind kind,
                                int64_t bytes) {
    sparcl_status status = SPARCL_OK;
    for (int64_t row = 64; row <= 2048 && status == SPARCL_OK; row *= 2) {
        limits_speed s;
        begin_part("measuring rows of %" PRId64 " bytes", row);
        status = limits_rows(ctx, kind, row, bytes, &s);
        const limit of = {kind == SPARCL_TRAFFIC_UPDATE ? "update" : "gather", row / 4, bytes,
                          true};
        if (status == SPARCL_OK) status = print(ctx, as_json, &of, &s);
    }
    return status;
}

static sparcl_status print_launches(sparcl_ctx *ctx, bool as_json) {
    sparcl_status status = SPARCL_OK;
    for (int queued = 0; queued < 2 && status == SPARCL_OK; queued++) {
        limits_speed s;
        begin_part("measuring launches");
        status = limits_launch(ctx, queued, &s);
        const limit of = {"empty", 0, 0, queued};
        if (status == SPARCL_OK) status = print(ctx, as_json, &of, &s);
    }
    return status;
}

sparcl_status bench_limits_print(sparcl_ctx *ctx, bool as_json) {
    const int64_t in_cache = 1 << 18, beyond = fits(ctx, large);
    print_heading(as_json);
    sparcl_status status = print_streams(ctx, as_json, in_cache);
    if (status == SPARCL_OK) status = print_streams(ctx, as_json, beyond);
    if (status == SPARCL_OK) status = print_rows(ctx, as_json, SPARCL_TRAFFIC_GATHER, in_cache);
    if (status == SPARCL_OK) status = print_rows(ctx, as_json, SPARCL_TRAFFIC_GATHER, beyond);
    if (status == SPARCL_OK)
        status = print_rows(ctx, as_json, SPARCL_TRAFFIC_UPDATE, fits(ctx, large_table));
    return status == SPARCL_OK ? print_launches(ctx, as_json) : status;
}

/* ---- the limit of a call -------------------------------------------------------------------- */

/* The smallest power of two that is at least `bytes`, within the range that is measured. */
static int64_t round_size(const sparcl_ctx *ctx, double bytes, int64_t maximum) {
    int64_t size = 1 << 16;
    while ((double)size < bytes && size < maximum)
        size *= 2;
    return fits(ctx, size);
}

/* The fastest of several mixes of reads and writes. */
static sparcl_status find_stream(sparcl_ctx *ctx, int64_t bytes, double *rate) {
    sparcl_status status = SPARCL_OK;
    *rate = 0;
    for (int kind = SPARCL_TRAFFIC_READ; kind <= SPARCL_TRAFFIC_TRIAD && status == SPARCL_OK;
         kind++) {
        limits_speed s;
        status = limits_stream(ctx, (sparcl_traffic_kind)kind, bytes, &s);
        if (status == SPARCL_OK && s.rate > *rate) *rate = s.rate;
    }
    return status;
}

sparcl_status bench_limit_of(sparcl_ctx *ctx, const spec_bench *bench, const spec_bench_call *call,
                             double *rate) {
    enum { SIZES = 64 };
    static double streams[SIZES]; /* indexed by the logarithm of the bytes; 0: not measured */
    const spec_bench_input *const in = call->input;
    const double row = 4 * (double)in->n;
    limits_speed s;
    *rate = 0;
    if (bench->flags & (SPEC_BENCH_GATHER | SPEC_BENCH_UPDATE)) {
        const bool updates = bench->flags & SPEC_BENCH_UPDATE;
        const int64_t table = round_size(ctx, row * (double)in->matrix->cols, largest_table);
        const sparcl_status status = limits_rows(
            ctx, updates ? SPARCL_TRAFFIC_UPDATE : SPARCL_TRAFFIC_GATHER, (int64_t)row, table, &s);
        *rate = status == SPARCL_OK ? s.rate : 0;
        return status;
    }
    const int64_t bytes = round_size(ctx, call->bytes, large);
    int at = 0;
    while (bytes >> (at + 1))
        at++;
    const sparcl_status status =
        streams[at] > 0 ? SPARCL_OK : find_stream(ctx, bytes, &streams[at]);
    *rate = streams[at];
    return status;
}
