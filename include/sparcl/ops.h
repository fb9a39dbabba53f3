/* ops.h: the operations. Each checks its arguments on the host, then enqueues; none waits for the
 * device. */
#ifndef SPARCL_OPS_H
#define SPARCL_OPS_H

#include "sparcl/context.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * For all operations: offsets and indices of 32 and 64 bits may be mixed between operands, unless
 * Types says otherwise. Every size may be 0. A buffer of another context is E_ARG. A sparse operand
 * must be validated or trusted, else E_UNCHECKED. On E_ARG, E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED
 * and E_UNSUPPORTED nothing was enqueued, results are unchanged, and sparcl_ctx_error(ctx) names
 * the argument and the reason. After E_MEMORY, E_BUILD and E_OPENCL the contents of results are
 * unspecified, and they have no proof. "The same bits" is defined in docs/numerics.md.
 *
 * Scratch: the maximum of device memory that an operation needs besides its operands, plus 1 MiB.
 * It is at most twice the bytes that the operation reads, except on devices that end loops early
 * (llvmpipe). The context keeps it for the next operation, and sparcl_ctx_memory counts it; a
 * forecast context predicts it. An entry of a row-sparse array is a stored row. With values of F16
 * or BF16, sparcl_gemm also needs A and B as F32 (with the kernels for CPUs, and more than one
 * column), and a transposed product without a pattern the values of A.
 *
 * F16 and BF16: the result is that of the same operation in F32 on these numbers, rounded once when
 * it is stored.
 */

/**
 * A list of row indices on the device, such as a mini-batch.
 */
typedef struct sparcl_list {
    int64_t count;           /**< number of indices */
    int64_t limit;           /**< each index is at least 0 and less than this */
    sparcl_itype index_type; /**< of `indices` */
    sparcl_buf *indices;     /**< [count] */
    int64_t indices_at;      /**< where they begin, in elements */
    sparcl_proof proof;      /**< what is proven of it */
    uint64_t reserved[2];
} sparcl_list;

/** As the sparcl_csr functions of these names; validation needs 8 bytes of scratch memory per
 * index, 12 or 16 with 64-bit indices. */
SPARCL_API uint32_t sparcl_list_flags(const sparcl_list *list);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_list_validate(sparcl_ctx *ctx, sparcl_list *list,
                                                                uint32_t want);

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

/**
 * What depends only on a sparsity pattern: its sorted transpose. Built once, it is used for every
 * product with the transpose of a matrix of that pattern, for any values. It also stores a copy of
 * the values in its own order (made when it is built, or in the first product). Products read this
 * copy until A's values are written again. Owned.
 */
typedef struct sparcl_pattern sparcl_pattern;

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
SPARCL_API sparcl_rows sparcl_pattern_columns(const sparcl_pattern *pattern);
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

/**
 * Sort the entries of a COO array lexicographically by their indices.
 *
 * Shapes    both of one rank and shape. With to->count, to->nnz >= from->nnz and the count becomes
 *           the number of entries; without, to->nnz = from->nnz and `from` has no count.
 * Types     one dtype, of every element type, and one index type. Values are only moved.
 * Order     stable: entries with the same indices keep their order.
 * Permutation  where not NULL, permutation[k] (int64, to->nnz elements from permutation_at on)
 *              becomes the index in `from` of entry k.
 * Aliasing  `to` must not overlap `from`.
 * Result    the same bits everywhere; `to` is marked SORTED, and UNIQUE where `from` was.
 * Scratch   on CPUs 10 bytes per entry of a vector or matrix whose indices together have at most 43
 *           bits, 20 where at most 64, and 4 more for F64 or with a permutation; else 48 bytes per
 *           entry for each 64 bits of its indices.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_sort(sparcl_ctx *ctx, sparcl_coo *to,
                                                           const sparcl_coo *from,
                                                           sparcl_buf *permutation,
                                                           int64_t permutation_at);

/**
 * Sort, and add the entries that have the same indices.
 *
 * Shapes    both of one rank and shape; to->nnz >= from->nnz, to->count is set and becomes the
 *           number of distinct indices.
 * Types     one dtype, F32, F64, F16 or BF16, and one index type.
 * Order     entries with equal indices are added in the order of `from` (rule R).
 * Aliasing  `to` must not overlap `from`.
 * Result    the same bits everywhere; `to` is marked SORTED and UNIQUE.
 * Scratch   on CPUs 10 bytes per F32 entry of a vector or matrix whose indices together have at
 *           most 43 bits, 20 where at most 64; else 48 bytes per entry for each 64 bits of its
 *           indices.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_coalesce(sparcl_ctx *ctx, sparcl_coo *to,
                                                               const sparcl_coo *from);

/**
 * Convert a matrix from COO to CSR. Where `from` is not marked SORTED, its entries are first sorted
 * by row and column (stable); duplicates stay.
 *
 * Shapes    `from` of rank 2; `to` of its size, to->nnz >= from->nnz.
 * Types     one dtype, of every element type; offset and index types as `to` says.
 * Aliasing  `to` must not overlap `from`. But where `from` is marked SORTED, `to` may have the same
 *           array of columns, of one index type, or of values, or both, which are not written then.
 * Result    the same bits everywhere; `to` is marked SORTED, and UNIQUE where `from` was.
 * Scratch   on CPUs 14 bytes per F32 entry where indices are of one type and together have at most
 *           43 bits, 24 where at most 64; else 48 bytes per entry for each 64 bits of its indices.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_to_csr(sparcl_ctx *ctx, sparcl_csr *to,
                                                             const sparcl_coo *from);

/** Convert a matrix from CSR to COO, in the order stored. As sparcl_coo_to_csr; `to` is marked as
 * `from` is. With to->count, to->nnz >= from->nnz and the count becomes the number of entries.
 * Without, to->nnz = from->nnz, and capacity that `from` does not use becomes explicit zeros in the
 * last row and column: `to` is then not marked UNIQUE. Columns and values may be the same arrays,
 * sorted or not, where `to` has a count.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_to_coo(sparcl_ctx *ctx, sparcl_coo *to,
                                                             const sparcl_csr *from);

/**
 * Convert a matrix from CSR to CSC (the same arrays as the CSR format of its transpose). The rows
 * of a column ascend; duplicates stay, in their order (stable).
 *
 * Shapes    `to` of the size of `from`, to->nnz >= from->nnz.
 * Types     one dtype, of every element type; offset and index types as `to` says.
 * Aliasing  `to` must not overlap `from`.
 * Result    the same bits everywhere; `to` is marked SORTED, and UNIQUE where `from` was.
 * Scratch   24 bytes per entry, 48 with 64-bit indices; on CPUs 8 where row and column together
 *           have at most 43 bits, 20 where at most 64, and 4 more for F64.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_to_csc(sparcl_ctx *ctx, sparcl_csc *to,
                                                             const sparcl_csr *from);

/**
 * to := the rows of `from` whose indices are in a list, in its order; an index may occur several
 * times.
 *
 * Shapes    to->rows = list->count, to->cols = from->cols, list->limit = from->rows; to->nnz is the
 *           capacity for entries. Rows that exceed it are truncated, so that memory is safe.
 * Needed    where not NULL, needed[needed_at] (int64) becomes the number of entries of these rows:
 *           if it is more than to->nnz, rows were truncated.
 * Types     one dtype, of every element type; offset and index types as `to` says.
 * Aliasing  `to` must not overlap `from` or the list.
 * Result    the same bits everywhere; `to` is marked as `from` is.
 * Scratch   8 bytes per index of the list.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_select_rows(sparcl_ctx *ctx, sparcl_csr *to,
                                                                  const sparcl_csr *from,
                                                                  const sparcl_list *list,
                                                                  sparcl_buf *needed,
                                                                  int64_t needed_at);

/**
 * to := the rows of `from` whose indices are in a list, in its order.
 *
 * Shapes    to [list->count, ...], from [list->limit, ...], the same row shape.
 * Types     one dtype, of every element type. Aliasing: `to` must not overlap `from` or the list.
 * Result    exact. Host: returns after enqueueing. Errors: E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_gather_rows(sparcl_ctx *ctx,
                                                              const sparcl_dense *to,
                                                              const sparcl_dense *from,
                                                              const sparcl_list *list);

/**
 * Add the rows that have the same index.
 *
 * Shapes    both of one shape; to->nnr >= from->nnr, to->count is set and becomes the number of
 *           distinct rows.
 * Types     one dtype, F32, F64, F16 or BF16, and one index type.
 * Order     rows of one index are added in the order of `from` (rule R).
 * Aliasing  `to` must not overlap `from`.
 * Result    the same bits everywhere; `to` is marked SORTED and UNIQUE.
 * Scratch   28 bytes per entry, 48 with 64-bit indices, and a tenth of the values.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_coalesce(sparcl_ctx *ctx, sparcl_rows *to,
                                                                const sparcl_rows *from);

/**
 * to := the stored rows of a, then those of b: as an array, a + b.
 *
 * Shapes    all of one shape; to->nnr >= a->nnr + b->nnr, to->count is set and becomes the number
 *           of rows.
 * Types     one dtype, of every element type; each has its own index type.
 * Aliasing  `to` must not overlap a or b.
 * Result    exact; `to` is neither SORTED nor UNIQUE.
 * Host      returns after enqueueing. Errors: E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_concat(sparcl_ctx *ctx, sparcl_rows *to,
                                                              const sparcl_rows *a,
                                                              const sparcl_rows *b);

/**
 * table[r.indices] += alpha * r; rows of one index are summed first (rule R).
 *
 * Shapes    table and r of one shape. Types: one dtype, F32, F64, F16 or BF16.
 * Aliasing  r must not overlap the table.
 * Result    the same bits everywhere; rows that r does not have keep their bits.
 * Scratch   none where r is marked UNIQUE; else as sparcl_rows_coalesce: sums of rows are added to
 *           the table without being stored.
 * Host      returns after enqueueing. Errors: E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_scatter_add(sparcl_ctx *ctx,
                                                              const sparcl_dense *table,
                                                              double alpha, const sparcl_rows *r);

/**
 * table[r.indices] = r: whole rows are replaced, as by index_copy of PyTorch. Of rows of one index
 * the last one stored stays.
 *
 * Shapes    table and r of one shape. Types: one dtype, any.
 * Aliasing  r must not overlap the table.
 * Result    exact; rows that r does not have keep their bits.
 * Scratch   none where r is marked UNIQUE; else as sparcl_rows_coalesce.
 * Host      returns after enqueueing. Errors: E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_assign_rows(sparcl_ctx *ctx,
                                                              const sparcl_dense *table,
                                                              const sparcl_rows *r);

/** The two classes of dense products. */
typedef enum sparcl_math {
    SPARCL_MATH_EXACT = 0, /**< our own kernel: the same bits everywhere */
    SPARCL_MATH_FAST = 1   /**< CLBlast: as fast as the device allows, not equal across devices */
} sparcl_math;

/** How a dense product uses an operand. */
typedef enum sparcl_op {
    SPARCL_OP_N = 0, /**< as it is */
    SPARCL_OP_T = 1  /**< transposed */
} sparcl_op;

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

#ifdef __cplusplus
}
#endif

#endif
