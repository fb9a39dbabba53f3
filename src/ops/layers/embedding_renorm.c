/* embedding_renorm.c: rows of a table that are looked up, made shorter where their norm is too
 * large. */
#include <math.h>

#include "base/size.h"
#include "ops/layers/bags.h"
#include "ops/shared/rows.h"

typedef long long ll; /* for %lld */

#define PROGRAM "panel+elements+row_teams+embedding_renorm"

/* PyTorch's: a norm that is just above the maximum is not divided by less than it. */
static const double epsilon = 1e-7;

/* As in cl/embedding_renorm.cl. */
enum { SUM_OF_ABS = 1, ROOT_OF_SQUARES = 2, LARGEST_ABS = 3 };

static int kind_of(double norm_type) {
    if (norm_type == 1) return SUM_OF_ABS;
    if (norm_type == 2) return ROOT_OF_SQUARES;
    return isinf(norm_type) && norm_type > 0 ? LARGEST_ABS : 0;
}

static sparcl_status check_renorm(sparcl_ctx *ctx, const char *op, const sparcl_dense *table,
                                  const sparcl_bags *bags, double max_norm, double norm_type) {
    SPC_TRY(spc_check_dense_of(ctx, op, "the table", table, SPC_FLOATS));
    SPC_TRY(spc_check_bags(ctx, op, bags, table->dtype));
    SPC_TRY(spc_check_bag_array(ctx, op, "the table", table, bags->indices.limit,
                                "rows that the list is for", table));
    if (!(max_norm >= 0))
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: the maximum is %g, expected 0 or more", op,
                            max_norm);
    if (kind_of(norm_type) == 0)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: the type of the norm is %g, expected 1, 2 or INFINITY", op,
                            norm_type);
    const spc_spans result = {.count = 1, .at = {spc_dense_span("the table", table)}};
    const spc_spans operands = spc_bags_spans(bags, table->dtype);
    SPC_TRY(spc_check_spans(ctx, op, &result, &operands));
    SPC_TRY(spc_check_bag_loops(ctx, op, bags, 1));
    return spc_check_iterations(ctx, op, 3 * spc_shape_width(table->rank, table->shape));
}

/* Each row once, however often it is in the bags. */
static sparcl_status renorm(sparcl_ctx *ctx, const sparcl_dense *table, const sparcl_bags *bags,
                            double max_norm, double norm_type) {
    const int64_t width = spc_shape_width(table->rank, table->shape);
    spc_bag_rows rows;
    SPC_TRY(spc_find_bag_rows(ctx, bags, table->dtype, &rows));
    const int64_t n = rows.runs.n, most = INT64_MAX / spc_max_i64(width, 8);
    return SPC_LAUNCH(ctx, PROGRAM, spc_bags_options(bags, table->dtype), "renorm_rows",
                      spc_range_each(ctx, spc_min_i64(n, most) * (spc_ctx_is_gpu(ctx) ? 8 : width)),
                      SPC_IN(rows.unique), SPC_IN(rows.runs.found), SPC_I64(n),
                      SPC_OUT(table->values), SPC_I64(table->values_at),
                      SPC_I64(spc_dense_ld(table)), SPC_I64(width), SPC_I32(kind_of(norm_type)),
                      SPC_REAL(table->dtype, max_norm), SPC_REAL(table->dtype, epsilon));
}

sparcl_status sparcl_embedding_renorm(sparcl_ctx *ctx, const sparcl_dense *table,
                                      const sparcl_bags *bags, double max_norm, double norm_type) {
    SPC_TRY(check_renorm(ctx, "embedding_renorm", table, bags, max_norm, norm_type));
    if (bags->indices.count == 0 || spc_shape_width(table->rank, table->shape) == 0)
        return SPARCL_OK;
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = renorm(ctx, table, bags, max_norm, norm_type);
    spc_scratch_release(ctx, mark);
    return status;
}
