/* finite.c: gradients with a value that is NaN or infinite are refused before a step. */
#include "ops/shared/violation.h"
#include "optim/rules.h"

/* Refuse position `place` of a gradient of `width` columns; `row` is that of the table. */
static sparcl_status refuse(sparcl_ctx *ctx, const char *op, int64_t place, int64_t width,
                            int64_t row) {
    return spc_ctx_fail(ctx, SPARCL_E_DATA,
                        "%s: gradient.values[%lld] is NaN or infinite, expected a finite number: "
                        "column %lld of row %lld",
                        op, (long long)place, (long long)(place % width), (long long)row);
}

static sparcl_status read_id(sparcl_ctx *ctx, const sparcl_rows *g, int64_t i, int64_t *id) {
    int32_t narrow = 0;
    const int64_t at = g->indices_at + i;
    if (g->index_type == SPARCL_INDEX64) return sparcl_buf_read(ctx, g->indices, at * 8, 8, id);
    SPC_TRY(sparcl_buf_read(ctx, g->indices, at * 4, 4, &narrow));
    *id = narrow;
    return SPARCL_OK;
}

sparcl_status spc_check_finite_rows(sparcl_ctx *ctx, const char *op, const sparcl_rows *g,
                                    int64_t width) {
    int64_t place = SPC_NONE, rows = g->nnr, id = 0;
    if (g->count && !spc_ctx_is_forecast(ctx))
        SPC_TRY(sparcl_buf_read(ctx, g->count, g->count_at * 8, 8, &rows));
    if (rows <= 0 || width == 0) return SPARCL_OK;
    SPC_TRY(spc_find_infinite(ctx, g->dtype, g->values, g->values_at, rows * width, &place));
    if (place == SPC_NONE) return SPARCL_OK;
    SPC_TRY(read_id(ctx, g, place / width, &id));
    return refuse(ctx, op, place, width, id);
}

/* Row by row where rows have gaps, whose values may be anything. */
sparcl_status spc_check_finite_dense(sparcl_ctx *ctx, const char *op, const sparcl_dense *g,
                                     int64_t width) {
    const int64_t ld = spc_dense_ld(g), rows = width > 0 ? g->shape[0] : 0;
    const int64_t at_once = ld == width ? rows : 1;
    for (int64_t row = 0; row < rows; row += at_once) {
        int64_t place = SPC_NONE;
        SPC_TRY(spc_find_infinite(ctx, g->dtype, g->values, g->values_at + row * ld,
                                  at_once * width, &place));
        if (place != SPC_NONE) return refuse(ctx, op, row * ld + place, ld, row + place / width);
    }
    return SPARCL_OK;
}
