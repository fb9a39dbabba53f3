/* spec_step.c: one step of an optimizer in plain C, compared with that of the kernels. The cases:
 * step_case.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/optim/half_states.h"
#include "spec/optim/step_case.h"
#include "spec/shared/rowset.h"

typedef struct arrays {
    spec_rowset from, sum; /* from: after it was clipped as a whole */
    double *given;         /* the values of `from` before it */
    double *g_truth, *g_bound;
    spec_tables start, order, truth, bound, got;
    int64_t *last, *got_last; /* last_steps, after FIRST_LAST others; NULL without them */
} arrays;

enum { FIRST_LAST = 3 };

static void drop_tables(spec_tables *t) {
    for (int s = 0; s < SPEC_TABLES; ++s)
        free(t->x[s]);
}

static void drop(arrays *x) {
    spec_rowset_free(&x->from);
    free(x->given);
    spec_rowset_free(&x->sum);
    free(x->g_truth);
    free(x->g_bound);
    free(x->last);
    free(x->got_last);
    drop_tables(&x->start);
    drop_tables(&x->order);
    drop_tables(&x->truth);
    drop_tables(&x->bound);
    drop_tables(&x->got);
}

static bool clips_stored(const spec_case *c, const sparcl_optim *o) {
    return o->clip.stored && !spec_step_is_dense(c);
}

/* Rows of one index are not added. */
static bool stays_apart(const sparcl_optim *o) {
    return o->duplicates == SPARCL_DUPLICATES_SEPARATE ||
           o->duplicates == SPARCL_DUPLICATES_SQUARES;
}

static bool clip_gradient(arrays *x, const spec_case *c) {
    const sparcl_optim o = spec_step_optim(c);
    const int64_t count = x->from.capacity * c->n;
    const spec_num limit = num_of(c->dtype, o.clip.value);
    x->given = spec_numbers(count, 1);
    if (!x->given) return false;
    memcpy(x->given, x->from.values, (size_t)count * sizeof *x->given);
    for (int64_t i = 0; clips_stored(c, &o) && i < count; ++i)
        x->from.values[i] = num_clip(num_exact(c->dtype, x->given[i]), limit).order;
    spec_num *const g = calloc((size_t)count + 1, sizeof *g);
    if (!g) return false;
    for (int64_t i = 0; i < count; ++i)
        g[i] = num_exact(c->dtype, x->from.values[i]);
    spec_clip_norm(g, x->from.stored * c->n, o.clip.norm);
    for (int64_t k = 0; stays_apart(&o) && k < x->from.stored; ++k)
        spec_clip_norm(g + k * c->n, c->n, o.clip.row_norm);
    for (int64_t i = 0; i < count; ++i)
        x->from.values[i] = g[i].order;
    free(g);
    return true;
}

static bool has_last_steps(const spec_case *c) {
    const sparcl_optim o = spec_step_optim(c);
    return !spec_step_is_dense(c) && c->seed % 3 == 0 && o.moves != SPARCL_MOVES_ALL &&
           o.decay.kind != SPARCL_DECAY_GLOBAL && o.states.type == SPARCL_STATES_AS_TABLE;
}

static bool make_last_steps(arrays *x, const spec_case *c) {
    const size_t count = (size_t)(FIRST_LAST + c->rows);
    x->last = malloc(count * sizeof *x->last);
    x->got_last = malloc(count * sizeof *x->got_last);
    for (size_t i = 0; x->last && i < count; ++i)
        x->last[i] = (int64_t)i;
    return x->last && x->got_last;
}

static bool make(arrays *x, const spec_case *c) {
    if (has_last_steps(c) && !make_last_steps(x, c)) return false;
    if (!spec_rowset_make(&x->from, spec_step_is_dense(c) ? SPEC_DIAGONAL : c->kind, c->rows,
                          spec_step_is_dense(c) ? c->rows : c->nnz, c->n, c->seed))
        return false;
    if (!clip_gradient(x, c)) return false;
    x->g_truth = spec_numbers(x->from.capacity * c->n, 0);
    x->g_bound = spec_numbers(x->from.capacity * c->n, 0);
    if (!x->g_truth || !x->g_bound || !spec_step_tables(&x->start, c) ||
        !spec_step_tables(&x->order, c) || !spec_step_tables(&x->truth, c) ||
        !spec_step_tables(&x->bound, c) || !spec_step_tables(&x->got, c))
        return false;
    for (int s = 0; s < SPEC_TABLES; ++s)
        for (int64_t i = 0; i < spec_step_count(c, s); ++i)
            x->bound.x[s][i] = 0;
    return spec_rowset_sum(&x->sum, &x->from, c->dtype, x->g_truth, x->g_bound);
}

static void put(arrays *x, int t, int64_t at, spec_num found) {
    x->order.x[t][at] = found.order;
    x->truth.x[t][at] = found.truth;
    x->bound.x[t][at] = found.bound;
}

static spec_num get(const arrays *x, const spec_case *c, int t, int64_t at) {
    return (spec_num){x->order.x[t][at], x->truth.x[t][at], x->bound.x[t][at], c->dtype};
}

/* A number of table t as it is stored. */
static spec_num as_stored(const spec_case *c, const spec_hyper *h, int t, int64_t row, int64_t j,
                          spec_num x) {
    return t == 0 ? x : spec_stored_state(&h->optim, t - 1, row * c->n + j, x);
}

/* Numbers of a row: those of the table, of the states and of the gradient. */
typedef struct row_numbers {
    spec_num *all, *g;
    spec_row row;
} row_numbers;

static bool make_row(row_numbers *r, int64_t n) {
    r->all = malloc((size_t)(n + 1) * (1 + SPEC_TABLES) * sizeof *r->all);
    r->g = r->all;
    r->row = (spec_row){.n = n, .w = r->all ? r->all + (n + 1) : NULL};
    for (int i = 0; r->all && i < SPARCL_MAX_STATES; ++i)
        r->row.s[i] = r->row.w + (1 + i) * (n + 1);
    return r->all;
}

/* A step of a row with the gradient r->g, or of one that is absent. */
static void step_row(arrays *x, const spec_case *c, const spec_hyper *h, int64_t row,
                     const row_numbers *r, bool is_absent) {
    spec_num *const to[SPEC_TABLES] = {r->row.w, r->row.s[0], r->row.s[1], r->row.s[2]};
    for (int t = 0; t < SPEC_TABLES; ++t)
        for (int64_t j = 0; j < (spec_step_is_list(c, t) ? 1 : c->n); ++j)
            to[t][j] = get(x, c, t, spec_step_row_at(c, t, row) + j);
    if (is_absent)
        spec_step_absent(h, &r->row, r->g);
    else
        spec_step_row(h, &r->row, r->g);
    for (int t = 0; t < SPEC_TABLES; ++t)
        for (int64_t j = 0; j < (spec_step_is_list(c, t) ? 1 : c->n); ++j)
            put(x, t, spec_step_row_at(c, t, row) + j, as_stored(c, h, t, row, j, to[t][j]));
}

/* How many rows of the gradient have an id. */
static int64_t count_rows(const spec_rowset *from, int64_t id) {
    int64_t count = 0;
    for (int64_t k = 0; k < from->stored; ++k)
        count += from->ids[k] == id;
    return count;
}

/* The gradient of row u of the sums. */
static void find_gradient(const arrays *x, const spec_case *c, const sparcl_optim *o, int64_t u,
                          spec_num *g) {
    const bool is_mean = o->duplicates == SPARCL_DUPLICATES_MEAN;
    const int64_t rows = is_mean ? count_rows(&x->from, x->sum.ids[u]) : 1;
    for (int64_t j = 0, k = u * c->n; j < c->n; ++j, ++k) {
        g[j] = (spec_num){x->sum.values[k], x->g_truth[k], x->g_bound[k], c->dtype};
        if (rows > 1) g[j] = num_div(g[j], num_exact(c->dtype, (double)rows));
    }
    if (!stays_apart(o)) spec_clip_norm(g, c->n, o->clip.row_norm);
}

/* Rows of one id, each with a step of its own. */
static void step_separately(arrays *x, const spec_case *c, const spec_hyper *h, int64_t row,
                            const row_numbers *r) {
    for (int64_t k = 0; k < x->from.stored; ++k) {
        if (x->from.ids[k] != row) continue;
        for (int64_t j = 0; j < c->n; ++j)
            r->g[j] = num_exact(c->dtype, x->from.values[k * c->n + j]);
        step_row(x, c, h, row, r, false);
    }
}

/* Rows of one id, by DUPLICATES_SQUARES. */
static bool step_squares(arrays *x, const spec_case *c, const spec_hyper *h, int64_t row) {
    const int64_t count = count_rows(&x->from, row);
    spec_num *const g = malloc((size_t)(count + 1) * sizeof *g);
    if (!g) return false;
    for (int64_t j = 0; j < c->n; ++j) {
        const int64_t at = spec_step_row_at(c, 0, row) + j;
        spec_result to = {.w = get(x, c, 0, at)};
        int64_t stored = 0;
        for (int s = 0; s < SPARCL_MAX_STATES; ++s)
            to.s[s] = get(x, c, 1 + s, at);
        for (int64_t k = 0; k < x->from.stored; ++k)
            if (x->from.ids[k] == row)
                g[stored++] = num_exact(c->dtype, x->from.values[k * c->n + j]);
        spec_step_of_rows(h, &to, g, count);
        put(x, 0, at, to.w);
        for (int s = 0; s < SPARCL_MAX_STATES; ++s)
            put(x, 1 + s, at, as_stored(c, h, 1 + s, row, j, to.s[s]));
    }
    free(g);
    return true;
}

/* 1 more than the largest number of the third state, which has one for each row. */
static spec_num find_largest(const arrays *x, const spec_case *c) {
    double largest = x->start.x[3][0];
    for (int64_t row = 1; row < c->rows; ++row)
        largest = fmax(largest, x->start.x[3][row]);
    return num_add(num_exact(c->dtype, largest), num_exact(c->dtype, 1));
}

/* The second half of a step whose rate has norms of the whole table: table `moves` has the first.
 */
static void step_by_ratio(arrays *x, const spec_case *c, const spec_hyper *h, int moves) {
    const bool moves_all = spec_step_is_dense(c) || h->optim.moves == SPARCL_MOVES_ALL;
    spec_squares weights = {.dtype = c->dtype}, of_moves = weights;
    for (int64_t i = 0; i < c->rows * c->n; ++i) {
        const int64_t at = spec_step_row_at(c, 0, i / c->n) + i % c->n;
        spec_add_square(&weights, get(x, c, 0, at));
        spec_add_square(&of_moves, get(x, c, moves, at));
    }
    const spec_num rate = spec_rate_of_table(h, spec_norm_of(weights), spec_norm_of(of_moves));
    for (int64_t i = 0; i < c->rows * c->n; ++i) {
        const int64_t at = spec_step_row_at(c, 0, i / c->n) + i % c->n;
        spec_result to = {.w = get(x, c, 0, at), .s[0] = get(x, c, 1, at)};
        if (!moves_all && count_rows(&x->from, i / c->n) == 0) continue;
        spec_step_by_ratio(h, &to, get(x, c, moves, at), rate);
        put(x, 0, at, to.w);
        put(x, 1, at, as_stored(c, h, 1, i / c->n, i % c->n, to.s[0]));
    }
}

/* Table t of the answer := what `numbers` has; NULL: zeros. */
static void reset(arrays *x, const spec_case *c, int t, const double *numbers) {
    for (int64_t i = 0; i < spec_step_count(c, t); ++i)
        put(x, t, i, num_exact(c->dtype, numbers ? numbers[i] : 0));
}

static bool step_each_row(arrays *x, const spec_case *c, const spec_hyper *h) {
    const sparcl_optim *const o = &h->optim;
    row_numbers r;
    bool is_done = true;
    int64_t u = 0;
    if (!make_row(&r, c->n)) return false;
    for (int64_t row = 0; row < c->rows; ++row) {
        if (u < x->sum.stored && x->sum.ids[u] == row) {
            find_gradient(x, c, o, u++, r.g);
            if (o->duplicates == SPARCL_DUPLICATES_SEPARATE)
                step_separately(x, c, h, row, &r);
            else if (o->duplicates == SPARCL_DUPLICATES_SQUARES)
                is_done = step_squares(x, c, h, row) && is_done;
            else
                step_row(x, c, h, row, &r, false);
        } else if (spec_step_moves_absent(o)) {
            step_row(x, c, h, row, &r, true);
        }
    }
    free(r.all);
    return is_done;
}

static bool answer(arrays *x, const spec_case *c) {
    sparcl_optim o = spec_step_optim(c);
    if (clips_stored(c, &o)) o.clip.value = (double)INFINITY;
    spec_hyper h = spec_hyper_of(&o, c->dtype);
    const int moves = 1 + sparcl_rule_states(o.rule);
    if (spec_finds_largest(&o) && c->rows > 0) h.more = find_largest(x, c);
    if (!spec_is_by_table(o.rule)) return step_each_row(x, c, &h);
    reset(x, c, moves, NULL);
    const bool is_done = step_each_row(x, c, &h);
    step_by_ratio(x, c, &h, moves);
    reset(x, c, moves, x->start.x[moves]);
    return is_done;
}

/* A step with the gradient as a dense array, with the table's leading dimension. */
static sparcl_status step_dense(sparcl_ctx *ctx, const spec_case *c, const sparcl_optim *o,
                                const sparcl_dense t[SPEC_TABLES], const arrays *x) {
    sparcl_dense g = t[0];
    double *values = spec_numbers(c->rows * spec_step_ld(c), 1);
    if (!values) return SPARCL_E_MEMORY;
    for (int64_t i = 0; i < c->rows; ++i)
        for (int64_t j = 0; j < c->n; ++j)
            values[i * spec_step_ld(c) + j] = x->given[i * c->n + j];
    sparcl_status status = spec_put_dense(ctx, &g, values, c->rows * spec_step_ld(c));
    if (status == SPARCL_OK) status = sparcl_step_dense(ctx, o, &t[0], &t[1], &g);
    sparcl_buf_free(g.values);
    free(values);
    return status;
}

/* The answer of last_steps: its rows have this step. */
static void answer_last_steps(arrays *x, int64_t step) {
    for (int64_t u = 0; x->last && u < x->sum.stored; ++u)
        x->last[FIRST_LAST + x->sum.ids[u]] = step;
}

static sparcl_status step_rows(sparcl_ctx *ctx, const spec_case *c, sparcl_optim o,
                               const sparcl_dense t[SPEC_TABLES], arrays *x) {
    const int64_t count = FIRST_LAST + c->rows;
    sparcl_rows g = {0};
    spec_rowset given = x->from;
    given.values = x->given;
    sparcl_status status = spec_put_rows(ctx, &g, &given, c);
    if (status == SPARCL_OK && x->last) {
        status = spec_put_ints(ctx, &o.lazy.last_steps, x->last, count, SPARCL_INDEX64);
        o.lazy.last_steps_at = FIRST_LAST;
    }
    if (status == SPARCL_OK) status = sparcl_step(ctx, &o, &t[0], &t[1], &g);
    if (status == SPARCL_OK && x->last)
        status = spec_get_ints(ctx, o.lazy.last_steps, 0, count, SPARCL_INDEX64, x->got_last);
    sparcl_buf_free(o.lazy.last_steps);
    sparcl_rows_free(&g);
    answer_last_steps(x, o.step);
    return status;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *x) {
    const sparcl_optim o = spec_step_optim(c);
    sparcl_dense t[SPEC_TABLES] = {{0}};
    sparcl_status status = SPARCL_OK;
    for (int s = 0; s < SPEC_TABLES && status == SPARCL_OK; ++s) {
        t[s] = (sparcl_dense){.dtype = spec_step_dtype(c, s), .ld = spec_step_ld(c)};
        t[s].rank = spec_shape(t[s].shape, c->rows, c->n, c->seed);
        if (spec_step_is_list(c, s)) t[s].rank = 1, t[s].ld = 0;
        status = spec_put_dense(ctx, &t[s], x->start.x[s], spec_step_count(c, s));
    }
    if (status == SPARCL_OK)
        status = spec_step_is_dense(c) ? step_dense(ctx, c, &o, t, x) : step_rows(ctx, c, o, t, x);
    for (int s = 0; s < SPEC_TABLES; ++s) {
        if (status == SPARCL_OK)
            status = spec_get_reals(ctx, t[s].values, t[s].values_at, spec_step_count(c, s),
                                    t[s].dtype, x->got.x[s]);
        sparcl_buf_free(t[s].values);
    }
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    static const char *const names[] = {"table", "first state", "second state", "third state"};
    arrays x = {0};
    const double elements = (double)(spec_step_is_dense(c) ? c->rows : c->nnz) * (double)c->n;
    const int states = sparcl_rule_states(spec_step_rule(c));
    *report =
        (spec_report){.equal = true,
                      .flops = elements * (2 + 6 * states),
                      .bytes = elements * (3 + 2 * states) * (double)sparcl_dtype_size(c->dtype)};
    sparcl_status status = make(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) {
        status = answer(&x, c) ? run(ctx, c, &x) : SPARCL_E_MEMORY;
    }
    for (int s = 0; s < SPEC_TABLES && status == SPARCL_OK; ++s)
        spec_compare(report, names[s], x.got.x[s], x.order.x[s], x.truth.x[s], x.bound.x[s],
                     spec_step_count(c, s));
    if (status == SPARCL_OK && x.last)
        spec_compare_ints(report, "last_steps", x.got_last, x.last, FIRST_LAST + c->rows);
    drop(&x);
    return status;
}

const spec_op spec_step = {.name = "step", .get_case = spec_step_case, .check = check};
