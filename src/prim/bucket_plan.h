/* bucket_plan.h: the buckets of a sort: their number, their digits and their memory. */
#ifndef SPC_PRIM_BUCKET_PLAN_H
#define SPC_PRIM_BUCKET_PLAN_H

#include "prim/bucket.h"

/* The items in their buckets. */
typedef struct spc_buckets {
    sparcl_buf *items, *spare, *begins, *found;
    int64_t spare_size;  /* items per group */
    int count, low_bits; /* buckets, and the bits of a key within one */
    int split_bits;      /* each will be split into 2^split_bits buckets with short keys */
    int bit;             /* keys are sorted from this bit on */
    int passes, width;   /* number of digits, and their bits */
    bool serial;         /* one group does everything */
    bool wide;           /* items have 12 bytes */
    spc_range range;
} spc_buckets;

/* Do items need 12 bytes, because keys are too long for 8? */
bool spc_bucket_is_wide(const spc_bucket_source *s);
/* Does a single core sort this number of items faster than several? */
bool spc_bucket_is_small(const sparcl_ctx *ctx, int64_t n);
/* Minimum items per chunk. Half of them pay for another worker that sorts buckets. */
int64_t spc_bucket_chunk_grain(const sparcl_ctx *ctx);
size_t spc_bucket_item_size(const spc_buckets *b);
/* Everything but the buffers. */
void spc_bucket_plan(const sparcl_ctx *ctx, const spc_bucket_source *s, spc_buckets *b);

#endif
