/* shuffle.c: the row order of a pass, which depends only on the seed. */
#include "train/shuffle.h"

#include "sparcl/train.h"

static void multiply(uint32_t a, uint32_t b, uint32_t *high, uint32_t *low) {
    const uint64_t product = (uint64_t)a * b;
    *high = (uint32_t)(product >> 32);
    *low = (uint32_t)product;
}

void spc_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; ++round) {
        uint32_t high0, low0, high1, low1;
        multiply(0xD2511F53u, c0, &high0, &low0);
        multiply(0xCD9E8D57u, c2, &high1, &low1);
        c0 = high1 ^ c1 ^ k0;
        c1 = low1;
        c2 = high0 ^ c3 ^ k1;
        c3 = low0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

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
