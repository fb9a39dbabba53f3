/* shuffle.c: the row order of a pass, which depends only on the seed. */
#include "base/random.h"
#include "sparcl/train.h"

/* The high 64 bits of a * b: maps a random 64-bit number to 0 .. b-1. */
static uint64_t scale(uint64_t a, uint64_t b) {
    const uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    const uint64_t middle = ah * bl + (al * bl >> 32);
    return ah * bh + (middle >> 32) + ((al * bh + (uint32_t)middle) >> 32);
}

/* Fisher-Yates shuffle; step i uses the random number of counter i of the stream (seed, epoch). */
void sparcl_train_order(uint64_t seed, int64_t epoch, int64_t rows, int64_t *order) {
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    for (int64_t i = 0; i < rows; ++i)
        order[i] = i;
    for (int64_t i = rows - 1; i > 0; --i) {
        const uint32_t counter[4] = {(uint32_t)i, (uint32_t)((uint64_t)i >> 32), (uint32_t)epoch,
                                     (uint32_t)((uint64_t)epoch >> 32)};
        uint32_t r[4];
        spc_philox(counter, key, r);
        const uint64_t draw = (uint64_t)r[0] << 32 | r[1];
        const int64_t j = (int64_t)scale(draw, (uint64_t)i + 1);
        const int64_t swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
}
