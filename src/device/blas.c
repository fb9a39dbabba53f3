/* blas.c: dense products by CLBlast; the only file that knows it. */
#include "device/blas.h"

#include "device/ctx_impl.h"

/* ctx->fast_state: two bits a type, and whether CLBlast was called. */
#define STATE_MASK 3
#define USED       16

static int shift_of(sparcl_dtype dtype) {
    return dtype == SPARCL_F64 ? 2 : 0;
}

spc_blas_state spc_blas_get(const sparcl_ctx *ctx, sparcl_dtype dtype) {
    return (spc_blas_state)(ctx->fast_state >> shift_of(dtype) & STATE_MASK);
}

void spc_blas_set(sparcl_ctx *ctx, sparcl_dtype dtype, spc_blas_state state) {
    ctx->fast_state &= ~(STATE_MASK << shift_of(dtype));
    ctx->fast_state |= (int)state << shift_of(dtype);
}

#if SPC_HAVE_CLBLAST

#include <clblast_c.h>

static CLBlastTranspose transposed(bool yes) {
    return yes ? CLBlastTransposeYes : CLBlastTransposeNo;
}

#define CALL(function, type)                                                                       \
    function(CLBlastLayoutRowMajor, transposed(job->transpose_a), transposed(job->transpose_b),    \
             (size_t)job->m, (size_t)job->n, (size_t)job->k, (type)job->alpha, job->a->memory,     \
             (size_t)job->a_at, (size_t)job->lda, job->b->memory, (size_t)job->b_at,               \
             (size_t)job->ldb, (type)job->beta, job->c->memory, (size_t)job->c_at,                 \
             (size_t)job->ldc, &ctx->cl_queue, NULL)

bool spc_blas_gemm(sparcl_ctx *ctx, const spc_blas_job *job) {
    ctx->fast_state |= USED;
    const CLBlastStatusCode code =
        job->dtype == SPARCL_F64 ? CALL(CLBlastDgemm, double) : CALL(CLBlastSgemm, float);
    sparcl_buf_touched(job->c);
    if (code != CLBlastSuccess)
        spc_ctx_log(ctx, SPARCL_LOG_DEBUG, "CLBlast refuses a product: code %d", (int)code);
    return code == CLBlastSuccess;
}

void spc_blas_close(sparcl_ctx *ctx) {
    if (ctx->fast_state & USED) CLBlastClearCache();
}

#else

bool spc_blas_gemm(sparcl_ctx *ctx, const spc_blas_job *job) {
    (void)ctx;
    (void)job;
    return false;
}

void spc_blas_close(sparcl_ctx *ctx) {
    (void)ctx;
}

#endif
