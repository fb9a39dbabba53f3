/* sparse_network.h: inference of deep networks with sparse weights (libsparcl-train). */
#ifndef SPARCL_SPARSE_NETWORK_H
#define SPARCL_SPARSE_NETWORK_H

#include "sparcl/context.h"
#include "sparcl/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A network of the GraphChallenge (Kepner et al., Sparse Deep Neural Network Graph Challenge,
 * 2019). */
typedef struct sparcl_sparse_network {
    const sparcl_data *const *layers; /**< [count]: weights [inputs, outputs] of each layer */
    int count;                        /**< at least 1 */
    int repeats;                      /**< the layers are run this many times, at least once */
    double bias; /**< added to each element of a product that is not 0; at most 0, so that elements
                      that are 0 stay 0 */
    double cap;  /**< results are at most this, at least 0 */
} sparcl_sparse_network;

/**
 * Apply a network: for each layer Y := min(cap, max(0, Y W + bias)), from the rows of `inputs` on,
 * in F32. *result has the elements that are not 0 of the last Y, without labels. Blocks of rows are
 * dense on the device.
 *
 * Errors    E_ARG: a pointer is NULL, or a number is not as above; E_FORMAT: a layer has not as
 * many inputs as the one before has outputs; E_MEMORY; errors of the core. *result is then NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status
sparcl_sparse_network_apply(sparcl_ctx *ctx, const sparcl_sparse_network *network,
                            const sparcl_data *inputs, sparcl_data **result, sparcl_error *error);

#ifdef __cplusplus
}
#endif

#endif
