/* pair.c: the checks of operations that read one sparse view and write another. */
#include "ops/shared/pair.h"

typedef long long ll; /* for %lld */

sparcl_status spc_check_same_shape(sparcl_ctx *ctx, const char *op, const char *a_name, int a_rank,
                                   const int64_t *a_shape, const char *b_name, int b_rank,
                                   const int64_t *b_shape) {
    if (a_rank != b_rank)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: %s has rank %d, %s has %d", op, a_name,
                            a_rank, b_name, b_rank);
    for (int d = 0; d < a_rank; ++d)
        if (a_shape[d] != b_shape[d])
            return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: dimension %d of %s is %lld, of %s %lld",
                                op, d, a_name, (ll)a_shape[d], b_name, (ll)b_shape[d]);
    return SPARCL_OK;
}

sparcl_status spc_check_same_dtype(sparcl_ctx *ctx, const char *op, const char *a_name,
                                   sparcl_dtype a, const char *b_name, sparcl_dtype b) {
    static const char *const names[] = {"f32", "f64", "f16", "bf16", "int32", "int64", "bool"};
    if (a == b) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_DTYPE, "%s: %s is %s and %s %s, expected one type", op,
                        a_name, names[a], b_name, names[b]);
}

sparcl_status spc_check_same_itype(sparcl_ctx *ctx, const char *op, const char *a_name,
                                   sparcl_itype a, const char *b_name, sparcl_itype b) {
    if (a == b) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_DTYPE, "%s: %s has i%d indices and %s i%d, expected one type",
                        op, a_name, a ? 64 : 32, b_name, b ? 64 : 32);
}

sparcl_status spc_check_entry_vector(sparcl_ctx *ctx, const char *op, const char *name,
                                     const sparcl_dense *v, int64_t count) {
    SPC_TRY(spc_check_dense_of(ctx, op, name, v, SPC_FLOATS));
    if (v->rank != 1 || spc_dense_ld(v) != 1)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: %s has rank %d and ld %lld, expected a packed vector", op, name,
                            v->rank, (ll)spc_dense_ld(v));
    if (count < 0 || v->shape[0] == count) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                        "%s: %s has %lld elements, expected one for each of %lld entries", op, name,
                        (ll)v->shape[0], (ll)count);
}

sparcl_status spc_check_capacity(sparcl_ctx *ctx, const char *op, int64_t to, int64_t from) {
    if (to >= from) return SPARCL_OK;
    return spc_ctx_fail(
        ctx, SPARCL_E_SHAPE,
        "%s: `to` has capacity for %lld entries, expected at least the %lld of `from`", op, (ll)to,
        (ll)from);
}

sparcl_status spc_check_same_size(sparcl_ctx *ctx, const char *op, int64_t to_rows, int64_t to_cols,
                                  int64_t from_rows, int64_t from_cols) {
    if (to_rows == from_rows && to_cols == from_cols) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                        "%s: `to` is %lld x %lld, `from` is %lld x %lld, expected one size", op,
                        (ll)to_rows, (ll)to_cols, (ll)from_rows, (ll)from_cols);
}

sparcl_status spc_check_coo_pair(sparcl_ctx *ctx, const char *op, const sparcl_coo *to,
                                 const sparcl_coo *from, spc_types types) {
    SPC_TRY(spc_check_coo_of(ctx, op, SPC_TO, to, types));
    SPC_TRY(spc_check_coo_of(ctx, op, SPC_FROM, from, types));
    SPC_TRY(spc_check_same_shape(ctx, op, SPC_TO, to->rank, to->shape, SPC_FROM, from->rank,
                                 from->shape));
    SPC_TRY(spc_check_same_dtype(ctx, op, SPC_TO, to->dtype, SPC_FROM, from->dtype));
    SPC_TRY(spc_check_same_itype(ctx, op, SPC_TO, to->index_type, SPC_FROM, from->index_type));
    return spc_check_capacity(ctx, op, to->nnz, from->nnz);
}
