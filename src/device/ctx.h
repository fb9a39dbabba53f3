/* ctx.h: the interface of contexts and buffers for operations. */
#ifndef SPC_DEVICE_CTX_H
#define SPC_DEVICE_CTX_H

#include <stdbool.h>

#include "base/macros.h"
#include "sparcl/context.h"
#include "sparcl/tensor.h"

/* "float32", "bfloat16", "int64", ... */
const char *spc_dtype_name(sparcl_dtype dtype);

/* Write the context's last error and return `status`; E_ARG where the context is NULL. */
sparcl_status spc_ctx_fail(sparcl_ctx *ctx, sparcl_status status, const char *format, ...)
    SPC_PRINTF(3, 4);

/* Restore a saved error: a call that succeeds must not change the last one. */
void spc_ctx_set_error(sparcl_ctx *ctx, const sparcl_error *error);

/* Call the log hook. */
void spc_ctx_log(sparcl_ctx *ctx, sparcl_log_level level, const char *format, ...) SPC_PRINTF(3, 4);

/* The policy of sparcl_ctx_set_densify for an operation that writes an array of `dense` bytes, made
 * of one of `sparse` bytes: E_UNSUPPORTED, or a warning to the log hook. */
sparcl_status spc_ctx_check_densify(sparcl_ctx *ctx, const char *op, int64_t dense, int64_t sparse);
/* Off: it holds for no operation, until it is on again. */
void spc_ctx_apply_densify(sparcl_ctx *ctx, bool on);

/* Does the context use the kernels for many lanes, not those for few wide cores? */
bool spc_ctx_is_gpu(const sparcl_ctx *ctx);
/* Work-items per work-group of GPU-class kernels, GROUP in the kernels. CPU-class groups have one.
 */
#define SPC_GROUP 128
int64_t spc_ctx_units(const sparcl_ctx *ctx);
/* Is memory only counted? Operations whose memory depends on data then request their maximum. */
bool spc_ctx_is_forecast(const sparcl_ctx *ctx);
const sparcl_allocator *spc_ctx_allocator(const sparcl_ctx *ctx);

/*
 * A number that changes with each write to the buffer's memory, also through other buffers of the
 * context that share it. It differs between buffers, also of different contexts (except with a
 * probability of 2^-64); 0 for NULL.
 */
uint64_t spc_buf_stamp(const sparcl_buf *buf);

/* Are `count` elements of `size` bytes from element `at` on inside the buffer? NULL has no
 * elements. */
bool spc_buf_holds(const sparcl_buf *buf, int64_t at, int64_t count, size_t size);
/* Do two byte ranges overlap, even if the buffers differ? (Sub-buffers of one cl_mem are detected.)
 */
bool spc_buf_overlaps(const sparcl_buf *a, int64_t a_at, int64_t a_bytes, const sparcl_buf *b,
                      int64_t b_at, int64_t b_bytes);
/* NULL belongs to every context. */
bool spc_buf_belongs(const sparcl_buf *buf, const sparcl_ctx *ctx);

/* --- profiler.c ------------------------------------------------------------------------------- */

/* The commands from here on are also those of a part (sparcl_profile_part), which moves at least so
 * many bytes; until the next part, or the end. Without profiling they do nothing. */
bool spc_profile_is_on(const sparcl_ctx *ctx);
void spc_profile_part(sparcl_ctx *ctx, int node, const char *operation, const char *of,
                      int64_t bytes);
void spc_profile_end_part(sparcl_ctx *ctx);

#endif
