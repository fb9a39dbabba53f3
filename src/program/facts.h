/* facts.h: measurements of a device, stored for later runs. */
#ifndef SPC_PROGRAM_FACTS_H
#define SPC_PROGRAM_FACTS_H

#include "device/ctx.h"

/* Facts about a device and its driver, such as a calibration or a tuning, stored by name in the
 * kernel cache. Load returns false if there is none of this size. Nothing here is an error. */
bool spc_fact_load(sparcl_ctx *ctx, const char *name, void *to, size_t bytes);
void spc_fact_store(sparcl_ctx *ctx, const char *name, const void *from, size_t bytes);

#endif
