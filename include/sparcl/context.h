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
 * E_UNSUPPORTED: some devices end long loops early (Mesa's llvmpipe, docs/numerics.md). There an
 * operation refuses sums that are too long, and its result is unchanged; the message names the
 * operation and the device.
 *
 * Threads: different contexts may be used by different threads at the same time; one context, and
 * the objects made from it, by one thread at a time; there is no global state and nothing to
 * initialise. (Exceptions: a lock, with which one thread at a time lists devices or opens a
 * context, as some drivers need; and SPARCL_MATH_FAST: see sparcl_gemm in ops.h.) A process that
 * was forked after a use of OpenCL must not use it: drivers hang there.
 *
 * NULL: with a context that is NULL, functions that return a status return E_ARG: those of this
 * header, of opencl.h and probe.h, operations, optimizers and graphs; the others return NULL, 0 or
 * "", or do nothing. There is no message, because no context can store it.
 *
 * Memory: the core allocates and frees all its host memory with the allocator of the context (or of
 * the device list).
 */

/** The importance of a message. */
typedef enum sparcl_log_level {
    SPARCL_LOG_DEBUG = 0,
    SPARCL_LOG_INFO = 1,
    SPARCL_LOG_WARNING = 2
} sparcl_log_level;

/** Log hook; `message` is valid only during the call. */
typedef void (*sparcl_log_fn)(void *user, sparcl_log_level level, const char *message);

/** The settings of a context. All zero is the default. */
typedef struct sparcl_ctx_desc {
    size_t size;               /**< 0 or sizeof(sparcl_ctx_desc): which fields there are */
    const char *device;        /**< see sparcl_device_select; NULL: auto */
    sparcl_class device_class; /**< force a class of kernels; auto: from the device */
    const char *cache_dir;     /**< folder of compiled kernels (not with PoCL, which stores them
                                    itself), measurements and tunings, created if missing (not its
                                    parents); NULL: no cache. A folder that is a link, that belongs to
                                    another user or that others may write to is not used; this is no
                                    error. */
    const char *kernel_dir;    /**< for development: read the kernels from this folder, not from the
                                    library */
    sparcl_allocator allocator; /**< of host memory */
    sparcl_log_fn log;          /**< NULL: no messages */
    void *log_user;             /**< passed to `log` */
    int profile;                /**< nonzero: record the time of all work; see profile.h */
    int forecast;               /**< nonzero: only count memory, see below */
    const char
        *tuning; /**< values of tunables (tune.h), read when the context is opened; "": the
                      defaults; NULL: the values stored in the cache folder, else the defaults. An
                      invalid text is E_ARG, with its line; an invalid stored one is ignored. */
} sparcl_ctx_desc;

/*
 * Forecast: in such a context, buffers are counted but have no memory, calls check their arguments,
 * and nothing is built or runs on the device; every value that is read is 0. sparcl_ctx_memory and
 * sparcl_ctx_peak_memory return what they would return after the same calls in a context that
 * computes: it depends only on sizes, types, the device and the tuning. (Validation needs more
 * memory for an unsorted view than for a sorted one: the maximum is counted.) There are no cl_mem,
 * and none can be adopted.
 */

/**
 * Open a context on the device that desc->device selects; desc may be NULL.
 *
 * Errors    E_DEVICE, E_OPENCL, E_MEMORY, E_ARG, and E_UNSUPPORTED for a class that the device
 *           cannot run; *ctx is then NULL and `error`, where not NULL, says why.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_ctx_open(sparcl_ctx **ctx,
                                                           const sparcl_ctx_desc *desc,
                                                           sparcl_error *error);

/**
 * Close a context: wait for its queue and release what was created or retained. NULL is allowed.
 * Buffers that still exist keep their memory until they are freed; they may only be freed.
 */
SPARCL_API void sparcl_ctx_close(sparcl_ctx *ctx);

/** The device of the context. */
SPARCL_API const sparcl_device *sparcl_ctx_device(const sparcl_ctx *ctx);
/** The platform name of the context's device. */
SPARCL_API const char *sparcl_ctx_platform(const sparcl_ctx *ctx);
/** The class of its kernels: SPARCL_CLASS_CPU or SPARCL_CLASS_GPU. */
SPARCL_API sparcl_class sparcl_ctx_class(const sparcl_ctx *ctx);

/** The last error of a call on this context, or on an object made from it, also of one that has an
 * error record as a parameter; never NULL. A call that succeeds does not change it. */
SPARCL_API const sparcl_error *sparcl_ctx_error(const sparcl_ctx *ctx);

/** For the end of functions of your own that have an error record as a parameter: where `status` is
 * an error, `found` becomes the last error of the context and is copied to `error`; each of ctx and
 * error may be NULL. Returns `status`. */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_ctx_report(sparcl_ctx *ctx,
                                                                          sparcl_status status,
                                                                          const sparcl_error *found,
                                                                          sparcl_error *error);

/** The complete compiler output of the last kernel that did not build; "" when all did. */
SPARCL_EXPERIMENTAL_API const char *sparcl_ctx_build_log(const sparcl_ctx *ctx);

/** Wait until all work enqueued so far is complete. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_ctx_finish(sparcl_ctx *ctx);

/** Submit all enqueued work to the device without waiting. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_ctx_flush(sparcl_ctx *ctx);
/** Wait for what had been enqueued when this function was called the last time: a host that calls
 * it now and then is not far ahead of the device, which always has work. E_OPENCL. */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_ctx_throttle(sparcl_ctx *ctx);

/** Bytes of device memory that the buffers and the scratch memory of the context use now. */
SPARCL_API int64_t sparcl_ctx_memory(const sparcl_ctx *ctx);
/** The maximum that sparcl_ctx_memory has had since the context was opened. */
SPARCL_API int64_t sparcl_ctx_peak_memory(const sparcl_ctx *ctx);

/** A kernel when it is first used: then its program is built, or loaded from the cache folder. */
typedef struct sparcl_kernel_build {
    const char *name; /**< of the kernel; in sparcl_ctx_build_all of the program. Valid only during
                           the call */
    int is_done;      /**< 0: it begins; 1: it has ended, with success or without */
    int is_loaded;    /**< 1, at the end: the program was in the cache folder. PoCL has a cache of
                           its own, of which this says nothing */
    int64_t done;     /**< how many have ended in this context */
    int64_t total;    /**< of how many; 0, but in sparcl_ctx_build_all: not known */
    double seconds;   /**< at the end: that it took, with its first run, before which PoCL compiles
                           it; else 0 */
} sparcl_kernel_build;

/** Called before and after a kernel is built. It must not use the context. */
typedef void (*sparcl_kernel_build_fn)(void *user, const sparcl_kernel_build *build);

/** Call `fn` for each kernel that is built from now on, by the thread that uses the context; the
 * first launch of a kernel then waits for its end. NULL: no calls, which is the default. With a
 * context that is NULL it does nothing. */
SPARCL_EXPERIMENTAL_API void sparcl_ctx_on_build(sparcl_ctx *ctx, sparcl_kernel_build_fn fn,
                                                 void *user);

/** What a conversion from a sparse to a dense array does; see sparcl_ctx_set_densify. */
typedef enum sparcl_densify {
    SPARCL_DENSIFY_ALLOW = 0, /**< it is performed */
    SPARCL_DENSIFY_WARN = 1,  /**< and the log hook gets a warning */
    SPARCL_DENSIFY_ERROR = 2  /**< it is refused: E_UNSUPPORTED, nothing is enqueued */
} sparcl_densify;

/**
 * The policy for conversions to dense arrays of more than `limit` bytes; smaller ones are always
 * performed. The default is ALLOW: nothing is ever made dense but by a call whose name says so
 * (sparcl_..._to_dense, sparcl_graph_to_dense). The warning and the error have the bytes of the
 * dense array and those of the sparse one. It holds until the next call.
 *
 * Errors    E_ARG: an unknown policy, or a limit below 0.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_ctx_set_densify(sparcl_ctx *ctx,
                                                                  sparcl_densify policy,
                                                                  int64_t limit);

/**
 * Create a buffer of `bytes` bytes on the device, contents unspecified; 0 bytes is legal.
 *
 * Errors    E_MEMORY: larger than the device's largest allocation, or out of memory; *buf is NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_buf_create(sparcl_ctx *ctx, sparcl_buf **buf,
                                                             int64_t bytes);

/**
 * Create a buffer with the contents of host memory. Where the device shares memory with the host,
 * the buffer uses `host` itself, without a copy: `host` must be aligned for its elements, must stay
 * valid, and must not be read or written by others until the buffer is freed. sparcl_buf_read
 * returns what kernels wrote.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_buf_wrap(sparcl_ctx *ctx, sparcl_buf **buf,
                                                           void *host, int64_t bytes);

/**
 * The same for memory that may only be read: constants, a file that is mapped for reading. A call
 * that would write the buffer is E_ARG, and leaves it as it is. (So is a buffer that
 * sparcl_buf_adopt makes of an object with CL_MEM_READ_ONLY.)
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_buf_wrap_const(sparcl_ctx *ctx, sparcl_buf **buf,
                                                                 const void *host, int64_t bytes);

/** Create a buffer with a copy of host memory, which may be reused when the call returns. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_buf_upload(sparcl_ctx *ctx, sparcl_buf **buf,
                                                             const void *host, int64_t bytes);

/**
 * Free a buffer when the work that uses it is complete. Does not wait, except for a buffer that
 * uses host memory itself (sparcl_buf_wrap): then all work is complete on return. NULL is allowed.
 */
SPARCL_API void sparcl_buf_free(sparcl_buf *buf);

/** The size of a buffer in bytes; 0 for NULL. */
SPARCL_API int64_t sparcl_buf_bytes(const sparcl_buf *buf);
/** 1 for a buffer that must not be written (sparcl_buf_wrap_const); 0 for others and for NULL. */
SPARCL_EXPERIMENTAL_API int sparcl_buf_is_const(const sparcl_buf *buf);

/** 1 where a buffer of the context that uses some of these bytes of the host itself
 * (sparcl_buf_wrap) was written since it was made: then they are up to date after sparcl_buf_read
 * only. */
SPARCL_EXPERIMENTAL_API int sparcl_ctx_has_written(const sparcl_ctx *ctx, const void *host,
                                                   int64_t bytes);

/**
 * Copy from the device to `host`; waits. Positions are in bytes, and need no alignment.
 *
 * Aliasing  `host` must not be memory that a buffer of the context uses itself, except exactly the
 *           bytes that are read: they are then up to date on return. (sparcl_buf_write: the same.)
 * Errors    of this and the next three functions: E_ARG: outside of the buffer, or a buffer of
 *           another context; E_ALIAS; E_OPENCL, E_BUILD, E_MEMORY. A range of 0 bytes inside is
 *           legal.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_buf_read(sparcl_ctx *ctx, const sparcl_buf *buf,
                                                           int64_t at, int64_t bytes, void *host);

/** Copy from `host` to the device; waits: `host` may be reused when the call returns. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_buf_write(sparcl_ctx *ctx, sparcl_buf *buf,
                                                            int64_t at, int64_t bytes,
                                                            const void *host);

/** Copy from buffer to buffer on the device; the ranges must not overlap (E_ALIAS). Does not
 * wait. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_buf_copy(sparcl_ctx *ctx, sparcl_buf *to,
                                                           int64_t to_at, const sparcl_buf *from,
                                                           int64_t from_at, int64_t bytes);

/** Fill a range with one byte value. Does not wait. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_buf_fill(sparcl_ctx *ctx, sparcl_buf *buf,
                                                           int64_t at, int64_t bytes,
                                                           unsigned char value);

/** Report that an adopted buffer was written from outside (also by another context). The proofs of
 * views on it, and on all buffers of the context that share its memory, then end. */
SPARCL_EXPERIMENTAL_API void sparcl_buf_touched(sparcl_buf *buf);

#ifdef __cplusplus
}
#endif

#endif
