/* embedding_weights.c: the gradient of bags by their weights. */
#include "base/size.h"
#include "ops/layers/bags.h"

typedef long long ll; /* for %lld */

#define PROGRAM "panel+elements+row_teams+bags+embedding_gradient"

static sparcl_status check_weights(sparcl_ctx *ctx, const sparcl_dense *gw, const sparcl_dense *g,
                                   const sparcl_dense *table, const sparcl_dense *y,
                                   const sparcl_bags *bags) {
    const char *const op = "embedding_bag_weights_gradient";
    const bool is_mean = bags->mode == SPARCL_BAG_MEAN || bags->mode == SPARCL_BAG_SQRTN;
    if (bags->mode == SPARCL_BAG_MAX)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: the mode is max, which has no weights", op);
    if (is_mean != (y != NULL))
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: Y is %s, expected the result of the bags for mean and sqrtn only",
                            op, y ? "given" : "NULL");
    if (gw->rank != 1 || gw->shape[0] != bags->indices.count)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: GW has rank %d and %lld elements, expected a vector of the %lld "
                            "indices",
                            op, gw->rank, (ll)gw->shape[0], (ll)bags->indices.count);
    SPC_TRY(spc_check_bag_array(ctx, op, "G", g, bags->bags, "bags", table));
    SPC_TRY(spc_check_bag_array(ctx, op, "the table", table, bags->indices.limit,
                                "rows that the list is for", g));
    return y ? spc_check_bag_array(ctx, op, "Y", y, bags->bags, "bags", g) : SPARCL_OK;
}

static sparcl_status launch_weights(sparcl_ctx *ctx, const sparcl_dense *gw, const sparcl_dense *g,
                                    const sparcl_dense *table, const sparcl_dense *y,
                                    const sparcl_bags *bags, sparcl_buf *divisors) {
    const int64_t width = spc_shape_width(g->rank, g->shape), count = bags->indices.count;
    const uint32_t options = spc_bags_options(bags, g->dtype);
    const sparcl_dense *const result = y ? y : g;
    spc_args list = spc_bags_args(bags), divide = list;
    spc_args_add(&divide, SPC_OUT(divisors));
    if (bags->bags > 0)
        SPC_TRY(spc_launch(ctx, PROGRAM, options, "bag_divisors", spc_range_bags(ctx, bags, 1),
                           divide.at, divide.count));
    spc_args_add_dense(&list, SPC_IN(table->values), table);
    spc_args_add_dense(&list, SPC_IN(g->values), g);
    spc_args_add_dense(&list, SPC_IN(result->values), result);
    spc_args_add(&list, SPC_I64(width));
    spc_args_add(&list, SPC_IN(divisors));
    spc_args_add_dense(&list, SPC_OUT(gw->values), gw);
    const int64_t lanes = spc_ctx_is_gpu(ctx) ? 8 : width + 16;
    return spc_launch(ctx, PROGRAM, options, "bag_weights",
                      spc_range_each(ctx, spc_min_i64(count, INT64_MAX / lanes) * lanes), list.at,
                      list.count);
}

sparcl_status sparcl_embedding_bag_weights_gradient(sparcl_ctx *ctx, const sparcl_dense *gw,
                                                    const sparcl_dense *g,
                                                    const sparcl_dense *table,
                                                    const sparcl_dense *y,
                                                    const sparcl_bags *bags) {
    const char *const op = "embedding_bag_weights_gradient";
    const struct {
        const char *name;
        const sparcl_dense *array;
    } arrays[] = {{"GW", gw}, {"G", g}, {"the table", table}, {"Y", y}};
    for (size_t i = 0; i < SPC_COUNT(arrays) - (y ? 0 : 1); ++i)
        SPC_TRY(spc_check_dense_of(ctx, op, arrays[i].name, arrays[i].array, SPC_FLOATS));
    for (size_t i = 1; i < SPC_COUNT(arrays) - (y ? 0 : 1); ++i)
        if (arrays[i].array->dtype != gw->dtype)
            return spc_ctx_fail(ctx, SPARCL_E_DTYPE, "%s: GW is %s and %s %s, expected one type",
                                op, spc_dtype_name(gw->dtype), arrays[i].name,
                                spc_dtype_name(arrays[i].array->dtype));
    SPC_TRY(spc_check_bags(ctx, op, bags, g->dtype));
    SPC_TRY(check_weights(ctx, gw, g, table, y, bags));
    const spc_span result = spc_dense_span("GW", gw);
    spc_spans operands = spc_bags_spans(bags, g->dtype);
    for (size_t i = 1; i < SPC_COUNT(arrays) - (y ? 0 : 1); ++i)
        operands.at[operands.count++] = spc_dense_span(arrays[i].name, arrays[i].array);
    SPC_TRY(spc_check_alias(ctx, op, &result, operands.at, operands.count));
    SPC_TRY(spc_check_bag_loops(ctx, op, bags, spc_shape_width(g->rank, g->shape)));
    if (bags->indices.count == 0) return SPARCL_OK;
    const int mark = spc_scratch_mark(ctx);
    sparcl_buf *divisors = NULL;
    sparcl_status status = spc_scratch_push(ctx, &divisors, bags->bags, 8);
    if (status == SPARCL_OK) status = launch_weights(ctx, gw, g, table, y, bags, divisors);
    spc_scratch_release(ctx, mark);
    return status;
}
