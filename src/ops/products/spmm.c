/* spmm.c: C := alpha * A * B + beta * C. */
#include "launch/launch.h"
#include "ops/products/row_major.h"
#include "ops/shared/product.h"
#include "sparcl/ops/products.h"

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
    const sparcl_status status = spc_in_row_major(ctx, c, b, beta != 0, multiply, &job);
    spc_scratch_release(ctx, mark);
    return status;
}
