/* profiler.c: OpenCL's event profiling, summed by kernel and by kind of transfer. */
#include "device/profiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "device/codes.h"
#include "device/ctx_impl.h"
#include "device/queue.h"

/* Maximum events that are kept before their times are queried, which waits for the last one. */
#define MAX_PENDING    4096
#define FIRST_CAPACITY 32

typedef struct pending {
    cl_event event;
    int line, part;        /* -1: there was no memory for its line; it is of no part */
    int64_t groups, items; /* of a kernel */
} pending;

typedef struct spc_profile {
    sparcl_profile_line *lines;
    int count, capacity;
    sparcl_profile_part *parts;
    int part_count, part_capacity;
    int part; /* the part of the next commands, or -1 */
    pending pending[MAX_PENDING];
    int pending_count;
    double build_seconds;
    sparcl_error error; /* the first error; the next call that returns a status reports it */
} spc_profile;

static void release_events(spc_profile *p) {
    for (int i = 0; i < p->pending_count; ++i)
        if (p->pending[i].event) clReleaseEvent(p->pending[i].event);
    p->pending_count = 0;
}

static void close_profile(sparcl_ctx *ctx) {
    spc_profile *p = ctx->profile;
    release_events(p);
    spc_free(&ctx->allocator, p->lines, (size_t)p->capacity * sizeof *p->lines);
    spc_free(&ctx->allocator, p->parts, (size_t)p->part_capacity * sizeof *p->parts);
    spc_free(&ctx->allocator, p, sizeof *p);
    ctx->profile = NULL;
}

sparcl_status spc_profile_open(sparcl_ctx *ctx, sparcl_error *error) {
    ctx->profile = spc_alloc_zero(&ctx->allocator, 1, sizeof *ctx->profile);
    if (!ctx->profile) return spc_fail_memory(error, "profile", sizeof *ctx->profile);
    ctx->profile->part = -1;
    spc_ctx_on_close(ctx, close_profile);
    return SPARCL_OK;
}

/* The duration of a command whose queue has finished; some drivers complete its event after that.
 */
static cl_int query_seconds(cl_event event, double *seconds) {
    cl_ulong start = 0, end = 0;
    cl_int code = clWaitForEvents(1, &event);
    if (code == CL_SUCCESS)
        code =
            clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    if (code == CL_SUCCESS)
        code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    *seconds = end > start ? 1e-9 * (double)(end - start) : 0;
    return code;
}

/* Wait for the pending commands and sum their durations. */
static void collect(sparcl_ctx *ctx) {
    spc_profile *p = ctx->profile;
    cl_int code = p->pending_count > 0 ? spc_finish(ctx) : CL_SUCCESS;
    for (int i = 0; i < p->pending_count && code == CL_SUCCESS; ++i) {
        double seconds = 0;
        code = query_seconds(p->pending[i].event, &seconds);
        if (p->pending[i].line >= 0) p->lines[p->pending[i].line].seconds += seconds;
        if (p->pending[i].part >= 0) p->parts[p->pending[i].part].seconds += seconds;
    }
    if (code != CL_SUCCESS && p->error.status == SPARCL_OK)
        spc_fail_cl(&p->error, code, "profile: querying the times of commands");
    release_events(p);
}

cl_event *spc_profile_event(sparcl_ctx *ctx) {
    spc_profile *p = ctx->profile;
    if (!p) return NULL;
    if (p->pending_count == MAX_PENDING) collect(ctx);
    p->pending[p->pending_count].event = NULL;
    return &p->pending[p->pending_count].event;
}

/* Room for one more element of an array; false, with the error, if there is no memory. */
static bool grow(sparcl_ctx *ctx, void **array, int count, int *capacity, size_t size) {
    if (count < *capacity) return true;
    const int larger = *capacity ? 2 * *capacity : FIRST_CAPACITY;
    void *const more = spc_alloc_zero(&ctx->allocator, (size_t)larger, size);
    if (!more) {
        if (ctx->profile->error.status == SPARCL_OK)
            spc_fail_memory(&ctx->profile->error, "profile", size);
        return false;
    }
    if (count > 0) memcpy(more, *array, (size_t)count * size);
    spc_free(&ctx->allocator, *array, (size_t)*capacity * size);
    *array = more;
    *capacity = larger;
    return true;
}

static int find_line(sparcl_ctx *ctx, sparcl_profile_kind kind, const char *name, bool variant) {
    spc_profile *p = ctx->profile;
    for (int i = 0; i < p->count; ++i)
        if (p->lines[i].kind == kind && p->lines[i].variant == variant &&
            strcmp(p->lines[i].name, name) == 0)
            return i;
    void *lines = p->lines;
    if (!grow(ctx, &lines, p->count, &p->capacity, sizeof *p->lines)) return -1;
    p->lines = lines;
    sparcl_profile_line *line = &p->lines[p->count];
    *line = (sparcl_profile_line){.kind = kind, .variant = variant};
    snprintf(line->name, sizeof line->name, "%s", name);
    return p->count++;
}

/* The line of a command, or NULL. */
static sparcl_profile_line *record(sparcl_ctx *ctx, cl_int code, sparcl_profile_kind kind,
                                   const char *name, bool variant) {
    spc_profile *p = ctx->profile;
    if (!p || code != CL_SUCCESS || !p->pending[p->pending_count].event) return NULL;
    const int line = find_line(ctx, kind, name, variant);
    pending *const last = &p->pending[p->pending_count++];
    *last = (pending){.event = last->event, .line = line, .part = p->part};
    if (p->part >= 0) ++p->parts[p->part].commands;
    if (line < 0) return NULL;
    ++p->lines[line].count;
    return &p->lines[line];
}

void spc_profile_kernel(sparcl_ctx *ctx, cl_int code, const char *name, bool variant,
                        int64_t groups, int64_t items) {
    sparcl_profile_line *const line = record(ctx, code, SPARCL_PROFILE_KERNEL, name, variant);
    if (!line) return;
    pending *const last = &ctx->profile->pending[ctx->profile->pending_count - 1];
    line->groups += last->groups = groups;
    line->items += last->items = items;
}

static const char *kind_name(sparcl_profile_kind kind) {
    static const char *const names[] = {"kernel", "read", "write", "copy", "fill"};
    return names[kind];
}

void spc_profile_transfer(sparcl_ctx *ctx, cl_int code, sparcl_profile_kind kind, int64_t bytes) {
    ctx->waits += kind == SPARCL_PROFILE_READ || kind == SPARCL_PROFILE_WRITE;
    sparcl_profile_line *const line = record(ctx, code, kind, kind_name(kind), false);
    if (line) line->bytes += bytes;
}

void spc_profile_relabel(sparcl_ctx *ctx, sparcl_profile_kind kind, int64_t bytes) {
    spc_profile *p = ctx->profile;
    if (!p || p->pending_count == 0) return;
    pending *last = &p->pending[p->pending_count - 1];
    if (last->line >= 0) {
        sparcl_profile_line *const kernel = &p->lines[last->line];
        --kernel->count;
        kernel->groups -= last->groups;
        kernel->items -= last->items;
    }
    last->line = find_line(ctx, kind, kind_name(kind), false);
    if (last->line < 0) return;
    ++p->lines[last->line].count;
    p->lines[last->line].bytes += bytes;
}

bool spc_profile_is_on(const sparcl_ctx *ctx) {
    return ctx->profile != NULL;
}

static int find_part(sparcl_ctx *ctx, int node, const char *operation, const char *of) {
    spc_profile *p = ctx->profile;
    for (int i = 0; i < p->part_count; ++i)
        if (p->parts[i].node == node && strcmp(p->parts[i].operation, operation) == 0 &&
            strcmp(p->parts[i].of, of) == 0)
            return i;
    void *parts = p->parts;
    if (!grow(ctx, &parts, p->part_count, &p->part_capacity, sizeof *p->parts)) return -1;
    p->parts = parts;
    sparcl_profile_part *part = &p->parts[p->part_count];
    *part = (sparcl_profile_part){.node = node};
    snprintf(part->operation, sizeof part->operation, "%s", operation);
    snprintf(part->of, sizeof part->of, "%s", of);
    return p->part_count++;
}

void spc_profile_part(sparcl_ctx *ctx, int node, const char *operation, const char *of,
                      int64_t bytes) {
    spc_profile *p = ctx->profile;
    if (!p) return;
    p->part = find_part(ctx, node, operation, of);
    if (p->part < 0) return;
    ++p->parts[p->part].runs;
    p->parts[p->part].bytes += bytes;
}

void spc_profile_end_part(sparcl_ctx *ctx) {
    if (ctx->profile) ctx->profile->part = -1;
}

void spc_profile_built(sparcl_ctx *ctx, double seconds) {
    if (ctx->profile) ctx->profile->build_seconds += seconds;
}

/* The beginning of every call that returns a status. */
static sparcl_status begin_call(sparcl_ctx *ctx) {
    if (!ctx->profile)
        return spc_ctx_fail(
            ctx, SPARCL_E_ARG,
            "profile: the context was opened without profiling, expected desc.profile = 1");
    collect(ctx);
    const sparcl_error error = ctx->profile->error;
    ctx->profile->error = (sparcl_error){0};
    if (error.status != SPARCL_OK) spc_ctx_set_error(ctx, &error);
    return error.status;
}

/* The longest first; lines without a command, which a transfer by a kernel leaves, last. */
static int compare(const void *a, const void *b) {
    const sparcl_profile_line *x = a, *y = b;
    if (x->seconds != y->seconds) return x->seconds < y->seconds ? 1 : -1;
    return (x->count < y->count) - (x->count > y->count);
}

sparcl_status sparcl_profile_read(sparcl_ctx *ctx, sparcl_profile *profile) {
    if (!ctx) return SPARCL_E_ARG;
    if (!profile) return spc_ctx_fail(ctx, SPARCL_E_ARG, "profile: profile is NULL");
    *profile = (sparcl_profile){0};
    SPC_TRY(begin_call(ctx));
    spc_profile *p = ctx->profile;
    if (p->count > 0) qsort(p->lines, (size_t)p->count, sizeof *p->lines, compare);
    profile->lines = p->lines;
    while (profile->count < p->count && p->lines[profile->count].count > 0)
        ++profile->count;
    profile->build_seconds = p->build_seconds;
    profile->parts = p->parts;
    profile->part_count = p->part_count;
    return SPARCL_OK;
}

sparcl_status sparcl_profile_reset(sparcl_ctx *ctx) {
    if (!ctx) return SPARCL_E_ARG;
    SPC_TRY(begin_call(ctx));
    ctx->profile->count = ctx->profile->part_count = 0;
    ctx->profile->part = -1;
    ctx->profile->build_seconds = 0;
    return SPARCL_OK;
}

int64_t sparcl_ctx_launches(const sparcl_ctx *ctx) {
    return ctx ? ctx->launches : 0;
}

int64_t sparcl_ctx_waits(const sparcl_ctx *ctx) {
    return ctx ? ctx->waits : 0;
}
