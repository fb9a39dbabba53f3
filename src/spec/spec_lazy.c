/* spec_lazy.c: the tables and the catch-ups of exact lazy optimizers, in plain C. Variant: the form
 * of cl/lazy.cl, + 4 for epsilon so large that some elements are replayed; alpha: the learning
 * rate; beta: weight_decay, decoupled; nnz: rows of a catch-up; the seed chooses the number of
 * steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/rowset.h"

#define TABLES 4 /* weights and at most three states */
#define TERMS  4

static const int64_t widths[] = {1, 2, 3, 5, 8, 17, 33, 64};
static const int64_t sizes[][2] = {{4, 3}, {20, 9}, {0, 0}, {60, 40}, {300, 200}};
static const int64_t steps[] = {3, 12, 1, 40, 260};

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 2 : 0);
    const int n_widths = (int)(sizeof widths / sizeof widths[0]) - (small ? 4 : 0);
    const int n_steps = (int)(sizeof steps / sizeof steps[0]) - (small ? 2 : 0);
    static const double lr[] = {0.01, 0.001, 0.1}, decay[] = {0, 0.1, 0, 2};
    const int k = i / 8;
    if (k >= n_sizes * n_widths) return false;
    *c = (spec_case){.kind = i % 3 == 0 ? SPEC_UNIFORM : SPEC_DIAGONAL,
                     .rows = sizes[k / n_widths][0],
                     .nnz = sizes[k / n_widths][1],
                     .n = widths[k % n_widths],
                     .dtype = i % 5 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .index_type = i % 3 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .alpha = lr[k % 3],
                     .beta = decay[(k + i) % 4],
                     .seed = (uint64_t)(i + 1) * 8 + (uint64_t)(i % n_steps),
                     .variant = i % 8};
    if (c->variant % 4 == 0 && c->beta == 0) c->beta = 0.5; /* else nothing would happen */
    return true;
}

static int64_t last_step(const spec_case *c) {
    return steps[c->seed % 8];
}

static int form_of(const spec_case *c) {
    return c->variant % 4;
}

static sparcl_optim optim_of(const spec_case *c, int64_t step) {
    static const sparcl_rule rules[] = {SPARCL_RULE_SGD, SPARCL_RULE_MOMENTUM, SPARCL_RULE_ADAM,
                                        SPARCL_RULE_AMSGRAD};
    sparcl_optim o;
    sparcl_optim_init(&o, rules[form_of(c)]);
    o.lr = c->alpha / (1 + 0.125 * (double)(step % 5));
    o.momentum = form_of(c) == 1 ? 0.9 : 0;
    o.nesterov = form_of(c) == 1 && c->variant >= 4;
    if (form_of(c) >= 2) {
        o.epsilon_place = c->variant >= 4 ? SPARCL_EPSILON_OUTSIDE : SPARCL_EPSILON_CORRECTED;
        o.epsilon = c->variant >= 4 ? 0.003 : 1e-5;
    }
    o.weight_decay = c->beta;
    o.decay = SPARCL_DECAY_DECOUPLED;
    o.step = step;
    return o;
}

/* --- the steps so far, rounded as the tables of cl/lazy.cl -------------------------------------
 */

typedef struct pair {
    double high, low;
} pair;

typedef struct record {
    double rate, epsilon, share; /* rounded */
    double exact_rate, exact_epsilon, exact_share;
    double mantissa, rest; /* of the product of 1 - share: both rounded */
    int exponent;
    pair sums[TERMS];
} record;

typedef struct history {
    sparcl_dtype dtype;
    record *at; /* step 0 first */
    double ratio[TERMS], first, second, root, unit, largest_epsilon, limit;
    int64_t window, done;
    double mantissa;
    int exponent;
} history;

static double power(double x, int64_t n) {
    double result = 1;
    for (; n > 0; n /= 2, x *= x)
        if (n % 2) result *= x;
    return result;
}

static int64_t steps_until(double ratio, int bits) {
    return (int64_t)ceil(-bits * log(2) / log(ratio));
}

static void find_series(history *h, const sparcl_optim *o, int form) {
    const int bits = h->dtype == SPARCL_F64 ? 60 : 30;
    h->first = h->second = h->root = h->unit = h->limit = 1;
    if (form == 0) return;
    h->first = form == 1 ? o->momentum : o->beta1;
    h->ratio[0] = h->first;
    h->window = steps_until(h->first, bits);
    if (form == 1) return;
    h->unit = o->epsilon;
    h->second = o->beta2;
    h->root = form == 2 ? sqrt(o->beta2) : 1;
    for (int q = 0; q < TERMS; ++q)
        h->ratio[q] = (q ? h->ratio[q - 1] : h->first) / h->root;
    h->window = steps_until(h->ratio[TERMS - 1], bits);
    h->limit = (h->dtype == SPARCL_F64 ? ldexp(1, -13) : ldexp(1, -7)) *
               pow(h->root, (double)steps_until(h->ratio[0], bits));
}

static record begin_record(history *h, const sparcl_optim *o, int form) {
    const double second = sqrt(1 - power(o->beta2, o->step));
    const double lr = o->lr;
    record r = {.exact_share = lr * o->weight_decay};
    if (form == 1) r.exact_rate = lr * (o->nesterov ? o->momentum : 1);
    if (form >= 2) {
        const bool corrected = o->epsilon_place == SPARCL_EPSILON_CORRECTED;
        const double first = 1 - power(o->beta1, o->step);
        r.exact_rate = corrected ? lr / first * second : lr * second / first;
        r.exact_epsilon = corrected ? o->epsilon * second : o->epsilon;
    }
    r.rate = spec_round(h->dtype, r.exact_rate);
    r.epsilon = spec_round(h->dtype, r.exact_epsilon);
    r.share = spec_round(h->dtype, r.exact_share);
    return r;
}

#define R(x) spec_round(dtype, x)

static pair add(sparcl_dtype dtype, pair p, double x) {
    const double sum = R(p.high + x), part = R(sum - p.high);
    const double off = R(R(p.high - R(sum - part)) + R(x - part));
    return (pair){sum, R(p.low + off)};
}

/* A sum of one step more. */
static pair moved_sum(sparcl_dtype dtype, pair p, double share, double power_of_ratio,
                      double term) {
    const double lost = R(share * p.high);
    p.low = R(p.low - R(share * p.low));
    p = add(dtype, p, R(R(power_of_ratio) * R(term)));
    p = add(dtype, p, -lost);
    const double sum = R(p.high + p.low);
    return (pair){sum, R(p.low - R(sum - p.high))};
}

static void take_step(history *h, const sparcl_optim *o, int form) {
    record r = begin_record(h, o, form);
    const int64_t t = ++h->done;
    int exponent;
    h->mantissa = frexp(h->mantissa * (1 - r.exact_share), &exponent);
    h->exponent += exponent;
    h->largest_epsilon = fmax(h->largest_epsilon, r.exact_epsilon);
    r.mantissa = spec_round(h->dtype, h->mantissa);
    r.exponent = h->exponent;
    r.rest = spec_round(h->dtype, h->mantissa - r.mantissa);
    h->at[t] = r;
    for (int64_t d = 1; d <= h->window && d <= t; ++d) {
        double term = r.exact_rate;
        for (int q = 0; q < TERMS; ++q, term *= r.exact_epsilon / h->unit)
            h->at[t - d].sums[q] =
                moved_sum(h->dtype, h->at[t - d].sums[q], r.share, power(h->ratio[q], d), term);
    }
}

/* --- a row that catches up ---------------------------------------------------------------------
 */

static double kept(const history *h, int64_t to, int64_t from) {
    const int exponent = h->at[to].exponent - h->at[from].exponent;
    const int least = h->dtype == SPARCL_F64 ? -1000 : -100;
    return ldexp(spec_round(h->dtype, h->at[to].mantissa / h->at[from].mantissa),
                 exponent > least ? exponent : least);
}

/* A weight after the decay: what it loses, or keeps where that is less. */
static double decayed(const history *h, int64_t from, double w) {
    const sparcl_dtype dtype = h->dtype;
    const record *const a = &h->at[from], *const b = &h->at[h->done];
    const int exponent = b->exponent - a->exponent;
    const int least = dtype == SPARCL_F64 ? -1000 : -100;
    const int e = exponent > least ? exponent : least;
    const double high = R(a->mantissa - ldexp(b->mantissa, e));
    const double lost = R(R(high + R(a->rest - ldexp(b->rest, e))) / a->mantissa);
    if (lost > 0 && lost <= 0.5) return R(w - R(w * lost));
    return R(w * kept(h, h->done, from));
}

static double replay(const history *h, int64_t from, double mean, double root) {
    const sparcl_dtype dtype = h->dtype;
    const int64_t missed = h->done - from, n = missed < h->window ? missed : h->window;
    double moved = 0;
    for (int64_t d = 1; d <= n; ++d) {
        const record *const r = &h->at[from + d];
        moved = R(moved - R(r->share * moved));
        const double below = R(R(root * R(power(h->root, d))) + r->epsilon);
        moved = R(moved + R(R(r->rate * R(mean * R(power(h->first, d)))) / below));
    }
    return missed > n ? R(moved * kept(h, h->done, from + n)) : moved;
}

static double series(const history *h, int64_t from, double mean, double root) {
    const sparcl_dtype dtype = h->dtype;
    const double settled = h->done - from > h->window ? kept(h, h->done, from + h->window) : 1;
    const double small = R(R(h->unit) / root);
    double s[TERMS];
    for (int q = 0; q < TERMS; ++q)
        s[q] = R(h->at[from].sums[q].high * settled);
    const double tail = R(s[1] - R(small * R(s[2] - R(small * s[3]))));
    return R(R(mean / root) * R(s[0] - R(small * tail)));
}

static double movement(const history *h, int64_t from, double mean, double square) {
    const sparcl_dtype dtype = h->dtype;
    const double root = R(sqrt(square));
    if (mean == 0) return 0;
    if (R(h->largest_epsilon) > R(R(h->limit) * root)) return replay(h, from, mean, root);
    return series(h, from, mean, root);
}

static void catch_up_order(const history *h, int form, int64_t from, double *x) {
    const sparcl_dtype dtype = h->dtype;
    const int64_t missed = h->done - from;
    const double w = decayed(h, from, x[0]);
    const int64_t window = h->window;
    if (form == 0) x[0] = w;
    if (form == 1) {
        const double settled = missed > window ? kept(h, h->done, from + window) : 1;
        x[0] = R(w - R(x[1] * R(h->at[from].sums[0].high * settled)));
    }
    if (form >= 2) x[0] = R(w - movement(h, from, x[1], x[form]));
    if (form >= 1) x[1] = R(x[1] * R(power(h->first, missed)));
    if (form >= 2) x[2] = R(x[2] * R(power(h->second, missed)));
}

/* The steps one by one, in double; the bound is relative to the parts that are added. */
static void catch_up_truth(const history *h, int form, int64_t from, double *x, double *bound) {
    const double u = spec_unit(h->dtype), root = form >= 2 ? sqrt(x[form]) : 1;
    double mean = form ? x[1] : 0, below = root, moved = 0, all = 0;
    for (int64_t t = from + 1; t <= h->done; ++t) {
        const record *const r = &h->at[t];
        mean *= h->first;
        below *= form == 2 ? h->root : 1;
        bound[0] *= 1 - r->exact_share;
        x[0] *= 1 - r->exact_share;
        moved *= 1 - r->exact_share;
        const double move =
            mean == 0 ? 0 : r->exact_rate * mean / ((form >= 2 ? below : 1) + r->exact_epsilon);
        x[0] -= move;
        moved += fabs(move);
        all += fabs(move);
    }
    /* Of the weight four roundings; of the movement those of the sums, the root and the quotients,
     * or one for each step that is replayed, and what the series leaves out; of the movement
     * without a decay what comes after the window; and of the truth those of its own steps. */
    const double least = spec_smallest(h->dtype), missed = (double)(h->done - from);
    bound[0] += 4 * missed * spec_unit(SPARCL_F64) * (fabs(x[0]) + moved);
    bound[0] += 4.01 * u * (fabs(x[0]) + moved) + 8 * least;
    if (form >= 1)
        bound[0] += u * moved + ((form >= 2 ? 60 : 12) * u) * moved +
                    ldexp(all, h->dtype == SPARCL_F64 ? -59 : -29);
    if (form >= 2) bound[0] += ldexp(moved, h->dtype == SPARCL_F64 ? -48 : -26);
    for (int s = 1; s <= 2 && s <= form; ++s) {
        const double factor = power(s == 1 ? h->first : h->second, h->done - from);
        x[s] *= factor;
        bound[s] = bound[s] * factor + 3 * u * fabs(x[s]) + 8 * least;
    }
}

/* --- the case ----------------------------------------------------------------------------------
 */

typedef struct arrays {
    spec_rowset rows;
    int64_t *last;
    double *start[TABLES], *order[TABLES], *truth[TABLES], *bound[TABLES];
    history history;
} arrays;

static void drop(arrays *x) {
    spec_rowset_free(&x->rows);
    free(x->last);
    free(x->history.at);
    for (int s = 0; s < TABLES; ++s) {
        free(x->start[s]);
        free(x->order[s]);
        free(x->truth[s]);
        free(x->bound[s]);
    }
}

static int64_t ld_of(const spec_case *c) {
    return c->n + 3;
}

/* A few elements that have never moved; squares of the size that the means suggest. */
static double start_of(const spec_case *c, int table, double x, int64_t i) {
    if (table > 0 && i % 11 == 0) return 0;
    if (table >= 2) x = (0.25 + x * x) * (i % 3 == 0 ? 1e-2 : 1);
    return spec_round(c->dtype, x);
}

static bool make(arrays *x, const spec_case *c) {
    const int64_t count = c->rows * ld_of(c);
    x->last = calloc((size_t)c->rows + 1, sizeof *x->last);
    x->history.at = calloc((size_t)last_step(c) + 2, sizeof *x->history.at);
    if (!x->last || !x->history.at ||
        !spec_rowset_make(&x->rows, c->kind, c->rows, c->nnz, 1, c->seed))
        return false;
    for (int s = 0; s < TABLES; ++s) {
        x->start[s] = spec_numbers(count, c->seed + (uint64_t)s);
        x->order[s] = spec_numbers(count, c->seed);
        x->truth[s] = spec_numbers(count, c->seed);
        x->bound[s] = calloc((size_t)count + 1, sizeof(double));
        if (!x->start[s] || !x->order[s] || !x->truth[s] || !x->bound[s]) return false;
        for (int64_t i = 0; i < count; ++i)
            x->start[s][i] = x->order[s][i] = x->truth[s][i] = start_of(c, s, x->start[s][i], i);
    }
    x->history.dtype = c->dtype;
    x->history.mantissa = x->history.at[0].mantissa = 1;
    return true;
}

static void answer_row(arrays *x, const spec_case *c, int64_t row) {
    const history *const h = &x->history;
    const int64_t from = x->last[row];
    if (from >= h->done) return;
    x->last[row] = h->done;
    for (int64_t at = row * ld_of(c); at < row * ld_of(c) + c->n; ++at) {
        double order[TABLES], truth[TABLES], bound[TABLES];
        for (int s = 0; s < TABLES; ++s) {
            order[s] = x->order[s][at];
            truth[s] = x->truth[s][at];
            bound[s] = x->bound[s][at];
        }
        catch_up_order(h, form_of(c), from, order);
        catch_up_truth(h, form_of(c), from, truth, bound);
        for (int s = 0; s < TABLES; ++s) {
            x->order[s][at] = order[s];
            x->truth[s][at] = truth[s];
            x->bound[s][at] = bound[s];
        }
    }
}

/* A third of the steps before the rows of the case catch up, then the others. */
static void answer(arrays *x, const spec_case *c) {
    for (int64_t t = 1; t <= last_step(c); ++t) {
        const sparcl_optim o = optim_of(c, t);
        if (t == 1) find_series(&x->history, &o, form_of(c));
        take_step(&x->history, &o, form_of(c));
        if (t != (last_step(c) + 2) / 3) continue;
        for (int64_t k = 0; k < x->rows.stored; ++k)
            answer_row(x, c, x->rows.ids[k]);
    }
    for (int64_t row = 0; row < c->rows; ++row)
        answer_row(x, c, row);
}

static sparcl_status train(sparcl_ctx *ctx, const spec_case *c, const sparcl_dense *t,
                           const sparcl_rows *rows, sparcl_lazy *lazy) {
    sparcl_rows none = {
        .rank = t->rank, .dtype = t->dtype, .proof.flags = SPARCL_TRUSTED | SPARCL_UNIQUE};
    memcpy(none.shape, t->shape, sizeof none.shape);
    sparcl_status status = SPARCL_OK;
    for (int64_t step = 1; status == SPARCL_OK && step <= last_step(c) + 1; ++step) {
        sparcl_optim o = optim_of(c, step);
        o.lazy = lazy;
        if (step == (last_step(c) + 2) / 3 + 1) status = sparcl_catch_up(ctx, &o, t, t + 1, rows);
        if (status == SPARCL_OK)
            status = step > last_step(c) ? sparcl_catch_up(ctx, &o, t, t + 1, NULL)
                                         : sparcl_step(ctx, &o, t, t + 1, &none);
    }
    return status;
}

/* Results overwrite start. */
static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *x) {
    const int64_t count = c->rows * ld_of(c);
    const sparcl_optim o = optim_of(c, 1);
    sparcl_rows rows = {0};
    sparcl_dense t[TABLES] = {{0}};
    sparcl_lazy *lazy = NULL;
    sparcl_status status = spec_put_rows(ctx, &rows, &x->rows, c);
    rows.rank = 2;
    rows.shape[1] = 0;
    for (int s = 0; s < TABLES && status == SPARCL_OK; ++s) {
        t[s] = (sparcl_dense){.dtype = c->dtype, .ld = ld_of(c)};
        t[s].rank = spec_shape(t[s].shape, c->rows, c->n, c->seed);
        status = spec_put_reals(ctx, &t[s].values, x->start[s], count, c->dtype);
    }
    if (status == SPARCL_OK) status = sparcl_lazy_create(ctx, &lazy, &o, &t[0], 0);
    if (status == SPARCL_OK) status = train(ctx, c, t, &rows, lazy);
    for (int s = 0; s < TABLES; ++s) {
        if (status == SPARCL_OK)
            status = spec_get_reals(ctx, t[s].values, 0, count, c->dtype, x->start[s]);
        sparcl_buf_free(t[s].values);
    }
    sparcl_lazy_free(lazy);
    sparcl_rows_free(&rows);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    static const char *const names[TABLES] = {"table", "first state", "second state",
                                              "third state"};
    arrays x = {0};
    const int tables = form_of(c) == 3 ? 4 : form_of(c) + 1;
    const double elements = (double)(c->rows * c->n);
    *report = (spec_report){.equal = true,
                            .flops = elements * 12,
                            .bytes = elements * 2 * tables * (double)sparcl_dtype_size(c->dtype)};
    sparcl_status status = make(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) {
        answer(&x, c);
        status = run(ctx, c, &x);
    }
    for (int s = 0; status == SPARCL_OK && s < TABLES; ++s)
        spec_compare(report, names[s], x.start[s], x.order[s], x.truth[s], x.bound[s],
                     c->rows * ld_of(c));
    drop(&x);
    return status;
}

const spec_op spec_lazy = {"lazy", get_case, check};
