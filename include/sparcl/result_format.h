/* result_format.h: the format of a result, from the operation and the formats of its operands. */
#ifndef SPARCL_RESULT_FORMAT_H
#define SPARCL_RESULT_FORMAT_H

#include "sparcl/status.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What an operation does, as far as the format of its result depends on it. */
typedef enum sparcl_format_of {
    SPARCL_FORMAT_OF_MATMUL = 0,   /**< the product of two matrices, as they are */
    SPARCL_FORMAT_OF_MATMUL_T = 1, /**< transpose(A) * B */
    SPARCL_FORMAT_OF_SDDMM = 2,    /**< a pattern, and two dense factors */
    SPARCL_FORMAT_OF_SUM = 3,      /**< a sum, or difference, of any number of arrays */
    SPARCL_FORMAT_OF_MULTIPLY = 4, /**< the product of two arrays element by element */
    SPARCL_FORMAT_OF_BROADCAST =
        5, /**< a matrix times, or divided by, a dense vector for its rows or columns */
    SPARCL_FORMAT_OF_SCALE = 6,         /**< times or divided by a number */
    SPARCL_FORMAT_OF_SHIFT = 7,         /**< plus a number that is not 0, and what else changes 0 */
    SPARCL_FORMAT_OF_ZERO_FUNCTION = 8, /**< f of each element, f(0) = 0; clip with 0 inside */
    SPARCL_FORMAT_OF_FUNCTION = 9,      /**< f of each element, f(0) is not 0 */
    SPARCL_FORMAT_OF_REDUCTION = 10,    /**< sums, maxima, ... of rows, columns or all elements */
    SPARCL_FORMAT_OF_SOFTMAX = 11,      /**< of the stored entries of rows */
    SPARCL_FORMAT_OF_SELECTION = 12,    /**< slices, selections, concatenation, reshape */
    SPARCL_FORMAT_OF_EMBEDDING_GRADIENT = 13 /**< by the table that is the operand */
} sparcl_format_of;

/**
 * *result := the format that the result has, as MXNet infers storage types, but never a dense one
 * of sparse arrays alone where there is a sparse one. docs/operations has the table, and which
 * function computes what. CSR results of SDDMM, BROADCAST, SCALE, ZERO_FUNCTION and SOFTMAX have
 * the pattern of their operand: the function gives their values. The transposed product can be
 * dense, too, where the caller's view is.
 *
 * Errors    E_UNSUPPORTED: no function has these operands, or the result would be dense: convert
 *           first (sparcl_csr_to_dense, ...); E_ARG: an unknown operation, NULL, or not as many
 *           operands as the operation has. *result is then unchanged.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_result_format(sparcl_format_of operation,
                                                                const sparcl_format *operands,
                                                                int count, sparcl_format *result);

#ifdef __cplusplus
}
#endif

#endif
