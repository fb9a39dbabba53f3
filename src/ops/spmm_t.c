/* spmm_t.c: products with the transpose of a sparse matrix: dense and row-sparse results. */
#include "base/size.h"
#include "device/launch.h"
#include "ops/pattern.h"
#include "ops/product.h"
#include "prim/sort.h"

/* Where the rows of the product go. */
typedef struct target {
    sparcl_buf *values;
    int64_t at, ld, n;
    bool by_id; /* to row `column of A`; else one after the other */
    double alpha, beta;
} target;

static sparcl_status multiply(sparcl_ctx *ctx, const sparcl_pattern *p, const sparcl_csr *a,
                              const sparcl_dense *b, const target *to) {
    const uint32_t options = spc_options(a->dtype, p->offset_type, p->index_type) | SPC_VARIANT;
    const spc_shares shares = spc_find_shares(ctx, spc_pattern_room(p), a->nnz, to->n);
    SPC_TRY(spc_check_turns(ctx, "spmm_t",
                            spc_share_turns(&shares, spc_pattern_room(p), a->nnz, to->n)));
    const spc_range range = spc_range_groups(ctx, shares.count);
    sparcl_buf *carry = NULL;
    SPC_TRY(spc_scratch_push(ctx, &carry, shares.carry, sparcl_dtype_size(a->dtype)));
    SPC_TRY(SPC_LAUNCH(ctx, "shares+spmm", options, "spmm", range, SPC_IN(p->starts), SPC_I64(0),
                       SPC_IN(p->row_of), SPC_I64(0), SPC_IN(a->values), SPC_I64(a->values_at),
                       SPC_IN(p->perm), SPC_IN(p->columns), SPC_IN(p->found), SPC_I32(to->by_id),
                       SPC_IN(b->values), SPC_I64(b->values_at), SPC_I64(spc_dense_ld(b)),
                       SPC_OUT(to->values), SPC_I64(to->at), SPC_I64(to->ld), SPC_I64(to->n),
                       SPC_REAL(a->dtype, to->alpha), SPC_REAL(a->dtype, to->beta), SPC_OUT(carry),
                       SPC_I64(shares.slots)));
    if (shares.count == 1) return SPARCL_OK;
    return SPC_LAUNCH(ctx, "shares+spmm", options, "spmm_carry",
                      spc_range_groups(ctx, shares.count * shares.parts), SPC_IN(p->starts),
                      SPC_I64(0), SPC_IN(p->row_of), SPC_I64(0), SPC_IN(a->values),
                      SPC_I64(a->values_at), SPC_IN(p->perm), SPC_IN(p->columns), SPC_IN(p->found),
                      SPC_I32(to->by_id), SPC_OUT(to->values), SPC_I64(to->at), SPC_I64(to->ld),
                      SPC_I64(to->n), SPC_REAL(a->dtype, to->alpha), SPC_REAL(a->dtype, to->beta),
                      SPC_IN(carry), SPC_I64(shares.slots), SPC_I64(shares.parts));
}

/* The given pattern, checked, or one made for this call, which the caller frees. */
static sparcl_status settle_pattern(sparcl_ctx *ctx, const char *op, const sparcl_pattern *given,
                                    const sparcl_csr *a, sparcl_pattern **made) {
    *made = NULL;
    if (given) return spc_pattern_check(ctx, op, given, a);
    SPC_TRY(sparcl_pattern_create(ctx, made));
    const sparcl_status status = sparcl_pattern_build(ctx, *made, a);
    if (status == SPARCL_OK) return SPARCL_OK;
    sparcl_pattern_free(*made);
    *made = NULL;
    return status;
}

static sparcl_status fill_absent(sparcl_ctx *ctx, const sparcl_pattern *p, const sparcl_dense *c,
                                 const target *to) {
    /* alpha * 0 is made here: Mesa's compiler takes it for 0, also where it is -0 or NaN. */
    const double nothing = c->dtype == SPARCL_F32 ? (float)to->alpha * 0.0f : to->alpha * 0.0;
    return SPC_LAUNCH(ctx, "spmm_t", spc_options(c->dtype, SPARCL_I32, p->index_type),
                      "fill_absent", spc_range_each(ctx, c->shape[0] * to->n), SPC_IN(p->columns),
                      SPC_IN(p->found), SPC_OUT(c->values), SPC_I64(c->values_at), SPC_I64(to->ld),
                      SPC_I64(c->shape[0]), SPC_I64(to->n), SPC_REAL(c->dtype, nothing),
                      SPC_REAL(c->dtype, to->beta));
}

sparcl_status sparcl_spmm_t(sparcl_ctx *ctx, const sparcl_dense *c, double alpha,
                            const sparcl_csr *a, const sparcl_dense *b, double beta,
                            const sparcl_pattern *pattern) {
    SPC_TRY(spc_check_dense(ctx, "spmm_t", "C", c));
    SPC_TRY(spc_check_csr(ctx, "spmm_t", "A", a));
    SPC_TRY(spc_check_dense(ctx, "spmm_t", "B", b));
    const int64_t n = spc_shape_width(c->rank, c->shape);
    const spc_product p = {c->rank, c->shape, b, n, a->rows, a->cols, "rows", "columns"};
    const spc_span result = spc_dense_span("C", c);
    SPC_TRY(spc_product_shapes(ctx, "spmm_t", "C", &p));
    SPC_TRY(spc_product_types(ctx, "spmm_t", "C", a->dtype, b->dtype, c->dtype));
    SPC_TRY(spc_product_alias(ctx, "spmm_t", &result, a, b));
    SPC_TRY(spc_need_csr(ctx, "spmm_t", "A", a, SPARCL_VALID));
    sparcl_pattern *made = NULL;
    SPC_TRY(settle_pattern(ctx, "spmm_t", pattern, a, &made));
    if (c->shape[0] == 0 || n == 0) {
        sparcl_pattern_free(made);
        return SPARCL_OK;
    }
    const target to = {c->values, c->values_at, spc_dense_ld(c), n, true, alpha, beta};
    const int mark = spc_scratch_mark(ctx);
    sparcl_status status = fill_absent(ctx, made ? made : pattern, c, &to);
    if (status == SPARCL_OK) status = multiply(ctx, made ? made : pattern, a, b, &to);
    spc_scratch_release(ctx, mark);
    sparcl_pattern_free(made);
    return status;
}

static sparcl_status check_rows_result(sparcl_ctx *ctx, const sparcl_rows *r, const sparcl_csr *a,
                                       const sparcl_dense *b) {
    const int64_t need = spc_min_i64(a->cols, a->nnz), n = spc_shape_width(r->rank, r->shape);
    const spc_product p = {r->rank, r->shape, b, n, a->rows, a->cols, "rows", "columns"};
    if (!r->count)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "spmm_t_rows: R has no count, which the result needs");
    SPC_TRY(spc_product_shapes(ctx, "spmm_t_rows", "R", &p));
    if (r->nnr < need)
        return spc_ctx_fail(
            ctx, SPARCL_E_SHAPE,
            "spmm_t_rows: R has room for %lld rows, A may have entries in %lld columns",
            (long long)r->nnr, (long long)need);
    SPC_TRY(spc_product_types(ctx, "spmm_t_rows", "R", a->dtype, b->dtype, r->dtype));
    const spc_span spans[] = {
        spc_array_span("the values of R", r->values, r->values_at, r->nnr * n,
                       sparcl_dtype_size(r->dtype)),
        spc_array_span("the indices of R", r->indices, r->indices_at, r->nnr,
                       sparcl_itype_size(r->index_type)),
        spc_array_span("the count of R", r->count, r->count_at, 1, 8),
    };
    for (size_t i = 0; i < SPC_COUNT(spans); ++i) {
        SPC_TRY(spc_product_alias(ctx, "spmm_t_rows", &spans[i], a, b));
        SPC_TRY(spc_check_alias(ctx, "spmm_t_rows", &spans[i], spans, i));
    }
    return SPARCL_OK;
}

static sparcl_status copy_ids(sparcl_ctx *ctx, const sparcl_pattern *p, const sparcl_rows *r) {
    const uint32_t options = spc_options(SPARCL_F32, SPARCL_I32, p->index_type) |
                             (r->index_type == SPARCL_I64 ? SPC_VALUE64 : 0);
    return SPC_LAUNCH(ctx, "spmm_t", options, "copy_ids", spc_range_each(ctx, spc_pattern_room(p)),
                      SPC_IN(p->columns), SPC_IN(p->found), SPC_OUT(r->indices),
                      SPC_I64(r->indices_at), SPC_OUT(r->count), SPC_I64(r->count_at));
}

sparcl_status sparcl_spmm_t_rows(sparcl_ctx *ctx, sparcl_rows *r, double alpha, const sparcl_csr *a,
                                 const sparcl_dense *b, const sparcl_pattern *pattern) {
    SPC_TRY(spc_check_rows(ctx, "spmm_t_rows", "R", r));
    SPC_TRY(spc_check_csr(ctx, "spmm_t_rows", "A", a));
    SPC_TRY(spc_check_dense(ctx, "spmm_t_rows", "B", b));
    SPC_TRY(check_rows_result(ctx, r, a, b));
    SPC_TRY(spc_need_csr(ctx, "spmm_t_rows", "A", a, SPARCL_VALID));
    sparcl_pattern *made = NULL;
    SPC_TRY(settle_pattern(ctx, "spmm_t_rows", pattern, a, &made));
    const int64_t n = spc_shape_width(r->rank, r->shape);
    const target to = {r->values, r->values_at, n, n, false, alpha, 0};
    const int mark = spc_scratch_mark(ctx);
    sparcl_status status = copy_ids(ctx, made ? made : pattern, r);
    if (status == SPARCL_OK && n > 0) status = multiply(ctx, made ? made : pattern, a, b, &to);
    spc_scratch_release(ctx, mark);
    sparcl_pattern_free(made);
    if (status == SPARCL_OK) spc_prove_rows(r, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
    return status;
}
