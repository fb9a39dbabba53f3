/* build.h: build one program. */
#ifndef SPC_PROGRAM_BUILD_H
#define SPC_PROGRAM_BUILD_H

#include "device/ctx.h"
#include "sparcl/opencl.h"

/* From the cache if possible, else from source; the binary is then stored in the cache. */
sparcl_status spc_build(sparcl_ctx *ctx, const char *stem, uint32_t options, cl_program *program);

#endif
