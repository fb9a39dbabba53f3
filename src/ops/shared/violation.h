/* violation.h: the passes over a sparse view that find violations of its contract. */
#ifndef SPC_OPS_VIOLATION_H
#define SPC_OPS_VIOLATION_H

#include "device/ctx.h"

#define SPC_NONE INT64_MAX

/* The lowest position of each kind of violation, or SPC_NONE. */
typedef struct spc_violation {
    int64_t range;     /* an index is out of range */
    int64_t unsorted;  /* an entry is less than the one before */
    int64_t duplicate; /* an entry is a duplicate; also SPC_NONE where that was not checked,
                         because an index is out of range */
} spc_violation;

/* All wait for the device. */

/* Offsets must begin at 0, never descend and never exceed nnz; rows are those of csr. Where they
 * are valid, *longest is the number of entries of the longest row. */
sparcl_status spc_find_offset_violation(sparcl_ctx *ctx, const sparcl_csr *a, int64_t *place,
                                        int64_t *longest);
/* The first n entries of a matrix with valid offsets. */
sparcl_status spc_find_row_violation(sparcl_ctx *ctx, const sparcl_csr *a, int64_t n,
                                     spc_violation *violation);
/* The first n entries; the view's count and proof are ignored. */
sparcl_status spc_find_entry_violation(sparcl_ctx *ctx, const sparcl_coo *a, int64_t n,
                                       spc_violation *violation);
/* The same for n numbers, an array of rank 1, with half of the scratch memory. Without `first`,
 * `duplicate` is the position of any duplicate. */
sparcl_status spc_find_list_violation(sparcl_ctx *ctx, const sparcl_coo *a, int64_t n, bool first,
                                      spc_violation *violation);
/* The first of n values that is NaN or infinite. */
sparcl_status spc_find_infinite(sparcl_ctx *ctx, sparcl_dtype dtype, const sparcl_buf *values,
                                int64_t values_at, int64_t n, int64_t *place);

#endif
