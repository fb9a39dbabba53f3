/* ops.h: the operations, a header for each kind. Each checks its arguments on the host, then
 * enqueues; none waits for the device. */
#ifndef SPARCL_OPS_H
#define SPARCL_OPS_H

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

#include "sparcl/ops/conversions.h"
#include "sparcl/ops/elements.h"
#include "sparcl/ops/layers.h"
#include "sparcl/ops/losses.h"
#include "sparcl/ops/products.h"
#include "sparcl/ops/reductions.h"
#include "sparcl/ops/structure.h"

#endif
