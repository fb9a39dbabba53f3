/* murmur3.c: the 32-bit MurmurHash3 (x86) of Austin Appleby, which is in the public domain. */
#include "data/io/murmur3.h"

static uint32_t rotate(uint32_t x, int bits) {
    return x << bits | x >> (32 - bits);
}

static uint32_t mix(uint32_t word) {
    return rotate(word * 0xcc9e2d51u, 15) * 0x1b873593u;
}

uint32_t spc_murmur3(const char *bytes, size_t size, uint32_t seed) {
    const unsigned char *at = (const unsigned char *)bytes;
    uint32_t hash = seed, word = 0;
    for (size_t left = size; left >= 4; left -= 4, at += 4) {
        word =
            (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        hash = rotate(hash ^ mix(word), 13) * 5 + 0xe6546b64u;
    }
    word = 0;
    for (size_t i = 0; i < (size & 3); i++)
        word |= (uint32_t)at[i] << (8 * i);
    if (size & 3) hash ^= mix(word);
    hash ^= (uint32_t)size;
    hash = (hash ^ hash >> 16) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    return hash ^ hash >> 16;
}
