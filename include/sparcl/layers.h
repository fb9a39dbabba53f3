/* layers.h: dense layers beside embeddings: dropout. */
#ifndef SPARCL_LAYERS_H
#define SPARCL_LAYERS_H

#include "sparcl/context.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * y := x / (1 - p) where the mask keeps the element, else 0, whatever x is. An element is kept with
 * probability 1 - p. The gradient of x is the same call on the gradient of y.
 *
 * The mask is a function of seed, offset and the number e of an element, counted row by row without
 * gaps: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3;
 * 2011) with the key `seed` and the counter c + 2^64 * offset, where c = 16 (e / 64) + e mod 16;
 * its word (e / 16) mod 4 is less than p * 2^32, rounded, where the element is dropped. Another
 * offset for each call gives independent masks.
 *
 * Shapes    x and y of one shape, of any rank.
 * Types     one dtype: F32, F64, F16 or BF16.
 * Order     one product with 1 / (1 - p), which is computed in double and rounded.
 * Aliasing  y may be the array of x itself (not a part of it); nothing else may overlap.
 * Result    the same bits everywhere.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS; E_ARG: p is not in 0 .. 1.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_dropout(sparcl_ctx *ctx, const sparcl_dense *y,
                                                          const sparcl_dense *x, double p,
                                                          uint64_t seed, uint64_t offset);

#ifdef __cplusplus
}
#endif

#endif
