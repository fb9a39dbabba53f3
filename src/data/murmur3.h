/* murmur3.h: the 32-bit MurmurHash3 (x86), by which Vowpal Wabbit hashes names. */
#ifndef SPC_DATA_MURMUR3_H
#define SPC_DATA_MURMUR3_H

#include <stddef.h>
#include <stdint.h>

uint32_t spc_murmur3(const char *bytes, size_t size, uint32_t seed);

#endif
