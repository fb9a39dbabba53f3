/* products.h: products of sparse and dense matrices, sampled products, products of two sparse ones,
 * and batches of rows for products. What ops.h says of all operations holds. */
#ifndef SPARCL_OPS_PRODUCTS_H
#define SPARCL_OPS_PRODUCTS_H

#include "sparcl/context.h"
#include "sparcl/ops/reductions.h"
#include "sparcl/ops/structure.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How a dense product uses an operand. */
typedef enum sparcl_op {
    SPARCL_OP_N = 0, /**< as it is */
    SPARCL_OP_T = 1  /**< transposed */
} sparcl_op;

/** The two classes of dense products. */
typedef enum sparcl_math {
    SPARCL_MATH_EXACT = 0, /**< our own kernel: the same bits everywhere */
    SPARCL_MATH_FAST = 1   /**< CLBlast: as fast as the device allows, not equal across devices */
} sparcl_math;

/* --- sparse times dense ----------------------------------------------------------------------- */

/**
 * C := alpha * A * B + beta * C, with A sparse and B, C dense.
 *
 * Shapes    A [m, k], B [k, n], C [m, n]; B and C may both be vectors (rank 1): n = 1.
 * Types     A, B and C share one dtype: F32, F64 (on a device that has it), F16 or BF16.
 * Order     the entries of a row may be in any order; duplicates are added (rule S).
 * Layout    B and C may be row- or column-major, with the same bits.
 * Aliasing  C must not overlap A or B. With beta == 0, C is not read.
 * Result    the same bits on every run, every device and every kernel variant.
 * Scratch   at most 128 MiB, or what four columns need where that is more (together one element per
 *           five rows and entries). The columns are processed in panels that fit. On CPUs also a
 *           copy of some columns of B, where B is large (sparcl/tune.h: spmm.pack). Column-major B
 *           and C: a row-major copy of their columns, again at most 128 MiB or what four columns
 *           need.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_spmm(sparcl_ctx *ctx, const sparcl_dense *c,
                                                       double alpha, const sparcl_csr *a,
                                                       const sparcl_dense *b, double beta);

/** Create an empty pattern. E_MEMORY. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_pattern_create(sparcl_ctx *ctx,
                                                                 sparcl_pattern **pattern);

/**
 * Build the pattern of A. It replaces the previous one and reuses its memory.
 *
 * Scratch   24 bytes per entry, 48 with 64-bit indices; on CPUs 8 where row and column together
 *           have at most 43 bits, 20 where at most 64. The pattern itself has up to 16 bytes per
 *           entry, 32 with 64-bit indices, and the values.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_UNCHECKED, E_MEMORY.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_pattern_build(sparcl_ctx *ctx,
                                                                sparcl_pattern *pattern,
                                                                const sparcl_csr *a);

/**
 * The columns that have entries, as the indices of a row-sparse view without values: of rank 2 and
 * shape [columns of A, 0], sorted and unique, with the count on the device. It uses the pattern's
 * own buffers, and is valid until the pattern is built again or freed. A pattern that was never
 * built, or whose last build failed, has no columns, and the view has no proof.
 */
SPARCL_EXPERIMENTAL_API sparcl_rows sparcl_pattern_columns(const sparcl_pattern *pattern);

/** Free a pattern. NULL is allowed. Must come before the context is closed. */
SPARCL_API void sparcl_pattern_free(sparcl_pattern *pattern);

/**
 * C := alpha * transpose(A) * B + beta * C, with A sparse and B, C dense.
 *
 * Shapes    A [k, m], B [k, n], C [m, n]; vectors as in sparcl_spmm.
 * Types     A, B and C share one dtype, as in sparcl_spmm.
 * Order     entries of a column of A are added in the order of rows (rule S on the transpose).
 * Layout    as sparcl_spmm.
 * Aliasing  C must not overlap A or B. With beta == 0, C is not read.
 * Pattern   of A, or NULL: then one is built for this call. A pattern of another matrix is E_ARG.
 * Result    the same bits on every run, every device and every kernel variant.
 * Scratch   as sparcl_spmm; without a pattern also that of sparcl_pattern_build and the pattern.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED, E_ARG.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_spmm_t(sparcl_ctx *ctx, const sparcl_dense *c,
                                                         double alpha, const sparcl_csr *a,
                                                         const sparcl_dense *b, double beta,
                                                         sparcl_pattern *pattern);

/**
 * R := alpha * transpose(A) * B as a row-sparse array: one row for each column of A that has
 * entries.
 *
 * Shapes    A [k, m], B [k, n], R [m, n] with R->nnr >= min(m, nnz of A) and R->count set; vectors
 *           as in sparcl_spmm.
 * Types     A, B and R share one dtype, as in sparcl_spmm.
 * Order     R's rows are sorted and unique, and marked so; each row is computed as in
 *           sparcl_spmm_t.
 * Pattern   as in sparcl_spmm_t. R may use the pattern's own indices and count
 *           (sparcl_pattern_columns): then these are not copied, and R is valid as long as they
 *           are.
 * Result    the same bits on every run, every device and every kernel variant, and those of
 *           sparcl_spmm_t.
 * Scratch   as sparcl_spmm_t.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED, E_ARG.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_spmm_t_rows(sparcl_ctx *ctx, sparcl_rows *r,
                                                              double alpha, const sparcl_csr *a,
                                                              const sparcl_dense *b,
                                                              sparcl_pattern *pattern);

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
 * Sparse is csr, csc, coo or bsr; for two sparse matrices see sparcl_spgemm. A
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

/* --- dense times dense ------------------------------------------------------------------------ */

/**
 * C := alpha * op(A) * op(B) + beta * C, all dense.
 *
 * Shapes    op(A) [m, k], op(B) [k, n], C [m, n].
 * Types     one dtype: F32, F64, F16 or BF16 (these always in the class EXACT).
 * Order     k upwards (rule S).
 * Layout    each matrix may be row- or column-major, with the same bits (EXACT).
 * Aliasing  C must not overlap A or B. With beta == 0, C is not read.
 * Math      EXACT: the same bits everywhere. FAST: CLBlast, checked numerically when a context
 *           first requests it. Where this build has no CLBlast, or it refuses or its result is
 *           wrong, the call is computed as EXACT and the log hook gets one message. CLBlast has a
 *           cache of its own, which is global state; closing a context that used it clears it.
 * Host      returns after enqueueing; the first FAST call of a dtype on a context waits for its
 *           check.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_gemm(sparcl_ctx *ctx, const sparcl_dense *c,
                                                       double alpha, sparcl_op op_a,
                                                       const sparcl_dense *a, sparcl_op op_b,
                                                       const sparcl_dense *b, double beta,
                                                       sparcl_math math);

/* --- sparse times sparse ---------------------------------------------------------------------- */

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
 * moved     NULL, or `needed`: the number of entries of the product.
 * Types     A, B and C share one dtype, one offset type and one index type, as in the first phase.
 * Order     the terms of an element in the order of the row of A, added one by one (rule P).
 * Aliasing  C and the needed count must not overlap A or B.
 * Result    the same bits everywhere; C is marked SORTED and UNIQUE.
 * Scratch   that of the first phase, and for each worker one sum per column of B.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_spgemm_numeric(sparcl_ctx *ctx,
                                                                 const sparcl_spgemm *plan,
                                                                 sparcl_csr *c, const sparcl_csr *a,
                                                                 const sparcl_csr *b,
                                                                 const sparcl_moved *moved);

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
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_spgemm_gradient(
    sparcl_ctx *ctx, const sparcl_dense *ga, const sparcl_dense *gb, const sparcl_dense *g,
    const sparcl_csr *c, const sparcl_csr *a, const sparcl_csr *b, sparcl_pattern *pattern);

/* --- batches of rows -------------------------------------------------------------------------- */

/**
 * The next batches of a training: the rows of a CSR matrix that a list names, a number of them in
 * each batch, and the pattern of each. All are selected and sorted together, by batch and column,
 * in a launch more than one takes by sparcl_csr_take_rows and sparcl_pattern_build; each is then
 * taken by one launch. Owned.
 *
 *     sparcl_batches_select(ctx, batches, &all, NULL, &list, 1024, entries);
 *     for (int64_t i = 0; i < count; ++i) {
 *         sparcl_batches_take(ctx, batches, i, &x, NULL, pattern);
 *         sparcl_graph_bind_csr(graph, node, &x);
 *         sparcl_graph_bind_pattern(graph, node, pattern);
 *         ...
 */
typedef struct sparcl_batches sparcl_batches;

/** Create an object without batches. E_MEMORY. */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_batches_create(sparcl_ctx *ctx, sparcl_batches **batches);

/** NULL is allowed. Must come before the context is closed. */
SPARCL_EXPERIMENTAL_API void sparcl_batches_free(sparcl_batches *batches);

/**
 * How many of the next batches of a matrix, with these numbers of entries, should be selected
 * together on this device. Less than 2: batches are made faster one by one (with kernels for CPUs,
 * and where types are not those of sparcl_batches_select). As many as their memory allows: 40 bytes
 * per entry, 1/64 of the device's and at most 160 MiB (with fields a tenth more).
 */
SPARCL_EXPERIMENTAL_API int64_t sparcl_batches_fit(const sparcl_ctx *ctx, const sparcl_csr *from,
                                                   const int64_t *entries, int64_t count);

/**
 * Select the rows of `list`: batch i has those from i * rows on, the last one may have fewer. It
 * replaces the batches before, and reuses their memory. `fields`, where it is not NULL, has a
 * number for each entry of the matrix, such as its field, which is selected with it.
 *
 * Shapes    list->limit = from->rows, fields->count = from->nnz; entries[i] (host memory) is the
 *           number of entries of the rows of batch i. Where it is not, that batch is without
 *           entries.
 * Types     F32, F64 (on a device that has it), F16 or BF16; indices and fields of 32 bits. The
 * number of a batch and a column have at most 32 bits together, and all batches less than 2^31
 *           entries: else E_UNSUPPORTED.
 * Scratch   16 bytes per entry, 8 bytes per row.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_UNCHECKED, E_UNSUPPORTED, E_MEMORY.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_batches_select(
    sparcl_ctx *ctx, sparcl_batches *batches, const sparcl_csr *from, const sparcl_list *fields,
    const sparcl_list *list, int64_t rows, const int64_t *entries);

/**
 * x := batch i, and the pattern of x, with its values; and, where it is not NULL, fields := those
 * of its entries.
 *
 * Shapes    x->rows and x->nnz are those of the batch, x->cols is that of the matrix;
 *           fields->count = x->nnz, fields->limit is that of the selected ones.
 * Types     x has the dtype and the index type of the matrix; any offset type. fields: 32 bits.
 * Result    the same bits as by sparcl_csr_take_rows and sparcl_pattern_build.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_ARG (there is no such batch, or fields were not selected), E_SHAPE, E_DTYPE,
 * E_MEMORY.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_batches_take(sparcl_ctx *ctx, const sparcl_batches *batches, int64_t i, sparcl_csr *x,
                    const sparcl_list *fields, sparcl_pattern *pattern);

#ifdef __cplusplus
}
#endif

#endif
