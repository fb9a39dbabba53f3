/* spgemm_parts.h: what products of two CSR matrices and their gradients share. */
#ifndef SPC_OPS_SPGEMM_PARTS_H
#define SPC_OPS_SPGEMM_PARTS_H

#include "launch/launch.h"
#include "ops/shared/check.h"
#include "sparcl/ops/products.h"

#define SPC_SPGEMM_STEM  "scan+bitmap+entries+spgemm+spgemm_tiles+spgemm_long"
/* Minimum entries of A and rows of a worker. */
#define SPC_SPGEMM_GRAIN 512
/* Maximum memory of all workers, unless one needs more. */
#define SPC_SPGEMM_BYTES ((int64_t)256 << 20)

/* Products of a worker where loops end early: each takes about three iterations. */
#define SPC_SPGEMM_SHORT 8192

struct sparcl_spgemm {
    sparcl_ctx *ctx;
    int64_t rows, cols;        /* of the product */
    uint64_t a_stamp, b_stamp; /* of the structures of A and B; 0: no pattern */
    int64_t capacity;          /* rows that the buffers are for */
    /* [rows + 1] int64 each: sums over earlier rows. On many lanes long_work is that of rows that
     * are too long for a tile, NULL where there is surely none. */
    sparcl_buf *work, *offsets, *long_work;
    bool has_long; /* whether long_work is that of these matrices */
};

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

/* An upper bound of the products and entries of A, and the entries of B that an entry of A meets.
 */
int64_t spc_spgemm_most_products(const sparcl_csr *a, const sparcl_csr *b);
int64_t spc_spgemm_longest(const sparcl_csr *x);

/* x[i] := x[0] + ... + x[i - 1] for i = 0 .. n, of int64. */
sparcl_status spc_spgemm_scan(sparcl_ctx *ctx, sparcl_buf *x, int64_t n);

/* Options of the program for a matrix of the types of `a`, and a launch with them. */
uint32_t spc_spgemm_options(const sparcl_csr *a);
sparcl_status spc_spgemm_launch(sparcl_ctx *ctx, const sparcl_csr *a, const char *kernel,
                                spc_range range, const spc_args *list);

#endif
