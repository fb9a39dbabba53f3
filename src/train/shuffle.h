/* shuffle.h: the row order of a pass, which depends only on the seed. */
#ifndef SPC_TRAIN_SHUFFLE_H
#define SPC_TRAIN_SHUFFLE_H

#include <stdint.h>

/* Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011): four numbers from a counter and a key. */
void spc_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

#endif
