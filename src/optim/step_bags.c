/* step_bags.c: a step with the gradient of embedding bags. */
#include <math.h>
#include <string.h>

#include "base/size.h"
#include "ops/layers/bags.h"
#include "optim/clip.h"
#include "optim/step.h"
#include "prim/sort.h"

static const char op[] = "step_bags";

/* A checked call. */
typedef struct step_bags {
    const sparcl_optim *optim;
    const sparcl_dense *table, *states;
    const sparcl_bags *bags;
    const sparcl_dense *g, *positions;
    int64_t width;
} step_bags;

/* --- with the gradient in scratch memory ------------------------------------------------------ */

static sparcl_status step_stored(sparcl_ctx *ctx, const step_bags *x) {
    const sparcl_list *const list = &x->bags->indices;
    const int64_t rows =
        x->bags->mode == SPARCL_BAG_MAX ? list->count : spc_min_i64(list->count, list->limit);
    sparcl_rows r = {.rank = x->table->rank,
                     .dtype = x->table->dtype,
                     .index_type = list->index_type,
                     .nnr = rows};
    memcpy(r.shape, x->table->shape, sizeof r.shape);
    SPC_TRY(spc_scratch_push(ctx, &r.count, 1, sizeof(int64_t)));
    SPC_TRY(spc_scratch_push(ctx, &r.indices, rows, sparcl_itype_size(r.index_type)));
    SPC_TRY(spc_scratch_push(ctx, &r.values, rows * x->width, sparcl_dtype_size(r.dtype)));
    /* All rows that there is room for are clipped. */
    if (spc_clips_whole(x->optim))
        SPC_TRY(sparcl_buf_fill(ctx, r.values, 0,
                                rows * x->width * (int64_t)sparcl_dtype_size(r.dtype), 0));
    SPC_TRY(sparcl_embedding_bag_gradient(ctx, &r, x->g, x->bags, x->positions));
    return sparcl_step(ctx, x->optim, x->table, x->states, &r);
}

/* --- without it ------------------------------------------------------------------------------- */

/* Where each row of the gradient is a sum of rows of G, or of rows times a factor of their bag,
 * that are added as sparcl_step adds the rows of one index. */
static bool is_sum_of_rows(const step_bags *x, const spc_tables *t) {
    return x->bags->mode != SPARCL_BAG_MAX && !x->bags->weights && x->width > 1 &&
           !t->rule->is_by_row && !t->rule->is_by_table && !t->optim.lazy.object &&
           !t->optim.check_finite && !spc_clips_whole(&t->optim) &&
           (x->bags->bags <= INT32_MAX ||
            spc_position_type(x->bags->indices.count) == SPARCL_INDEX64);
}

/* The rows of G, without gaps, times what their bag multiplies its rows by. */
static sparcl_status find_shares(sparcl_ctx *ctx, const step_bags *x, sparcl_rows *from) {
    const size_t size = sparcl_dtype_size(x->g->dtype);
    from->values = x->g->values;
    from->values_at = x->g->values_at;
    if (x->bags->mode == SPARCL_BAG_SUM && spc_dense_ld(x->g) == x->width) return SPARCL_OK;
    from->values_at = 0;
    SPC_TRY(spc_scratch_push(ctx, &from->values, x->bags->bags * x->width, size));
    return spc_bag_shares(ctx, from->values, x->bags, x->g);
}

static sparcl_status step_sums(sparcl_ctx *ctx, const step_bags *x, spc_tables *t) {
    const sparcl_list *const list = &x->bags->indices;
    const sparcl_itype owner_type = spc_position_type(list->count);
    spc_bag_entries entries;
    spc_runs runs;
    SPC_TRY(spc_list_bag_entries(ctx, x->bags, x->g->dtype, owner_type, &entries));
    sparcl_rows from = {.rank = x->table->rank,
                        .dtype = x->table->dtype,
                        .index_type = list->index_type,
                        .nnr = list->count,
                        .indices = entries.ids,
                        .count = entries.count,
                        .count_at = entries.count_at,
                        .proof = {.flags = SPARCL_TRUSTED}};
    memcpy(from.shape, x->table->shape, sizeof from.shape);
    SPC_TRY(find_shares(ctx, x, &from));
    SPC_TRY(spc_find_placed_runs(ctx, &runs, &from, entries.owners));
    t->optim.duplicates =
        x->bags->scale_by_frequency ? SPARCL_DUPLICATES_MEAN : SPARCL_DUPLICATES_SUM;
    return spc_step_placed(ctx, t, &from, &runs);
}

/* --- the call --------------------------------------------------------------------------------- */

static sparcl_status check_bags(sparcl_ctx *ctx, const step_bags *x, const spc_tables *t) {
    const sparcl_dense *const table = x->table, *const g = x->g;
    SPC_TRY(spc_check_dense(ctx, op, "G", g));
    SPC_TRY(spc_check_same_dtype(ctx, op, "G", g->dtype, "the table", table->dtype));
    SPC_TRY(spc_check_bags(ctx, op, x->bags, g->dtype));
    SPC_TRY(spc_check_bag_gradient(ctx, op, x->bags, g, x->positions));
    if (table->rank > 2 || g->rank != table->rank || x->bags->indices.limit != table->shape[0] ||
        spc_shape_width(g->rank, g->shape) != x->width)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: the table has rank %d and %lld rows of %lld, expected %lld rows, "
                            "the limit of the list, like those of G, of rank 1 or 2 (%lld)",
                            op, table->rank, (long long)table->shape[0], (long long)x->width,
                            (long long)x->bags->indices.limit,
                            (long long)spc_shape_width(g->rank, g->shape));
    SPC_TRY(spc_check_bag_loops(ctx, op, x->bags, x->width));
    spc_spans operands = spc_bags_spans(x->bags, g->dtype);
    operands.at[operands.count++] = spc_dense_span("G", g);
    if (x->positions) operands.at[operands.count++] = spc_dense_span("positions", x->positions);
    return spc_tables_alias(ctx, op, t, operands.at, operands.count);
}

sparcl_status sparcl_step_bags(sparcl_ctx *ctx, const sparcl_optim *optim,
                               const sparcl_dense *table, const sparcl_dense *states,
                               const sparcl_bags *bags, const sparcl_dense *g,
                               const sparcl_dense *positions) {
    spc_tables t;
    SPC_TRY(spc_optim_check(ctx, op, optim));
    SPC_TRY(spc_tables_open(ctx, op, &t, optim, table, states));
    const step_bags x = {.optim = optim,
                         .table = table,
                         .states = states,
                         .bags = bags,
                         .g = g,
                         .positions = positions,
                         .width = t.width};
    SPC_TRY(check_bags(ctx, &x, &t));
    const int mark = spc_scratch_mark(ctx);
    const bool is_sum = is_sum_of_rows(&x, &t) && bags->indices.count > 0 && t.rows > 0;
    const sparcl_status status = is_sum ? step_sums(ctx, &x, &t) : step_stored(ctx, &x);
    spc_scratch_release(ctx, mark);
    return status;
}
