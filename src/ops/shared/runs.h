/* runs.h: rows in the order of their indices: those with equal indices are a run. */
#ifndef SPC_OPS_RUNS_H
#define SPC_OPS_RUNS_H

#include "ops/shared/partition.h"
#include "ops/shared/rows.h"
#include "ops/shared/units.h"

/* In scratch memory, except the indices of rows that are already sorted. */
typedef struct spc_runs {
    sparcl_itype position_type;
    const sparcl_buf *keys; /* the sorted indices, at least where runs begin */
    int64_t keys_at;
    const sparcl_buf *perm;  /* row k of the order is row perm[k]; NULL: row k */
    sparcl_buf *starts;      /* run u is rows starts[u] .. starts[u + 1] of that order */
    const sparcl_buf *found; /* one int64: the number of runs */
    int64_t found_at, width;
    /* How long runs are divided (cl/runs.cl): on few wide cores, or on many lanes. */
    spc_partition partitions;
    int64_t carry_chunks;
    sparcl_buf *carry;
    spc_units units;
} spc_runs;

/* Runs of a checked view that has rows and a width; the caller releases the scratch memory. */
sparcl_status spc_find_runs(sparcl_ctx *ctx, spc_runs *runs, const sparcl_rows *from);
/* The same, where the values of row k are row places[k] of others; places have spc_position_type of
 * nnr. */
sparcl_status spc_find_placed_runs(sparcl_ctx *ctx, spc_runs *runs, const sparcl_rows *from,
                                   const sparcl_buf *places);
/* The same as spc_find_runs; their indices and number become those of `to`. */
sparcl_status spc_find_unique_runs(sparcl_ctx *ctx, spc_runs *runs, const sparcl_rows *from,
                                   const sparcl_rows *to);

/* The same, where row k is for entry k of the matrix of a pattern: its columns are the runs; both
 * have one index type. One launch. */
sparcl_status spc_find_column_runs(sparcl_ctx *ctx, spc_runs *runs, const sparcl_rows *from,
                                   const sparcl_pattern *pattern);

/* Launches of cl/runs.cl: the kernel that has the arguments RUN_SUMS; and if long runs may be
 * divided, that which has BLOCK_SUMS. */
uint32_t spc_runs_options(const spc_runs *runs);
spc_range spc_runs_range(const sparcl_ctx *ctx, const spc_runs *runs);
void spc_runs_add_sums(const sparcl_ctx *ctx, spc_args *list, const spc_runs *runs);
bool spc_runs_are_divided(const sparcl_ctx *ctx, const spc_runs *runs);
spc_range spc_runs_block_range(const sparcl_ctx *ctx, const spc_runs *runs);
void spc_runs_add_blocks(const sparcl_ctx *ctx, spc_args *list, const spc_runs *runs);

#endif
