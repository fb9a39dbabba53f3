/* facts.c: measurements of a device, stored in the kernel cache for later runs. */
#include "program/facts.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "device/ctx_impl.h"
#include "program/cache.h"

#define FACTS_FORMAT 2

/* The full text of what a fact depends on; 0 if it does not fit. Facts are about speed, so the
 * kernels are part of the key. */
static size_t make_key(const sparcl_ctx *ctx, const char *name, size_t bytes, char key[1600]) {
    const sparcl_device *device = &ctx->device;
    const int n =
        snprintf(key, 1600, "facts %d %016llx\n%s\n%zu\n%s\n%s\n%s\n%s\n%s\n%d\n%lld\n",
                 FACTS_FORMAT, (unsigned long long)spc_cache_hash_kernels(), name, bytes,
                 device->name, device->vendor, device->driver, device->version,
                 ctx->platform.version, (int)device->device_class, (long long)device->units);
    return n > 0 && n < 1600 ? (size_t)n : 0;
}

bool spc_fact_load(sparcl_ctx *ctx, const char *name, void *to, size_t bytes) {
    char key[1600];
    unsigned char *found = NULL;
    size_t found_bytes = 0;
    const size_t key_bytes = make_key(ctx, name, bytes, key);
    if (!ctx->cache_dir || key_bytes == 0) return false;
    spc_cache_load(ctx, key, key_bytes, &found, &found_bytes);
    const bool fits = found && found_bytes == bytes;
    if (fits) memcpy(to, found, bytes);
    if (found) spc_free(&ctx->allocator, found, found_bytes);
    return fits;
}

void spc_fact_store(sparcl_ctx *ctx, const char *name, const void *from, size_t bytes) {
    char key[1600];
    const size_t key_bytes = make_key(ctx, name, bytes, key);
    if (ctx->cache_dir && key_bytes > 0) spc_cache_store(ctx, key, key_bytes, from, bytes);
}
