/* buffer.c: buffers: creation, release, bounds and write stamps. */
#include "device/buffer.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/mix.h"
#include "base/size.h"
#include "device/codes.h"
#include "device/ctx_impl.h"
#include "device/queue.h"

/* OpenCL has no buffers of 0 bytes; this is the size of an empty one. */
#define MIN_BYTES 64

uint64_t spc_buf_stamp(const sparcl_buf *buf) {
    return buf ? spc_mix(buf->ctx->salt + buf->stamp) : 0;
}

/* Views of all buffers on this memory must see that it was written. */
void sparcl_buf_touched(sparcl_buf *buf) {
    if (!buf) return;
    sparcl_ctx *ctx = buf->ctx;
    buf->stamp = ++ctx->clock;
    if (ctx->shared_bufs == 0) return;
    for (sparcl_buf *other = ctx->bufs; other; other = other->next)
        if (other != buf && spc_buf_overlaps(buf, 0, buf->bytes, other, 0, other->bytes))
            other->stamp = ++ctx->clock;
}

int64_t sparcl_buf_bytes(const sparcl_buf *buf) {
    return buf ? buf->bytes : 0;
}

int sparcl_buf_is_const(const sparcl_buf *buf) {
    return buf && buf->is_const;
}

bool spc_buf_belongs(const sparcl_buf *buf, const sparcl_ctx *ctx) {
    return !buf || buf->ctx == ctx;
}

bool spc_buf_holds(const sparcl_buf *buf, int64_t at, int64_t count, size_t size) {
    int64_t end = 0, bytes = 0;
    if (at < 0 || count < 0) return false;
    if (!spc_add_i64(at, count, &end) || !spc_mul_i64(end, (int64_t)size, &bytes)) return false;
    return buf ? bytes <= buf->bytes : count == 0;
}

/* Find the parent cl_mem of an adopted sub-buffer, and the host memory of CL_MEM_USE_HOST_PTR. A
 * property that the driver does not report counts as absent. */
static void find_root(sparcl_buf *buf) {
    cl_mem parent = NULL;
    size_t offset = 0;
    void *host = NULL;
    cl_mem_flags flags = 0;
    clGetMemObjectInfo(buf->memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL);
    if (parent && clGetMemObjectInfo(buf->memory, CL_MEM_OFFSET, sizeof offset, &offset, NULL) ==
                      CL_SUCCESS) {
        buf->root = parent;
        buf->root_at = (int64_t)offset;
    }
    clGetMemObjectInfo(buf->memory, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    buf->is_const = (flags & CL_MEM_READ_ONLY) != 0;
    flags = 0;
    clGetMemObjectInfo(buf->root, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    if (!(flags & CL_MEM_USE_HOST_PTR)) return;
    clGetMemObjectInfo(buf->root, CL_MEM_HOST_PTR, sizeof host, &host, NULL);
    if (host) buf->host = (char *)host + buf->root_at;
}

static bool host_overlaps(const char *a, int64_t a_bytes, const char *b, int64_t b_bytes) {
    const uintptr_t a_begin = (uintptr_t)a, b_begin = (uintptr_t)b;
    return a_begin < b_begin + (uintptr_t)b_bytes && b_begin < a_begin + (uintptr_t)a_bytes;
}

bool spc_buf_overlaps(const sparcl_buf *a, int64_t a_at, int64_t a_bytes, const sparcl_buf *b,
                      int64_t b_at, int64_t b_bytes) {
    if (!a || !b || a_bytes <= 0 || b_bytes <= 0) return false;
    if (a->host && b->host) /* host memory may be wrapped more than once */
        return host_overlaps(a->host + a_at, a_bytes, b->host + b_at, b_bytes);
    if (a->root != b->root) return false;
    a_at += a->root_at;
    b_at += b->root_at;
    return a_at < b_at + b_bytes && b_at < a_at + a_bytes;
}

const sparcl_buf *spc_buf_on_host(const sparcl_ctx *ctx, const void *host, int64_t bytes) {
    if (ctx->shared_bufs == 0) return NULL;
    for (const sparcl_buf *buf = ctx->bufs; buf; buf = buf->next)
        if (buf->host && host_overlaps(buf->host, buf->bytes, host, bytes)) return buf;
    return NULL;
}

int sparcl_ctx_has_written(const sparcl_ctx *ctx, const void *host, int64_t bytes) {
    if (!ctx || ctx->shared_bufs == 0) return 0;
    for (const sparcl_buf *buf = ctx->bufs; buf; buf = buf->next)
        if (buf->stamp != buf->born && buf->host &&
            host_overlaps(buf->host, buf->bytes, host, bytes))
            return 1;
    return 0;
}

static void link_buffer(sparcl_ctx *ctx, sparcl_buf *buf) {
    buf->next = ctx->bufs;
    if (ctx->bufs) ctx->bufs->previous = buf;
    ctx->bufs = buf;
}

static void unlink_buffer(sparcl_ctx *ctx, sparcl_buf *buf) {
    if (buf->next) buf->next->previous = buf->previous;
    *(buf->previous ? &buf->previous->next : &ctx->bufs) = buf->next;
    ctx->shared_bufs -= buf->shared;
}

static void mark_shared(sparcl_buf *buf) {
    buf->shared = true;
    ++buf->ctx->shared_bufs;
}

static void count_memory(sparcl_buf *buf) {
    sparcl_ctx *const ctx = buf->ctx;
    buf->counted = buf->bytes;
    ctx->memory += buf->counted;
    if (ctx->memory > ctx->peak) ctx->peak = ctx->memory;
}

static sparcl_status wrap_memory(sparcl_ctx *ctx, sparcl_buf **out, cl_mem memory, int64_t bytes) {
    sparcl_buf *buf = spc_alloc_zero(&ctx->allocator, 1, sizeof *buf);
    if (!buf) {
        if (memory) clReleaseMemObject(memory);
        return spc_fail_memory(&ctx->error, "buffer record", sizeof *buf);
    }
    buf->ctx = ctx;
    buf->memory = memory;
    buf->root = ctx->forecast ? (cl_mem)buf : memory; /* no two buffers share memory */
    buf->bytes = bytes;
    buf->stamp = buf->born = ++ctx->clock;
    ++ctx->references;
    link_buffer(ctx, buf);
    *out = buf;
    return SPARCL_OK;
}

static sparcl_status make(sparcl_ctx *ctx, sparcl_buf **out, cl_mem_flags flags, void *host,
                          int64_t bytes) {
    cl_int code = CL_SUCCESS;
    if (bytes < 0)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "buffer: %lld bytes requested, expected 0 or more",
                            (long long)bytes);
    if (bytes > ctx->device.max_allocation)
        return spc_ctx_fail(ctx, SPARCL_E_MEMORY,
                            "buffer: %lld bytes requested, the largest allocation of %s is %lld",
                            (long long)bytes, ctx->device.name,
                            (long long)ctx->device.max_allocation);
    if (ctx->forecast) return wrap_memory(ctx, out, NULL, bytes);
    if (bytes == 0) flags = CL_MEM_READ_WRITE, host = NULL;
    const cl_mem memory =
        clCreateBuffer(ctx->cl_context, flags, bytes ? (size_t)bytes : MIN_BYTES, host, &code);
    if (code != CL_SUCCESS) {
        const sparcl_status status = spc_cl_status(code);
        spc_ctx_fail(ctx, status, "buffer: %lld bytes: %s", (long long)bytes, spc_cl_name(code));
        ctx->error.opencl_code = code;
        return status;
    }
    return wrap_memory(ctx, out, memory, bytes);
}

sparcl_status spc_buf_begin(sparcl_ctx *ctx, sparcl_buf **out, bool has_host, int64_t bytes) {
    if (out) *out = NULL;
    if (!ctx) return SPARCL_E_ARG;
    if (!out) return spc_ctx_fail(ctx, SPARCL_E_ARG, "buffer: buf is NULL");
    if (!has_host && bytes > 0) return spc_ctx_fail(ctx, SPARCL_E_ARG, "buffer: host is NULL");
    return SPARCL_OK;
}

sparcl_status sparcl_buf_create(sparcl_ctx *ctx, sparcl_buf **buf, int64_t bytes) {
    SPC_TRY(spc_buf_begin(ctx, buf, true, bytes));
    SPC_TRY(make(ctx, buf, CL_MEM_READ_WRITE, NULL, bytes));
    count_memory(*buf);
    return SPARCL_OK;
}

sparcl_status spc_buf_lend(sparcl_ctx *ctx, sparcl_buf **buf, cl_mem_flags access, void *host,
                           int64_t bytes) {
    SPC_TRY(make(ctx, buf, access | CL_MEM_USE_HOST_PTR, host, bytes));
    if (bytes == 0) return SPARCL_OK;
    (*buf)->host = host;
    (*buf)->wrapped = true;
    (*buf)->is_const = access == CL_MEM_READ_ONLY;
    mark_shared(*buf);
    return SPARCL_OK;
}

sparcl_status spc_buf_wrap(sparcl_ctx *ctx, sparcl_buf **buf, cl_mem_flags access, void *host,
                           int64_t bytes) {
    SPC_TRY(spc_buf_lend(ctx, buf, access, host, bytes));
    count_memory(*buf);
    return SPARCL_OK;
}

sparcl_status sparcl_buf_adopt(sparcl_ctx *ctx, sparcl_buf **buf, cl_mem memory) {
    cl_context its_context = NULL;
    cl_mem_object_type type = 0;
    size_t bytes = 0;
    SPC_TRY(spc_buf_begin(ctx, buf, true, 0));
    if (!memory) return spc_ctx_fail(ctx, SPARCL_E_ARG, "adopt: memory is NULL");
    if (ctx->forecast)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "adopt: the context is a forecast, which has no OpenCL objects");
    cl_int code =
        clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof its_context, &its_context, NULL);
    if (code == CL_SUCCESS)
        code = clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    if (code == CL_SUCCESS)
        code = clGetMemObjectInfo(memory, CL_MEM_TYPE, sizeof type, &type, NULL);
    if (code == CL_SUCCESS && type != CL_MEM_OBJECT_BUFFER)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "adopt: memory is not a buffer");
    if (code == CL_SUCCESS && its_context != ctx->cl_context)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "adopt: memory belongs to another cl_context");
    if (code == CL_SUCCESS) code = clRetainMemObject(memory);
    if (code != CL_SUCCESS) return spc_ctx_fail_cl(ctx, code, "adopting a memory object");
    SPC_TRY(wrap_memory(ctx, buf, memory, (int64_t)bytes));
    find_root(*buf);
    mark_shared(*buf);
    count_memory(*buf);
    return SPARCL_OK;
}

void sparcl_buf_free(sparcl_buf *buf) {
    if (!buf) return;
    sparcl_ctx *ctx = buf->ctx;
    if (buf->wrapped) spc_finish(ctx);
    unlink_buffer(ctx, buf);
    if (buf->memory) clReleaseMemObject(buf->memory);
    ctx->memory -= buf->counted;
    spc_free(&ctx->allocator, buf, sizeof *buf);
    spc_ctx_unref(ctx);
}
