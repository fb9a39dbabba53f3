/* product_check.c: what a sparse product checks of its operands. */
#include "ops/shared/check.h"
#include "ops/shared/product.h"

sparcl_status spc_product_shapes(sparcl_ctx *ctx, const char *op, const char *result,
                                 const spc_product *p) {
    const int64_t b_columns = spc_shape_width(p->b->rank, p->b->shape);
    if (p->b->rank != p->rank || p->rank > 2)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: B has rank %d and %s rank %d, expected 1 or 2 of both", op,
                            p->b->rank, result, p->rank);
    if (p->b->shape[0] != p->inner)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: A has %lld %s, B has %lld rows", op,
                            (long long)p->inner, p->inner_name, (long long)p->b->shape[0]);
    if (p->shape[0] != p->outer)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: A has %lld %s, %s has %lld rows", op,
                            (long long)p->outer, p->outer_name, result, (long long)p->shape[0]);
    if (b_columns != p->n)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: B has %lld columns, %s has %lld", op,
                            (long long)b_columns, result, (long long)p->n);
    return SPARCL_OK;
}

sparcl_status spc_product_types(sparcl_ctx *ctx, const char *op, const char *result, sparcl_dtype a,
                                sparcl_dtype b, sparcl_dtype c) {
    if (a == b && b == c) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_DTYPE, "%s: A is %s, B %s and %s %s, expected one type", op,
                        spc_dtype_name(a), spc_dtype_name(b), result, spc_dtype_name(c));
}

sparcl_status spc_product_alias(sparcl_ctx *ctx, const char *op, const spc_span *result,
                                const sparcl_csr *a, const sparcl_dense *b) {
    spc_spans operands = spc_csr_spans("A", a);
    operands.at[operands.count++] = spc_dense_span("B", b);
    return spc_check_alias(ctx, op, result, operands.at, operands.count);
}
