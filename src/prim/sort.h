/* sort.h: a stable radix sort of unsigned keys, each with a payload, on the device.
 *
 * The permutation that sorts int32 numbers below `limit`, with the sorted numbers:
 *
 *     const spc_sort_job job = {.n = nnz,
 *                               .key_type = SPARCL_INDEX32,
 *                               .bits = spc_key_bits(limit),
 *                               .from_keys = indices,
 *                               .from_keys_at = indices_at,
 *                               .keys = sorted,
 *                               .payload_type = SPARCL_INDEX32,
 *                               .payload = permutation};
 *     SPC_TRY(spc_sort(ctx, &job));
 *
 * Without from_payload the payload of item i is i. prim/segment.h finds the runs of equal keys in
 * `sorted`.
 */
#ifndef SPC_PRIM_SORT_H
#define SPC_PRIM_SORT_H

#include "device/ctx.h"

typedef struct spc_sort_job {
    int64_t n;               /* items; with `count`: their maximum */
    const sparcl_buf *count; /* NULL, or one int64 on the device: the number of items, clamped to
                                0 .. n */
    int64_t count_at;
    bool narrow_count; /* many lanes: the number has 32 bits */

    sparcl_itype key_type;       /* keys of 4 or 8 bytes, unsigned */
    int bits;                    /* number of low bits to sort by: 0 to 32, or 64 */
    bool upper_bits_zero;        /* all other bits are 0, which is faster on some devices */
    const sparcl_buf *from_keys; /* [n]; not changed, unless it is also `keys` */
    int64_t from_keys_at;
    sparcl_buf *reusable_keys; /* NULL, or from_keys, from element 0 on, which may be overwritten */
    sparcl_buf *keys;          /* [n] result, or NULL: not needed */
    int64_t keys_at;

    /* Where from_keys is NULL: keys are the bits of `from_a`, then b_bits of `from_b`, which may be
     * NULL; other bits are 0. Where `a` is not NULL, the sorted keys are split into it and `b`,
     * which may be NULL; this needs a payload. */
    sparcl_itype component_type;
    int b_bits;
    const sparcl_buf *from_a, *from_b; /* [n] each, not changed */
    int64_t from_a_at, from_b_at;
    sparcl_buf *a, *b; /* [n] results */
    int64_t a_at, b_at;

    int64_t scratch_bytes; /* of the sort by buckets: prim/bucket.h */

    sparcl_itype payload_type;      /* payload of 4 or 8 bytes, copied bit by bit */
    const sparcl_buf *from_payload; /* [n], not changed; NULL: that of item i is i */
    int64_t from_payload_at;
    sparcl_buf *payload; /* [n] result, or NULL: there is none */
    int64_t payload_at;
} spc_sort_job;

/*
 * Items in the order of their keys; items with equal keys keep their order. Results must not
 * overlap inputs or each other; elements past the number of items do not change. Checks nothing,
 * uses scratch memory, enqueues one to four kernels for each digit (with kernels for GPUs one for
 * all digits of at most 1024 items, two for each digit of at most 16 chunks), never waits. n is 0
 * or more and may exceed 2^31.
 */
sparcl_status spc_sort(sparcl_ctx *ctx, const spc_sort_job *job);
/* May `keys` be `from_keys`, at the same position? `keys` of the job is ignored. */
bool spc_sort_is_in_place(const sparcl_ctx *ctx, const spc_sort_job *job);

/* The bits that numbers of 0 .. limit - 1 need; 0 for a limit of 0 or 1. */
static inline int spc_key_bits(int64_t limit) {
    int bits = 0;
    while (bits < 63 && ((int64_t)1 << bits) < limit)
        ++bits;
    return bits;
}

/* The narrowest type for positions in an array of n elements and for its end. */
static inline sparcl_itype spc_position_type(int64_t n) {
    return n > INT32_MAX ? SPARCL_INDEX64 : SPARCL_INDEX32;
}

#endif
