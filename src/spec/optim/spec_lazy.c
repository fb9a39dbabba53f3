/* spec_lazy.c: the catch-ups of exact lazy optimizers, in plain C. Variant: 0 to 3: the form of
 * cl/missed.cl; + 4 for epsilon so large that some elements are replayed, or Nesterov's form; 8 to
 * 11: forms 4 to 7; + 4: of another preset; 16 to 19: NAdam of PyTorch, Keras and MXNet, and with
 * a large epsilon; 20 to 23: FTRL of MXNet, TensorFlow and Keras, Adagrad with dual averages;
 * alpha: the learning rate; beta: weight_decay, decoupled; nnz: rows of a catch-up; the seed
 * chooses the number of steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sparcl/optim_text.h"
#include "spec/optim/lazy_answer.h"
#include "spec/shared/rowset.h"

#define TABLES SPEC_LAZY_TABLES

static const int64_t widths[] = {1, 2, 3, 5, 8, 17, 33, 64};
static const int64_t sizes[][2] = {{4, 3}, {20, 9}, {0, 0}, {60, 40}, {300, 200}};
static const int64_t steps[] = {3, 12, 1, 40, 260};

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 2 : 0);
    const int n_widths = (int)(sizeof widths / sizeof widths[0]) - (small ? 4 : 0);
    const int n_steps = (int)(sizeof steps / sizeof steps[0]) - (small ? 2 : 0);
    static const double lr[] = {0.01, 0.001, 0.1}, decay[] = {0, 0.1, 0, 2};
    const int count = 8 * n_sizes * n_widths, later = i - 2 * count;
    const int k = later < 0 ? i % count / 8 : later % (count / 2) / 4;
    if (later >= count) return false;
    *c = (spec_case){.kind = i % 3 == 0 ? SPEC_UNIFORM : SPEC_DIAGONAL,
                     .rows = sizes[k / n_widths][0],
                     .nnz = sizes[k / n_widths][1],
                     .n = widths[k % n_widths],
                     .dtype = i % 5 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .index_type = i % 3 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .alpha = lr[k % 3],
                     .beta = decay[(k + i) % 4],
                     .seed = (uint64_t)(i + 1) * 8 + (uint64_t)(i % n_steps),
                     .variant = later < 0 ? i % 8 + (i < count ? 0 : 8)
                                          : (later < count / 2 ? 16 : 20) + later % 4};
    if (c->variant % 4 == 0 && c->beta == 0) c->beta = 0.5; /* else nothing would happen */
    return true;
}

static int64_t last_step(const spec_case *c) {
    return steps[c->seed % 8];
}

static int form_of(const spec_case *c) {
    if (c->variant >= 16) return c->variant < 20 ? 2 : 8;
    return c->variant % 4 + (c->variant >= 8 ? 4 : 0);
}

/* RMSProp and its forms: the preset decides where the rate is; one of them is Adadelta. */
static sparcl_optim faded_of(const spec_case *c) {
    static const sparcl_rule rules[2][4] = {
        {SPARCL_RULE_RMSPROP, SPARCL_RULE_RMSPROP_MOMENTUM, SPARCL_RULE_ADADELTA,
         SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM},
        {SPARCL_RULE_RMSPROP, SPARCL_RULE_RMSPROP_MOMENTUM, SPARCL_RULE_RMSPROP_CENTERED,
         SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM}};
    const bool is_other = c->variant >= 12;
    const int form = form_of(c);
    sparcl_optim o;
    sparcl_optim_init(&o, rules[is_other][form - 4]);
    if (is_other) o.preset = form == 7 ? SPARCL_PRESET_MXNET : SPARCL_PRESET_KERAS3;
    o.momentum.factor = 0.8;
    o.rmsprop.rho = 0.99;
    return o;
}

static sparcl_optim nadam_of(const spec_case *c) {
    static const sparcl_preset presets[] = {SPARCL_PRESET_TORCH, SPARCL_PRESET_KERAS3,
                                            SPARCL_PRESET_MXNET, SPARCL_PRESET_TORCH};
    sparcl_optim o;
    sparcl_optim_init(&o, SPARCL_RULE_NADAM);
    o.preset = presets[c->variant % 4];
    if (o.preset == SPARCL_PRESET_KERAS3) o.adam.momentum_decay = 1;
    o.epsilon = c->variant % 4 == 3 ? 0.003 : 1e-5;
    return o;
}

/* FTRL: MXNet's has a divisor of its own, TensorFlow's here z times the rate, Keras's another power
 * than the root. */
static sparcl_optim remade_of(const spec_case *c) {
    static const sparcl_preset presets[] = {SPARCL_PRESET_MXNET, SPARCL_PRESET_TF1,
                                            SPARCL_PRESET_KERAS3, SPARCL_PRESET_TF1};
    sparcl_optim o;
    sparcl_optim_init(&o, c->variant == 23 ? SPARCL_RULE_ADAGRAD_DA : SPARCL_RULE_FTRL);
    o.preset = presets[c->variant % 4];
    o.ftrl.l1 = c->variant == 23 ? 1e-4 : 0.01;
    o.ftrl.l2 = 0.1; /* a divisor that is not 0 */
    o.ftrl.beta = 0.5;
    o.ftrl.multiply_linear_by_lr = c->variant == 21;
    if (c->variant == 22) o.ftrl.lr_power = -0.6;
    return o;
}

static sparcl_optim optim_of(const spec_case *c, int64_t step) {
    static const sparcl_rule rules[] = {SPARCL_RULE_SGD, SPARCL_RULE_MOMENTUM, SPARCL_RULE_ADAM,
                                        SPARCL_RULE_AMSGRAD};
    sparcl_optim o;
    if (c->variant >= 16)
        o = (c->variant < 20 ? nadam_of : remade_of)(c);
    else if (form_of(c) < 4)
        sparcl_optim_init(&o, rules[form_of(c)]);
    else
        o = faded_of(c);
    o.lr = c->alpha / (1 + 0.125 * (double)(step % 5));
    if (form_of(c) == 1) o.momentum.factor = 0.9;
    o.momentum.nesterov = form_of(c) == 1 && c->variant >= 4;
    if (c->variant < 8 && form_of(c) >= 2) {
        o.epsilon_place = c->variant >= 4 ? SPARCL_EPSILON_OUTSIDE : SPARCL_EPSILON_CORRECTED;
        o.epsilon = c->variant >= 4 ? 0.003 : 1e-5;
    }
    o.decay.weight = c->beta;
    o.decay.kind = SPARCL_DECAY_DECOUPLED;
    o.step = step;
    return o;
}

/* --- the case ----------------------------------------------------------------------------------
 */

typedef struct arrays {
    spec_rowset rows;
    int64_t *last;
    double *start[TABLES], *order[TABLES], *truth[TABLES], *bound[TABLES];
    spec_lazy_history history;
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
    const bool is_square = form_of(c) == 8 ? table == 1 : table >= 2;
    if (table > 0 && i % 11 == 0) return 0;
    if (is_square) x = (0.25 + x * x) * (i % 3 == 0 ? 1e-2 : 1);
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
    const spec_lazy_history *const h = &x->history;
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
        spec_lazy_order(h, from, order);
        spec_lazy_truth(h, from, truth, bound);
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
        if (t == 1) spec_lazy_begin(&x->history, &o);
        spec_lazy_take_step(&x->history, &o);
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
        o.lazy.object = lazy;
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
        status = spec_put_dense(ctx, &t[s], x->start[s], count);
    }
    if (status == SPARCL_OK) status = sparcl_lazy_create(ctx, &lazy, &o, &t[0], 0);
    if (status == SPARCL_OK) status = train(ctx, c, t, &rows, lazy);
    for (int s = 0; s < TABLES; ++s) {
        if (status == SPARCL_OK)
            status = spec_get_reals(ctx, t[s].values, t[s].values_at, count, c->dtype, x->start[s]);
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
    static const int states[] = {0, 1, 2, 3, 1, 2, 2, 3, 2};
    const int tables = 1 + states[form_of(c)];
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

const spec_op spec_lazy = {.name = "lazy", .get_case = get_case, .check = check};
