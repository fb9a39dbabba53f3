/* product.h: what spmm and its transposed forms check and cut alike. */
#ifndef SPC_OPS_PRODUCT_H
#define SPC_OPS_PRODUCT_H

#include "ops/check.h"

/* A result [outer, n] from a sparse matrix with `inner` and B [inner, n]. */
typedef struct spc_product {
    int rank; /* of the result */
    const int64_t *shape;
    const sparcl_dense *b;
    int64_t n, inner, outer;
    const char *inner_name, *outer_name; /* what A calls them */
} spc_product;

/* `result` is what the op calls it: C or R. */
sparcl_status spc_product_shapes(sparcl_ctx *ctx, const char *op, const char *result,
                                 const spc_product *p);
sparcl_status spc_product_types(sparcl_ctx *ctx, const char *op, const char *result, sparcl_dtype a,
                                sparcl_dtype b, sparcl_dtype c);
sparcl_status spc_product_alias(sparcl_ctx *ctx, const char *op, const spc_span *result,
                                const sparcl_csr *a, const sparcl_dense *b);

/* How rows + entries are cut, the carry that needs (elements), and the parts into which columns are
 * cut where the carry is added up: see cl/spmm.cl. */
typedef struct spc_shares {
    int64_t count, slots, carry, parts;
} spc_shares;

/* Rounds that the loops of one share take at most: a block more than its work, for each panel of 64
 * columns and for those that are left. */
int64_t spc_share_turns(const spc_shares *s, int64_t rows, int64_t nnz, int64_t n);

spc_shares spc_find_shares(const sparcl_ctx *ctx, int64_t rows, int64_t nnz, int64_t n);

#endif
