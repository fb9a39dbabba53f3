/* matmul.h: the product of two matrices in any formats. */
#ifndef SPARCL_MATMUL_H
#define SPARCL_MATMUL_H

#include "sparcl/context.h"
#include "sparcl/ops.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A matrix in one of these formats; the view that `format` names is used. */
typedef struct sparcl_matrix {
    sparcl_format format; /**< which view it is */
    union {
        sparcl_dense dense;
        sparcl_csr csr;
        sparcl_csc csc;
        sparcl_coo coo;
        sparcl_rows rows;
        sparcl_bsr bsr;
    } as; /**< the view */
} sparcl_matrix;

/** The same view as a matrix. */
static inline sparcl_matrix sparcl_matrix_dense(sparcl_dense view) {
    sparcl_matrix m;
    m.format = SPARCL_FORMAT_DENSE;
    m.as.dense = view;
    return m;
}
static inline sparcl_matrix sparcl_matrix_csr(sparcl_csr view) {
    sparcl_matrix m;
    m.format = SPARCL_FORMAT_CSR;
    m.as.csr = view;
    return m;
}
static inline sparcl_matrix sparcl_matrix_csc(sparcl_csc view) {
    sparcl_matrix m;
    m.format = SPARCL_FORMAT_CSC;
    m.as.csc = view;
    return m;
}
static inline sparcl_matrix sparcl_matrix_coo(sparcl_coo view) {
    sparcl_matrix m;
    m.format = SPARCL_FORMAT_COO;
    m.as.coo = view;
    return m;
}
static inline sparcl_matrix sparcl_matrix_rows(sparcl_rows view) {
    sparcl_matrix m;
    m.format = SPARCL_FORMAT_ROWS;
    m.as.rows = view;
    return m;
}
static inline sparcl_matrix sparcl_matrix_bsr(sparcl_bsr view) {
    sparcl_matrix m;
    m.format = SPARCL_FORMAT_BSR;
    m.as.bsr = view;
    return m;
}

/**
 * C := alpha * op(A) * op(B) + beta * C.
 *
 * | A      | B          | C                                                        |
 * |--------|------------|----------------------------------------------------------|
 * | sparse | dense      | dense; row-sparse, too, for a transposed csr, coo or bsr |
 * | sparse | row-sparse | the same                                                 |
 * | dense  | sparse     | dense                                                    |
 * | dense  | dense      | dense                                                    |
 *
 * Sparse is csr, csc, coo or bsr; for two sparse matrices see sparcl_spgemm (sparse_products.h). A
 * csc matrix counts as its transpose in csr format, a bsr matrix as its csr format
 * (sparcl_bsr_to_csr), in which every element of a block is an entry.
 *
 * Shapes    op(A) [m, k], op(B) [k, n], C [m, n]; row-sparse operands as they are (op N). With a
 *           sparse A and a dense B as it is, B and C may both be vectors.
 * Types     one dtype: F32, F64 (on a device that has it), F16 or BF16.
 * Order     of entries as stored where the sparse operand is used as in sparcl_spmm, else in the
 *           order of its rows (sparcl_spmm_t), rule S; those of a coo matrix are sorted first
 *           (stable). dense * sparse is the transpose of the product of the transposed operands.
 *           Rows of a row-sparse B that are stored several times are added first, as
 *           sparcl_rows_coalesce does. Entries of A that meet none of its rows contribute nothing.
 * Aliasing  C must not overlap A or B. With beta == 0, C is not read; a row-sparse C has beta 0.
 * Pattern   of the csr operand, or of the csr view of a csc operand, where its transpose is needed;
 *           or NULL.
 * Result    the same bits everywhere. Dense matrices may be column-major, with the same bits.
 * Scratch   as sparcl_spmm and sparcl_spmm_t. A column-major B or C takes up to 128 MiB, or four
 *           columns, more; a bsr matrix up to its csr format; a coo one that is marked SORTED its
 *           offsets, else its csr format and what sparcl_coo_to_csr takes; a row-sparse B a copy of
 *           A and 8 bytes for each column of A.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED, E_ARG; E_UNSUPPORTED: formats that are not in
 *           the table.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_matmul(sparcl_ctx *ctx, sparcl_matrix *c,
                                                         double alpha, sparcl_op op_a,
                                                         const sparcl_matrix *a, sparcl_op op_b,
                                                         const sparcl_matrix *b, double beta,
                                                         sparcl_pattern *pattern);

#ifdef __cplusplus
}
#endif

#endif
