/* match.h: the entries of a CSR matrix that meet the stored rows of a row-sparse array. */
#ifndef SPC_OPS_MATCH_H
#define SPC_OPS_MATCH_H

#include "ops/shared/check.h"

/* `to` in scratch memory, for checked operands of matching shapes; R is SORTED and UNIQUE. Columns:
 * the entries of A [m, k] in the columns that R [k, ..] stores, as [m, R->nnr]. Rows: the rows of A
 * [k, m] that R stores, as [R->nnr, m]. */
sparcl_status spc_match_columns(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *a,
                                const sparcl_rows *r);
sparcl_status spc_match_rows(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *a,
                             const sparcl_rows *r);

#endif
