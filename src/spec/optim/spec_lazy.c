/* spec_lazy.c: the catch-ups of exact lazy optimizers, in plain C. Variant: 0 to 3: the form of
 * cl/missed.cl; + 4 for epsilon so large that some elements are replayed, or Nesterov's form; 8 to
 * 11: forms 4 to 7; + 4: of another preset; 16 to 19: NAdam of PyTorch, Keras and MXNet, and with
 * a large epsilon; 20 to 23: FTRL of MXNet, TensorFlow and Keras, Adagrad with dual averages;
 * alpha: the learning rate; beta: weight_decay, decoupled; nnz: rows of a catch-up; the seed
 * chooses the number of steps. */
#include <string.h>

#include "sparcl/optim_text.h"
#include "spec/optim/lazy_answer.h"
#include "spec/shared/harness_sparse.h"

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

/* --- the case --------------------------------------------------------------------------------- */

typedef struct state {
    spec_case c;
    spec_rowset catching_up; /* the rows of a catch-up between two steps */
    int64_t *last;
    spec_answer want[TABLES];
    spec_lazy_history history;
    sparcl_rows rows, none;
    sparcl_dense view[TABLES];
    sparcl_lazy *lazy;
} state;

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

/* A third of the steps before the rows of the case catch up, then the others; after all steps all
 * rows. */
static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    const int64_t count = c->rows * ld_of(c);
    const sparcl_optim first = optim_of(c, 1);
    s->c = *c;
    s->catching_up = spec_rowset_drawn(t, c->rows, c->nnz, 1, c->seed);
    s->rows = spec_row_sparse(t, &s->catching_up);
    s->rows.rank = 2;
    s->rows.shape[1] = 0;
    for (int i = 0; i < TABLES; ++i) {
        double *const x = spec_own(t, spec_numbers(count, c->seed + (uint64_t)i));
        for (int64_t k = 0; k < count; ++k)
            x[k] = start_of(c, i, x[k], k);
        s->want[i] = spec_answer_over(t, x, count);
        s->view[i] = spec_table(t, c->rows, c->n, ld_of(c), x);
    }
    s->none = (sparcl_rows){
        .rank = s->view[0].rank, .dtype = c->dtype, .proof.flags = SPARCL_TRUSTED | SPARCL_UNIQUE};
    memcpy(s->none.shape, s->view[0].shape, sizeof s->none.shape);
    s->lazy = spec_lazy_object(t, &first, &s->view[0]);
    t->calls = (int)last_step(c) + 1;
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    const state *const s = made;
    const int64_t step = number + 1, last = last_step(&s->c);
    sparcl_optim o = optim_of(&s->c, step);
    sparcl_status status = SPARCL_OK;
    o.lazy.object = s->lazy;
    if (step == (last + 2) / 3 + 1)
        status = sparcl_catch_up(ctx, &o, &s->view[0], &s->view[1], &s->rows);
    if (status != SPARCL_OK) return status;
    return step > last ? sparcl_catch_up(ctx, &o, &s->view[0], &s->view[1], NULL)
                       : sparcl_step(ctx, &o, &s->view[0], &s->view[1], &s->none);
}

/* --- the answer ------------------------------------------------------------------------------- */

static void answer_row(state *s, int64_t row) {
    const spec_lazy_history *const h = &s->history;
    const int64_t from = s->last[row], begin = row * ld_of(&s->c);
    if (from >= h->done) return;
    s->last[row] = h->done;
    for (int64_t at = begin; at < begin + s->c.n; ++at) {
        double order[TABLES], truth[TABLES], bound[TABLES];
        for (int i = 0; i < TABLES; ++i) {
            order[i] = s->want[i].order[at];
            truth[i] = s->want[i].truth[at];
            bound[i] = s->want[i].bound[at];
        }
        spec_lazy_order(h, from, order);
        spec_lazy_truth(h, from, truth, bound);
        for (int i = 0; i < TABLES; ++i) {
            s->want[i].order[at] = order[i];
            s->want[i].truth[at] = truth[i];
            s->want[i].bound[at] = bound[i];
        }
    }
}

static void expect(spec_test *t) {
    static const char *const names[TABLES] = {"table", "first state", "second state",
                                              "third state"};
    state *const s = t->state;
    const int64_t last = last_step(&s->c);
    s->last = spec_int64s(t, s->c.rows);
    s->history = (spec_lazy_history){.dtype = s->c.dtype, .mantissa = 1};
    s->history.at = spec_memory(t, last + 1, sizeof *s->history.at);
    s->history.at[0].mantissa = 1;
    for (int64_t step = 1; step <= last; ++step) {
        const sparcl_optim o = optim_of(&s->c, step);
        if (step == 1) spec_lazy_begin(&s->history, &o);
        spec_lazy_take_step(&s->history, &o);
        if (step != (last + 2) / 3) continue;
        for (int64_t k = 0; k < s->catching_up.stored; ++k)
            answer_row(s, s->catching_up.ids[k]);
    }
    for (int64_t row = 0; row < s->c.rows; ++row)
        answer_row(s, row);
    for (int i = 0; i < TABLES; ++i)
        spec_expect_answer(t, names[i], &s->view[i], &s->want[i]);
}

const spec_op spec_lazy = {.name = "lazy",
                           .get_case = get_case,
                           .state_size = sizeof(state),
                           .make = make,
                           .call = call,
                           .expect = expect};
