/* bench_step_check.c: the check of timed optimizer steps, slab by slab. */
#include <string.h>

#include "spec/bench/bench_step.h"
#include "spec/optim/lazy_answer.h"

/* Rows of the table per slab. */
static int64_t slab_rows(int64_t width) {
    return width < SPEC_STEP_SLAB ? SPEC_STEP_SLAB / width : 1;
}

/* Some rows of all tables: `order` and `truth` start with the contents before the step, `bound`
 * with 0. */
typedef struct slab {
    double *order[SPEC_STEP_TABLES], *truth[SPEC_STEP_TABLES], *bound[SPEC_STEP_TABLES],
        *got[SPEC_STEP_TABLES];
    uint64_t seeds[SPEC_STEP_TABLES];
} slab;

static void drop_slab(slab *s) {
    for (int t = 0; t < SPEC_STEP_TABLES; ++t) {
        free(s->order[t]);
        free(s->truth[t]);
        free(s->bound[t]);
        free(s->got[t]);
    }
}

/* Before the first rows. */
static void begin_slab(slab *s) {
    for (int t = 0; t < SPEC_STEP_TABLES; ++t)
        s->seeds[t] = (uint64_t)t + 1;
}

static bool make_slab(slab *s, int64_t count) {
    bool made = true;
    for (int t = 0; t < SPEC_STEP_TABLES; ++t) {
        s->order[t] = malloc((size_t)count * sizeof(double));
        s->truth[t] = malloc((size_t)count * sizeof(double));
        s->bound[t] = malloc((size_t)count * sizeof(double));
        s->got[t] = malloc((size_t)count * sizeof(double));
        made = made && s->order[t] && s->truth[t] && s->bound[t] && s->got[t];
    }
    return made;
}

/* The gradient with the rows of each id added: by rule R, in double, and the error bound. */
typedef struct gradient {
    spec_rowset sum;
    double *truth, *bound;
} gradient;

/* The gradient of bags of one column is the transposed product with the bags as a matrix: rule S.
 */
static bool sum_one_column(gradient *g, const spec_matrix *m) {
    const spec_case c = {.dtype = SPARCL_F32, .rows = m->cols, .cols = m->rows, .n = 1, .alpha = 1};
    spec_matrix t = {0};
    double *const column = spec_step_bag_gradient(m->rows, 1);
    double *const old = spec_numbers(m->cols, 0), *const order = spec_numbers(m->cols, 0),
                  *const truth = spec_numbers(m->cols, 0), *const bound = spec_numbers(m->cols, 0);
    bool done = column && old && order && truth && bound && spec_matrix_transpose(&t, m);
    for (int64_t k = 0; done && k < t.nnz; ++k)
        t.values[k] = 1;
    done = done && spec_product(&c, &t, column, 1, old, 1, order, truth, bound);
    for (int64_t u = 0; done && u < g->sum.stored; ++u) {
        g->sum.values[u] = order[g->sum.ids[u]];
        g->truth[u] = truth[g->sum.ids[u]];
        g->bound[u] = bound[g->sum.ids[u]];
    }
    spec_matrix_free(&t);
    free(column);
    free(old);
    free(order);
    free(truth);
    free(bound);
    return done;
}

static bool sum_gradient(gradient *g, const spec_step_operands *x, const spec_matrix *m) {
    const spec_rowset *const from = &x->from;
    const size_t count = (size_t)(from->stored * from->width) + 1;
    g->truth = malloc(count * sizeof *g->truth);
    g->bound = malloc(count * sizeof *g->bound);
    return g->truth && g->bound && spec_rowset_sum(&g->sum, from, SPARCL_F32, g->truth, g->bound) &&
           (!x->bags.offsets || from->width > 1 || sum_one_column(g, m));
}

static void drop_gradient(gradient *g) {
    spec_rowset_free(&g->sum);
    free(g->truth);
    free(g->bound);
}

static void put(const slab *s, int t, int64_t at, spec_num x) {
    s->order[t][at] = x.order;
    s->truth[t][at] = x.truth;
    s->bound[t][at] = x.bound;
}

/* The steps that all rows of the first call of an exact lazy optimizer have missed. */
typedef struct past {
    spec_lazy_history history;
    spec_lazy_record records[SPEC_STEP_MISSED + 2];
} past;

static void make_past(past *p, const sparcl_optim *optim) {
    sparcl_optim o = *optim;
    *p = (past){.history = {.mantissa = 1}, .records[0].mantissa = 1};
    p->history.at = p->records;
    spec_lazy_begin(&p->history, &o);
    for (o.step = 1; o.step <= SPEC_STEP_MISSED; ++o.step)
        spec_lazy_take_step(&p->history, &o);
}

/* An element of the slab, whose tables all have the same shape. */
static void catch_up(const past *p, slab *s, int tables, int64_t at) {
    double x[SPEC_STEP_TABLES] = {0};
    for (int t = 0; t < tables; ++t)
        x[t] = s->order[t][at];
    spec_lazy_order(&p->history, 0, x);
    for (int t = 0; t < tables; ++t)
        s->order[t][at] = x[t];
}

/* What is known of the step: of the first call of an exact lazy optimizer. */
typedef struct answer {
    const spec_step_operands *x;
    const gradient *g;
    spec_hyper h;
    past p;
    spec_step_row_numbers r;
    spec_num rate;     /* where it has norms of the whole table */
    bool moves_absent; /* rows that the gradient does not have */
} answer;

/* 1 more than the largest number of the third state, which has one for each row. */
static spec_num find_largest(int64_t rows) {
    uint64_t seed = 4; /* that of begin_slab */
    double largest = 0;
    for (int64_t row = 0; row < rows; ++row) {
        double x;
        spec_step_next_numbers(SPARCL_F32, &x, 1, &seed);
        largest = fmax(largest, x);
    }
    return num_add(num_exact(SPARCL_F32, largest), num_exact(SPARCL_F32, 1));
}

static bool make_answer(answer *a, const spec_step_operands *x, const gradient *g) {
    sparcl_optim first = x->optim;
    a->x = x;
    a->g = g;
    first.step = x->is_exact ? SPEC_STEP_MISSED + 1 : first.step;
    a->h = spec_hyper_of(&first, SPARCL_F32);
    if (spec_finds_largest(&x->optim)) a->h.more = find_largest(x->from.limit);
    a->moves_absent = !x->is_exact && spec_step_moves_absent(&x->optim);
    if (x->is_exact) make_past(&a->p, &x->optim);
    return spec_step_make_row(&a->r, x->from.width);
}

/* The next rows of the tables before the step. */
static void fill_slab(const answer *a, slab *s, int64_t rows) {
    for (int t = 0; t < spec_step_tables(a->x); ++t) {
        const int64_t elements = rows * spec_step_row_size(a->x, t);
        spec_step_next_numbers(spec_step_type(a->x, t), s->order[t], elements, &s->seeds[t]);
        memcpy(s->truth[t], s->order[t], (size_t)elements * sizeof(double));
        memset(s->bound[t], 0, (size_t)elements * sizeof(double));
    }
}

#define ABSENT (-1)

/* The numbers of row `at` of the slab after a step with row u of the gradient, or without one, or
 * the first half of a step whose rate has norms of the whole table. */
static void find_row(const answer *a, slab *s, int64_t at, int64_t u) {
    const int64_t width = a->g->sum.width;
    const spec_step_row_numbers *const r = &a->r;
    for (int64_t j = 0, k = u * width; u != ABSENT && j < width; ++j, ++k)
        r->g[j] = (spec_num){a->g->sum.values[k], a->g->truth[k], a->g->bound[k], SPARCL_F32};
    for (int64_t j = 0; a->x->is_exact && j < width; ++j)
        catch_up(&a->p, s, spec_step_tables(a->x), at * width + j);
    for (int t = 0; t < spec_step_tables(a->x); ++t)
        for (int64_t j = 0, size = spec_step_row_size(a->x, t); j < size; ++j)
            r->tables[t][j] = num_exact(SPARCL_F32, s->order[t][at * size + j]);
    if (u == ABSENT)
        spec_step_absent(&a->h, &r->row, r->g);
    else
        spec_step_row(&a->h, &r->row, r->g);
}

/* The second half of a row. */
static void step_by_ratio(const answer *a) {
    const spec_row *const row = &a->r.row;
    const spec_num *const moves = row->s[sparcl_rule_states(a->h.optim.rule)];
    for (int64_t j = 0; j < row->n; ++j) {
        spec_result to = {.w = row->w[j], .s[0] = row->s[0][j]};
        spec_step_by_ratio(&a->h, &to, moves[j], a->rate);
        row->w[j] = to.w;
        row->s[0][j] = to.s[0];
    }
}

/* Row `row` of the table, which is row `at` of the slab. */
static void step_row(const answer *a, slab *s, int64_t row, int64_t at, int64_t u) {
    const int64_t element = row * a->g->sum.width;
    find_row(a, s, at, u);
    if (spec_is_by_table(a->h.optim.rule)) step_by_ratio(a);
    for (int t = 0; t < spec_step_tables(a->x); ++t)
        for (int64_t j = 0, size = spec_step_row_size(a->x, t); j < size; ++j)
            put(s, t, at * size + j,
                t == 0 ? a->r.tables[t][j]
                       : spec_stored_state(&a->h.optim, t - 1, element + j, a->r.tables[t][j]));
}

/* The row of the gradient for row `row` of the table, where *u is the next one. */
static int64_t take_row(const answer *a, int64_t row, int64_t *u) {
    const spec_rowset *const sum = &a->g->sum;
    return *u < sum->stored && sum->ids[*u] == row ? (*u)++ : ABSENT;
}

/* The norms of all rows. */
static void find_rate(answer *a, slab *s, int64_t rows, int64_t maximum) {
    const int64_t width = a->x->from.width;
    const int table = 1 + sparcl_rule_states(a->h.optim.rule); /* of the moves */
    const spec_num zero = num_exact(SPARCL_F32, 0);
    spec_squares weights = {.dtype = SPARCL_F32}, of_moves = weights;
    for (int64_t row = 0, u = 0; row < rows; ++row) {
        const int64_t at = row % maximum, left = rows - row;
        if (at == 0) fill_slab(a, s, left < maximum ? left : maximum);
        const int64_t of_gradient = take_row(a, row, &u);
        const bool moves = of_gradient != ABSENT || a->moves_absent;
        if (moves) find_row(a, s, at, of_gradient);
        for (int64_t j = 0; j < width; ++j) {
            const spec_num w = num_exact(SPARCL_F32, s->order[0][at * width + j]);
            spec_add_square(&weights, moves ? a->r.row.w[j] : w);
            spec_add_square(&of_moves, moves ? a->r.tables[table][j] : zero);
        }
    }
    a->rate = spec_rate_of_table(&a->h, spec_norm_of(weights), spec_norm_of(of_moves));
}

/* Compare rows from .. from + count; *u is the next row of the summed gradient. */
static sparcl_status compare_slab(sparcl_ctx *ctx, const answer *a, slab *s, int64_t from,
                                  int64_t count, int64_t *u, spec_report *report) {
    static const char *const names[] = {"table", "first state", "second state", "third state"};
    sparcl_status status = SPARCL_OK;
    fill_slab(a, s, count);
    for (int64_t at = 0; at < count; ++at) {
        const int64_t of_gradient = take_row(a, from + at, u);
        if (of_gradient != ABSENT || a->moves_absent) step_row(a, s, from + at, at, of_gradient);
    }
    for (int t = 0; t < spec_step_tables(a->x) && status == SPARCL_OK; ++t) {
        const int64_t size = spec_step_row_size(a->x, t);
        status = spec_get_reals(ctx, a->x->tables[t].values, from * size, count * size,
                                spec_step_type(a->x, t), s->got[t]);
        if (status == SPARCL_OK)
            spec_compare(report, names[t], s->got[t], s->order[t], s->truth[t], s->bound[t],
                         count * size);
    }
    return status;
}

static sparcl_status compare_all(sparcl_ctx *ctx, answer *a, slab *s, int64_t maximum,
                                 spec_report *report) {
    const int64_t rows = a->x->from.limit;
    sparcl_status status = SPARCL_OK;
    int64_t u = 0;
    begin_slab(s);
    if (spec_is_by_table(a->h.optim.rule)) find_rate(a, s, rows, maximum);
    begin_slab(s);
    for (int64_t first = 0; first < rows && status == SPARCL_OK; first += maximum)
        status = compare_slab(ctx, a, s, first, rows - first < maximum ? rows - first : maximum, &u,
                              report);
    return status;
}

sparcl_status spec_step_check(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    const spec_step_operands *const x = call->state;
    const int64_t maximum = slab_rows(x->from.width);
    gradient g = {0};
    slab s = {0};
    answer a = {0};
    *report = (spec_report){.equal = true};
    const bool is_made = make_slab(&s, maximum * x->from.width) &&
                         sum_gradient(&g, x, call->input->matrix) && make_answer(&a, x, &g);
    const sparcl_status status =
        is_made ? compare_all(ctx, &a, &s, maximum, report) : SPARCL_E_MEMORY;
    free(a.r.all);
    drop_gradient(&g);
    drop_slab(&s);
    return status;
}
