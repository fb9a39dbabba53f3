/* test_lazy.c: what sparcl/optim.h says: training with row-sparse steps equals training with dense
 * ones. */
#include "op_test.h"
#include "sparcl/optim_text.h"

#define ROWS    1000
#define WIDTH   2
#define STEPS   2000
#define TOUCHED 12 /* rows of a step */
#define NUMBERS ((int64_t)ROWS * WIDTH)

/* An optimizer of the test of accuracy. */
typedef struct trial {
    const char *name;
    sparcl_rule rule;
    sparcl_preset preset;
    sparcl_epsilon place;
    double epsilon, size; /* of gradients */
    double decay;
    int changes, nesterov; /* the rate; Nesterov's form */
} trial;

static bool is_remade(sparcl_rule rule) {
    return rule == SPARCL_RULE_FTRL || rule == SPARCL_RULE_ADAGRAD_DA;
}

static sparcl_optim optim_of(const trial *t, int64_t step) {
    sparcl_optim o;
    if (sparcl_optim_preset(&o, t->rule, t->preset) != SPARCL_OK) fail_msg("no preset");
    o.duplicates = SPARCL_DUPLICATES_SUM;
    o.moves = SPARCL_MOVES_ALL;
    o.decay.kind = t->rule == SPARCL_RULE_SGD ? SPARCL_DECAY_COUPLED : SPARCL_DECAY_GLOBAL;
    o.lr = 0.01;
    if (t->changes) o.lr *= 0.5 + 0.5 * cos(3.14159265 * (double)step / STEPS) + 1e-3;
    if (sparcl_rule_uses(t->rule, "momentum")) o.momentum.factor = 0.9;
    o.momentum.nesterov = t->nesterov;
    o.epsilon = t->epsilon;
    if (t->rule != SPARCL_RULE_ADADELTA) o.epsilon_place = t->place;
    o.decay.weight = t->decay;
    o.step = step;
    return o;
}

/* Row k of a step: Zipf's distribution with exponent 1, so that gaps are from 1 to STEPS. */
static int64_t draw(uint64_t *seed) {
    const double u = 0.5 * (1 + spec_uniform(seed));
    const int64_t row = (int64_t)exp(u * log(ROWS + 1.0)) - 1;
    return row < ROWS ? row : ROWS - 1;
}

/* Rows of a step, sorted, each once. */
static int64_t draw_rows(uint64_t *seed, int64_t *ids) {
    int64_t n = 0;
    for (int i = 0; i < TOUCHED; ++i)
        ids[i] = draw(seed);
    spec_sort_ints(ids, TOUCHED);
    for (int i = 0; i < TOUCHED; ++i)
        if (n == 0 || ids[n - 1] != ids[i]) ids[n++] = ids[i];
    return n;
}

/* A weight and its states under the dense rule, in double. */
typedef struct element {
    double w, a, v, largest, mean;
} element;

/* RMSProp, with the mean and the momentum that its forms have, and Adadelta. */
static void step_faded(const sparcl_optim *o, double g, element *x) {
    const double rest = 1 - o->rmsprop.rho;
    x->v = o->rmsprop.rho * x->v + rest * g * g;
    if (o->rule == SPARCL_RULE_ADADELTA) {
        const double d = g * sqrt(x->a + o->epsilon) / sqrt(x->v + o->epsilon);
        x->a = o->rmsprop.rho * x->a + rest * d * d;
        x->w -= o->lr * d;
        return;
    }
    const bool is_centered =
        o->rule == SPARCL_RULE_RMSPROP_CENTERED || o->rule == SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM;
    const bool is_inside = o->epsilon_place == SPARCL_EPSILON_INSIDE;
    x->mean = o->rmsprop.rho * x->mean + rest * g;
    const double square = is_centered ? x->v - x->mean * x->mean : x->v;
    double move = is_inside ? g / sqrt(square + o->epsilon) : g / (sqrt(square) + o->epsilon);
    if (sparcl_rule_uses(o->rule, "momentum")) {
        const bool rate_inside = o->preset != SPARCL_PRESET_TORCH;
        x->a = o->momentum.factor * x->a + (rate_inside ? o->lr : 1) * move;
        x->w -= rate_inside ? x->a : o->lr * x->a;
    } else {
        x->w -= o->lr * move;
    }
}

/* NAdam as sparcl/optim.h has it; Keras has betas in float. */
typedef struct nadam {
    double beta1, beta2, of_m, of_g;
} nadam;

static double mu_of(const sparcl_optim *o, double beta1, double t) {
    return beta1 * (1 - 0.5 * pow(0.96, t * o->adam.momentum_decay));
}

static nadam nadam_of(const sparcl_optim *o) {
    nadam n = {.beta1 = o->adam.beta1, .beta2 = o->adam.beta2};
    if (o->preset == SPARCL_PRESET_KERAS3) {
        n.beta1 = 1 - (double)(1 - (float)o->adam.beta1);
        n.beta2 = 1 - (double)(1 - (float)o->adam.beta2);
    }
    const double t = (double)o->step, now = mu_of(o, n.beta1, t), after = mu_of(o, n.beta1, t + 1);
    double product = 1;
    for (int64_t k = 1; k <= o->step && product > 1e-20; ++k)
        product *= mu_of(o, n.beta1, (double)k);
    n.of_m = o->lr * after / (1 - product * after);
    n.of_g = o->lr * (1 - now) / (1 - product);
    return n;
}

static void step_nadam(const sparcl_optim *o, const nadam *n, double g, element *x) {
    x->w -= o->lr * o->decay.weight * x->w;
    x->a += (1 - n->beta1) * (g - x->a);
    x->v += (1 - n->beta2) * (g * g - x->v);
    const double root = sqrt(x->v / (1 - pow(n->beta2, (double)o->step))) + o->epsilon;
    x->w -= (n->of_m * x->a + n->of_g * g) / root;
}

/* FTRL and Adagrad with dual averages: a is the sum of squares, v the linear part. */
static void step_remade(const sparcl_optim *o, double g, element *x) {
    const double before = sqrt(x->a), after = sqrt(x->a + g * g), t = (double)o->step;
    x->a += g * g;
    if (o->rule == SPARCL_RULE_ADAGRAD_DA) {
        x->v += g;
        x->w = -copysign(fmax(fabs(x->v) / t - o->ftrl.l1, 0), x->v) /
               (o->ftrl.l2 + after / (t * o->lr));
        return;
    }
    x->v += g - (after - before) / o->lr * x->w;
    x->w = -copysign(fmax(fabs(x->v) - o->ftrl.l1, 0), x->v) /
           ((o->ftrl.beta + after) / o->lr + 2 * o->ftrl.l2);
}

/* A step as sparcl/optim.h has it; with EPSILON_CORRECTED epsilon is multiplied by the root of the
 * correction. */
static void step_element(const sparcl_optim *o, double rate, double epsilon, double g, element *x) {
    const double mu = o->momentum.factor, lr = o->lr;
    const bool is_inside = o->preset == SPARCL_PRESET_KERAS3;
    x->w -= lr * o->decay.weight * x->w;
    switch (o->rule) {
    case SPARCL_RULE_SGD:
        x->w -= lr * g;
        break;
    case SPARCL_RULE_MOMENTUM:
        x->a = mu * x->a + (is_inside ? -lr : 1) * g;
        if (is_inside) x->w += o->momentum.nesterov ? mu * x->a - lr * g : x->a;
        if (!is_inside) x->w -= lr * (o->momentum.nesterov ? g + mu * x->a : x->a);
        break;
    case SPARCL_RULE_ADAGRAD:
        x->a += g * g;
        x->w -= lr * g / (sqrt(x->a) + epsilon);
        break;
    case SPARCL_RULE_RMSPROP:
    case SPARCL_RULE_RMSPROP_MOMENTUM:
    case SPARCL_RULE_RMSPROP_CENTERED:
    case SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM:
    case SPARCL_RULE_ADADELTA:
        step_faded(o, g, x);
        break;
    default:
        x->a += (1 - o->adam.beta1) * (g - x->a);
        x->v += (1 - o->adam.beta2) * (g * g - x->v);
        x->largest = fmax(x->largest, x->v);
        x->w -= rate * x->a / (sqrt(o->rule == SPARCL_RULE_ADAM ? x->v : x->largest) + epsilon);
    }
}

static void step_truth(element *x, const sparcl_optim *o, const float *g) {
    const double t = (double)o->step, second = sqrt(1 - pow(o->adam.beta2, t));
    const bool is_corrected = o->epsilon_place == SPARCL_EPSILON_CORRECTED;
    const double rate = o->lr * second / (1 - pow(o->adam.beta1, t));
    const nadam n = nadam_of(o);
    for (int64_t i = 0; i < NUMBERS; ++i)
        if (o->rule == SPARCL_RULE_NADAM)
            step_nadam(o, &n, g[i], &x[i]);
        else if (is_remade(o->rule))
            step_remade(o, g[i], &x[i]);
        else
            step_element(o, rate, o->epsilon * (is_corrected ? second : 1), g[i], &x[i]);
}

/* The table of the library. */
typedef struct trained {
    sparcl_optim optim;
    sparcl_dense table, states[SPARCL_MAX_STATES];
} trained;

static trained make_trained(sparcl_ctx *ctx, const sparcl_optim *o, const float *w) {
    trained t = {.optim = *o, .table = {.rank = 2, .shape = {ROWS, WIDTH}}};
    t.table.values = put(ctx, w, NUMBERS * 4);
    assert_ok(ctx, sparcl_optim_create_states(ctx, o, &t.table, t.states));
    return t;
}

static void drop_trained(trained *t) {
    sparcl_lazy_free(t->optim.lazy.object);
    sparcl_dense_free(&t->table);
    for (int i = 0; i < SPARCL_MAX_STATES; ++i)
        sparcl_dense_free(&t->states[i]);
}

static sparcl_rows put_rows(sparcl_ctx *ctx, const int64_t *ids, int64_t n, const float *g) {
    return (sparcl_rows){.rank = 2,
                         .shape = {ROWS, WIDTH},
                         .nnr = n,
                         .indices = put_ints(ctx, ids, n, SPARCL_INDEX32),
                         .values = put(ctx, g, n * WIDTH * 4),
                         .proof.flags = SPARCL_TRUSTED | SPARCL_UNIQUE};
}

/* The largest error of a weight of `n` rows, relative where the weight is not small. */
static double error_of(sparcl_ctx *ctx, const trained *t, const element *truth, const int64_t *ids,
                       int64_t n) {
    float *w = bytes_of(ctx, t->table.values);
    double worst = 0;
    for (int64_t i = 0; i < n * WIDTH; ++i) {
        const int64_t at = (ids ? ids[i / WIDTH] : i / WIDTH) * WIDTH + i % WIDTH;
        const double off = fabs(w[at] - truth[at].w) / fmax(fabs(truth[at].w), 1e-3);
        worst = off <= worst ? worst : off;
    }
    free(w);
    return worst;
}

#define SERIES  SPARCL_PRESET_TORCH, SPARCL_EPSILON_CORRECTED, 1e-8
#define HAT     SPARCL_PRESET_TORCH, SPARCL_EPSILON_OUTSIDE, 1e-8
#define OUTSIDE SPARCL_PRESET_TORCH, SPARCL_EPSILON_OUTSIDE, 0
#define INSIDE  SPARCL_PRESET_KERAS3, SPARCL_EPSILON_OUTSIDE, 0

static const trial trials[] = {
    {"Adam", SPARCL_RULE_ADAM, HAT, 1e-2, 0, 0, 0},
    {"Adam, changing rate", SPARCL_RULE_ADAM, HAT, 1e-2, 0, 1, 0},
    {"Adam, small gradients", SPARCL_RULE_ADAM, HAT, 1e-6, 0, 1, 0},
    {"AdamW", SPARCL_RULE_ADAM, SERIES, 1e-2, 0.1, 0, 0},
    {"AdamW, changing rate", SPARCL_RULE_ADAM, SERIES, 1e-4, 0.1, 1, 0},
    {"AMSGrad", SPARCL_RULE_AMSGRAD, SERIES, 1e-2, 0, 0, 0},
    {"AMSGrad, decay, changing rate", SPARCL_RULE_AMSGRAD, SERIES, 1e-2, 0.1, 1, 0},
    {"momentum", SPARCL_RULE_MOMENTUM, OUTSIDE, 1e-1, 0, 0, 0},
    {"momentum, decay, changing rate", SPARCL_RULE_MOMENTUM, OUTSIDE, 1e-1, 0.1, 1, 0},
    {"Nesterov, decay, changing rate", SPARCL_RULE_MOMENTUM, OUTSIDE, 1e-1, 0.1, 1, 1},
    {"momentum, rate inside, decay", SPARCL_RULE_MOMENTUM, INSIDE, 1e-1, 0.1, 0, 0},
    {"Nesterov, rate inside, changing rate", SPARCL_RULE_MOMENTUM, INSIDE, 1e-1, 0.1, 1, 1},
    {"SGD, decay", SPARCL_RULE_SGD, OUTSIDE, 1e-1, 0.1, 0, 0},
    {"SGD, decay, changing rate", SPARCL_RULE_SGD, OUTSIDE, 1e-1, 0.1, 1, 0},
    {"Adagrad, decay, changing rate", SPARCL_RULE_ADAGRAD, SPARCL_PRESET_TORCH,
     SPARCL_EPSILON_OUTSIDE, 1e-10, 1e-2, 0.1, 1, 0},
    {"RMSProp", SPARCL_RULE_RMSPROP, HAT, 1e-2, 0, 0, 0},
    {"RMSProp, decay, changing rate", SPARCL_RULE_RMSPROP, HAT, 1e-2, 0.1, 1, 0},
    {"RMSProp with momentum", SPARCL_RULE_RMSPROP_MOMENTUM, HAT, 1e-2, 0, 0, 0},
    {"RMSProp with momentum, decay, changing rate", SPARCL_RULE_RMSPROP_MOMENTUM, HAT, 1e-2, 0.1, 1,
     0},
    {"the same, rate inside", SPARCL_RULE_RMSPROP_MOMENTUM, SPARCL_PRESET_KERAS3,
     SPARCL_EPSILON_INSIDE, 1e-7, 1e-2, 0.1, 1, 0},
    {"RMSProp, centered", SPARCL_RULE_RMSPROP_CENTERED, HAT, 1e-2, 0, 0, 0},
    {"RMSProp, centered, decay, changing rate", SPARCL_RULE_RMSPROP_CENTERED, HAT, 1e-2, 0.1, 1, 0},
    {"RMSProp, centered, with momentum", SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM, HAT, 1e-2, 0.1, 1,
     0},
    {"the same, of MXNet", SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM, SPARCL_PRESET_MXNET,
     SPARCL_EPSILON_INSIDE, 1e-8, 1e-2, 0, 1, 0},
    {"Adadelta", SPARCL_RULE_ADADELTA, SPARCL_PRESET_TORCH, SPARCL_EPSILON_INSIDE, 1e-6, 1e-2, 0, 0,
     0},
    {"Adadelta, decay, changing rate", SPARCL_RULE_ADADELTA, SPARCL_PRESET_TORCH,
     SPARCL_EPSILON_INSIDE, 1e-6, 1e-2, 0.1, 1, 0},
    {"FTRL, changing rate", SPARCL_RULE_FTRL, SPARCL_PRESET_TF1, SPARCL_EPSILON_OUTSIDE, 0, 1e-2, 0,
     1, 0},
    {"FTRL of MXNet, changing rate", SPARCL_RULE_FTRL, SPARCL_PRESET_MXNET, SPARCL_EPSILON_OUTSIDE,
     0, 1e-1, 0, 1, 0},
    {"Adagrad with dual averages", SPARCL_RULE_ADAGRAD_DA, SPARCL_PRESET_TF1,
     SPARCL_EPSILON_OUTSIDE, 0, 1e-2, 0, 0, 0},
    {"NAdam", SPARCL_RULE_NADAM, HAT, 1e-2, 0, 0, 0},
    {"NAdam, decay, changing rate", SPARCL_RULE_NADAM, HAT, 1e-2, 0.1, 1, 0},
    {"NAdam, small gradients", SPARCL_RULE_NADAM, HAT, 1e-6, 0, 1, 0},
    {"NAdam of Keras, decay", SPARCL_RULE_NADAM, SPARCL_PRESET_KERAS3, SPARCL_EPSILON_OUTSIDE, 1e-7,
     1e-2, 0.1, 0, 0},
    {"NAdam of MXNet, changing rate", SPARCL_RULE_NADAM, SPARCL_PRESET_MXNET,
     SPARCL_EPSILON_OUTSIDE, 1e-8, 1e-2, 0, 1, 0},
};

/* Trained lazily, and by the dense rule in F32 and in double. */
typedef struct training {
    const trial *trial;
    sparcl_ctx *ctx;
    trained lazy, narrow;
    element *truth;
    double ours, theirs; /* the largest errors so far */
} training;

static training open_training(sparcl_ctx *ctx, const trial *t, uint64_t seed) {
    const sparcl_optim first = optim_of(t, 1);
    float *w = make_floats(NUMBERS, seed);
    training x = {.trial = t,
                  .ctx = ctx,
                  .lazy = make_trained(ctx, &first, w),
                  .narrow = make_trained(ctx, &first, w),
                  .truth = must_have(calloc((size_t)NUMBERS, sizeof(element)))};
    assert_ok(ctx, sparcl_lazy_create(ctx, &x.lazy.optim.lazy.object, &first, &x.lazy.table, 0));
    for (int64_t i = 0; i < NUMBERS; ++i)
        x.truth[i] =
            (element){.w = w[i], .a = is_remade(t->rule) ? first.adagrad.initial_accumulator : 0};
    free(w);
    return x;
}

static void close_training(training *x) {
    drop_trained(&x->lazy);
    drop_trained(&x->narrow);
    free(x->truth);
}

/* The settings of a step, with the object of before. */
static void set_step(trained *t, const trial *of, int64_t step) {
    sparcl_lazy *const lazy = t->optim.lazy.object;
    t->optim = optim_of(of, step);
    t->optim.lazy.object = lazy;
}

/* Rows are read, as by a forward pass. */
static void read_rows(training *x, const int64_t *ids, int64_t n) {
    trained *const t = &x->lazy;
    const float unused[TOUCHED * WIDTH] = {0};
    sparcl_rows rows = put_rows(x->ctx, ids ? ids : (const int64_t[]){0}, ids ? n : 1, unused);
    assert_ok(x->ctx, sparcl_catch_up(x->ctx, &t->optim, &t->table, t->states, ids ? &rows : NULL));
    x->ours = fmax(x->ours, error_of(x->ctx, t, x->truth, ids, n));
    x->theirs = fmax(x->theirs, error_of(x->ctx, &x->narrow, x->truth, ids, n));
    sparcl_rows_free(&rows);
}

/* The same step three times; g is 0 before and after it. */
static void take_step(training *x, const int64_t *ids, int64_t n, uint64_t *seed, float *g) {
    float packed[TOUCHED * WIDTH];
    trained *const a = &x->lazy, *const b = &x->narrow;
    for (int64_t i = 0; i < n * WIDTH; ++i) {
        packed[i] = (float)(x->trial->size * spec_uniform(seed));
        g[ids[i / WIDTH] * WIDTH + i % WIDTH] = packed[i];
    }
    sparcl_rows rows = put_rows(x->ctx, ids, n, packed);
    sparcl_dense all = {.rank = 2, .shape = {ROWS, WIDTH}, .values = put(x->ctx, g, NUMBERS * 4)};
    assert_ok(x->ctx, sparcl_step(x->ctx, &a->optim, &a->table, a->states, &rows));
    assert_ok(x->ctx, sparcl_step_dense(x->ctx, &b->optim, &b->table, b->states, &all));
    step_truth(x->truth, &b->optim, g);
    sparcl_rows_free(&rows);
    sparcl_dense_free(&all);
    for (int64_t i = 0; i < n * WIDTH; ++i)
        g[ids[i / WIDTH] * WIDTH + i % WIDTH] = 0;
}

static void train(sparcl_ctx *ctx, const trial *t, uint64_t seed) {
    training x = open_training(ctx, t, seed);
    float *g = must_have(calloc((size_t)NUMBERS, sizeof *g));
    int64_t ids[TOUCHED];
    for (int64_t step = 1; step <= STEPS; ++step) {
        set_step(&x.lazy, t, step);
        set_step(&x.narrow, t, step);
        if (step % 100 == 0) read_rows(&x, ids, draw_rows(&seed, ids));
        take_step(&x, ids, draw_rows(&seed, ids), &seed, g);
    }
    x.lazy.optim.step = STEPS + 1;
    read_rows(&x, NULL, ROWS);
    print_message("%-44s largest error %.1e, of the dense rule in F32 %.1e\n", t->name, x.ours,
                  x.theirs);
    assert_true(x.ours <= x.theirs);
    close_training(&x);
    free(g);
}

static void errors_are_at_most_those_of_the_dense_rule(void **state) {
    for (size_t k = 0; k < COUNT(trials); ++k)
        if (test_is_chosen((int)k, test_every(), 0)) train(*state, &trials[k], 11 + k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_at_most_those_of_the_dense_rule),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
