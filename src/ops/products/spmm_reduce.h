/* spmm_reduce.h: what products with mean, maximum or minimum share with their gradients. */
#ifndef SPC_OPS_SPMM_REDUCE_H
#define SPC_OPS_SPMM_REDUCE_H

#include "launch/launch.h"
#include "ops/shared/check.h"
#include "sparcl/ops/reductions.h"

/* The kernels of both. */
#define SPC_SPMM_REDUCE "panel+products+partition+spmm_reduce"

/* Maximum or minimum: each element of the product is one entry's. */
bool spc_reduction_chooses(sparcl_reduction op);

/* A product C of A and B, or its gradient, whose place C has. `chosen` may be NULL. */
typedef struct spc_reduced_product {
    sparcl_reduction op;
    const sparcl_dense *c;
    const sparcl_csr *a;
    const sparcl_dense *b, *chosen;
} spc_reduced_product;
/* `name`: the operation; c_name: C in messages. */
sparcl_status spc_check_reduced(sparcl_ctx *ctx, const char *name, const char *c_name,
                                const spc_reduced_product *p);
spc_spans spc_reduced_operands(const sparcl_csr *a, const sparcl_dense *b);

/* Arguments of kernels: a matrix and its leading dimension; the positions that were chosen (NULL:
 * none) and whether they are int64. */
void spc_add_matrix(spc_args *list, spc_arg values, const sparcl_dense *x);
void spc_add_chosen(spc_args *list, spc_arg values, const sparcl_dense *chosen);

/* Launches over rows of n columns, which few wide cores do not divide, and many lanes divide into
 * units. */
sparcl_status spc_check_reduced_loops(sparcl_ctx *ctx, const char *name, int64_t longest,
                                      int64_t n);
spc_range spc_reduced_range(const sparcl_ctx *ctx, int64_t rows, const sparcl_csr *a, int64_t n);

/* C and `chosen` (or NULL) of a maximum or minimum. */
sparcl_status spc_choose(sparcl_ctx *ctx, const char *name, const spc_reduced_product *p);
/* to := from, each row divided by the number of entries of that row of A. */
sparcl_status spc_divide_rows(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_dense *from,
                              const sparcl_csr *a);

static inline int64_t spc_dense_width(const sparcl_dense *x) {
    return spc_shape_width(x->rank, x->shape);
}

#endif
