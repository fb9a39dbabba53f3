/* facts.h: what was found out about a device, kept for later runs. */
#ifndef SPC_PROGRAM_FACTS_H
#define SPC_PROGRAM_FACTS_H

#include "device/ctx.h"

/* Facts about the device and its driver that were found out earlier, kept by name beside the kernel
 * cache: false where there are none. Nothing here is an error. */
bool spc_ctx_recall(sparcl_ctx *ctx, const char *name, void *to, size_t bytes);
void spc_ctx_remember(sparcl_ctx *ctx, const char *name, const void *from, size_t bytes);

#endif
