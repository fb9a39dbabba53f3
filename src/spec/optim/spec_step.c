/* spec_step.c: one step of an optimizer. The cases: step_case.c; of a measurement the variant says
 * what is measured, and the table has a row for each column of the matrix. */
#include <math.h>
#include <string.h>

#include "spec/bench/bench.h"
#include "spec/optim/step_answer.h"

/* What is measured: a gradient with a row for each column that has entries, or for each entry; that
 * of bags, one for each row of the matrix; steps on two sets of unique rows in turn, lazy or exact
 * lazy, in which most rows have missed the step before. */
enum { UNIQUE, DUPLICATES, BAGS, TURNS, EXACT };

enum { FIRST_LAST = 3 }; /* last_steps have as many others before them */

/* --- the gradient ----------------------------------------------------------------------------- */

static void clip_gradient(spec_test *t, spec_step_state *s) {
    const sparcl_optim *const o = &s->optim;
    const int64_t count = s->from.capacity * s->n;
    const spec_num limit = num_of(s->dtype, o->clip.value);
    s->given = s->from.values;
    if (isinf(o->clip.value) && isinf(o->clip.norm) && isinf(o->clip.row_norm)) return;
    s->from.values = spec_copied(t, s->given, count);
    spec_num *const g = spec_memory(t, count, sizeof *g);
    for (int64_t i = 0; i < count; ++i) {
        g[i] = num_exact(s->dtype, s->given[i]);
        if (spec_step_clips_stored(s)) g[i] = num_exact(s->dtype, num_clip(g[i], limit).order);
    }
    spec_clip_norm(g, s->from.stored * s->n, o->clip.norm);
    for (int64_t k = 0; spec_step_stays_apart(o) && k < s->from.stored; ++k)
        spec_clip_norm(g + k * s->n, s->n, o->clip.row_norm);
    for (int64_t i = 0; i < count; ++i)
        s->from.values[i] = g[i].order;
}

/* As a dense array, with the table's leading dimension. */
static void put_dense(spec_test *t, spec_step_state *s) {
    double *const x = spec_own(t, spec_numbers(s->rows * s->ld, 1));
    for (int64_t i = 0; i < s->rows; ++i)
        memcpy(x + i * s->ld, s->given + i * s->n, (size_t)s->n * sizeof *x);
    s->g = spec_table(t, s->rows, s->n, s->ld, x);
}

static void put_rows(spec_test *t, spec_step_state *s) {
    spec_rowset from = s->from;
    from.values = s->given;
    s->sets[0] = spec_row_sparse(t, &from);
}

/* The rows of the bags, and their gradient: row k of the table's is that of the bag of entry k. */
static void put_bags(spec_test *t, spec_step_state *s) {
    const spec_matrix *const m = t->given;
    const spec_case *const c = t->c;
    const int64_t n = s->n;
    double *const g = spec_drawn(t, m->rows * n, 3);
    for (int64_t i = 0; i < m->rows; ++i)
        for (int64_t k = m->offsets[i]; k < m->offsets[i + 1]; ++k)
            memcpy(s->from.values + k * n, g + i * n, (size_t)n * sizeof *g);
    s->bags = (sparcl_bags){.bags = m->rows,
                            .indices = spec_list(t, m->indices, m->nnz, m->cols, c->index_type),
                            .offset_type = c->offset_type,
                            .include_last = 1,
                            .offsets = spec_ints_buf(t, m->offsets, m->rows + 1, c->offset_type)};
    s->g = spec_dense(t, m->rows, n, n, g);
    s->sums = spec_dense(t, m->rows, n, n, g);
}

/* The second set of rows: half a table further. */
static void put_other(spec_test *t, spec_step_state *s) {
    const spec_rowset *const from = &s->from;
    int64_t *const ids = spec_int64s(t, from->stored);
    for (int64_t k = 0; k < from->stored; ++k)
        ids[k] = (from->ids[k] + from->limit / 2) % from->limit;
    spec_sort_ints(ids, from->stored);
    s->sets[1] = s->sets[0];
    s->sets[1].indices = spec_ints_buf(t, ids, from->stored, s->sets[0].index_type);
    s->turns = 2;
}

/* --- the tables ------------------------------------------------------------------------------- */

static void put_tables(spec_test *t, spec_step_state *s) {
    for (int i = 0; i < s->tables; ++i) {
        const bool is_list = spec_step_is_list(s, i);
        sparcl_dense *const view = &s->view[i];
        *view = (sparcl_dense){.rank = is_list ? 1 : 2,
                               .dtype = spec_step_type(s, i),
                               .shape = {s->rows, is_list ? 0 : s->n},
                               .ld = is_list ? 0 : s->ld};
        *view = spec_dense_of(t, *view, s->start[i]);
        if (!is_list) view->rank = spec_shape(view->shape, s->rows, s->n, t->c->seed);
    }
}

/* Only of some cases. */
static void put_last_steps(spec_test *t, spec_step_state *s) {
    sparcl_optim *const o = &s->optim;
    const int64_t count = FIRST_LAST + s->rows;
    if (s->is_dense || t->c->seed % 3 != 0 || o->moves == SPARCL_MOVES_ALL ||
        o->decay.kind == SPARCL_DECAY_GLOBAL || o->states.type != SPARCL_STATES_AS_TABLE)
        return;
    s->last = spec_int64s(t, count);
    for (int64_t i = 0; i < count; ++i)
        s->last[i] = i;
    o->lazy.last_steps = spec_ints_buf(t, s->last, count, SPARCL_INDEX64);
    o->lazy.last_steps_at = FIRST_LAST;
}

/* The steps before the first call, of which no row has had one. */
static void miss_steps(spec_test *t, spec_step_state *s) {
    sparcl_optim *const o = &s->optim;
    sparcl_rows none = s->sets[0];
    none.nnr = 0;
    none.indices = none.values = NULL;
    o->step = 1;
    o->lazy.object = spec_lazy_object(t, o, &s->view[0]);
    for (; o->step <= SPEC_STEP_MISSED; ++o->step)
        spec_need(t, sparcl_step(t->ctx, o, &s->view[0], &s->view[1], &none));
    s->is_exact = true;
}

/* --- cases and measurements ------------------------------------------------------------------- */

static void make_case(spec_test *t, spec_step_state *s) {
    const spec_case *const c = t->c;
    const bool is_dense = s->is_dense = spec_step_is_dense(c);
    s->optim = spec_step_optim(c);
    s->rows = c->rows;
    s->tables = SPEC_TABLES;
    spec_own_rowset(t, &s->from,
                    spec_rowset_make(&s->from, is_dense ? SPEC_DIAGONAL : c->kind, c->rows,
                                     is_dense ? c->rows : c->nnz, c->n, c->seed));
    spec_step_start(t, s);
    put_tables(t, s);
    clip_gradient(t, s);
    if (is_dense)
        put_dense(t, s);
    else
        put_rows(t, s);
    put_last_steps(t, s);
}

/* Numbers that are not negative, because sums of squares are not. */
static void start_measured(spec_test *t, spec_step_state *s) {
    for (int i = 0; i < s->tables; ++i) {
        const int64_t count = s->rows * spec_step_stride(s, i);
        double *const x =
            spec_own(t, spec_stored_numbers(spec_step_type(s, i), count, (uint64_t)i + 1));
        for (int64_t k = 0; k < count; ++k)
            x[k] = fabs(x[k]);
        s->start[i] = x;
    }
}

static void make_measured(spec_test *t, spec_step_state *s) {
    const int kind = t->c->variant;
    const bool is_unique = kind != DUPLICATES && kind != BAGS;
    s->optim = *t->optim;
    s->rows = t->c->cols;
    s->tables = 1 + sparcl_rule_states(s->optim.rule);
    s->operations = spec_step_operations(t, t->optim, s->n);
    s->from = spec_rowset_given(t, 0, 1, is_unique, 99);
    start_measured(t, s);
    put_tables(t, s);
    if (kind == BAGS) put_bags(t, s);
    if (!is_unique) s->optim.duplicates = SPARCL_DUPLICATES_SUM; /* whatever the profile does */
    clip_gradient(t, s);
    if (kind != BAGS) put_rows(t, s);
    if (is_unique) s->sets[0].proof.flags |= SPARCL_SORTED | SPARCL_UNIQUE;
    if (kind < TURNS) return;
    put_other(t, s);
    /* Without a decay there is nothing to catch up with in SGD and Adagrad. */
    s->optim.decay.kind = SPARCL_DECAY_DECOUPLED;
    if (s->tables == 1 || s->optim.rule == SPARCL_RULE_ADAGRAD) s->optim.decay.weight = 0.01;
    if (kind == EXACT) miss_steps(t, s);
}

static void make(spec_test *t) {
    spec_step_state *const s = t->state;
    s->dtype = t->c->dtype;
    s->n = t->c->n;
    s->ld = spec_step_ld(t->c);
    s->turns = 1;
    if (t->given)
        make_measured(t, s);
    else
        make_case(t, s);
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    spec_step_state *const s = made;
    const sparcl_dense *const w = &s->view[0], *const states = &s->view[1];
    const sparcl_rows *const g = &s->sets[s->turn];
    sparcl_status status = SPARCL_OK;
    (void)number;
    if (s->is_dense) return sparcl_step_dense(ctx, &s->optim, w, states, &s->g);
    if (s->bags.offsets) {
        status = sparcl_embedding_bag(ctx, &s->sums, w, &s->bags, NULL, NULL, 0);
        if (status != SPARCL_OK) return status;
        return sparcl_step_bags(ctx, &s->optim, w, states, &s->bags, &s->g, NULL);
    }
    status = sparcl_step(ctx, &s->optim, w, states, g);
    s->turn = (s->turn + 1) % s->turns;
    if (s->is_exact) ++s->optim.step;
    return status;
}

static void expect(spec_test *t) {
    const spec_step_state *const s = t->state;
    spec_step_expect(t, s);
    if (!s->last) return;
    for (int64_t k = 0; k < s->from.stored; ++k)
        s->last[FIRST_LAST + s->from.ids[k]] = s->optim.step;
    spec_expect_ints(t, "last_steps", s->optim.lazy.last_steps, 0, SPARCL_INDEX64, s->last,
                     FIRST_LAST + s->rows);
}

/* The gradient is read, the rows of the tables that move are read and written; where only the
 * weights of the others decay, those. Bags are gathered, and their sums and gradients read or
 * written. */
static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const spec_step_state *const s = t->state;
    const double present = (double)spec_columns_used(t->given), all = (double)s->rows;
    const double rows = t->optim->moves == SPARCL_MOVES_ALL ? all : present;
    const double others = spec_step_moves_absent(t->optim) ? all - rows : 0;
    const double stored = (double)s->from.stored, n = (double)s->n, bags = (double)s->bags.bags;
    double row = 0;
    (void)number;
    for (int i = 0; i < s->tables; ++i)
        row += (spec_step_is_list(s, i) ? 1 : n) * (double)sparcl_dtype_size(spec_step_type(s, i));
    *bytes = stored * (4 * n + (double)sparcl_itype_size(t->c->index_type)) + rows * 2 * row +
             others * 2 * 4 * n;
    *flops = (stored - present) * n + rows * s->operations + others * 2 * n;
    if (t->c->variant != BAGS) return;
    *bytes += 2 * bags * 4 * n + bags * 4 + stored * 4;
    *flops += stored * n;
}

extern const spec_op spec_step;
#define MEASURED(kind)                                                                             \
    SPEC_BENCH_RULES | SPEC_BENCH_WIDTHS | SPEC_BENCH_UPDATE, .op = &spec_step,                    \
                                                              .setting = {.variant = (kind)}
static const spec_bench timed[] = {
    {"step", "an optimizer step; the gradient has a row for each column with entries",
     MEASURED(UNIQUE)},
    {"dedupe-step", "the same with a row for each entry: rows of one column are added first",
     MEASURED(DUPLICATES)},
    {"bag-step", "bags of rows, one for each row of A, and the step of their gradient",
     MEASURED(BAGS)},
    {"lazy-step", "steps on two sets of unique rows in turn: the others do not move",
     MEASURED(TURNS)},
    {"exact-step", "the same, exact lazy: rows catch up with the step they have missed",
     MEASURED(EXACT)},
    {0}};

const spec_op spec_step = {.name = "step",
                           .get_case = spec_step_case,
                           .state_size = sizeof(spec_step_state),
                           .make = make,
                           .call = call,
                           .expect = expect,
                           .work = work,
                           .timed = timed};
