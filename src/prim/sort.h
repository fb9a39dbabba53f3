/* sort.h: a stable radix sort of unsigned keys, each with a payload, on the device.
 *
 * The permutation that sorts int32 numbers below `limit`, with the sorted numbers:
 *
 *     const spc_sort_job job = {.n = nnz,
 *                               .key_type = SPARCL_I32,
 *                               .bits = spc_key_bits(limit),
 *                               .from_keys = indices,
 *                               .from_keys_at = indices_at,
 *                               .keys = sorted,
 *                               .payload_type = SPARCL_I32,
 *                               .payload = permutation};
 *     SPC_TRY(spc_sort(ctx, &job));
 *
 * Without from_payload the payload of item i is i. prim/segment.h makes runs of equal keys from
 * `sorted`.
 */
#ifndef SPC_PRIM_SORT_H
#define SPC_PRIM_SORT_H

#include "device/ctx.h"

typedef struct spc_sort_job {
    int64_t n;               /* items; with `count`: room for so many */
    const sparcl_buf *count; /* NULL, or one int64 on the device: how many items there are; what is
                                not in 0 .. n counts as 0 or n */
    int64_t count_at;

    sparcl_itype key_type;       /* keys of 4 or 8 bytes, taken as unsigned */
    int bits;                    /* only so many low bits are looked at: 0 to 32, or 64 */
    bool no_more_bits;           /* keys have no others: that is faster on some devices */
    const sparcl_buf *from_keys; /* [n]; stays as it is, unless it is `keys` too */
    int64_t from_keys_at;
    sparcl_buf *spent_keys; /* NULL, or from_keys, from element 0 on, which may be overwritten */
    sparcl_buf *keys;       /* [n] result, or NULL: not expected */
    int64_t keys_at;

    /* Where from_keys is NULL: keys are the bits of `from_a`, then b_bits of `from_b`, or NULL;
     * none has more. Where `a` is not NULL, the last keys are taken apart into it and `b`, or NULL;
     * this needs a payload. */
    sparcl_itype part_type;
    int b_bits;
    const sparcl_buf *from_a, *from_b; /* [n] each, stay as they are */
    int64_t from_a_at, from_b_at;
    sparcl_buf *a, *b; /* [n] results */
    int64_t a_at, b_at;

    int64_t capacity; /* of the sort by buckets: prim/bucket.h */

    sparcl_itype payload_type;      /* payload of 4 or 8 bytes, moved as it is */
    const sparcl_buf *from_payload; /* [n], stays as it is; NULL: item i has i */
    int64_t from_payload_at;
    sparcl_buf *payload; /* [n] result, or NULL: there is none */
    int64_t payload_at;
} spc_sort_job;

/*
 * Items in the order of their keys, those of equal keys in the order in which they came. Results
 * must not overlap what is read, nor each other; elements past the number of items stay as they
 * are. Checks nothing, uses scratch memory, enqueues one to four kernels for each digit, never
 * waits. n is 0 or more and may exceed 2^31.
 */
sparcl_status spc_sort(sparcl_ctx *ctx, const spc_sort_job *job);
/* May `keys` be `from_keys`, at the same place? `keys` of the job does not matter. */
bool spc_sort_is_in_place(const sparcl_ctx *ctx, const spc_sort_job *job);

/* Bits that hold each number of 0 .. limit - 1; 0 for a limit of 0 or 1. */
static inline int spc_key_bits(int64_t limit) {
    int bits = 0;
    while (bits < 63 && ((int64_t)1 << bits) < limit)
        ++bits;
    return bits;
}

/* The narrowest type for positions in an array of n elements and for its end. */
static inline sparcl_itype spc_position_type(int64_t n) {
    return n > INT32_MAX ? SPARCL_I64 : SPARCL_I32;
}

#endif
