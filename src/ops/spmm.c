/* spmm.c: C := alpha * A * B + beta * C. */
#include "launch/launch.h"
#include "ops/product.h"
#include "sparcl/ops.h"

sparcl_status sparcl_spmm(sparcl_ctx *ctx, const sparcl_dense *c, double alpha, const sparcl_csr *a,
                          const sparcl_dense *b, double beta) {
    SPC_TRY(spc_check_dense(ctx, "spmm", "C", c));
    SPC_TRY(spc_check_csr(ctx, "spmm", "A", a));
    SPC_TRY(spc_check_dense(ctx, "spmm", "B", b));
    const int64_t n = spc_shape_width(c->rank, c->shape);
    const spc_product p = {c->rank, c->shape, b, n, a->cols, a->rows, "columns", "rows"};
    const spc_span result = spc_dense_span("C", c);
    SPC_TRY(spc_product_shapes(ctx, "spmm", "C", &p));
    SPC_TRY(spc_product_types(ctx, "spmm", "C", a->dtype, b->dtype, c->dtype));
    SPC_TRY(spc_product_alias(ctx, "spmm", &result, a, b));
    SPC_TRY(spc_need_csr(ctx, "spmm", "A", a, SPARCL_VALID));
    if (a->rows == 0 || n == 0) return SPARCL_OK;

    const spc_multiply_job job = {.a = a,
                                  .b = b,
                                  .to = c->values,
                                  .to_at = c->values_at,
                                  .to_ld = spc_dense_ld(c),
                                  .n = n,
                                  .alpha = alpha,
                                  .beta = beta};
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = spc_multiply(ctx, &job);
    spc_scratch_release(ctx, mark);
    return status;
}
