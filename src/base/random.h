/* random.h: random numbers that are a function of a counter and a key. */
#ifndef SPC_BASE_RANDOM_H
#define SPC_BASE_RANDOM_H

#include <stdint.h>

/* Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011): four numbers from a counter and a key. */
void spc_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

#endif
