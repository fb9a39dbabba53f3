/* convert.h: the part of conversions that other operations use. */
#ifndef SPC_OPS_CONVERT_H
#define SPC_OPS_CONVERT_H

#include "device/ctx.h"

/* rows[rows_at + k] := the row of entry k, in `type`, for all entries that `a` has. */
sparcl_status spc_csr_write_rows(sparcl_ctx *ctx, sparcl_buf *rows, int64_t rows_at,
                                 sparcl_itype type, const sparcl_csr *a);

#endif
