/* compact.h: the positions of the items that have a mark, ascending. */
#ifndef SPC_PRIM_COMPACT_H
#define SPC_PRIM_COMPACT_H

#include "device/ctx.h"

typedef struct spc_compact_job {
    int64_t n;               /* items; with `count`: their maximum */
    const sparcl_buf *count; /* NULL, or one int64 on the device, as in prim/sort.h */
    int64_t count_at;
    const sparcl_buf *marks; /* [n] bytes: 0 or 1 */
    sparcl_itype place_type;
    sparcl_buf *places; /* [n] result: the positions */
    sparcl_buf *found;  /* result: one int64, their number */
} spc_compact_job;

/* Checks nothing, enqueues one or two kernels, never waits. */
sparcl_status spc_compact(sparcl_ctx *ctx, const spc_compact_job *job);

#endif
