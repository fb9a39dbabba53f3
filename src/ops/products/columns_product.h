/* columns_product.h: the transpose of a small matrix times B in one launch, without its pattern, on
 * few wide cores. */
#ifndef SPC_OPS_COLUMNS_PRODUCT_H
#define SPC_OPS_COLUMNS_PRODUCT_H

#include "sparcl/tensor.h"

#include <stdbool.h>

/* Does it apply to the device, the matrix and the number of columns? The operands are checked. */
bool spc_columns_product_applies(const sparcl_ctx *ctx, const sparcl_rows *r, const sparcl_csr *a);

/* R := alpha * transpose(A) * B. The caller releases the scratch memory. */
sparcl_status spc_columns_product(sparcl_ctx *ctx, const sparcl_rows *r, double alpha,
                                  const sparcl_csr *a, const sparcl_dense *b);

#endif
