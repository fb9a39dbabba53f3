/* rows.h: common code of operations on row-sparse arrays. */
#ifndef SPC_OPS_ROWS_H
#define SPC_OPS_ROWS_H

#include "launch/launch.h"
#include "ops/check.h"
#include "ops/partition.h"

/* The range of kernels with FOR_ROWS. */
spc_range spc_range_rows(const sparcl_ctx *ctx, int64_t rows, int64_t width);

/* The prefetch distance of kernels, in rows; INT32_MAX: no prefetch. */
int32_t spc_rows_prefetch(const sparcl_ctx *ctx, int64_t width);

/* The rows of a checked list that a shard has, which begins with row `first` of its table
 * (sparcl_gather_rows). */
sparcl_status spc_gather_shard(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_dense *shard,
                               const sparcl_list *list, int64_t first);

/* Rows in the order of their indices; those with equal indices are a run. In scratch memory, except
 * the indices of rows that are already sorted. */
typedef struct spc_runs {
    sparcl_itype position_type;
    const sparcl_buf *keys; /* the sorted indices */
    int64_t keys_at;
    const sparcl_buf *perm;  /* row k of the order is row perm[k]; NULL: row k */
    sparcl_buf *starts;      /* run u is rows starts[u] .. starts[u + 1] of that order */
    const sparcl_buf *found; /* one int64: the number of runs */
    int64_t found_at;
    spc_partition partitions;
    int64_t carry_chunks;
    sparcl_buf *carry; /* for runs that are split between partitions: cl/runs.cl */
} spc_runs;

/* Runs of a checked view that has rows and a width; the caller releases the scratch memory. */
sparcl_status spc_find_runs(sparcl_ctx *ctx, spc_runs *runs, const sparcl_rows *from);
/* The same, where the values of row k are row places[k] of others; places have spc_position_type of
 * nnr. */
sparcl_status spc_find_placed_runs(sparcl_ctx *ctx, spc_runs *runs, const sparcl_rows *from,
                                   const sparcl_buf *places);

#endif
