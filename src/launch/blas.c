/* blas.c: dense products by CLBlast; no other file uses it. */
#include "launch/blas.h"

#include "device/ctx_impl.h"
#include "device/profiler.h"

spc_blas_state spc_blas_get(const sparcl_ctx *ctx, sparcl_dtype dtype) {
    return (spc_blas_state)ctx->blas.state[dtype == SPARCL_F64];
}

void spc_blas_set(sparcl_ctx *ctx, sparcl_dtype dtype, spc_blas_state state) {
    ctx->blas.state[dtype == SPARCL_F64] = (int)state;
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
             (size_t)job->ldc, &ctx->cl_queue, spc_profile_event(ctx))

/* CLBlast has a cache of programs, which keep references to the OpenCL context. */
static void clear_cache(sparcl_ctx *ctx) {
    (void)ctx;
    CLBlastClearCache();
}

bool spc_blas_gemm(sparcl_ctx *ctx, const spc_blas_job *job) {
    if (job->c->is_const) return false; /* our kernel, which is then tried, says it */
    if (ctx->forecast) {
        sparcl_buf_touched(job->c);
        return true;
    }
    spc_ctx_on_close(ctx, clear_cache);
    const CLBlastStatusCode code =
        job->dtype == SPARCL_F64 ? CALL(CLBlastDgemm, double) : CALL(CLBlastSgemm, float);
    sparcl_buf_touched(job->c);
    spc_profile_kernel(ctx, code == CLBlastSuccess ? CL_SUCCESS : CL_INVALID_OPERATION, "clblast",
                       false, 0, 0);
    ctx->launches += code == CLBlastSuccess;
    if (code == CLBlastSuccess) return true;
    /* During the check, its caller logs the warning. */
    if (spc_blas_get(ctx, job->dtype) == SPC_BLAS_GOOD && !ctx->blas.refusal_reported) {
        ctx->blas.refusal_reported = true;
        spc_ctx_log(ctx, SPARCL_LOG_WARNING,
                    "gemm: CLBlast rejects a product of %lld x %lld by %lld x %lld with code %d; "
                    "such products use the exact class",
                    (long long)job->m, (long long)job->k, (long long)job->k, (long long)job->n,
                    (int)code);
    }
    return false;
}

#else

bool spc_blas_gemm(sparcl_ctx *ctx, const spc_blas_job *job) {
    (void)ctx;
    (void)job;
    return false;
}

#endif
