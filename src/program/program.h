/* program.h: kernels by stem, options and name. */
#ifndef SPC_PROGRAM_PROGRAM_H
#define SPC_PROGRAM_PROGRAM_H

#include "device/ctx.h"
#include "sparcl/opencl.h"

/* The stems of all programs, and a NULL. */
extern const char *const spc_programs[];

/* Build a program, unless the context has it. */
sparcl_status spc_program_build(sparcl_ctx *ctx, const char *stem, uint32_t options);

/* A kernel, and what its arguments are set to: bits of numbers, `born` of buffers. */
enum { SPC_MAX_ARGS = 96 };
typedef struct spc_kernel {
    char name[48];
    cl_kernel cl_kernel;
    bool is_set[SPC_MAX_ARGS];
    uint64_t set[SPC_MAX_ARGS];
} spc_kernel;

/* The context owns the kernel. *is_new: this call created it. */
sparcl_status spc_kernel_get(sparcl_ctx *ctx, const char *stem, uint32_t options, const char *name,
                             spc_kernel **kernel, bool *is_new);

#endif
