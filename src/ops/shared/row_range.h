/* row_range.h: the range of kernels over rows, and how far they prefetch. */
#ifndef SPC_OPS_ROW_RANGE_H
#define SPC_OPS_ROW_RANGE_H

#include "launch/launch.h"

/* The range of kernels with FOR_ROWS. */
spc_range spc_range_rows(const sparcl_ctx *ctx, int64_t rows, int64_t width);
/* That of kernels with FOR_ROWS_OF_FOURS. */
spc_range spc_range_vectors(const sparcl_ctx *ctx, int64_t rows, int64_t width);

/* The prefetch distance of kernels, in rows; INT32_MAX: no prefetch. */
int32_t spc_rows_prefetch(const sparcl_ctx *ctx, int64_t width);

#endif
