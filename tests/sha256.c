/* sha256.c: FIPS 180-4, sections 4 to 6. */
#include "sha256.h"

#include <stdio.h>
#include <string.h>

static const uint32_t rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int by) {
    return x >> by | x << (32 - by);
}

/* Round i with a at v[first], b behind it, and so on round to h. */
#define AT(k) v[(first_ + (k)) % 8]
#define ROUND(first, i)                                                                            \
    do {                                                                                           \
        enum { first_ = first };                                                                   \
        const uint32_t a = AT(0), b = AT(1), e = AT(4);                                            \
        const uint32_t one = AT(7) + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +                    \
                             ((e & AT(5)) ^ (~e & AT(6))) + rounds[i] + w[i];                      \
        AT(3) += one;                                                                              \
        AT(7) = one + (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) +                                   \
                ((a & b) ^ (a & AT(2)) ^ (b & AT(2)));                                             \
    } while (0)

static void take_block(uint32_t state[8], const unsigned char *block) {
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; ++i)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; ++i) {
        const uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) +
               (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
    memcpy(v, state, sizeof v);
    for (int i = 0; i < 64; i += 8) { /* each round is one place further to the right */
        ROUND(0, i);
        ROUND(7, i + 1);
        ROUND(6, i + 2);
        ROUND(5, i + 3);
        ROUND(4, i + 4);
        ROUND(3, i + 5);
        ROUND(2, i + 6);
        ROUND(1, i + 7);
    }
    for (int i = 0; i < 8; ++i)
        state[i] += v[i];
}

void sha256_begin(sha256 *s) {
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(s->state, start, sizeof start);
    s->bytes = 0;
}

void sha256_add(sha256 *s, const void *bytes, size_t count) {
    const unsigned char *from = bytes;
    while (count > 0) {
        const size_t at = s->bytes % 64, room = 64 - at, here = count < room ? count : room;
        if (here == 64) {
            take_block(s->state, from);
        } else {
            memcpy(s->block + at, from, here);
            if (at + here == 64) take_block(s->state, s->block);
        }
        s->bytes += here;
        from += here;
        count -= here;
    }
}

void sha256_end(sha256 *s, char text[SHA256_TEXT]) {
    unsigned char end[72] = {0x80};
    const uint64_t bits = 8 * s->bytes;
    const size_t zeros = (119 - s->bytes % 64) % 64; /* so that 8 bytes are left of a block */
    for (int i = 0; i < 8; ++i)
        end[1 + zeros + (size_t)i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_add(s, end, 1 + zeros + 8);
    for (int i = 0; i < 8; ++i)
        snprintf(text + 8 * i, 9, "%08x", (unsigned)s->state[i]);
}
