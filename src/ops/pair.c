/* pair.c: what operations from one sparse view to another check alike. */
#include "ops/pair.h"

typedef long long ll; /* for %lld */

enum { OFFSETS, INDICES, VALUES, COUNT };

static const char *name_of(spc_side side, int array) {
    static const char *const names[][2] = {
        {"the offsets of `to`", "the offsets of `from`"},
        {"the indices of `to`", "the indices of `from`"},
        {"the values of `to`", "the values of `from`"},
        {"the count of `to`", "the count of `from`"},
    };
    return names[array][side];
}

static void add(spc_spans *spans, const char *name, const sparcl_buf *buf, int64_t at,
                int64_t count, size_t size) {
    spans->at[spans->count++] = spc_array_span(name, buf, at, count, size);
}

spc_spans spc_coo_spans(spc_side side, const sparcl_coo *a) {
    spc_spans spans = {0};
    for (int d = 0; d < a->rank; ++d)
        add(&spans, name_of(side, INDICES), a->indices[d], a->indices_at[d], a->nnz,
            sparcl_itype_size(a->index_type));
    add(&spans, name_of(side, VALUES), a->values, a->values_at, a->nnz,
        sparcl_dtype_size(a->dtype));
    if (a->count) add(&spans, name_of(side, COUNT), a->count, a->count_at, 1, sizeof(int64_t));
    return spans;
}

spc_spans spc_csr_spans(spc_side side, const sparcl_csr *a) {
    spc_spans spans = {0};
    add(&spans, name_of(side, OFFSETS), a->offsets, a->offsets_at, a->rows + 1,
        sparcl_itype_size(a->offset_type));
    add(&spans, name_of(side, INDICES), a->indices, a->indices_at, a->nnz,
        sparcl_itype_size(a->index_type));
    add(&spans, name_of(side, VALUES), a->values, a->values_at, a->nnz,
        sparcl_dtype_size(a->dtype));
    return spans;
}

spc_spans spc_csc_spans(spc_side side, const sparcl_csc *a) {
    spc_spans spans = {0};
    add(&spans, name_of(side, OFFSETS), a->offsets, a->offsets_at, a->cols + 1,
        sparcl_itype_size(a->offset_type));
    add(&spans, name_of(side, INDICES), a->indices, a->indices_at, a->nnz,
        sparcl_itype_size(a->index_type));
    add(&spans, name_of(side, VALUES), a->values, a->values_at, a->nnz,
        sparcl_dtype_size(a->dtype));
    return spans;
}

sparcl_status spc_check_spans(sparcl_ctx *ctx, const char *op, const spc_spans *to,
                              const spc_spans *from) {
    for (size_t i = 0; i < to->count; ++i) {
        SPC_TRY(spc_check_alias(ctx, op, &to->at[i], from->at, from->count));
        SPC_TRY(spc_check_alias(ctx, op, &to->at[i], to->at, i));
    }
    return SPARCL_OK;
}

sparcl_status spc_check_same_dtype(sparcl_ctx *ctx, const char *op, sparcl_dtype to,
                                   sparcl_dtype from) {
    if (to == from) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_DTYPE, "%s: `to` is f%d and `from` f%d, wanted one type", op,
                        to ? 64 : 32, from ? 64 : 32);
}

sparcl_status spc_check_room(sparcl_ctx *ctx, const char *op, int64_t to, int64_t from) {
    if (to >= from) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: `to` has room for %lld entries, `from` has %lld",
                        op, (ll)to, (ll)from);
}

sparcl_status spc_check_same_size(sparcl_ctx *ctx, const char *op, int64_t to_rows, int64_t to_cols,
                                  int64_t from_rows, int64_t from_cols) {
    if (to_rows == from_rows && to_cols == from_cols) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: `to` is %lld x %lld, `from` is %lld x %lld", op,
                        (ll)to_rows, (ll)to_cols, (ll)from_rows, (ll)from_cols);
}

sparcl_status spc_check_coo_pair(sparcl_ctx *ctx, const char *op, const sparcl_coo *to,
                                 const sparcl_coo *from) {
    SPC_TRY(spc_check_coo(ctx, op, "`to`", to));
    SPC_TRY(spc_check_coo(ctx, op, "`from`", from));
    if (to->rank != from->rank)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: `to` has rank %d, `from` has %d", op,
                            to->rank, from->rank);
    for (int d = 0; d < to->rank; ++d)
        if (to->shape[d] != from->shape[d])
            return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                                "%s: dimension %d of `to` is %lld, of `from` %lld", op, d,
                                (ll)to->shape[d], (ll)from->shape[d]);
    SPC_TRY(spc_check_same_dtype(ctx, op, to->dtype, from->dtype));
    if (to->index_type != from->index_type)
        return spc_ctx_fail(ctx, SPARCL_E_DTYPE,
                            "%s: `to` has i%d indices and `from` i%d, wanted one type", op,
                            to->index_type ? 64 : 32, from->index_type ? 64 : 32);
    return spc_check_room(ctx, op, to->nnz, from->nnz);
}
