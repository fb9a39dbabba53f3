/* catch_up.c: applies the steps that rows have missed, in closed form. */
#include "ops/shared/rows.h"
#include "optim/lazy_rule.h"

/* A number of missed steps has at most this many bits. */
#define MAX_BITS   40
#define PER_LAUNCH 16 /* numbers that one launch of `powers` writes */

/* The powers 1, 2, 4, ... of one step with a gradient of l2 w. A power has `each` numbers: a factor
 * of w, or a row-major matrix on (b, w). */
typedef struct power_table {
    int bits, each;
    double x[MAX_BITS * 4 + PER_LAUNCH];
} power_table;

static void square(const double *m, double *result) {
    result[0] = m[0] * m[0] + m[1] * m[2];
    result[1] = m[0] * m[1] + m[1] * m[3];
    result[2] = m[2] * m[0] + m[3] * m[2];
    result[3] = m[2] * m[1] + m[3] * m[3];
}

static void make_powers(power_table *p, const sparcl_optim *o) {
    if (o->rule == SPARCL_RULE_SGD) {
        p->each = 1;
        p->x[0] = 1 - o->lr * o->decay.weight;
        for (int i = 1; i < p->bits; ++i)
            p->x[i] = p->x[i - 1] * p->x[i - 1];
        return;
    }
    p->each = 4;
    p->x[0] = o->momentum.factor;
    p->x[1] = o->decay.weight;
    p->x[2] = -(o->lr * o->momentum.factor);
    p->x[3] = 1 - o->lr * o->decay.weight;
    for (int i = 1; i < p->bits; ++i)
        square(p->x + 4 * (i - 1), p->x + 4 * i);
}

/* The powers are sent as kernel arguments: a transfer from host memory would wait for the queue. */
static sparcl_status send_powers(sparcl_ctx *ctx, sparcl_dtype dtype, uint32_t options,
                                 const power_table *p, sparcl_buf *to) {
    for (int at = 0; at < p->bits * p->each; at += PER_LAUNCH) {
        spc_arg args[2 + PER_LAUNCH] = {SPC_OUT(to), SPC_I64(at)};
        for (int i = 0; i < PER_LAUNCH; ++i)
            args[2 + i] = SPC_REAL(dtype, p->x[at + i]);
        SPC_TRY(spc_launch(ctx, "panel+catch_up", options, "powers", spc_range_groups(ctx, 1), args,
                           SPC_COUNT(args)));
    }
    return SPARCL_OK;
}

/* The rows to update: all rows of the table, or those of a view. */
typedef struct selection {
    sparcl_itype index_type;
    const sparcl_buf *ids, *count;
    int64_t ids_at, count_at, rows;
    bool has_duplicates;
    sparcl_buf *owner; /* where it has: for each row, its first place */
} selection;

#define SELECTION_ARGS(s)                                                                          \
    SPC_IN((s)->ids), SPC_I64((s)->ids_at), SPC_IN((s)->count), SPC_I64((s)->count_at),            \
        SPC_I64((s)->rows)

static sparcl_status check_rows(sparcl_ctx *ctx, const spc_tables *t, const sparcl_rows *rows) {
    if (!rows) return spc_tables_alias(ctx, "catch_up", t, NULL, 0);
    sparcl_rows ids = *rows;
    ids.rank = 2;
    ids.shape[1] = 0;
    ids.values = NULL; /* not read */
    ids.values_at = 0;
    SPC_TRY(spc_check_rows(ctx, "catch_up", "rows", &ids));
    if (rows->shape[0] != t->rows)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "catch_up: rows are of an array with %lld, the table has %lld",
                            (long long)rows->shape[0], (long long)t->rows);
    const spc_spans operands = spc_rows_spans("rows", &ids);
    SPC_TRY(spc_tables_alias(ctx, "catch_up", t, operands.at, operands.count));
    if (rows->nnr > INT32_MAX && !(sparcl_rows_flags(rows) & SPARCL_UNIQUE))
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "catch_up: %lld rows with duplicates, expected at most 2^31 - 1",
                            (long long)rows->nnr);
    return spc_need_rows(ctx, "catch_up", "rows", rows, SPARCL_VALID);
}

static sparcl_status check_steps(sparcl_ctx *ctx, const spc_tables *t) {
    const sparcl_optim *const o = &t->optim;
    if (o->rule != SPARCL_RULE_SGD && o->rule != SPARCL_RULE_MOMENTUM)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "catch_up: rule is %d, expected SPARCL_RULE_SGD or "
                            "SPARCL_RULE_MOMENTUM, which have a closed form",
                            (int)o->rule);
    if (!spc_catches_up(o))
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "catch_up: expected preset torch, a coupled decay, no dampening and "
                            "not Nesterov's form, which have a closed form");
    if (!o->lazy.last_steps)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "catch_up: last_steps of optim is NULL");
    if (o->step > (int64_t)1 << MAX_BITS)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "catch_up: step is %lld, expected at most 2^%d",
                            (long long)o->step, MAX_BITS);
    return SPARCL_OK;
}

/* Find the first place of each row that is selected. */
static sparcl_status claim(sparcl_ctx *ctx, const spc_tables *t, selection *s, uint32_t options) {
    static const char *const kernels[] = {"clear_owners", "claim_rows"};
    if (!s->has_duplicates) return SPARCL_OK;
    SPC_TRY(spc_scratch_push(ctx, &s->owner, t->rows, sizeof(int32_t)));
    for (size_t k = 0; k < SPC_COUNT(kernels); ++k)
        SPC_TRY(SPC_LAUNCH(ctx, "panel+catch_up", options, kernels[k], spc_range_each(ctx, s->rows),
                           SELECTION_ARGS(s), SPC_OUT(s->owner)));
    return SPARCL_OK;
}

static sparcl_status run(sparcl_ctx *ctx, const spc_tables *t, selection *s) {
    const sparcl_dtype dtype = t->weights->dtype;
    const int64_t done = t->optim.step - 1;
    const bool is_momentum = t->rule->states > 0;
    const uint32_t options =
        spc_options(dtype, SPARCL_INDEX32, s->index_type) | (is_momentum ? SPC_VARIANT : 0u);
    power_table p = {.bits = 0};
    sparcl_buf *power = NULL;
    while (p.bits < MAX_BITS && done >> p.bits)
        ++p.bits;
    make_powers(&p, &t->optim);
    SPC_TRY(spc_scratch_push(ctx, &power, MAX_BITS * 4 + PER_LAUNCH, sizeof(double)));
    SPC_TRY(send_powers(ctx, dtype, options, &p, power));
    SPC_TRY(claim(ctx, t, s, options));
    SPC_TRY(SPC_LAUNCH(
        ctx, "panel+catch_up", options, "catch_up", spc_range_rows(ctx, s->rows, t->width),
        SPC_TABLE_ARGS(t->weights), SPC_TABLE_ARGS(is_momentum ? t->states : NULL),
        SELECTION_ARGS(s), SPC_IN(s->owner), SPC_I64(t->width), SPC_IN(power),
        SPC_OUT(t->optim.lazy.last_steps), SPC_I64(t->optim.lazy.last_steps_at), SPC_I64(done)));
    if (!spc_ctx_is_gpu(ctx)) return SPARCL_OK;
    return SPC_LAUNCH(ctx, "panel+catch_up", options, "mark_steps", spc_range_each(ctx, s->rows),
                      SELECTION_ARGS(s), SPC_IN(s->owner), SPC_OUT(t->optim.lazy.last_steps),
                      SPC_I64(t->optim.lazy.last_steps_at), SPC_I64(done));
}

sparcl_status sparcl_catch_up(sparcl_ctx *ctx, const sparcl_optim *optim, const sparcl_dense *table,
                              const sparcl_dense *states, const sparcl_rows *rows) {
    spc_tables t;
    SPC_TRY(spc_tables_open(ctx, "catch_up", &t, optim, table, states));
    SPC_TRY(optim->lazy.object ? spc_lazy_check(ctx, "catch_up", optim, table)
                               : check_steps(ctx, &t));
    SPC_TRY(check_rows(ctx, &t, rows));
    if (optim->lazy.object) return spc_lazy_catch_up(ctx, optim, table, states, rows, 0);
    selection s = {.index_type = rows ? rows->index_type : SPARCL_INDEX32,
                   .ids = rows ? rows->indices : NULL,
                   .count = rows ? rows->count : NULL,
                   .ids_at = rows ? rows->indices_at : 0,
                   .count_at = rows ? rows->count_at : 0,
                   .rows = rows ? rows->nnr : t.rows,
                   .has_duplicates = rows && !(sparcl_rows_flags(rows) & SPARCL_UNIQUE)};
    if (s.rows == 0 || t.optim.step == 1) return SPARCL_OK;
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = run(ctx, &t, &s);
    spc_scratch_release(ctx, mark);
    return status;
}
