/* scatter_chosen.h: gradients of maxima or minima of products, in the order of the rows of G, on
 * few wide cores. */
#ifndef SPC_OPS_SCATTER_CHOSEN_H
#define SPC_OPS_SCATTER_CHOSEN_H

#include "ops/shared/check.h"

/* The operands: `chosen` has the entry that each element of the product was. */
typedef struct spc_chosen_job {
    const sparcl_dense *g, *b, *chosen;
    const sparcl_csr *a;
} spc_chosen_job;

/* gb, of the shape of B: each element of G times the value of its entry is added to the column of
 * that. Pushes scratch memory. `_applies`: to the device, the types and the sizes? */
bool spc_scatter_chosen_applies(const sparcl_ctx *ctx, const spc_chosen_job *job);
sparcl_status spc_scatter_chosen(sparcl_ctx *ctx, const sparcl_dense *gb,
                                 const spc_chosen_job *job);
/* The same for gv, a vector of the values of A: each element of G times that of B is added to its
 * entry. */
bool spc_sum_chosen_applies(const sparcl_ctx *ctx, const spc_chosen_job *job);
sparcl_status spc_sum_chosen(sparcl_ctx *ctx, const sparcl_dense *gv, const spc_chosen_job *job);

#endif
