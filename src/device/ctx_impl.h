/* ctx_impl.h: the structs of contexts and buffers; only for the folders that call OpenCL. */
#ifndef SPC_DEVICE_CTX_IMPL_H
#define SPC_DEVICE_CTX_IMPL_H

#include "device/ctx.h"
#include "sparcl/opencl.h"

#define SPC_SCRATCH_DEPTH 32
#define SPC_MAX_CLOSERS   8

/* Releases what a file keeps in a context, which is then as in a new context. */
typedef void (*spc_close_fn)(sparcl_ctx *ctx);

struct sparcl_buf {
    sparcl_ctx *ctx; /* holds a reference */
    cl_mem memory;
    cl_mem root; /* the parent of a sub-buffer, or `memory` itself */
    int64_t root_at;
    char *host;    /* the caller's memory, if the buffer uses it, else NULL */
    bool wrapped;  /* `host` came with sparcl_buf_wrap */
    bool is_const; /* it must not be written */
    bool shared;   /* other buffers may use the same memory */
    int64_t bytes;
    int64_t
        counted;    /* of them, in the context's memory: 0 for memory that is lent for a transfer */
    uint64_t stamp; /* the context's clock at the last write */
    uint64_t born;  /* and when the buffer was made */
    sparcl_buf *next, *previous;
};

struct sparcl_ctx {
    int references; /* one for the owner, one for each live buffer */
    sparcl_allocator allocator;
    sparcl_log_fn log;
    void *log_user;
    sparcl_error error;

    sparcl_device device;
    sparcl_platform platform;
    cl_device_id cl_device;
    cl_context cl_context;
    cl_command_queue cl_queue;
    bool forecast;    /* buffers without memory, and nothing runs */
    bool short_loops; /* the loops of a work-item must be short: see list.h */
    sparcl_densify densify;
    int64_t densify_limit;
    bool densify_is_off; /* for gradients of dense arrays */

    /* buffer.c */
    uint64_t salt;    /* a random number of this context, for the stamps of its buffers */
    uint64_t clock;   /* counts writes to all buffers */
    int64_t memory;   /* bytes of live buffers */
    int64_t peak;     /* the maximum of `memory` */
    sparcl_buf *bufs; /* the live buffers, newest first */
    int shared_bufs;  /* the number of shared ones */

    /* The data of other files, each of which registers a close function. */
    spc_close_fn closers[SPC_MAX_CLOSERS];
    int closer_count;
    struct spc_profile *profile;  /* profiler.c; NULL: not requested */
    char *cache_dir, *kernel_dir; /* program/ */
    /* Programs are stored in cache_dir. PoCL stores them itself, and for a binary it compiles each
     * kernel once more, for groups of any size: a first training took 21 s, without 8.5 s. */
    bool keeps_programs;
    char *build_log;
    struct spc_program *programs;    /* a list, newest first */
    sparcl_kernel_build_fn on_build; /* NULL: no calls */
    void *on_build_user;
    sparcl_kernel_build build; /* the last one, or that which runs */
    double build_start;
    struct spc_tuning *tuning;              /* tune/ */
    sparcl_buf *scratch[SPC_SCRATCH_DEPTH]; /* scratch.c */
    int scratch_depth;
    int64_t launches; /* launch.c */
    int64_t waits;    /* of the host: sparcl_ctx_finish, transfers */
    cl_event mark;    /* queue.c */
    struct {
        int state[2]; /* spc_blas_state, by dtype */
        bool refusal_reported;
    } blas; /* blas.c */
};

/* A context with its hooks and strings, but without a device yet. */
sparcl_status spc_ctx_make(sparcl_ctx **out, const sparcl_ctx_desc *desc, sparcl_error *error);
/* Drop a reference; the last one frees the context. */
void spc_ctx_unref(sparcl_ctx *ctx);

/* Call `close` when the context is closed: once, and before those that were registered earlier. */
void spc_ctx_on_close(sparcl_ctx *ctx, spc_close_fn close);
void spc_ctx_run_closers(sparcl_ctx *ctx);

sparcl_status spc_ctx_fail_cl(sparcl_ctx *ctx, cl_int code, const char *what);

#endif
