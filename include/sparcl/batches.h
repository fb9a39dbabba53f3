/* batches.h: batches of rows of a matrix, with their patterns, made together. */
#ifndef SPARCL_BATCHES_H
#define SPARCL_BATCHES_H

#include "sparcl/ops.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The next batches of a training: the rows of a CSR matrix that a list names, a number of them in
 * each batch, and the pattern of each. All are selected and sorted together, by batch and column,
 * in a launch more than one takes by sparcl_csr_select_rows and sparcl_pattern_build; each is then
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
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_batches_create(sparcl_ctx *ctx,
                                                                 sparcl_batches **batches);
/** NULL is allowed. Must come before the context is closed. */
SPARCL_API void sparcl_batches_free(sparcl_batches *batches);

/**
 * How many of the next batches of a matrix, with these numbers of entries, should be selected
 * together on this device. Less than 2: batches are made faster one by one (with kernels for CPUs,
 * and where types are not those of sparcl_batches_select). As many as their memory allows: 40 bytes
 * per entry, 1/64 of the device's and at most 160 MiB (with fields a tenth more).
 */
SPARCL_API int64_t sparcl_batches_fit(const sparcl_ctx *ctx, const sparcl_csr *from,
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
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_batches_select(
    sparcl_ctx *ctx, sparcl_batches *batches, const sparcl_csr *from, const sparcl_list *fields,
    const sparcl_list *list, int64_t rows, const int64_t *entries);

/**
 * x := batch i, and the pattern of x, with its values; and, where it is not NULL, fields := those
 * of its entries.
 *
 * Shapes    x->rows and x->nnz are those of the batch, x->cols is that of the matrix;
 *           fields->count = x->nnz, fields->limit is that of the selected ones.
 * Types     x has the dtype and the index type of the matrix; any offset type. fields: 32 bits.
 * Result    the same bits as by sparcl_csr_select_rows and sparcl_pattern_build.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_ARG (there is no such batch, or fields were not selected), E_SHAPE, E_DTYPE,
 * E_MEMORY.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_batches_take(sparcl_ctx *ctx,
                                                               const sparcl_batches *batches,
                                                               int64_t i, sparcl_csr *x,
                                                               const sparcl_list *fields,
                                                               sparcl_pattern *pattern);

#ifdef __cplusplus
}
#endif

#endif
