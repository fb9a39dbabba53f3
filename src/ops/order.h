/* order.h: the order of a COO array's entries, and moving arrays by it. */
#ifndef SPC_OPS_ORDER_H
#define SPC_OPS_ORDER_H

#include "prim/bucket.h"
#include "sparcl/ops.h"

/* So many items, or where `count` is set as many as it says on the device, at most `room`. */
typedef struct spc_items {
    int64_t capacity;
    const sparcl_buf *count;
    int64_t count_at;
} spc_items;

static inline spc_items spc_coo_items(const sparcl_coo *a) {
    return (spc_items){a->nnz, a->count, a->count_at};
}

/* to[k] := from[places[k]]. Elements have 4 or 8 bytes; whole numbers may change their size. */
typedef struct spc_move {
    sparcl_buf *to;
    int64_t to_at;
    size_t to_size;
    const sparcl_buf *from; /* NULL: the places themselves */
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
    sparcl_buf *keys; /* of the entries in that order: equal where their indices are, ascending */
    bool decodable;   /* the keys hold the indices: spc_coo_decode */
} spc_coo_order;

/* Pushes scratch memory that must outlive `order`. The array's indices are inside its shape; one
 * that is marked SORTED is not sorted again. Without `want_keys` there are no keys. */
sparcl_status spc_coo_find_order(sparcl_ctx *ctx, const sparcl_coo *a, bool want_keys,
                                 spc_coo_order *order);

/*
 * Sort an array whose keys have 64 bits at most with its values in tow (they go to the payload of
 * `to`), with no permutation: `order` gets the keys and no places. With `to->a` the indices of a
 * vector or matrix may be written to `to` instead: then `order` has no keys. False in *done where
 * the keys have more bits, and for F64 on wide cores, whose buckets take 32 bits along.
 */
sparcl_status spc_coo_sort_values(sparcl_ctx *ctx, const sparcl_coo *a, const spc_bucket_result *to,
                                  spc_coo_order *order, bool *done);

/* to[k] := index of dimension d in keys[k], in `type`; keys of an order that is decodable. */
sparcl_status spc_coo_decode(sparcl_ctx *ctx, const sparcl_coo *a, const sparcl_buf *keys,
                             sparcl_itype key_type, int d, sparcl_buf *to, int64_t to_at,
                             sparcl_itype type, spc_items items);

/* --- vectors and matrices by buckets ---------------------------------------------------------
 */

/* Is it an array of rank 1 or 2, and are device and keys, for prim/bucket.h? Then *source is its
 * entries, with the values as payload where they are f32 (else there is no payload). */
bool spc_coo_bucket_source(const sparcl_ctx *ctx, const sparcl_coo *a, spc_bucket_source *source);
/* Where such an array gets its indices, values of f32, and count. */
spc_bucket_result spc_coo_bucket_result(const sparcl_coo *to);

#endif
