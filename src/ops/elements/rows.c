/* rows.c: sums of rows with equal indices: coalesce, and adding rows to a table. */
#include "ops/shared/rows.h"

#include "launch/launch.h"
#include "ops/shared/runs.h"
#include "sparcl/ops/elements.h"

#define PROGRAM "panel+partition+runs+rows"

static sparcl_status sum_runs(sparcl_ctx *ctx, const sparcl_rows *to, const sparcl_rows *from,
                              const spc_runs *runs) {
    const int64_t width = spc_shape_width(from->rank, from->shape);
    const uint32_t options =
        spc_options(from->dtype, runs->position_type, from->index_type) | spc_runs_options(runs);
    spc_args sums = {.count = 0}, blocks = {.count = 0};
    if (width == 0) return SPARCL_OK;
    SPC_ARGS_ADD(&sums, SPC_IN(runs->starts), SPC_IN(to->count), SPC_I64(to->count_at),
                 SPC_IN(from->values), SPC_I64(from->values_at), SPC_IN(runs->perm),
                 SPC_OUT(to->values), SPC_I64(to->values_at), SPC_I64(width));
    spc_runs_add_sums(ctx, &sums, runs);
    SPC_TRY(spc_launch(ctx, PROGRAM, options, "rows_sum", spc_runs_range(ctx, runs), sums.at,
                       sums.count));
    if (!spc_runs_are_divided(ctx, runs)) return SPARCL_OK;
    SPC_ARGS_ADD(&blocks, SPC_IN(runs->starts), SPC_IN(to->count), SPC_I64(to->count_at),
                 SPC_OUT(to->values), SPC_I64(to->values_at), SPC_I64(width));
    spc_runs_add_blocks(ctx, &blocks, runs);
    return spc_launch(ctx, PROGRAM, options, "rows_carry", spc_runs_block_range(ctx, runs),
                      blocks.at, blocks.count);
}

sparcl_status spc_rows_sum(sparcl_ctx *ctx, const sparcl_rows *to, const sparcl_rows *from) {
    spc_runs runs;
    SPC_TRY(spc_find_unique_runs(ctx, &runs, from, to));
    return sum_runs(ctx, to, from, &runs);
}

static sparcl_status add_rows(sparcl_ctx *ctx, const sparcl_dense *table, double alpha,
                              const sparcl_rows *r) {
    const int64_t width = spc_shape_width(r->rank, r->shape);
    return SPC_LAUNCH(ctx, PROGRAM, spc_options(r->dtype, SPARCL_INDEX32, r->index_type),
                      "rows_add", spc_range_vectors(ctx, r->nnr, width), SPC_OUT(table->values),
                      SPC_I64(table->values_at), SPC_I64(spc_dense_ld(table)),
                      SPC_REAL(r->dtype, alpha), SPC_IN(r->indices), SPC_I64(r->indices_at),
                      SPC_IN(r->values), SPC_I64(r->values_at), SPC_IN(r->count),
                      SPC_I64(r->count_at), SPC_I64(r->nnr), SPC_I64(width));
}

/* The sums of rows with equal indices are added to the table without being stored. */
static sparcl_status add_runs(sparcl_ctx *ctx, const sparcl_dense *table, double alpha,
                              const sparcl_rows *r, const spc_runs *runs) {
    const int64_t width = spc_shape_width(r->rank, r->shape);
    const uint32_t options =
        spc_options(r->dtype, runs->position_type, r->index_type) | spc_runs_options(runs);
    spc_args sums = {.count = 0}, blocks;
    SPC_ARGS_ADD(&sums, SPC_OUT(table->values), SPC_I64(table->values_at),
                 SPC_I64(spc_dense_ld(table)), SPC_REAL(r->dtype, alpha), SPC_IN(runs->starts),
                 SPC_IN(runs->found), SPC_IN(runs->keys), SPC_I64(runs->keys_at));
    blocks = sums;
    SPC_ARGS_ADD(&sums, SPC_IN(r->values), SPC_I64(r->values_at), SPC_IN(runs->perm),
                 SPC_I64(width));
    spc_runs_add_sums(ctx, &sums, runs);
    SPC_TRY(spc_launch(ctx, PROGRAM, options, "rows_add_runs", spc_runs_range(ctx, runs), sums.at,
                       sums.count));
    if (!spc_runs_are_divided(ctx, runs)) return SPARCL_OK;
    spc_args_add(&blocks, SPC_I64(width));
    spc_runs_add_blocks(ctx, &blocks, runs);
    return spc_launch(ctx, PROGRAM, options, "rows_add_carry", spc_runs_block_range(ctx, runs),
                      blocks.at, blocks.count);
}

static sparcl_status check_scatter(sparcl_ctx *ctx, const sparcl_dense *table,
                                   const sparcl_rows *r) {
    SPC_TRY(spc_check_dense_of(ctx, "scatter_add", "table", table, SPC_FLOATS));
    SPC_TRY(spc_check_rows_of(ctx, "scatter_add", "r", r, SPC_FLOATS));
    const spc_span result = spc_dense_span("table", table);
    const spc_spans operands = spc_rows_spans("r", r);
    SPC_TRY(spc_check_same_shape(ctx, "scatter_add", "table", table->rank, table->shape, "r",
                                 r->rank, r->shape));
    SPC_TRY(spc_check_same_dtype(ctx, "scatter_add", "table", table->dtype, "r", r->dtype));
    SPC_TRY(spc_check_alias(ctx, "scatter_add", &result, operands.at, operands.count));
    return spc_need_rows(ctx, "scatter_add", "r", r, SPARCL_VALID);
}

sparcl_status sparcl_scatter_add(sparcl_ctx *ctx, const sparcl_dense *table, double alpha,
                                 const sparcl_rows *r) {
    SPC_TRY(check_scatter(ctx, table, r));
    if (r->nnr == 0 || spc_shape_width(r->rank, r->shape) == 0) return SPARCL_OK;
    if (sparcl_rows_flags(r) & SPARCL_UNIQUE) return add_rows(ctx, table, alpha, r);
    const int mark = spc_scratch_mark(ctx);
    spc_runs runs;
    sparcl_status status = spc_find_runs(ctx, &runs, r);
    if (status == SPARCL_OK) status = add_runs(ctx, table, alpha, r, &runs);
    spc_scratch_release(ctx, mark);
    return status;
}

/* --- two arrays ------------------------------------------------------------------------------- */

/* The runs of both: those of the array in the larger buffer, whose positions may need more bits. */
static sparcl_status find_common_runs(sparcl_ctx *ctx, spc_runs *runs,
                                      const sparcl_rows *const *rows, int count) {
    const sparcl_rows *r = rows[0];
    if (count > 1 && sparcl_buf_bytes(rows[1]->values) > sparcl_buf_bytes(r->values)) r = rows[1];
    return spc_find_runs(ctx, runs, r);
}

sparcl_status spc_scatter_beside(sparcl_ctx *ctx, const sparcl_dense *const *tables,
                                 const sparcl_rows *const *rows, int count) {
    const sparcl_rows *const r = rows[0];
    if (count == 1) return sparcl_scatter_add(ctx, tables[0], 1, r);
    for (int i = 0; i < count; ++i)
        SPC_TRY(check_scatter(ctx, tables[i], rows[i]));
    if (r->nnr == 0 || spc_shape_width(r->rank, r->shape) == 0) return SPARCL_OK;
    const int mark = spc_scratch_mark(ctx);
    const bool is_unique = (sparcl_rows_flags(r) & SPARCL_UNIQUE) != 0;
    spc_runs runs;
    sparcl_status status = SPARCL_OK;
    if (!is_unique) status = find_common_runs(ctx, &runs, rows, count);
    for (int i = 0; i < count && status == SPARCL_OK; ++i)
        status = is_unique ? add_rows(ctx, tables[i], 1, rows[i])
                           : add_runs(ctx, tables[i], 1, rows[i], &runs);
    spc_scratch_release(ctx, mark);
    return status;
}
