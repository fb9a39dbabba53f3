/* sharded_step.c: steps of tables of several arrays, and their states. */
#include "launch/launch.h"
#include "launch/scratch.h"
#include "optim/clip.h"
#include "optim/rules.h"
#include "optim/shard.h"
#include "optim/step.h"
#include "sparcl/views.h"

static const char op[] = "sharded_step";

/* --- states ----------------------------------------------------------------------------------- */

static sparcl_status create_states(sparcl_ctx *ctx, const sparcl_optim *optim,
                                   const sparcl_sharded *table, sparcl_sharded *states) {
    const spc_rule *const rule = spc_rule_of(optim->rule);
    for (int i = 0; i < rule->states; ++i) {
        states[i] = *table;
        states[i].shards = NULL;
        states[i].dtype = spc_state_dtype(rule, optim, i, table->dtype);
        if (spc_is_row_state(rule, i)) states[i].rank = 1;
        SPC_TRY(sparcl_sharded_create(ctx, &states[i]));
    }
    for (int s = 0; rule->states > 0 && s < table->count; ++s)
        SPC_TRY(spc_fill_first_state(ctx, optim, &states[0].shards[s]));
    return SPARCL_OK;
}

sparcl_status sparcl_sharded_create_states(sparcl_ctx *ctx, const sparcl_optim *optim,
                                           const sparcl_sharded *table, sparcl_sharded *states) {
    SPC_TRY(spc_optim_check(ctx, "sharded_create_states", optim));
    SPC_TRY(spc_check_sharded(ctx, "sharded_create_states", "the table", table));
    SPC_TRY(spc_check_state_type(ctx, "sharded_create_states", optim, table->dtype));
    const int count = sparcl_rule_states(optim->rule);
    if (!states && count > 0)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "sharded_create_states: states is NULL, the rule has %d", count);
    for (int i = 0; i < count; ++i)
        states[i] = (sparcl_sharded){0};
    const sparcl_status status = create_states(ctx, optim, table, states);
    for (int i = 0; status != SPARCL_OK && i < count; ++i)
        sparcl_sharded_free(&states[i]);
    return status;
}

/* --- the step --------------------------------------------------------------------------------- */

/* What is known of one table only. */
static sparcl_status check_rule(sparcl_ctx *ctx, const sparcl_optim *o) {
    const spc_rule *const rule = spc_rule_of(o->rule);
    if (o->lazy.object || o->moves == SPARCL_MOVES_EXACT)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: exact lazy steps are of one array, expected moves to be present "
                            "or all, and lazy NULL",
                            op);
    if (rule->is_by_table)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: the rate of %s has norms of the whole table, expected a rule "
                            "without them, such as rowwise_%s",
                            op, rule->name, rule->name);
    if (rule->needs_largest && rule->needs_largest(o) >= 0)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: max_counter is 0, expected the largest counter of the table", op);
    return SPARCL_OK;
}

static sparcl_status check_tables(sparcl_ctx *ctx, const sparcl_optim *optim,
                                  const sparcl_sharded *table, const sparcl_sharded *states,
                                  const sparcl_rows *from) {
    const int count = sparcl_rule_states(optim->rule);
    const spc_spans operands = spc_rows_spans("the gradient", from);
    if (!states && count > 0)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: states is NULL, the rule has %d", op, count);
    for (int i = 0; i < count; ++i) {
        SPC_TRY(spc_check_sharded(ctx, op, "a state", &states[i]));
        if (states[i].count != table->count || states[i].rows_per_shard != table->rows_per_shard)
            return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                                "%s: a state has %d shards of %lld rows, the table %d of %lld", op,
                                states[i].count, (long long)states[i].rows_per_shard, table->count,
                                (long long)table->rows_per_shard);
    }
    for (int s = 0; s < table->count; ++s) {
        sparcl_dense own[SPARCL_MAX_STATES];
        spc_tables t;
        sparcl_optim o = *optim;
        for (int i = 0; i < count; ++i)
            own[i] = states[i].shards[s];
        if (o.lazy.last_steps) o.lazy.last_steps_at += spc_shard_first(table, s);
        SPC_TRY(spc_tables_open(ctx, op, &t, &o, &table->shards[s], own));
        SPC_TRY(spc_tables_alias(ctx, op, &t, operands.at, operands.count));
    }
    return SPARCL_OK;
}

static sparcl_status check_gradient(sparcl_ctx *ctx, const sparcl_optim *optim,
                                    const sparcl_sharded *table, sparcl_rows *from) {
    const int64_t width = spc_shape_width(table->rank, table->shape);
    SPC_TRY(spc_check_same_shape(ctx, op, "gradient", from->rank, from->shape, "the table",
                                 table->rank, table->shape));
    SPC_TRY(spc_check_same_dtype(ctx, op, "gradient", from->dtype, "the table", table->dtype));
    SPC_TRY(spc_need_rows(ctx, op, "gradient", from, SPARCL_VALID));
    if (optim->check_finite) SPC_TRY(spc_check_finite_rows(ctx, op, from, width));
    if (optim->duplicates != SPARCL_DUPLICATES_ERROR) return SPARCL_OK;
    return sparcl_rows_flags(from) & SPARCL_UNIQUE ? SPARCL_OK
                                                   : sparcl_rows_validate(ctx, from, SPARCL_UNIQUE);
}

static sparcl_status step_shard(sparcl_ctx *ctx, const sparcl_optim *optim,
                                const sparcl_sharded *table, const sparcl_sharded *states,
                                const sparcl_rows *from, int s) {
    const int mark = spc_scratch_mark(ctx);
    const int64_t first = spc_shard_first(table, s);
    sparcl_optim o = *optim;
    sparcl_dense own[SPARCL_MAX_STATES];
    sparcl_rows slice;
    for (int i = 0; i < sparcl_rule_states(o.rule); ++i)
        own[i] = states[i].shards[s];
    if (o.lazy.last_steps) o.lazy.last_steps_at += first;
    sparcl_status status = spc_shard_of_rows(ctx, table, s, from, &slice);
    if (status == SPARCL_OK)
        status = spc_step_part(ctx, &o, &table->shards[s], own, &slice,
                               first * spc_shape_width(table->rank, table->shape));
    spc_scratch_release(ctx, mark);
    return status;
}

static sparcl_status step_shards(sparcl_ctx *ctx, const sparcl_optim *optim,
                                 const sparcl_sharded *table, const sparcl_sharded *states,
                                 const sparcl_rows *from) {
    for (int s = 0; s < table->count; ++s)
        SPC_TRY(step_shard(ctx, optim, table, states, from, s));
    return SPARCL_OK;
}

/* The gradient is clipped as a whole before it is divided. */
static sparcl_status step_clipped(sparcl_ctx *ctx, const sparcl_optim *optim,
                                  const sparcl_sharded *table, const sparcl_sharded *states,
                                  const sparcl_rows *from) {
    const int mark = spc_scratch_mark(ctx);
    sparcl_optim o = *optim;
    sparcl_rows clipped;
    sparcl_status status = spc_clip_rows(ctx, optim, from, &clipped);
    if (o.clip.stored) o.clip.value = (double)INFINITY;
    o.clip.norm = o.clip.row_norm = (double)INFINITY;
    if (status == SPARCL_OK) status = step_shards(ctx, &o, table, states, &clipped);
    spc_scratch_release(ctx, mark);
    return status;
}

sparcl_status sparcl_sharded_step(sparcl_ctx *ctx, const sparcl_optim *optim,
                                  const sparcl_sharded *table, const sparcl_sharded *states,
                                  const sparcl_rows *gradient) {
    SPC_TRY(spc_optim_check(ctx, op, optim));
    SPC_TRY(check_rule(ctx, optim));
    SPC_TRY(spc_check_sharded(ctx, op, "the table", table));
    SPC_TRY(spc_check_rows(ctx, op, "gradient", gradient));
    sparcl_rows checked = *gradient;
    SPC_TRY(check_tables(ctx, optim, table, states, gradient));
    SPC_TRY(check_gradient(ctx, optim, table, &checked));
    return (spc_clips_whole(optim) ? step_clipped : step_shards)(ctx, optim, table, states,
                                                                 &checked);
}
