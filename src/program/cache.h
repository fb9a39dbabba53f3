/* cache.h: kernel binaries on disk. */
#ifndef SPC_PROGRAM_CACHE_H
#define SPC_PROGRAM_CACHE_H

#include "device/ctx.h"

/* *binary is allocated with the context's allocator; NULL if there is no valid record. */
void spc_cache_load(sparcl_ctx *ctx, const char *key, size_t key_bytes, unsigned char **binary,
                    size_t *bytes);
/* The binary of an open record; false, and NULL, unless it is of this key, complete and undamaged.
 */
bool spc_record_read(int file, const sparcl_allocator *allocator, const char *key, size_t key_bytes,
                     unsigned char **binary, size_t *bytes);
void spc_cache_store(sparcl_ctx *ctx, const char *key, size_t key_bytes,
                     const unsigned char *binary, size_t bytes);
/* A checksum of all kernel sources in the library. */
uint64_t spc_cache_hash_kernels(void);

#endif
