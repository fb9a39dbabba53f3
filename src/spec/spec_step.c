/* spec_step.c: one step of an optimizer in plain C. Variant: the rule, + 4 for a dense gradient;
 * from SETTINGS on: 2 times a rule of a profile, + 1 for a dense gradient, with dials by the seed.
 * alpha: the learning rate; beta: the weight decay. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/rowset.h"
#include "spec/rule_answer.h"

static const int64_t widths[] = {1, 2, 3, 5, 8, 16, 17, 32, 64, 100, 128, 300};

/* Rows of the table, rows of the gradient; some have many rows of one index. */
static const int64_t sizes[][2] = {{0, 0},   {4, 0},   {1, 1},    {9, 20},   {300, 200},
                                   {2, 150}, {3, 300}, {3, 1000}, {900, 700}};

/* The learning rate of sparcl_optim_init. */
static double default_lr(int rule) {
    sparcl_optim o;
    sparcl_optim_init(&o, (sparcl_rule)rule);
    return o.lr;
}

/* Gradients with duplicate rows, most of them for Adagrad, which has only two kinds in get_case. */
#define MORE 36

static bool get_more(int i, spec_case *c) {
    static const spec_kind kinds[] = {SPEC_DUPLICATE, SPEC_ONE_COL, SPEC_UNIFORM, SPEC_RAGGED};
    static const int rules[] = {SPARCL_RULE_ADAGRAD, SPARCL_RULE_SGD,     SPARCL_RULE_ADAGRAD,
                                SPARCL_RULE_ADAM,    SPARCL_RULE_ADAGRAD, SPARCL_RULE_MOMENTUM};
    *c = (spec_case){.kind = kinds[i % 4],
                     .rows = 2 + i * 7 % 23,
                     .nnz = 150 + i * 37 % 400,
                     .n = 1 + i * 5 % 40,
                     .dtype = i % 7 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .index_type = i % 5 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .alpha = default_lr(rules[i % 6]),
                     .beta = i % 3 ? 0 : 0.25,
                     .seed = (uint64_t)i + 3001,
                     .variant = rules[i % 6]};
    return true;
}

/* The rules of all profiles; the last is a pair that does not exist. */
#define SETTINGS 8
#define PAIRS    (SPARCL_RULES * SPARCL_PROFILES)

static bool has_rule(int pair) {
    sparcl_optim o;
    const sparcl_rule rule = (sparcl_rule)(pair / SPARCL_PROFILES);
    return sparcl_optim_profile(&o, rule, (sparcl_rule_profile)(pair % SPARCL_PROFILES)) ==
           SPARCL_OK;
}

static int count_pairs(void) {
    int count = 0;
    for (int pair = 0; pair < PAIRS; ++pair)
        count += has_rule(pair);
    return count;
}

static int nth_pair(int n) {
    int pair = 0;
    while (!has_rule(pair) || n-- > 0)
        ++pair;
    return pair;
}

/* Each pair with each setting of the dials. */
#define DIALS 16

static bool get_setting(int i, spec_case *c) {
    static const spec_kind kinds[] = {SPEC_DUPLICATE, SPEC_DIAGONAL, SPEC_UNIFORM, SPEC_RAGGED};
    const int pairs = count_pairs();
    if (i >= pairs * DIALS) return false;
    const bool is_dense = i / pairs % 5 == 4;
    *c = (spec_case){.kind = kinds[(i / pairs + i) % 4],
                     .rows = 20 + i * 7 % 23,
                     .nnz = 15 + i * 37 % 90,
                     .n = 1 + i * 5 % 37,
                     .dtype = i % 7 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .index_type =
                         i < pairs && i % 5 == 2 ? SPARCL_I64 : SPARCL_I32, /* programs take long */
                     .alpha = 0.01 * (1 + i % 9),
                     .beta = i / pairs % 2 ? 0.25 : 0,
                     .seed = (uint64_t)(i / pairs) + 16 * (uint64_t)i,
                     .variant = SETTINGS + 2 * nth_pair(i % pairs) + is_dense};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 2 : 0);
    const int n_widths = (int)(sizeof widths / sizeof widths[0]);
    const int k = i / 8;
    if (k >= n_sizes * n_widths) {
        const int more = i - 8 * n_sizes * n_widths;
        return more < MORE ? get_more(more, c) : get_setting(more - MORE, c);
    }
    const double lr[] = {default_lr(i % 4), 0.1, -0.5};
    static const double l2[] = {0, 0.25, 0, 1e-3, 0};
    *c = (spec_case){.kind = (spec_kind)((k + i) % SPEC_KINDS),
                     .rows = sizes[k / n_widths][0],
                     .nnz = sizes[k / n_widths][1],
                     .n = widths[k % n_widths],
                     .dtype = i % 5 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .index_type = i % 3 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .alpha = lr[i % 3],
                     .beta = l2[(k + i) % 5],
                     .seed = (uint64_t)i + 1,
                     .variant = i % 8};
    return true;
}

/* Each bit of the number of the dials turns one or more. */
static void turn_dials(sparcl_optim *o, int dials) {
    const bool has_momentum = o->rule == SPARCL_RULE_MOMENTUM;
    const bool is_mxnet_rmsprop =
        o->rule == SPARCL_RULE_RMSPROP && o->profile == SPARCL_PROFILE_MXNET;
    if (o->momentum == 0) o->momentum = 0.5; /* else a state would only repeat the step */
    if (dials & 1) o->decay = (sparcl_decay)(dials / 2 % 3);
    if (dials & 2) o->moves = dials & 8 ? SPARCL_MOVES_ALL : SPARCL_MOVES_PRESENT;
    if (dials & 4) {
        o->rescale = 0.5;
        o->clip_value = 0.3;
        o->nesterov = has_momentum;
        o->dampening = has_momentum ? 0.25 : 0;
        o->lr_decay = 0.125;
        if (o->rule == SPARCL_RULE_ROWWISE_ADAGRAD) o->max_norm = 1.5;
        o->beta1 = 0.75;
        o->beta2 = 0.9;
        o->rho = 0.75;
        o->l1 = o->rule == SPARCL_RULE_ADAGRAD_DA ? 1e-5 : 0.02; /* it is for a mean over steps */
        o->l2 = 0.03;
        o->l2_shrinkage = 0.01;
        o->beta = 0.5;
        o->lr_power = -0.6;
        if (is_mxnet_rmsprop) o->clip_weights = 0.5;
    }
    if (dials & 8) {
        o->epsilon_place = (sparcl_epsilon)(dials % 3);
        o->epsilon = 1e-3;
        o->duplicates = dials & 1 ? SPARCL_DUPLICATES_MEAN : SPARCL_DUPLICATES_SUM;
        o->no_bias_correction = dials & 1;
        o->multiply_linear_by_lr = 1;
    }
}

static sparcl_rule rule_of(const spec_case *c) {
    return (sparcl_rule)(c->variant < SETTINGS ? c->variant % 4
                                               : (c->variant - SETTINGS) / 2 / SPARCL_PROFILES);
}

static bool is_dense(const spec_case *c) {
    return c->variant < SETTINGS ? c->variant >= 4 : c->variant % 2;
}

static sparcl_optim optim_of(const spec_case *c) {
    sparcl_optim o;
    const int pair = (c->variant - SETTINGS) / 2;
    const sparcl_rule_profile profile = (sparcl_rule_profile)(pair % SPARCL_PROFILES);
    sparcl_optim_init(&o, rule_of(c));
    if (c->variant >= SETTINGS && sparcl_optim_profile(&o, rule_of(c), profile) == SPARCL_OK) {
        turn_dials(&o, (int)(c->seed % DIALS));
    }
    o.lr = c->alpha;
    o.weight_decay = c->beta;
    if (c->variant < SETTINGS && c->seed % 4 == 0) {
        o.momentum = 0.5;
        o.epsilon = 1e-3;
    }
    o.step = (int64_t)(c->seed % 1000) + 1;
    return o;
}

#define TABLES (1 + SPARCL_MAX_STATES)

/* The table and the states, [rows, ld] each. */
typedef struct tables {
    double *x[TABLES];
} tables;

typedef struct arrays {
    spec_rowset from, sum; /* from: after clip_stored */
    double *given;         /* the values of `from` before it */
    double *g_truth, *g_bound;
    tables start, order, truth, bound, got;
} arrays;

static void drop_tables(tables *t) {
    for (int s = 0; s < TABLES; ++s)
        free(t->x[s]);
}

static void drop(arrays *x) {
    spec_rowset_free(&x->from);
    free(x->given);
    spec_rowset_free(&x->sum);
    free(x->g_truth);
    free(x->g_bound);
    drop_tables(&x->start);
    drop_tables(&x->order);
    drop_tables(&x->truth);
    drop_tables(&x->bound);
    drop_tables(&x->got);
}

/* Seeds divisible by 4 have no gaps between rows; gaps must stay unchanged. */
static int64_t ld_of(const spec_case *c) {
    return c->n + (c->seed % 4 ? 3 : 0);
}

/* Whether a state is never negative. */
static bool is_square_of(sparcl_rule rule, int s) {
    switch (rule) {
    case SPARCL_RULE_ADAGRAD:
    case SPARCL_RULE_RMSPROP:
    case SPARCL_RULE_RMSPROP_MOMENTUM:
    case SPARCL_RULE_RMSPROP_CENTERED:
    case SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM:
    case SPARCL_RULE_FTRL:
    case SPARCL_RULE_PROXIMAL_ADAGRAD:
    case SPARCL_RULE_ADAGRAD_DA:
        return s == 1;
    case SPARCL_RULE_ADADELTA:
        return s >= 1;
    default:
        return s >= 2;
    }
}

/* Whether table t is a state with a number for each row. */
static bool is_list(const spec_case *c, int t) {
    return sparcl_rule_state_is_row(rule_of(c), t - 1);
}

/* Numbers of a table, with its gaps; and from which its row `row` begins. */
static int64_t count_of(const spec_case *c, int t) {
    return is_list(c, t) ? c->rows : c->rows * ld_of(c);
}

static int64_t row_at(const spec_case *c, int t, int64_t row) {
    return is_list(c, t) ? row : row * ld_of(c);
}

static bool make_tables(tables *t, const spec_case *c) {
    for (int s = 0; s < TABLES; ++s) {
        const int64_t count = count_of(c, s);
        t->x[s] = spec_numbers(count, c->seed + 7 * (uint64_t)s);
        if (!t->x[s]) return false;
        const bool is_square = is_list(c, s) || is_square_of(rule_of(c), s);
        for (int64_t i = 0; is_square && i < count; ++i)
            t->x[s][i] = fabs(t->x[s][i]);
    }
    /* A mean of squares is not less than the square of a mean. */
    const bool is_centered = rule_of(c) == SPARCL_RULE_RMSPROP_CENTERED ||
                             rule_of(c) == SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM;
    for (int64_t i = 0; is_centered && i < count_of(c, 1); ++i)
        t->x[1][i] = spec_round(c->dtype, t->x[1][i] + t->x[2][i] * t->x[2][i]);
    return true;
}

static bool clips_stored(const spec_case *c, const sparcl_optim *o) {
    return o->clip_stored && !is_dense(c);
}

static bool clip_stored(arrays *x, const spec_case *c) {
    const sparcl_optim o = optim_of(c);
    const int64_t count = x->from.capacity * c->n;
    const spec_num limit = num_of(c->dtype, o.clip_value);
    x->given = spec_numbers(count, 1);
    if (!x->given) return false;
    memcpy(x->given, x->from.values, (size_t)count * sizeof *x->given);
    for (int64_t i = 0; clips_stored(c, &o) && i < count; ++i)
        x->from.values[i] = num_clip(num_exact(c->dtype, x->given[i]), limit).order;
    return true;
}

static bool make(arrays *x, const spec_case *c) {
    if (!spec_rowset_make(&x->from, is_dense(c) ? SPEC_DIAGONAL : c->kind, c->rows,
                          is_dense(c) ? c->rows : c->nnz, c->n, c->seed))
        return false;
    if (!clip_stored(x, c)) return false;
    x->g_truth = spec_numbers(x->from.capacity * c->n, 0);
    x->g_bound = spec_numbers(x->from.capacity * c->n, 0);
    if (!x->g_truth || !x->g_bound || !make_tables(&x->start, c) || !make_tables(&x->order, c) ||
        !make_tables(&x->truth, c) || !make_tables(&x->bound, c) || !make_tables(&x->got, c))
        return false;
    for (int s = 0; s < TABLES; ++s)
        for (int64_t i = 0; i < count_of(c, s); ++i)
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

/* Numbers of a row: those of the table, of the states and of the gradient. */
typedef struct row_numbers {
    spec_num *all, *g;
    spec_row row;
} row_numbers;

static bool make_row(row_numbers *r, int64_t n) {
    r->all = malloc((size_t)(n + 1) * (1 + TABLES) * sizeof *r->all);
    r->g = r->all;
    r->row = (spec_row){.n = n, .w = r->all ? r->all + (n + 1) : NULL};
    for (int i = 0; r->all && i < SPARCL_MAX_STATES; ++i)
        r->row.s[i] = r->row.w + (1 + i) * (n + 1);
    return r->all;
}

static void step_row(arrays *x, const spec_case *c, const spec_hyper *h, int64_t row,
                     const row_numbers *r) {
    spec_num *const to[TABLES] = {r->row.w, r->row.s[0], r->row.s[1], r->row.s[2]};
    for (int t = 0; t < TABLES; ++t)
        for (int64_t j = 0; j < (is_list(c, t) ? 1 : c->n); ++j)
            to[t][j] = get(x, c, t, row_at(c, t, row) + j);
    spec_step_row(h, &r->row, r->g);
    for (int t = 0; t < TABLES; ++t)
        for (int64_t j = 0; j < (is_list(c, t) ? 1 : c->n); ++j)
            put(x, t, row_at(c, t, row) + j, to[t][j]);
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
}

/* A row that the gradient does not have: nothing, or a step with a gradient of 0, or a decay. */
static void step_absent(arrays *x, const spec_case *c, const spec_hyper *h, int64_t row,
                        const row_numbers *r) {
    const sparcl_optim *const o = &h->optim;
    spec_hyper absent = *h;
    for (int64_t j = 0; j < c->n; ++j)
        r->g[j] = num_exact(c->dtype, 0);
    if (o->moves == SPARCL_MOVES_ALL) {
        if (o->decay == SPARCL_DECAY_DECOUPLED) absent.optim.weight_decay = 0;
        step_row(x, c, &absent, row, r);
        return;
    }
    for (int64_t j = 0; o->decay == SPARCL_DECAY_GLOBAL && o->weight_decay != 0 && j < c->n; ++j) {
        const int64_t at = row * ld_of(c) + j;
        put(x, 0, at, spec_decayed(h, get(x, c, 0, at)));
    }
}

/* Rows of one id, each with a step of its own. */
static void step_separately(arrays *x, const spec_case *c, const spec_hyper *h, int64_t row,
                            const row_numbers *r) {
    for (int64_t k = 0; k < x->from.stored; ++k) {
        if (x->from.ids[k] != row) continue;
        for (int64_t j = 0; j < c->n; ++j)
            r->g[j] = num_exact(c->dtype, x->from.values[k * c->n + j]);
        step_row(x, c, h, row, r);
    }
}

static bool answer(arrays *x, const spec_case *c) {
    sparcl_optim o = optim_of(c);
    if (clips_stored(c, &o)) o.clip_value = (double)INFINITY;
    const spec_hyper h = spec_hyper_of(&o, c->dtype);
    row_numbers r;
    int64_t u = 0;
    if (!make_row(&r, c->n)) return false;
    for (int64_t row = 0; row < c->rows; ++row) {
        if (u < x->sum.stored && x->sum.ids[u] == row) {
            find_gradient(x, c, &o, u++, r.g);
            if (o.duplicates == SPARCL_DUPLICATES_SEPARATE)
                step_separately(x, c, &h, row, &r);
            else
                step_row(x, c, &h, row, &r);
        } else {
            step_absent(x, c, &h, row, &r);
        }
    }
    free(r.all);
    return true;
}

/* A step with the gradient as a dense array, with the table's leading dimension. */
static sparcl_status step_dense(sparcl_ctx *ctx, const spec_case *c, const sparcl_optim *o,
                                const sparcl_dense t[TABLES], const arrays *x) {
    sparcl_dense g = t[0];
    double *values = spec_numbers(c->rows * ld_of(c), 1);
    if (!values) return SPARCL_E_MEMORY;
    for (int64_t i = 0; i < c->rows; ++i)
        for (int64_t j = 0; j < c->n; ++j)
            values[i * ld_of(c) + j] = x->from.values[i * c->n + j];
    sparcl_status status = spec_put_reals(ctx, &g.values, values, c->rows * ld_of(c), c->dtype);
    if (status == SPARCL_OK) status = sparcl_step_dense(ctx, o, &t[0], &t[1], &g);
    sparcl_buf_free(g.values);
    free(values);
    return status;
}

static sparcl_status step_rows(sparcl_ctx *ctx, const spec_case *c, const sparcl_optim *o,
                               const sparcl_dense t[TABLES], const arrays *x) {
    sparcl_rows g = {0};
    spec_rowset given = x->from;
    given.values = x->given;
    sparcl_status status = spec_put_rows(ctx, &g, &given, c);
    if (status == SPARCL_OK) status = sparcl_step(ctx, o, &t[0], &t[1], &g);
    sparcl_rows_free(&g);
    return status;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *x) {
    const sparcl_optim o = optim_of(c);
    sparcl_dense t[TABLES] = {{0}};
    sparcl_status status = SPARCL_OK;
    for (int s = 0; s < TABLES && status == SPARCL_OK; ++s) {
        t[s] = (sparcl_dense){.dtype = c->dtype, .ld = ld_of(c)};
        t[s].rank = spec_shape(t[s].shape, c->rows, c->n, c->seed);
        if (is_list(c, s)) t[s].rank = 1, t[s].ld = 0;
        status = spec_put_reals(ctx, &t[s].values, x->start.x[s], count_of(c, s), c->dtype);
    }
    if (status == SPARCL_OK)
        status = is_dense(c) ? step_dense(ctx, c, &o, t, x) : step_rows(ctx, c, &o, t, x);
    for (int s = 0; s < TABLES; ++s) {
        if (status == SPARCL_OK)
            status = spec_get_reals(ctx, t[s].values, 0, count_of(c, s), c->dtype, x->got.x[s]);
        sparcl_buf_free(t[s].values);
    }
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    static const char *const names[] = {"table", "first state", "second state", "third state"};
    arrays x = {0};
    const double elements = (double)(is_dense(c) ? c->rows : c->nnz) * (double)c->n;
    const int states = sparcl_rule_states(rule_of(c));
    *report =
        (spec_report){.equal = true,
                      .flops = elements * (2 + 6 * states),
                      .bytes = elements * (3 + 2 * states) * (double)sparcl_dtype_size(c->dtype)};
    sparcl_status status = make(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) {
        status = answer(&x, c) ? run(ctx, c, &x) : SPARCL_E_MEMORY;
    }
    for (int s = 0; s < TABLES && status == SPARCL_OK; ++s)
        spec_compare(report, names[s], x.got.x[s], x.order.x[s], x.truth.x[s], x.bound.x[s],
                     count_of(c, s));
    drop(&x);
    return status;
}

const spec_op spec_step = {"step", get_case, check};
