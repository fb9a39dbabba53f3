/* step.c: one step of an optimizer on the rows of a gradient, or on all rows. */
#include "optim/step.h"

#include "base/size.h"
#include "ops/rows.h"
#include "optim/rules.h"

/* A table without gaps between its rows is processed as one array, in chunks of this many
 * elements. */
#define CHUNK 4096

/* The gradient: its values, and the row of the table that each of its rows belongs to. */
typedef struct gradient {
    sparcl_itype index_type;
    const sparcl_buf *values, *ids, *count; /* ids and count may be NULL */
    int64_t values_at, ld, ids_at, count_at;
    int64_t rows, width;
} gradient;

static sparcl_dense offset_view(const sparcl_dense *view, int64_t by, int64_t ld) {
    sparcl_dense result = *view;
    result.values_at += by;
    result.ld = ld;
    return result;
}

/* Arguments of all kernels of cl/step.cl. */
#define TABLES(t)                                                                                  \
    SPC_TABLE_ARGS((t)->weights), SPC_TABLE_ARGS((t)->rule->states > 0 ? &(t)->states[0] : NULL),  \
        SPC_TABLE_ARGS((t)->rule->states > 1 ? &(t)->states[1] : NULL)
#define HYPER(t, h)                                                                                \
    SPC_REAL((t)->weights->dtype, (t)->optim.l2), SPC_REAL((t)->weights->dtype, (h).lr),           \
        SPC_REAL((t)->weights->dtype, (h).a), SPC_REAL((t)->weights->dtype, (h).b),                \
        SPC_REAL((t)->weights->dtype, (h).c)
#define LAST(t)                                                                                    \
    SPC_OUT((t)->optim.last_steps), SPC_I64((t)->optim.last_steps_at), SPC_I64((t)->optim.step)
#define ROWS(g)                                                                                    \
    SPC_IN((g)->values), SPC_I64((g)->values_at), SPC_I64((g)->ld), SPC_IN((g)->ids),              \
        SPC_I64((g)->ids_at), SPC_IN((g)->count), SPC_I64((g)->count_at), SPC_I64((g)->rows),      \
        SPC_I64((g)->width)
#define ARRAY(view) SPC_OUT((view) ? (view)->values : NULL), SPC_I64((view) ? (view)->values_at : 0)
#define ARRAYS(t)                                                                                  \
    ARRAY((t)->weights), ARRAY((t)->rule->states > 0 ? &(t)->states[0] : NULL),                    \
        ARRAY((t)->rule->states > 1 ? &(t)->states[1] : NULL)

static sparcl_status step_rows(sparcl_ctx *ctx, const spc_tables *t, const gradient *g) {
    const spc_hyper h = t->rule->hyper(&t->optim);
    if (g->rows == 0 || g->width == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, t->rule->stem, spc_options(t->weights->dtype, SPARCL_I32, g->index_type),
                      "step_rows", spc_range_rows(ctx, g->rows, g->width), TABLES(t), ROWS(g),
                      HYPER(t, h), LAST(t), SPC_I32(spc_rows_prefetch(ctx, g->width)));
}

/* The steps of rows and of a small array of the same rule, in one launch. */
static sparcl_status step_rows_and_array(sparcl_ctx *ctx, const spc_tables *t, const gradient *g,
                                         const spc_tables *array, const gradient *array_g) {
    const spc_hyper h = t->rule->hyper(&t->optim), array_h = t->rule->hyper(&array->optim);
    return SPC_LAUNCH(ctx, t->rule->stem, spc_options(t->weights->dtype, SPARCL_I32, g->index_type),
                      "step_rows_and_array", spc_range_rows(ctx, g->rows, g->width), TABLES(t),
                      ROWS(g), HYPER(t, h), LAST(t), SPC_I32(spc_rows_prefetch(ctx, g->width)),
                      SPC_I64(array->rows * array->width), ARRAYS(array), SPC_IN(array_g->values),
                      SPC_I64(array_g->values_at), HYPER(array, array_h));
}

/* Rows of one index are added, and their sum is used without being stored. */
static sparcl_status step_runs(sparcl_ctx *ctx, const spc_tables *t, const sparcl_rows *from,
                               const spc_runs *runs) {
    const spc_hyper h = t->rule->hyper(&t->optim);
    const spc_partition *const partitions = &runs->partitions;
    const uint32_t options = spc_options(from->dtype, runs->position_type, from->index_type);
    SPC_TRY(SPC_LAUNCH(ctx, t->rule->stem, options, "step_runs",
                       spc_range_groups(ctx, partitions->count), TABLES(t), SPC_IN(runs->starts),
                       SPC_IN(runs->found), SPC_IN(runs->keys), SPC_I64(runs->keys_at),
                       SPC_IN(from->values), SPC_I64(from->values_at), SPC_IN(runs->perm),
                       SPC_I64(t->width), HYPER(t, h), LAST(t), SPC_OUT(runs->carry),
                       SPC_I64(partitions->slots), SPC_I32(spc_rows_prefetch(ctx, t->width))));
    if (partitions->count == 1) return SPARCL_OK;
    return SPC_LAUNCH(ctx, t->rule->stem, options, "step_carry",
                      spc_range_groups(ctx, partitions->count * runs->carry_chunks), TABLES(t),
                      SPC_IN(runs->starts), SPC_IN(runs->found), SPC_IN(runs->keys),
                      SPC_I64(runs->keys_at), SPC_I64(t->width), HYPER(t, h), LAST(t),
                      SPC_IN(runs->carry), SPC_I64(partitions->slots), SPC_I64(runs->carry_chunks));
}

/* Process `rows` chunks of `width` elements from element `first` on, of arrays without gaps. */
static sparcl_status step_chunks(sparcl_ctx *ctx, const spc_tables *t, const gradient *g,
                                 int64_t first, int64_t rows, int64_t width) {
    spc_tables chunk = *t;
    gradient from = *g;
    const sparcl_dense weights = offset_view(t->weights, first, width);
    sparcl_dense states[2];
    for (int i = 0; i < t->rule->states; ++i)
        states[i] = offset_view(&t->states[i], first, width);
    chunk.weights = &weights;
    chunk.states = states;
    from.values_at += first;
    from.rows = rows;
    from.width = from.ld = width;
    return step_rows(ctx, &chunk, &from);
}

static bool has_gaps(const spc_tables *t, const gradient *g) {
    bool gaps = g->ld != g->width || spc_dense_ld(t->weights) != g->width;
    for (int i = 0; i < t->rule->states; ++i)
        gaps = gaps || spc_dense_ld(&t->states[i]) != g->width;
    return gaps;
}

static sparcl_status step_all(sparcl_ctx *ctx, const spc_tables *t, const gradient *g) {
    if (has_gaps(t, g) || t->optim.last_steps) return step_rows(ctx, t, g);
    const int64_t count = g->rows * g->width, chunks = count / CHUNK;
    SPC_TRY(step_chunks(ctx, t, g, 0, chunks, CHUNK));
    return step_chunks(ctx, t, g, chunks * CHUNK, 1, count - chunks * CHUNK);
}

static sparcl_status check_gradient(sparcl_ctx *ctx, const char *op, const spc_tables *t, int rank,
                                    const int64_t *shape, sparcl_dtype dtype) {
    SPC_TRY(spc_check_same_shape(ctx, op, "gradient", rank, shape, "the table", t->weights->rank,
                                 t->weights->shape));
    return spc_check_same_dtype(ctx, op, "gradient", dtype, "the table", t->weights->dtype);
}

/* A checked step. */
typedef struct step {
    spc_tables tables;
    gradient from;
} step;

static sparcl_status open_rows(sparcl_ctx *ctx, step *s, const sparcl_optim *optim,
                               const sparcl_dense *table, const sparcl_dense *states,
                               const sparcl_rows *from) {
    spc_tables *const t = &s->tables;
    SPC_TRY(spc_tables_open(ctx, "step", t, optim, table, states));
    SPC_TRY(spc_check_rows(ctx, "step", "gradient", from));
    SPC_TRY(check_gradient(ctx, "step", t, from->rank, from->shape, from->dtype));
    const spc_spans operands = spc_rows_spans("the gradient", from);
    SPC_TRY(spc_tables_alias(ctx, "step", t, operands.at, operands.count));
    SPC_TRY(spc_need_rows(ctx, "step", "gradient", from, SPARCL_VALID));
    s->from =
        (gradient){from->index_type, from->values,     from->indices,  from->count, from->values_at,
                   t->width,         from->indices_at, from->count_at, from->nnr,   t->width};
    return SPARCL_OK;
}

static sparcl_status open_dense(sparcl_ctx *ctx, step *s, const sparcl_optim *optim,
                                const sparcl_dense *table, const sparcl_dense *states,
                                const sparcl_dense *from) {
    spc_tables *const t = &s->tables;
    SPC_TRY(spc_tables_open(ctx, "step_dense", t, optim, table, states));
    SPC_TRY(spc_check_dense(ctx, "step_dense", "gradient", from));
    SPC_TRY(check_gradient(ctx, "step_dense", t, from->rank, from->shape, from->dtype));
    const spc_span operand = spc_dense_span("the gradient", from);
    SPC_TRY(spc_tables_alias(ctx, "step_dense", t, &operand, 1));
    s->from = (gradient){.values = from->values,
                         .values_at = from->values_at,
                         .ld = spc_dense_ld(from),
                         .rows = t->rows,
                         .width = t->width};
    return SPARCL_OK;
}

static sparcl_status run_rows(sparcl_ctx *ctx, const step *s, const sparcl_rows *from) {
    if (from->nnr == 0 || s->tables.width == 0) return SPARCL_OK;
    if (sparcl_rows_flags(from) & SPARCL_UNIQUE) return step_rows(ctx, &s->tables, &s->from);
    const int mark = spc_scratch_mark(ctx);
    spc_runs runs;
    sparcl_status status = spc_find_runs(ctx, &runs, from);
    if (status == SPARCL_OK) status = step_runs(ctx, &s->tables, from, &runs);
    spc_scratch_release(ctx, mark);
    return status;
}

sparcl_status sparcl_step(sparcl_ctx *ctx, const sparcl_optim *optim, const sparcl_dense *table,
                          const sparcl_dense *states, const sparcl_rows *from) {
    step s;
    SPC_TRY(open_rows(ctx, &s, optim, table, states, from));
    return run_rows(ctx, &s, from);
}

sparcl_status sparcl_step_dense(sparcl_ctx *ctx, const sparcl_optim *optim,
                                const sparcl_dense *table, const sparcl_dense *states,
                                const sparcl_dense *from) {
    step s;
    SPC_TRY(open_dense(ctx, &s, optim, table, states, from));
    return step_all(ctx, &s.tables, &s.from);
}

/* --- two steps -------------------------------------------------------------------------------- */

/* One group processes the elements of an array that is at most as large. */
#define SMALL 256

static bool is_one_launch(const step *rows, const step *dense, const sparcl_rows *from) {
    const spc_tables *const d = &dense->tables;
    return (sparcl_rows_flags(from) & SPARCL_UNIQUE) && from->nnr > 0 && rows->tables.width > 0 &&
           d->rule == rows->tables.rule && d->weights->dtype == rows->tables.weights->dtype &&
           !d->optim.last_steps && d->width > 0 && d->rows <= SMALL / d->width &&
           !has_gaps(d, &dense->from);
}

sparcl_status spc_step_two(sparcl_ctx *ctx, const spc_step_job *rows, const spc_step_job *dense) {
    step r, d;
    SPC_TRY(open_rows(ctx, &r, rows->optim, rows->table, rows->states, rows->rows));
    SPC_TRY(open_dense(ctx, &d, dense->optim, dense->table, dense->states, dense->dense));
    if (is_one_launch(&r, &d, rows->rows))
        return step_rows_and_array(ctx, &r.tables, &r.from, &d.tables, &d.from);
    SPC_TRY(run_rows(ctx, &r, rows->rows));
    return step_all(ctx, &d.tables, &d.from);
}
