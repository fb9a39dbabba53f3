/* bucket.h: a stable sort for few wide cores: items go to buckets by the highest bits of their
 * keys, then each bucket is sorted in cache and written out as the operation wants it. Small inputs
 * are done at once, by one core (entries of a CSR matrix whose rows ascend by two). Where it does
 * not serve, prim/sort.h does.
 */
#ifndef SPC_PRIM_BUCKET_H
#define SPC_PRIM_BUCKET_H

#include "launch/launch.h"

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
    int64_t offsets_at, rows, columns;
    sparcl_itype offset_type;
    bool ascends;     /* the columns of each row do */
    bool lean;        /* rather less memory than less time: 15 bytes an item at most, not 20 */
    int64_t capacity; /* 0, or bytes of scratch memory that are there to be used: no more, but for
                     items of 8 or 12 bytes and at most 3/4 MiB, even where that is slower */
} spc_bucket_source;

/* The class of inputs that it is tuned for. */
int spc_bucket_class(const spc_bucket_source *source);

/* Is it a device, a number of items and a length of keys for it? */
bool spc_bucket_serves(const sparcl_ctx *ctx, const spc_bucket_source *source);

/*
 * All below use scratch memory (10 bytes an item, for columns 8; where keys have more than 43 bits,
 * or rows 32 and more, up to 20; and a key an item where the result has no place for keys), check
 * nothing, never wait, and enqueue one to five kernels. Elements of results past the number of
 * items stay as they are; those up to it are used on the way.
 */

/* Where keys, taken apart, and payload go; a, b and count may be NULL. Of the types of the source.
 */
typedef struct spc_bucket_result {
    sparcl_buf *a, *b, *payload, *count;
    int64_t a_at, b_at, payload_at, count_at;
} spc_bucket_result;

/* All items in order, and how many they are. */
sparcl_status spc_bucket_order(sparcl_ctx *ctx, const spc_bucket_source *source,
                               const spc_bucket_result *to);
/* One item for each key, its payload the sum, by rule R, of payloads that are float; and how many
 * they are. */
sparcl_status spc_bucket_sums(sparcl_ctx *ctx, const spc_bucket_source *source,
                              const spc_bucket_result *to);

/* least[g] := the least payload of an item whose key an item before it has, of the keys that group
 * g has, or INT64_MAX; for g below spc_bucket_groups. Without `room` uses twice as much scratch
 * memory. */
int64_t spc_bucket_groups(const sparcl_ctx *ctx, const spc_bucket_source *source);
sparcl_status spc_bucket_duplicates(sparcl_ctx *ctx, const spc_bucket_source *source,
                                    sparcl_buf *minimum);

/* Where the entries of a CSR matrix go by columns: their rows and payloads, and offsets. */
typedef struct spc_bucket_columns {
    sparcl_itype index_type, offset_type;
    sparcl_buf *rows, *payload;
    int64_t rows_at, payload_at;
    sparcl_buf *offsets; /* of all columns, and the end */
    int64_t offsets_at;
    /* Of a pattern: the columns that have entries, and how many they are; offsets are of these, and
     * begin at element 0. Else NULL. */
    sparcl_buf *present, *found;
    /* Of a pattern whose entries have their numbers as payload: values of 4 bytes, which go with
     * them where spc_bucket_is_direct; or NULL. */
    const sparcl_buf *from_values;
    int64_t from_values_at;
    sparcl_buf *values;
} spc_bucket_columns;

/* Groups for a matrix that is done at once: two where each can have half of the columns. */
int64_t spc_bucket_direct_groups(const sparcl_ctx *ctx, const spc_bucket_source *source);

/* Is it a matrix that is done at once, in the order of its entries? */
bool spc_bucket_is_direct(const sparcl_ctx *ctx, const spc_bucket_source *source,
                          const spc_bucket_columns *to);
sparcl_status spc_bucket_by_columns(sparcl_ctx *ctx, const spc_bucket_source *source,
                                    const spc_bucket_columns *to);

#endif
