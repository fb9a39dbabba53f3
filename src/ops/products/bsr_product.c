/* bsr_product.c: launches of cl/bsr_product.cl. */
#include "ops/products/bsr_product.h"

#include "base/size.h"
#include "launch/launch.h"
#include "ops/products/row_major.h"
#include "ops/shared/partition.h"
#include "ops/shared/product.h"

#define PROGRAM "panel+products+partition+bsr_product"

/* A product, checked. */
typedef struct job {
    const sparcl_bsr *a;
    double alpha, beta;
} job;

static spc_partition partition_of(const sparcl_ctx *ctx, const sparcl_bsr *a, int64_t n) {
    return spc_find_partition(ctx, a->rows, spc_bsr_count(a), n);
}

/* No row of blocks is split: the longest may have as much work as there is for a core. One column
 * has an order of its own. */
bool spc_bsr_product_applies(const sparcl_ctx *ctx, const sparcl_bsr *a, const sparcl_dense *c) {
    if (spc_ctx_is_gpu(ctx) || spc_has_short_loops(ctx)) return false;
    if (c->rank != 2 || c->shape[1] <= 1) return false;
    const bool unique = sparcl_bsr_flags(a) & SPARCL_UNIQUE;
    const int64_t longest = unique ? a->cols / a->block_cols : a->nnzb;
    return longest <= a->nnzb / spc_ctx_units(ctx) || partition_of(ctx, a, c->shape[1]).count == 1;
}

static sparcl_status multiply(sparcl_ctx *ctx, const sparcl_dense *c, const sparcl_dense *b,
                              const void *arguments) {
    const job *const p = arguments;
    const sparcl_bsr *const a = p->a;
    const int64_t n = c->shape[1];
    return SPC_LAUNCH(
        ctx, PROGRAM, spc_options(a->dtype, a->offset_type, a->index_type), "bsr_multiply",
        spc_range_groups(ctx, partition_of(ctx, a, n).count), SPC_IN(a->offsets),
        SPC_I64(a->offsets_at), SPC_IN(a->indices), SPC_I64(a->indices_at), SPC_IN(a->values),
        SPC_I64(a->values_at), SPC_I64(a->rows / a->block_rows), SPC_I64(a->block_rows),
        SPC_I64(a->block_cols), SPC_IN(b->values), SPC_I64(b->values_at), SPC_I64(spc_dense_ld(b)),
        SPC_OUT(c->values), SPC_I64(c->values_at), SPC_I64(spc_dense_ld(c)), SPC_I64(n),
        SPC_REAL(a->dtype, p->alpha), SPC_REAL(a->dtype, p->beta));
}

static sparcl_status check(sparcl_ctx *ctx, const sparcl_dense *c, const sparcl_bsr *a,
                           const sparcl_dense *b) {
    SPC_TRY(spc_check_dense_of(ctx, "spmm", "C", c, SPC_FLOATS | SPC_ANY_ORDER));
    SPC_TRY(spc_check_dense_of(ctx, "spmm", "B", b, SPC_FLOATS | SPC_ANY_ORDER));
    const int64_t n = spc_shape_width(c->rank, c->shape);
    const spc_product p = {c->rank, c->shape, b, n, a->cols, a->rows, "columns", "rows"};
    const spc_span result = spc_dense_span("C", c);
    const spc_span operand = spc_dense_span("B", b);
    SPC_TRY(spc_product_shapes(ctx, "spmm", "C", &p));
    SPC_TRY(spc_product_types(ctx, "spmm", "C", a->dtype, b->dtype, c->dtype));
    return spc_check_alias(ctx, "spmm", &result, &operand, 1);
}

sparcl_status spc_bsr_product(sparcl_ctx *ctx, const sparcl_dense *c, double alpha,
                              const sparcl_bsr *a, const sparcl_dense *b, double beta) {
    const job p = {a, alpha, beta};
    SPC_TRY(check(ctx, c, a, b));
    if (a->rows == 0) return SPARCL_OK;
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = spc_in_row_major(ctx, c, b, beta != 0, multiply, &p);
    spc_scratch_release(ctx, mark);
    return status;
}
