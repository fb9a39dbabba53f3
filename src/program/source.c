/* source.c: the source files of a program, from the library or from a folder, and its build
 * options. */
#include "program/source.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "device/ctx_impl.h"
#include "program/build_options.h"
#include "program/kernels.h"

#define MAX_SOURCE ((size_t)1 << 24) /* bytes of a kernel file */

void spc_source_free(sparcl_ctx *ctx, spc_source *src) {
    for (int i = 0; i < src->count; ++i)
        spc_free(&ctx->allocator, src->owned[i], src->bytes[i] + 1);
}

/* For development: a kernel file from a folder instead of from the library. */
static sparcl_status read_file(sparcl_ctx *ctx, const char *stem, char **text, size_t *bytes) {
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s.cl", ctx->kernel_dir, stem);
    if (length < 0 || (size_t)length >= sizeof path)
        return spc_ctx_fail(ctx, SPARCL_E_IO, "kernel file %s.cl: its path has more than %zu bytes",
                            stem, sizeof path - 1);
    SPC_TRY(spc_file_read(path, MAX_SOURCE, &ctx->allocator, text, bytes, &ctx->error));
    if (*bytes > 0) return SPARCL_OK;
    spc_free(&ctx->allocator, *text, 1);
    *text = NULL;
    return spc_ctx_fail(ctx, SPARCL_E_IO, "%.900s: the kernel file is empty", path);
}

static sparcl_status add_file(sparcl_ctx *ctx, spc_source *src, const char *stem) {
    const int at = src->count;
    if (at == SPC_MAX_FILES)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "kernel %s: too many files", stem);
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

sparcl_status spc_source_find(sparcl_ctx *ctx, const char *stem, uint32_t options,
                              spc_source *src) {
    SPC_TRY(add_file(ctx, src, "prelude"));
    if (options & (SPC_F16 | SPC_BF16) || spc_state_type(options))
        SPC_TRY(add_file(ctx, src, "halves"));
    if (spc_state_type(options)) {
        SPC_TRY(add_file(ctx, src, "philox"));
        SPC_TRY(add_file(ctx, src, "half_states"));
    }
    while (*stem) {
        char one[64];
        const size_t n = strcspn(stem, "+");
        snprintf(one, sizeof one, "%.*s", (int)n, stem);
        SPC_TRY(add_file(ctx, src, one));
        stem += n + (stem[n] == '+');
    }
    return SPARCL_OK;
}

/* The compilers of these platforms support prefetches and non-temporal stores; those of Mesa and
 * Oclgrind fail. */
static bool supports_hints(const sparcl_ctx *ctx) {
    static const char *const platforms[] = {"Portable Computing Language", "Intel(R) OpenCL"};
    for (size_t i = 0; i < SPC_COUNT(platforms); ++i)
        if (strcmp(ctx->platform.name, platforms[i]) == 0) return !spc_ctx_is_gpu(ctx);
    return false;
}

void spc_source_types(uint32_t options, char *text, size_t size) {
    const char *const storage = options & SPC_F16      ? "-DSPC_F16=1 "
                                : options & SPC_BF16   ? "-DSPC_BF16=1 "
                                : options & SPC_WORD8  ? "-DSPC_WORD8=1 "
                                : options & SPC_WORD16 ? "-DSPC_WORD16=1 "
                                                       : "";
    const int states = spc_state_type(options);
    char state_type[24] = "";
    if (states) snprintf(state_type, sizeof state_type, "-DSPC_STATES=%d ", states);
    if (spc_form(options) > 0 || options & SPC_PREPARE || states)
        snprintf(text, size, "%s-DSPC_FORM=%u -DSPC_PREPARE=%d %s", storage, spc_form(options),
                 (options & SPC_PREPARE) != 0, state_type);
    else if (spc_pair_from(options) < 0)
        snprintf(text, size, "%s", storage);
    else
        snprintf(text, size, "%s-DSPC_FROM=%d -DSPC_TO=%d ", storage, spc_pair_from(options),
                 spc_pair_to(options));
}

void spc_source_options(const sparcl_ctx *ctx, uint32_t options, char *text, size_t size) {
    const bool own_divide = (options & SPC_OWN) || !ctx->device.has_rounded_divide;
    char types[64];
    spc_source_types(options, types, sizeof types);
    snprintf(text, size,
             "-cl-std=CL1.2 -DSPC_GPU=%d -DSPC_F64=%d -DSPC_INDEX64=%d -DSPC_OFFSET64=%d "
             "-DSPC_VALUE64=%d -DSPC_VARIANT=%d -DSPC_SMALL=%d -DSPC_HINTS=%d -DSPC_GROUP=%d %s%s",
             spc_ctx_is_gpu(ctx), (options & SPC_F64) != 0, (options & SPC_INDEX64) != 0,
             (options & SPC_OFFSET64) != 0, (options & SPC_VALUE64) != 0,
             (options & SPC_VARIANT) != 0, (options & SPC_SMALL) != 0, supports_hints(ctx),
             SPC_GROUP, types,
             own_divide ? "-DSPC_OWN_DIVIDE=1" : "-cl-fp32-correctly-rounded-divide-sqrt");
}
