/* program.c: the programs and kernels of a context, each built when it is first used. */
#include "program/program.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "device/ctx_impl.h"
#include "program/build.h"
#include "program/build_options.h"

#define MAX_KERNELS 16

typedef struct spc_program {
    struct spc_program *next;
    char stem[96];
    uint32_t options;
    cl_program cl_program;
    int kernel_count;
    spc_kernel *kernels[MAX_KERNELS];
} spc_program;

static void free_program(sparcl_ctx *ctx, spc_program *program) {
    for (int k = 0; k < program->kernel_count; ++k) {
        clReleaseKernel(program->kernels[k]->cl_kernel);
        spc_free(&ctx->allocator, program->kernels[k], sizeof *program->kernels[k]);
    }
    if (program->cl_program) clReleaseProgram(program->cl_program);
    spc_free(&ctx->allocator, program, sizeof *program);
}

static void close_programs(sparcl_ctx *ctx) {
    while (ctx->programs) {
        spc_program *program = ctx->programs;
        ctx->programs = program->next;
        free_program(ctx, program);
    }
}

static sparcl_status find_program(sparcl_ctx *ctx, const char *stem, uint32_t options,
                                  spc_program **out) {
    for (spc_program *p = ctx->programs; p; p = p->next) {
        if (p->options != options || strcmp(p->stem, stem) != 0) continue;
        *out = p;
        return SPARCL_OK;
    }
    if ((options & SPC_F64) && !ctx->device.has_f64)
        return spc_ctx_fail(ctx, SPARCL_E_UNSUPPORTED, "%s has no float64", ctx->device.name);
    if (strlen(stem) >= sizeof ctx->programs->stem) /* it would be built again at each launch */
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "program %s: expected a name of at most %d bytes",
                            stem, (int)sizeof ctx->programs->stem - 1);
    spc_program *program = spc_alloc_zero(&ctx->allocator, 1, sizeof *program);
    if (!program) return spc_ctx_fail(ctx, SPARCL_E_MEMORY, "program: no host memory");
    snprintf(program->stem, sizeof program->stem, "%s", stem);
    program->options = options;
    const sparcl_status status = spc_build(ctx, stem, options, &program->cl_program);
    if (status != SPARCL_OK) {
        free_program(ctx, program);
        return status;
    }
    spc_ctx_on_close(ctx, close_programs);
    program->next = ctx->programs;
    ctx->programs = program;
    *out = program;
    return SPARCL_OK;
}

sparcl_status spc_program_build(sparcl_ctx *ctx, const char *stem, uint32_t options) {
    spc_program *program = NULL;
    return find_program(ctx, stem, options, &program);
}

static sparcl_status create_kernel(sparcl_ctx *ctx, const spc_program *program, const char *name,
                                   cl_kernel *kernel) {
    cl_int code = CL_SUCCESS;
    *kernel = clCreateKernel(program->cl_program, name, &code);
    if (code == CL_INVALID_KERNEL_NAME) { /* all that are launched are there */
        spc_ctx_fail(ctx, SPARCL_E_BUILD,
                     "program %s: expected the kernel %s, the compiler of %s found none; its "
                     "kernel cache is damaged",
                     program->stem, name, ctx->platform.name);
        ctx->error.opencl_code = code;
        return SPARCL_E_BUILD;
    }
    return code == CL_SUCCESS ? SPARCL_OK : spc_ctx_fail_cl(ctx, code, name);
}

sparcl_status spc_kernel_get(sparcl_ctx *ctx, const char *stem, uint32_t options, const char *name,
                             spc_kernel **kernel, bool *is_new) {
    spc_program *program = NULL;
    *is_new = false;
    SPC_TRY(find_program(ctx, stem, options, &program));
    for (int k = 0; k < program->kernel_count; ++k) {
        if (strcmp(program->kernels[k]->name, name) != 0) continue;
        *kernel = program->kernels[k];
        return SPARCL_OK;
    }
    if (program->kernel_count == MAX_KERNELS)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "kernel %s: program %s has too many kernels", name,
                            stem);
    spc_kernel *made = spc_alloc_zero(&ctx->allocator, 1, sizeof *made);
    if (!made) return spc_ctx_fail(ctx, SPARCL_E_MEMORY, "kernel: no host memory");
    const sparcl_status status = create_kernel(ctx, program, name, &made->cl_kernel);
    if (status != SPARCL_OK) {
        spc_free(&ctx->allocator, made, sizeof *made);
        return status;
    }
    snprintf(made->name, sizeof made->name, "%s", name);
    program->kernels[program->kernel_count++] = *kernel = made;
    *is_new = true;
    return SPARCL_OK;
}
