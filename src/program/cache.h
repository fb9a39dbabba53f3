/* cache.h: kernel binaries on disk. */
#ifndef SPC_PROGRAM_CACHE_H
#define SPC_PROGRAM_CACHE_H

#include "device/ctx.h"

/* *binary is allocated with the context's allocator, or NULL when there is none or any doubt about
 * it. */
void spc_cache_load(sparcl_ctx *ctx, const char *key, size_t key_bytes, unsigned char **binary,
                    size_t *bytes);
void spc_cache_store(sparcl_ctx *ctx, const char *key, size_t key_bytes,
                     const unsigned char *binary, size_t bytes);
/* Of the texts of all kernels in the library. */
uint64_t spc_cache_sum_kernels(void);

#endif
