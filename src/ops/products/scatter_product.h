/* scatter_product.h: the transpose of a matrix times B without its pattern, by adding each entry to
 * its row of the result, on few wide cores. */
#ifndef SPC_OPS_SCATTER_PRODUCT_H
#define SPC_OPS_SCATTER_PRODUCT_H

#include "ops/shared/check.h"

/* A product with the transpose of a matrix. */
typedef struct spc_scatter_job {
    const sparcl_csr *a;
    double alpha, beta;
} spc_scatter_job;

/* Does it apply to the device, the matrix and n columns? */
bool spc_scatter_applies(const sparcl_ctx *ctx, const sparcl_csr *a, int64_t n);

/* C := alpha * transpose(A) * B + beta * C, for spc_in_row_major with a job as `arguments`. Pushes
 * scratch memory. */
sparcl_status spc_scatter_product(sparcl_ctx *ctx, const sparcl_dense *c, const sparcl_dense *b,
                                  const void *arguments);

#endif
