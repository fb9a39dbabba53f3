/* gemm.c: dense products: the checks, and the choice between the exact and the fast class. */
#include "ops/products/gemm.h"

#include "launch/blas.h"
#include "launch/range.h"
#include "launch/scratch.h"
#include "ops/products/row_major.h"
#include "ops/shared/halves.h"
#include "sparcl/ops/elements.h"
#include "sparcl/ops/products.h"

static sparcl_status check_ranks(sparcl_ctx *ctx, const sparcl_dense *c, const sparcl_dense *a,
                                 const sparcl_dense *b) {
    const sparcl_dense *const views[] = {c, a, b};
    static const char *const names[] = {"C", "A", "B"};
    for (size_t i = 0; i < SPC_COUNT(views); ++i) {
        SPC_TRY(spc_check_dense_of(ctx, "gemm", names[i], views[i], SPC_FLOATS | SPC_ANY_ORDER));
        if (views[i]->rank != 2)
            return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "gemm: %s has rank %d, expected 2", names[i],
                                views[i]->rank);
    }
    return SPARCL_OK;
}

static sparcl_status check_enums(sparcl_ctx *ctx, sparcl_op op_a, sparcl_op op_b,
                                 sparcl_math math) {
    if ((op_a != SPARCL_OP_N && op_a != SPARCL_OP_T) ||
        (op_b != SPARCL_OP_N && op_b != SPARCL_OP_T))
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "gemm: op of A is %d and of B %d, expected N or T",
                            (int)op_a, (int)op_b);
    if (math != SPARCL_MATH_EXACT && math != SPARCL_MATH_FAST)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "gemm: math is %d, expected SPARCL_MATH_EXACT or FAST", (int)math);
    return SPARCL_OK;
}

static sparcl_status check_product(sparcl_ctx *ctx, const spc_gemm *p) {
    const int64_t m = p->c->shape[0], n = p->c->shape[1], k = p->a->shape[p->op_a != SPARCL_OP_T];
    const spc_span result = spc_dense_span("C", p->c);
    const spc_span operands[] = {spc_dense_span("A", p->a), spc_dense_span("B", p->b)};
    const int64_t a_rows = p->a->shape[p->op_a == SPARCL_OP_T];
    const int64_t b_rows = p->b->shape[p->op_b == SPARCL_OP_T];
    const int64_t b_cols = p->b->shape[p->op_b != SPARCL_OP_T];
    if (a_rows != m || b_cols != n || b_rows != k)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "gemm: op(A) is %lld x %lld, op(B) %lld x %lld, C %lld x %lld",
                            (long long)a_rows, (long long)k, (long long)b_rows, (long long)b_cols,
                            (long long)m, (long long)n);
    if (p->a->dtype != p->c->dtype || p->b->dtype != p->c->dtype)
        return spc_ctx_fail(ctx, SPARCL_E_DTYPE, "gemm: A is %s, B %s and C %s, expected one type",
                            spc_dtype_name(p->a->dtype), spc_dtype_name(p->b->dtype),
                            spc_dtype_name(p->c->dtype));
    return spc_check_alias(ctx, "gemm", &result, operands, SPC_COUNT(operands));
}

/* Is CLBlast available, and are its results right? Checked once per type and context. */
static bool fast_is_available(sparcl_ctx *ctx, sparcl_dtype dtype) {
    if (spc_blas_get(ctx, dtype) == SPC_BLAS_UNKNOWN) {
        const sparcl_error last = *sparcl_ctx_error(ctx);
        const char *why = spc_gemm_check(ctx, dtype);
        spc_ctx_set_error(ctx, &last); /* a failure of the check is no failure of this call */
        spc_blas_set(ctx, dtype, why ? SPC_BLAS_BAD : SPC_BLAS_GOOD);
        if (why)
            spc_ctx_log(
                ctx, SPARCL_LOG_WARNING,
                "gemm: the fast class for f%d is not available on %s, since %s; such products "
                "use the exact class",
                dtype ? 64 : 32, sparcl_ctx_device(ctx)->name, why);
    }
    return spc_blas_get(ctx, dtype) == SPC_BLAS_GOOD;
}

static sparcl_status multiply(sparcl_ctx *ctx, const spc_gemm *g, sparcl_math math) {
    if (math == SPARCL_MATH_FAST && !spc_is_half(g->c->dtype) &&
        fast_is_available(ctx, g->c->dtype) && spc_gemm_fast(ctx, g))
        return SPARCL_OK;
    return spc_gemm_exact(ctx, g);
}

/* A column-major operand is the transpose of a row-major one. */
static sparcl_op row_major_op(sparcl_op op, const sparcl_dense *x, sparcl_dense *own) {
    if (x->order == SPARCL_ROW_MAJOR) {
        *own = *x;
        return op;
    }
    *own = spc_dense_transposed(x);
    return op == SPARCL_OP_N ? SPARCL_OP_T : SPARCL_OP_N;
}

static sparcl_op other(sparcl_op op) {
    return op == SPARCL_OP_N ? SPARCL_OP_T : SPARCL_OP_N;
}

/* A column-major C is the transpose of op(B)' op(A)', which has the same sums. But one column has
 * an order of its own, so one row or one column stays what it is: a column needs no other order, a
 * row is copied. */
static sparcl_status multiply_any_order(sparcl_ctx *ctx, const spc_gemm *g, sparcl_math math) {
    sparcl_dense a, b, c = *g->c;
    const sparcl_op op_a = row_major_op(g->op_a, g->a, &a);
    const sparcl_op op_b = row_major_op(g->op_b, g->b, &b);
    const spc_gemm own = {&c, &a, &b, op_a, op_b, g->alpha, g->beta};
    if (c.order == SPARCL_ROW_MAJOR) return multiply(ctx, &own, math);
    if (c.shape[1] == 1) {
        c.order = SPARCL_ROW_MAJOR;
        c.ld = 1;
        return multiply(ctx, &own, math);
    }
    if (c.shape[0] > 1) {
        c = spc_dense_transposed(g->c);
        const spc_gemm swapped = {&c, &b, &a, other(op_b), other(op_a), g->alpha, g->beta};
        return multiply(ctx, &swapped, math);
    }
    SPC_TRY(spc_to_row_major(ctx, g->c, &c));
    SPC_TRY(multiply(ctx, &own, math));
    return sparcl_copy(ctx, g->c, &c);
}

sparcl_status sparcl_gemm(sparcl_ctx *ctx, const sparcl_dense *c, double alpha, sparcl_op op_a,
                          const sparcl_dense *a, sparcl_op op_b, const sparcl_dense *b, double beta,
                          sparcl_math math) {
    SPC_TRY(check_enums(ctx, op_a, op_b, math));
    SPC_TRY(check_ranks(ctx, c, a, b));
    const spc_gemm g = {c, a, b, op_a, op_b, alpha, beta};
    SPC_TRY(check_product(ctx, &g));
    SPC_TRY(spc_check_iterations(ctx, "gemm", spc_gemm_iterations(ctx, &g)));
    if (c->shape[0] == 0 || c->shape[1] == 0) return SPARCL_OK;
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = multiply_any_order(ctx, &g, math);
    spc_scratch_release(ctx, mark);
    return status;
}
