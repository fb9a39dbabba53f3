/* blas.h: dense products by CLBlast, and what is known of them on a context. */
#ifndef SPC_LAUNCH_BLAS_H
#define SPC_LAUNCH_BLAS_H

#include "device/ctx.h"

/* C := alpha * op(A) * op(B) + beta * C, by rows; m, n and k are at least 1. */
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
    SPC_BLAS_UNKNOWN = 0, /* never asked for on this context */
    SPC_BLAS_GOOD = 1,
    SPC_BLAS_BAD = 2 /* absent, refused or wrong */
} spc_blas_state;

spc_blas_state spc_blas_get(const sparcl_ctx *ctx, sparcl_dtype dtype);
void spc_blas_set(sparcl_ctx *ctx, sparcl_dtype dtype, spc_blas_state state);

/* Enqueue the product; false where this build has no CLBlast or it refuses: C is then untouched. */
bool spc_blas_gemm(sparcl_ctx *ctx, const spc_blas_job *job);

#endif
