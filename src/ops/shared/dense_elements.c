/* dense_elements.c: what the element-wise operations share. */
#include "ops/shared/dense_elements.h"

#include <string.h>

bool spc_is_packed(const sparcl_dense *x) {
    return spc_dense_ld(x) == spc_shape_width(x->rank, x->shape);
}

spc_elements spc_elements_of(const sparcl_dense *x, bool has_gaps) {
    const int64_t m = x->shape[0], n = spc_shape_width(x->rank, x->shape);
    return has_gaps ? (spc_elements){m, n} : (spc_elements){1, m * n};
}

spc_range spc_range_elements(const sparcl_ctx *ctx, int64_t count, int64_t cost) {
    if (spc_ctx_is_gpu(ctx) || count > INT64_MAX / cost) cost = 1;
    return spc_range_each(ctx, count * cost);
}

sparcl_status spc_check_dense_pair(sparcl_ctx *ctx, const char *op, const char *a_name,
                                   const sparcl_dense *a, const char *b_name, const sparcl_dense *b,
                                   spc_types types) {
    SPC_TRY(spc_check_dense_of(ctx, op, a_name, a, types));
    SPC_TRY(spc_check_dense_of(ctx, op, b_name, b, types));
    SPC_TRY(spc_check_same_shape(ctx, op, a_name, a->rank, a->shape, b_name, b->rank, b->shape));
    return spc_check_same_dtype(ctx, op, a_name, a->dtype, b_name, b->dtype);
}

sparcl_dense spc_csr_values(const sparcl_csr *a) {
    return (sparcl_dense){.rank = 1,
                          .dtype = a->dtype,
                          .shape = {a->nnz},
                          .values = a->values,
                          .values_at = a->values_at};
}

sparcl_dense spc_rows_values(const sparcl_rows *a) {
    sparcl_dense x = {
        .rank = a->rank, .dtype = a->dtype, .values = a->values, .values_at = a->values_at};
    memcpy(x.shape, a->shape, sizeof x.shape);
    x.shape[0] = a->nnr;
    return x;
}
