/* violation.h: the passes over a sparse view that find where it breaks its contract. */
#ifndef SPC_OPS_VIOLATION_H
#define SPC_OPS_VIOLATION_H

#include "device/ctx.h"

#define SPC_NONE INT64_MAX

/* The least place of each kind of damage to indices, or SPC_NONE. */
typedef struct spc_violation {
    int64_t range;     /* an index is outside the shape */
    int64_t unsorted;  /* an entry is less than the one before */
    int64_t duplicate; /* an entry was there before; SPC_NONE too where that was not looked for,
                         because an index is outside */
} spc_violation;

/* All wait for the device. */

/* Offsets must begin at 0, never descend and never pass nnz; rows are those of csr. Where they do,
 * *longest is how many entries the longest row has. */
sparcl_status spc_find_offset_violation(sparcl_ctx *ctx, const sparcl_csr *a, int64_t *place,
                                        int64_t *longest);
/* The first n entries, of a matrix whose offsets are right. */
sparcl_status spc_find_row_violation(sparcl_ctx *ctx, const sparcl_csr *a, int64_t n,
                                     spc_violation *violation);
/* The first n entries; the view's count and proof are not looked at. */
sparcl_status spc_find_entry_violation(sparcl_ctx *ctx, const sparcl_coo *a, int64_t n,
                                       spc_violation *violation);
/* The same of n numbers, an array of rank 1, with half of the scratch memory. Without `first`,
 * `repeated` is any place where a number is there again. */
sparcl_status spc_find_list_violation(sparcl_ctx *ctx, const sparcl_coo *a, int64_t n, bool first,
                                      spc_violation *violation);
/* The first of n values that is NaN or infinite. */
sparcl_status spc_find_infinite(sparcl_ctx *ctx, sparcl_dtype dtype, const sparcl_buf *values,
                                int64_t values_at, int64_t n, int64_t *place);

#endif
