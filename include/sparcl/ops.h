/* ops.h: the operations. Each checks on the host, then enqueues; none waits for the device. */
#ifndef SPARCL_OPS_H
#define SPARCL_OPS_H

#include "sparcl/context.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * For all operations: 32- and 64-bit offsets and indices may be mixed between operands, unless
 * Types says otherwise. Every size may be 0. A buffer of another context is E_ARG. A sparse operand
 * must be validated or trusted, else E_UNCHECKED. On E_ARG, E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED
 * and E_UNSUPPORTED nothing was enqueued, results are untouched, and sparcl_ctx_error(ctx) names
 * the argument and why. After E_MEMORY, E_BUILD and E_OPENCL the contents of results are
 * unspecified, and they are not marked. "The same bits" is what docs/numerics.md says.
 *
 * Scratch: the most memory on the device that an operation needs beside its operands, but for 1
 * MiB. It is at most twice what the operation reads, where loops do not end early (llvmpipe). The
 * context keeps it for the next operation, and sparcl_ctx_memory counts it; a context that is
 * opened for a forecast tells it before. An entry of a row-sparse array is a stored row.
 */

/**
 * A list of row numbers on the device, such as a mini-batch.
 */
typedef struct sparcl_list {
    int64_t count;           /**< how many numbers */
    int64_t limit;           /**< each number is at least 0 and less than this */
    sparcl_itype index_type; /**< of `indices` */
    sparcl_buf *indices;     /**< [count] */
    int64_t indices_at;      /**< where they begin, in elements */
    sparcl_proof proof;      /**< what is proven of it */
    uint64_t reserved[2];
} sparcl_list;

/** As the sparcl_csr functions of these names; validation takes 8 bytes of scratch memory a number,
 * 12 or 16 with 64-bit indices. */
SPARCL_API uint32_t sparcl_list_flags(const sparcl_list *list);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_list_validate(sparcl_ctx *ctx, sparcl_list *list,
                                                                uint32_t want);

/**
 * C := alpha * A * B + beta * C, with A sparse and B, C dense.
 *
 * Shapes    A [m, k], B [k, n], C [m, n]; B and C may both be vectors (rank 1), which is n = 1.
 * Types     A, B and C share one dtype; F64 needs a device that has it.
 * Order     the columns of a row may come in any order; duplicates add up (rule S).
 * Aliasing  C must not overlap A or B. With beta == 0, C is not read.
 * Result    the same bits on every run, every device and every kernel variant.
 * Scratch   128 MiB at most, or what four columns need where that is more: in all an element for
 *           every five rows and entries. The columns are done in panels that fit. On CPUs also a
 *           copy of some columns of B, where B is large (sparcl/tune.h: spmm.pack).
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_spmm(sparcl_ctx *ctx, const sparcl_dense *c,
                                                       double alpha, const sparcl_csr *a,
                                                       const sparcl_dense *b, double beta);

/**
 * What depends on a sparsity pattern alone: its sorted transpose. Built once, it serves every
 * product with the transpose of matrices of that pattern, whatever their values. It keeps the
 * values, too, in its order (from when it is built, or from the first product), and products take
 * them from there until A's are written again. Owned.
 */
typedef struct sparcl_pattern sparcl_pattern;

/** An empty pattern. E_MEMORY. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_pattern_create(sparcl_ctx *ctx,
                                                                 sparcl_pattern **pattern);
/**
 * Make the pattern that of A; what it was before is forgotten, its memory is used again.
 *
 * Scratch   24 bytes an entry, 48 with 64-bit indices; 8 on CPUs where row and column have 43 bits
 *           at most, 20 where they have 64. The pattern itself has up to 16 bytes an entry, 32
 *           with 64-bit indices, and the values.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_UNCHECKED, E_MEMORY.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_pattern_build(sparcl_ctx *ctx,
                                                                sparcl_pattern *pattern,
                                                                const sparcl_csr *a);
/**
 * The columns that have entries, as the indices of a row-sparse view without values: of rank 2 and
 * shape [columns of A, 0], sorted and unique, with the count on the device. It names the pattern's
 * own buffers and holds until the pattern is built again or freed. A pattern that was never built,
 * or whose last build failed, has no columns, and the view is not marked.
 */
SPARCL_API sparcl_rows sparcl_pattern_columns(const sparcl_pattern *pattern);
/** Free a pattern. NULL is allowed. Must come before the context is closed. */
SPARCL_API void sparcl_pattern_free(sparcl_pattern *pattern);

/**
 * C := alpha * transpose(A) * B + beta * C, with A sparse and B, C dense.
 *
 * Shapes    A [k, m], B [k, n], C [m, n]; vectors as in sparcl_spmm.
 * Types     A, B and C share one dtype.
 * Order     entries of a column of A add up in the order of rows (rule S on the transpose).
 * Aliasing  C must not overlap A or B. With beta == 0, C is not read.
 * Pattern   of A, or NULL: then one is made for this call. A pattern of another matrix is E_ARG.
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
 * R := alpha * transpose(A) * B as a row-sparse array: the rows of the columns that A has.
 *
 * Shapes    A [k, m], B [k, n], R [m, n] with R->nnr >= min(m, nnz of A) and R->count set; vectors
 *           as in sparcl_spmm.
 * Types     A, B and R share one dtype.
 * Order     R's rows are sorted and unique, and marked so; each row as in sparcl_spmm_t.
 * Pattern   as in sparcl_spmm_t. R may name the pattern's own indices and count, as
 *           sparcl_pattern_columns tells them: then these are not copied, and R holds as they do.
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
 * Shapes    both of one rank and shape. With to->count, to->nnz >= from->nnz and it becomes the
 *           number of entries; without, to->nnz = from->nnz and from has no count.
 * Types     one dtype and one index type. Values are moved, not computed with.
 * Order     stable: entries with the same indices keep their order.
 * Permutation  where not NULL, permutation[k] (int64, to->nnz of them from element permutation_at)
 *           says which entry of `from` became entry k.
 * Aliasing  `to` must not overlap `from`.
 * Result    the same bits everywhere; `to` is marked SORTED, and UNIQUE where `from` was.
 * Scratch   on CPUs 10 bytes an entry of a vector or matrix whose indices have 43 bits at most,
 *           20 where they have 64, and 4 more for F64 or with a permutation; else 48 bytes an entry
 *           for each 64 bits that its indices have.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_sort(sparcl_ctx *ctx, sparcl_coo *to,
                                                           const sparcl_coo *from,
                                                           sparcl_buf *permutation,
                                                           int64_t permutation_at);

/**
 * Sort, and sum the entries that have the same indices.
 *
 * Shapes    both of one rank and shape; to->nnz >= from->nnz, to->count set: it becomes the number
 *           of distinct indices.
 * Types     one dtype and one index type.
 * Order     equal indices add up in the order of `from` (rule R).
 * Aliasing  `to` must not overlap `from`.
 * Result    the same bits everywhere; `to` is marked SORTED and UNIQUE.
 * Scratch   on CPUs 10 bytes an entry of F32 of a vector or matrix whose indices have 43 bits at
 *           most, 20 where they have 64; else 48 bytes an entry for each 64 bits that its indices
 *           have.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_coalesce(sparcl_ctx *ctx, sparcl_coo *to,
                                                               const sparcl_coo *from);

/**
 * A matrix from COO to CSR form. Entries are sorted by row and column first where `from` is not
 * marked SORTED (stable); duplicates stay.
 *
 * Shapes    from of rank 2; to of its size, to->nnz >= from->nnz.
 * Types     one dtype; offset and index types as `to` says.
 * Aliasing  `to` must not overlap `from`.
 * Result    the same bits everywhere; `to` is marked SORTED, and UNIQUE where `from` was.
 * Scratch   on CPUs 14 bytes an entry of F32 where indices are of one type and have 43 bits at
 *           most, 24 where they have 64; else 48 bytes an entry for each 64 bits that its indices
 *           have.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_to_csr(sparcl_ctx *ctx, sparcl_csr *to,
                                                             const sparcl_coo *from);

/** A matrix from CSR to COO form, in the order stored. As sparcl_coo_to_csr; `to` is marked as
 * `from` is. With to->count, to->nnz >= from->nnz and it becomes the number of entries; without,
 * to->nnz = from->nnz, and room that `from` does not use becomes explicit zeros at the last place:
 * so `to` is then not marked UNIQUE.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_to_coo(sparcl_ctx *ctx, sparcl_coo *to,
                                                             const sparcl_csr *from);

/**
 * A matrix from CSR to CSC form (the CSR form of its transpose, by other names). The rows of a
 * column ascend; duplicates stay, in their order (stable).
 *
 * Shapes    `to` of the size of `from`, to->nnz >= from->nnz.
 * Types     one dtype; offset and index types as `to` says.
 * Aliasing  `to` must not overlap `from`.
 * Result    the same bits everywhere; `to` is marked SORTED, and UNIQUE where `from` was.
 * Scratch   24 bytes an entry, 48 with 64-bit indices; 8 on CPUs where row and column have 43 bits
 *           at most, 20 where they have 64, and 4 more for F64.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_to_csc(sparcl_ctx *ctx, sparcl_csc *to,
                                                             const sparcl_csr *from);

/**
 * to := the rows of `from` that a list names, in its order; a row may be named several times.
 *
 * Shapes    to->rows = list->count, to->cols = from->cols, list->limit = from->rows; to->nnz is the
 *           room for entries. Rows that do not fit in it are cut, so that memory is safe.
 * Needed    where not NULL, needed[needed_at] (int64) becomes the number of entries of the rows
 *           named: more than to->nnz says that rows were cut.
 * Types     one dtype; offset and index types as `to` says.
 * Aliasing  `to` must not overlap `from` or the list.
 * Result    the same bits everywhere; `to` is marked as `from` is.
 * Scratch   8 bytes for each number of the list.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_select_rows(sparcl_ctx *ctx, sparcl_csr *to,
                                                                  const sparcl_csr *from,
                                                                  const sparcl_list *list,
                                                                  sparcl_buf *needed,
                                                                  int64_t needed_at);

/**
 * to := the rows of `from` that a list names, in its order.
 *
 * Shapes    to [list->count, ...], from [list->limit, ...], the same row shape.
 * Types     one dtype. Aliasing: `to` must not overlap `from` or the list.
 * Result    exact. Host: returns after enqueueing. Errors: E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_gather_rows(sparcl_ctx *ctx,
                                                              const sparcl_dense *to,
                                                              const sparcl_dense *from,
                                                              const sparcl_list *list);

/**
 * Sum the rows that have the same index.
 *
 * Shapes    both of one shape; to->nnr >= from->nnr, to->count set: it becomes the number of
 *           distinct rows.
 * Types     one dtype and one index type.
 * Order     rows of one index add up in the order of `from` (rule R).
 * Aliasing  `to` must not overlap `from`.
 * Result    the same bits everywhere; `to` is marked SORTED and UNIQUE.
 * Scratch   28 bytes an entry, 48 with 64-bit indices, and a tenth of the values.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_coalesce(sparcl_ctx *ctx, sparcl_rows *to,
                                                                const sparcl_rows *from);

/**
 * table[r.indices] += alpha * r; rows of one index are summed first (rule R).
 *
 * Shapes    table and r of one shape. Types: one dtype.
 * Aliasing  r must not overlap the table.
 * Result    the same bits everywhere; rows that r does not have keep theirs.
 * Scratch   none where r is marked UNIQUE; else as sparcl_rows_coalesce: sums of rows go into the
 *           table without being stored.
 * Host      returns after enqueueing. Errors: E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_scatter_add(sparcl_ctx *ctx,
                                                              const sparcl_dense *table,
                                                              double alpha, const sparcl_rows *r);

/** The two classes of dense products. */
typedef enum sparcl_math {
    SPARCL_MATH_EXACT = 0, /**< our own kernel: the same bits everywhere */
    SPARCL_MATH_FAST = 1   /**< CLBlast: as fast as the device allows, not equal across devices */
} sparcl_math;

/** Which form of an operand a dense product takes. */
typedef enum sparcl_op {
    SPARCL_OP_N = 0, /**< as it is */
    SPARCL_OP_T = 1  /**< transposed */
} sparcl_op;

/**
 * C := alpha * op(A) * op(B) + beta * C, all dense.
 *
 * Shapes    op(A) [m, k], op(B) [k, n], C [m, n].
 * Types     one dtype.
 * Order     k upwards (rule S).
 * Aliasing  C must not overlap A or B. With beta == 0, C is not read.
 * Math      EXACT: the same bits everywhere. FAST: CLBlast, checked numerically when it is first
 *           asked for on a context; where this build has none, or it refuses or is wrong, the call
 *           is done as EXACT and the log hook is told the first time. CLBlast keeps a cache of its
 *           own, the one global state; closing a context that used it clears that cache.
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
