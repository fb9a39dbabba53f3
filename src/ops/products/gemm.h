/* gemm.h: a dense product, and the check of CLBlast against our own kernel. */
#ifndef SPC_OPS_GEMM_H
#define SPC_OPS_GEMM_H

#include <stdbool.h>

#include "sparcl/ops/products.h"

/* The arguments of sparcl_gemm. */
typedef struct spc_gemm {
    const sparcl_dense *c, *a, *b;
    sparcl_op op_a, op_b;
    double alpha, beta;
} spc_gemm;

/* The product of checked views by our own kernel, or by CLBlast: false if CLBlast rejects it. */
sparcl_status spc_gemm_exact(sparcl_ctx *ctx, const spc_gemm *g);
bool spc_gemm_fast(sparcl_ctx *ctx, const spc_gemm *g);
/* Maximum loop iterations of one work-item of our own kernel. */
int64_t spc_gemm_iterations(const sparcl_ctx *ctx, const spc_gemm *g);

/* Compare some products by CLBlast with the exact ones; waits. NULL if all are right, else why the
 * fast class is not available. */
const char *spc_gemm_check(sparcl_ctx *ctx, sparcl_dtype dtype);

#endif
