/* ctx_impl.h: what a context and a buffer are made of; for src/device only. */
#ifndef SPC_DEVICE_CTX_IMPL_H
#define SPC_DEVICE_CTX_IMPL_H

#include "device/blas.h"
#include "device/ctx.h"
#include "sparcl/opencl.h"

#define SPC_SCRATCH_DEPTH 32

typedef struct spc_program spc_program;
typedef struct spc_profile spc_profile;
typedef struct spc_tuning spc_tuning;

struct sparcl_buf {
    sparcl_ctx *ctx; /* holds a reference */
    cl_mem memory;
    cl_mem root; /* what `memory` is a part of, or `memory` itself */
    int64_t root_at;
    char *host;   /* the caller's memory that is used itself, else NULL */
    bool wrapped; /* `host` came with sparcl_buf_wrap */
    bool shared;  /* other buffers may lie on the same memory */
    int64_t bytes;
    uint64_t stamp; /* the context's clock at the last write */
    sparcl_buf *next, *previous;
};

struct sparcl_ctx {
    int references; /* one of the owner, one of each live buffer */
    sparcl_allocator allocator;
    sparcl_log_fn log;
    void *log_user;
    sparcl_device device;
    sparcl_platform platform;
    cl_device_id cl_device;
    cl_context cl_context;
    cl_command_queue cl_queue;
    char *cache_dir, *kernel_dir;
    spc_program *programs; /* a list, newest first */
    spc_profile *profile;  /* NULL: nobody asked for it */
    spc_tuning *tuning; /* of its own, so that what was looked at is noted in a const context too */
    int64_t launches;
    sparcl_buf *scratch[SPC_SCRATCH_DEPTH];
    int scratch_depth;
    bool forecast;    /* buffers without memory, and nothing runs */
    bool short_loops; /* the loops of a work-item must be short: see launch.c */
    uint64_t salt;    /* a number of this context's own, for the stamps of its buffers */
    uint64_t clock;   /* counts writes to all buffers */
    int64_t memory;   /* bytes of live buffers */
    sparcl_buf *bufs; /* the live buffers, newest first */
    int shared_bufs;  /* how many of them are shared */
    spc_blas_state blas_state[2]; /* by dtype */
    bool blas_used, blas_refusal_told;
    sparcl_error error;
    char *build_log;
};

/* Fail with an OpenCL code; `what` says which call did not succeed. */
sparcl_status spc_fail_cl(sparcl_error *error, cl_int code, const char *what);
sparcl_status spc_ctx_fail_cl(sparcl_ctx *ctx, cl_int code, const char *what);
/* The name of an OpenCL error code. */
const char *spc_cl_name(cl_int code);
/* The status that fits a code: memory, or OpenCL. */
sparcl_status spc_cl_status(cl_int code);

/* Fill in all of the record; `platform` and `number` are its place in a list, or -1. */
void spc_device_describe(cl_device_id id, int platform, int number, sparcl_device *device);
void spc_platform_describe(cl_platform_id id, sparcl_platform *platform);

bool spc_device_has_short_loops(const sparcl_device *device);

/* sparcl_buf_wrap for a device that shares memory with the host; `access` is an OpenCL flag. */
sparcl_status spc_buf_wrap(sparcl_ctx *ctx, sparcl_buf **buf, cl_mem_flags access, void *host,
                           int64_t bytes);
/* A buffer that lies on some of these bytes of the host, or NULL. */
const sparcl_buf *spc_buf_on_host(const sparcl_ctx *ctx, const void *host, int64_t bytes);
/* Give a new context its salt. */
void spc_ctx_salt(sparcl_ctx *ctx);

/* Wait for all work. rusticl (Mesa 22.3) returns from clFinish at once where all work has been
 * flushed; one more command makes it wait. */
cl_int spc_finish(const sparcl_ctx *ctx);

void spc_programs_free(sparcl_ctx *ctx);
void spc_ctx_unref(sparcl_ctx *ctx);

/* The binary cache: *binary is allocated with the context's allocator, or NULL when there is none
 * or any doubt about it. */
void spc_cache_load(sparcl_ctx *ctx, const char *key, size_t key_bytes, unsigned char **binary,
                    size_t *bytes);
void spc_cache_store(sparcl_ctx *ctx, const char *key, size_t key_bytes,
                     const unsigned char *binary, size_t bytes);
/* Of the texts of all kernels in the library. */
uint64_t spc_cache_sum_kernels(void);

#endif
