/* columns_product.h: rows of a small matrix's transpose times B at once, without its pattern, on
 * few wide cores. */
#ifndef SPC_OPS_COLUMNS_PRODUCT_H
#define SPC_OPS_COLUMNS_PRODUCT_H

#include <stdbool.h>

#include "sparcl/ops.h"

/* Is it a device, a matrix and a number of columns for it? The operands are checked. */
bool spc_columns_product_serves(const sparcl_ctx *ctx, const sparcl_rows *r, const sparcl_csr *a);

/* R := alpha * transpose(A) * B. Takes scratch memory that the caller gives back. */
sparcl_status spc_columns_product(sparcl_ctx *ctx, const sparcl_rows *r, double alpha,
                                  const sparcl_csr *a, const sparcl_dense *b);

#endif
