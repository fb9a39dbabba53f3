/* program.h: kernels by stem, options and name. */
#ifndef SPC_DEVICE_PROGRAM_H
#define SPC_DEVICE_PROGRAM_H

#include "device/ctx_impl.h"

/* The kernel stays the context's. */
sparcl_status spc_kernel_get(sparcl_ctx *ctx, const char *stem, uint32_t options, const char *name,
                             cl_kernel *kernel);

#endif
