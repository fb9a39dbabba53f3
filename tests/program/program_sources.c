/* program_sources.c: the source and the build options of every program with the kernels for GPUs,
 * for tools/dev/gpu-compile.
 *
 *   program_sources FOLDER  kernel files from FOLDER
 *
 * Writes four texts for each program and each set of options that it is built with, each text
 * with a zero byte after it: the stem, the name of the set, the options, the source. */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/ctx_impl.h"
#include "program/build_options.h"
#include "program/program.h"
#include "program/source.h"

/* The host builds a program with the options of a set if `needs` is found in one of its files. */
static const struct {
    const char *name;
    uint32_t options;
    const char *needs;
} sets[] = {
    {"f32", 0, "."},
    {"f64", SPC_F64 | SPC_INDEX64 | SPC_OFFSET64 | SPC_VALUE64, "."},
    {"f16", SPC_F16, "READ_AT\\(|GET[0-9#]+\\("},
    {"variant", SPC_VARIANT, "SPC_VARIANT"},
    {"small", SPC_SMALL, "find_unit"},
    {"small f64", SPC_SMALL | SPC_F64, "find_unit"},
    {"small variant", SPC_SMALL | SPC_VARIANT, "define MATRIX"},
};

static void check(const sparcl_ctx *ctx, sparcl_status status) {
    if (status == SPARCL_OK) return;
    fprintf(stderr, "program_sources: %s\n", ctx->error.message);
    exit(1);
}

static bool file_has(sparcl_ctx *ctx, const char *name, const regex_t *pattern) {
    spc_source src = {0};
    check(ctx, spc_source_find(ctx, name, 0, &src));
    /* The first is the prelude. */
    char *text = strndup(src.text[1], src.bytes[1]);
    const bool has = text && regexec(pattern, text, 0, NULL, 0) == 0;
    free(text);
    spc_source_free(ctx, &src);
    return has;
}

static bool has(sparcl_ctx *ctx, const char *stem, const char *needs) {
    char names[96];
    regex_t pattern;
    bool found = false;
    snprintf(names, sizeof names, "%s", stem);
    if (regcomp(&pattern, needs, REG_EXTENDED | REG_NOSUB) != 0) abort();
    for (char *name = strtok(names, "+"); name && !found; name = strtok(NULL, "+"))
        found = strcmp(name, "panel") != 0 && file_has(ctx, name, &pattern);
    regfree(&pattern);
    return found;
}

static void print(const char *text, size_t bytes) {
    fwrite(text, 1, bytes, stdout);
}

static void write_program(sparcl_ctx *ctx, const char *stem, const char *set, uint32_t options) {
    char text[512];
    spc_source src = {0};
    spc_source_options(ctx, options, text, sizeof text);
    check(ctx, spc_source_find(ctx, stem, options, &src));
    print(stem, strlen(stem) + 1);
    print(set, strlen(set) + 1);
    print(text, strlen(text) + 1);
    for (int i = 0; i < src.count; ++i)
        print(src.text[i], src.bytes[i]);
    print("", 1);
    spc_source_free(ctx, &src);
}

int main(int argc, char **argv) {
    sparcl_ctx *ctx = NULL;
    sparcl_error error;
    if (argc != 2) {
        fprintf(stderr, "usage: program_sources FOLDER\n");
        return 1;
    }
    if (spc_ctx_make(&ctx, &(sparcl_ctx_desc){.kernel_dir = argv[1]}, &error) != SPARCL_OK)
        return 1;
    ctx->device.device_class = SPARCL_CLASS_GPU;
    ctx->device.has_rounded_divide = true; /* as the GPUs of all three vendors */
    for (const char *const *stem = spc_programs; *stem; ++stem)
        for (size_t s = 0; s < sizeof sets / sizeof sets[0]; ++s)
            if (has(ctx, *stem, sets[s].needs))
                write_program(ctx, *stem, sets[s].name, sets[s].options);
    spc_ctx_unref(ctx);
    return fflush(stdout) != 0 || ferror(stdout);
}
