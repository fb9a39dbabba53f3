/* ctx.h: what operations may ask of a context and of a buffer. */
#ifndef SPC_DEVICE_CTX_H
#define SPC_DEVICE_CTX_H

#include <stdbool.h>

#include "base/macros.h"
#include "sparcl/context.h"

/* Write the context's last error and return `status`. */
sparcl_status spc_ctx_fail(sparcl_ctx *ctx, sparcl_status status, const char *format, ...)
    SPC_PRINTF(3, 4);

/* Put back an error that was kept: a call that succeeds leaves the last one alone. */
void spc_ctx_set_error(sparcl_ctx *ctx, const sparcl_error *error);

/* Tell the log hook. */
void spc_ctx_log(sparcl_ctx *ctx, sparcl_log_level level, const char *format, ...) SPC_PRINTF(3, 4);

/* Kernels for many lanes rather than for few wide cores? */
bool spc_ctx_is_gpu(const sparcl_ctx *ctx);
/* Work-items of a GPU work-group; the kernels' GROUP. CPU-class kernels have groups of one. */
#define SPC_GROUP 128
int64_t spc_ctx_units(const sparcl_ctx *ctx);
/* Is memory only counted? What looks at data then takes what it would take at most. */
bool spc_ctx_is_forecast(const sparcl_ctx *ctx);
const sparcl_allocator *spc_ctx_allocator(const sparcl_ctx *ctx);

/*
 * Changes with each write to the buffer's memory, be it through another buffer of the context that
 * shares it, and is another number for another buffer, also of another context (but for one chance
 * in 2^64); 0 for NULL.
 */
uint64_t spc_buf_stamp(const sparcl_buf *buf);

/* Do `count` elements of `size` bytes from element `at` lie inside? NULL holds no element. */
bool spc_buf_holds(const sparcl_buf *buf, int64_t at, int64_t count, size_t size);
/* Do two ranges of bytes share one, through whatever buffers? (Parts of one cl_mem are found too.)
 */
bool spc_buf_overlaps(const sparcl_buf *a, int64_t a_at, int64_t a_bytes, const sparcl_buf *b,
                      int64_t b_at, int64_t b_bytes);
/* NULL belongs to every context. */
bool spc_buf_belongs(const sparcl_buf *buf, const sparcl_ctx *ctx);

#endif
