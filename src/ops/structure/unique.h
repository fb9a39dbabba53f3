/* unique.h: runs of equal indices in sorted order, for operations that combine duplicates. */
#ifndef SPC_OPS_UNIQUE_H
#define SPC_OPS_UNIQUE_H

#include "launch/launch.h"

/* Run u is items starts[u] .. starts[u + 1] - 1 of an order of n items, which has item places[k] at
 * k. The number of runs is on the device. */
typedef struct spc_ordered_runs {
    int64_t n;
    sparcl_itype type; /* of starts and places */
    sparcl_buf *starts;
    const sparcl_buf *places; /* NULL: item k */
    const sparcl_buf *found;
    int64_t found_at;
} spc_ordered_runs;

/* The arguments that kernels over runs begin with. */
#define SPC_RUN_ARGS(r)                                                                            \
    SPC_IN((r)->starts), SPC_IN((r)->found), SPC_I64((r)->found_at), SPC_IN((r)->places)

/* Indices on the device, below `limit`: a list, or those of a row-sparse array. */
typedef struct spc_ids {
    const sparcl_buf *at;
    int64_t at_from, n, limit;
    sparcl_itype type;
    const sparcl_buf *count; /* or NULL */
    int64_t count_at;
    bool is_sorted;
} spc_ids;

/* The runs of equal indices; the distinct ones go to `unique` (or NULL), their number to `found`.
 * Pushes scratch memory. */
sparcl_status spc_find_id_runs(sparcl_ctx *ctx, spc_ids ids, sparcl_buf *unique, int64_t unique_at,
                               sparcl_buf *found, int64_t found_at, spc_ordered_runs *runs);
/* inverse[p] := the run that has item p. */
sparcl_status spc_write_inverse(sparcl_ctx *ctx, const spc_ordered_runs *runs, sparcl_buf *inverse,
                                int64_t at);
/* keys[k] := the index of the run that begins with item k of the order. */
sparcl_status spc_write_keys(sparcl_ctx *ctx, const spc_ordered_runs *runs, sparcl_itype type,
                             const sparcl_buf *indices, sparcl_buf *keys);
/* Int64 for each run: its number of items, and its first or last item. */
sparcl_status spc_write_runs(sparcl_ctx *ctx, const spc_ordered_runs *runs, sparcl_buf *counts,
                             int64_t counts_at, sparcl_buf *ends, int64_t ends_at, bool last);

#endif
