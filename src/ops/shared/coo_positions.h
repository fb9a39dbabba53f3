/* coo_positions.h: positions of the entries of a COO array in row-major order. */
#ifndef SPC_OPS_COO_POSITIONS_H
#define SPC_OPS_COO_POSITIONS_H

#include "ops/shared/order.h"

/* The number of elements; false where it is more than 2^63 - 1. */
bool spc_coo_elements(const sparcl_coo *a, int64_t *elements);
/* linear[k] := the position of entry k (int64 [nnz]). There are elements and entries. */
sparcl_status spc_coo_linearize(sparcl_ctx *ctx, const sparcl_coo *a, sparcl_buf *linear);
/* The indices of `to`, of as many items, for such positions. */
sparcl_status spc_coo_delinearize(sparcl_ctx *ctx, const sparcl_coo *to, spc_items items,
                                  const sparcl_buf *linear);

#endif
