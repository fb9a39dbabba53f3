/* build.c: build a program, from the cache or from source. */
#include "program/build.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "device/codes.h"
#include "device/ctx_impl.h"
#include "program/cache.h"
#include "program/source.h"

#define MAX_DEVICES  64
#define CACHE_FORMAT 2

/* The full text of what a cached binary depends on; NULL if memory runs out. */
static char *make_key(sparcl_ctx *ctx, const spc_source *src, const char *options, size_t *bytes) {
    char head[1024];
    const sparcl_device *device = &ctx->device;
    const int n = snprintf(head, sizeof head, "%d\n%s\n%s\n%s\n%s\n%s\n%s\n", CACHE_FORMAT, options,
                           device->name, device->vendor, device->driver, device->version,
                           ctx->platform.version);
    size_t at = n > 0 && (size_t)n < sizeof head ? (size_t)n : 0;
    if (at == 0) return NULL;
    *bytes = at;
    for (int i = 0; i < src->count; ++i)
        *bytes += src->bytes[i];
    char *key = spc_alloc(&ctx->allocator, *bytes);
    if (!key) return NULL;
    memcpy(key, head, at);
    for (int i = 0; i < src->count; ++i) {
        memcpy(key + at, src->text[i], src->bytes[i]);
        at += src->bytes[i];
    }
    return key;
}

/* A program from a damaged cache of the driver may have none, and must not get into ours. */
static bool has_kernels(cl_program program) {
    size_t count = 0;
    return clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL) ==
               CL_SUCCESS &&
           count > 0;
}

/* A built program from a cached binary, or NULL. */
static cl_program from_binary(sparcl_ctx *ctx, const char *key, size_t key_bytes,
                              const char *options) {
    unsigned char *binary = NULL;
    size_t bytes = 0;
    cl_int code = CL_SUCCESS, binary_code = CL_SUCCESS;
    spc_cache_load(ctx, key, key_bytes, &binary, &bytes);
    if (!binary) return NULL;
    const unsigned char *const texts[] = {binary};
    cl_program program =
        clCreateProgramWithBinary(ctx->cl_context, 1, &ctx->cl_device, &bytes,
                                  (const unsigned char **)texts, &binary_code, &code);
    spc_free(&ctx->allocator, binary, bytes);
    if (code != CL_SUCCESS) return NULL;
    if (binary_code == CL_SUCCESS &&
        clBuildProgram(program, 1, &ctx->cl_device, options, NULL, NULL) == CL_SUCCESS &&
        has_kernels(program))
        return program;
    clReleaseProgram(program);
    return NULL;
}

/* A program has a binary for each device of its context, which may have others if it was adopted.
 */
static bool find_binary(sparcl_ctx *ctx, cl_program program, cl_uint *count, cl_uint *ours,
                        size_t *bytes) {
    cl_device_id devices[MAX_DEVICES] = {NULL};
    size_t sizes[MAX_DEVICES] = {0};
    size_t device_bytes = 0, size_bytes = 0;
    if (clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof devices, devices, &device_bytes) !=
            CL_SUCCESS ||
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, &size_bytes) !=
            CL_SUCCESS)
        return false;
    *count = (cl_uint)(size_bytes / sizeof sizes[0]);
    *ours = 0;
    /* PoCL 3.1 lists only the device that the program was built for. */
    if (*count != 1 && *count != device_bytes / sizeof devices[0]) return false;
    while (*count != 1 && *ours < *count && devices[*ours] != ctx->cl_device)
        ++*ours;
    if (*ours == *count) return false;
    *bytes = sizes[*ours];
    return *bytes > 0;
}

static void store_binary(sparcl_ctx *ctx, cl_program program, const char *key, size_t key_bytes) {
    unsigned char *binaries[MAX_DEVICES] = {NULL}; /* NULL: not requested */
    cl_uint count = 0, ours = 0;
    size_t bytes = 0;
    if (!find_binary(ctx, program, &count, &ours, &bytes)) return;
    binaries[ours] = spc_alloc(&ctx->allocator, bytes);
    if (!binaries[ours]) return;
    if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, count * sizeof binaries[0], binaries,
                         NULL) == CL_SUCCESS)
        spc_cache_store(ctx, key, key_bytes, binaries[ours], bytes);
    spc_free(&ctx->allocator, binaries[ours], bytes);
}

/* Keep the compiler's whole output and quote its start in the error. */
static sparcl_status fail_build(sparcl_ctx *ctx, cl_program program, cl_int code,
                                const char *stem) {
    size_t bytes = 0;
    spc_strfree(&ctx->allocator, ctx->build_log);
    ctx->build_log = NULL;
    clGetProgramBuildInfo(program, ctx->cl_device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    if (bytes > 0) {
        char *log = spc_alloc_zero(&ctx->allocator, bytes + 1, 1);
        if (log) {
            clGetProgramBuildInfo(program, ctx->cl_device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
            ctx->build_log = spc_strdup(&ctx->allocator, log);
            spc_free(&ctx->allocator, log, bytes + 1);
        }
    }
    spc_ctx_fail(ctx, SPARCL_E_BUILD, "kernel %s did not build for %s (%s):\n%.700s", stem,
                 ctx->device.name, spc_cl_name(code), sparcl_ctx_build_log(ctx));
    ctx->error.opencl_code = code;
    return SPARCL_E_BUILD;
}

static sparcl_status from_source(sparcl_ctx *ctx, const spc_source *src, const char *options,
                                 const char *stem, cl_program *out) {
    cl_int code = CL_SUCCESS;
    const char *texts[SPC_MAX_FILES];
    memcpy(texts, src->text, sizeof texts);
    cl_program program =
        clCreateProgramWithSource(ctx->cl_context, (cl_uint)src->count, texts, src->bytes, &code);
    if (code != CL_SUCCESS) return spc_ctx_fail_cl(ctx, code, "creating a program");
    code = clBuildProgram(program, 1, &ctx->cl_device, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        const sparcl_status status = spc_cl_status(code) == SPARCL_E_MEMORY
                                         ? spc_ctx_fail_cl(ctx, code, "building a kernel")
                                         : fail_build(ctx, program, code, stem);
        clReleaseProgram(program);
        return status;
    }
    *out = program;
    return SPARCL_OK;
}

sparcl_status spc_build(sparcl_ctx *ctx, const char *stem, uint32_t options, cl_program *program) {
    char text[512];
    spc_source src = {0};
    char *key = NULL;
    size_t key_bytes = 0;
    sparcl_status status = SPARCL_OK;
    spc_source_options(ctx, options, text, sizeof text);
    SPC_GO(spc_source_find(ctx, stem, options, &src));
    if (ctx->cache_dir && ctx->keeps_programs) key = make_key(ctx, &src, text, &key_bytes);
    *program = key ? from_binary(ctx, key, key_bytes, text) : NULL;
    ctx->build.is_loaded = *program != NULL;
    if (*program) {
        spc_ctx_log(ctx, SPARCL_LOG_DEBUG, "loaded %s from the cache", stem);
        goto done;
    }
    SPC_GO(from_source(ctx, &src, text, stem, program));
    spc_ctx_log(ctx, SPARCL_LOG_DEBUG, "built %s with %s", stem, text);
    if (key && has_kernels(*program)) store_binary(ctx, *program, key, key_bytes);
done:
    spc_free(&ctx->allocator, key, key_bytes);
    spc_source_free(ctx, &src);
    return status;
}
