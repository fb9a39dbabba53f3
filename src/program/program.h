/* program.h: kernels by stem, options and name. */
#ifndef SPC_PROGRAM_PROGRAM_H
#define SPC_PROGRAM_PROGRAM_H

#include "device/ctx.h"
#include "sparcl/opencl.h"

/* The stems of all programs, and a NULL: tools/cmake/programs.cmake finds them in the sources. */
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

/* A kernel that the context has made; NULL: it has not. */
spc_kernel *spc_kernel_find(const sparcl_ctx *ctx, const char *stem, uint32_t options,
                            const char *name);
/* Make one that it has not, and build the program where that was not done. The context owns it. */
sparcl_status spc_kernel_make(sparcl_ctx *ctx, const char *stem, uint32_t options, const char *name,
                              spc_kernel **kernel);

/* Around the build of a kernel and its first launch, for sparcl_ctx_on_build. */
void spc_build_begin(sparcl_ctx *ctx, const char *name);
void spc_build_end(sparcl_ctx *ctx);

#endif
