/* test_golden.c: the optimizers of other systems, as they computed (tests/golden): each step from
 * the arrays that the system had before it. How near we must come is in the table of
 * tests/golden/README.md: as near as its own formula with every operation rounded by itself. */
#include <dirent.h>

#include "golden.h"

/* An optimizer of a system: our rule and profile, and its names for our states. */
typedef struct source {
    const char *optimizer;
    sparcl_rule rule;
    sparcl_rule_profile profile;
    const char *states[SPARCL_MAX_STATES];
    void (*adjust)(const golden *g, sparcl_optim *o);
} source;

static void torch_adam(const golden *g, sparcl_optim *o) {
    (void)g;
    o->epsilon_place = SPARCL_EPSILON_CORRECTED;
}

static void torch_adamw(const golden *g, sparcl_optim *o) {
    torch_adam(g, o);
    o->decay = SPARCL_DECAY_DECOUPLED;
}

static void addons_adamw(const golden *g, sparcl_optim *o) {
    (void)g;
    o->moves = SPARCL_MOVES_ALL;
    o->decay = SPARCL_DECAY_DECOUPLED;
}

/* The raw operations take the rows as they come. */
static void tf_separate(const golden *g, sparcl_optim *o) {
    (void)g;
    o->duplicates = SPARCL_DUPLICATES_SEPARATE;
}

static void tf_adagrad_v2(const golden *g, sparcl_optim *o) {
    tf_separate(g, o);
    o->profile = SPARCL_PROFILE_KERAS3; /* lr g is divided */
    o->epsilon_place = SPARCL_EPSILON_OUTSIDE;
}

static void tf_keras_momentum(const golden *g, sparcl_optim *o) {
    (void)g;
    o->moves = SPARCL_MOVES_PRESENT;
}

/* The optimizers of MXNet hand clip_gradient over where it is not 0, its operators clip at 0. */
static void mxnet_clip(const golden *g, sparcl_optim *o) {
    (void)g;
    if (o->clip_value == 0) o->clip_value = (double)INFINITY;
}

/* FBGEMM reads the decay of neither on a CPU. */
static void fbgemm(const golden *g, sparcl_optim *o) {
    (void)g;
    o->weight_decay = 0;
}

/* Without momentum SGDW has no decay. */
static void addons_sgdw(const golden *g, sparcl_optim *o) {
    (void)g;
    if (o->rule == SPARCL_RULE_SGD) o->weight_decay = 0;
}

/* MXNet's Adadelta does not use its rate. */
static void mxnet_no_rate(const golden *g, sparcl_optim *o) {
    (void)g;
    (void)o;
}

static void mxnet_operator(const golden *g, sparcl_optim *o) {
    o->epsilon = golden_number(g, "epsilon", 1e-7);
}

static void mxnet_lazy(const golden *g, sparcl_optim *o) {
    const char *const lazy = golden_setting(g, "lazy_update");
    if (lazy && strcmp(lazy, "false") == 0) o->moves = SPARCL_MOVES_ALL;
    if (strstr(g->optimizer, ".optimizer.")) mxnet_clip(g, o);
}

#define SGD       SPARCL_RULE_SGD
#define MOMENTUM  SPARCL_RULE_MOMENTUM
#define ADAGRAD   SPARCL_RULE_ADAGRAD
#define ADAM      SPARCL_RULE_ADAM
#define RMSPROP   SPARCL_RULE_RMSPROP
#define RMSPROP_M SPARCL_RULE_RMSPROP_MOMENTUM
#define RMSPROP_C SPARCL_RULE_RMSPROP_CENTERED
#define RMSPROP_B SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM
#define ADADELTA  SPARCL_RULE_ADADELTA
#define FTRL      SPARCL_RULE_FTRL
#define PROXIMAL  SPARCL_RULE_PROXIMAL_SGD
#define PROX_ADA  SPARCL_RULE_PROXIMAL_ADAGRAD
#define AVERAGES  SPARCL_RULE_ADAGRAD_DA
#define SQUARES   "gradient_squared_accumulator"
#define ROWWISE   SPARCL_RULE_ROWWISE_ADAGRAD
#define TORCH     SPARCL_PROFILE_TORCH
#define MXNET     SPARCL_PROFILE_MXNET
#define TF1       SPARCL_PROFILE_TF1
#define KERAS     SPARCL_PROFILE_KERAS3
#define ADDONS    SPARCL_PROFILE_ADDONS
#define DGL       SPARCL_PROFILE_DGL
#define FBGEMM    SPARCL_PROFILE_FBGEMM
#define TF_RAW    "tf.raw_ops.ResourceSparseApply"
#define TF_TRAIN  "tf.compat.v1.train."
#define KERAS_OF  "keras.optimizers."
#define OF_ADDONS "tensorflow_addons.optimizers."

/* Momentum is SGD with a state, AMSGrad is Adam with three. */
static const source sources[] = {
    {"torch.optim.SparseAdam", ADAM, TORCH, {"exp_avg", "exp_avg_sq"}, NULL},
    {"torch.optim.Adam", ADAM, TORCH, {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"}, torch_adam},
    {"torch.optim.AdamW", ADAM, TORCH, {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"}, torch_adamw},
    {"torch.optim.SGD", SGD, TORCH, {"momentum_buffer"}, NULL},
    {"torch.optim.Adagrad", ADAGRAD, TORCH, {"sum"}, NULL},
    {"keras.optimizers.SGD", SGD, KERAS, {"momentums"}, NULL},
    {"keras.optimizers.Adagrad", ADAGRAD, KERAS, {"accumulators"}, NULL},
    {"keras.optimizers.Adam", ADAM, KERAS, {"momentums", "velocities", "velocity_hats"}, NULL},
    {"keras.optimizers.AdamW", ADAM, KERAS, {"momentums", "velocities", "velocity_hats"}, NULL},
    {TF_TRAIN "GradientDescentOptimizer", SGD, TF1, {NULL}, NULL},
    {TF_TRAIN "MomentumOptimizer", SGD, TF1, {"momentum"}, NULL},
    {TF_TRAIN "AdagradOptimizer", ADAGRAD, TF1, {"accumulator"}, NULL},
    {TF_TRAIN "AdamOptimizer", ADAM, TF1, {"m", "v"}, NULL},
    {TF_RAW "Momentum", SGD, TF1, {"accum"}, NULL},
    {TF_RAW "KerasMomentum", SGD, KERAS, {"accum"}, tf_keras_momentum},
    {TF_RAW "Adagrad", ADAGRAD, TF1, {"accum"}, tf_separate},
    {TF_RAW "AdagradV2", ADAGRAD, TF1, {"accum"}, tf_adagrad_v2},
    {OF_ADDONS "LazyAdam", ADAM, ADDONS, {"m", "v"}, NULL},
    {OF_ADDONS "AdamW", ADAM, ADDONS, {"m", "v", "vhat"}, addons_adamw},
    {OF_ADDONS "SGDW", SGD, ADDONS, {"momentum"}, addons_sgdw},
    {"mxnet.optimizer.SGD", SGD, MXNET, {"mom"}, mxnet_lazy},
    {"mxnet.optimizer.NAG", SGD, MXNET, {"mom"}, mxnet_lazy},
    {"mxnet.optimizer.Adam", ADAM, MXNET, {"mean", "var"}, mxnet_lazy},
    {"mxnet.optimizer.AdaGrad", ADAGRAD, MXNET, {"history"}, mxnet_clip},
    {"mxnet.nd.sparse.adagrad_update", ADAGRAD, MXNET, {"history"}, mxnet_operator},
    {"mxnet.nd.sgd_update", SGD, MXNET, {NULL}, mxnet_lazy},
    {"OptimType.EXACT_SGD", SGD, FBGEMM, {NULL}, fbgemm},
    {"OptimType.EXACT_ADAGRAD", ADAGRAD, FBGEMM, {"sum"}, fbgemm},
    {"dgl.optim.SparseAdagrad", ADAGRAD, DGL, {"sum"}, NULL},
    {"torch.optim.RMSprop", RMSPROP, TORCH, {"square_avg"}, NULL},
    {"torch.optim.RMSprop", RMSPROP_M, TORCH, {"square_avg", "momentum_buffer"}, NULL},
    {"torch.optim.RMSprop", RMSPROP_C, TORCH, {"square_avg", "grad_avg"}, NULL},
    {"torch.optim.RMSprop", RMSPROP_B, TORCH, {"square_avg", "grad_avg", "momentum_buffer"}, NULL},
    {KERAS_OF "RMSprop", RMSPROP, KERAS, {"velocities"}, NULL},
    {KERAS_OF "RMSprop", RMSPROP_M, KERAS, {"velocities", "momentums"}, NULL},
    {KERAS_OF "RMSprop", RMSPROP_C, KERAS, {"velocities", "average_gradients"}, NULL},
    {KERAS_OF "RMSprop", RMSPROP_B, KERAS, {"velocities", "average_gradients", "momentums"}, NULL},
    {TF_TRAIN "RMSPropOptimizer", RMSPROP_M, TF1, {"rms", "momentum"}, NULL},
    {TF_TRAIN "RMSPropOptimizer", RMSPROP_B, TF1, {"rms", "mg", "momentum"}, NULL},
    {TF_RAW "RMSProp", RMSPROP_M, TF1, {"ms", "mom"}, tf_separate},
    {TF_RAW "CenteredRMSProp", RMSPROP_B, TF1, {"ms", "mg", "mom"}, tf_separate},
    {"mxnet.optimizer.RMSProp", RMSPROP, MXNET, {"n"}, mxnet_clip},
    {"mxnet.optimizer.RMSProp", RMSPROP_B, MXNET, {"n", "g", "delta"}, mxnet_clip},
    {"torch.optim.Adadelta", ADADELTA, TORCH, {"square_avg", "acc_delta"}, NULL},
    {KERAS_OF "Adadelta", ADADELTA, KERAS, {"accumulated_grads", "accumulated_delta_vars"}, NULL},
    {TF_TRAIN "AdadeltaOptimizer", ADADELTA, TF1, {"accum", "accum_update"}, NULL},
    {TF_RAW "Adadelta", ADADELTA, TF1, {"accum", "accum_update"}, tf_separate},
    {"mxnet.optimizer.AdaDelta", ADADELTA, MXNET, {"acc_g", "acc_delta"}, mxnet_no_rate},
    {"mxnet.optimizer.Ftrl", FTRL, MXNET, {"n", "z"}, mxnet_clip},
    {KERAS_OF "Ftrl", FTRL, KERAS, {"accumulators", "linears"}, NULL},
    {TF_TRAIN "FtrlOptimizer", FTRL, TF1, {"accum", "linear"}, NULL},
    {TF_RAW "FtrlV2", FTRL, TF1, {"accum", "linear"}, tf_separate},
    {TF_TRAIN "ProximalGradientDescentOptimizer", PROXIMAL, TF1, {NULL}, NULL},
    {TF_TRAIN "ProximalAdagradOptimizer", PROX_ADA, TF1, {"accumulator"}, NULL},
    {TF_TRAIN "AdagradDAOptimizer", AVERAGES, TF1, {SQUARES, "gradient_accumulator"}, NULL},
    {"mxnet.optimizer.GroupAdaGrad", ROWWISE, MXNET, {"history"}, mxnet_clip},
    {"mxnet.nd.contrib.group_adagrad_update", ROWWISE, MXNET, {"history"}, mxnet_clip},
    {"OptimType.EXACT_ROWWISE_ADAGRAD", ROWWISE, FBGEMM, {"sum"}, fbgemm},
};

/* Files of these optimizers that are not reproduced, and why. */
static const char *const left_out[][2] = {
    {"keras_sgd_accumulate", "gradients are added over several steps"},
    {"keras_sgd_ema", "averages of weights"},
    {"tf_raw_adagrad_frozen", "squares are not added"},
    {"mxnet_adagrad_dense_", "a decay apart from the gradient, inside the rule"},
    {"keras_adagrad_global_clipnorm_repeated", "a norm of all gradients"},
    {"keras_sgd_clipnorm", "a norm of all stored rows"},
    {"keras_sgd_global_clipnorm", "a norm of all gradients"},
    {"mxnet_momentum_std_defaults_repeated", "MXNet takes the n-th stored row for the n-th id"},
    {"keras_adagrad_dials", "a norm of all stored rows"},
    {"keras_adagrad_defaults_vector", "Keras adds the squares of rows of one id"},
    {"keras_adagrad_defaults_repeated", "Keras adds the squares of rows of one id"},
    {"keras_adam_defaults_repeated", "Keras adds the squares of rows of one id"},
    {"keras_rmsprop_defaults_repeated", "Keras adds the squares of rows of one id"},
    {"keras_adadelta_defaults_repeated", "Keras adds the squares of rows of one id"},
    {"keras_ftrl_defaults_repeated", "Keras adds the squares of rows of one id"},
    {"fbgemm_rowwise_adagrad_counter", "the rule with counters"},
    {"fbgemm_rowwise_adagrad_decay_cowclip", "the rule with counters"},
    {"fbgemm_rowwise_adagrad_f16", "weights of 16 bits"},
};

/* Files that are not equal: the largest difference allowed, in ulp of a weight, and why. */
static const struct {
    const char *name;
    double ulp;
    const char *why;
} nearly[] = {
    {"fbgemm_adagrad_", 2, "FBGEMM divides in double"},
    {"torch_adagrad_dense_", 2, "the order is that of the row-sparse form"},
    {"mxnet_adam_dense_dials", 2, "the order is that of the row-sparse form"},
    {"tf1_rmsprop_", 0,
     "a -0 in a gradient becomes +0 in TensorFlow's sums, and so the sign of a 0 in b"},
    {"keras_ftrl_dials", 3, "a power: neither TensorFlow's nor ours is correctly rounded"},
    {"tf1_ftrl_dials", 3, "a power: neither TensorFlow's nor ours is correctly rounded"},
    {"tf1_ftrl_shrinkage", 3, "a power: neither TensorFlow's nor ours is correctly rounded"},
    {"tf_raw_ftrl_v2_power", 3, "a power: neither TensorFlow's nor ours is correctly rounded"},
    {"torch_sgd_sparse_dampening", 45, "PyTorch's buffer is a list of rows"},
    {"torch_sgd_sparse_momentum", 10, "PyTorch's buffer is a list of rows"},
    {"torch_sgd_sparse_nesterov", 21, "PyTorch's buffer is a list of rows"},
};

static double allowed_ulp(const char *name) {
    for (size_t i = 0; i < COUNT(nearly); ++i)
        if (strncmp(name, nearly[i].name, strlen(nearly[i].name)) == 0) return nearly[i].ulp;
    return -1;
}

static const char *why_left_out(const char *name) {
    for (size_t i = 0; i < COUNT(left_out); ++i)
        if (strncmp(name, left_out[i][0], strlen(left_out[i][0])) == 0) return left_out[i][1];
    return NULL;
}

static int states_of(const golden *g, const source *s) {
    int count = 0;
    for (int n = 1; n < g->arrays; ++n)
        for (int i = 0; i < SPARCL_MAX_STATES; ++i)
            count += s->states[i] && strcmp(s->states[i], g->array[n].name) == 0;
    return count;
}

static bool has_all_states(const golden *g, const source *s) {
    int names = 0;
    while (names < SPARCL_MAX_STATES && s->states[names])
        ++names;
    return states_of(g, s) == names;
}

/* Of several lines of an optimizer the one of most states, all of which the file has. */
static const source *find_source(const golden *g) {
    const source *best = NULL;
    for (const source *s = sources; s < sources + COUNT(sources); ++s)
        if (strcmp(s->optimizer, g->optimizer) == 0 &&
            (!best || (has_all_states(g, s) && states_of(g, s) > states_of(g, best))))
            best = s;
    return best;
}

/* Every setting that a system has, by all its names. */
static void take_settings(const golden *g, sparcl_optim *o) {
    const char *const betas = golden_setting(g, "betas");
    o->momentum = golden_number(g, "momentum gamma2", 0);
    o->rho = golden_number(g, "rho alpha gamma1 decay", o->rho);
    o->l1 = golden_number(g, "l1 l1_regularization_strength lamda1", o->l1);
    o->l2 = golden_number(g, "l2 l2_regularization_strength", 0);
    o->l2_shrinkage = golden_number(g, "l2_shrinkage l2_shrinkage_regularization_strength", 0);
    o->lr_power = golden_number(g, "lr_power learning_rate_power", o->lr_power);
    o->beta = golden_number(g, "beta", o->beta);
    o->multiply_linear_by_lr = golden_flag(g, "multiply_linear_by_lr");
    o->clip_weights = golden_number(g, "clip_weights", (double)INFINITY);
    o->dampening = golden_number(g, "dampening", 0);
    o->nesterov = golden_flag(g, "nesterov use_nesterov") || strstr(g->optimizer, ".NAG") != NULL;
    o->beta1 = golden_number(g, "beta1 beta_1", o->beta1);
    o->beta2 = golden_number(g, "beta2 beta_2", o->beta2);
    if (betas && sscanf(betas, "%lf,%lf", &o->beta1, &o->beta2) != 2) fail_msg("%s", betas);
    o->epsilon = golden_number(g, "eps epsilon float_stable_eps", o->epsilon);
    o->lr_decay = golden_number(g, "lr_decay", 0);
    o->weight_decay = golden_number(g, "weight_decay wd", 0);
    o->rescale = golden_number(g, "rescale_grad", 1);
    if (golden_flag(g, "maximize")) o->rescale = -o->rescale;
    o->clip_value = golden_number(g, "clip_gradient clipvalue", (double)INFINITY);
    if (golden_flag(g, "gradient_clipping")) o->clip_value = golden_number(g, "max_gradient", 1);
}

static sparcl_optim optim_of(const golden *g, const source *s) {
    sparcl_optim o;
    sparcl_rule rule = s->rule;
    const int states = states_of(g, s);
    if (rule == SGD && states == 1) rule = MOMENTUM;
    if (rule == ADAM && states == 3) rule = SPARCL_RULE_AMSGRAD;
    sparcl_rule_profile profile = s->profile;
    if (sparcl_optim_profile(&o, rule, profile) != SPARCL_OK)
        fail_msg("%s: no rule %d in profile %d", g->name, (int)rule, (int)profile);
    take_settings(g, &o);
    if (s->adjust) s->adjust(g, &o);
    return o;
}

/* --- a step on the device -------------------------------------------------------------------- */

static sparcl_dense put_array(sparcl_ctx *ctx, const golden_array *a, int step) {
    float x[GOLDEN_ROWS * GOLDEN_COLUMNS];
    const int64_t count = a->rows * a->columns;
    for (int64_t i = 0; i < count; ++i)
        x[i] = (float)a->at[step][i];
    return (sparcl_dense){.rank = 2,
                          .shape = {a->rows, a->columns},
                          .values = put(ctx, x, count * (int64_t)sizeof *x)};
}

static void step_rows(sparcl_ctx *ctx, const golden *g, int t, const sparcl_optim *o,
                      const sparcl_dense *table, const sparcl_dense *states) {
    sparcl_rows rows = {.rank = 2,
                        .shape = {g->array[0].rows, g->width},
                        .nnr = g->count[t],
                        .index_type = SPARCL_I64,
                        .proof.flags = SPARCL_TRUSTED};
    rows.indices = put(ctx, g->ids[t], (g->count[t] + 1) * 8);
    rows.values = put(ctx, g->rows[t], (g->count[t] + 1) * g->width * 4);
    assert_ok(ctx, sparcl_step(ctx, o, table, states, &rows));
    sparcl_rows_free(&rows);
}

/* The rows of one id are added in the order stored; other rows are 0. */
static void step_dense(sparcl_ctx *ctx, const golden *g, int t, const sparcl_optim *o,
                       const sparcl_dense *table, const sparcl_dense *states) {
    float x[GOLDEN_ROWS * GOLDEN_COLUMNS] = {0};
    bool seen[GOLDEN_ROWS] = {false};
    for (int64_t k = 0; k < g->count[t]; ++k) {
        float *const to = x + g->ids[t][k] * g->width;
        for (int64_t j = 0; j < g->width; ++j)
            to[j] = seen[g->ids[t][k]] ? to[j] + g->rows[t][k * g->width + j]
                                       : g->rows[t][k * g->width + j];
        seen[g->ids[t][k]] = true;
    }
    sparcl_dense gradient = *table;
    gradient.values = put(ctx, x, g->array[0].rows * g->width * 4);
    assert_ok(ctx, sparcl_step_dense(ctx, o, table, states, &gradient));
    sparcl_dense_free(&gradient);
}

/* --- how near -------------------------------------------------------------------------------- */

typedef struct nearness {
    int equal, all;
    double ulp; /* the largest difference of a weight, in ulp of the larger before and after */
} nearness;

static double ulp_of(double x) {
    return nextafterf(fabsf((float)x), INFINITY) - (double)fabsf((float)x);
}

static void compare(sparcl_ctx *ctx, const sparcl_dense *found, const golden_array *a, int t,
                    bool is_weight, nearness *near) {
    for (int64_t i = 0; i < a->rows * a->columns; ++i) {
        const float got = float_at(ctx, found->values, i), want = (float)a->at[t][i];
        const double larger = fmax(fabs(a->at[t][i]), fabs(a->at[t - 1][i]));
        ++near->all;
        near->equal += memcmp(&got, &want, sizeof got) == 0 || (isnan(got) && isnan(want));
        if (is_weight && !isnan(want))
            near->ulp = fmax(near->ulp, fabs((double)got - (double)want) / ulp_of(larger));
    }
}

static const golden_array *find_array(const golden *g, const char *name) {
    for (int n = 0; n < g->arrays; ++n)
        if (strcmp(g->array[n].name, name) == 0) return &g->array[n];
    fail_msg("%s has no array %s", g->name, name);
    return NULL;
}

static nearness repeat(sparcl_ctx *ctx, const golden *g, const source *s) {
    sparcl_optim o = optim_of(g, s);
    const int count = sparcl_rule_states(o.rule);
    nearness near = {0};
    for (int t = 1; t <= GOLDEN_STEPS; ++t) {
        sparcl_dense table = put_array(ctx, &g->array[0], t - 1), states[SPARCL_MAX_STATES];
        for (int i = 0; i < count; ++i) {
            states[i] = put_array(ctx, find_array(g, s->states[i]), t - 1);
            if (sparcl_rule_state_is_row(o.rule, i)) states[i].rank = 1;
        }
        o.step = t;
        o.lr = s->adjust == mxnet_no_rate ? 1 : g->lr[t];
        (g->is_dense ? step_dense : step_rows)(ctx, g, t, &o, &table, states);
        compare(ctx, &table, &g->array[0], t, true, &near);
        sparcl_dense_free(&table);
        for (int i = 0; i < count; ++i) {
            compare(ctx, &states[i], find_array(g, s->states[i]), t, false, &near);
            sparcl_dense_free(&states[i]);
        }
    }
    return near;
}

/* The line of a file in the table of README.md: "equal of all" and "ulp of w", every operation
 * rounded by itself. */
static nearness expected_of(const char *name) {
    char path[512], line[512], wanted[96];
    nearness near = {.equal = -1};
    snprintf(path, sizeof path, "%s/README.md", GOLDEN_DIR);
    snprintf(wanted, sizeof wanted, "| `%s` |", name);
    FILE *const file = fopen(path, "r");
    assert_non_null(file);
    while (near.equal < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, wanted, strlen(wanted)) == 0 &&
            sscanf(line + strlen(wanted), " %*[^|]| %*[^|]| %d of %d | %lf", &near.equal, &near.all,
                   &near.ulp) != 3)
            fail_msg("%s: cannot read %s", path, line);
    fclose(file);
    if (near.equal < 0) fail_msg("README.md has no line of %s", name);
    return near;
}

static int compare_file(sparcl_ctx *ctx, const char *name) {
    golden *const g = read_golden(name);
    const source *const s = find_source(g);
    int wrong = 0;
    if (s && !why_left_out(name)) {
        const nearness want = expected_of(name), found = repeat(ctx, g, s);
        const double allowed = allowed_ulp(name);
        wrong = allowed >= 0 ? found.ulp > allowed
                             : found.equal * want.all < want.equal * found.all ||
                                   found.ulp > want.ulp * 1.05; /* the table has two digits */
        printf("%-45s %d of %d, %.4g ulp; expected %d of %d, %g ulp%s\n", name, found.equal,
               found.all, found.ulp, want.equal, want.all, want.ulp, wrong ? "  WRONG" : "");
    } else {
        printf("%-45s not compared: %s\n", name, s ? why_left_out(name) : "no rule yet");
    }
    free(g);
    return wrong;
}

static void steps_are_those_of_the_systems(void **state) {
    struct dirent **entries;
    int wrong = 0;
    const int count = scandir(GOLDEN_DIR, &entries, NULL, alphasort);
    assert_true(count > 200);
    for (int i = 0; i < count; ++i) {
        char name[64];
        const char *const dot = strstr(entries[i]->d_name, ".txt");
        if (dot && strncmp(entries[i]->d_name, "case_", 5) != 0 &&
            !strstr(entries[i]->d_name, "refuses")) {
            snprintf(name, sizeof name, "%.*s", (int)(dot - entries[i]->d_name),
                     entries[i]->d_name);
            wrong += compare_file(*state, name);
        }
        free(entries[i]);
    }
    free(entries);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_are_those_of_the_systems)};
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
