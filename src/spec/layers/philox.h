/* philox.h: random numbers as a function of a counter and a key, as cl/philox.cl. */
#ifndef SPC_SPEC_PHILOX_H
#define SPC_SPEC_PHILOX_H

#include <stdint.h>

/* Replace the four words of a counter by four random words: Philox 4x32-10. */
void spec_philox(uint32_t words[4], uint64_t key);
/* The word of element e of a dropout: include/sparcl/ops/layers.h. */
uint32_t spec_dropout_word(int64_t e, uint64_t seed, uint64_t offset);

#endif
