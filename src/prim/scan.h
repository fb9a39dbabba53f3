/* scan.h: exclusive prefix sums of integers on the device. */
#ifndef SPC_PRIM_SCAN_H
#define SPC_PRIM_SCAN_H

#include "device/ctx.h"

/* to[i] := from[0] + ... + from[i - 1] for i = 0 .. n: n + 1 results from n numbers. */
typedef struct spc_scan_job {
    int64_t n;
    sparcl_itype from_type, to_type; /* the total must fit in to_type */
    const sparcl_buf *from;          /* [n]; NULL is legal where n is 0 */
    int64_t from_at;
    sparcl_buf *to; /* [n + 1] */
    int64_t to_at;
} spc_scan_job;

/*
 * The two arrays are identical (same type, same position) or do not overlap. Checks nothing,
 * enqueues one or two kernels, never waits.
 */
sparcl_status spc_scan(sparcl_ctx *ctx, const spc_scan_job *job);

#endif
