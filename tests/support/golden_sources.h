/* golden_sources.h: which rule, preset and settings reproduce an optimizer of tests/golden; which
 * files are only near, and which are left out. */
#ifndef TESTS_GOLDEN_SOURCES_H
#define TESTS_GOLDEN_SOURCES_H

#include "golden.h"
#include "sparcl/optim_text.h"

/* An optimizer of a system: our rule and preset, and its names for our states. */
typedef struct source {
    const char *optimizer;
    sparcl_rule rule;
    sparcl_preset preset;
    const char *states[SPARCL_MAX_STATES];
    void (*adjust)(const golden *g, sparcl_optim *o);
} source;

static void torch_adam(const golden *g, sparcl_optim *o) {
    (void)g;
    o->epsilon_place = SPARCL_EPSILON_CORRECTED;
}

static void torch_adamw(const golden *g, sparcl_optim *o) {
    torch_adam(g, o);
    o->decay.kind = SPARCL_DECAY_DECOUPLED;
}

/* For dense gradients PyTorch divides lr g, as HugeCTR's preset does. */
static void torch_adagrad(const golden *g, sparcl_optim *o) {
    if (g->is_dense) o->preset = SPARCL_PRESET_HUGECTR;
}

static void torch_nadam(const golden *g, sparcl_optim *o) {
    if (golden_flag(g, "decoupled_weight_decay")) o->decay.kind = SPARCL_DECAY_DECOUPLED;
}

static void addons_adamw(const golden *g, sparcl_optim *o) {
    (void)g;
    o->moves = SPARCL_MOVES_ALL;
    o->decay.kind = SPARCL_DECAY_DECOUPLED;
}

/* The raw operations take the rows as they come. */
static void tf_separate(const golden *g, sparcl_optim *o) {
    (void)g;
    o->duplicates = SPARCL_DUPLICATES_SEPARATE;
}

static void tf_adagrad_v2(const golden *g, sparcl_optim *o) {
    tf_separate(g, o);
    o->preset = SPARCL_PRESET_KERAS3; /* lr g is divided */
    o->epsilon_place = SPARCL_EPSILON_OUTSIDE;
}

static void tf_keras_momentum(const golden *g, sparcl_optim *o) {
    (void)g;
    o->moves = SPARCL_MOVES_PRESENT;
}

/* The optimizers of MXNet hand clip_gradient over where it is not 0, its operators clip at 0. */
static void mxnet_clip(const golden *g, sparcl_optim *o) {
    (void)g;
    if (o->clip.value == 0) o->clip.value = (double)INFINITY;
}

/* FBGEMM reads the decay of neither on a CPU. */
static void fbgemm(const golden *g, sparcl_optim *o) {
    (void)g;
    o->decay.weight = 0;
}

/* The modes of WeightDecayMode and LearningRateMode; -1 in adjustment_iter is no step. */
static void fbgemm_counter(const golden *g, sparcl_optim *o) {
    const int decay = (int)golden_number(g, "weight_decay_mode", 0);
    const bool is_cowclip = golden_number(g, "regularization_mode", 0) == 4;
    o->counter.mode = is_cowclip ? SPARCL_COUNTER_COWCLIP
                      : decay == 3
                          ? SPARCL_COUNTER_ADAGRADW
                          : (sparcl_counter_mode)(golden_number(g, "learning_rate_mode", -1) + 1);
    o->decay.kind = decay == 1 ? SPARCL_DECAY_COUPLED : SPARCL_DECAY_DECOUPLED;
    o->counter.halflife = golden_number(g, "counter_halflife", 0);
    o->counter.adjustment_iter = fmax(golden_number(g, "adjustment_iter", 0), 0);
    o->counter.adjustment_ub = golden_number(g, "adjustment_ub", 0);
    o->counter.tail_id_threshold = golden_number(g, "tail_id_threshold", 0);
    o->counter.tail_id_is_ratio = golden_number(g, "is_tail_id_thresh_ratio", 0) != 0;
    o->counter.max = golden_number(g, "max_counter", 0);
    o->counter.weight_norm_coefficient = golden_number(g, "weight_norm_coefficient", 0);
    o->trust.lower_bound = golden_number(g, "lower_bound", 0);
}

/* Without momentum SGDW has no decay. */
static void addons_sgdw(const golden *g, sparcl_optim *o) {
    (void)g;
    if (o->rule == SPARCL_RULE_SGD) o->decay.weight = 0;
}

/* MXNet's Adadelta does not use its rate. */
static void mxnet_no_rate(const golden *g, sparcl_optim *o) {
    (void)g;
    (void)o;
}

/* The optimizer for dense gradients is written in Python, and clips at 0. */
static void mxnet_adagrad(const golden *g, sparcl_optim *o) {
    if (g->is_dense)
        o->decay.kind = SPARCL_DECAY_INSIDE;
    else
        mxnet_clip(g, o);
}

/* Two arguments of the operator are a part of its name in these files. */
static void mxnet_adamw(const golden *g, sparcl_optim *o) {
    o->rescale = strtod(strstr(g->optimizer, "rescale_grad=") + strlen("rescale_grad="), NULL);
    o->eta = golden_number(g, "eta", 1);
    o->decay.kind = SPARCL_DECAY_INSIDE;
    o->adam.no_bias_correction = 1;
}

/* MXNet's LARS scales its momentum by the rate, and has no momentum by default. */
static void mxnet_lars(const golden *g, sparcl_optim *o) {
    mxnet_clip(g, o);
    o->eta = golden_number(g, "eta", o->eta);
}

static void mxnet_lamb(const golden *g, sparcl_optim *o) {
    mxnet_clip(g, o);
    o->trust.lower_bound = golden_number(g, "lower_bound", 0);
    o->trust.upper_bound = golden_number(g, "upper_bound", (double)INFINITY);
    o->adam.no_bias_correction = !golden_flag(g, "bias_correction");
}

static void mxnet_operator(const golden *g, sparcl_optim *o) {
    o->epsilon = golden_number(g, "epsilon", 1e-7);
}

static void mxnet_lazy(const golden *g, sparcl_optim *o) {
    const char *const lazy = golden_setting(g, "lazy_update");
    if (lazy && strcmp(lazy, "false") == 0) o->moves = SPARCL_MOVES_ALL;
    if (strstr(g->optimizer, ".optimizer.")) mxnet_clip(g, o);
}

#define SGD         SPARCL_RULE_SGD
#define MOMENTUM    SPARCL_RULE_MOMENTUM
#define ADAGRAD     SPARCL_RULE_ADAGRAD
#define ADAM        SPARCL_RULE_ADAM
#define RMSPROP     SPARCL_RULE_RMSPROP
#define RMSPROP_M   SPARCL_RULE_RMSPROP_MOMENTUM
#define RMSPROP_C   SPARCL_RULE_RMSPROP_CENTERED
#define RMSPROP_B   SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM
#define ADADELTA    SPARCL_RULE_ADADELTA
#define FTRL        SPARCL_RULE_FTRL
#define NADAM       SPARCL_RULE_NADAM
#define ADAMAX      SPARCL_RULE_ADAMAX
#define PROXIMAL    SPARCL_RULE_PROXIMAL_SGD
#define PROX_ADA    SPARCL_RULE_PROXIMAL_ADAGRAD
#define AVERAGES    SPARCL_RULE_ADAGRAD_DA
#define SQUARES     "gradient_squared_accumulator"
#define ROWWISE     SPARCL_RULE_ROWWISE_ADAGRAD
#define ROW_COUNTER SPARCL_RULE_ROWWISE_ADAGRAD_COUNTER
#define ROW_RMSPROP SPARCL_RULE_ROWWISE_RMSPROP
#define LAMB        SPARCL_RULE_LAMB
#define LARS        SPARCL_RULE_LARS
#define TORCH       SPARCL_PRESET_TORCH
#define MXNET       SPARCL_PRESET_MXNET
#define TF1         SPARCL_PRESET_TF1
#define KERAS       SPARCL_PRESET_KERAS3
#define ADDONS      SPARCL_PRESET_ADDONS
#define DGL         SPARCL_PRESET_DGL
#define FBGEMM      SPARCL_PRESET_FBGEMM
#define TF_RAW      "tf.raw_ops.ResourceSparseApply"
#define TF_TRAIN    "tf.compat.v1.train."
#define KERAS_OF    "keras.optimizers."
#define OF_ADAMW    "mxnet.nd.contrib.adamw_update(rescale_grad="
#define OF_ADDONS   "tensorflow_addons.optimizers."

/* Momentum is SGD with a state, AMSGrad is Adam with three. */
static const source sources[] = {
    {"torch.optim.SparseAdam", ADAM, TORCH, {"exp_avg", "exp_avg_sq"}, NULL},
    {"torch.optim.Adam", ADAM, TORCH, {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"}, torch_adam},
    {"torch.optim.AdamW", ADAM, TORCH, {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"}, torch_adamw},
    {"torch.optim.SGD", SGD, TORCH, {"momentum_buffer"}, NULL},
    {"torch.optim.Adagrad", ADAGRAD, TORCH, {"sum"}, torch_adagrad},
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
    {"mxnet.optimizer.AdaGrad", ADAGRAD, MXNET, {"history"}, mxnet_adagrad},
    {OF_ADAMW "1,eta=1)", ADAM, MXNET, {"mean", "var"}, mxnet_adamw},
    {OF_ADAMW "0.5)", ADAM, MXNET, {"mean", "var"}, mxnet_adamw},
    {"mxnet.nd.sparse.adagrad_update", ADAGRAD, MXNET, {"history"}, mxnet_operator},
    {"mxnet.nd.sgd_update", SGD, MXNET, {NULL}, mxnet_lazy},
    {"OptimType.EXACT_SGD", SGD, FBGEMM, {NULL}, fbgemm},
    {"OptimType.EXACT_ADAGRAD", ADAGRAD, FBGEMM, {"sum"}, fbgemm},
    {"dgl.optim.SparseAdam", SPARCL_RULE_ADAM_ROW_STEPS, DGL, {"mem", "power", "step"}, NULL},
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
    {"torch.optim.NAdam", NADAM, TORCH, {"exp_avg", "exp_avg_sq"}, torch_nadam},
    {KERAS_OF "Nadam", NADAM, KERAS, {"momentums", "velocities"}, NULL},
    {"mxnet.optimizer.Nadam", NADAM, MXNET, {"m_t", "v_t"}, NULL},
    {"torch.optim.Adamax", ADAMAX, TORCH, {"exp_avg", "exp_inf"}, NULL},
    {KERAS_OF "Adamax", ADAMAX, KERAS, {"m", "u"}, NULL},
    {"mxnet.optimizer.Adamax", ADAMAX, MXNET, {"m_t", "u_t"}, NULL},
    {KERAS_OF "Lion", SPARCL_RULE_LION, KERAS, {"momentums"}, NULL},
    {"mxnet.optimizer.Signum", SPARCL_RULE_SIGNSGD, MXNET, {NULL}, mxnet_clip},
    {"mxnet.optimizer.Signum", SPARCL_RULE_SIGNUM, MXNET, {"mom"}, mxnet_clip},
    {"mxnet.optimizer.LAMB", LAMB, MXNET, {"mean", "var"}, mxnet_lamb},
    {"mxnet.optimizer.LARS", LARS, MXNET, {"mom"}, mxnet_lars},
    {KERAS_OF "Lamb", LAMB, KERAS, {"momentums", "velocities"}, NULL},
    {OF_ADDONS "LAMB", LAMB, ADDONS, {"m", "v"}, NULL},
    {OF_ADDONS "Yogi", SPARCL_RULE_YOGI, ADDONS, {"v", "m"}, NULL},
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
    {"OptimType.EXACT_ROWWISE_ADAGRAD",
     ROW_COUNTER,
     FBGEMM,
     {"sum", "prev_iter", "row_counter"},
     fbgemm_counter},
    {"OptimType.ROWWISE_RMSPROP_AR", ROW_RMSPROP, FBGEMM, {"sum", "prev_iter"}, fbgemm},
};

/* Files of these optimizers that are not reproduced, and why. */
static const char *const left_out[][2] = {
    {"keras_sgd_accumulate", "gradients are added over several steps"},
    {"keras_sgd_ema", "averages of weights"},
    {"mxnet_momentum_std_defaults_repeated", "MXNet takes the n-th stored row for the n-th id"},
    {"fbgemm_rowwise_adagrad_f16", "weights of 16 bits"},
};

/* Files that are not equal: the largest difference allowed, in ulp of a weight, and why. */
static const struct {
    const char *name;
    double ulp;
    const char *why;
} nearly[] = {
    {"fbgemm_adagrad_", 2, "FBGEMM divides in double"},
    {"mxnet_adam_dense_dials", 2, "the order is that of the row-sparse form"},
    {"mxnet_adagrad_dense_clip_zero", 0,
     "MXNet clips a negative gradient to +0, which meets a weight of -0"},
    {"mxnet_adamax_defaults", 0, "MXNet adds 0 w to a gradient, which is NaN where w is"},
    {"mxnet_lars_lazy_", 2, "Python computes the rate in double"},
    {"mxnet_lamb_zero_table", 1, "MXNet adds the squares in another order"},
    {"keras_lamb_defaults", 1, "TensorFlow adds the squares in another order"},
    {"addons_lamb_dials", 1, "TensorFlow adds the squares in another order"},
    {"tf1_rmsprop_", 0,
     "a -0 in a gradient becomes +0 in TensorFlow's sums, and so the sign of a 0 in b"},
    {"keras_adagrad_global_clipnorm", 2, "TensorFlow multiplies by a quotient"},
    {"keras_sgd_clipnorm_repeated", 1, "TensorFlow adds the squares in another order"},
    {"keras_sgd_global_clipnorm", 2, "TensorFlow multiplies by a quotient"},
    {"keras_ftrl_dials", 3, "a power: neither TensorFlow's nor ours is correctly rounded"},
    {"tf1_ftrl_dials", 3, "a power: neither TensorFlow's nor ours is correctly rounded"},
    {"tf1_ftrl_shrinkage", 3, "a power: neither TensorFlow's nor ours is correctly rounded"},
    {"tf_raw_ftrl_v2_power", 3, "a power: neither TensorFlow's nor ours is correctly rounded"},
    {"torch_sgd_sparse_dampening", 45, "PyTorch's buffer is a list of rows"},
    {"torch_sgd_sparse_momentum", 10, "PyTorch's buffer is a list of rows"},
    {"torch_sgd_sparse_nesterov", 21, "PyTorch's buffer is a list of rows"},
};

static inline double allowed_ulp(const char *name) {
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
    o->momentum.factor = golden_number(g, "momentum gamma2", 0);
    o->rmsprop.rho = golden_number(g, "rho alpha gamma1 decay ema_beta", o->rmsprop.rho);
    o->rmsprop.ar_alpha = golden_number(g, "ar_alpha", o->rmsprop.ar_alpha);
    o->rmsprop.min_shrinkage = golden_number(g, "min_shrinkage", o->rmsprop.min_shrinkage);
    o->adam.momentum_decay =
        golden_number(g, "momentum_decay schedule_decay", o->adam.momentum_decay);
    o->decay.signum = golden_number(g, "wd_lh", 0);
    o->ftrl.l1 = golden_number(g, "l1 l1_regularization_strength lamda1", o->ftrl.l1);
    o->ftrl.l2 = golden_number(g, "l2 l2_regularization_strength", 0);
    o->ftrl.l2_shrinkage = golden_number(g, "l2_shrinkage l2_shrinkage_regularization_strength", 0);
    o->ftrl.lr_power = golden_number(g, "lr_power learning_rate_power", o->ftrl.lr_power);
    o->ftrl.beta = golden_number(g, "beta", o->ftrl.beta);
    o->ftrl.multiply_linear_by_lr = golden_flag(g, "multiply_linear_by_lr");
    o->clip.weights = golden_number(g, "clip_weights", (double)INFINITY);
    o->momentum.dampening = golden_number(g, "dampening", 0);
    o->momentum.nesterov =
        golden_flag(g, "nesterov use_nesterov") || strstr(g->optimizer, ".NAG") != NULL;
    o->adam.beta1 = golden_number(g, "beta1 beta_1", o->adam.beta1);
    o->adam.beta2 = golden_number(g, "beta2 beta_2", o->adam.beta2);
    if (betas && sscanf(betas, "%lf,%lf", &o->adam.beta1, &o->adam.beta2) != 2)
        fail_msg("%s", betas);
    o->epsilon = golden_number(g, "eps epsilon float_stable_eps", o->epsilon);
    o->adagrad.frozen = golden_setting(g, "update_slots") && !golden_flag(g, "update_slots");
    o->adagrad.lr_decay = golden_number(g, "lr_decay", 0);
    o->decay.weight = golden_number(g, "weight_decay wd", 0);
    o->rescale = golden_number(g, "rescale_grad", 1);
    if (golden_flag(g, "maximize")) o->rescale = -o->rescale;
    o->clip.value = golden_number(g, "clip_gradient clipvalue", (double)INFINITY);
    o->clip.norm = golden_number(g, "clipnorm", (double)INFINITY);
    const double of_all = golden_number(g, "global_clipnorm", (double)INFINITY);
    if (of_all < (double)INFINITY) { /* Keras makes an array of the gradient */
        o->clip.norm = of_all;
        o->duplicates = SPARCL_DUPLICATES_SUM;
        o->moves = SPARCL_MOVES_ALL;
    }
    if (golden_flag(g, "gradient_clipping")) o->clip.value = golden_number(g, "max_gradient", 1);
}

static sparcl_optim optim_of(const golden *g, const source *s) {
    sparcl_optim o;
    sparcl_rule rule = s->rule;
    const int states = states_of(g, s);
    if (rule == SGD && states == 1) rule = MOMENTUM;
    if (rule == ADAM && states == 3) rule = SPARCL_RULE_AMSGRAD;
    sparcl_preset preset = s->preset;
    if (sparcl_optim_preset(&o, rule, preset) != SPARCL_OK)
        fail_msg("%s: no rule %d in preset %d", g->name, (int)rule, (int)preset);
    take_settings(g, &o);
    const char *const dtype = golden_setting(g, "dtype");
    if (s->preset == DGL && dtype && strcmp(dtype, "f16") == 0) {
        o.states.type = SPARCL_STATES_F16;
        o.states.rounding = SPARCL_ROUNDING_NEAREST;
    }
    if (s->adjust) s->adjust(g, &o);
    return o;
}

#endif
