/* convert.h: conversions that other operations use. */
#ifndef SPC_OPS_CONVERT_H
#define SPC_OPS_CONVERT_H

#include "prim/bucket.h"
#include "prim/sort.h"

/* rows[rows_at + k] := the row of entry k, in `type`, for all entries that `a` has. */
sparcl_status spc_csr_write_rows(sparcl_ctx *ctx, sparcl_buf *rows, int64_t rows_at,
                                 sparcl_itype type, const sparcl_csr *a);
/* count[count_at] := the number of entries of `a`, as int64. */
sparcl_status spc_csr_write_count(sparcl_ctx *ctx, sparcl_buf *count, int64_t count_at,
                                  const sparcl_csr *a);
/* The entries of `a`, to be sorted by column; the payload is their positions. */
spc_bucket_source spc_csr_bucket_source(const sparcl_csr *a);
/* The same for prim/sort.h, without results: entries with equal columns keep their order. */
spc_sort_job spc_csr_sort_job(const sparcl_csr *a);

#endif
