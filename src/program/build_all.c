/* build_all.c: a call that builds all kernel programs. */
#include <string.h>

#include "base/memory.h"
#include "device/ctx_impl.h"
#include "program/program.h"
#include "sparcl/probe.h"

/* The first failure, which the context reports even if others follow. */
typedef struct first_failure {
    sparcl_error error;
    char *build_log;
} first_failure;

static void keep(sparcl_ctx *ctx, first_failure *first) {
    if (first->error.status != SPARCL_OK) return;
    first->error = ctx->error;
    first->build_log = ctx->build_log;
    ctx->build_log = NULL;
}

sparcl_status sparcl_ctx_build_all(sparcl_ctx *ctx, int *built, int *failed) {
    first_failure first = {.error = {.status = SPARCL_OK}};
    int good = 0, bad = 0;
    if (!ctx) return SPARCL_E_ARG;
    ctx->build.total = ctx->build.done;
    for (const char *const *stem = spc_programs; *stem; ++stem)
        ++ctx->build.total;
    for (const char *const *stem = spc_programs; *stem; ++stem) {
        spc_build_begin(ctx, *stem);
        const sparcl_status status = spc_program_build(ctx, *stem, 0);
        spc_build_end(ctx);
        if (status == SPARCL_OK) {
            ++good;
        } else {
            keep(ctx, &first);
            ++bad;
        }
    }
    ctx->build.total = 0;
    if (built) *built = good;
    if (failed) *failed = bad;
    if (bad == 0) return SPARCL_OK;
    spc_strfree(&ctx->allocator, ctx->build_log);
    ctx->build_log = first.build_log;
    ctx->error = first.error;
    return first.error.status;
}
