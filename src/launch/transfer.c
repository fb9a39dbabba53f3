/* transfer.c: upload, read, write, copy and fill, also of strided rows. Large transfers on
 * CPU-class devices use our own kernels, because drivers such as PoCL move memory on a single
 * thread. */
#include "launch/transfer.h"

#include <string.h>

#include "base/size.h"
#include "device/buffer.h"
#include "device/codes.h"
#include "device/ctx_impl.h"
#include "device/profiler.h"
#include "device/queue.h"
#include "launch/launch.h"

/* From this size on, a kernel on all cores is faster than the driver's single thread. */
#define OWN_KERNEL_BYTES (1 << 20)

static sparcl_status check_range(sparcl_ctx *ctx, const char *what, const sparcl_buf *buf,
                                 int64_t at, int64_t bytes) {
    if (!ctx) return SPARCL_E_ARG;
    if (!buf && bytes != 0) return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: buffer is NULL", what);
    if (!spc_buf_holds(buf, at, bytes, 1))
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: %lld bytes from %lld on of a buffer of %lld",
                            what, (long long)bytes, (long long)at,
                            (long long)sparcl_buf_bytes(buf));
    if (buf && buf->ctx != ctx)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: buffer belongs to another context, expected one of this context",
                            what);
    return SPARCL_OK;
}

/* The same for bytes that are written. */
static sparcl_status check_target(sparcl_ctx *ctx, const char *what, const sparcl_buf *buf,
                                  int64_t at, int64_t bytes) {
    SPC_TRY(check_range(ctx, what, buf, at, bytes));
    return bytes > 0 && buf->is_const ? spc_fail_const(ctx, what) : SPARCL_OK;
}

/* A forecast only marks the buffer as written. */
static sparcl_status mark_written(sparcl_buf *buf) {
    sparcl_buf_touched(buf);
    return SPARCL_OK;
}

static bool own_kernel_pays(const sparcl_ctx *ctx, int64_t bytes) {
    return !spc_ctx_is_gpu(ctx) && ctx->device.host_unified && bytes >= OWN_KERNEL_BYTES;
}

static sparcl_status copy_by_kernel(sparcl_ctx *ctx, sparcl_profile_kind kind, sparcl_buf *to,
                                    int64_t to_at, const sparcl_buf *from, int64_t from_at,
                                    int64_t bytes) {
    SPC_TRY(SPC_LAUNCH(ctx, "transfer", 0, "copy_bytes", spc_range_each(ctx, bytes / 16 + 1),
                       SPC_OUT(to), SPC_I64(to_at), SPC_IN(from), SPC_I64(from_at),
                       SPC_I64(bytes)));
    spc_profile_relabel(ctx, kind, bytes);
    return SPARCL_OK;
}

static sparcl_status fill_by_kernel(sparcl_ctx *ctx, sparcl_buf *buf, int64_t at, int64_t bytes,
                                    unsigned char value) {
    SPC_TRY(SPC_LAUNCH(ctx, "transfer", 0, "fill_bytes", spc_range_each(ctx, bytes / 16 + 1),
                       SPC_OUT(buf), SPC_I64(at), SPC_I64(bytes), SPC_I32(value)));
    spc_profile_relabel(ctx, SPARCL_PROFILE_FILL, bytes);
    return SPARCL_OK;
}

/* OpenCL buffers on the same host memory need not see each other's writes. */
static sparcl_status check_host(sparcl_ctx *ctx, const char *what, const void *host,
                                int64_t bytes) {
    if (!spc_buf_on_host(ctx, host, bytes)) return SPARCL_OK;
    return spc_ctx_fail(
        ctx, SPARCL_E_ALIAS,
        "%s: the %lld bytes at %p on the host overlap the memory of a buffer that was "
        "made from host memory",
        what, (long long)bytes, host);
}

/* Make the writes of kernels to a wrapped buffer visible in its host memory. The end of a mapping
 * for reading writes nothing, so it need not be waited for. */
static sparcl_status sync_host(sparcl_ctx *ctx, const sparcl_buf *wrapped) {
    cl_int code = CL_SUCCESS;
    ++ctx->waits;
    void *mapped = clEnqueueMapBuffer(ctx->cl_queue, wrapped->memory, CL_TRUE, CL_MAP_READ, 0,
                                      (size_t)wrapped->bytes, 0, NULL, NULL, &code);
    if (code == CL_SUCCESS)
        code = clEnqueueUnmapMemObject(ctx->cl_queue, wrapped->memory, mapped, 0, NULL, NULL);
    return code == CL_SUCCESS ? SPARCL_OK : spc_ctx_fail_cl(ctx, code, "reading a buffer");
}

static sparcl_status read_by_kernel(sparcl_ctx *ctx, const sparcl_buf *buf, int64_t at,
                                    int64_t bytes, void *host) {
    sparcl_buf *wrapped = NULL;
    SPC_TRY(spc_buf_lend(ctx, &wrapped, CL_MEM_READ_WRITE, host, bytes));
    sparcl_status status = copy_by_kernel(ctx, SPARCL_PROFILE_READ, wrapped, 0, buf, at, bytes);
    if (status == SPARCL_OK) status = sync_host(ctx, wrapped);
    sparcl_buf_free(wrapped);
    return status;
}

/* For OpenCL, which takes constants as `void *`. */
static void *plain(const void *host) {
    const union {
        const void *in;
        void *out;
    } both = {.in = host};
    return both.out;
}

static sparcl_status write_by_kernel(sparcl_ctx *ctx, sparcl_buf *buf, int64_t at, int64_t bytes,
                                     const void *host) {
    sparcl_buf *wrapped = NULL;
    SPC_TRY(spc_buf_lend(ctx, &wrapped, CL_MEM_READ_ONLY, plain(host), bytes));
    sparcl_status status = copy_by_kernel(ctx, SPARCL_PROFILE_WRITE, buf, at, wrapped, 0, bytes);
    if (status == SPARCL_OK) status = sparcl_ctx_finish(ctx);
    sparcl_buf_free(wrapped);
    return status;
}

sparcl_status sparcl_buf_read(sparcl_ctx *ctx, const sparcl_buf *buf, int64_t at, int64_t bytes,
                              void *host) {
    SPC_TRY(check_range(ctx, "read", buf, at, bytes));
    if (bytes == 0) return SPARCL_OK;
    if (!host)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "read: host is NULL, expected memory for %lld bytes",
                            (long long)bytes);
    if (ctx->forecast) {
        if (buf->host != host) memset(host, 0, (size_t)bytes);
        return SPARCL_OK;
    }
    if (buf->host && buf->host + at == host) return sync_host(ctx, buf);
    SPC_TRY(check_host(ctx, "read", host, bytes));
    if (own_kernel_pays(ctx, bytes)) return read_by_kernel(ctx, buf, at, bytes, host);
    const cl_int code = clEnqueueReadBuffer(ctx->cl_queue, buf->memory, CL_TRUE, (size_t)at,
                                            (size_t)bytes, host, 0, NULL, spc_profile_event(ctx));
    spc_profile_transfer(ctx, code, SPARCL_PROFILE_READ, bytes);
    return code == CL_SUCCESS ? SPARCL_OK : spc_ctx_fail_cl(ctx, code, "reading a buffer");
}

sparcl_status sparcl_buf_write(sparcl_ctx *ctx, sparcl_buf *buf, int64_t at, int64_t bytes,
                               const void *host) {
    SPC_TRY(check_target(ctx, "write", buf, at, bytes));
    if (bytes == 0) return SPARCL_OK;
    if (!host)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "write: host is NULL, expected %lld bytes",
                            (long long)bytes);
    SPC_TRY(check_host(ctx, "write", host, bytes));
    if (ctx->forecast) return mark_written(buf);
    if (own_kernel_pays(ctx, bytes)) return write_by_kernel(ctx, buf, at, bytes, host);
    const cl_int code = clEnqueueWriteBuffer(ctx->cl_queue, buf->memory, CL_TRUE, (size_t)at,
                                             (size_t)bytes, host, 0, NULL, spc_profile_event(ctx));
    spc_profile_transfer(ctx, code, SPARCL_PROFILE_WRITE, bytes);
    sparcl_buf_touched(buf);
    return code == CL_SUCCESS ? SPARCL_OK : spc_ctx_fail_cl(ctx, code, "writing a buffer");
}

sparcl_status sparcl_buf_upload(sparcl_ctx *ctx, sparcl_buf **buf, const void *host,
                                int64_t bytes) {
    SPC_TRY(spc_buf_begin(ctx, buf, host != NULL, bytes));
    SPC_TRY(sparcl_buf_create(ctx, buf, bytes));
    const sparcl_status status = sparcl_buf_write(ctx, *buf, 0, bytes, host);
    if (status != SPARCL_OK) {
        sparcl_buf_free(*buf);
        *buf = NULL;
    }
    return status;
}

sparcl_status sparcl_buf_wrap(sparcl_ctx *ctx, sparcl_buf **buf, void *host, int64_t bytes) {
    SPC_TRY(spc_buf_begin(ctx, buf, host != NULL, bytes));
    if (!ctx->device.host_unified) return sparcl_buf_upload(ctx, buf, host, bytes);
    return spc_buf_wrap(ctx, buf, CL_MEM_READ_WRITE, host, bytes);
}

sparcl_status sparcl_buf_wrap_const(sparcl_ctx *ctx, sparcl_buf **buf, const void *host,
                                    int64_t bytes) {
    SPC_TRY(spc_buf_begin(ctx, buf, host != NULL, bytes));
    if (ctx->device.host_unified)
        return spc_buf_wrap(ctx, buf, CL_MEM_READ_ONLY, plain(host), bytes);
    SPC_TRY(sparcl_buf_upload(ctx, buf, host, bytes));
    (*buf)->is_const = bytes > 0;
    return SPARCL_OK;
}

sparcl_status sparcl_buf_copy(sparcl_ctx *ctx, sparcl_buf *to, int64_t to_at,
                              const sparcl_buf *from, int64_t from_at, int64_t bytes) {
    SPC_TRY(check_target(ctx, "copy to", to, to_at, bytes));
    SPC_TRY(check_range(ctx, "copy from", from, from_at, bytes));
    if (bytes == 0) return SPARCL_OK;
    if (spc_buf_overlaps(to, to_at, bytes, from, from_at, bytes))
        return spc_ctx_fail(ctx, SPARCL_E_ALIAS,
                            "copy: the %lld bytes from %lld on and those from %lld on overlap",
                            (long long)bytes, (long long)from_at, (long long)to_at);
    if (ctx->forecast) return mark_written(to);
    if (own_kernel_pays(ctx, bytes))
        return copy_by_kernel(ctx, SPARCL_PROFILE_COPY, to, to_at, from, from_at, bytes);
    const cl_int code =
        clEnqueueCopyBuffer(ctx->cl_queue, from->memory, to->memory, (size_t)from_at, (size_t)to_at,
                            (size_t)bytes, 0, NULL, spc_profile_event(ctx));
    spc_profile_transfer(ctx, code, SPARCL_PROFILE_COPY, bytes);
    sparcl_buf_touched(to);
    return code == CL_SUCCESS ? SPARCL_OK : spc_ctx_fail_cl(ctx, code, "copying a buffer");
}

sparcl_status sparcl_buf_fill(sparcl_ctx *ctx, sparcl_buf *buf, int64_t at, int64_t bytes,
                              unsigned char value) {
    SPC_TRY(check_target(ctx, "fill", buf, at, bytes));
    if (bytes == 0) return SPARCL_OK;
    if (ctx->forecast) return mark_written(buf);
    if (own_kernel_pays(ctx, bytes)) return fill_by_kernel(ctx, buf, at, bytes, value);
    const cl_int code = clEnqueueFillBuffer(ctx->cl_queue, buf->memory, &value, 1, (size_t)at,
                                            (size_t)bytes, 0, NULL, spc_profile_event(ctx));
    spc_profile_transfer(ctx, code, SPARCL_PROFILE_FILL, bytes);
    sparcl_buf_touched(buf);
    return code == CL_SUCCESS ? SPARCL_OK : spc_ctx_fail_cl(ctx, code, "filling a buffer");
}

/* --- strided rows ------------------------------------------------------------------------------
 */

/* Are the rows one contiguous range of bytes? */
static bool is_packed(const spc_strided *rows) {
    return rows->count <= 1 || rows->bytes == 0 || rows->bytes == rows->pitch;
}

/* Arguments of the rectangle calls of OpenCL. */
typedef struct rectangle {
    size_t at[3], host_at[3], region[3], pitch, host_pitch;
} rectangle;

/* From byte `done` of each row on, all rows but the last. There are drivers (NVIDIA) that only take
 * rectangles of whole arrays: it ends where a row of the buffer does, counted from the buffer's
 * start, and its last row lies in the buffer up to the next. So rows may be two rectangles, and the
 * last, which may end with the buffer, is none. */
static rectangle rectangle_of(const spc_strided *rows, int64_t done) {
    const int64_t at = rows->at + done, in_row = at % rows->pitch, left = rows->bytes - done;
    const int64_t width = rows->pitch - in_row < left ? rows->pitch - in_row : left;
    return (rectangle){.at = {(size_t)in_row, (size_t)(at / rows->pitch), 0},
                       .host_at = {(size_t)done, 0, 0},
                       .region = {(size_t)width, (size_t)(rows->count - 1), 1},
                       .pitch = (size_t)rows->pitch,
                       .host_pitch = (size_t)rows->bytes};
}

static int64_t last_row(const spc_strided *rows) {
    return (rows->count - 1) * rows->pitch;
}

sparcl_status spc_buf_read_rows(sparcl_ctx *ctx, const sparcl_buf *buf, const spc_strided *rows,
                                void *host) {
    const int64_t before_last = (rows->count - 1) * rows->bytes;
    if (is_packed(rows))
        return sparcl_buf_read(ctx, buf, rows->at, rows->count * rows->bytes, host);
    SPC_TRY(check_range(ctx, "read", buf, rows->at, last_row(rows) + rows->bytes));
    SPC_TRY(check_host(ctx, "read", host, before_last + rows->bytes));
    if (ctx->forecast) memset(host, 0, (size_t)before_last);
    for (int64_t done = 0; !ctx->forecast && done < rows->bytes;) {
        const rectangle r = rectangle_of(rows, done);
        const cl_int code = clEnqueueReadBufferRect(ctx->cl_queue, buf->memory, CL_TRUE, r.at,
                                                    r.host_at, r.region, r.pitch, 0, r.host_pitch,
                                                    0, host, 0, NULL, spc_profile_event(ctx));
        done += (int64_t)r.region[0];
        spc_profile_transfer(ctx, code, SPARCL_PROFILE_READ, (int64_t)(r.region[0] * r.region[1]));
        if (code != CL_SUCCESS) return spc_ctx_fail_cl(ctx, code, "reading rows of a buffer");
    }
    return sparcl_buf_read(ctx, buf, rows->at + last_row(rows), rows->bytes,
                           (unsigned char *)host + before_last);
}

sparcl_status spc_buf_write_rows(sparcl_ctx *ctx, sparcl_buf *buf, const spc_strided *rows,
                                 const void *host) {
    const int64_t before_last = (rows->count - 1) * rows->bytes;
    if (is_packed(rows))
        return sparcl_buf_write(ctx, buf, rows->at, rows->count * rows->bytes, host);
    SPC_TRY(check_target(ctx, "write", buf, rows->at, last_row(rows) + rows->bytes));
    SPC_TRY(check_host(ctx, "write", host, before_last + rows->bytes));
    for (int64_t done = 0; !ctx->forecast && done < rows->bytes;) {
        const rectangle r = rectangle_of(rows, done);
        const cl_int code = clEnqueueWriteBufferRect(ctx->cl_queue, buf->memory, CL_TRUE, r.at,
                                                     r.host_at, r.region, r.pitch, 0, r.host_pitch,
                                                     0, host, 0, NULL, spc_profile_event(ctx));
        done += (int64_t)r.region[0];
        spc_profile_transfer(ctx, code, SPARCL_PROFILE_WRITE, (int64_t)(r.region[0] * r.region[1]));
        sparcl_buf_touched(buf);
        if (code != CL_SUCCESS) return spc_ctx_fail_cl(ctx, code, "writing rows of a buffer");
    }
    return sparcl_buf_write(ctx, buf, rows->at + last_row(rows), rows->bytes,
                            (const unsigned char *)host + before_last);
}

sparcl_status spc_buf_zero_rows(sparcl_ctx *ctx, sparcl_buf *buf, const spc_strided *rows) {
    if (is_packed(rows)) return sparcl_buf_fill(ctx, buf, rows->at, rows->count * rows->bytes, 0);
    SPC_TRY(check_target(ctx, "fill", buf, rows->at, last_row(rows) + rows->bytes));
    if (ctx->forecast) return mark_written(buf);
    SPC_TRY(SPC_LAUNCH(ctx, "transfer", 0, "clear_rows",
                       spc_range_each(ctx, rows->count * rows->bytes), SPC_OUT(buf),
                       SPC_I64(rows->at), SPC_I64(rows->bytes), SPC_I64(rows->pitch),
                       SPC_I64(rows->count)));
    spc_profile_relabel(ctx, SPARCL_PROFILE_FILL, rows->count * rows->bytes);
    return SPARCL_OK;
}
