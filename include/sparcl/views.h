/* views.h: calls that create all buffers of a view, fill them from the host, read them back and
 * free them. */
#ifndef SPARCL_VIEWS_H
#define SPARCL_VIEWS_H

#include "sparcl/context.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The caller fills in the description of a view (shape, types, number of entries), and then creates
 * its buffers:
 *
 *     sparcl_csr a = {.rows = 1000, .cols = 600, .nnz = 3000};
 *     sparcl_dense b = {.rank = 2, .shape = {600, 4}}, c = {.rank = 2, .shape = {1000, 4}};
 *     status = sparcl_csr_upload(ctx, &a, offsets, indices, values, 0);
 *     status = sparcl_dense_upload(ctx, &b, b_host);
 *     status = sparcl_dense_create(ctx, &c);
 *     status = sparcl_spmm(ctx, &c, 1, &a, &b, 0);
 *     status = sparcl_dense_read(ctx, &c, c_host);
 *     sparcl_csr_free(&a);
 *
 * A view still owns nothing: it may be copied, but only one of the copies may be freed.
 */

/**
 * Create the buffers of a view that are NULL. A sparse view becomes an array without entries, with
 * the capacity that it states, for the result of an operation.
 *
 * Shapes    of the view, as the caller has filled it in. A new buffer has the size that its array
 *           needs from its `..._at` on, which may be 0 bytes. A buffer that the view already has is
 *           kept, and must be large enough for its array. coo and rows also get their `count`.
 * Types     of the view, as the caller has filled them in: every element type; F64 needs a device
 *           that has it.
 * Aliasing  each array gets a new buffer of its own.
 * Result    dense and list: elements are unspecified, and the list is unproven. csr, csc and bsr:
 *           all offsets are 0. coo and rows: the count is 0. These five are marked VALID, SORTED
 *           and UNIQUE.
 * Host      returns after enqueueing; never waits for the device. A forecast counts the buffers.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_UNSUPPORTED: nothing was enqueued. E_MEMORY, E_BUILD,
 *           E_OPENCL. On every error the view is unchanged, and buffers that the call created are
 *           freed.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_dense_create(sparcl_ctx *ctx, sparcl_dense *view);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_create(sparcl_ctx *ctx, sparcl_csr *view);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csc_create(sparcl_ctx *ctx, sparcl_csc *view);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_create(sparcl_ctx *ctx, sparcl_coo *view);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_create(sparcl_ctx *ctx, sparcl_rows *view);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_bsr_create(sparcl_ctx *ctx, sparcl_bsr *view);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_list_create(sparcl_ctx *ctx, sparcl_list *view);

/**
 * As sparcl_dense_create, with every element 0.
 *
 * Shapes    as sparcl_dense_create.
 * Types     as sparcl_dense_create.
 * Aliasing  as sparcl_dense_create. In a buffer that is kept, only the elements of the view are
 *           written, not the gaps between its rows.
 * Result    +0 in every element.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    as sparcl_dense_create.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_dense_zeros(sparcl_ctx *ctx, sparcl_dense *view);

/**
 * Create the buffers of a view that are NULL, and copy host arrays into them.
 *
 * The host arrays are packed, in the types of the view. `dense`: all elements, row-major, without
 * gaps, for any `ld`. `rows`: as in sparcl_rows. `coo`: indices[d] is the array of dimension d. An
 * array without elements may be NULL.
 *
 * Shapes    as the create functions; the arrays have as many elements as the view states. No
 *           `count` is created: all nnz entries, or nnr rows, are stored. A `count` that the view
 *           already has becomes that number.
 * Types     as the create functions.
 * Aliasing  the host arrays must not be memory that a buffer of the context uses itself (E_ALIAS).
 *           In a buffer that is kept, only the elements of the view are written.
 * Result    a sparse view is validated as by sparcl_csr_validate with `want`, and what was
 *           proven is stored in it: VALID always, and SORTED and UNIQUE where they hold. A view
 *           that the caller has marked TRUSTED is not validated, and keeps its proof, unless `want`
 *           has a property that this proof lacks.
 * Scratch   that of validation (tensor.h), if the view is validated.
 * Host      waits for the device: the host arrays may be reused when the call returns.
 * Errors    E_DATA: the arrays are invalid; the message names the first bad position. E_ARG: a host
 *           array is NULL, or `want` is invalid. E_ALIAS, and those of the create functions. On
 *           every error the view is unchanged, and buffers that the call created are freed; in
 *           buffers that are kept, the view's elements are then unspecified.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_dense_upload(sparcl_ctx *ctx, sparcl_dense *view,
                                                               const void *values);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_upload(sparcl_ctx *ctx, sparcl_csr *view,
                                                             const void *offsets,
                                                             const void *indices,
                                                             const void *values, uint32_t want);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csc_upload(sparcl_ctx *ctx, sparcl_csc *view,
                                                             const void *offsets,
                                                             const void *indices,
                                                             const void *values, uint32_t want);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_upload(sparcl_ctx *ctx, sparcl_coo *view,
                                                             const void *const *indices,
                                                             const void *values, uint32_t want);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_upload(sparcl_ctx *ctx, sparcl_rows *view,
                                                              const void *indices,
                                                              const void *values, uint32_t want);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_bsr_upload(sparcl_ctx *ctx, sparcl_bsr *view,
                                                             const void *offsets,
                                                             const void *indices,
                                                             const void *values, uint32_t want);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_list_upload(sparcl_ctx *ctx, sparcl_list *view,
                                                              const void *indices, uint32_t want);

/**
 * Copy a view to host arrays, packed as for the upload functions; an array that is NULL is skipped.
 *
 * Shapes    the host arrays have space for every element that the view states. The number of
 *           entries, blocks or rows that are written is the last offset for csr, csc and bsr, and
 *           the count on the device for coo and rows; it is also written to *nnz, *nnzb or *nnr,
 *           which may be NULL.
 * Types     those of the view.
 * Aliasing  the host arrays must not be memory that a buffer of the context uses itself (E_ALIAS).
 * Result    the same bytes as on the device; the view need not be proven. In a forecast there are
 *           no entries, and offsets and elements are 0.
 * Host      waits for all work enqueued before: the arrays may be used when the call returns.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_UNSUPPORTED: nothing was written. E_DATA: the count, or the
 *           last offset, is below 0 or above the capacity. E_ALIAS, E_MEMORY, E_BUILD, E_OPENCL.
 *           The contents of the host arrays are then unspecified, and the number is 0.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_dense_read(sparcl_ctx *ctx,
                                                             const sparcl_dense *view,
                                                             void *values);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_read(sparcl_ctx *ctx, const sparcl_csr *view,
                                                           void *offsets, void *indices,
                                                           void *values, int64_t *nnz);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csc_read(sparcl_ctx *ctx, const sparcl_csc *view,
                                                           void *offsets, void *indices,
                                                           void *values, int64_t *nnz);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_read(sparcl_ctx *ctx, const sparcl_coo *view,
                                                           void *const *indices, void *values,
                                                           int64_t *nnz);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_read(sparcl_ctx *ctx,
                                                            const sparcl_rows *view, void *indices,
                                                            void *values, int64_t *nnr);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_bsr_read(sparcl_ctx *ctx, const sparcl_bsr *view,
                                                           void *offsets, void *indices,
                                                           void *values, int64_t *nnzb);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_list_read(sparcl_ctx *ctx,
                                                            const sparcl_list *view, void *indices);

/**
 * Free the buffers of a view, and set them to NULL.
 *
 * Shapes    stay, so that the buffers can be created again.
 * Types     stay.
 * Aliasing  a buffer that the view has several times is freed once; other views that have it must
 *           not be used or freed any more.
 * Result    a view without buffers, and without a proof (TRUSTED included). NULL, and buffers that
 *           are NULL, are allowed: it is legal to free a view twice, or one whose buffers were
 *           never created.
 * Host      as sparcl_buf_free: the memory is kept until the work that uses it is complete; waits
 *           only for buffers made by sparcl_buf_wrap.
 * Errors    none.
 */
SPARCL_API void sparcl_dense_free(sparcl_dense *view);
SPARCL_API void sparcl_csr_free(sparcl_csr *view);
SPARCL_API void sparcl_csc_free(sparcl_csc *view);
SPARCL_API void sparcl_coo_free(sparcl_coo *view);
SPARCL_API void sparcl_rows_free(sparcl_rows *view);
SPARCL_API void sparcl_bsr_free(sparcl_bsr *view);
SPARCL_API void sparcl_list_free(sparcl_list *view);

#ifdef __cplusplus
}
#endif

#endif
