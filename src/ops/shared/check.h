/* check.h: the checks of views on the host, common to all operations. */
#ifndef SPC_OPS_CHECK_H
#define SPC_OPS_CHECK_H

#include "device/ctx.h"

/*
 * Each checks one view: types, shape, reserved fields, and that its buffers belong to this context
 * and are large enough. `op` and `name` begin the message: "spmm: A has ...".
 */
sparcl_status spc_check_dense(sparcl_ctx *ctx, const char *op, const char *name,
                              const sparcl_dense *view);
sparcl_status spc_check_csr(sparcl_ctx *ctx, const char *op, const char *name,
                            const sparcl_csr *view);
sparcl_status spc_check_csc(sparcl_ctx *ctx, const char *op, const char *name,
                            const sparcl_csc *view);
sparcl_status spc_check_coo(sparcl_ctx *ctx, const char *op, const char *name,
                            const sparcl_coo *view);
sparcl_status spc_check_rows(sparcl_ctx *ctx, const char *op, const char *name,
                             const sparcl_rows *view);
sparcl_status spc_check_bsr(sparcl_ctx *ctx, const char *op, const char *name,
                            const sparcl_bsr *view);
sparcl_status spc_check_list(sparcl_ctx *ctx, const char *op, const char *name,
                             const sparcl_list *view);
/* Element types that an operation takes: F32 and F64; these, F16 and BF16; or all. */
typedef enum spc_types {
    SPC_REALS,
    SPC_FLOATS,
    SPC_ALL_TYPES,
    SPC_ANY_ORDER = 4 /* with one of these: a dense matrix may be column-major */
} spc_types;

/* The functions above take SPC_REALS; these take what `types` says. */
sparcl_status spc_check_dense_of(sparcl_ctx *ctx, const char *op, const char *name,
                                 const sparcl_dense *view, spc_types types);
sparcl_status spc_check_csr_of(sparcl_ctx *ctx, const char *op, const char *name,
                               const sparcl_csr *view, spc_types types);
sparcl_status spc_check_csc_of(sparcl_ctx *ctx, const char *op, const char *name,
                               const sparcl_csc *view, spc_types types);
sparcl_status spc_check_coo_of(sparcl_ctx *ctx, const char *op, const char *name,
                               const sparcl_coo *view, spc_types types);
sparcl_status spc_check_rows_of(sparcl_ctx *ctx, const char *op, const char *name,
                                const sparcl_rows *view, spc_types types);
sparcl_status spc_check_bsr_of(sparcl_ctx *ctx, const char *op, const char *name,
                               const sparcl_bsr *view, spc_types types);
/* The same for a list, which has no values. */
static inline sparcl_status spc_check_list_of(sparcl_ctx *ctx, const char *op, const char *name,
                                              const sparcl_list *view, spc_types types) {
    (void)types;
    return spc_check_list(ctx, op, name, view);
}

/* The same without the buffers, which may be NULL; every element type. */
sparcl_status spc_check_dense_shape(sparcl_ctx *ctx, const char *op, const char *name,
                                    const sparcl_dense *view);
sparcl_status spc_check_csr_shape(sparcl_ctx *ctx, const char *op, const char *name,
                                  const sparcl_csr *view);
sparcl_status spc_check_csc_shape(sparcl_ctx *ctx, const char *op, const char *name,
                                  const sparcl_csc *view);
sparcl_status spc_check_coo_shape(sparcl_ctx *ctx, const char *op, const char *name,
                                  const sparcl_coo *view);
sparcl_status spc_check_rows_shape(sparcl_ctx *ctx, const char *op, const char *name,
                                   const sparcl_rows *view);
sparcl_status spc_check_bsr_shape(sparcl_ctx *ctx, const char *op, const char *name,
                                  const sparcl_bsr *view);
sparcl_status spc_check_list_shape(sparcl_ctx *ctx, const char *op, const char *name,
                                   const sparcl_list *view);
/* The same for an array that is not part of a view. */
sparcl_status spc_check_buf(sparcl_ctx *ctx, const char *op, const char *name,
                            const sparcl_buf *buf, int64_t at, int64_t count, size_t size);

/* E_ARG: `want` has flags other than those that sparcl_csr_validate checks. */
sparcl_status spc_check_want(sparcl_ctx *ctx, const char *op, uint32_t want);

/* An operation that indexes with a view requires it to be proven or trusted: else E_UNCHECKED. */
sparcl_status spc_need_csr(sparcl_ctx *ctx, const char *op, const char *name,
                           const sparcl_csr *view, uint32_t flags);
sparcl_status spc_need_csc(sparcl_ctx *ctx, const char *op, const char *name,
                           const sparcl_csc *view, uint32_t flags);
sparcl_status spc_need_coo(sparcl_ctx *ctx, const char *op, const char *name,
                           const sparcl_coo *view, uint32_t flags);
sparcl_status spc_need_rows(sparcl_ctx *ctx, const char *op, const char *name,
                            const sparcl_rows *view, uint32_t flags);
sparcl_status spc_need_bsr(sparcl_ctx *ctx, const char *op, const char *name,
                           const sparcl_bsr *view, uint32_t flags);
sparcl_status spc_need_list(sparcl_ctx *ctx, const char *op, const char *name,
                            const sparcl_list *view, uint32_t flags);

/* Mark a view as having the properties `flags`, for the current contents of its buffers. */
void spc_prove_csr(sparcl_csr *view, uint32_t flags);
/* The entries of the longest row: proven, or given by the caller; else INT64_MAX. */
int64_t spc_csr_longest(const sparcl_csr *view);
void spc_prove_csc(sparcl_csc *view, uint32_t flags);
void spc_prove_coo(sparcl_coo *view, uint32_t flags);
void spc_prove_rows(sparcl_rows *view, uint32_t flags);
void spc_prove_bsr(sparcl_bsr *view, uint32_t flags);
void spc_prove_list(sparcl_list *view, uint32_t flags);

/* Fingerprint of a view's structure and of its index buffers' write counts. */
uint64_t spc_csr_stamp(const sparcl_csr *view);
/* The same for its values: changes when they are written. */
uint64_t spc_csr_values_stamp(const sparcl_csr *view);

/* The bytes of one array, for the check that results do not overlap operands. */
typedef struct spc_span {
    const char *array, *name; /* "the values of A"; array NULL: `name` itself */
    const sparcl_buf *buf;
    int64_t at, bytes;
} spc_span;

spc_span spc_array_span(const char *array, const char *name, const sparcl_buf *buf, int64_t at,
                        int64_t count, size_t size);
/* A dense view's values, with the gaps between its rows. */
spc_span spc_dense_span(const char *name, const sparcl_dense *view);

/* The arrays of a view, and a few more. */
#define SPC_MAX_SPANS (SPARCL_MAX_RANK + 6)
typedef struct spc_spans {
    size_t count;
    spc_span at[SPC_MAX_SPANS];
} spc_spans;

spc_spans spc_csr_spans(const char *name, const sparcl_csr *view);
spc_spans spc_csc_spans(const char *name, const sparcl_csc *view);
spc_spans spc_coo_spans(const char *name, const sparcl_coo *view);
spc_spans spc_rows_spans(const char *name, const sparcl_rows *view);
spc_spans spc_bsr_spans(const char *name, const sparcl_bsr *view);
spc_span spc_list_span(const char *name, const sparcl_list *view);

/* E_ALIAS when the result shares a byte with one of the operands. */
sparcl_status spc_check_alias(sparcl_ctx *ctx, const char *op, const spc_span *result,
                              const spc_span *operands, size_t count);
/* E_ALIAS when two arrays overlap and are not one and the same, element for element. */
sparcl_status spc_check_in_place(sparcl_ctx *ctx, const char *op, const char *result_name,
                                 const sparcl_dense *result, const char *operand_name,
                                 const sparcl_dense *operand);
/* E_ALIAS when a result shares a byte with an operand, or with another result. */
sparcl_status spc_check_spans(sparcl_ctx *ctx, const char *op, const spc_spans *results,
                              const spc_spans *operands);

/* E_SHAPE and E_DTYPE where two views differ; the first dimension that does is named. */
sparcl_status spc_check_same_shape(sparcl_ctx *ctx, const char *op, const char *a_name, int a_rank,
                                   const int64_t *a_shape, const char *b_name, int b_rank,
                                   const int64_t *b_shape);
sparcl_status spc_check_same_dtype(sparcl_ctx *ctx, const char *op, const char *a_name,
                                   sparcl_dtype a, const char *b_name, sparcl_dtype b);
sparcl_status spc_check_same_itype(sparcl_ctx *ctx, const char *op, const char *a_name,
                                   sparcl_itype a, const char *b_name, sparcl_itype b);

/* A packed vector of floats with an element for each of `count` entries, or any number of them
 * where that is negative. */
sparcl_status spc_check_entry_vector(sparcl_ctx *ctx, const char *op, const char *name,
                                     const sparcl_dense *v, int64_t count);

/* The transpose as a CSR view of the same arrays. */
sparcl_csr spc_csc_transposed(const sparcl_csc *view);
/* The pattern of the blocks as a CSR view; its values are the blocks. */
sparcl_csr spc_bsr_pattern(const sparcl_bsr *view);
/* Elements of all blocks. */
int64_t spc_bsr_count(const sparcl_bsr *view);

/* The transpose of a matrix, in the same memory. */
sparcl_dense spc_dense_transposed(const sparcl_dense *view);
/* Leading dimension in elements, also where the view leaves it at 0. */
int64_t spc_dense_ld(const sparcl_dense *view);
/* Elements of a view whose shape is checked, with the gaps between its rows. */
int64_t spc_dense_count(const sparcl_dense *view);
int64_t spc_shape_width(int rank, const int64_t *shape);

#endif
