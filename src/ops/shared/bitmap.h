/* bitmap.h: the memory of the bits of cl/bitmap.cl. */
#ifndef SPC_OPS_BITMAP_H
#define SPC_OPS_BITMAP_H

#include "base/size.h"

/* Bits and bytes of a word. */
enum { SPC_BITMAP_BITS = 64, SPC_BITMAP_WORD = 8 };

/* Words of the three levels of `bits` bits, for one worker. */
static inline int64_t spc_bitmap_words(int64_t bits) {
    const int64_t columns = spc_ceil_div(bits, SPC_BITMAP_BITS);
    const int64_t words = spc_ceil_div(columns, SPC_BITMAP_BITS);
    return columns + words + spc_ceil_div(words, SPC_BITMAP_BITS);
}

#endif
