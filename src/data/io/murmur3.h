/* murmur3.h: the 32-bit MurmurHash3 (x86), by which Vowpal Wabbit hashes names. */
#ifndef SPC_DATA_MURMUR3_H
#define SPC_DATA_MURMUR3_H

#include <stddef.h>
#include <stdint.h>

uint32_t spc_murmur3(const char *bytes, size_t size, uint32_t seed);

/* Its --hash strings: a name of digits is a number, any other is hashed. */
static inline uint64_t spc_hash_name(const char *name, size_t length, uint64_t seed) {
    uint64_t number = 0;
    size_t i = 0;
    for (; i < length && name[i] >= '0' && name[i] <= '9'; i++)
        number = number * 10 + (uint64_t)(name[i] - '0');
    return i == length ? number + seed : spc_murmur3(name, length, (uint32_t)seed);
}

#endif
