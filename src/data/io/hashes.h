/* hashes.h: counts the columns that names with different texts share. */
#ifndef SPC_DATA_HASHES_H
#define SPC_DATA_HASHES_H

#include <stdatomic.h>

#include "data/set/dataset.h"

/* Columns beyond this many bits are not watched: the memory is 8 bytes a column. */
enum { SPC_OWNERS_BITS_MAX = 24 };

typedef _Atomic(uint64_t) spc_owner;

/* Owners of 2^bits columns, of no name yet; NULL above SPC_OWNERS_BITS_MAX. */
SPARCL_MUST_CHECK sparcl_status spc_owners_create(spc_owner **owners, int bits,
                                                  const sparcl_allocator *allocator,
                                                  sparcl_error *error);
void spc_owners_free(spc_owner *owners, int bits, const sparcl_allocator *allocator);

/* The first name of a column owns it. `name` is a number that other names do not have. */
static inline void spc_owners_note(spc_owner *owners, uint64_t column, uint64_t name) {
    const uint64_t mine = (name & ~(uint64_t)1) | 2; /* the last bit: the column is shared */
    uint64_t before = atomic_load_explicit(&owners[column], memory_order_relaxed);
    if ((before & ~(uint64_t)1) == mine) return;
    if (before == 0 && atomic_compare_exchange_strong(&owners[column], &before, mine)) return;
    if ((before & ~(uint64_t)1) != mine && !(before & 1)) atomic_fetch_or(&owners[column], 1);
}

/* The number of columns with more than one name. */
int64_t spc_owners_shared(spc_owner *owners, int bits);

#endif
