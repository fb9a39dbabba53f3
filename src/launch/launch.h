/* launch.h: run a kernel: its program and its arguments. */
#ifndef SPC_LAUNCH_LAUNCH_H
#define SPC_LAUNCH_LAUNCH_H

#include "device/ctx.h"
#include "launch/range.h"
#include "launch/scratch.h"
#include "program/build_options.h"

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
    if (dtype != SPARCL_F64) {
        arg.kind = SPC_ARG_F32;
        arg.as.f32 = (float)x;
    }
    return arg;
}

/* A buffer that is only read, and one that is written. NULL is legal for an array without elements.
 */
#define SPC_IN(buf)        ((spc_arg){.kind = SPC_ARG_IN, .as = {.in = (buf)}})
#define SPC_OUT(buf)       ((spc_arg){.kind = SPC_ARG_OUT, .as = {.out = (buf)}})
#define SPC_I32(x)         ((spc_arg){.kind = SPC_ARG_I32, .as = {.i32 = (int32_t)(x)}})
#define SPC_I64(x)         ((spc_arg){.kind = SPC_ARG_I64, .as = {.i64 = (int64_t)(x)}})
#define SPC_REAL(dtype, x) spc_arg_real((dtype), (x))

/* A list of arguments, for kernels that share some of them. */
typedef struct spc_args {
    spc_arg at[64];
    size_t count;
} spc_args;

static inline void spc_args_add(spc_args *list, spc_arg arg) {
    list->at[list->count++] = arg;
}

#define SPC_ARGS_ADD(list, ...)                                                                    \
    do {                                                                                           \
        const spc_arg more[] = {__VA_ARGS__};                                                      \
        for (size_t m = 0; m < SPC_COUNT(more); ++m)                                               \
            spc_args_add(list, more[m]);                                                           \
    } while (0)

static inline void spc_args_add_array(spc_args *list, spc_arg buf, int64_t at) {
    spc_args_add(list, buf);
    spc_args_add(list, SPC_I64(at));
}

/*
 * Enqueue kernel `kernel` of program `stem` ("a+b": the files a.cl and b.cl after prelude.cl).
 * Buffers in SPC_OUT count as written; E_ARG for one that is const. Builds the program if
 * necessary.
 */
sparcl_status spc_launch(sparcl_ctx *ctx, const char *stem, uint32_t options, const char *kernel,
                         spc_range range, const spc_arg *args, size_t count);

/* E_ARG: `what` would write a buffer that is const. */
sparcl_status spc_fail_const(sparcl_ctx *ctx, const char *what);

#define SPC_LAUNCH(ctx, stem, options, kernel, range, ...)                                         \
    spc_launch((ctx), (stem), (options), (kernel), (range), (const spc_arg[]){__VA_ARGS__},        \
               SPC_COUNT(((const spc_arg[]){__VA_ARGS__})))

#endif
