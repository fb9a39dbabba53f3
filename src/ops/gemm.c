/* gemm.c: dense products: our own kernel, and CLBlast once it has been checked. */
#include "ops/gemm.h"

#include "base/size.h"
#include "device/blas.h"
#include "device/launch.h"
#include "ops/check.h"

/* Multiplications that pay for another CPU worker; rows that a tile has, rows and columns that a
 * GPU group has: see cl/gemm.cl. */
#define CPU_GRAIN  65536
#define CPU_TILE   4
#define CPU_PANEL  32
#define GPU_SQUARE 64
/* Rounds for a block of a row, the folding of its eight sums included (50 seen on llvmpipe). */
#define GEMV_TURNS 50

/* op(A) [m, k] and op(B) [k, n]: how far apart rows and columns of them are. */
typedef struct product {
    const sparcl_dense *a, *b, *c;
    sparcl_op op_a, op_b;
    int64_t m, n, k;
    int64_t a_row, a_step, b_step, b_col;
    double alpha, beta;
} product;

static product describe(const spc_gemm *g) {
    const bool ta = g->op_a == SPARCL_OP_T, tb = g->op_b == SPARCL_OP_T;
    const int64_t lda = spc_dense_ld(g->a), ldb = spc_dense_ld(g->b);
    return (product){.a = g->a,
                     .b = g->b,
                     .c = g->c,
                     .op_a = g->op_a,
                     .op_b = g->op_b,
                     .m = g->c->shape[0],
                     .n = g->c->shape[1],
                     .k = g->a->shape[!ta],
                     .a_row = ta ? 1 : lda,
                     .a_step = ta ? lda : 1,
                     .b_step = tb ? 1 : ldb,
                     .b_col = tb ? ldb : 1,
                     .alpha = g->alpha,
                     .beta = g->beta};
}

static sparcl_status check_ranks(sparcl_ctx *ctx, const sparcl_dense *c, const sparcl_dense *a,
                                 const sparcl_dense *b) {
    const sparcl_dense *const views[] = {c, a, b};
    static const char *const names[] = {"C", "A", "B"};
    for (size_t i = 0; i < SPC_COUNT(views); ++i) {
        SPC_TRY(spc_check_dense(ctx, "gemm", names[i], views[i]));
        if (views[i]->rank != 2)
            return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "gemm: %s has rank %d, wanted 2", names[i],
                                views[i]->rank);
    }
    return SPARCL_OK;
}

static sparcl_status check_enums(sparcl_ctx *ctx, sparcl_op op_a, sparcl_op op_b,
                                 sparcl_math math) {
    if ((op_a != SPARCL_OP_N && op_a != SPARCL_OP_T) ||
        (op_b != SPARCL_OP_N && op_b != SPARCL_OP_T))
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "gemm: op of A is %d and of B %d, wanted N or T",
                            (int)op_a, (int)op_b);
    if (math != SPARCL_MATH_EXACT && math != SPARCL_MATH_FAST)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "gemm: there is no class %d of products", (int)math);
    return SPARCL_OK;
}

static sparcl_status check_product(sparcl_ctx *ctx, const product *p) {
    const spc_span result = spc_dense_span("C", p->c);
    const spc_span operands[] = {spc_dense_span("A", p->a), spc_dense_span("B", p->b)};
    const int64_t a_rows = p->a->shape[p->op_a == SPARCL_OP_T];
    const int64_t b_rows = p->b->shape[p->op_b == SPARCL_OP_T];
    const int64_t b_cols = p->b->shape[p->op_b != SPARCL_OP_T];
    if (a_rows != p->m || b_cols != p->n || b_rows != p->k)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "gemm: op(A) is %lld x %lld, op(B) %lld x %lld, C %lld x %lld",
                            (long long)a_rows, (long long)p->k, (long long)b_rows,
                            (long long)b_cols, (long long)p->m, (long long)p->n);
    if (p->a->dtype != p->c->dtype || p->b->dtype != p->c->dtype)
        return spc_ctx_fail(ctx, SPARCL_E_DTYPE, "gemm: A is f%d, B f%d and C f%d, wanted one type",
                            p->a->dtype ? 64 : 32, p->b->dtype ? 64 : 32, p->c->dtype ? 64 : 32);
    return spc_check_alias(ctx, "gemm", &result, operands, SPC_COUNT(operands));
}

static spc_range find_range(const sparcl_ctx *ctx, const product *p) {
    if (spc_ctx_is_gpu(ctx))
        return spc_range_groups(ctx, p->n == 1 ? spc_ceil_div(p->m, SPC_GROUP / 8)
                                               : spc_ceil_div(p->m, GPU_SQUARE) *
                                                     spc_ceil_div(p->n, GPU_SQUARE));
    const double work = (double)p->m * (double)p->n * (double)p->k; /* may exceed int64 */
    const int64_t units = work < 1e18 ? (int64_t)work : (int64_t)1e18;
    const int64_t tiles = spc_ceil_div(p->m, CPU_TILE) * spc_ceil_div(p->n, CPU_PANEL);
    return spc_range_groups(ctx, spc_min_i64(tiles, spc_workers(ctx, units, CPU_GRAIN)));
}

/* The transpose of a view in scratch memory, without gaps. */
static sparcl_status transpose(sparcl_ctx *ctx, const sparcl_dense *from, sparcl_dense *to) {
    const int64_t rows = from->shape[1], cols = from->shape[0];
    *to = (sparcl_dense){.rank = 2, .dtype = from->dtype, .shape = {rows, cols}};
    SPC_TRY(spc_scratch_push(ctx, &to->values, rows * cols, sparcl_dtype_size(from->dtype)));
    return SPC_LAUNCH(ctx, "panel+gemm", spc_options(from->dtype, SPARCL_I32, SPARCL_I32),
                      "transpose", spc_range_each(ctx, rows * cols), SPC_IN(from->values),
                      SPC_I64(from->values_at), SPC_I64(spc_dense_ld(from)), SPC_OUT(to->values),
                      SPC_I64(rows), SPC_I64(cols));
}

/* Wide cores read op(A) along k and op(B) in vectors along its columns: what lies the other way is
 * turned first. (One column has kernels for both.) */
static sparcl_status turn_operands(sparcl_ctx *ctx, product *p, sparcl_dense turned[2]) {
    if (spc_ctx_is_gpu(ctx) || p->n == 1 || p->k == 0) return SPARCL_OK;
    if (p->op_a == SPARCL_OP_T) {
        SPC_TRY(transpose(ctx, p->a, &turned[0]));
        p->a = &turned[0];
        p->a_row = p->k;
        p->a_step = 1;
    }
    if (p->op_b == SPARCL_OP_T) {
        SPC_TRY(transpose(ctx, p->b, &turned[1]));
        p->b = &turned[1];
        p->b_step = p->n;
        p->b_col = 1;
    }
    return SPARCL_OK;
}

/* Rounds of the loops of one work-item: the rows of a tile of gemv are added one after another; in
 * gemm, one after another, the vectors that the columns of a panel are cut into. A lane of a GPU
 * group also goes over its part of local memory. */
static int64_t find_turns(const sparcl_ctx *ctx, const product *p) {
    if (p->k > INT32_MAX) return p->k;
    if (spc_ctx_is_gpu(ctx)) return p->n == 1 ? p->k / 7 : p->k * 11;
    if (p->n == 1) return spc_min_i64(p->m, 16) * spc_ceil_div(p->k, 256) * GEMV_TURNS;
    int vectors = 0;
    for (int64_t rest = p->n % CPU_PANEL; rest > 0; rest /= 2)
        vectors += (int)(rest % 2);
    return spc_max_i64(1, vectors) * (p->k + spc_ceil_div(p->k, 256) + CPU_TILE);
}

static sparcl_status run_exact(sparcl_ctx *ctx, product p) {
    const int mark = spc_scratch_mark(ctx);
    const sparcl_dtype dtype = p.c->dtype;
    sparcl_dense turned[2];
    sparcl_status status = SPARCL_OK;
    SPC_GO(turn_operands(ctx, &p, turned));
    SPC_GO(SPC_LAUNCH(ctx, "panel+gemm", spc_options(dtype, SPARCL_I32, SPARCL_I32),
                      p.n == 1 ? "gemv" : "gemm", find_range(ctx, &p), SPC_IN(p.a->values),
                      SPC_I64(p.a->values_at), SPC_I64(p.a_row), SPC_I64(p.a_step),
                      SPC_IN(p.b->values), SPC_I64(p.b->values_at), SPC_I64(p.b_step),
                      SPC_I64(p.b_col), SPC_OUT(p.c->values), SPC_I64(p.c->values_at),
                      SPC_I64(spc_dense_ld(p.c)), SPC_I64(p.m), SPC_I64(p.n), SPC_I64(p.k),
                      SPC_REAL(dtype, p.alpha), SPC_REAL(dtype, p.beta)));
done:
    spc_scratch_release(ctx, mark);
    return status;
}

static bool run_fast(sparcl_ctx *ctx, const product *p) {
    if (p->k == 0) return false;
    const spc_blas_job job = {.dtype = p->c->dtype,
                              .transpose_a = p->op_a == SPARCL_OP_T,
                              .transpose_b = p->op_b == SPARCL_OP_T,
                              .m = p->m,
                              .n = p->n,
                              .k = p->k,
                              .alpha = p->alpha,
                              .beta = p->beta,
                              .a = p->a->values,
                              .b = p->b->values,
                              .c = p->c->values,
                              .a_at = p->a->values_at,
                              .b_at = p->b->values_at,
                              .c_at = p->c->values_at,
                              .lda = spc_dense_ld(p->a),
                              .ldb = spc_dense_ld(p->b),
                              .ldc = spc_dense_ld(p->c)};
    return spc_blas_gemm(ctx, &job);
}

bool spc_gemm_fast(sparcl_ctx *ctx, const spc_gemm *g) {
    const product p = describe(g);
    return run_fast(ctx, &p);
}

/* The first time that a type is asked for on a context: is CLBlast there, and is it right? */
static bool fast_is_good(sparcl_ctx *ctx, sparcl_dtype dtype) {
    if (spc_blas_get(ctx, dtype) == SPC_BLAS_UNKNOWN) {
        const sparcl_error last = *sparcl_ctx_error(ctx);
        const char *why = spc_gemm_check(ctx, dtype);
        spc_ctx_set_error(ctx, &last); /* what fails there is no failure of the call */
        spc_blas_set(ctx, dtype, why ? SPC_BLAS_BAD : SPC_BLAS_GOOD);
        if (why)
            spc_ctx_log(
                ctx, SPARCL_LOG_WARNING,
                "gemm: the fast class for f%d is not offered on %s, since %s; such products "
                "are done as exact",
                dtype ? 64 : 32, sparcl_ctx_device(ctx)->name, why);
    }
    return spc_blas_get(ctx, dtype) == SPC_BLAS_GOOD;
}

sparcl_status sparcl_gemm(sparcl_ctx *ctx, const sparcl_dense *c, double alpha, sparcl_op op_a,
                          const sparcl_dense *a, sparcl_op op_b, const sparcl_dense *b, double beta,
                          sparcl_math math) {
    SPC_TRY(check_enums(ctx, op_a, op_b, math));
    SPC_TRY(check_ranks(ctx, c, a, b));
    const spc_gemm g = {c, a, b, op_a, op_b, alpha, beta};
    const product p = describe(&g);
    SPC_TRY(check_product(ctx, &p));
    SPC_TRY(spc_check_turns(ctx, "gemm", find_turns(ctx, &p)));
    if (p.m == 0 || p.n == 0) return SPARCL_OK;
    if (math == SPARCL_MATH_FAST && fast_is_good(ctx, c->dtype) && run_fast(ctx, &p))
        return SPARCL_OK;
    return run_exact(ctx, p);
}
