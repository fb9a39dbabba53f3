/* program.c: the programs and kernels of a context, each built when it is first used. */
#include "program/program.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device/ctx_impl.h"
#include "device/profiler.h"
#include "program/build.h"
#include "program/build_options.h"

#define MAX_KERNELS 16

typedef struct spc_program {
    struct spc_program *next;
    char stem[96];
    uint32_t options;
    cl_program cl_program;
    bool is_loaded; /* from the cache */
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

static spc_program *find_program(const sparcl_ctx *ctx, const char *stem, uint32_t options) {
    spc_program *p = ctx->programs;
    while (p && (p->options != options || strcmp(p->stem, stem) != 0))
        p = p->next;
    return p;
}

static sparcl_status get_program(sparcl_ctx *ctx, const char *stem, uint32_t options,
                                 spc_program **out) {
    *out = find_program(ctx, stem, options);
    if (*out) return SPARCL_OK;
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
    program->is_loaded = ctx->build.is_loaded;
    spc_ctx_on_close(ctx, close_programs);
    program->next = ctx->programs;
    ctx->programs = program;
    *out = program;
    return SPARCL_OK;
}

sparcl_status spc_program_build(sparcl_ctx *ctx, const char *stem, uint32_t options) {
    spc_program *program = NULL;
    return get_program(ctx, stem, options, &program);
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

spc_kernel *spc_kernel_find(const sparcl_ctx *ctx, const char *stem, uint32_t options,
                            const char *name) {
    const spc_program *const program = find_program(ctx, stem, options);
    for (int k = 0; program && k < program->kernel_count; ++k)
        if (strcmp(program->kernels[k]->name, name) == 0) return program->kernels[k];
    return NULL;
}

sparcl_status spc_kernel_make(sparcl_ctx *ctx, const char *stem, uint32_t options, const char *name,
                              spc_kernel **kernel) {
    spc_program *program = NULL;
    SPC_TRY(get_program(ctx, stem, options, &program));
    ctx->build.is_loaded = program->is_loaded;
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
    return SPARCL_OK;
}

/* ---- the hook ------------------------------------------------------------------------------- */

void sparcl_ctx_on_build(sparcl_ctx *ctx, sparcl_kernel_build_fn fn, void *user) {
    if (!ctx) return;
    ctx->on_build = fn;
    ctx->on_build_user = user;
}

static void report_build(const sparcl_ctx *ctx) {
    if (ctx->on_build) ctx->on_build(ctx->on_build_user, &ctx->build);
}

void spc_build_begin(sparcl_ctx *ctx, const char *name) {
    ctx->build =
        (sparcl_kernel_build){.name = name, .done = ctx->build.done, .total = ctx->build.total};
    ctx->build_start = spc_clock();
    report_build(ctx);
}

void spc_build_end(sparcl_ctx *ctx) {
    ctx->build.is_done = 1;
    ++ctx->build.done;
    ctx->build.seconds = spc_clock() - ctx->build_start;
    spc_profile_built(ctx, ctx->build.seconds);
    report_build(ctx);
}
