/* launches.c: replaces spc_launch (-Wl,--wrap=spc_launch): with
 * SPARCL_TEST_LAUNCHES=FILE, each kernel that is launched is written there, with its options and
 * what it was launched for. */
#include <stdio.h>
#include <stdlib.h>

#include "launch/launch.h"
#include "program/source.h"
#include "sweep.h"

sparcl_status __real_spc_launch(sparcl_ctx *ctx, const char *stem, uint32_t options,
                                const char *kernel, spc_range range, const spc_arg *args,
                                size_t count);
sparcl_status __wrap_spc_launch(sparcl_ctx *ctx, const char *stem, uint32_t options,
                                const char *kernel, spc_range range, const spc_arg *args,
                                size_t count);

/* class TAB files TAB kernel TAB options TAB work-items of a group TAB case */
static void print(const sparcl_ctx *ctx, const char *stem, uint32_t options, const char *kernel,
                  spc_range range) {
    static FILE *file;
    const char *const path = getenv("SPARCL_TEST_LAUNCHES");
    char types[64];
    if (!path) return;
    spc_source_types(options, types, sizeof types);
    if (!file) file = fopen(path, "a");
    if (!file) {
        fprintf(stderr, "SPARCL_TEST_LAUNCHES: %s cannot be written\n", path);
        exit(1);
    }
    fprintf(file, "%s\t%s\t%s\t%s%s%s%s%s%s%s\t%lld\t%s\n", spc_ctx_is_gpu(ctx) ? "gpu" : "cpu",
            stem, kernel, options & SPC_F64 ? "f64 " : "", options & SPC_INDEX64 ? "index64 " : "",
            options & SPC_OFFSET64 ? "offset64 " : "", options & SPC_VALUE64 ? "value64 " : "",
            options & SPC_VARIANT ? "variant " : "", options & SPC_OWN ? "own " : "", types,
            (long long)range.local, sweep_case);
    fflush(file);
}

sparcl_status __wrap_spc_launch(sparcl_ctx *ctx, const char *stem, uint32_t options,
                                const char *kernel, spc_range range, const spc_arg *args,
                                size_t count) {
    print(ctx, stem, options, kernel, range);
    return __real_spc_launch(ctx, stem, options, kernel, range, args, count);
}
