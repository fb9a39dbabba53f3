/* spgemm_parts.c: checks and launches of products of two CSR matrices and of their gradients. */
#include "ops/products/spgemm_parts.h"

#include "base/size.h"
#include "prim/scan.h"

typedef long long ll; /* for %lld */

sparcl_status spc_spgemm_check_operands(sparcl_ctx *ctx, const char *op, const sparcl_csr *a,
                                        const sparcl_csr *b) {
    SPC_TRY(spc_check_csr_of(ctx, op, "A", a, SPC_FLOATS));
    SPC_TRY(spc_check_csr_of(ctx, op, "B", b, SPC_FLOATS));
    if (a->cols != b->rows)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: A has %lld columns, B has %lld rows", op,
                            (ll)a->cols, (ll)b->rows);
    SPC_TRY(spc_check_same_dtype(ctx, op, "A", a->dtype, "B", b->dtype));
    if (a->offset_type != b->offset_type)
        return spc_ctx_fail(ctx, SPARCL_E_DTYPE,
                            "%s: A has i%d offsets and B i%d, expected one type", op,
                            a->offset_type ? 64 : 32, b->offset_type ? 64 : 32);
    SPC_TRY(spc_check_same_itype(ctx, op, "A", a->index_type, "B", b->index_type));
    SPC_TRY(spc_need_csr(ctx, op, "A", a, SPARCL_VALID));
    return spc_need_csr(ctx, op, "B", b, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
}

sparcl_status spc_spgemm_check(sparcl_ctx *ctx, const char *op, const sparcl_csr *c,
                               const sparcl_csr *a, const sparcl_csr *b) {
    SPC_TRY(spc_spgemm_check_operands(ctx, op, a, b));
    SPC_TRY(spc_check_csr_of(ctx, op, "C", c, SPC_FLOATS));
    if (c->rows != a->rows || c->cols != b->cols)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: C is %lld x %lld, expected the %lld rows of A and the %lld "
                            "columns of B",
                            op, (ll)c->rows, (ll)c->cols, (ll)a->rows, (ll)b->cols);
    SPC_TRY(spc_check_same_dtype(ctx, op, "C", c->dtype, "A", a->dtype));
    if (c->offset_type != a->offset_type)
        return spc_ctx_fail(ctx, SPARCL_E_DTYPE,
                            "%s: C has i%d offsets and A i%d, expected one type", op,
                            c->offset_type ? 64 : 32, a->offset_type ? 64 : 32);
    return spc_check_same_itype(ctx, op, "C", c->index_type, "A", a->index_type);
}

uint32_t spc_spgemm_options(const sparcl_csr *a) {
    return spc_options(a->dtype, a->offset_type, a->index_type);
}

sparcl_status spc_spgemm_launch(sparcl_ctx *ctx, const sparcl_csr *a, const char *kernel,
                                spc_range range, const spc_args *list) {
    return spc_launch(ctx, SPC_SPGEMM_STEM, spc_spgemm_options(a), kernel, range, list->at,
                      list->count);
}

void spc_spgemm_add(spc_args *list, const sparcl_csr *x) {
    spc_args_add_array(list, SPC_IN(x->offsets), x->offsets_at);
    spc_args_add_array(list, SPC_IN(x->indices), x->indices_at);
}

spc_args spc_spgemm_args(const sparcl_csr *a, const sparcl_csr *b) {
    spc_args list = {.count = 0};
    spc_spgemm_add(&list, a);
    spc_args_add(&list, SPC_I64(a->rows));
    spc_spgemm_add(&list, b);
    spc_args_add(&list, SPC_I64(b->cols));
    return list;
}

spc_spans spc_spgemm_operands(const sparcl_csr *a, const sparcl_csr *b) {
    spc_spans s = spc_csr_spans("A", a);
    const spc_spans more = spc_csr_spans("B", b);
    for (size_t i = 0; i < more.count; ++i)
        s.at[s.count++] = more.at[i];
    return s;
}

int64_t spc_spgemm_longest(const sparcl_csr *x) {
    return spc_min_i64(spc_csr_longest(x), x->nnz);
}

int64_t spc_spgemm_most_products(const sparcl_csr *a, const sparcl_csr *b) {
    int64_t products = 0;
    const int64_t longest = spc_min_i64(spc_spgemm_longest(b), b->cols);
    return spc_mul_i64(a->nnz, longest + 2, &products) ? products : INT64_MAX / 2;
}

sparcl_status spc_spgemm_scan(sparcl_ctx *ctx, sparcl_buf *x, int64_t n) {
    const spc_scan_job job = {
        .n = n, .from_type = SPARCL_INDEX64, .to_type = SPARCL_INDEX64, .from = x, .to = x};
    return spc_scan(ctx, &job);
}
