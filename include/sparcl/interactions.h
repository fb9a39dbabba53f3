/* interactions.h: products of all pairs of features of a row, for factorization machines. */
#ifndef SPARCL_INTERACTIONS_H
#define SPARCL_INTERACTIONS_H

#include "sparcl/context.h"
#include "sparcl/ops.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The interactions of a factorization machine (Rendle, ICDM 2010): for each row i of A the sum over
 * all pairs of its entries p < q,
 *
 *   z[i] := sum of (A_p A_q) <B[column of p], B[column of q]>
 *
 * computed as half the sum over the columns j of sums[i, j]^2 minus the sum of (A_p B[.., j])^2,
 * where sums is the product A B (sparcl_spmm).
 *
 * Shapes    A [m, n]; B [n, k]; sums [m, k]; z [m], packed.
 * Types     one dtype: F32 or F64.
 * Order     the squares of column j: entries as stored, one after the other; then columns
 *           ascending, sums[i, j]^2 - that each.
 * Aliasing  z must not overlap an operand.
 * Result    the same bits everywhere.
 * Host      returns after enqueueing.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_ARG, E_UNCHECKED; E_UNSUPPORTED: a device that stops long
 *           loops, and rows that are, or may be, too long for it.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_interactions(sparcl_ctx *ctx,
                                                               const sparcl_dense *z,
                                                               const sparcl_csr *a,
                                                               const sparcl_dense *b,
                                                               const sparcl_dense *sums);

/**
 * R := the gradient of sparcl_interactions by B, for the gradient gz of z: sparcl_spmm_t_rows of A
 * and the rows of sums times gz, and from each row the sum of (A_p A_p) gz over its entries times
 * the row of B is subtracted, entries in the order of the pattern, one after the other.
 *
 * Shapes    R [n, k] with room for a row for each column of A that has entries; the others as
 *           there. gz [m], packed. pattern: that of A, or NULL: one is built for this call.
 * Aliasing  R must not overlap an operand.
 * Scratch   m k numbers.
 * Errors    also E_ARG: another pattern. The rest as sparcl_interactions and sparcl_spmm_t_rows.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_interactions_rows(
    sparcl_ctx *ctx, sparcl_rows *r, const sparcl_csr *a, const sparcl_dense *b,
    const sparcl_dense *sums, const sparcl_dense *gz, sparcl_pattern *pattern);

/**
 * The interactions of a field-aware factorization machine (Juan et al., RecSys 2016): for each
 * entry p of A the sum over the entries q after it in its row,
 *
 *   t[p] := sum of (A_p A_q) <E[p, block f_q], E[q, block f_p]>
 *
 * where f_p is the field of entry p, and row p of E, such as a row of a table for the column of the
 * entry (sparcl_gather_rows), has a block of k numbers for each field. The sum of t over the
 * entries of a row is that over all pairs.
 *
 * Shapes    A [m, n]; fields: a list of A.nnz, limit F; E [A.nnz, F k]; t [A.nnz], packed.
 * Types     one dtype: F32 or F64.
 * Order     each dot product from the first element to the last; q ascending. Elements of t past
 *           the entries of A are 0.
 * Aliasing  t must not overlap an operand. Columns of A are not read.
 * Result    the same bits everywhere. Host: returns after enqueueing.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_ARG, E_UNCHECKED; E_UNSUPPORTED: a device that stops long
 *           loops, and rows that are, or may be, too long for it.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_field_interactions(sparcl_ctx *ctx,
                                                                     const sparcl_dense *t,
                                                                     const sparcl_csr *a,
                                                                     const sparcl_list *fields,
                                                                     const sparcl_dense *e);

/**
 * ge := the gradient of sparcl_field_interactions by E, for the gradient gt of t: to block f_q of
 * row p, for each other entry q of its row in ascending order, ((A_p A_q) gt[min(p, q)]) times
 * block f_p of E[q] is added. ge has the shape of E, gt that of t; neither ge nor an operand may
 * overlap. The rest as there.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_field_interactions_gradient(
    sparcl_ctx *ctx, const sparcl_dense *ge, const sparcl_csr *a, const sparcl_list *fields,
    const sparcl_dense *e, const sparcl_dense *gt);

#ifdef __cplusplus
}
#endif

#endif
