/* step_answer.c: the tables after a step, in plain C: row by row, some rows at a time. */
#include "spec/optim/step_answer.h"

#include <math.h>
#include <string.h>

#include "spec/optim/half_states.h"
#include "spec/optim/lazy_answer.h"

/* Numbers of a table that are compared at a time. */
#define SLAB ((int64_t)1 << 20)

typedef struct answer {
    spec_test *t;
    const spec_step_state *s;
    spec_hyper h;
    spec_lazy_history past; /* the steps that all rows of an exact lazy optimizer have missed */
    /* The gradient: the sum of the rows of each id; `first` row of each id, and the `next` one of
     * the same id; -1: none. */
    spec_rowset sum;
    spec_answer of_sum;
    int64_t *first, *next, u; /* u: the next sum */
    /* A row: its gradient, weights and states. */
    spec_num *g, *x[SPEC_TABLES];
    spec_row row;
    spec_num rate; /* where it has norms of the whole table */
} answer;

bool spec_step_stays_apart(const sparcl_optim *o) {
    return o->duplicates == SPARCL_DUPLICATES_SEPARATE ||
           o->duplicates == SPARCL_DUPLICATES_SQUARES;
}

bool spec_step_clips_stored(const spec_step_state *s) {
    return s->optim.clip.stored && !s->is_dense;
}

static void make_row(spec_test *t, answer *a, int64_t n) {
    a->g = spec_memory(t, n, sizeof *a->g);
    a->row.n = n;
    for (int i = 0; i < SPEC_TABLES; ++i) {
        a->x[i] = spec_memory(t, n, sizeof *a->g);
        if (i > 0) a->row.s[i - 1] = a->x[i];
    }
    a->row.w = a->x[0];
}

double spec_step_operations(spec_test *t, const sparcl_optim *optim, int64_t n) {
    const spec_hyper h = spec_hyper_of(optim, SPARCL_F32);
    answer a = {0};
    make_row(t, &a, n);
    for (int64_t j = 0; j < n; ++j) {
        a.g[j] = num_exact(SPARCL_F32, 0.5);
        for (int i = 0; i < SPEC_TABLES; ++i)
            a.x[i][j] = a.g[j];
    }
    const int64_t before = num_roundings();
    spec_step_row(&h, &a.row, a.g);
    return (double)(num_roundings() - before);
}

/* --- the gradient ----------------------------------------------------------------------------- */

/* The bags of one column add their gradients by rule S, not R. */
static void sum_one_column(answer *a) {
    const spec_step_state *const s = a->s;
    double *const terms = spec_reals(a->t, s->from.stored), *const ones =
                                                                spec_reals(a->t, s->from.stored);
    for (int64_t u = 0; u < a->sum.stored; ++u) {
        double sum = 0, magnitude = 0;
        int64_t length = 0;
        for (int64_t k = a->first[a->sum.ids[u]]; k >= 0; k = a->next[k]) {
            sum += terms[length] = s->from.values[k];
            magnitude += fabs(terms[length]);
            ones[length++] = 1;
        }
        a->sum.values[u] = spec_sum_products(s->dtype, ones, terms, 1, length, true);
        a->of_sum.truth[u] = sum;
        a->of_sum.bound[u] =
            spec_depth(length, true) * spec_unit(s->dtype) * magnitude * SPEC_SECOND_ORDER;
    }
}

static void sum_gradient(answer *a) {
    spec_test *const t = a->t;
    const spec_rowset *const from = &a->s->from;
    a->of_sum = spec_answer_room(t, from->stored * from->width);
    spec_own_rowset(t, &a->sum,
                    spec_rowset_sum(&a->sum, from, a->s->dtype, a->of_sum.truth, a->of_sum.bound));
    a->first = spec_int64s(t, from->limit);
    a->next = spec_int64s(t, from->stored);
    for (int64_t i = 0; i < from->limit; ++i)
        a->first[i] = -1;
    for (int64_t k = from->stored - 1; k >= 0; --k) {
        a->next[k] = a->first[from->ids[k]];
        a->first[from->ids[k]] = k;
    }
    if (a->s->bags.offsets && from->width == 1) sum_one_column(a);
}

/* How many rows of the gradient have an id. */
static int64_t count_rows(const answer *a, int64_t id) {
    int64_t count = 0;
    for (int64_t k = a->first[id]; k >= 0; k = a->next[k])
        ++count;
    return count;
}

/* --- a row ------------------------------------------------------------------------------------ */

/* Its numbers before the step; 0 of what is no table, or the move of a rule of the whole table. */
static void load(answer *a, int64_t row) {
    const spec_step_state *const s = a->s;
    const int states = sparcl_rule_states(s->optim.rule);
    for (int t = 0; t < SPEC_TABLES; ++t)
        for (int64_t j = 0; j < (spec_step_is_list(s, t) ? 1 : s->n); ++j)
            a->x[t][j] = num_exact(s->dtype,
                                   t <= states ? s->start[t][row * spec_step_stride(s, t) + j] : 0);
}

/* The same after the steps that it has missed. */
static void catch_up(answer *a) {
    for (int64_t j = 0; j < a->s->n; ++j) {
        double x[SPEC_LAZY_TABLES];
        for (int t = 0; t < SPEC_TABLES; ++t)
            x[t] = a->x[t][j].order;
        spec_lazy_order(&a->past, 0, x);
        for (int t = 0; t < SPEC_TABLES; ++t)
            a->x[t][j] = num_exact(a->s->dtype, x[t]);
    }
}

/* Element j of the states as it is stored. */
static void store_states(answer *a, int64_t row, int64_t j) {
    for (int t = 1; t < SPEC_TABLES; ++t)
        a->x[t][j] = spec_stored_state(&a->h.optim, t - 1, row * a->s->n + j, a->x[t][j]);
}

/* A step with the gradient a->g, or of a row that is absent. */
static void step_once(answer *a, int64_t row, bool is_absent) {
    if (is_absent)
        spec_step_absent(&a->h, &a->row, a->g);
    else
        spec_step_row(&a->h, &a->row, a->g);
    for (int64_t j = 0; j < a->s->n; ++j)
        store_states(a, row, j);
}

/* Rows of one id, each with a step of its own. */
static void step_separately(answer *a, int64_t row) {
    const spec_rowset *const from = &a->s->from;
    for (int64_t k = a->first[row]; k >= 0; k = a->next[k]) {
        for (int64_t j = 0; j < from->width; ++j)
            a->g[j] = num_exact(a->s->dtype, from->values[k * from->width + j]);
        step_once(a, row, false);
    }
}

/* Rows of one id, by DUPLICATES_SQUARES. */
static void step_squares(answer *a, int64_t row) {
    const spec_rowset *const from = &a->s->from;
    spec_num *const g = spec_memory(a->t, count_rows(a, row), sizeof *g);
    for (int64_t j = 0; j < from->width; ++j) {
        spec_result to = {.w = a->x[0][j]};
        int64_t count = 0;
        for (int i = 0; i < SPARCL_MAX_STATES; ++i)
            to.s[i] = a->x[1 + i][j];
        for (int64_t k = a->first[row]; k >= 0; k = a->next[k])
            g[count++] = num_exact(a->s->dtype, from->values[k * from->width + j]);
        spec_step_of_rows(&a->h, &to, g, count);
        a->x[0][j] = to.w;
        for (int i = 0; i < SPARCL_MAX_STATES; ++i)
            a->x[1 + i][j] = to.s[i];
        store_states(a, row, j);
    }
}

/* With the sum of the rows of its id, or their mean. */
static void step_sum(answer *a, int64_t row, int64_t u) {
    const sparcl_optim *const o = &a->s->optim;
    const sparcl_dtype dtype = a->s->dtype;
    const int64_t n = a->s->n,
                  rows = o->duplicates == SPARCL_DUPLICATES_MEAN ? count_rows(a, row) : 1;
    for (int64_t j = 0, k = u * n; j < n; ++j, ++k) {
        a->g[j] = (spec_num){a->sum.values[k], a->of_sum.truth[k], a->of_sum.bound[k], dtype};
        if (rows > 1) a->g[j] = num_div(a->g[j], num_exact(dtype, (double)rows));
    }
    spec_clip_norm(a->g, n, o->clip.row_norm);
    step_once(a, row, false);
}

/* A row after its step, or after the first half of one whose rate has norms of the whole table.
 * Whether there is a second half. */
static bool step_row(answer *a, int64_t row) {
    const sparcl_optim *const o = &a->s->optim;
    const bool is_present = a->u < a->sum.stored && a->sum.ids[a->u] == row;
    load(a, row);
    if (is_present) {
        const int64_t u = a->u++;
        if (a->s->is_exact) catch_up(a);
        if (o->duplicates == SPARCL_DUPLICATES_SEPARATE)
            step_separately(a, row);
        else if (o->duplicates == SPARCL_DUPLICATES_SQUARES)
            step_squares(a, row);
        else
            step_sum(a, row, u);
    } else if (!a->s->is_exact && spec_step_moves_absent(o)) {
        step_once(a, row, true);
    }
    return is_present || o->moves == SPARCL_MOVES_ALL;
}

/* The norms of all rows. */
static void find_rate(answer *a) {
    const int moves = 1 + sparcl_rule_states(a->s->optim.rule);
    spec_squares weights = {.dtype = a->s->dtype}, of_moves = weights;
    for (int64_t row = 0; row < a->s->rows; ++row) {
        step_row(a, row);
        for (int64_t j = 0; j < a->s->n; ++j) {
            spec_add_square(&weights, a->x[0][j]);
            spec_add_square(&of_moves, a->x[moves][j]);
        }
    }
    a->u = 0;
    a->rate = spec_rate_of_table(&a->h, spec_norm_of(weights), spec_norm_of(of_moves));
}

static void step_by_ratio(answer *a, int64_t row) {
    const spec_num *const moves = a->x[1 + sparcl_rule_states(a->s->optim.rule)];
    for (int64_t j = 0; j < a->s->n; ++j) {
        spec_result to = {.w = a->x[0][j], .s[0] = a->x[1][j]};
        spec_step_by_ratio(&a->h, &to, moves[j], a->rate);
        a->x[0][j] = to.w;
        a->x[1][j] = spec_stored_state(&a->h.optim, 0, row * a->s->n + j, to.s[0]);
    }
}

/* --- the tables ------------------------------------------------------------------------------- */

/* Row `row` of all tables, which is row `at` of those that are compared. */
static void put_row(const answer *a, spec_answer *to, int64_t at) {
    const spec_step_state *const s = a->s;
    for (int t = 0; t <= sparcl_rule_states(s->optim.rule); ++t)
        for (int64_t j = 0; j < (spec_step_is_list(s, t) ? 1 : s->n); ++j) {
            const int64_t k = at * spec_step_stride(s, t) + j;
            to[t].order[k] = a->x[t][j].order;
            to[t].truth[k] = a->x[t][j].truth;
            to[t].bound[k] = a->x[t][j].bound;
        }
}

static void compare_rows(answer *a, spec_answer *to, double *got, int64_t first, int64_t rows) {
    static const char *const names[] = {"table", "first state", "second state", "third state"};
    const spec_step_state *const s = a->s;
    for (int t = 0; t < s->tables; ++t) {
        const int64_t stride = spec_step_stride(s, t);
        const size_t bytes = (size_t)(rows * stride) * sizeof(double);
        memcpy(to[t].order, s->start[t] + first * stride, bytes);
        memcpy(to[t].truth, to[t].order, bytes);
        memset(to[t].bound, 0, bytes);
    }
    for (int64_t at = 0; at < rows; ++at) {
        if (step_row(a, first + at) && spec_is_by_table(s->optim.rule))
            step_by_ratio(a, first + at);
        put_row(a, to, at);
    }
    for (int t = 0; t < s->tables; ++t) {
        const sparcl_dense *const view = &s->view[t];
        const int64_t stride = spec_step_stride(s, t);
        spec_need(a->t, spec_get_reals(a->t->ctx, view->values, view->values_at + first * stride,
                                       rows * stride, view->dtype, got));
        spec_compare(a->t->report, names[t], got, to[t].order, to[t].truth, to[t].bound,
                     rows * stride);
    }
}

/* 1 more than the largest number of the third state, which has one for each row. */
static spec_num find_largest(const spec_step_state *s) {
    double largest = s->start[3][0];
    for (int64_t row = 1; row < s->rows; ++row)
        largest = fmax(largest, s->start[3][row]);
    return num_add(num_exact(s->dtype, largest), num_exact(s->dtype, 1));
}

static void make_past(answer *a, sparcl_optim o) {
    spec_lazy_history *const past = &a->past;
    *past = (spec_lazy_history){.dtype = a->s->dtype, .mantissa = 1};
    past->at = spec_memory(a->t, SPEC_STEP_MISSED + 1, sizeof *past->at);
    past->at[0].mantissa = 1;
    spec_lazy_begin(past, &o);
    for (o.step = 1; o.step <= SPEC_STEP_MISSED; ++o.step)
        spec_lazy_take_step(past, &o);
}

void spec_step_expect(spec_test *t, const spec_step_state *s) {
    const int64_t most = s->ld < SLAB ? SLAB / s->ld : 1, slab = most < s->rows ? most : s->rows;
    answer a = {.t = t, .s = s};
    sparcl_optim first = s->optim;
    spec_answer to[SPEC_TABLES];
    if (s->is_exact) make_past(&a, s->optim);
    if (s->is_exact) first.step = SPEC_STEP_MISSED + 1;
    if (spec_step_clips_stored(s)) first.clip.value = (double)INFINITY;
    a.h = spec_hyper_of(&first, s->dtype);
    if (spec_finds_largest(&first) && s->rows > 0) a.h.more = find_largest(s);
    make_row(t, &a, s->n);
    sum_gradient(&a);
    for (int i = 0; i < SPEC_TABLES; ++i)
        to[i] = spec_answer_room(t, slab * s->ld);
    if (spec_is_by_table(s->optim.rule)) find_rate(&a);
    double *const got = spec_reals(t, slab * s->ld);
    for (int64_t row = 0; row < s->rows; row += slab)
        compare_rows(&a, to, got, row, s->rows - row < slab ? s->rows - row : slab);
}
