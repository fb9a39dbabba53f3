/* spgemm_tiles.h: the product of two CSR matrices on many lanes. */
#ifndef SPC_OPS_SPGEMM_TILES_H
#define SPC_OPS_SPGEMM_TILES_H

#include "ops/products/spgemm_parts.h"

/* Counts of the entries of each row of the product, in plan->offsets; there is at least one row. */
sparcl_status spc_spgemm_tiles_symbolic(sparcl_ctx *ctx, sparcl_spgemm *plan, const sparcl_csr *a,
                                        const sparcl_csr *b);

/* The columns and values of the product. */
sparcl_status spc_spgemm_tiles_numeric(sparcl_ctx *ctx, const sparcl_spgemm *plan,
                                       const sparcl_csr *c, const sparcl_csr *a,
                                       const sparcl_csr *b);

#endif
