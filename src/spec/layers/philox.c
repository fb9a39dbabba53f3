/* philox.c: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2,
 * 3; 2011) in plain C. */
#include "spec/layers/philox.h"

static uint64_t product(uint32_t x, uint32_t y) {
    return (uint64_t)x * y;
}

void spec_philox(uint32_t words[4], uint64_t key) {
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int round = 0; round < 10; ++round) {
        const uint64_t a = product(words[0], 0xD2511F53), b = product(words[2], 0xCD9E8D57);
        words[0] = (uint32_t)(b >> 32) ^ words[1] ^ k0;
        words[2] = (uint32_t)(a >> 32) ^ words[3] ^ k1;
        words[1] = (uint32_t)b;
        words[3] = (uint32_t)a;
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
}

uint32_t spec_dropout_word(int64_t e, uint64_t seed, uint64_t offset) {
    const uint64_t counter = 16 * ((uint64_t)e / 64) + (uint64_t)e % 16;
    uint32_t words[4] = {(uint32_t)counter, (uint32_t)(counter >> 32), (uint32_t)offset,
                         (uint32_t)(offset >> 32)};
    spec_philox(words, seed);
    return words[(uint64_t)e / 16 % 4];
}
