/* checkpoint_sum.c: the checksum of a checkpoint. */
#include "train/checkpoint_sum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

_Static_assert(sizeof(spc_sum) >= sizeof(XXH3_state_t), "the state of XXH3 has another size");

void spc_sum_start(spc_sum *sum) {
    XXH3_64bits_reset((XXH3_state_t *)(void *)sum->state);
}

void spc_sum_add(spc_sum *sum, const void *bytes, size_t size) {
    if (size > 0) XXH3_64bits_update((XXH3_state_t *)(void *)sum->state, bytes, size);
}

uint64_t spc_sum_value(const spc_sum *sum) {
    return XXH3_64bits_digest((const XXH3_state_t *)(const void *)sum->state);
}
