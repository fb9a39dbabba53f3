/* sort_rows.h: the rows of a CSR matrix sorted by column, each by one worker of a CPU:
 * cl/sort_rows.cl. */
#ifndef SPC_OPS_SORT_ROWS_H
#define SPC_OPS_SORT_ROWS_H

#include "device/ctx.h"
#include "sparcl/tensor.h"

/* Does the device sort the rows of such a matrix like this? */
bool spc_sort_rows_applies(const sparcl_ctx *ctx, const sparcl_csr *a);

/* The entries of each row of `from`, which `to` has in the order of their columns (stable). The
 * offsets of `to` are not written. source (int64), where not NULL: where an entry was before.
 * Pushes scratch memory. */
sparcl_status spc_sort_rows(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_csr *from,
                            sparcl_buf *source, int64_t source_at);

/* to := `from` with rows sorted, and entries with one column added (rule R); `inverse` as in
 * sparcl_csr_sum_duplicates. Pushes scratch memory. */
sparcl_status spc_sum_row_duplicates(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_csr *from,
                                     sparcl_buf *inverse, int64_t inverse_at);

#endif
