/* spmm.c: C := alpha * A * B + beta * C. */
#include "launch/launch.h"
#include "ops/halves.h"
#include "ops/product.h"
#include "ops/row_major.h"
#include "sparcl/dense_ops.h"
#include "sparcl/ops.h"

/* The product of row-major matrices. */
static sparcl_status multiply(sparcl_ctx *ctx, const sparcl_dense *c, const sparcl_dense *b,
                              const void *arguments) {
    spc_multiply_job job = *(const spc_multiply_job *)arguments;
    job.b = b;
    job.to = c->values;
    job.to_at = c->values_at;
    job.to_ld = spc_dense_ld(c);
    job.n = spc_shape_width(c->rank, c->shape);
    return spc_multiply(ctx, &job);
}

/* The same product in F32, rounded once when C is stored. */
static sparcl_status multiply_halves(sparcl_ctx *ctx, const sparcl_dense *c, double alpha,
                                     const sparcl_csr *a, const sparcl_dense *b, double beta) {
    sparcl_csr wide_a;
    sparcl_dense wide_b, wide_c;
    SPC_TRY(spc_widen_csr(ctx, a, &wide_a));
    SPC_TRY(spc_widen(ctx, b, true, &wide_b));
    SPC_TRY(spc_widen(ctx, c, beta != 0, &wide_c));
    SPC_TRY(sparcl_spmm(ctx, &wide_c, alpha, &wide_a, &wide_b, beta));
    return sparcl_copy(ctx, c, &wide_c);
}

sparcl_status sparcl_spmm(sparcl_ctx *ctx, const sparcl_dense *c, double alpha, const sparcl_csr *a,
                          const sparcl_dense *b, double beta) {
    SPC_TRY(spc_check_dense_of(ctx, "spmm", "C", c, SPC_FLOATS | SPC_ANY_ORDER));
    SPC_TRY(spc_check_csr_of(ctx, "spmm", "A", a, SPC_FLOATS));
    SPC_TRY(spc_check_dense_of(ctx, "spmm", "B", b, SPC_FLOATS | SPC_ANY_ORDER));
    const int64_t n = spc_shape_width(c->rank, c->shape);
    const spc_product p = {c->rank, c->shape, b, n, a->cols, a->rows, "columns", "rows"};
    const spc_span result = spc_dense_span("C", c);
    SPC_TRY(spc_product_shapes(ctx, "spmm", "C", &p));
    SPC_TRY(spc_product_types(ctx, "spmm", "C", a->dtype, b->dtype, c->dtype));
    SPC_TRY(spc_product_alias(ctx, "spmm", &result, a, b));
    SPC_TRY(spc_need_csr(ctx, "spmm", "A", a, SPARCL_VALID));
    if (a->rows == 0 || n == 0) return SPARCL_OK;

    const spc_multiply_job job = {.a = a, .alpha = alpha, .beta = beta};
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = spc_is_half(a->dtype)
                                     ? multiply_halves(ctx, c, alpha, a, b, beta)
                                     : spc_in_row_major(ctx, c, b, beta != 0, multiply, &job);
    spc_scratch_release(ctx, mark);
    return status;
}
