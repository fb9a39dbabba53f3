/* sparse_products.h: products of dense matrices at the entries of a sparse one, products of sparse
 * matrices, and sums and products of sparse arrays element by element. What ops.h says of all
 * operations holds. */
#ifndef SPARCL_SPARSE_PRODUCTS_H
#define SPARCL_SPARSE_PRODUCTS_H

#include "sparcl/ops.h"
#include "sparcl/reductions.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * v[k] := alpha * dot(x[i], y[j]) + beta * v[k] for each entry k of A, which is at row i and column
 * j: the product x * transpose(y) where A has entries (sampled dense-dense product). It is the
 * gradient of A * y by the values of A, for the gradient x of the product.
 *
 * Shapes    A [m, n], x [m, d], y [n, d]; x and y may both be vectors (rank 1): d = 1. v is a
 *           packed vector [nnz of A]; its elements past offsets[m] become 0.
 * Types     x, y and v share one dtype: F32, F64, F16 or BF16. The values of A are not read, and
 *           may be of another type.
 * Order     the terms of a dot product in ascending order (rule S with one column).
 * Aliasing  v must not overlap x, y or the indices of A; it may be the values of A. With beta == 0,
 *           v is not read.
 * Result    the same bits on every run, every device and every kernel variant.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_sddmm(sparcl_ctx *ctx, const sparcl_dense *v,
                                                        double alpha, const sparcl_csr *a,
                                                        const sparcl_dense *x,
                                                        const sparcl_dense *y, double beta);

/**
 * C[i, j] := the sum, mean, maximum or minimum (sparcl_reduction; there are no others here) of
 * A[i, k] * B[k, j] over the entries (i, k) of row i; 0 where the row has no entry.
 *
 * Shapes    A [m, k], B [k, n], C [m, n]; B and C may both be vectors (rank 1): n = 1.
 * Chosen    for MAX and MIN, where not NULL: [m, n] or [m] as C, INT32 or INT64. Its elements
 *           become the position in A of the entry whose term was chosen, the first of equal ones or
 *           the first NaN; -1 where the row has no entry. For SUM and MEAN it must be NULL.
 * Types     A, B and C share one dtype: F32, F64, F16 or BF16.
 * Order     SUM and MEAN: as in sparcl_spmm; the mean is divided once at the end. F16 and BF16 are
 *           rounded once: the sum of a mean is F32, and may be larger than they can be.
 * Aliasing  C and `chosen` must not overlap A, B or one another.
 * Result    the same bits on every run, every device and every kernel variant.
 * Scratch   SUM and MEAN: as sparcl_spmm; for MEAN of F16 or BF16 also A's values, B and C as F32.
 *           MAX and MIN on GPUs, unless no row has more than 256 entries: for each 256 entries 8
 *           bytes, and for each column of C (their number rounded up to a multiple of four) two
 *           elements, of F32 for 16 bits, with `chosen` also 16 bytes.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_spmm_reduce(sparcl_ctx *ctx, sparcl_reduction op,
                                                              const sparcl_dense *c,
                                                              const sparcl_csr *a,
                                                              const sparcl_dense *b,
                                                              const sparcl_dense *chosen);

/**
 * The gradients of sparcl_spmm_reduce by B and by the values of A, for the gradient G of C:
 * gb[k, j] is the sum of A[i, k] * G[i, j] over the rows i, and gv of entry (i, k) that of
 * G[i, j] * B[k, j] over the columns j; for MAX and MIN only over the terms that were chosen, for
 * MEAN with G[i, j] divided by the number of entries of row i.
 *
 * Shapes    as in sparcl_spmm_reduce; G as C, gb as B, gv a packed vector [nnz of A], whose
 *           elements past offsets[m] become 0. gb or gv may be NULL: it is not computed.
 * Chosen    for MAX and MIN: as sparcl_spmm_reduce has written it, or NULL: then the product is
 *           computed again in scratch memory. For SUM and MEAN: NULL.
 * Types     A, B, G, gb and gv share one dtype, as in sparcl_spmm_reduce.
 * Order     gb: the entries of a column of A in the order of rows, as in sparcl_spmm_t; for MAX and
 *           MIN as with several columns for every n, and terms that were not chosen count as 0.
 *           gv: as in sparcl_sddmm. F16 and BF16 are rounded once, as gb and gv.
 * Aliasing  gb and gv must not overlap operands or one another.
 * Pattern   of A, or NULL: then one is built for this call where gb needs it.
 * Result    the same bits on every run, every device and every kernel variant.
 * Scratch   for gb as sparcl_spmm_t, or, for MAX and MIN on CPUs, one element for each of gb and 4
 *           bytes for each of its rows and each core; for gv of these up to 64 MiB. For MEAN also
 *           one element for each of G; without `chosen` that, and a position for each. For MEAN of
 *           F16 or BF16 instead A's values, B, G, gb and gv as F32. On GPUs, for MAX
 *           and MIN, that of sparcl_spmm_reduce, too.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_spmm_reduce_gradient(
    sparcl_ctx *ctx, sparcl_reduction op, const sparcl_dense *gb, const sparcl_dense *gv,
    const sparcl_dense *g, const sparcl_csr *a, const sparcl_dense *b, const sparcl_dense *chosen,
    sparcl_pattern *pattern);

/**
 * Where the entries of a sum or product of two CSR matrices come from: for each entry its position
 * in A and in B, or -1 where that matrix does not have it; int64, as many as the result has
 * capacity for. Elements past its entries do not change.
 */
typedef struct sparcl_csr_sources {
    sparcl_buf *a, *b;  /**< the positions in A, and in B */
    int64_t a_at, b_at; /**< where they begin, in elements */
} sparcl_csr_sources;

/**
 * C := alpha * A + beta * B: an entry wherever A or B has one. With alpha = 1 and beta = -1 it is
 * the difference. Values that are 0 stay entries.
 *
 * Shapes    A, B and C of one shape; C->nnz is the capacity: entries that exceed it are dropped, so
 *           that memory is safe. nnz of A plus nnz of B is always enough.
 * Needed    where not NULL, needed[needed_at] (int64) becomes the number of entries of the sum.
 * Sources   NULL, or where the entries come from, for sparcl_csr_add_gradient.
 * Types     one dtype (F32, F64, F16 or BF16), one offset type and one index type.
 * Order     a value is (alpha * a) + (beta * b), or one of the two products.
 * Aliasing  C, needed and sources must not overlap A, B or one another.
 * Result    the same bits everywhere; C is marked SORTED and UNIQUE.
 * Scratch   4 bytes per entry of A, or on CPUs per row; 8 for 2^31 entries and more.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS; E_UNCHECKED also where A or B is not SORTED and UNIQUE.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_add(sparcl_ctx *ctx, sparcl_csr *c,
                                                          double alpha, const sparcl_csr *a,
                                                          double beta, const sparcl_csr *b,
                                                          sparcl_buf *needed, int64_t needed_at,
                                                          const sparcl_csr_sources *sources);

/**
 * C := the product of A and B element by element: an entry wherever both have one. Otherwise as
 * sparcl_csr_add; the smaller nnz of A and B is always enough for C.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status
sparcl_csr_multiply(sparcl_ctx *ctx, sparcl_csr *c, const sparcl_csr *a, const sparcl_csr *b,
                    sparcl_buf *needed, int64_t needed_at, const sparcl_csr_sources *sources);

/**
 * The gradients of sparcl_csr_add by the values of A and of B, for the gradient G of the values of
 * C: each entry of C gives alpha * G to its entry of A and beta * G to its entry of B; entries that
 * C does not have give 0.
 *
 * Shapes    G a packed vector [nnz of C]; ga and gb packed vectors with an element for each entry
 *           of A and B. ga or gb may be NULL: it is not computed. C: the result, of which only
 *           offsets are read; sources as it was computed with.
 * Types     one dtype.
 * Aliasing  ga and gb must not overlap operands or one another.
 * Result    exact but for one product.
 * Host      returns after enqueueing.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_add_gradient(
    sparcl_ctx *ctx, const sparcl_dense *ga, const sparcl_dense *gb, double alpha, double beta,
    const sparcl_dense *g, const sparcl_csr *c, const sparcl_csr_sources *sources);

/** The same for sparcl_csr_multiply: the value of B times G for A, that of A times G for B. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status
sparcl_csr_multiply_gradient(sparcl_ctx *ctx, const sparcl_dense *ga, const sparcl_dense *gb,
                             const sparcl_dense *g, const sparcl_csr *c, const sparcl_csr *a,
                             const sparcl_csr *b, const sparcl_csr_sources *sources);

/**
 * v[k] := the value of entry k of A, at row i and column j, times x[i, j]: the values of the
 * product of A and a dense matrix element by element, which has the pattern of A.
 *
 * Shapes    A [m, n], x [m, n]; v a packed vector [nnz of A], whose elements past offsets[m]
 *           become 0.
 * Types     one dtype: F32, F64, F16 or BF16.
 * Aliasing  v must not overlap A or x.
 * Result    one product.
 * Host      returns after enqueueing.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_multiply_dense(sparcl_ctx *ctx,
                                                                     const sparcl_dense *v,
                                                                     const sparcl_csr *a,
                                                                     const sparcl_dense *x);

/**
 * The gradients of sparcl_csr_multiply_dense by the values of A and by x, for the gradient G of v:
 * gv[k] := G[k] * x[i, j] for entry k at row i and column j, and gx[i, j] := the sum of the values
 * of A times G over the entries there, 0 where there is none. gx is dense, as x is, whatever
 * sparcl_ctx_set_densify says.
 *
 * Shapes    G and gv packed vectors [nnz of A], gx [m, n]. gv or gx may be NULL: it is not
 *           computed. Elements of gv past offsets[m] become 0.
 * Types     one dtype: F32, F64, F16 or BF16.
 * Order     one product for each entry; entries of one place are added as in sparcl_csr_to_dense.
 * Aliasing  gv and gx must not overlap operands or one another.
 * Result    the same bits everywhere. F16 and BF16 are rounded once.
 * Scratch   for gx an element for each entry, and as sparcl_csr_to_dense; with F16 or BF16 three
 *           as F32, and gx as F32.
 * Host      returns after enqueueing.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_multiply_dense_gradient(
    sparcl_ctx *ctx, const sparcl_dense *gv, const sparcl_dense *gx, const sparcl_dense *g,
    const sparcl_csr *a, const sparcl_dense *x);

/**
 * What the product of two CSR matrices needs that depends on their patterns alone: the work of each
 * row, and the offsets of the product. Used for any values of matrices with these patterns. Owned.
 */
typedef struct sparcl_spgemm sparcl_spgemm;

/** Create an empty plan. E_MEMORY. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_spgemm_create(sparcl_ctx *ctx,
                                                                sparcl_spgemm **plan);
/**
 * The first phase of C = A * B: count the entries of each row of C. It replaces what the plan had,
 * and reuses its memory.
 *
 * Shapes    A [m, k], B [k, n].
 * Types     A and B share one dtype (F32, F64, F16 or BF16), one offset type and one index type. No
 *           values are read.
 * Scratch   for each of at most four workers per compute unit, at most 256 MiB in all (or one
 *           worker): 1/8 byte per column of B and a little more. The plan itself: 16 bytes per row.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_MEMORY; E_UNCHECKED also where B is not SORTED and UNIQUE.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_spgemm_symbolic(sparcl_ctx *ctx,
                                                                  sparcl_spgemm *plan,
                                                                  const sparcl_csr *a,
                                                                  const sparcl_csr *b);
/** The number of entries of C. Waits for the device. E_ARG: there was no first phase. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_spgemm_entries(sparcl_ctx *ctx,
                                                                 const sparcl_spgemm *plan,
                                                                 int64_t *entries);
/**
 * The second phase: C := A * B. C has an entry wherever a term of the product is stored, whatever
 * its value is.
 *
 * Shapes    A [m, k], B [k, n], C [m, n]; C->nnz is the capacity (sparcl_spgemm_entries): entries
 *           that exceed it are dropped, so that memory is safe.
 * Plan      of A and B with their current index buffers, else E_ARG.
 * Needed    where not NULL, needed[needed_at] (int64) becomes the number of entries of the product.
 * Types     A, B and C share one dtype, one offset type and one index type, as in the first phase.
 * Order     the terms of an element in the order of the row of A, added one by one (rule P).
 * Aliasing  C and needed must not overlap A or B.
 * Result    the same bits everywhere; C is marked SORTED and UNIQUE.
 * Scratch   that of the first phase, and for each worker one sum per column of B.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_spgemm_numeric(
    sparcl_ctx *ctx, const sparcl_spgemm *plan, sparcl_csr *c, const sparcl_csr *a,
    const sparcl_csr *b, sparcl_buf *needed, int64_t needed_at);
/** Free a plan. NULL is allowed. Must come before the context is closed. */
SPARCL_API void sparcl_spgemm_free(sparcl_spgemm *plan);

/**
 * The gradients of C = A * B by the values of A and of B, for the gradient G of the values of C: ga
 * of entry (i, p) is the sum of G[i, j] * B[p, j] over the entries of row p of B, and gb of entry
 * (p, j) that of A[i, p] * G[i, j] over the entries of column p of A. Elements that C does not have
 * count as 0.
 *
 * Shapes    as in sparcl_spgemm_numeric; G, ga and gb packed vectors [nnz of C, A and B], whose
 *           elements past the entries become 0. ga or gb may be NULL: it is not computed. C: the
 *           result; its values are not read.
 * Types     A, B, C, G, ga and gb share one dtype; A, B and C one offset type and one index type.
 * Order     ga: in the order of the row of B; gb: in the order of the rows of A (rule P).
 * Aliasing  ga and gb must not overlap operands or one another.
 * Pattern   of A, or NULL: then one is built for this call where gb is computed.
 * Scratch   on CPUs with up to 8 cores an offset per column of C for each worker, at most 256 MiB,
 *           and with F16 and BF16 a float per entry of B where gb is computed. Elsewhere, and where
 *           the sizes are above the numbers of entries, with gb and without a pattern: as
 *           sparcl_pattern_build, and the pattern.
 * Result    the same bits everywhere. Host: returns after enqueueing; never waits for the device.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_spgemm_gradient(
    sparcl_ctx *ctx, const sparcl_dense *ga, const sparcl_dense *gb, const sparcl_dense *g,
    const sparcl_csr *c, const sparcl_csr *a, const sparcl_csr *b, sparcl_pattern *pattern);

#ifdef __cplusplus
}
#endif

#endif
