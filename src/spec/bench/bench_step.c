/* bench_step.c: timed operation: an optimizer step in f32, with rows that are unique and sorted,
 * and with rows that are neither; and steps on two sets of rows in turn, lazy and exact lazy, in
 * which most rows have missed the step before. The table has a row for each column of the matrix.
 */
#include <stdlib.h>
#include <string.h>

#include "spec/bench/bench_step.h"
#include "spec/shared/rowset.h"
#include "spec/shared/stored.h"

static void close_operands(void *state) {
    spec_step_operands *const x = state;
    spec_rowset_free(&x->from);
    sparcl_rows_free(&x->gradient);
    sparcl_buf_free(x->bags.offsets);
    sparcl_buf_free(x->bags.indices.indices);
    sparcl_dense_free(&x->g);
    sparcl_dense_free(&x->sums);
    sparcl_buf_free(x->other.indices);
    sparcl_lazy_free(x->optim.lazy.object);
    for (int t = 0; t < SPEC_STEP_TABLES; ++t)
        sparcl_dense_free(&x->tables[t]);
}

static sparcl_status fill_table(sparcl_ctx *ctx, const sparcl_dense *table, uint64_t seed) {
    const int64_t count = table->shape[0] * (table->rank == 2 ? table->shape[1] : 1);
    const int64_t size = (int64_t)sparcl_dtype_size(table->dtype);
    double *const wide = malloc((size_t)SPEC_STEP_SLAB * sizeof *wide);
    float *const narrow = malloc((size_t)SPEC_STEP_SLAB * sizeof *narrow);
    sparcl_status status = wide && narrow ? SPARCL_OK : SPARCL_E_MEMORY;
    for (int64_t at = 0; at < count && status == SPARCL_OK; at += SPEC_STEP_SLAB) {
        const int64_t here = count - at < SPEC_STEP_SLAB ? count - at : SPEC_STEP_SLAB;
        spec_step_next_numbers(table->dtype, wide, here, &seed);
        for (int64_t i = 0; i < here; ++i)
            spec_encode(table->dtype, narrow, i, wide[i]);
        status = sparcl_buf_write(ctx, table->values, at * size, here * size, narrow);
    }
    free(wide);
    free(narrow);
    return status;
}

/* The steps before the first call, of which no row has had one. */
static sparcl_status miss_steps(sparcl_ctx *ctx, spec_step_operands *x) {
    sparcl_rows none = x->gradient;
    none.nnr = 0;
    none.indices = none.values = NULL;
    sparcl_lazy_free(x->optim.lazy.object);
    x->optim.lazy.object = NULL;
    x->optim.step = 1;
    sparcl_status status =
        sparcl_lazy_create(ctx, &x->optim.lazy.object, &x->optim, &x->tables[0], 0);
    for (; status == SPARCL_OK && x->optim.step <= SPEC_STEP_MISSED; ++x->optim.step)
        status = sparcl_step(ctx, &x->optim, &x->tables[0], &x->tables[1], &none);
    return status;
}

/* Fill in the initial contents. */
static sparcl_status fill_tables(sparcl_ctx *ctx, const spec_bench_call *call) {
    spec_step_operands *const x = call->state;
    sparcl_status status = SPARCL_OK;
    x->now = x->gradient;
    if (x->is_exact) status = miss_steps(ctx, x);
    for (int t = 0; t < spec_step_tables(x) && status == SPARCL_OK; ++t)
        status = fill_table(ctx, &x->tables[t], (uint64_t)t + 1);
    return status;
}

/* Row k of the gradient belongs to the column of entry k; or, if `unique`, one row for each column
 * that has entries, ascending. */
static bool make_gradient(spec_rowset *s, const spec_bench_input *in, bool unique) {
    const spec_matrix *const m = in->matrix;
    uint64_t seed = 99;
    int64_t *const ids = malloc(((size_t)m->nnz + 1) * sizeof *ids);
    int64_t count = m->nnz;
    if (!ids) return false;
    memcpy(ids, m->indices, (size_t)m->nnz * sizeof *ids);
    if (unique) {
        spec_sort_ints(ids, m->nnz);
        count = 0;
        for (int64_t k = 0; k < m->nnz; ++k)
            if (k == 0 || ids[k] != ids[count - 1]) ids[count++] = ids[k];
    }
    *s = (spec_rowset){
        .limit = m->cols, .width = in->n, .stored = count, .capacity = count, .ids = ids};
    s->values = malloc(((size_t)(count * in->n) + 1) * sizeof *s->values);
    for (int64_t i = 0; s->values && i < count * in->n; ++i)
        s->values[i] = spec_uniform(&seed);
    return s->values;
}

static sparcl_status put_gradient(sparcl_ctx *ctx, spec_step_operands *x, bool unique) {
    const spec_rowset *const s = &x->from;
    const sparcl_itype type = s->limit > INT32_MAX ? SPARCL_INDEX64 : SPARCL_INDEX32;
    x->gradient = (sparcl_rows){
        .rank = 2, .shape = {s->limit, s->width}, .index_type = type, .nnr = s->stored};
    x->gradient.proof.flags = SPARCL_TRUSTED | (unique ? SPARCL_SORTED | SPARCL_UNIQUE : 0u);
    sparcl_status status = spec_put_ints(ctx, &x->gradient.indices, s->ids, s->stored, type);
    if (status == SPARCL_OK)
        status =
            spec_put_reals(ctx, &x->gradient.values, s->values, s->stored * s->width, SPARCL_F32);
    return status;
}

/* The operations of a step of a row, with numbers for which no branch is left out. */
static double count_operations(const sparcl_optim *optim, int64_t width) {
    const spec_hyper h = spec_hyper_of(optim, SPARCL_F32);
    spec_step_row_numbers r;
    if (!spec_step_make_row(&r, width)) return 0;
    for (int64_t i = 0; i < width * (1 + SPEC_STEP_TABLES); ++i)
        r.all[i] = num_exact(SPARCL_F32, 0.5);
    const int64_t before = num_roundings();
    spec_step_row(&h, &r.row, r.g);
    const double count = (double)(num_roundings() - before);
    free(r.all);
    return count;
}

/* The gradient is read, the rows of the tables that move are read and written; where only the
 * weights of the others decay, those. */
static void count_work(spec_bench_call *call, const spec_step_operands *x) {
    const double present = (double)spec_columns_used(call->input->matrix);
    const bool moves_all = x->optim.moves == SPARCL_MOVES_ALL;
    const double rows = moves_all ? (double)x->from.limit : present;
    const double others = spec_step_moves_absent(&x->optim) ? (double)x->from.limit - rows : 0;
    const double stored = (double)x->from.stored, width = (double)x->from.width;
    const double id = (double)sparcl_itype_size(x->gradient.index_type);
    double bytes = 0;
    for (int t = 0; t < spec_step_tables(x); ++t)
        bytes += (double)spec_step_row_size(x, t) * (double)sparcl_dtype_size(spec_step_type(x, t));
    call->bytes = stored * (4 * width + id) + rows * 2 * bytes + others * 2 * 4 * width;
    call->flops = (stored - present) * width + rows * count_operations(&x->optim, x->from.width) +
                  others * 2 * width;
}

static sparcl_status open_operands(sparcl_ctx *ctx, spec_bench_call *call, bool unique) {
    const spec_bench_input *const in = call->input;
    spec_step_operands *const x = call->state;
    x->optim = in->optim;
    if (!make_gradient(&x->from, in, unique)) return SPARCL_E_MEMORY;
    sparcl_status status = put_gradient(ctx, x, unique);
    for (int t = 0; t < spec_step_tables(x) && status == SPARCL_OK; ++t) {
        const bool is_list = t > 0 && sparcl_rule_state_is_row(x->optim.rule, t - 1);
        x->tables[t] = (sparcl_dense){.rank = is_list ? 1 : 2,
                                      .dtype = spec_step_type(x, t),
                                      .shape = {in->matrix->cols, is_list ? 0 : in->n}};
        status = sparcl_dense_create(ctx, &x->tables[t]);
    }
    if (status == SPARCL_OK) status = fill_tables(ctx, call);
    count_work(call, x);
    return status;
}

static int ascending(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The second set of rows: half a table further. */
static sparcl_status put_other(sparcl_ctx *ctx, spec_step_operands *x) {
    const spec_rowset *const s = &x->from;
    int64_t *const ids = malloc(((size_t)s->stored + 1) * sizeof *ids);
    if (!ids) return SPARCL_E_MEMORY;
    for (int64_t k = 0; k < s->stored; ++k)
        ids[k] = (s->ids[k] + s->limit / 2) % s->limit;
    qsort(ids, (size_t)s->stored, sizeof *ids, ascending);
    x->other = x->gradient;
    x->other.indices = NULL;
    const sparcl_status status =
        spec_put_ints(ctx, &x->other.indices, ids, s->stored, x->gradient.index_type);
    free(ids);
    return status;
}

/* Without a decay there is nothing to catch up with in SGD and Adagrad. */
static sparcl_status open_turns(sparcl_ctx *ctx, spec_bench_call *call, bool is_exact) {
    spec_step_operands *const x = call->state;
    sparcl_status status = open_operands(ctx, call, true);
    if (status == SPARCL_OK) status = put_other(ctx, x);
    x->optim.decay.kind = SPARCL_DECAY_DECOUPLED;
    if (sparcl_rule_states(x->optim.rule) < 1 || x->optim.rule == SPARCL_RULE_ADAGRAD)
        x->optim.decay.weight = 0.01;
    x->is_exact = is_exact;
    return status == SPARCL_OK ? fill_tables(ctx, call) : status;
}

static sparcl_status open_lazy(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_turns(ctx, call, false);
}

static sparcl_status open_exact(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_turns(ctx, call, true);
}

static sparcl_status open_unique(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_operands(ctx, call, true);
}

static sparcl_status open_duplicates(sparcl_ctx *ctx, spec_bench_call *call) {
    spec_step_operands *const x = call->state;
    const sparcl_status status = open_operands(ctx, call, false);
    x->optim.duplicates = SPARCL_DUPLICATES_SUM; /* whatever the profile does */
    return status;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_step_operands *const x = call->state;
    return sparcl_step(ctx, &x->optim, &x->tables[0], &x->tables[1], &x->gradient);
}

static sparcl_status run_turns(sparcl_ctx *ctx, const spec_bench_call *call) {
    spec_step_operands *const x = call->state;
    const sparcl_rows now = x->now;
    x->now = now.indices == x->gradient.indices ? x->other : x->gradient;
    const sparcl_status status = sparcl_step(ctx, &x->optim, &x->tables[0], &x->tables[1], &now);
    if (x->is_exact) ++x->optim.step;
    return status;
}

/* --- bags ------------------------------------------------------------------------------------- */

/* Row k of the gradient is the gradient of the bag of entry k. */
static void spread(const spec_matrix *m, int64_t n, const double *g, double *rows) {
    for (int64_t i = 0; i < m->rows; ++i)
        for (int64_t k = m->offsets[i]; k < m->offsets[i + 1]; ++k)
            memcpy(rows + k * n, g + i * n, (size_t)n * sizeof *g);
}

static sparcl_status put_bags(sparcl_ctx *ctx, spec_step_operands *x, const spec_matrix *m,
                              int64_t n) {
    x->bags = (sparcl_bags){
        .bags = m->rows, .indices = {.count = m->nnz, .limit = m->cols}, .include_last = 1};
    x->bags.indices.proof.flags = SPARCL_TRUSTED;
    x->g = x->sums = (sparcl_dense){.rank = 2, .shape = {m->rows, n}};
    double *const g = spec_step_bag_gradient(m->rows, n);
    if (!g) return SPARCL_E_MEMORY;
    spread(m, n, g, x->from.values);
    sparcl_status status =
        spec_put_ints(ctx, &x->bags.indices.indices, m->indices, m->nnz, SPARCL_INDEX32);
    if (status == SPARCL_OK)
        status = spec_put_ints(ctx, &x->bags.offsets, m->offsets, m->rows + 1, SPARCL_INDEX32);
    if (status == SPARCL_OK) status = spec_put_reals(ctx, &x->g.values, g, m->rows * n, SPARCL_F32);
    free(g);
    return status == SPARCL_OK ? sparcl_dense_create(ctx, &x->sums) : status;
}

static sparcl_status open_bags(sparcl_ctx *ctx, spec_bench_call *call) {
    spec_step_operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    const double row = 4 * (double)call->input->n, stored = (double)m->nnz, bags = (double)m->rows;
    const sparcl_status status = open_duplicates(ctx, call);
    if (status != SPARCL_OK) return status;
    call->bytes += 2 * bags * row + bags * 4 + stored * 4;
    call->flops += stored * (double)call->input->n;
    return put_bags(ctx, x, m, call->input->n);
}

static sparcl_status run_bags(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_step_operands *const x = call->state;
    const sparcl_status status =
        sparcl_embedding_bag(ctx, &x->sums, &x->tables[0], &x->bags, NULL, NULL, 0);
    if (status != SPARCL_OK) return status;
    return sparcl_step_bags(ctx, &x->optim, &x->tables[0], &x->tables[1], &x->bags, &x->g, NULL);
}

const spec_bench spec_bench_step = {
    .name = "step",
    .what = "an optimizer step; the gradient has a row for each column with entries",
    .flags = SPEC_BENCH_RULES | SPEC_BENCH_WIDTHS | SPEC_BENCH_UPDATE,
    .state_size = sizeof(spec_step_operands),
    .open = open_unique,
    .run = run,
    .check = spec_step_check,
    .close = close_operands,
    .reset = fill_tables};
const spec_bench spec_bench_dedupe_step = {
    .name = "dedupe-step",
    .what = "the same with a row for each entry: rows of one column are added first",
    .flags = SPEC_BENCH_RULES | SPEC_BENCH_WIDTHS | SPEC_BENCH_UPDATE,
    .state_size = sizeof(spec_step_operands),
    .open = open_duplicates,
    .run = run,
    .check = spec_step_check,
    .close = close_operands,
    .reset = fill_tables};
const spec_bench spec_bench_lazy_step = {
    .name = "lazy-step",
    .what = "steps on two sets of unique rows in turn: the others do not move",
    .flags = SPEC_BENCH_RULES | SPEC_BENCH_WIDTHS | SPEC_BENCH_UPDATE,
    .state_size = sizeof(spec_step_operands),
    .open = open_lazy,
    .run = run_turns,
    .check = spec_step_check,
    .close = close_operands,
    .reset = fill_tables};
const spec_bench spec_bench_exact_step = {
    .name = "exact-step",
    .what = "the same, exact lazy: rows catch up with the step they have missed",
    .flags = SPEC_BENCH_RULES | SPEC_BENCH_WIDTHS | SPEC_BENCH_UPDATE,
    .state_size = sizeof(spec_step_operands),
    .open = open_exact,
    .run = run_turns,
    .check = spec_step_check,
    .close = close_operands,
    .reset = fill_tables};
const spec_bench spec_bench_bag_step = {
    .name = "bag-step",
    .what = "bags of rows, one for each row of A, and the step of their gradient",
    .flags = SPEC_BENCH_RULES | SPEC_BENCH_WIDTHS | SPEC_BENCH_UPDATE,
    .state_size = sizeof(spec_step_operands),
    .open = open_bags,
    .run = run_bags,
    .check = spec_step_check,
    .close = close_operands,
    .reset = fill_tables};
