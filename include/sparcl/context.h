/* context.h: the context (one device, one in-order queue) and its buffers. */
#ifndef SPARCL_CONTEXT_H
#define SPARCL_CONTEXT_H

#include "sparcl/device.h"
#include "sparcl/status.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * E_UNSUPPORTED: an operation whose sums are too long for a device that ends loops early (Mesa's
 * llvmpipe, docs/numerics.md) refuses them and leaves its result as it was; the message names the
 * operation and the device.
 *
 * Threads: different contexts may be used by different threads at the same time; one context, and
 * what was made from it, by one thread at a time; there is no global state and nothing to
 * initialise. (The one exception: see `fast` in ops.h, sparcl_gemm.)
 *
 * NULL: a context that is NULL is E_ARG to the functions of this header, of opencl.h and probe.h
 * that return a status; the others then answer NULL, 0, "" or do nothing. Nothing else is written
 * down: there is no context to keep a message.
 *
 * Memory: all host memory that the core needs comes from the allocator of the context (or of the
 * device list), and all of it is given back there.
 */

/** How important a message is. */
typedef enum sparcl_log_level {
    SPARCL_LOG_DEBUG = 0,
    SPARCL_LOG_INFO = 1,
    SPARCL_LOG_WARNING = 2
} sparcl_log_level;

/** Log hook; `message` is valid during the call. */
typedef void (*sparcl_log_fn)(void *user, sparcl_log_level level, const char *message);

/** How to open a context. All zero is the default. */
typedef struct sparcl_ctx_desc {
    const char *device;        /**< see sparcl_device_select; NULL: auto */
    sparcl_class device_class; /**< force a class of kernels; auto: from the device */
    const char *cache_dir;  /**< folder of the binary cache, made where missing (not its parents);
                                 NULL: no cache. A folder that is a link, that belongs to somebody
                                 else or that others may write is not used, which is no error. */
    const char *kernel_dir; /**< for development: read kernels from here, not from the library */
    sparcl_allocator allocator; /**< of host memory */
    sparcl_log_fn log;          /**< NULL: nobody is told */
    void *log_user;             /**< handed to `log` */
    int profile;                /**< nonzero: note the time of all work; see profile.h */
    int forecast;               /**< nonzero: only count memory, see below */
    const char
        *tuning; /**< values of tunables (tune.h), read when the context is opened; "": the
                      defaults; NULL: what is stored beside the cache, else the defaults. A
                      text that is wrong is E_ARG, with its line; a stored one is not used. */
    uint64_t reserved[2];
} sparcl_ctx_desc;

/*
 * Forecast: in a context that was opened so, buffers are counted but have no memory, calls check
 * their arguments, and nothing is built or runs on the device; what is read is 0. sparcl_ctx_memory
 * is what it would be after the same calls in a context that computes: it depends on sizes, types,
 * the device and the tuning alone. (Validation of an unsorted view takes more memory than of a
 * sorted one: told is the most.) There are no cl_mem, and none can be adopted.
 */

/**
 * Open a context on the device that desc->device selects; desc may be NULL.
 *
 * Errors    E_DEVICE, E_OPENCL, E_MEMORY, E_ARG, and E_UNSUPPORTED for a class that the device
 *           cannot have; *ctx is then NULL and `error`, where not NULL, says why.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_ctx_open(sparcl_ctx **ctx,
                                                           const sparcl_ctx_desc *desc,
                                                           sparcl_error *error);

/**
 * Close a context: waits for its queue and releases what was made or retained. NULL is allowed.
 * Buffers that still live keep their memory until they are freed, which is all that may still be
 * done with them.
 */
SPARCL_API void sparcl_ctx_close(sparcl_ctx *ctx);

/** The device of the context. */
SPARCL_API const sparcl_device *sparcl_ctx_device(const sparcl_ctx *ctx);
/** The platform name of the context's device. */
SPARCL_API const char *sparcl_ctx_platform(const sparcl_ctx *ctx);
/** The class of its kernels: SPARCL_CLASS_CPU or SPARCL_CLASS_GPU. */
SPARCL_API sparcl_class sparcl_ctx_class(const sparcl_ctx *ctx);

/** The last error of a call on this context; never NULL. A call that succeeds leaves it alone. */
SPARCL_API const sparcl_error *sparcl_ctx_error(const sparcl_ctx *ctx);

/** The compiler's whole output of the last kernel that did not build; "" when all did. */
SPARCL_API const char *sparcl_ctx_build_log(const sparcl_ctx *ctx);

/** Wait until all work enqueued so far has ended. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_ctx_finish(sparcl_ctx *ctx);

/** Hand all enqueued work to the device without waiting. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_ctx_flush(sparcl_ctx *ctx);

/** Bytes of device memory held now by the buffers and the scratch memory of the context. */
SPARCL_API int64_t sparcl_ctx_memory(const sparcl_ctx *ctx);

/**
 * A buffer of `bytes` bytes on the device, contents unspecified; 0 bytes is legal.
 *
 * Errors    E_MEMORY: larger than the device's largest allocation, or no room; *buf is NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_buf_create(sparcl_ctx *ctx, sparcl_buf **buf,
                                                             int64_t bytes);

/**
 * A buffer that starts as a copy of host memory. Where the device shares memory with the host it
 * uses `host` itself, without a copy: `host`, aligned for its elements, must stay, and not be
 * touched by others, until the buffer is freed. What kernels wrote is seen by sparcl_buf_read.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_buf_wrap(sparcl_ctx *ctx, sparcl_buf **buf,
                                                           void *host, int64_t bytes);

/** A buffer that starts as a copy of host memory, which is free again when the call returns. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_buf_upload(sparcl_ctx *ctx, sparcl_buf **buf,
                                                             const void *host, int64_t bytes);

/**
 * Frees a buffer when the work that uses it has ended. Does not wait, but for a buffer that uses
 * host memory itself (sparcl_buf_wrap): then all work has ended on return. NULL is allowed.
 */
SPARCL_API void sparcl_buf_free(sparcl_buf *buf);

/** The size of a buffer in bytes; 0 for NULL. */
SPARCL_API int64_t sparcl_buf_bytes(const sparcl_buf *buf);

/**
 * Copy from the device to `host`; waits. Positions are bytes, and may be odd.
 *
 * Aliasing  `host` must not be memory that a buffer of the context uses itself, but for the very
 *           bytes that are read: they are then up to date on return. (Nor for sparcl_buf_write.)
 * Errors    of this and the next three: E_ARG: outside of the buffer, or a buffer of another
 *           context; E_ALIAS; E_OPENCL, E_BUILD, E_MEMORY. A range of 0 bytes inside is legal.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_buf_read(sparcl_ctx *ctx, const sparcl_buf *buf,
                                                           int64_t at, int64_t bytes, void *host);

/** Copy from `host` to the device; waits: `host` is free again when the call returns. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_buf_write(sparcl_ctx *ctx, sparcl_buf *buf,
                                                            int64_t at, int64_t bytes,
                                                            const void *host);

/** Copy inside the device; the ranges must not overlap (E_ALIAS). Does not wait. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_buf_copy(sparcl_ctx *ctx, sparcl_buf *to,
                                                           int64_t to_at, const sparcl_buf *from,
                                                           int64_t from_at, int64_t bytes);

/** Fill with one byte value. Does not wait. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_buf_fill(sparcl_ctx *ctx, sparcl_buf *buf,
                                                           int64_t at, int64_t bytes,
                                                           unsigned char value);

/** Say that an adopted buffer was written from outside (a write by another context is one too), so
 * that views on it, and on all buffers of the context that share its memory, are unproven again. */
SPARCL_API void sparcl_buf_touched(sparcl_buf *buf);

#ifdef __cplusplus
}
#endif

#endif
