/* step_case.c: the cases of spec_step.c. Variant: the rule, + 4 for a dense gradient; from SETTINGS
 * on: 2 times a rule of a preset, + 1 for a dense gradient, with hyper-parameters by the seed;
 * from HALVES on the same with states of 16 bits. alpha: the learning rate; beta: the weight decay.
 */
#include "spec/optim/step_case.h"

#include <math.h>

#include "sparcl/optim_text.h"
#include "spec/optim/half_states.h"

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

/* Gradients with duplicate rows, most of them for Adagrad, which has only two kinds in
 * spec_step_case. */
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
                     .index_type = i % 5 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .alpha = default_lr(rules[i % 6]),
                     .beta = i % 3 ? 0 : 0.25,
                     .seed = (uint64_t)i + 3001,
                     .variant = rules[i % 6]};
    return true;
}

/* The rules of all presets; the last is a pair that does not exist. */
#define SETTINGS 8
#define PAIRS    (SPARCL_RULES * SPARCL_PRESETS)
#define HALVES   (SETTINGS + 2 * PAIRS)

static bool has_rule(int pair) {
    sparcl_optim o;
    const sparcl_rule rule = (sparcl_rule)(pair / SPARCL_PRESETS);
    return sparcl_optim_preset(&o, rule, (sparcl_preset)(pair % SPARCL_PRESETS)) == SPARCL_OK;
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

/* Each pair with each variant of the hyper-parameters. */
#define VARIANTS 16

static bool get_setting(int i, spec_case *c) {
    static const spec_kind kinds[] = {SPEC_DUPLICATE, SPEC_DIAGONAL, SPEC_UNIFORM, SPEC_RAGGED};
    const int pairs = count_pairs();
    if (i >= pairs * VARIANTS) return false;
    const bool is_dense = i / pairs % 5 == 4;
    *c =
        (spec_case){.kind = kinds[(i / pairs + i) % 4],
                    .rows = 20 + i * 7 % 23,
                    .nnz = 15 + i * 37 % 90,
                    .n = 1 + i * 5 % 37,
                    .dtype = i % 7 == 3 ? SPARCL_F64 : SPARCL_F32,
                    .index_type = i < pairs && i % 5 == 2 ? SPARCL_INDEX64
                                                          : SPARCL_INDEX32, /* programs take long */
                    .alpha = 0.01 * (1 + i % 9),
                    .beta = i / pairs % 2 ? 0.25 : 0,
                    .seed = (uint64_t)(i / pairs) + 16 * (uint64_t)i,
                    .variant = SETTINGS + 2 * nth_pair(i % pairs) + is_dense};
    return true;
}

/* States of 16 bits: a case of each pair, and of rules of many widths. */
static bool get_halves(int i, spec_case *c) {
    const int pairs = count_pairs(), n_widths = (int)(sizeof widths / sizeof widths[0]);
    if (i >= pairs + 2 * n_widths) return false;
    get_setting(i, c);
    c->dtype = SPARCL_F32;
    c->index_type = SPARCL_INDEX32;
    c->variant += HALVES - SETTINGS;
    if (i >= pairs) {
        c->n = widths[(i - pairs) / 2];
        c->variant =
            HALVES + 2 * (SPARCL_PRESETS * SPARCL_RULE_AMSGRAD + SPARCL_PRESET_TORCH) + i % 2;
    }
    return true;
}

bool spec_step_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 2 : 0);
    const int n_widths = (int)(sizeof widths / sizeof widths[0]);
    const int k = i / 8;
    if (k >= n_sizes * n_widths) {
        const int more = i - 8 * n_sizes * n_widths;
        if (more < MORE) return get_more(more, c);
        return get_setting(more - MORE, c) || get_halves(more - MORE - VARIANTS * count_pairs(), c);
    }
    const double lr[] = {default_lr(i % 4), 0.1, -0.5};
    static const double l2[] = {0, 0.25, 0, 1e-3, 0};
    *c = (spec_case){.kind = (spec_kind)((k + i) % SPEC_KINDS),
                     .rows = sizes[k / n_widths][0],
                     .nnz = sizes[k / n_widths][1],
                     .n = widths[k % n_widths],
                     .dtype = i % 5 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .index_type = i % 3 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .alpha = lr[i % 3],
                     .beta = l2[(k + i) % 5],
                     .seed = (uint64_t)i + 1,
                     .variant = i % 8};
    return true;
}

/* DUPLICATES_SQUARES, where the rule has it. */
static void try_squares(sparcl_optim *o) {
    const sparcl_optim_duplicates before = o->duplicates;
    o->duplicates = SPARCL_DUPLICATES_SQUARES;
    if (sparcl_optim_check(o, NULL) != SPARCL_OK) o->duplicates = before;
}

/* The variant of a case without states of 16 bits. */
static int plain_variant(const spec_case *c) {
    return c->variant < HALVES ? c->variant : c->variant - HALVES + SETTINGS;
}

/* Each mode with several decays, early, and with a largest counter that a step finds. */
static void vary_counter(sparcl_optim *o, int variant) {
    o->counter.mode = (sparcl_counter_mode)(variant % 6);
    o->counter.halflife = variant % 5 == 0 ? 0 : 7.5;
    if (variant % 6 >= SPARCL_COUNTER_ADAGRADW && variant > 9) o->counter.halflife = -1;
    o->counter.adjustment_iter = variant % 7 == 3 ? 1000 : variant % 3 * 50;
    o->counter.adjustment_ub = variant & 8 ? 0.75 : 1;
    o->counter.tail_id_is_ratio = variant % 4 == 3;
    o->counter.tail_id_threshold = o->counter.tail_id_is_ratio ? 0.375 : 2;
    o->counter.max = variant & 4 ? 6 : 0;
    o->counter.weight_norm_coefficient = 0.1;
    o->trust.lower_bound = 0.01;
    if (o->counter.mode == SPARCL_COUNTER_ADAGRADW && o->decay.kind == SPARCL_DECAY_COUPLED)
        o->decay.kind = SPARCL_DECAY_DECOUPLED;
}

/* Each bit of the variant changes one or more hyper-parameters. */
static void vary_hyper(sparcl_optim *o, int variant) {
    const bool has_momentum = o->rule == SPARCL_RULE_MOMENTUM;
    const bool is_mxnet_rmsprop =
        o->rule == SPARCL_RULE_RMSPROP && o->preset == SPARCL_PRESET_MXNET;
    const bool decays_inside = o->rule == SPARCL_RULE_ADAM || o->rule == SPARCL_RULE_AMSGRAD ||
                               o->rule == SPARCL_RULE_ADAGRAD ||
                               o->rule == SPARCL_RULE_ROWWISE_ADAM ||
                               o->rule == SPARCL_RULE_ADAM_ROW_STEPS ||
                               o->rule == SPARCL_RULE_ROWWISE_LAMB || o->rule == SPARCL_RULE_LAMB;
    const bool has_own_form =
        o->rule == SPARCL_RULE_LARS && variant % 5 == 0; /* without momentum */
    if (o->momentum.factor == 0 && !has_own_form)
        o->momentum.factor = 0.5; /* else a state would only repeat the step */
    if (variant & 1) o->decay.kind = (sparcl_decay)(variant / 2 % 3);
    if (decays_inside && (variant == 7 || variant == 11)) o->decay.kind = SPARCL_DECAY_INSIDE;
    o->adagrad.frozen = variant == 5 || variant == 12;
    if (variant & 2) o->moves = variant & 8 ? SPARCL_MOVES_ALL : SPARCL_MOVES_PRESENT;
    if (variant & 4) {
        o->rescale = 0.5;
        o->clip.value = 0.3;
        o->momentum.nesterov = has_momentum;
        o->momentum.dampening = has_momentum ? 0.25 : 0;
        o->adagrad.lr_decay = 0.125;
        if (sparcl_rule_uses(o->rule, "max_norm")) o->max_norm = 1.5;
        o->adam.beta1 = 0.75;
        o->adam.beta2 = 0.9;
        o->rmsprop.rho = 0.75;
        o->adam.momentum_decay = 0.01;
        o->decay.signum = 0.1;
        o->eta = 0.9;
        o->ftrl.l1 =
            o->rule == SPARCL_RULE_ADAGRAD_DA ? 1e-5 : 0.02; /* it is for a mean over steps */
        o->ftrl.l2 = 0.03;
        o->ftrl.l2_shrinkage = 0.01;
        o->ftrl.beta = 0.5;
        o->ftrl.lr_power = -0.6;
        if (is_mxnet_rmsprop) o->clip.weights = 0.5;
    }
    if (o->rule == SPARCL_RULE_ROWWISE_ADAGRAD_COUNTER) vary_counter(o, variant);
    if (variant & 8) {
        o->rmsprop.ar_alpha = 0.01;
        o->trust.lower_bound = 0.5;
        o->trust.upper_bound = 1;
        o->momentum.last_lr = 0.02;
        o->epsilon_place = (sparcl_epsilon)(variant % 3);
        o->epsilon = 1e-3;
        o->duplicates = variant & 1 ? SPARCL_DUPLICATES_MEAN : SPARCL_DUPLICATES_SUM;
        o->adam.no_bias_correction = variant & 1;
        o->ftrl.multiply_linear_by_lr = 1;
    }
    /* 9: also of dense gradients */
    if (variant == 6 || variant == 9 || variant == 13) o->clip.norm = 1;
    if (variant == 3 || variant == 9 || variant == 13) o->clip.row_norm = 0.75;
    if (variant == 4 || variant == 14) try_squares(o);
}

static sparcl_rule rule_of(const spec_case *c) {
    const int variant = plain_variant(c);
    return (sparcl_rule)(variant < SETTINGS ? variant % 4
                                            : (variant - SETTINGS) / 2 / SPARCL_PRESETS);
}

bool spec_step_is_dense(const spec_case *c) {
    return c->variant < SETTINGS ? c->variant >= 4 : plain_variant(c) % 2;
}

sparcl_optim spec_step_optim(const spec_case *c) {
    sparcl_optim o;
    const int pair = (plain_variant(c) - SETTINGS) / 2;
    const sparcl_preset preset = (sparcl_preset)(pair % SPARCL_PRESETS);
    sparcl_optim_init(&o, rule_of(c));
    if (c->variant >= SETTINGS && sparcl_optim_preset(&o, rule_of(c), preset) == SPARCL_OK) {
        vary_hyper(&o, (int)(c->seed % VARIANTS));
    }
    o.lr = fabs(c->alpha); /* sweeps have negative ones */
    o.decay.weight = c->beta;
    if (c->variant < SETTINGS && c->seed % 4 == 0) {
        o.momentum.factor = 0.5;
        o.epsilon = 1e-3;
    }
    o.step = (int64_t)(c->seed % 1000) + 1;
    if (c->variant >= HALVES) {
        o.states.type = c->seed % 32 < 16 ? SPARCL_STATES_BF16 : SPARCL_STATES_F16;
        o.states.rounding =
            c->seed % 96 < 32 ? SPARCL_ROUNDING_NEAREST : SPARCL_ROUNDING_STOCHASTIC;
        o.states.seed = c->seed;
    }
    return o;
}

/* Seeds divisible by 4 have no gaps between rows; gaps must stay unchanged. */
int64_t spec_step_ld(const spec_case *c) {
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
    case SPARCL_RULE_YOGI:
        return s == 1;
    case SPARCL_RULE_ADADELTA:
        return s >= 1;
    default:
        return s >= 2;
    }
}

sparcl_dtype spec_step_type(const spec_step_state *s, int t) {
    return t == 0 ? s->dtype : spec_state_dtype(&s->optim, t - 1, s->dtype);
}

bool spec_step_is_list(const spec_step_state *s, int t) {
    return sparcl_rule_state_is_row(s->optim.rule, t - 1);
}

int64_t spec_step_stride(const spec_step_state *s, int t) {
    return spec_step_is_list(s, t) ? 1 : s->ld;
}

/* The numbers of a step, of most rows a few before this one, and a counter. */
static void start_counter(spec_step_state *s) {
    for (int64_t i = 0; i < s->rows; ++i) {
        const double step = (double)s->optim.step, x = fabs(s->start[2][i]);
        s->start[2][i] = i % 4 == 0 ? floor(x * step) : fmax(0, step - 1 - floor(8 * x));
        s->start[3][i] = spec_round(s->dtype, 8 * s->start[3][i]);
    }
}

void spec_step_start(spec_test *t, spec_step_state *s) {
    const sparcl_rule rule = s->optim.rule;
    double **const x = s->start;
    for (int i = 0; i < SPEC_TABLES; ++i) {
        const int64_t count = s->rows * spec_step_stride(s, i);
        x[i] = spec_own(t, spec_numbers(count, t->c->seed + 7 * (uint64_t)i));
        const bool is_square = spec_step_is_list(s, i) || is_square_of(rule, i);
        for (int64_t k = 0; is_square && k < count; ++k)
            x[i][k] = fabs(x[i][k]);
    }
    /* A mean of squares is not less than the square of a mean. */
    const bool is_centered =
        rule == SPARCL_RULE_RMSPROP_CENTERED || rule == SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM;
    for (int64_t k = 0; is_centered && k < s->rows * s->ld; ++k)
        x[1][k] = spec_round(s->dtype, x[1][k] + x[2][k] * x[2][k]);
    if (rule == SPARCL_RULE_ROWWISE_ADAGRAD_COUNTER) start_counter(s);
    /* A number of steps. */
    for (int64_t i = 0; rule == SPARCL_RULE_ADAM_ROW_STEPS && i < s->rows; ++i)
        x[3][i] = floor(x[3][i] * (double)(i % 3 ? 12 : 3000));
    /* Adamax divides by it. */
    for (int64_t k = 0; rule == SPARCL_RULE_ADAMAX && k < s->rows * s->ld; ++k)
        x[2][k] = spec_round(s->dtype, x[2][k] + 0.5);
    for (int i = 1; i < SPEC_TABLES; ++i)
        for (int64_t k = 0; k < s->rows * spec_step_stride(s, i); ++k)
            x[i][k] = spec_store(spec_step_type(s, i), x[i][k]);
}
