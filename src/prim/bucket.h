/* bucket.h: a stable sort for few wide cores: items go to buckets by the highest bits of their
 * keys, then each bucket is sorted in cache and written out as the operation wants it.
 *
 *     if (!spc_bucket_serves(ctx, &source)) ... prim/sort.h does it
 *     SPC_TRY(spc_bucket_fill(ctx, &source, &buckets));
 *     SPC_TRY(spc_bucket_write_order(ctx, &buckets, &result));
 */
#ifndef SPC_PRIM_BUCKET_H
#define SPC_PRIM_BUCKET_H

#include "device/launch.h"

/* Keys are the bits of a, then those of b. Of the entries of a CSR matrix (offsets is not NULL;
 * they say how many there are), a is the columns and b, which is NULL, the row: these are not
 * sorted by, since they ascend. */
typedef struct spc_bucket_source {
    int64_t n;               /* items; with `count`: room for so many */
    const sparcl_buf *count; /* as in prim/sort.h */
    int64_t count_at;
    sparcl_itype type; /* of a and b */
    int a_bits, b_bits;
    const sparcl_buf *a, *b; /* b may be NULL: then it has no bits */
    int64_t a_at, b_at;
    const sparcl_buf *payload; /* [n] of 4 bytes; NULL: item i has i */
    int64_t payload_at;
    const sparcl_buf *offsets;
    int64_t offsets_at, rows;
    sparcl_itype offset_type;
} spc_bucket_source;

/* The items in their buckets, for the kernels of cl/bucket_sort.cl. */
typedef struct spc_buckets {
    sparcl_buf *items, *spare, *begins, *found;
    int count, low_bits; /* buckets, and the bits of a key that are left in one */
    int bit;             /* keys are sorted from this bit on */
    int passes, width;   /* digits, and their bits */
    spc_range range;
} spc_buckets;

/* Is it a device, a number of items and a length of keys for it? */
bool spc_bucket_serves(const sparcl_ctx *ctx, const spc_bucket_source *source);

/*
 * Fill the buckets, in scratch memory of the caller's: 16 bytes an item. Each function below sorts
 * and writes them out, once. They check nothing, never wait, and enqueue one or two kernels each.
 */
sparcl_status spc_bucket_fill(sparcl_ctx *ctx, const spc_bucket_source *source, spc_buckets *b);

/* Where keys, taken apart, and payload go; a and b may be NULL. */
typedef struct spc_bucket_result {
    sparcl_itype type; /* of a and b */
    int b_bits;
    sparcl_buf *a, *b, *payload;
    int64_t a_at, b_at, payload_at;
} spc_bucket_result;

/* All items in order. */
sparcl_status spc_bucket_write_order(sparcl_ctx *ctx, const spc_buckets *b,
                                     const spc_bucket_result *to);
/* One item for each key, its payload the sum, by rule R, of payloads that are float; and how many
 * they are. */
sparcl_status spc_bucket_write_sums(sparcl_ctx *ctx, const spc_buckets *b,
                                    const spc_bucket_result *to, sparcl_buf *count,
                                    int64_t count_at);
/* Entries of a matrix by columns: rows (b) and payload, and the offsets of `columns` columns. */
sparcl_status spc_bucket_write_columns(sparcl_ctx *ctx, const spc_buckets *b,
                                       const spc_bucket_result *to, sparcl_buf *offsets,
                                       int64_t offsets_at, sparcl_itype offset_type,
                                       int64_t columns);
/* The same, with the columns (a) that have entries, where they start, and how many they are. */
sparcl_status spc_bucket_write_pattern(sparcl_ctx *ctx, const spc_buckets *b,
                                       const spc_bucket_result *to, sparcl_buf *starts,
                                       sparcl_itype start_type, sparcl_buf *count);

#endif
