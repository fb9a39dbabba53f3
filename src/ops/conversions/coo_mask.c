/* coo_mask.c: the elements of a dense array where a COO array has entries. */
#include "ops/shared/coo_positions.h"
#include "ops/shared/moved.h"
#include "sparcl/ops/conversions.h"

static const char op[] = "coo_mask";

static sparcl_status check(sparcl_ctx *ctx, const sparcl_dense *values, const sparcl_dense *x,
                           const sparcl_coo *a) {
    SPC_TRY(spc_check_dense_of(ctx, op, "the values", values, SPC_ALL_TYPES));
    SPC_TRY(spc_check_dense_of(ctx, op, "X", x, SPC_ALL_TYPES));
    SPC_TRY(spc_check_coo_of(ctx, op, "A", a, SPC_ALL_TYPES));
    SPC_TRY(spc_check_same_shape(ctx, op, "X", x->rank, x->shape, "A", a->rank, a->shape));
    SPC_TRY(spc_check_same_shape(ctx, op, "the values", values->rank, values->shape,
                                 "the vector of entries", 1, &a->nnz));
    SPC_TRY(spc_check_same_dtype(ctx, op, "the values", values->dtype, "X", x->dtype));
    if (spc_dense_ld(values) != 1 || spc_dense_ld(x) != spc_shape_width(x->rank, x->shape))
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: the values or X have gaps, expected none",
                            op);
    const spc_spans results = {.count = 1, .at = {spc_dense_span("the values", values)}};
    spc_spans operands = spc_coo_spans("A", a);
    operands.at[operands.count++] = spc_dense_span("X", x);
    SPC_TRY(spc_check_spans(ctx, op, &results, &operands));
    return spc_need_coo(ctx, op, "A", a, SPARCL_VALID);
}

/* Of a matrix, without positions in between. */
static sparcl_status mask_pairs(sparcl_ctx *ctx, const sparcl_dense *values, const sparcl_dense *x,
                                const sparcl_coo *a) {
    return SPC_LAUNCH(ctx, "coo_mask",
                      spc_word_options(x->dtype) | spc_itype_options(SPARCL_INDEX32, a->index_type),
                      "mask_pairs", spc_range_each(ctx, a->nnz), SPC_IN(a->indices[0]),
                      SPC_I64(a->indices_at[0]), SPC_IN(a->indices[1]), SPC_I64(a->indices_at[1]),
                      SPC_I64(a->nnz), SPC_IN(a->count), SPC_I64(a->count_at), SPC_IN(x->values),
                      SPC_I64(x->values_at), SPC_I64(x->shape[1]), SPC_OUT(values->values),
                      SPC_I64(values->values_at));
}

static sparcl_status take(sparcl_ctx *ctx, const sparcl_dense *values, const sparcl_dense *x,
                          const sparcl_coo *a) {
    sparcl_buf *linear = NULL;
    SPC_TRY(spc_scratch_push(ctx, &linear, a->nnz, sizeof(int64_t)));
    SPC_TRY(spc_coo_linearize(ctx, a, linear));
    const spc_places places = {SPARCL_INDEX64, linear, a->nnz, a->count, a->count_at};
    const spc_take_values elements = {.dtype = x->dtype,
                                      .from = x->values,
                                      .from_at = x->values_at,
                                      .to = values->values,
                                      .to_at = values->values_at};
    return spc_take(ctx, places, NULL, &elements);
}

sparcl_status sparcl_coo_mask(sparcl_ctx *ctx, const sparcl_dense *values, const sparcl_dense *x,
                              const sparcl_coo *a) {
    SPC_TRY(check(ctx, values, x, a));
    const int64_t size = (int64_t)sparcl_dtype_size(values->dtype);
    if (a->nnz == 0) return SPARCL_OK;
    if (a->rank == 2 && spc_dense_count(x) > 0) return mask_pairs(ctx, values, x, a);
    if (a->count || spc_dense_count(x) == 0)
        SPC_TRY(sparcl_buf_fill(ctx, values->values, values->values_at * size, a->nnz * size, 0));
    if (spc_dense_count(x) == 0) return SPARCL_OK; /* no entry */
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = take(ctx, values, x, a);
    spc_scratch_release(ctx, mark);
    return status;
}
