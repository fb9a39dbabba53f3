/* traffic.c: kernels that only move memory, to measure the upper bound of a device. */
#include "base/size.h"
#include "device/ctx.h"
#include "launch/launch.h"
#include "sparcl/probe.h"

/* Floats of the kernels' vectors, and the maximum of these. */
enum { LANES_CPU = 16, LANES_GPU = 4, LANES_MAX = 16 };
/* Minimum bytes per CPU worker. */
enum { WORKER_BYTES = 16384 };

static const char *const kernels[] = {"traffic_none",  "traffic_read",  "traffic_write",
                                      "traffic_copy",  "traffic_triad", "traffic_gather",
                                      "traffic_update"};

static bool uses_x(sparcl_traffic_kind kind) {
    return kind != SPARCL_TRAFFIC_NONE && kind != SPARCL_TRAFFIC_WRITE;
}

static bool only_reads(sparcl_traffic_kind kind) {
    return kind == SPARCL_TRAFFIC_READ || kind == SPARCL_TRAFFIC_GATHER;
}

static bool uses_ids(sparcl_traffic_kind kind) {
    return kind == SPARCL_TRAFFIC_GATHER || kind == SPARCL_TRAFFIC_UPDATE;
}

static sparcl_status check_buffer(sparcl_ctx *ctx, const char *name, const sparcl_buf *buf,
                                  int64_t count) {
    if (count > 0 && !buf) return spc_ctx_fail(ctx, SPARCL_E_ARG, "traffic: %s is NULL", name);
    if (!spc_buf_belongs(buf, ctx))
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "traffic: %s belongs to another context", name);
    if (!spc_buf_holds(buf, 0, count, sizeof(float)))
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "traffic: %s is too small for %lld elements", name,
                            (long long)count);
    return SPARCL_OK;
}

/* *count := the number of elements of the arrays. */
static sparcl_status check(sparcl_ctx *ctx, const sparcl_traffic *t, int64_t *count) {
    if (t->kind < SPARCL_TRAFFIC_NONE || t->kind > SPARCL_TRAFFIC_UPDATE)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "traffic: kind is %d, expected 0 to %d",
                            (int)t->kind, (int)SPARCL_TRAFFIC_UPDATE);
    if (t->rows < 0 || t->width < LANES_MAX || t->width % LANES_MAX != 0 || t->ids_count < 0 ||
        !spc_mul_i64(t->rows, t->width, count))
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "traffic: %lld rows of %lld elements, %lld ids, expected a width that "
                            "is a multiple of %d",
                            (long long)t->rows, (long long)t->width, (long long)t->ids_count,
                            (int)LANES_MAX);
    if (t->reserved[0] || t->reserved[1])
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "traffic: a reserved field is not 0");
    if (t->kind == SPARCL_TRAFFIC_NONE) return SPARCL_OK;
    if (uses_x(t->kind)) SPC_TRY(check_buffer(ctx, "x", t->x, *count));
    if (t->kind == SPARCL_TRAFFIC_TRIAD) SPC_TRY(check_buffer(ctx, "y", t->y, *count));
    SPC_TRY(check_buffer(ctx, "z", t->z, only_reads(t->kind) ? *count > 0 : *count));
    if (uses_ids(t->kind)) SPC_TRY(check_buffer(ctx, "ids", t->ids, t->ids_count));
    return SPARCL_OK;
}

static spc_range range_of(const sparcl_ctx *ctx, int64_t items, int64_t item_bytes) {
    if (spc_ctx_is_gpu(ctx)) return spc_range_each(ctx, items);
    return spc_range_groups(ctx,
                            spc_workers(ctx, items, spc_max_i64(1, WORKER_BYTES / item_bytes)));
}

static sparcl_status stream(sparcl_ctx *ctx, const sparcl_traffic *t, int64_t vectors,
                            spc_range range) {
    const char *const kernel = kernels[t->kind];
    const uint32_t options = t->non_temporal ? SPC_VARIANT : 0;
    if (t->kind == SPARCL_TRAFFIC_TRIAD)
        return SPC_LAUNCH(ctx, "traffic", options, kernel, range, SPC_IN(t->x), SPC_IN(t->y),
                          SPC_OUT(t->z), SPC_I64(vectors));
    if (t->kind == SPARCL_TRAFFIC_WRITE)
        return SPC_LAUNCH(ctx, "traffic", options, kernel, range, SPC_OUT(t->z), SPC_I64(vectors));
    return SPC_LAUNCH(ctx, "traffic", options, kernel, range, SPC_IN(t->x), SPC_OUT(t->z),
                      SPC_I64(vectors));
}

sparcl_status sparcl_ctx_traffic(sparcl_ctx *ctx, const sparcl_traffic *t) {
    int64_t count = 0;
    if (!ctx) return SPARCL_E_ARG;
    if (!t) return spc_ctx_fail(ctx, SPARCL_E_ARG, "traffic: the description is NULL");
    SPC_TRY(check(ctx, t, &count));
    if (t->kind == SPARCL_TRAFFIC_NONE)
        return SPC_LAUNCH(ctx, "traffic", 0, kernels[0], spc_range_groups(ctx, 1), SPC_I64(0));
    if (count == 0) return SPARCL_OK;
    const int64_t lanes = spc_ctx_is_gpu(ctx) ? LANES_GPU : LANES_CPU, in_row = t->width / lanes;
    if (!uses_ids(t->kind))
        return stream(ctx, t, count / lanes, range_of(ctx, count / lanes, lanes * 4));
    const bool by_lane = spc_ctx_is_gpu(ctx);
    const spc_range range =
        range_of(ctx, by_lane ? t->ids_count * in_row : t->ids_count, t->width * 4);
    return SPC_LAUNCH(ctx, "traffic", 0, kernels[t->kind], range, SPC_IN(t->x), SPC_IN(t->ids),
                      SPC_OUT(t->z), SPC_I64(t->ids_count), SPC_I64(t->rows), SPC_I64(in_row));
}
