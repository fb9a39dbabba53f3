/* sampling.h: indices that are drawn at random. */
#ifndef SPARCL_SAMPLING_H
#define SPARCL_SAMPLING_H

#include "sparcl/ops.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Columns that rows of a sparse matrix do not have: negative examples, such as items that a user
 * does not know.
 *
 * to[t] := a column from `first` on that row rows[t] of A does not store. For c = 0 .. 15 column
 * first + floor(w * (A.cols - first) / 2^32) is drawn, where w is word c % 4 of the four that
 * Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; 2011)
 * makes of the key `seed` and the counter whose words are the lower one of t, the upper one of t
 * plus 65536 * (c / 4), and both of `offset`. The first that the row does not store is the result;
 * if it stores all 16, the next column after the last one that it does not store, where `first`
 * follows the last column; if it stores all columns, the last one drawn.
 *
 * Shapes    A m x n, of which only the pattern is read, first 0 to n - 1, n at most 2^32; rows: a
 *           list with the limit m; to: as many, with the limit n.
 * Types     any; the lists may have other index types than A.
 * Aliasing  `to` must not overlap an operand.
 * Result    the same everywhere. `to` is marked VALID.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE; E_DTYPE; E_ALIAS; E_ARG: `first` is not as above; E_UNCHECKED: A must be
 * proven or trusted to be VALID, SORTED and UNIQUE, rows to be VALID.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_negative_samples(sparcl_ctx *ctx, sparcl_list *to,
                                                                   const sparcl_csr *a,
                                                                   const sparcl_list *rows,
                                                                   int64_t first, uint64_t seed,
                                                                   uint64_t offset);

#ifdef __cplusplus
}
#endif

#endif
