/* rows.h: what operations on row-sparse arrays share. */
#ifndef SPC_OPS_ROWS_H
#define SPC_OPS_ROWS_H

#include <string.h>

#include "device/launch.h"
#include "ops/check.h"

static inline bool spc_same_shape(int rank, const int64_t *shape, int other_rank,
                                  const int64_t *other) {
    return rank == other_rank && memcmp(shape, other, (size_t)rank * sizeof *shape) == 0;
}

/* For kernels that go over rows with FOR_ROWS. */
spc_range spc_range_rows(const sparcl_ctx *ctx, int64_t rows, int64_t width);

/* The indices, values and count of a view, under these names. */
void spc_rows_spans(spc_span spans[3], const char *const names[3], const sparcl_rows *view);

/*
 * Sum the rows of one index (rule R) into scratch memory that the caller gives back: *to is a view
 * on it, sorted and unique, with a count on the device. For checked views.
 */
sparcl_status spc_rows_sum(sparcl_ctx *ctx, sparcl_rows *to, const sparcl_rows *from);

#endif
