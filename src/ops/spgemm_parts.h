/* spgemm_parts.h: what products of two CSR matrices and their gradients share. */
#ifndef SPC_OPS_SPGEMM_PARTS_H
#define SPC_OPS_SPGEMM_PARTS_H

#include "launch/launch.h"
#include "ops/check.h"

#define SPC_SPGEMM_STEM  "bitmap+entries+spgemm"
/* Minimum entries of A and rows of a worker. */
#define SPC_SPGEMM_GRAIN 512
/* Maximum memory of all workers, unless one needs more. */
#define SPC_SPGEMM_BYTES ((int64_t)256 << 20)

/* Checks of A and B, and of C = A B too. `op` is the name in messages. */
sparcl_status spc_spgemm_check_operands(sparcl_ctx *ctx, const char *op, const sparcl_csr *a,
                                        const sparcl_csr *b);
sparcl_status spc_spgemm_check(sparcl_ctx *ctx, const char *op, const sparcl_csr *c,
                               const sparcl_csr *a, const sparcl_csr *b);

/* The arrays of A and of B. */
spc_spans spc_spgemm_operands(const sparcl_csr *a, const sparcl_csr *b);

/* The arguments for offsets and columns of a matrix; and for those of A, its rows, those of B, and
 * its columns, with which kernels begin. */
void spc_spgemm_add(spc_args *list, const sparcl_csr *x);
spc_args spc_spgemm_args(const sparcl_csr *a, const sparcl_csr *b);

/* Options of the program for a matrix of the types of `a`, and a launch with them. */
uint32_t spc_spgemm_options(const sparcl_csr *a);
sparcl_status spc_spgemm_launch(sparcl_ctx *ctx, const sparcl_csr *a, const char *kernel,
                                spc_range range, const spc_args *list);

#endif
