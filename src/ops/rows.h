/* rows.h: what operations on row-sparse arrays share. */
#ifndef SPC_OPS_ROWS_H
#define SPC_OPS_ROWS_H

#include "device/launch.h"
#include "ops/check.h"

/* For kernels that go over rows with FOR_ROWS. */
spc_range spc_range_rows(const sparcl_ctx *ctx, int64_t rows, int64_t width);

/*
 * Sum the rows of one index (rule R) into scratch memory that the caller gives back: *to is a view
 * on it, sorted and unique, with a count on the device. For checked views.
 */
sparcl_status spc_rows_sum(sparcl_ctx *ctx, sparcl_rows *to, const sparcl_rows *from);

#endif
