/* hyper.cl: the names of what the optimizer rules compute with, for rule_<name>.cl, which comes after
 * it, and for src/optim/rules.h, which includes it: h.<name> in both.
 *
 * Defines  SPC_<RULE>_COEFFICIENTS: the ten coefficients of a rule; SPC_FORM_<NAME>: the bits of
 *          SPC_FORM, the order in which it computes; FORM(NAME): whether a kernel has that bit;
 *          SPC_LAZY_<NAME>: the bits of LAZY_FORM (missed.cl)
 * Hyper    rest, rest1, rest2: 1 - rho (or the momentum, the dampening), 1 - beta1, 1 - beta2
 *          correction1, correction2: what the means, or the root, are divided by, where lr has not
 *          the whole bias correction
 *          epsilon_inside, epsilon_outside: of the root
 *          update_decay: a weight decay that is part of the update; update_factor: of both
 *          weight_factor: of the weights before the update
 */
#define FORM(name) (SPC_FORM & SPC_FORM_##name)

#define SPC_UNUSED2 unused1, unused2
#define SPC_UNUSED3 SPC_UNUSED2, unused3
#define SPC_UNUSED4 SPC_UNUSED3, unused4
#define SPC_UNUSED5 SPC_UNUSED4, unused5
#define SPC_UNUSED6 SPC_UNUSED5, unused6
#define SPC_UNUSED7 SPC_UNUSED6, unused7
#define SPC_UNUSED9 SPC_UNUSED7, unused8, unused9

#define SPC_SGD_COEFFICIENTS weight_factor, SPC_UNUSED9
/* nesterov_factor: momentum lr (TensorFlow), momentum + 1 (MXNet). */
#define SPC_MOMENTUM_COEFFICIENTS momentum, rest, update_decay, nesterov_factor, SPC_UNUSED6
#define SPC_ADAGRAD_COEFFICIENTS  epsilon_inside, epsilon_outside, update_decay, SPC_UNUSED7
/* Also those of AMSGrad and Yogi. */
#define SPC_ADAM_COEFFICIENTS                                                                      \
    rest1, rest2, beta1, beta2, epsilon_inside, epsilon_outside, correction1, correction2,         \
        update_decay, update_factor
#define SPC_ADAMAX_COEFFICIENTS                                                                    \
    rest1, beta1, beta2, epsilon_inside, epsilon_outside, correction1, SPC_UNUSED4
/* The factors and divisors of the gradient and of its mean. */
#define SPC_NADAM_COEFFICIENTS                                                                     \
    rest1, rest2, beta1, beta2, gradient_factor, gradient_divisor, mean_factor, mean_divisor,      \
        correction2, epsilon
#define SPC_RMSPROP_COEFFICIENTS                                                                   \
    rest, rho, momentum, epsilon_inside, epsilon_outside, weight_limit, SPC_UNUSED4
#define SPC_ADADELTA_COEFFICIENTS rest, rho, epsilon, update_decay, SPC_UNUSED6
/* l2: what is added to the divisor; power: of the squares, less 1/2; epsilon: inside of the root. */
#define SPC_FTRL_COEFFICIENTS     l1, l2, beta, twice_l2_shrinkage, power, epsilon, SPC_UNUSED4
#define SPC_PROXIMAL_COEFFICIENTS l1, l2, step, step_lr, SPC_UNUSED6
/* Those of Signum, then of Lion; sign descent has the first. */
#define SPC_SIGN_COEFFICIENTS                                                                      \
    weight_factor, momentum, rest, update_decay, rest1, rest2, beta1, beta2, SPC_UNUSED2
/* The bounds of the norm of the weights. */
#define SPC_LAMB_COEFFICIENTS                                                                      \
    rest1, rest2, beta1, beta2, epsilon, correction1, correction2, update_decay, lower_bound,      \
        upper_bound
#define SPC_LARS_COEFFICIENTS eta, epsilon, momentum, gradient_limit, update_decay, SPC_UNUSED5
/* row_root: of each row. */
#define SPC_ROW_ADAGRAD_COEFFICIENTS epsilon_inside, epsilon_outside, row_root, SPC_UNUSED7
#define SPC_ROW_ADAM_COEFFICIENTS                                                                  \
    rest1, rest2, beta1, beta2, epsilon, correction1, correction2, update_decay, row_root, unused1
/* shrinkage: of a row for each step in which it was absent. */
#define SPC_ROW_RMSPROP_COEFFICIENTS                                                               \
    rest, rho, epsilon, shrinkage, min_shrinkage, step, SPC_UNUSED4
#define SPC_ROW_LARS_COEFFICIENTS lr_eta, momentum, update_decay, SPC_UNUSED7
/* decline: ln 2 / halflife; threshold: of the tail; adjusted_steps: since adjustments began, 0 where
 * they did not; norm_factor and lower_bound: of COWCLIP. */
#define SPC_ROW_COUNTER_COEFFICIENTS                                                               \
    epsilon, decline, halflife, step, threshold, max_counter, adjustment_ub, adjusted_steps,       \
        norm_factor, lower_bound

/* Of several rules: m = beta m + (1 - beta) g, else m += (1 - beta) (g - m); the same for v; the
 * square (1 - beta) g g from the left; a product is divided, else a quotient multiplied; with
 * update_decay; times the reciprocal of the root. */
#define SPC_FORM_MEAN_WEIGHTED   1
#define SPC_FORM_SQUARE_WEIGHTED 2
#define SPC_FORM_SQUARE_LEFT     4
#define SPC_FORM_PRODUCT_FIRST   8
#define SPC_FORM_UPDATE_DECAY    32
#define SPC_FORM_RECIPROCAL      64
/* SGD: with weight_factor. Momentum: lr is a factor in b; Nesterov's; the same, as a sum; with rest. */
#define SPC_FORM_WEIGHT_FACTOR  1
#define SPC_FORM_RATE_INSIDE    1
#define SPC_FORM_NESTEROV       2
#define SPC_FORM_SPLIT_NESTEROV 4
#define SPC_FORM_DAMPENED       8
/* Adagrad: s stays as it is. Adam: the corrections divide m and v, else the root; AMSGrad. NAdam: the
 * update of g, then that of m, with lr and the divisors in the factors. */
#define SPC_FORM_FROZEN          128
#define SPC_FORM_CORRECTED_MEANS 16
#define SPC_FORM_AMSGRAD         128
#define SPC_FORM_TWO_UPDATES     16
/* RMSProp: with the mean of g; with momentum; mean += rest (g - mean), else it is weighted; epsilon is
 * added to v, else to v - mean^2; lr is outside of b and of the quotient; b is negative. */
#define SPC_FORM_CENTERED      1
#define SPC_FORM_MOMENTUM      2
#define SPC_FORM_MEAN_ADDED    8
#define SPC_FORM_EPSILON_FIRST 16
#define SPC_FORM_RATE_OUTSIDE  32
#define SPC_FORM_NEGATIVE      128
/* FTRL: MXNet's, else TensorFlow's; z is multiplied by lr; a power that is not the root. */
#define SPC_FORM_MXNET          1
#define SPC_FORM_LINEAR_BY_RATE 2
#define SPC_FORM_POWER          4
/* Proximal Adagrad, Adagrad with dual averages, else proximal gradient descent; Signum, Lion, else
 * sign descent. */
#define SPC_FORM_PROXIMAL_ADAGRAD 1
#define SPC_FORM_DUAL_AVERAGES    2
#define SPC_FORM_SIGNUM           1
#define SPC_FORM_LION             2
/* LARS. Of rows: Adagrad with the quotient of lr and the root as a rate (FBGEMM); Adam without bias
 * correction; the sparcl_counter_mode; the threshold is a share of the largest counter. */
#define SPC_FORM_WITHOUT_MOMENTUM   1
#define SPC_FORM_RATE_OF_ROW        1
#define SPC_FORM_UNCORRECTED        1
#define SPC_FORM_COUNTER_MODE       7
#define SPC_FORM_THRESHOLD_IS_RATIO 8

/* What a step without a gradient does, beside the decay: s, a buffer with momentum, changes the
 * weights; t and u fade: are multiplied by a constant; s over the root of t does, as in Adam, or of u,
 * the largest t; the weights are made anew from the states (remade.cl). */
#define SPC_LAZY_MOMENTUM 1
#define SPC_LAZY_FADE_T   2
#define SPC_LAZY_FADE_U   4
#define SPC_LAZY_ROOT     8
#define SPC_LAZY_LARGEST  16
#define SPC_LAZY_REMADE   32
