/* bsr_product.h: the product of a BSR matrix with a dense one, block by block, on few wide cores.
 */
#ifndef SPC_OPS_BSR_PRODUCT_H
#define SPC_OPS_BSR_PRODUCT_H

#include "ops/shared/check.h"

/* Does it apply to the device, the matrix and the result? */
bool spc_bsr_product_applies(const sparcl_ctx *ctx, const sparcl_bsr *a, const sparcl_dense *c);

/* C := alpha * A * B + beta * C, with the bits of sparcl_spmm for A in CSR format, and its checks
 * of B and C. A is checked, and C does not overlap it. */
sparcl_status spc_bsr_product(sparcl_ctx *ctx, const sparcl_dense *c, double alpha,
                              const sparcl_bsr *a, const sparcl_dense *b, double beta);

#endif
