/* bucket.h: a stable sort for few wide cores. Items go to buckets by the highest bits of their
 * keys. Then each bucket is sorted in cache and written as the operation needs it. Small inputs are
 * sorted at once by one core (entries of a CSR matrix with sorted rows by two). prim/sort.h covers
 * all other cases.
 */
#ifndef SPC_PRIM_BUCKET_H
#define SPC_PRIM_BUCKET_H

#include "launch/launch.h"

/* Keys are the bits of a, then those of b. For the entries of a CSR matrix (offsets is not NULL and
 * gives their number), a is the columns and b, which is NULL, the row. Items are not sorted by
 * their row, since rows ascend. */
typedef struct spc_bucket_source {
    int64_t n;               /* items; with `count`: their maximum */
    const sparcl_buf *count; /* as in prim/sort.h */
    int64_t count_at;
    sparcl_itype type; /* of a and b */
    int a_bits, b_bits;
    const sparcl_buf *a, *b; /* b may be NULL: then it has no bits */
    int64_t a_at, b_at;
    const sparcl_buf *payload; /* [n] of 4 bytes; NULL: that of item i is i */
    int64_t payload_at;
    const sparcl_buf *offsets;
    int64_t offsets_at, rows, columns;
    sparcl_itype offset_type;
    bool ascends;          /* the columns of each row do */
    bool low_memory;       /* slower, but at most 15 bytes per item, not 20 */
    int64_t scratch_bytes; /* 0, or a limit for scratch memory, even where that is slower; items of
                              8 or 12 bytes and at most 3/4 MiB may exceed it */
} spc_bucket_source;

/* The tuning class of an input. */
int spc_bucket_class(const spc_bucket_source *source);

/* Does this sort apply to the device, the number of items and the length of keys? */
bool spc_bucket_applies(const sparcl_ctx *ctx, const spc_bucket_source *source);

/*
 * All below use scratch memory (10 bytes per item, for columns 8; up to 20 where keys have more
 * than 43 bits, or rows 32 and more; and one key per item where the result has no arrays for keys),
 * check nothing, never wait, and enqueue one to five kernels. Elements of results past the number
 * of items do not change; those up to it may hold intermediate values.
 */

/* Results: the two components of keys, and the payload; a, b and count may be NULL. Types are those
 * of the source. */
typedef struct spc_bucket_result {
    sparcl_buf *a, *b, *payload, *count;
    int64_t a_at, b_at, payload_at, count_at;
} spc_bucket_result;

/* All items in order, and their number. */
sparcl_status spc_bucket_order(sparcl_ctx *ctx, const spc_bucket_source *source,
                               const spc_bucket_result *to);
/* One item per distinct key, whose payload is the sum, by rule R, of float payloads; and their
 * number. */
sparcl_status spc_bucket_sums(sparcl_ctx *ctx, const spc_bucket_source *source,
                              const spc_bucket_result *to);

/* minimum[g] := the minimum payload of an item whose key an earlier item has, of the keys of group
 * g, or INT64_MAX; for g below spc_bucket_groups. Without `scratch_bytes`, uses twice as much
 * scratch memory. */
int64_t spc_bucket_groups(const sparcl_ctx *ctx, const spc_bucket_source *source);
sparcl_status spc_bucket_duplicates(sparcl_ctx *ctx, const spc_bucket_source *source,
                                    sparcl_buf *minimum);

/* Results for the entries of a CSR matrix ordered by column: their rows and payloads, and offsets.
 */
typedef struct spc_bucket_columns {
    sparcl_itype index_type, offset_type;
    sparcl_buf *rows, *payload;
    int64_t rows_at, payload_at;
    sparcl_buf *offsets; /* of all columns, and of the end */
    int64_t offsets_at;
    /* For a pattern: the columns that have entries, and their number; offsets are those of these
     * columns, from element 0 on. Else NULL. */
    sparcl_buf *present, *found;
    /* For a pattern whose payload is the positions of the entries: values of 4 bytes, which are
     * moved along where spc_bucket_is_direct; or NULL. */
    const sparcl_buf *from_values;
    int64_t from_values_at;
    sparcl_buf *values;
} spc_bucket_columns;

/* Groups for a matrix that is sorted directly: two where each can have half of the columns. */
int64_t spc_bucket_direct_groups(const sparcl_ctx *ctx, const spc_bucket_source *source);

/* Is the matrix small enough to be sorted directly, with a counter for each column? */
bool spc_bucket_is_direct(const sparcl_ctx *ctx, const spc_bucket_source *source,
                          const spc_bucket_columns *to);
sparcl_status spc_bucket_by_columns(sparcl_ctx *ctx, const spc_bucket_source *source,
                                    const spc_bucket_columns *to);

#endif
