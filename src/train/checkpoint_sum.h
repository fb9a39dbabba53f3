/* checkpoint_sum.h: the checksum of a checkpoint, XXH3 of 64 bits, and names in and of the file. */
#ifndef SPC_TRAIN_CHECKPOINT_SUM_H
#define SPC_TRAIN_CHECKPOINT_SUM_H

#include <stddef.h>
#include <stdint.h>

#define SPC_CHECKSUM_NAME "checksum"
#define SPC_PREVIOUS      ".previous"

enum { SPC_CHUNK_BYTES = 1 << 20 };

/* The state of XXH3, which has its own alignment. */
typedef struct spc_sum {
    _Alignas(64) unsigned char state[576];
} spc_sum;

void spc_sum_start(spc_sum *sum);
void spc_sum_add(spc_sum *sum, const void *bytes, size_t size);
uint64_t spc_sum_value(const spc_sum *sum);

#endif
