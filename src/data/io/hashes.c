/* hashes.c: counts the columns that names with different texts share. */
#include "data/io/hashes.h"

#include "base/error.h"
#include "base/memory.h"

sparcl_status spc_owners_create(spc_owner **owners, int bits, const sparcl_allocator *allocator,
                                sparcl_error *error) {
    const size_t count = (size_t)1 << bits;
    *owners = NULL;
    if (bits > SPC_OWNERS_BITS_MAX) return SPARCL_OK;
    *owners = spc_alloc_zero(allocator, count, sizeof **owners);
    return *owners ? SPARCL_OK : spc_fail_memory(error, "hashes", count * sizeof **owners);
}

void spc_owners_free(spc_owner *owners, int bits, const sparcl_allocator *allocator) {
    spc_free(allocator, owners, ((size_t)1 << bits) * sizeof *owners);
}

int64_t spc_owners_shared(spc_owner *owners, int bits) {
    int64_t shared = 0;
    for (size_t i = 0; owners && i < (size_t)1 << bits; i++)
        shared += (atomic_load_explicit(&owners[i], memory_order_relaxed) & 1) != 0;
    return owners ? shared : -1;
}
