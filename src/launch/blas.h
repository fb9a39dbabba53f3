/* blas.h: dense products by CLBlast, and whether a context can use them. */
#ifndef SPC_LAUNCH_BLAS_H
#define SPC_LAUNCH_BLAS_H

#include "device/ctx.h"

/* C := alpha * op(A) * op(B) + beta * C, row-major; m, n and k are at least 1. */
typedef struct spc_blas_job {
    sparcl_dtype dtype;
    bool transpose_a, transpose_b;
    int64_t m, n, k;
    double alpha, beta;
    const sparcl_buf *a, *b;
    sparcl_buf *c;
    int64_t a_at, b_at, c_at; /* elements */
    int64_t lda, ldb, ldc;
} spc_blas_job;

typedef enum spc_blas_state {
    SPC_BLAS_UNKNOWN = 0, /* not checked yet on this context */
    SPC_BLAS_GOOD = 1,
    SPC_BLAS_BAD = 2 /* absent, rejected or wrong */
} spc_blas_state;

spc_blas_state spc_blas_get(const sparcl_ctx *ctx, sparcl_dtype dtype);
void spc_blas_set(sparcl_ctx *ctx, sparcl_dtype dtype, spc_blas_state state);

/* Enqueue the product; false if this build has no CLBlast, or CLBlast rejects it: C is then
 * unchanged. */
bool spc_blas_gemm(sparcl_ctx *ctx, const spc_blas_job *job);

#endif
