/* order.h: the sorted order of a COO array's entries, and moving arrays to that order. */
#ifndef SPC_OPS_ORDER_H
#define SPC_OPS_ORDER_H

#include "prim/bucket.h"

/* A number of items: `capacity`, or if `count` is not NULL the number there on the device, at most
 * `capacity`. */
typedef struct spc_items {
    int64_t capacity;
    const sparcl_buf *count;
    int64_t count_at;
} spc_items;

static inline spc_items spc_coo_items(const sparcl_coo *a) {
    return (spc_items){a->nnz, a->count, a->count_at};
}

/* to[k] := from[places[k]]. Integers of 4 and 8 bytes may change their size; values of 1 and 2
 * bytes have it on both sides. */
typedef struct spc_move {
    sparcl_buf *to;
    int64_t to_at;
    size_t to_size;
    const sparcl_buf *from; /* NULL: the positions themselves */
    int64_t from_at;
    size_t from_size;
    const sparcl_buf *places; /* NULL: to[k] := from[k] */
    sparcl_itype place_type;
} spc_move;

sparcl_status spc_move_array(sparcl_ctx *ctx, const spc_move *move, spc_items items);

/* to[to_at] := the number of items, as int64. */
sparcl_status spc_write_count(sparcl_ctx *ctx, sparcl_buf *to, int64_t to_at, spc_items items);

/* The lexicographic order of a COO array's entries, in scratch memory. */
typedef struct spc_coo_order {
    sparcl_itype place_type;
    sparcl_buf *places; /* entry k of the order is entry places[k] of the array; NULL: entry k */
    sparcl_itype key_type;
    sparcl_buf *keys; /* of the entries in that order, ascending; equal where their indices are */
    bool decodable;   /* the keys contain the indices: spc_coo_decode */
} spc_coo_order;

/* Pushes scratch memory that must outlive `order`. The array's indices must be valid; an array that
 * is marked SORTED is not sorted again. Without `with_keys` there are no keys. */
sparcl_status spc_coo_find_order(sparcl_ctx *ctx, const sparcl_coo *a, bool with_keys,
                                 spc_coo_order *order);

/*
 * Sort an array whose keys have at most 64 bits along with its values, which become the payload of
 * `to`, without a permutation: `order` gets the keys and no positions. With `to->a` the indices of
 * a vector or matrix may be written to `to` instead: then `order` has no keys. *done is false where
 * keys have more bits, for values of 1 and 2 bytes, and for those of 8 on wide cores, whose buckets
 * have a payload of 32 bits.
 */
sparcl_status spc_coo_sort_values(sparcl_ctx *ctx, const sparcl_coo *a, const spc_bucket_result *to,
                                  spc_coo_order *order, bool *done);

/* The indices of `to` in dimensions first .. end - 1 := those in keys[k], for each item; the order
 * must be decodable. */
sparcl_status spc_coo_decode(sparcl_ctx *ctx, const sparcl_coo *a, const sparcl_buf *keys,
                             sparcl_itype key_type, int first, int end, const sparcl_coo *to,
                             spc_items items);

/* --- vectors and matrices by buckets ---------------------------------------------------------
 */

/* Does prim/bucket.h apply to the array, of rank 1 or 2, and the device? Then *source is its
 * entries, with the values as payload where they have 4 bytes (else there is no payload). */
bool spc_coo_bucket_source(const sparcl_ctx *ctx, const sparcl_coo *a, spc_bucket_source *source);
/* The result for such an array: its indices, its values of 4 bytes, and its count. */
spc_bucket_result spc_coo_bucket_result(const sparcl_coo *to);

#endif
