/* spmm.c: C := alpha * A * B + beta * C. */
#include "base/size.h"
#include "device/launch.h"
#include "ops/product.h"
#include "sparcl/ops.h"

/* A GPU group's share of rows and entries; a CPU worker's least. */
#define GPU_SHARE   512
#define CPU_GRAIN   2048
/* Additions of a group that adds a carry up: devices with short loops (device/launch.c) stop soon.
 */
#define CARRY_STEPS 16384

sparcl_status spc_product_shapes(sparcl_ctx *ctx, const char *op, const char *result,
                                 const spc_product *p) {
    const int64_t b_columns = spc_shape_width(p->b->rank, p->b->shape);
    if (p->b->rank != p->rank || p->rank > 2)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: B has rank %d and %s rank %d, wanted 1 or 2 of both", op,
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
    return spc_ctx_fail(ctx, SPARCL_E_DTYPE, "%s: A is f%d, B f%d and %s f%d, wanted one type", op,
                        a ? 64 : 32, b ? 64 : 32, result, c ? 64 : 32);
}

sparcl_status spc_product_alias(sparcl_ctx *ctx, const char *op, const spc_span *result,
                                const sparcl_csr *a, const sparcl_dense *b) {
    const spc_span operands[] = {
        spc_array_span("the offsets of A", a->offsets, a->offsets_at, a->rows + 1,
                       sparcl_itype_size(a->offset_type)),
        spc_array_span("the indices of A", a->indices, a->indices_at, a->nnz,
                       sparcl_itype_size(a->index_type)),
        spc_array_span("the values of A", a->values, a->values_at, a->nnz,
                       sparcl_dtype_size(a->dtype)),
        spc_dense_span("B", b),
    };
    return spc_check_alias(ctx, op, result, operands, SPC_COUNT(operands));
}

spc_shares spc_find_shares(const sparcl_ctx *ctx, int64_t rows, int64_t nnz, int64_t n) {
    const int64_t work = rows + nnz;
    spc_shares s;
    s.count = spc_ctx_is_gpu(ctx) ? spc_max_i64(1, work / GPU_SHARE)
                                  : spc_workers(ctx, work, spc_max_i64(64, CPU_GRAIN / n));
    /* A share may begin a block late and end a block late. */
    s.slots = spc_ceil_div(work, s.count) / 256 + 2;
    s.carry = (s.count * s.slots + s.count) * n;
    const int64_t longest = s.count + nnz / 256 + 1; /* a row that lies across all shares */
    s.parts = spc_ceil_div(n, spc_max_i64(1, CARRY_STEPS / longest));
    return s;
}

int64_t spc_share_turns(const spc_shares *s, int64_t rows, int64_t nnz, int64_t n) {
    return (spc_ceil_div(rows + nnz, s->count) + 256) * (n / 64 + 5);
}

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

    const uint32_t options = spc_options(a->dtype, a->offset_type, a->index_type);
    const spc_shares shares = spc_find_shares(ctx, a->rows, a->nnz, n);
    SPC_TRY(spc_check_turns(ctx, "spmm", spc_share_turns(&shares, a->rows, a->nnz, n)));
    const spc_range range = spc_range_groups(ctx, shares.count);
    const int mark = spc_scratch_mark(ctx);
    sparcl_buf *carry = NULL;
    SPC_TRY(spc_scratch_push(ctx, &carry, shares.carry, sparcl_dtype_size(a->dtype)));
    sparcl_status status = SPC_LAUNCH(
        ctx, "shares+spmm", options, "spmm", range, SPC_IN(a->offsets), SPC_I64(a->offsets_at),
        SPC_IN(a->indices), SPC_I64(a->indices_at), SPC_IN(a->values), SPC_I64(a->values_at),
        SPC_I64(a->rows), SPC_IN(b->values), SPC_I64(b->values_at), SPC_I64(spc_dense_ld(b)),
        SPC_OUT(c->values), SPC_I64(c->values_at), SPC_I64(spc_dense_ld(c)), SPC_I64(n),
        SPC_REAL(a->dtype, alpha), SPC_REAL(a->dtype, beta), SPC_OUT(carry), SPC_I64(shares.slots));
    if (status == SPARCL_OK && shares.count > 1)
        status = SPC_LAUNCH(ctx, "shares+spmm", options, "spmm_carry",
                            spc_range_groups(ctx, shares.count * shares.parts), SPC_IN(a->offsets),
                            SPC_I64(a->offsets_at), SPC_IN(a->indices), SPC_I64(a->indices_at),
                            SPC_IN(a->values), SPC_I64(a->values_at), SPC_I64(a->rows),
                            SPC_OUT(c->values), SPC_I64(c->values_at), SPC_I64(spc_dense_ld(c)),
                            SPC_I64(n), SPC_REAL(a->dtype, alpha), SPC_REAL(a->dtype, beta),
                            SPC_IN(carry), SPC_I64(shares.slots), SPC_I64(shares.parts));
    spc_scratch_release(ctx, mark);
    return status;
}
