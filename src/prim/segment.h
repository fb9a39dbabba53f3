/* segment.h: the runs of equal keys in a sorted array, found on the device. */
#ifndef SPC_PRIM_SEGMENT_H
#define SPC_PRIM_SEGMENT_H

#include "device/ctx.h"

typedef struct spc_segment_job {
    int64_t n;               /* items; with `count`: their maximum */
    const sparcl_buf *count; /* NULL, or one int64 on the device, as in prim/sort.h */
    int64_t count_at;
    bool narrow_count; /* the number has 32 bits */

    sparcl_itype key_type;
    const sparcl_buf *keys; /* [n], equal ones adjacent */
    int64_t keys_at;

    sparcl_itype start_type;
    sparcl_buf *starts; /* [U + 1] result, capacity n + 1: segment u is items starts[u] ..
                           starts[u + 1]; starts[U] is the number of items */
    sparcl_buf *unique; /* [U] result of key_type, capacity n: the key of each segment; or NULL */
    int64_t unique_at;
    sparcl_buf *found; /* result: one int64, U */
    int64_t found_at;
} spc_segment_job;

/*
 * Results must not overlap the keys, nor `found` be `count`; elements past U do not change. Checks
 * nothing, enqueues one or two kernels, never waits.
 */
sparcl_status spc_segments(sparcl_ctx *ctx, const spc_segment_job *job);

#endif
