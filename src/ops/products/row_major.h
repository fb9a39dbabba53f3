/* row_major.h: products whose kernels are for row-major matrices, of matrices of any order. */
#ifndef SPC_OPS_ROW_MAJOR_H
#define SPC_OPS_ROW_MAJOR_H

#include "ops/shared/check.h"

/* to := a product with B, both row-major. */
typedef sparcl_status (*spc_row_major_call)(sparcl_ctx *ctx, const sparcl_dense *c,
                                            const sparcl_dense *b, const void *arguments);

/* Call it for C and B [.., n] as they are, or, where one is column-major, for some columns after
 * the other (never for one of several), copied to scratch memory and back. `reads_c`: the product
 * adds to C. */
sparcl_status spc_in_row_major(sparcl_ctx *ctx, const sparcl_dense *c, const sparcl_dense *b,
                               bool reads_c, spc_row_major_call call, const void *arguments);

/* A row-major view of a matrix: itself, or a copy in scratch memory. */
sparcl_status spc_to_row_major(sparcl_ctx *ctx, const sparcl_dense *from, sparcl_dense *to);

#endif
