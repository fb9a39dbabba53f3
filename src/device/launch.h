/* launch.h: running a kernel: its program, its range and its arguments. */
#ifndef SPC_DEVICE_LAUNCH_H
#define SPC_DEVICE_LAUNCH_H

#include "device/ctx.h"

/* The closed list of build options, beside those that the context itself decides. */
enum {
    SPC_F64 = 1,      /* REAL is double */
    SPC_INDEX64 = 2,  /* INDEX is long */
    SPC_OFFSET64 = 4, /* OFFSET is long */
    SPC_VALUE64 = 8,  /* payload elements of 8 bytes */
    SPC_VARIANT = 16, /* a second form of the stem's kernels; the .cl file says which */
    SPC_OWN =
        32, /* our own divide and square root, even where the device's are correctly rounded */
    SPC_GROUP_64 = 64, /* work-items of a GPU group: not SPC_GROUP, but so many */
    SPC_GROUP_256 = 128
};

static inline uint32_t spc_options(sparcl_dtype dtype, sparcl_itype offset, sparcl_itype index) {
    return (dtype == SPARCL_F64 ? SPC_F64 : 0u) | (offset == SPARCL_I64 ? SPC_OFFSET64 : 0u) |
           (index == SPARCL_I64 ? SPC_INDEX64 : 0u);
}

typedef enum spc_arg_kind {
    SPC_ARG_IN,
    SPC_ARG_OUT,
    SPC_ARG_I32,
    SPC_ARG_I64,
    SPC_ARG_F32,
    SPC_ARG_F64
} spc_arg_kind;

typedef struct spc_arg {
    spc_arg_kind kind;
    union {
        const sparcl_buf *in;
        sparcl_buf *out;
        int32_t i32;
        int64_t i64;
        float f32;
        double f64;
    } as;
} spc_arg;

static inline spc_arg spc_arg_real(sparcl_dtype dtype, double x) {
    spc_arg arg = {.kind = SPC_ARG_F64, .as = {.f64 = x}};
    if (dtype == SPARCL_F32) {
        arg.kind = SPC_ARG_F32;
        arg.as.f32 = (float)x;
    }
    return arg;
}

/* A buffer that is only read, and one that is written. NULL is legal for an array of no element. */
#define SPC_IN(buf)        ((spc_arg){.kind = SPC_ARG_IN, .as = {.in = (buf)}})
#define SPC_OUT(buf)       ((spc_arg){.kind = SPC_ARG_OUT, .as = {.out = (buf)}})
#define SPC_I32(x)         ((spc_arg){.kind = SPC_ARG_I32, .as = {.i32 = (int32_t)(x)}})
#define SPC_I64(x)         ((spc_arg){.kind = SPC_ARG_I64, .as = {.i64 = (int64_t)(x)}})
#define SPC_REAL(dtype, x) spc_arg_real((dtype), (x))

/* Arguments as they come, where kernels share some of them. */
typedef struct spc_args {
    spc_arg at[32];
    size_t count;
} spc_args;

static inline void spc_args_add(spc_args *list, spc_arg arg) {
    list->at[list->count++] = arg;
}

static inline void spc_args_add_array(spc_args *list, spc_arg buf, int64_t at) {
    spc_args_add(list, buf);
    spc_args_add(list, SPC_I64(at));
}

typedef struct spc_range {
    int64_t global, local;
} spc_range;

/* Work-items of a GPU work-group; the kernels' GROUP. CPU-class kernels have groups of one. */
#define SPC_GROUP 128

/* For kernels that go over n elements with FOR_EACH. */
spc_range spc_range_each(const sparcl_ctx *ctx, int64_t n);
/* CPU class: as many workers as pay for `work` units of which one worker should have `grain`. */
int64_t spc_workers(const sparcl_ctx *ctx, int64_t work, int64_t grain);
/* Do the loops of a work-item end after some rounds? See launch.c. */
bool spc_has_short_loops(const sparcl_ctx *ctx);
/* E_UNSUPPORTED where they would end before `turns` rounds, which one work-item of `op` may take.
 */
sparcl_status spc_check_turns(sparcl_ctx *ctx, const char *op, int64_t turns);
/* `groups` groups of one item (CPU class) or SPC_GROUP items (GPU class). */
spc_range spc_range_groups(const sparcl_ctx *ctx, int64_t groups);
/* The same with groups of `local` items, for programs with SPC_GROUP_64 or SPC_GROUP_256. */
spc_range spc_range_groups_of(int64_t groups, int64_t local);

/*
 * Enqueue kernel `kernel` of program `stem` ("a+b": the files a.cl and b.cl after prelude.cl).
 * Buffers given with SPC_OUT count as written. Builds the program where that has not been done.
 */
sparcl_status spc_launch(sparcl_ctx *ctx, const char *stem, uint32_t options, const char *kernel,
                         spc_range range, const spc_arg *args, size_t count);

#define SPC_LAUNCH(ctx, stem, options, kernel, range, ...)                                         \
    spc_launch((ctx), (stem), (options), (kernel), (range), (const spc_arg[]){__VA_ARGS__},        \
               SPC_COUNT(((const spc_arg[]){__VA_ARGS__})))

/*
 * Scratch memory, a stack: what is pushed after spc_scratch_mark is given back by
 * spc_scratch_release(mark). The queue is in order, so memory given back may be used at once again.
 */
int spc_scratch_mark(const sparcl_ctx *ctx);
sparcl_status spc_scratch_push(sparcl_ctx *ctx, sparcl_buf **buf, int64_t count, size_t size);
void spc_scratch_release(sparcl_ctx *ctx, int mark);

#endif
