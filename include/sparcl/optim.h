/* optim.h: the rules of optimizers, their settings, and row-sparse steps on dense tables, in place.
 */
#ifndef SPARCL_OPTIM_H
#define SPARCL_OPTIM_H

#include "sparcl/context.h"
#include "sparcl/ops/layers.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The rules. g is the gradient of an element, after rows of one index have been added and after
 * rescale, the clips and a coupled decay; t is the number of the step. docs/numerics.md has the
 * formula of each preset, with every rounding.
 *
 *   SGD       w -= lr g
 *   MOMENTUM  b = momentum b + g;  w -= lr b
 *   ADAGRAD   s += g^2;  w -= lr g / (sqrt(s) + epsilon)
 *   ADAM      m += (1 - beta1) (g - m);  v += (1 - beta2) (g^2 - v);
 *             w -= lr sqrt(1 - beta2^t) / (1 - beta1^t) m / (sqrt(v) + epsilon)
 *   AMSGRAD   as ADAM, with the largest v so far under the root
 *   RMSPROP   v = rho v + (1 - rho) g^2;  w -= lr g / (sqrt(v) + epsilon)
 *   RMSPROP_MOMENTUM  the same move, as MOMENTUM's: b = momentum b + move;  w -= b
 *   RMSPROP_CENTERED  mean = rho mean + (1 - rho) g;  v - mean^2 under the root
 *   RMSPROP_CENTERED_MOMENTUM  both
 *   ADADELTA  v as RMSPROP;  d = sqrt(u + epsilon) / sqrt(v + epsilon) g;
 *             u = rho u + (1 - rho) d^2;  w -= lr d
 *   FTRL      with p = -lr_power, and r = n^p:  n += g^2;
 *             z += g + 2 l2_shrinkage w - (change of r) / lr w;
 *             w = -sign(z) max(|z| - l1, 0) / ((beta + r) / lr + 2 l2), MXNet and HugeCTR: + l2
 *   PROXIMAL_SGD      p = w - lr g;  w = sign(p) max(|p| - lr l1, 0) / (1 + lr l2)
 *   PROXIMAL_ADAGRAD  the same with the rate lr / sqrt(s), s as ADAGRAD
 *   ADAGRAD_DA  squares += g^2;  sum += g;
 *             w = -sign(sum) max(|sum| / t - l1, 0) / (l2 + sqrt(squares) / (t lr))
 *   ROWWISE_ADAGRAD  s += mean of g^2 over the row;  w -= lr g / (sqrt(s) + epsilon), with one s
 *             for each row
 *   NADAM     m and v as ADAM; mu_t = beta1 (1 - 0.96^(t momentum_decay) / 2), P = mu_1 ... mu_t;
 *             w -= lr (mu_(t+1) / (1 - P mu_(t+1)) m + (1 - mu_t) / (1 - P) g)
 *                  / (sqrt(v / (1 - beta2^t)) + epsilon)
 *   ADAMAX    m as ADAM;  u = max(beta2 u, |g| + epsilon);  w -= lr / (1 - beta1^t) m / u, Keras
 *             and MXNet: m / (max(beta2 u, |g|) + epsilon)
 *   LION      w -= lr sign(beta1 m + (1 - beta1) g);  m = beta2 m + (1 - beta2) g
 *   SIGNSGD   w -= lr sign(g)
 *   SIGNUM    b = momentum b - (1 - momentum) g;  w = (1 - lr wd_lh) w + lr sign(b)
 *   YOGI      m as ADAM;  v += (1 - beta2) sign(g^2 - v) g^2;  w as ADAM. With SPARCL_MOVES_ALL
 *             the rows that the gradient does not have take a step with a rate of 0: m changes, w
 *             does not.
 *   ROWWISE_ADAM  m as ADAM;  v = beta2 v + (1 - beta2) mean of g^2 over the row, with one v for
 *             each row;  w -= lr m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon)
 *   ROWWISE_RMSPROP  v = rho v + (1 - rho) mean of g^2 over the row, with one v for each row;
 *             w = c w - lr g / (sqrt(v) + epsilon), c = 1 - lr ar_alpha k, at least min_shrinkage
 *             and at most 1, where the last step of the row was k steps ago; k = 1 at its first.
 *             The second state has the number of that step, in F32 exact up to 2^24
 *   ROWWISE_LARS  k = lr eta |w| / (|g| + weight_decay |w|), with the 2-norms of the row, lr where
 *             one is 0;  b = momentum b + k (g + weight_decay w);  w -= b: the coupled decay
 *   ROWWISE_LAMB  m, v as ADAM;  r = m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon);
 *             w -= lr |w| / |r| r, with the 2-norms of the row, lr r where one is 0
 *   ADAM_ROW_STEPS  m and v as ADAM; n: the steps that the row has had, in F32 exact up to 2^24;
 *             w -= lr m / (1 - beta1^n) / (sqrt(v / (1 - beta2^n)) + epsilon)
 *   LAMB      m, v as ADAM;  r = m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon), and
 *             weight_decay w with DECAY_INSIDE;  w -= lr |w| / |r| r, with the 2-norms of the whole
 *             table, |w| limited to lower_bound and upper_bound;  lr r where one is 0
 *   LARS      k = lr eta |w| / (|g| + weight_decay |w| + epsilon), with the 2-norms of the whole
 *             table, g before it is clipped; lr where one is 0;
 *             b = momentum b - k (g + weight_decay w);  w += b: the coupled decay
 *   ROWWISE_ADAGRAD_COUNTER  s as ROWWISE_ADAGRAD, k = lr / (sqrt(s) + epsilon), and a counter of
 *             the row: c = 1 + c / 2^(n / counter_halflife), where the last step of the row was n
 *             steps ago, and n = 1 at its first; with a counter_halflife of 0 c = 1, with a
 *             negative one c += 1.  w = f w - r g, where r and f depend on c: see
 *             sparcl_counter_mode. The second state has the number of the row's last step, in F32
 *             exact up to 2^24
 *
 * The norms of LAMB and LARS are those before the step, of w after a decay apart from the gradient.
 * A row that the step does not move (SPARCL_MOVES_PRESENT) is a part of |w|; its r or g is 0. So a
 * gradient that has all rows gives what a dense one does, and LARS is that of MXNet with
 * lazy_update. Rows of one index are added, or DUPLICATES_MEAN or _SQUARES; DUPLICATES_SEPARATE is
 * refused (E_ARG): a row is not a step with norms of its own.
 */
typedef enum sparcl_rule {
    SPARCL_RULE_SGD = 0,
    SPARCL_RULE_MOMENTUM = 1,
    SPARCL_RULE_ADAGRAD = 2,
    SPARCL_RULE_ADAM = 3,
    SPARCL_RULE_AMSGRAD = 4,
    SPARCL_RULE_RMSPROP = 5,
    SPARCL_RULE_RMSPROP_MOMENTUM = 6,
    SPARCL_RULE_RMSPROP_CENTERED = 7,
    SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM = 8,
    SPARCL_RULE_ADADELTA = 9,
    SPARCL_RULE_FTRL = 10,
    SPARCL_RULE_PROXIMAL_SGD = 11,
    SPARCL_RULE_PROXIMAL_ADAGRAD = 12,
    SPARCL_RULE_ADAGRAD_DA = 13,
    SPARCL_RULE_ROWWISE_ADAGRAD = 14,
    SPARCL_RULE_NADAM = 15,
    SPARCL_RULE_ADAMAX = 16,
    SPARCL_RULE_LION = 17,
    SPARCL_RULE_SIGNSGD = 18,
    SPARCL_RULE_SIGNUM = 19,
    SPARCL_RULE_YOGI = 20,
    SPARCL_RULE_ROWWISE_ADAM = 21,
    SPARCL_RULE_ROWWISE_RMSPROP = 22,
    SPARCL_RULE_ROWWISE_LARS = 23,
    SPARCL_RULE_ROWWISE_LAMB = 24,
    SPARCL_RULE_ADAM_ROW_STEPS = 25,
    SPARCL_RULE_LAMB = 26,
    SPARCL_RULE_LARS = 27,
    SPARCL_RULE_ROWWISE_ADAGRAD_COUNTER = 28
} sparcl_rule;
#define SPARCL_RULES 29 /**< number of rules */

/**
 * The systems whose optimizers can be reproduced. A preset decides in which order a rule computes,
 * and its hyper-parameters by default (sparcl_optim_preset). tests/golden holds what each system
 * computes; docs/optimizers.md says how near sparcl comes.
 */
typedef enum sparcl_preset {
    SPARCL_PRESET_TORCH = 0,  /**< PyTorch 2 */
    SPARCL_PRESET_MXNET = 1,  /**< MXNet 1.9 */
    SPARCL_PRESET_TF1 = 2,    /**< tf.compat.v1.train */
    SPARCL_PRESET_KERAS3 = 3, /**< Keras 3 */
    SPARCL_PRESET_ADDONS = 4, /**< TensorFlow Addons */
    SPARCL_PRESET_DGL = 5,    /**< DGL 1.1 */
    SPARCL_PRESET_FBGEMM = 6, /**< FBGEMM 1, its exact optimizers */
    SPARCL_PRESET_HUGECTR = 7 /**< HugeCTR, from its documentation: it runs on GPUs of one vendor */
} sparcl_preset;
#define SPARCL_PRESETS 8 /**< number of presets */

/** The steps so far of a table whose rows catch up with them: below. */
typedef struct sparcl_lazy sparcl_lazy;

/** What weight_decay does. */
typedef enum sparcl_decay {
    SPARCL_DECAY_COUPLED = 0,   /**< g += weight_decay w, for the rows that the step moves */
    SPARCL_DECAY_DECOUPLED = 1, /**< w -= lr weight_decay w, for the rows of the gradient */
    SPARCL_DECAY_GLOBAL = 2,    /**< the same for all rows of the table, in every step */
    SPARCL_DECAY_INSIDE = 3     /**< a part of the move, for the rows that the step moves:
                                     w -= lr (move + weight_decay w), where w -= lr move is the rule.
                                     ADAM, AMSGRAD, ADAGRAD, ROWWISE_ADAM, ADAM_ROW_STEPS,
                                     ROWWISE_LAMB and LAMB; other rules refuse it (E_ARG) */
} sparcl_decay;

/** Which rows a row-sparse step moves. */
typedef enum sparcl_moves {
    SPARCL_MOVES_PRESENT = 0, /**< the rows of the gradient ("lazy") */
    SPARCL_MOVES_ALL = 1,     /**< all rows of the table; the gradient of the others is 0 */
    SPARCL_MOVES_EXACT = 2    /**< the same, and a decay that is not coupled is global; but a row
                                   moves when it is read or written. A row-sparse step needs `lazy`
                                   or `last_steps`; a graph has them by itself */
} sparcl_moves;

/** The type of the states that have the shape of the table. Those of rows have the table's. */
typedef enum sparcl_state_type {
    SPARCL_STATES_AS_TABLE = 0, /**< the type of the table */
    SPARCL_STATES_F16 = 1,      /**< F16, of a table of F32: half of the memory, 11 digits */
    SPARCL_STATES_BF16 = 2      /**< BF16, of a table of F32: half of the memory, 8 digits and the
                                     range of F32 */
} sparcl_state_type;

/**
 * How a step rounds a state of 16 bits, which it has computed in F32.
 *
 * STOCHASTIC (Gupta, Agrawal, Gopalakrishnan, Narayanan: Deep learning with limited numerical
 * precision, 2015): to one of its two neighbours, so that the mean of many roundings is the number
 * itself; a sum of numbers that are small beside it grows all the same. Which one is a function of
 * the seed, the number of the step, the row, the column and the state: the same on every device.
 * F16: what is smaller than 2^-32 becomes 0.
 */
typedef enum sparcl_state_rounding {
    SPARCL_ROUNDING_STOCHASTIC = 0, /**< at random */
    SPARCL_ROUNDING_NEAREST = 1     /**< to nearest, ties to even (DGL) */
} sparcl_state_rounding;

/** What becomes of rows of the gradient that have one index. */
typedef enum sparcl_optim_duplicates {
    SPARCL_DUPLICATES_SUM = 0,   /**< they are added, by rule R */
    SPARCL_DUPLICATES_MEAN = 1,  /**< their sum is divided by their number */
    SPARCL_DUPLICATES_ERROR = 2, /**< E_DATA; waits for the device unless the gradient is UNIQUE */
    SPARCL_DUPLICATES_SEPARATE = 3, /**< each is a step of its own, in the order stored */
    SPARCL_DUPLICATES_SQUARES = 4   /**< Keras 3: means see their sum, but squares the sum of their
                                         squares (ADAMAX: the sum of their magnitudes); in ADAGRAD,
                                         ADADELTA and RMSPROP without momentum each then moves the
                                         weights by itself. The rules of this kind that Keras has:
                                         ADAGRAD, ADAM, AMSGRAD, RMSPROPs, ADADELTA, FTRL, NADAM,
                                         ADAMAX, LAMB; others refuse it (E_ARG). A coupled decay is
                                         added to the first of them */
} sparcl_optim_duplicates;

/** Where epsilon is added, in the rules that divide by a root. */
typedef enum sparcl_epsilon {
    SPARCL_EPSILON_OUTSIDE = 0,  /**< sqrt(v) + epsilon */
    SPARCL_EPSILON_INSIDE = 1,   /**< sqrt(v + epsilon) */
    SPARCL_EPSILON_CORRECTED = 2 /**< ADAM, AMSGRAD: sqrt(v / (1 - beta2^t)) + epsilon */
} sparcl_epsilon;

/**
 * What ROWWISE_ADAGRAD_COUNTER does with the counter c of a row. In the modes but COWCLIP r = k and
 * f = 1 up to step adjustment_iter; then f = 1 - counter_halflife / c weight_decay k with a coupled
 * decay, lr for k with DECAY_DECOUPLED. M is max_counter.
 */
typedef enum sparcl_counter_mode {
    SPARCL_COUNTER_EQUAL = 0, /**< r = k */
    SPARCL_COUNTER_TAIL_LR_INCREASE =
        1, /**< where c is above tail_id_threshold, r = k (M / (c + 1))^adjustment_ub, the factor
                at least 1 and at most 10 */
    SPARCL_COUNTER_TAIL_LR_DECREASE = 2, /**< r = k ((c + 1) / M)^adjustment_ub there, the factor
                                              at least 0.1 and at most 1 */
    SPARCL_COUNTER_SGD = 3,              /**< r = lr / (sqrt(adjustment_ub c) + epsilon) there */
    SPARCL_COUNTER_ADAGRADW =
        4, /**< r = k sqrt(c) d^(n - 1) and f = d^n, d = 1 - lr weight_decay: the decay of the steps
                without the row, those after adjustment_iter. A coupled decay is refused (E_ARG) */
    SPARCL_COUNTER_COWCLIP = 5 /**< r = k min(1, c max(weight_norm_coefficient |w|, lower_bound) /
                                  |g|), with the 2-norms of the row; f = 1 - weight_decay r with a
                                  coupled decay, lr for r with DECAY_DECOUPLED */
} sparcl_counter_mode;

/**
 * An optimizer: its rule, its hyper-parameters and the number of the step. sparcl_optim_init fills
 * in the defaults of a rule, sparcl_optim_preset those of a system. No value stands for a default:
 * with lr 0 the rule changes no weight. FTRL and ADAGRAD_DA divide by lr; it must be positive
 * there. As text (optim_text.h) a setting has one name, in parentheses here where it is not that of
 * the field.
 *
 * Before the rule, in this order: g = rescale g; g is clipped; the decay. MXNet's ADAM, NADAM,
 * ADAMAX and RMSPROP clip after a coupled decay.
 *
 * Hyper-parameters are checked also where the rule does not use them: eta and rescale must be
 * finite, and rescale not 0 (-1 climbs); momentum.factor, dampening, rho and the betas at least 0
 * and less than 1; last_lr and counter.halflife finite, lr_power finite and not positive; limits,
 * which may be INFINITY (of clip, upper_bound, max_norm), and all others, finite, not negative;
 * step at least 1; size what sparcl_optim_init fills in; else E_ARG.
 */
typedef struct sparcl_optim {
    size_t size;          /**< sizeof(sparcl_optim) of the program */
    sparcl_rule rule;     /**< what a step computes */
    sparcl_preset preset; /**< in whose order */
    int64_t step;         /**< t: the number of this step, from 1; the caller raises it
                             after the step of all tables */
    double lr;            /**< the learning rate of this step */
    double rescale;       /**< a factor of the gradient */
    sparcl_moves moves;   /**< which rows a row-sparse step moves */
    sparcl_optim_duplicates duplicates; /**< what becomes of rows of one index */
    int check_finite;             /**< not 0: a gradient with a value that is NaN or infinite is
                                     refused (E_DATA, with the value's position and row); a step
                                     then waits for the device */
    double epsilon;               /**< rules with a root, LARS */
    sparcl_epsilon epsilon_place; /**< where epsilon is added */
    double eta;      /**< ADAM of MXNet with DECAY_INSIDE: w -= eta (lr move + weight_decay w);
                        ROWWISE_LARS, LARS: a factor of its rate */
    double max_norm; /**< rules with ROW in their name: a row that the step made longer than this
                        (2-norm) is scaled to this length; INFINITY: no limit. Other rules refuse a
                        limit (E_ARG) */
    /** Limits of the gradient; INFINITY: none. */
    struct {
        double value;    /**< the largest absolute value of an element; 0 makes every gradient 0
                            (clip_value) */
        double norm;     /**< the largest 2-norm of the gradient, of all rows as they are stored.
                            Before rescale, as Keras's clipnorm (clip_norm) */
        double row_norm; /**< after that, the largest 2-norm of a row of the gradient, with the rows
                            of one index added, or their mean, unless they stay separate
                            (clip_row_norm) */
        double weights; /**< RMSPROP and its forms: the largest absolute value of a weight after the
                           step (MXNet) (clip_weights) */
        int stored;     /**< not 0: a row-sparse gradient is clipped as it is stored, before
                           everything else (FBGEMM) (clip_stored) */
    } clip;
    /** Weight decay. */
    struct {
        double weight;     /**< the coefficient; 0: none (weight_decay) */
        sparcl_decay kind; /**< what it does (decay) */
        double signum;     /**< SIGNUM: a decay apart from that: w = (1 - lr wd_lh) w (wd_lh) */
    } decay;
    /** The steps that rows have missed; not settings. */
    struct {
        sparcl_lazy *object;    /**< NULL, or the steps so far */
        sparcl_buf *last_steps; /**< NULL, or one int64 for each row of the table: the number of the
                                   last step of the row; all zero before the first step. A step
                                   writes it for the rows that it changes. See sparcl_catch_up. Not
                                   with MOVES_ALL or DECAY_GLOBAL. */
        int64_t last_steps_at;  /**< where they begin, in elements */
    } lazy;
    /** States of elements. */
    struct {
        sparcl_state_type type;         /**< of the states (state_type) */
        sparcl_state_rounding rounding; /**< of states of 16 bits (state_rounding) */
        uint64_t seed;                  /**< of SPARCL_ROUNDING_STOCHASTIC (seed) */
    } states;
    /** MOMENTUM, RMSPROP_MOMENTUM, RMSPROP_CENTERED_MOMENTUM, SIGNUM, ROWWISE_LARS, LARS. */
    struct {
        double factor;    /**< (momentum) */
        double last_lr;   /**< LARS: lr of the step before, where that was another: momentum times
                             lr / last_lr (momentum_correction); 0: momentum as it is */
        double dampening; /**< MOMENTUM of PyTorch: b = momentum b + (1 - dampening) g */
        int nesterov;     /**< MOMENTUM: not 0: Nesterov's form */
    } momentum;
    /** ADAM, AMSGRAD, NADAM, ADAMAX, YOGI, ROWWISE_ADAM, ROWWISE_LAMB, ADAM_ROW_STEPS, LAMB; LION
     * has the betas. */
    struct {
        double beta1, beta2;
        int no_bias_correction; /**< not 0: as if beta^t and P were 0 */
        double momentum_decay;  /**< NADAM: how fast mu_t comes near beta1 (schedule_decay); Keras:
                                   1 */
    } adam;
    /** ADAGRADs. */
    struct {
        double lr_decay;            /**< the rate is lr / (1 + (t - 1) lr_decay) */
        double initial_accumulator; /**< s before the first step (sparcl_optim_create_states) */
        int frozen;                 /**< ADAGRAD: not 0: s stays as it is (update_slots=False of
                                       TensorFlow) */
    } adagrad;
    /** RMSPROP and its forms, ADADELTA, ROWWISE_RMSPROP. */
    struct {
        double rho;      /**< alpha, gamma1 or decay elsewhere */
        double ar_alpha; /**< ROWWISE_RMSPROP: how much a row shrinks for each step of absence */
        double min_shrinkage; /**< ROWWISE_RMSPROP: the smallest factor of the weights */
    } rmsprop;
    /** FTRL; PROXIMAL_SGD, PROXIMAL_ADAGRAD and ADAGRAD_DA have l1 and l2. */
    struct {
        double l1, l2;
        double l2_shrinkage, beta;
        double lr_power;           /**< not positive; -0.5: the root */
        int multiply_linear_by_lr; /**< TensorFlow and Keras: not 0: z holds lr times as much */
    } ftrl;
    /** LAMB: the norm of the weights counts as at least, and at most; INFINITY: no limit. */
    struct {
        double lower_bound, upper_bound; /**< the lower one also of COWCLIP */
    } trust;
    /** ROWWISE_ADAGRAD_COUNTER. */
    struct {
        sparcl_counter_mode mode; /**< (counter_mode) */
        double halflife;          /**< the steps in which a counter becomes half; 0: counters
                                     are 1; negative: they count the steps of the row. A
                                     coupled or decoupled decay refuses a negative one
                                     (E_ARG), but in ADAGRADW and COWCLIP (counter_halflife) */
        double adjustment_iter;   /**< the step up to which rates and weights are not adjusted */
        double adjustment_ub;     /**< a power, or a factor, of the counter */
        double tail_id_threshold; /**< the rates of rows whose counter is above it are adjusted */
        int tail_id_is_ratio;     /**< not 0: above floor(tail_id_threshold M) */
        double max;               /**< M; 0: each step finds 1 + the largest counter of the
                                     table before it, where it needs that, on the device
                                     (max_counter) */
        double weight_norm_coefficient; /**< of COWCLIP, and lower_bound */
    } counter;
} sparcl_optim;

/** The largest number of state tables of any rule. */
#define SPARCL_MAX_STATES 3

/** Number of state tables of a rule; -1 for an unknown rule. */
SPARCL_API int sparcl_rule_states(sparcl_rule rule);

/** The name of state i of a rule, as "m"; NULL where it has none. */
SPARCL_API const char *sparcl_rule_state_name(sparcl_rule rule, int i);

/** 1: state i of a rule has one number for each row of the table, so it has rank 1; 0: it has the
 * shape of the table, or does not exist. */
SPARCL_EXPERIMENTAL_API int sparcl_rule_state_is_row(sparcl_rule rule, int i);

/**
 * Create the states of a table before its first step.
 *
 * States    sparcl_rule_states(rule) new arrays, to be freed with sparcl_dense_free.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_MEMORY: no state was created.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_optim_create_states(sparcl_ctx *ctx,
                                                                      const sparcl_optim *optim,
                                                                      const sparcl_dense *table,
                                                                      sparcl_dense *states);

/**
 * One step: updates the rows of `table` and `states` that the gradient has, and no others (but see
 * SPARCL_MOVES_ALL and SPARCL_DECAY_GLOBAL).
 *
 * The caller counts optim->step (t in the rules), which no call changes: all tables of a model take
 * step t with one sparcl_optim, and then it is raised.
 *
 *     sparcl_optim_init(&adam, SPARCL_RULE_ADAM);              adam.step is 1
 *     sparcl_optim_create_states(ctx, &adam, &table, states);
 *     for (...; ++adam.step) {
 *         ... the gradient of the batch ...
 *         sparcl_step(ctx, &adam, &table, states, &gradient);
 *     }
 *
 * Shapes    table, the states and the gradient have one shape; states of rows
 *           (sparcl_rule_state_is_row) have rank 1 and an element for each row.
 * Types     one dtype; states of elements: that of optim->states.type.
 * Order     the gradient's rows may be unsorted, with duplicate indices: rows of one index are
 *           added first, in the order stored (rule R), or what optim->duplicates says. A gradient
 *           marked UNIQUE is used as it is.
 * States    sparcl_rule_states(rule) tables, as sparcl_optim_create_states makes them before the
 *           first step. NULL for 0 tables.
 * Aliasing  no two of table, states, gradient and last_steps may overlap.
 * Result    the same bits on every run, every device and every kernel variant.
 * Scratch   none for a gradient marked UNIQUE; else 24 bytes per row, 48 with 64-bit indices, and a
 *           tenth of the values: sums of rows are used in the step without being stored, except by
 *           rules with states of rows: these need as much as sparcl_rows_coalesce and its
 *           result. MOVES_ALL and DECAY_GLOBAL: a byte for each row of the table. LAMB and LARS:
 *           the values of the table, twice where its rows have gaps, and a byte for each of its
 *           rows; these steps read and write the whole table. clip_stored with a limit, clip_norm
 *           and clip_row_norm: the values of the gradient each, and for clip_row_norm as
 *           sparcl_rows_coalesce and its result. A largest counter that a step finds: a
 *           hundredth of the counters.
 * Host      returns after enqueueing; never waits for the device, except for DUPLICATES_ERROR and
 *           check_finite.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED, and E_DATA for DUPLICATES_ERROR and
 *           check_finite: nothing was changed.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_step(sparcl_ctx *ctx, const sparcl_optim *optim,
                                                       const sparcl_dense *table,
                                                       const sparcl_dense *states,
                                                       const sparcl_rows *gradient);

/**
 * One step of every row, from a dense gradient. Otherwise as sparcl_step; the result has the same
 * bits as sparcl_step with a gradient that has all rows.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_step_dense(sparcl_ctx *ctx,
                                                             const sparcl_optim *optim,
                                                             const sparcl_dense *table,
                                                             const sparcl_dense *states,
                                                             const sparcl_dense *gradient);

/**
 * One step with what the gradient G of a bag's result gives to the table: the bits of
 * sparcl_embedding_bag_gradient and then sparcl_step, but the gradient of the table is not stored
 * where each of its rows is a sum of rows of G (modes SUM, MEAN and SQRTN without weights, rows of
 * more than one number, a rule without numbers of a row or of the whole table, no clip_stored with
 * a limit, no clip_norm or clip_row_norm, no lazy).
 *
 * Shapes    as for these two calls: table [limit, ...] of rank 1 or 2, G [bags, ...].
 * Types     one dtype, F32 or F64.
 * Order     the entries of a row are added in their order (rule R, from 0); what optim->duplicates
 *           says of rows of one index does not matter.
 * Positions those of sparcl_embedding_bag in mode MAX, else NULL.
 * Aliasing  no two of table, states, last_steps, G, positions and the arrays of the bags overlap.
 * Result    the same bits on every run, every device and every kernel variant.
 * Scratch   8 bytes for each bag; for each entry 36 bytes, or 72 with 64-bit indices, and a tenth
 *           of its row of G; MEAN and SQRTN, or a G with gaps: as much as G. Else that of the two
 *           calls and the gradient.
 * Host      returns after enqueueing; never waits for the device, except for check_finite.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED, and E_DATA for check_finite: nothing was
 *           changed.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status
sparcl_step_bags(sparcl_ctx *ctx, const sparcl_optim *optim, const sparcl_dense *table,
                 const sparcl_dense *states, const sparcl_bags *bags, const sparcl_dense *g,
                 const sparcl_dense *positions);

/**
 * Apply the steps that rows have missed: afterwards a row is as if all steps up to number
 * optim->step - 1 had been applied to it, those after last_steps[row] with a gradient of 0 (except
 * weight_decay w). last_steps[row] becomes optim->step - 1 where it was less; a row that has missed
 * no step keeps its bits.
 *
 * So training with row-sparse steps equals training with dense steps, up to rounding, while the
 * cost of a step depends only on its rows:
 *
 *     optim.step = t;
 *     sparcl_catch_up(ctx, &optim, &table, states, &rows_that_the_batch_reads);
 *     ... the gradient of the batch, at the table as it is now ...
 *     sparcl_step(ctx, &optim, &table, states, &gradient);
 *
 * and after the last step T a call for all rows, with optim.step = T + 1.
 *
 * Rules     SGD: w = (1 - lr d)^k w for k missed steps, d = weight_decay (lazy updates: Carpenter
 *           2008, "Lazy sparse stochastic gradient descent"; Lipton and Elkan 2015, "Efficient
 *           elastic net regularization for sparse linear models"). MOMENTUM, whose two formulas
 *           with a gradient of d w are linear in (b, w), in the same way: (b, w) = M^k (b, w) with
 *           M = (momentum, d; -lr momentum, 1 - lr d). M^1, M^2, M^4, ... are computed on the host
 *           in double; the rounding is in docs/numerics.md. Both with the order of PyTorch and a
 *           coupled decay. The hyper-parameters must be those of the missed steps. The other rules
 *           have no closed form: E_ARG.
 * Shapes    table and states have one shape; its first dimension is that of `rows`.
 * Rows      indices and count of a row-sparse view; its values are not read and may be NULL. NULL:
 *           all rows.
 * Aliasing  no two of table, states, the rows' indices and last_steps may overlap.
 * Result    the same bits on every run, every device and every kernel variant.
 * Scratch   4 KiB; for rows that are not marked UNIQUE also 4 bytes for each row of the table.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED: nothing was changed.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_catch_up(sparcl_ctx *ctx,
                                                           const sparcl_optim *optim,
                                                           const sparcl_dense *table,
                                                           const sparcl_dense *states,
                                                           const sparcl_rows *rows);

/* --- exact lazy steps ------------------------------------------------------------------------- */

/**
 * The steps so far, for rows that have missed some of them. A dense optimizer moves every row in
 * every step: momentum and Adam by their decaying states, a weight decay by the weights. With
 * optim.lazy.object a row moves when it is read or written instead, by all missed steps at once;
 * the result is that of the dense rule, which moves and decays all rows, up to rounding.
 * docs/exact-lazy.md has the derivation and measured errors.
 *
 *     sparcl_lazy_create(ctx, &optim.lazy.object, &optim, &table, 0);    optim.step is the first
 * step for (optim.step = 1; optim.step <= T; ++optim.step) { sparcl_catch_up(ctx, &optim, &table,
 * states, &rows_that_the_batch_reads);
 *         ... the gradient of the batch ...
 *         sparcl_step(ctx, &optim, &table, states, &gradient);
 *     }
 *     sparcl_catch_up(ctx, &optim, &table, states, NULL);         step is T + 1: all rows ("flush")
 *
 * sparcl_step first catches up the rows of its gradient; a gradient without rows is a step, too.
 * Steps have numbers without gaps, and each may have its own lr, lr_decay, epsilon and
 * weight_decay, and l1, l2 and beta. The other settings that decide how a row moves must stay:
 * rule, preset, momentum, nesterov, betas, rho, epsilon_place, no_bias_correction, lr_power,
 * multiply_linear_by_lr, decay. `moves` and DECAY_GLOBAL or DECAY_DECOUPLED make no difference. An
 * object serves one table; optim.lazy.last_steps must be NULL.
 */

/**
 * Create the object of a table, all rows of which have had the steps before optim->step.
 *
 * Rules     SGD, any decay; MOMENTUM and Nesterov's form; ADAGRAD; ADAM and AMSGRAD with epsilon
 *           outside of the root (also of the corrected root); NADAM; RMSPROP and its forms, and
 *           ADADELTA, without clip_weights; FTRL without l2_shrinkage, and ADAGRAD_DA: with the
 *           bits of the dense rule. A coupled decay only with SGD, and FTRL of MXNet and HugeCTR:
 *           with the others it has no closed form. See `replay` for those.
 * Replay    not 0: every step is taken on all rows when it is made. Any rule; the cost and the bits
 *           of the dense rule: to compare with.
 * Memory    4 bytes for each row, and for each step 40 bytes (F64: 76), in arrays that double; FTRL
 *           and ADAGRAD_DA need none for steps.
 * Host      waits for the device.
 * Errors    E_ARG: no closed form, or ADAM or NADAM with beta1 / beta2^2 so near to 1 that
 *           movements last longer than 2^16 steps; E_DTYPE, E_SHAPE, E_MEMORY: *lazy is NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_lazy_create(sparcl_ctx *ctx, sparcl_lazy **lazy,
                                                              const sparcl_optim *optim,
                                                              const sparcl_dense *table,
                                                              int replay);
/** Free an object. NULL is allowed. Must come before the context is closed. */
SPARCL_API void sparcl_lazy_free(sparcl_lazy *lazy);
/** Bytes of device memory that the object has; 0 for NULL. */
SPARCL_EXPERIMENTAL_API int64_t sparcl_lazy_bytes(const sparcl_lazy *lazy);

#ifdef __cplusplus
}
#endif

#endif
