/* step.c: one step of an optimizer on the rows of a gradient, or on all rows. */
#include "optim/step.h"

#include <math.h>
#include <string.h>

#include "base/size.h"
#include "ops/products/pattern.h"
#include "ops/shared/runs.h"
#include "optim/clip.h"
#include "optim/gradient.h"
#include "optim/largest.h"
#include "optim/lazy_rule.h"
#include "optim/step_args.h"
#include "optim/step_table.h"
#include "sparcl/ops/products.h"
#include "sparcl/optim.h"

/* Groups that have a run each, on a GPU. */
#define MAX_GROUPS 4096

/* The range of cl/by_row.cl: one work-item, or a team of eight, for a row. */
static spc_range range_by_row(const sparcl_ctx *ctx, int64_t rows, int64_t width) {
    return spc_ctx_is_gpu(ctx) ? spc_range_each(ctx, 8 * rows) : spc_range_rows(ctx, rows, width);
}

/* The same, or a group, for a run. */
static spc_range range_of_runs(const sparcl_ctx *ctx, int64_t rows, int64_t width) {
    return spc_ctx_is_gpu(ctx) ? spc_range_groups(ctx, spc_min_i64(rows, MAX_GROUPS))
                               : spc_range_rows(ctx, rows, width);
}

static spc_step_gradient gradient_of(const sparcl_rows *rows, int64_t width) {
    return (spc_step_gradient){.index_type = rows->index_type,
                               .values = rows->values,
                               .values_at = rows->values_at,
                               .ld = width,
                               .ids = rows->indices,
                               .ids_at = rows->indices_at,
                               .count = rows->count,
                               .count_at = rows->count_at,
                               .rows = rows->nnr,
                               .width = width};
}

static sparcl_status step_rows(sparcl_ctx *ctx, const spc_tables *t, const spc_step_gradient *g) {
    const spc_hyper h = spc_hyper_of(t->rule, &t->optim);
    if (g->rows == 0 || g->width == 0) return SPARCL_OK;
    if (t->rule->is_by_row)
        return SPC_LAUNCH(ctx, t->rule->stem,
                          spc_step_options(t, &h, SPARCL_INDEX32, g->index_type),
                          "step_rows_by_row", range_by_row(ctx, g->rows, g->width), TABLES(t),
                          ROWS(g), HYPER(t, h), LAST(t), SPC_I32(spc_rows_prefetch(ctx, g->width)),
                          REAL(t, t->optim.max_norm), SPC_IN(t->largest));
    return SPC_LAUNCH(ctx, t->rule->stem, spc_step_options(t, &h, SPARCL_INDEX32, g->index_type),
                      "step_rows", spc_range_vectors(ctx, g->rows, g->width), TABLES(t), ROWS(g),
                      HYPER(t, h), LAST(t), SPC_I32(spc_rows_prefetch(ctx, g->width)));
}

/* The steps of rows and of a small array of the same rule, in one launch. */
static sparcl_status step_rows_and_array(sparcl_ctx *ctx, const spc_tables *t,
                                         const spc_step_gradient *g, const spc_tables *array,
                                         const spc_step_gradient *array_g) {
    const spc_hyper h = spc_hyper_of(t->rule, &t->optim),
                    array_h = spc_hyper_of(t->rule, &array->optim);
    return SPC_LAUNCH(ctx, t->rule->stem, spc_step_options(t, &h, SPARCL_INDEX32, g->index_type),
                      "step_rows_and_array", spc_range_vectors(ctx, g->rows, g->width), TABLES(t),
                      ROWS(g), HYPER(t, h), LAST(t), SPC_I32(spc_rows_prefetch(ctx, g->width)),
                      SPC_I64(array->rows * array->width), ARRAYS(array), SPC_IN(array_g->values),
                      SPC_I64(array_g->values_at), HYPER(array, array_h));
}

/* Rows of one index are added, and their sum is used without being stored. */
static sparcl_status step_runs(sparcl_ctx *ctx, const spc_tables *t, const sparcl_rows *from,
                               const spc_runs *runs, double zero) {
    const spc_hyper h = spc_hyper_of(t->rule, &t->optim);
    const uint32_t options =
        spc_step_options(t, &h, runs->position_type, from->index_type) | spc_runs_options(runs);
    const bool is_mean = t->optim.duplicates == SPARCL_DUPLICATES_MEAN;
    spc_args sums = {.count = 0}, blocks;
    SPC_ARGS_ADD(&sums, TABLES(t), SPC_IN(runs->starts), SPC_IN(runs->found), SPC_IN(runs->keys),
                 SPC_I64(runs->keys_at));
    blocks = sums;
    SPC_ARGS_ADD(&sums, SPC_IN(from->values), SPC_I64(from->values_at), SPC_IN(runs->perm),
                 SPC_I64(t->width), HYPER(t, h), LAST(t), SPC_I32(is_mean), REAL(t, zero));
    spc_runs_add_sums(ctx, &sums, runs);
    SPC_TRY(spc_launch(ctx, t->rule->stem, options, "step_runs", spc_runs_range(ctx, runs), sums.at,
                       sums.count));
    if (!spc_runs_are_divided(ctx, runs)) return SPARCL_OK;
    SPC_ARGS_ADD(&blocks, SPC_I64(t->width), HYPER(t, h), LAST(t), SPC_I32(is_mean), REAL(t, zero));
    spc_runs_add_blocks(ctx, &blocks, runs);
    return spc_launch(ctx, t->rule->stem, options, "step_carry", spc_runs_block_range(ctx, runs),
                      blocks.at, blocks.count);
}

/* Rows of one index, one after the other, or with the sum of their squares. */
static sparcl_status step_separately(sparcl_ctx *ctx, const spc_tables *t, const sparcl_rows *from,
                                     const spc_runs *runs) {
    const spc_hyper h = spc_hyper_of(t->rule, &t->optim);
    const uint32_t options = spc_step_options(t, &h, runs->position_type, from->index_type);
    if (t->rule->is_by_row)
        return SPC_LAUNCH(ctx, t->rule->stem, options, "step_separately_by_row",
                          range_of_runs(ctx, from->nnr, t->width), TABLES(t), SPC_IN(runs->starts),
                          SPC_IN(runs->found), SPC_IN(runs->keys), SPC_I64(runs->keys_at),
                          SPC_IN(from->values), SPC_I64(from->values_at), SPC_IN(runs->perm),
                          SPC_I64(t->width), HYPER(t, h), LAST(t), REAL(t, t->optim.max_norm),
                          SPC_IN(t->largest));
    const bool is_squares = t->optim.duplicates == SPARCL_DUPLICATES_SQUARES;
    return SPC_LAUNCH(ctx, is_squares ? t->rule->squares : t->rule->stem, options,
                      is_squares ? "step_squares" : "step_separately",
                      spc_range_rows(ctx, from->nnr, t->width), TABLES(t), SPC_IN(runs->starts),
                      SPC_IN(runs->found), SPC_IN(runs->keys), SPC_I64(runs->keys_at),
                      SPC_IN(from->values), SPC_I64(from->values_at), SPC_IN(runs->perm),
                      SPC_I64(t->width), HYPER(t, h), LAST(t));
}

/* Process `rows` chunks of `width` elements from element `first` on, of arrays without gaps. */
static sparcl_status step_chunks(sparcl_ctx *ctx, const spc_tables *t, const spc_step_gradient *g,
                                 int64_t first, int64_t rows, int64_t width) {
    spc_chunks chunks;
    spc_step_gradient from = *g;
    spc_chunks_open(&chunks, t, first, width);
    from.values_at += first;
    from.rows = rows;
    from.width = from.ld = width;
    return step_rows(ctx, &chunks.tables, &from);
}

static bool has_gaps(const spc_tables *t, const spc_step_gradient *g) {
    return g->ld != g->width || spc_tables_have_gaps(t);
}

static sparcl_status step_all(sparcl_ctx *ctx, const spc_tables *t, const spc_step_gradient *g) {
    if (t->rule->is_by_row || has_gaps(t, g) || t->optim.lazy.last_steps)
        return step_rows(ctx, t, g);
    const int64_t count = g->rows * g->width, chunks = count / SPC_CHUNK;
    SPC_TRY(step_chunks(ctx, t, g, 0, chunks, SPC_CHUNK));
    return step_chunks(ctx, t, g, chunks * SPC_CHUNK, 1, count - chunks * SPC_CHUNK);
}

/* The same, where the rate has norms of the whole table. */
static sparcl_status step_all_by_table(sparcl_ctx *ctx, const spc_tables *t,
                                       const spc_step_gradient *g) {
    spc_table_updates updates;
    if (t->rows == 0 || t->width == 0) return SPARCL_OK;
    SPC_TRY(spc_table_begin(ctx, &updates, t, true));
    SPC_TRY(step_all(ctx, &updates.tables, g));
    return spc_table_finish(ctx, &updates, NULL);
}

/* The same with a gradient that is clipped as a whole before, in scratch memory. */
static sparcl_status step_all_clipped(sparcl_ctx *ctx, spc_tables *t, const spc_step_gradient *g,
                                      const sparcl_dense *from) {
    const int mark = spc_scratch_mark(ctx);
    spc_step_gradient of = *g;
    sparcl_dense clipped;
    sparcl_status status = spc_clip_dense(ctx, &t->optim, from, t->width, &clipped);
    if (status == SPARCL_OK) status = spc_find_largest(ctx, t);
    of.values = clipped.values;
    of.values_at = clipped.values_at;
    of.ld = spc_dense_ld(&clipped);
    if (status == SPARCL_OK)
        status = (t->rule->is_by_table ? step_all_by_table : step_all)(ctx, t, &of);
    spc_scratch_release(ctx, mark);
    return status;
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
    spc_step_gradient from;
    const sparcl_pattern *columns; /* whose entries the rows of the gradient are for, or NULL */
} step;

/* The step for the rows of the gradient, where the others move when they are read (optim.h). */
static sparcl_status open_optim(sparcl_ctx *ctx, const char *op, sparcl_optim *present,
                                const sparcl_optim *optim, const sparcl_dense *table) {
    SPC_TRY(spc_optim_check(ctx, op, optim));
    *present = *optim;
    if (!optim->lazy.object) return SPARCL_OK;
    SPC_TRY(spc_check_dense(ctx, op, "table", table));
    SPC_TRY(spc_lazy_check(ctx, op, optim, table));
    *present = spc_lazy_present(optim);
    return SPARCL_OK;
}

/* Steps of some rows; an optimizer with lazy has become that of the rows (open_optim). */
static sparcl_status open_rows(sparcl_ctx *ctx, step *s, const sparcl_optim *optim,
                               const sparcl_dense *table, const sparcl_dense *states,
                               const sparcl_rows *from) {
    spc_tables *const t = &s->tables;
    if (optim->moves == SPARCL_MOVES_EXACT && !optim->lazy.last_steps)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "step: moves is exact, expected lazy or last_steps of optim to be set");
    SPC_TRY(spc_tables_open(ctx, "step", t, optim, table, states));
    SPC_TRY(spc_check_rows(ctx, "step", "gradient", from));
    SPC_TRY(check_gradient(ctx, "step", t, from->rank, from->shape, from->dtype));
    const spc_spans operands = spc_rows_spans("the gradient", from);
    SPC_TRY(spc_tables_alias(ctx, "step", t, operands.at, operands.count));
    SPC_TRY(spc_need_rows(ctx, "step", "gradient", from, SPARCL_VALID));
    if (optim->check_finite) SPC_TRY(spc_check_finite_rows(ctx, "step", from, t->width));
    s->from = gradient_of(from, t->width);
    s->columns = NULL;
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
    if (optim->check_finite) SPC_TRY(spc_check_finite_dense(ctx, "step_dense", from, t->width));
    s->from = (spc_step_gradient){.values = from->values,
                                  .values_at = from->values_at,
                                  .ld = spc_dense_ld(from),
                                  .rows = t->rows,
                                  .width = t->width};
    return SPARCL_OK;
}

static bool touches_all(const sparcl_optim *o) {
    return o->moves == SPARCL_MOVES_ALL ||
           (o->decay.kind == SPARCL_DECAY_GLOBAL && o->decay.weight != 0);
}

/* A byte for each row of the table, 1 for those of the gradient. */
static sparcl_status mark_rows(sparcl_ctx *ctx, const spc_tables *t, const spc_step_gradient *g,
                               sparcl_buf **present) {
    const spc_hyper h = spc_hyper_of(t->rule, &t->optim);
    SPC_TRY(spc_scratch_push(ctx, present, t->rows, 1));
    SPC_TRY(sparcl_buf_fill(ctx, *present, 0, t->rows, 0));
    if (g->rows == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, t->rule->stem, spc_step_options(t, &h, SPARCL_INDEX32, g->index_type),
                      "mark_rows", spc_range_each(ctx, g->rows), SPC_IN(g->ids), SPC_I64(g->ids_at),
                      SPC_IN(g->count), SPC_I64(g->count_at), SPC_I64(g->rows), SPC_OUT(*present));
}

/* What becomes of the rows that the gradient does not have. */
static sparcl_status step_absent(sparcl_ctx *ctx, const spc_tables *t, const spc_step_gradient *g) {
    spc_hyper h = spc_hyper_of(t->rule, &t->optim);
    const uint32_t options = spc_step_options(t, &h, SPARCL_INDEX32, g->index_type);
    if (t->optim.decay.kind == SPARCL_DECAY_DECOUPLED) h.keep = 1, h.shrink = 0;
    if (t->rule->keeps_absent) h.lr = 0;
    const spc_range range = spc_range_vectors(ctx, t->rows, t->width);
    sparcl_buf *present = NULL;
    SPC_TRY(mark_rows(ctx, t, g, &present));
    if (t->optim.moves == SPARCL_MOVES_PRESENT)
        return SPC_LAUNCH(ctx, t->rule->stem, options, "decay_absent", range,
                          SPC_TABLE_ARGS(t->weights), SPC_IN(present), SPC_I64(t->rows),
                          SPC_I64(t->width), HYPER(t, h));
    if (t->rule->is_by_row)
        return SPC_LAUNCH(ctx, t->rule->stem, options, "step_absent_by_row",
                          range_by_row(ctx, t->rows, t->width), TABLES(t), SPC_IN(present),
                          SPC_I64(t->rows), SPC_I64(t->width), HYPER(t, h),
                          REAL(t, t->optim.max_norm), SPC_IN(t->largest));
    return SPC_LAUNCH(ctx, t->rule->stem, options, "step_absent", range, TABLES(t), SPC_IN(present),
                      SPC_I64(t->rows), SPC_I64(t->width), HYPER(t, h));
}

/* Rows of one index are added, or their mean is taken, in scratch memory. */
static sparcl_status step_coalesced(sparcl_ctx *ctx, const spc_tables *t, const sparcl_rows *from) {
    const bool is_mean = t->optim.duplicates == SPARCL_DUPLICATES_MEAN;
    sparcl_rows sums;
    SPC_TRY(spc_coalesce_gradient(ctx, &sums, from, is_mean));
    const spc_step_gradient g = gradient_of(&sums, t->width);
    return step_rows(ctx, t, &g);
}

/* Is row k for entry k of the matrix of the pattern? */
static bool is_for_entries(const sparcl_rows *from, const sparcl_pattern *pattern) {
    return pattern && pattern->nnz == from->nnr && pattern->index_type == from->index_type;
}

static sparcl_status step_present(sparcl_ctx *ctx, const step *s, const sparcl_rows *from) {
    spc_runs runs;
    if (from->nnr == 0) return SPARCL_OK;
    if (sparcl_rows_flags(from) & SPARCL_UNIQUE) return step_rows(ctx, &s->tables, &s->from);
    if (s->tables.rule->is_by_row && s->tables.optim.duplicates != SPARCL_DUPLICATES_SEPARATE)
        return step_coalesced(ctx, &s->tables, from);
    SPC_TRY(is_for_entries(from, s->columns) ? spc_find_column_runs(ctx, &runs, from, s->columns)
                                             : spc_find_runs(ctx, &runs, from));
    if (s->tables.optim.duplicates == SPARCL_DUPLICATES_SEPARATE ||
        s->tables.optim.duplicates == SPARCL_DUPLICATES_SQUARES)
        return step_separately(ctx, &s->tables, from, &runs);
    return step_runs(ctx, &s->tables, from, &runs, -0.0);
}

sparcl_status spc_step_placed(sparcl_ctx *ctx, const spc_tables *t, const sparcl_rows *from,
                              const spc_runs *runs) {
    const spc_step_gradient g = gradient_of(from, t->width);
    if (touches_all(&t->optim)) SPC_TRY(step_absent(ctx, t, &g));
    return step_runs(ctx, t, from, runs, 0);
}

static sparcl_status step_absent_and_present(sparcl_ctx *ctx, const step *s,
                                             const sparcl_rows *from) {
    if (touches_all(&s->tables.optim)) SPC_TRY(step_absent(ctx, &s->tables, &s->from));
    return step_present(ctx, s, from);
}

/* The same, where the rate has norms of the whole table. */
static sparcl_status step_by_table(sparcl_ctx *ctx, const step *s, const sparcl_rows *from) {
    spc_table_updates updates;
    sparcl_buf *present = NULL;
    const bool moves_all = s->tables.optim.moves == SPARCL_MOVES_ALL;
    SPC_TRY(spc_table_begin(ctx, &updates, &s->tables, moves_all));
    step first = *s;
    first.tables = updates.tables;
    SPC_TRY(step_absent_and_present(ctx, &first, from));
    if (!moves_all) SPC_TRY(mark_rows(ctx, &updates.tables, &s->from, &present));
    return spc_table_finish(ctx, &updates, present);
}

static sparcl_status run_rows(sparcl_ctx *ctx, step *s, const sparcl_rows *from) {
    spc_tables *const t = &s->tables;
    const int mark = spc_scratch_mark(ctx);
    if (t->rows == 0 || t->width == 0) return SPARCL_OK;
    sparcl_status status = spc_find_largest(ctx, t);
    if (status == SPARCL_OK)
        status = (t->rule->is_by_table ? step_by_table : step_absent_and_present)(ctx, s, from);
    spc_scratch_release(ctx, mark);
    return status;
}

/* The gradient is clipped as a whole before the step, in scratch memory. */
static sparcl_status run_clipped(sparcl_ctx *ctx, step *s, const sparcl_rows *from) {
    sparcl_optim *const o = &s->tables.optim;
    const int mark = spc_scratch_mark(ctx);
    sparcl_rows clipped;
    sparcl_status status = spc_clip_rows(ctx, o, from, &clipped);
    s->from = gradient_of(&clipped, s->tables.width);
    s->columns = NULL;
    if (o->clip.stored) o->clip.value = (double)INFINITY;
    if (status == SPARCL_OK) status = run_rows(ctx, s, &clipped);
    spc_scratch_release(ctx, mark);
    return status;
}

/* Rows of one index where the optimizer refuses them. */
static sparcl_status check_duplicates(sparcl_ctx *ctx, const step *s, sparcl_rows *checked) {
    const bool is_unique = (sparcl_rows_flags(checked) & SPARCL_UNIQUE) != 0;
    if (s->tables.optim.duplicates != SPARCL_DUPLICATES_ERROR || is_unique) return SPARCL_OK;
    return sparcl_rows_validate(ctx, checked, SPARCL_UNIQUE);
}

/* A checked step, whose rows have caught up. */
static sparcl_status run_checked(sparcl_ctx *ctx, step *s, const sparcl_rows *from) {
    return (spc_clips_whole(&s->tables.optim) ? run_clipped : run_rows)(ctx, s, from);
}

/* The rows of the gradient catch up and take the step, in one launch where that is possible. */
static sparcl_status run_lazy(sparcl_ctx *ctx, step *s, const sparcl_optim *optim,
                              const sparcl_rows *rows) {
    const spc_tables *const t = &s->tables;
    if (!spc_clips_whole(&t->optim) && spc_step_can_be_late(ctx, t, rows) &&
        !touches_all(&t->optim))
        return spc_step_late(ctx, t, &s->from, rows, optim->lazy.object);
    SPC_TRY(spc_lazy_catch_up(ctx, optim, t->weights, t->states, rows, 1));
    return run_checked(ctx, s, rows);
}

static sparcl_status take_rows(sparcl_ctx *ctx, const spc_step_job *job) {
    step s;
    sparcl_optim present;
    SPC_TRY(open_optim(ctx, "step", &present, job->optim, job->table));
    SPC_TRY(open_rows(ctx, &s, &present, job->table, job->states, job->rows));
    s.columns = job->columns;
    sparcl_rows checked = *job->rows;
    SPC_TRY(check_duplicates(ctx, &s, &checked));
    if (!job->optim->lazy.object) return run_checked(ctx, &s, &checked);
    SPC_TRY(run_lazy(ctx, &s, job->optim, &checked));
    return spc_lazy_record(ctx, job->optim);
}

sparcl_status sparcl_step(sparcl_ctx *ctx, const sparcl_optim *optim, const sparcl_dense *table,
                          const sparcl_dense *states, const sparcl_rows *from) {
    const spc_step_job job = {.optim = optim, .table = table, .states = states, .rows = from};
    return take_rows(ctx, &job);
}

sparcl_status spc_step_part(sparcl_ctx *ctx, const sparcl_optim *optim, const sparcl_dense *table,
                            const sparcl_dense *states, const sparcl_rows *from, int64_t first) {
    step s;
    SPC_TRY(open_rows(ctx, &s, optim, table, states, from));
    s.tables.first = first;
    return run_checked(ctx, &s, from);
}

sparcl_status sparcl_step_dense(sparcl_ctx *ctx, const sparcl_optim *optim,
                                const sparcl_dense *table, const sparcl_dense *states,
                                const sparcl_dense *from) {
    step s;
    sparcl_optim present;
    SPC_TRY(open_optim(ctx, "step_dense", &present, optim, table));
    SPC_TRY(open_dense(ctx, &s, &present, table, states, from));
    if (optim->lazy.object) SPC_TRY(spc_lazy_catch_up(ctx, optim, table, states, NULL, 1));
    SPC_TRY(step_all_clipped(ctx, &s.tables, &s.from, from));
    return optim->lazy.object ? spc_lazy_record(ctx, optim) : SPARCL_OK;
}

/* --- two steps -------------------------------------------------------------------------------- */

/* One group processes the elements of an array that is at most as large. */
#define SMALL 256

static bool have_one_program(const spc_tables *a, const spc_tables *b) {
    const spc_hyper x = spc_hyper_of(a->rule, &a->optim), y = spc_hyper_of(b->rule, &b->optim);
    return spc_step_options(a, &x, SPARCL_INDEX32, SPARCL_INDEX32) ==
           spc_step_options(b, &y, SPARCL_INDEX32, SPARCL_INDEX32);
}

bool spc_step_is_small(const sparcl_dense *table) {
    const int64_t width = spc_shape_width(table->rank, table->shape);
    return width > 0 && table->shape[0] <= SMALL / width;
}

static bool is_one_launch(const step *first, const step *dense) {
    const spc_tables *const d = &dense->tables;
    return first->from.rows > 0 && first->tables.width > 0 && d->rule == first->tables.rule &&
           !d->rule->is_by_row && !d->rule->is_by_table && !spc_clips_whole(&d->optim) &&
           !d->optim.lazy.last_steps && !spc_clips_whole(&first->tables.optim) &&
           have_one_program(d, &first->tables) && spc_step_is_small(d->weights) &&
           !has_gaps(d, &dense->from);
}

/* Not where the host reads a flag first, where rows of one index are added, or all rows move. */
static bool may_be_one_launch(const sparcl_ctx *ctx, const spc_step_job *job) {
    return !job->optim->lazy.object && !job->optim->check_finite &&
           (job->rows ? sparcl_rows_flags(job->rows) & SPARCL_UNIQUE && !touches_all(job->optim)
                      : spc_ctx_is_gpu(ctx) && !job->optim->lazy.last_steps);
}

sparcl_status spc_step_one(sparcl_ctx *ctx, const spc_step_job *job) {
    return job->rows ? take_rows(ctx, job)
                     : sparcl_step_dense(ctx, job->optim, job->table, job->states, job->dense);
}

sparcl_status spc_step_two(sparcl_ctx *ctx, const spc_step_job *first, const spc_step_job *dense) {
    step a, b;
    if (may_be_one_launch(ctx, first) && !dense->optim->lazy.object &&
        !dense->optim->check_finite) {
        SPC_TRY(first->rows
                    ? open_rows(ctx, &a, first->optim, first->table, first->states, first->rows)
                    : open_dense(ctx, &a, first->optim, first->table, first->states, first->dense));
        SPC_TRY(open_dense(ctx, &b, dense->optim, dense->table, dense->states, dense->dense));
        if (is_one_launch(&a, &b))
            return step_rows_and_array(ctx, &a.tables, &a.from, &b.tables, &b.from);
    }
    SPC_TRY(spc_step_one(ctx, first));
    return spc_step_one(ctx, dense);
}
