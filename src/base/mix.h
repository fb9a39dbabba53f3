/* mix.h: pseudo-random numbers from a counter. */
#ifndef SPC_BASE_MIX_H
#define SPC_BASE_MIX_H

#include <stdint.h>

/* The finalizer of splitmix64 (Steele, Lea, Flood 2014): a bijection. */
static inline uint64_t spc_mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

#endif
