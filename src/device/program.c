/* program.c: building programs, from the cache or from source, and keeping them by name. */
#include "device/program.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/size.h"
#include "device/kernels.h"
#include "device/launch.h"

#define MAX_KERNELS  16
#define MAX_FILES    8
#define MAX_DEVICES  64
#define CACHE_FORMAT 1
#define MOST_SOURCE  ((size_t)1 << 24) /* bytes of a kernel file */

struct spc_program {
    spc_program *next;
    char stem[64];
    uint32_t options;
    cl_program cl_program;
    int kernel_count;
    struct {
        char name[48];
        cl_kernel cl_kernel;
    } kernels[MAX_KERNELS];
};

/* The source of a program: prelude.cl and the files of its stem. */
typedef struct source {
    cl_uint count;
    const char *text[MAX_FILES];
    size_t bytes[MAX_FILES];
    char *owned[MAX_FILES]; /* what was read from kernel_dir, else NULL */
} source;

static void free_program(sparcl_ctx *ctx, spc_program *program) {
    for (int k = 0; k < program->kernel_count; ++k)
        clReleaseKernel(program->kernels[k].cl_kernel);
    if (program->cl_program) clReleaseProgram(program->cl_program);
    spc_free(&ctx->allocator, program, sizeof *program);
}

void spc_programs_free(sparcl_ctx *ctx) {
    while (ctx->programs) {
        spc_program *program = ctx->programs;
        ctx->programs = program->next;
        free_program(ctx, program);
    }
}

static void free_source(sparcl_ctx *ctx, source *src) {
    for (cl_uint i = 0; i < src->count; ++i)
        spc_free(&ctx->allocator, src->owned[i], src->bytes[i] + 1);
}

/* For development: a kernel file from a folder instead of from the library. */
static sparcl_status read_file(sparcl_ctx *ctx, const char *stem, char **text, size_t *bytes) {
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s.cl", ctx->kernel_dir, stem);
    if (length < 0 || (size_t)length >= sizeof path)
        return spc_ctx_fail(ctx, SPARCL_E_IO, "kernel file %s.cl: its path has more than %zu bytes",
                            stem, sizeof path - 1);
    SPC_TRY(spc_file_read(path, MOST_SOURCE, &ctx->allocator, text, bytes, &ctx->error));
    if (*bytes > 0) return SPARCL_OK;
    spc_free(&ctx->allocator, *text, 1);
    *text = NULL;
    return spc_ctx_fail(ctx, SPARCL_E_IO, "%.900s: the kernel file is empty", path);
}

static sparcl_status add_file(sparcl_ctx *ctx, source *src, const char *stem) {
    const cl_uint at = src->count;
    if (at == MAX_FILES) return spc_ctx_fail(ctx, SPARCL_E_ARG, "kernel %s: too many files", stem);
    if (ctx->kernel_dir) {
        SPC_TRY(read_file(ctx, stem, &src->owned[at], &src->bytes[at]));
        src->text[at] = src->owned[at];
        ++src->count;
        return SPARCL_OK;
    }
    for (const spc_kernel_file *file = spc_kernel_files; file->stem; ++file) {
        if (strcmp(file->stem, stem) != 0) continue;
        src->text[at] = (const char *)file->text;
        src->bytes[at] = *file->bytes;
        ++src->count;
        return SPARCL_OK;
    }
    return spc_ctx_fail(ctx, SPARCL_E_ARG, "there is no kernel file %s", stem);
}

static sparcl_status find_source(sparcl_ctx *ctx, const char *stem, source *src) {
    SPC_TRY(add_file(ctx, src, "prelude"));
    while (*stem) {
        char one[64];
        const size_t n = strcspn(stem, "+");
        snprintf(one, sizeof one, "%.*s", (int)n, stem);
        SPC_TRY(add_file(ctx, src, one));
        stem += n + (stem[n] == '+');
    }
    return SPARCL_OK;
}

/* The compilers of these make instructions of prefetches and of stores past the caches; those of
 * Mesa and Oclgrind fail at them. */
static bool takes_hints(const sparcl_ctx *ctx) {
    static const char *const platforms[] = {"Portable Computing Language", "Intel(R) OpenCL"};
    for (size_t i = 0; i < SPC_COUNT(platforms); ++i)
        if (strcmp(ctx->platform.name, platforms[i]) == 0) return !spc_ctx_is_gpu(ctx);
    return false;
}

static int group_of(uint32_t options) {
    return options & SPC_GROUP_64 ? 64 : options & SPC_GROUP_256 ? 256 : SPC_GROUP;
}

static void write_options(const sparcl_ctx *ctx, uint32_t options, char *text, size_t size) {
    const bool own_divide = (options & SPC_OWN) || !ctx->device.has_rounded_divide;
    snprintf(text, size,
             "-cl-std=CL1.2 -DSPC_GPU=%d -DSPC_F64=%d -DSPC_INDEX64=%d -DSPC_OFFSET64=%d "
             "-DSPC_VALUE64=%d -DSPC_VARIANT=%d -DSPC_HINTS=%d -DSPC_GROUP=%d %s",
             spc_ctx_is_gpu(ctx), (options & SPC_F64) != 0, (options & SPC_INDEX64) != 0,
             (options & SPC_OFFSET64) != 0, (options & SPC_VALUE64) != 0,
             (options & SPC_VARIANT) != 0, takes_hints(ctx), group_of(options),
             own_divide ? "-DSPC_OWN_DIVIDE=1" : "-cl-fp32-correctly-rounded-divide-sqrt");
}

/* What a cached binary depends on, whole; NULL without memory. */
static char *make_key(sparcl_ctx *ctx, const source *src, const char *options, size_t *bytes) {
    char head[1024];
    const sparcl_device *device = &ctx->device;
    const int n = snprintf(head, sizeof head, "%d\n%s\n%s\n%s\n%s\n%s\n%s\n", CACHE_FORMAT, options,
                           device->name, device->vendor, device->driver, device->version,
                           ctx->platform.version);
    size_t at = n > 0 && (size_t)n < sizeof head ? (size_t)n : 0;
    if (at == 0) return NULL;
    *bytes = at;
    for (cl_uint i = 0; i < src->count; ++i)
        *bytes += src->bytes[i];
    char *key = spc_alloc(&ctx->allocator, *bytes);
    if (!key) return NULL;
    memcpy(key, head, at);
    for (cl_uint i = 0; i < src->count; ++i) {
        memcpy(key + at, src->text[i], src->bytes[i]);
        at += src->bytes[i];
    }
    return key;
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
        clBuildProgram(program, 1, &ctx->cl_device, options, NULL, NULL) == CL_SUCCESS)
        return program;
    clReleaseProgram(program);
    return NULL;
}

/* A program has a binary for each device of its context, ours and, in an adopted one, others. */
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
    /* PoCL 3.1 lists the one alone that was built for. */
    if (*count != 1 && *count != device_bytes / sizeof devices[0]) return false;
    while (*count != 1 && *ours < *count && devices[*ours] != ctx->cl_device)
        ++*ours;
    if (*ours == *count) return false;
    *bytes = sizes[*ours];
    return *bytes > 0;
}

static void store_binary(sparcl_ctx *ctx, cl_program program, const char *key, size_t key_bytes) {
    unsigned char *binaries[MAX_DEVICES] = {NULL}; /* NULL: that one is not wanted */
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

static sparcl_status from_source(sparcl_ctx *ctx, const source *src, const char *options,
                                 const char *stem, cl_program *out) {
    cl_int code = CL_SUCCESS;
    const char *texts[MAX_FILES];
    memcpy(texts, src->text, sizeof texts);
    cl_program program =
        clCreateProgramWithSource(ctx->cl_context, src->count, texts, src->bytes, &code);
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

static sparcl_status build(sparcl_ctx *ctx, spc_program *program) {
    char options[512];
    source src = {0};
    char *key = NULL;
    size_t key_bytes = 0;
    sparcl_status status = SPARCL_OK;
    write_options(ctx, program->options, options, sizeof options);
    SPC_GO(find_source(ctx, program->stem, &src));
    if (ctx->cache_dir) key = make_key(ctx, &src, options, &key_bytes);
    if (key) program->cl_program = from_binary(ctx, key, key_bytes, options);
    if (program->cl_program) {
        spc_ctx_log(ctx, SPARCL_LOG_DEBUG, "took %s from the cache", program->stem);
        goto done;
    }
    SPC_GO(from_source(ctx, &src, options, program->stem, &program->cl_program));
    spc_ctx_log(ctx, SPARCL_LOG_DEBUG, "built %s with %s", program->stem, options);
    if (key) store_binary(ctx, program->cl_program, key, key_bytes);
done:
    spc_free(&ctx->allocator, key, key_bytes);
    free_source(ctx, &src);
    return status;
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
    spc_program *program = spc_alloc_zero(&ctx->allocator, 1, sizeof *program);
    if (!program) return spc_ctx_fail(ctx, SPARCL_E_MEMORY, "program: no host memory");
    snprintf(program->stem, sizeof program->stem, "%s", stem);
    program->options = options;
    const sparcl_status status = build(ctx, program);
    if (status != SPARCL_OK) {
        free_program(ctx, program);
        return status;
    }
    program->next = ctx->programs;
    ctx->programs = program;
    *out = program;
    return SPARCL_OK;
}

sparcl_status spc_program_build(sparcl_ctx *ctx, const char *stem, uint32_t options) {
    spc_program *program = NULL;
    return find_program(ctx, stem, options, &program);
}

sparcl_status spc_kernel_get(sparcl_ctx *ctx, const char *stem, uint32_t options, const char *name,
                             cl_kernel *kernel, bool *is_new) {
    spc_program *program = NULL;
    cl_int code = CL_SUCCESS;
    *is_new = false;
    SPC_TRY(find_program(ctx, stem, options, &program));
    for (int k = 0; k < program->kernel_count; ++k) {
        if (strcmp(program->kernels[k].name, name) != 0) continue;
        *kernel = program->kernels[k].cl_kernel;
        return SPARCL_OK;
    }
    if (program->kernel_count == MAX_KERNELS)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "kernel %s: too many in %s", name, stem);
    *kernel = clCreateKernel(program->cl_program, name, &code);
    if (code != CL_SUCCESS) return spc_ctx_fail_cl(ctx, code, name);
    const int at = program->kernel_count++;
    snprintf(program->kernels[at].name, sizeof program->kernels[at].name, "%s", name);
    program->kernels[at].cl_kernel = *kernel;
    *is_new = true;
    return SPARCL_OK;
}
