/* bitmap.h: the memory of the bits of cl/bitmap.cl. */
#ifndef SPC_OPS_BITMAP_H
#define SPC_OPS_BITMAP_H

#include "base/size.h"
#include "device/ctx.h"

/* Bytes of a word. */
static inline size_t spc_bitmap_word(const sparcl_ctx *ctx) {
    return spc_ctx_is_gpu(ctx) ? 4 : 8;
}

/* Words of the three levels of `bits` bits, for one group. */
static inline int64_t spc_bitmap_words(const sparcl_ctx *ctx, int64_t bits) {
    const int64_t per_word = 8 * (int64_t)spc_bitmap_word(ctx);
    const int64_t columns = spc_ceil_div(bits, per_word), words = spc_ceil_div(columns, per_word);
    return columns + words + spc_ceil_div(words, per_word);
}

#endif
