/* rows.h: what operations on row-sparse arrays share. */
#ifndef SPC_OPS_ROWS_H
#define SPC_OPS_ROWS_H

#include "launch/launch.h"
#include "ops/check.h"
#include "ops/partition.h"

/* For kernels that go over rows with FOR_ROWS. */
spc_range spc_range_rows(const sparcl_ctx *ctx, int64_t rows, int64_t width);

/* For kernels that ask for rows before they need them: how many rows before; never, where that is
 * past all rows. */
int32_t spc_rows_prefetch(const sparcl_ctx *ctx, int64_t width);

/* Rows in the order of their indices, those of one index next to each other: runs. In scratch
 * memory, but for the indices of rows that are sorted as they are. */
typedef struct spc_runs {
    sparcl_itype position_type;
    const sparcl_buf *keys; /* the sorted indices */
    int64_t keys_at;
    const sparcl_buf *perm;  /* which row comes k-th; NULL: row k */
    sparcl_buf *starts;      /* run u is rows starts[u] .. starts[u + 1] of that order */
    const sparcl_buf *found; /* one int64: how many runs there are */
    int64_t found_at;
    spc_partition partitions;
    int64_t carry_parts;
    sparcl_buf *carry; /* room for what lies across shares: cl/runs.cl */
} spc_runs;

/* Runs of a checked view that has rows and a width; the caller gives the scratch memory back. */
sparcl_status spc_find_runs(sparcl_ctx *ctx, spc_runs *runs, const sparcl_rows *from);

#endif
