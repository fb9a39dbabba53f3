/* assign_rows.c: rows of a table are replaced by those of a row-sparse array. */
#include "ops/shared/runs.h"
#include "sparcl/ops/elements.h"

#define PROGRAM "panel+words+assign_rows"

static sparcl_status check_assign(sparcl_ctx *ctx, const sparcl_dense *table,
                                  const sparcl_rows *rows) {
    SPC_TRY(spc_check_dense_of(ctx, "assign_rows", "table", table, SPC_ALL_TYPES));
    SPC_TRY(spc_check_rows_of(ctx, "assign_rows", "rows", rows, SPC_ALL_TYPES));
    SPC_TRY(spc_check_same_shape(ctx, "assign_rows", "table", table->rank, table->shape, "rows",
                                 rows->rank, rows->shape));
    SPC_TRY(spc_check_same_dtype(ctx, "assign_rows", "table", table->dtype, "rows", rows->dtype));
    const spc_span result = spc_dense_span("table", table);
    const spc_spans operands = spc_rows_spans("rows", rows);
    SPC_TRY(spc_check_alias(ctx, "assign_rows", &result, operands.at, operands.count));
    return spc_need_rows(ctx, "assign_rows", "rows", rows, SPARCL_VALID);
}

#define VALUES(table, rows, width)                                                                 \
    SPC_IN((rows)->values), SPC_I64((rows)->values_at), SPC_OUT((table)->values),                  \
        SPC_I64((table)->values_at), SPC_I64(spc_dense_ld(table)), SPC_I64(width)

static sparcl_status assign_unique(sparcl_ctx *ctx, const sparcl_dense *table,
                                   const sparcl_rows *rows, int64_t width) {
    const uint32_t options =
        spc_word_options(rows->dtype) | spc_itype_options(SPARCL_INDEX32, rows->index_type);
    return SPC_LAUNCH(ctx, PROGRAM, options, "assign_rows",
                      spc_range_vectors(ctx, rows->nnr, width), SPC_IN(rows->indices),
                      SPC_I64(rows->indices_at), SPC_IN(rows->count), SPC_I64(rows->count_at),
                      SPC_I64(rows->nnr), VALUES(table, rows, width));
}

/* Rows of one index are found by sorting; the last of each run is moved. */
static sparcl_status assign_last(sparcl_ctx *ctx, const sparcl_dense *table,
                                 const sparcl_rows *rows, int64_t width) {
    spc_runs runs;
    SPC_TRY(spc_find_runs(ctx, &runs, rows));
    const uint32_t options =
        spc_word_options(rows->dtype) | spc_itype_options(runs.position_type, rows->index_type);
    return SPC_LAUNCH(ctx, PROGRAM, options, "assign_last",
                      spc_range_vectors(ctx, rows->nnr, width), SPC_IN(runs.starts),
                      SPC_IN(runs.found), SPC_IN(runs.keys), SPC_I64(runs.keys_at),
                      SPC_IN(runs.perm), VALUES(table, rows, width));
}

sparcl_status sparcl_assign_rows(sparcl_ctx *ctx, const sparcl_dense *table,
                                 const sparcl_rows *rows) {
    SPC_TRY(check_assign(ctx, table, rows));
    const int64_t width = spc_shape_width(table->rank, table->shape);
    if (rows->nnr == 0 || width == 0) return SPARCL_OK;
    const int mark = spc_scratch_mark(ctx);
    const bool is_unique = (sparcl_rows_flags(rows) & SPARCL_UNIQUE) != 0;
    const sparcl_status status = (is_unique ? assign_unique : assign_last)(ctx, table, rows, width);
    spc_scratch_release(ctx, mark);
    return status;
}
