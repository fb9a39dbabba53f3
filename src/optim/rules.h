/* rules.h: the table of optimizer rules, and the checks of every step on the host. */
#ifndef SPC_OPTIM_RULES_H
#define SPC_OPTIM_RULES_H

#include <math.h>

#include "../cl/hyper.cl"
#include "launch/launch.h"
#include "ops/shared/check.h"
#include "optim/power.h"
#include "sparcl/optim.h"

/* The numbers of a step's kernel, before they are rounded to its type: lr, the coefficients of its
 * rule and the bits of `form`, in which order it computes (cl/hyper.cl); and what comes before
 * every rule (cl/step.cl). */
#define SPC_NAMED(RULE)                                                                            \
    struct {                                                                                       \
        double SPC_##RULE##_COEFFICIENTS;                                                          \
    }
typedef struct spc_hyper {
    double lr;
    union {
        double coefficients[10];
        SPC_NAMED(SGD) sgd;
        SPC_NAMED(MOMENTUM) momentum;
        SPC_NAMED(ADAGRAD) adagrad;
        SPC_NAMED(ADAM) adam;
        SPC_NAMED(ADAMAX) adamax;
        SPC_NAMED(NADAM) nadam;
        SPC_NAMED(RMSPROP) rmsprop;
        SPC_NAMED(ADADELTA) adadelta;
        SPC_NAMED(FTRL) ftrl;
        SPC_NAMED(PROXIMAL) proximal;
        SPC_NAMED(SIGN) sign;
        SPC_NAMED(LAMB) lamb;
        SPC_NAMED(LARS) lars;
        SPC_NAMED(ROW_ADAGRAD) row_adagrad;
        SPC_NAMED(ROW_ADAM) row_adam;
        SPC_NAMED(ROW_RMSPROP) row_rmsprop;
        SPC_NAMED(ROW_LARS) row_lars;
        SPC_NAMED(ROW_COUNTER) row_counter;
    };
    double rescale, clip, decay, clip_decayed, keep, shrink, shrink_lr;
    uint32_t form;
} spc_hyper;
_Static_assert(offsetof(spc_hyper, rescale) == 11 * sizeof(double), "a rule has ten coefficients");

/* A rule. `presets` has the hyper-parameters that a system has by default; `step` is 1 where the
 * system has the rule. `hyper` finds a step already prepared by spc_hyper_of. */
typedef struct spc_rule {
    const char *name, *formula;
    const char *uses; /* settings beside those of all rules, separated by blanks; NULL: none */
    bool catches_up;  /* sparcl_catch_up has it */
    const char *stem, *squares; /* `squares` of DUPLICATES_SQUARES; NULL: the rule has no such */
    const char *late_stem;  /* of cl/step_late.cl; NULL: rows catch up in a launch of their own */
    int states, row_states; /* the last row_states of the states have a number for each row */
    const char *state_names[SPARCL_MAX_STATES];
    bool is_by_row;       /* its kernels are those of cl/by_row.cl */
    bool is_by_table;     /* the rate has norms of the whole table: step_table.c */
    bool accumulates;     /* the first state begins with initial_accumulator */
    bool divides_by_rate; /* lr must be positive */
    bool decays_inside;   /* DECAY_INSIDE */
    bool keeps_absent;    /* MOVES_ALL: the rate of rows without a gradient is 0 */
    uint32_t form;        /* the bits of all its steps; `hyper` adds those of a preset */
    sparcl_optim presets[SPARCL_PRESETS];
    void (*hyper)(const sparcl_optim *optim, spc_hyper *h);
    /* The state whose largest number before a step cl/by_row.cl takes, -1: none; NULL: never. */
    int (*needs_largest)(const sparcl_optim *optim);
} spc_rule;

extern const spc_rule spc_rule_sgd, spc_rule_momentum;                /* rules_gradient.c */
extern const spc_rule spc_rule_adagrad;                               /* rules_adagrad.c */
extern const spc_rule spc_rule_adam, spc_rule_amsgrad, spc_rule_yogi; /* rules_adam.c */
extern const spc_rule spc_rule_rmsprop, spc_rule_rmsprop_momentum, spc_rule_rmsprop_centered,
    spc_rule_rmsprop_centered_momentum, spc_rule_adadelta; /* rules_rmsprop.c */
extern const spc_rule spc_rule_ftrl, spc_rule_proximal_sgd, spc_rule_proximal_adagrad,
    spc_rule_adagrad_da; /* rules_proximal.c */
extern const spc_rule spc_rule_rowwise_adagrad, spc_rule_rowwise_adam, spc_rule_rowwise_rmsprop,
    spc_rule_rowwise_lars, spc_rule_rowwise_lamb, spc_rule_adam_row_steps; /* rules_row.c */
extern const spc_rule spc_rule_rowwise_adagrad_counter;                    /* rules_counter.c */
extern const spc_rule spc_rule_nadam, spc_rule_adamax;                     /* rules_nadam.c */
extern const spc_rule spc_rule_lamb, spc_rule_lars;                        /* rules_table.c */
extern const spc_rule spc_rule_signsgd, spc_rule_signum, spc_rule_lion;    /* rules_sign.c */

/* The defaults of a system in `presets`. */
#define SPC_OF(system, ...) [SPARCL_PRESET_##system] = {.step = 1, __VA_ARGS__}
/* How Keras 3 treats rows, in most rules. */
#define SPC_OF_KERAS3(...)                                                                         \
    SPC_OF(KERAS3, .moves = SPARCL_MOVES_ALL, .decay.kind = SPARCL_DECAY_GLOBAL,                   \
           .duplicates = SPARCL_DUPLICATES_SQUARES, __VA_ARGS__)
/* Rows of one index are steps of their own. */
#define SPC_SEPARATE .duplicates = SPARCL_DUPLICATES_SEPARATE

/* NULL for an unknown rule. */
const spc_rule *spc_rule_of(sparcl_rule rule);

/* Epsilon, where it is inside of the root, and where it is outside. */
static inline double spc_epsilon_inside(const sparcl_optim *o) {
    return o->epsilon_place == SPARCL_EPSILON_INSIDE ? o->epsilon : 0;
}
static inline double spc_epsilon_outside(const sparcl_optim *o) {
    return o->epsilon_place == SPARCL_EPSILON_INSIDE ? 0 : o->epsilon;
}

/* 1 - x in float, as some systems have it. */
static inline double spc_float_rest(double x) {
    return (double)(1 - (float)x);
}

/* MXNet's Adam and its kin clip after a coupled decay. */
static inline void spc_clip_decayed(const sparcl_optim *o, spc_hyper *h) {
    if (o->preset != SPARCL_PRESET_MXNET || o->decay.kind != SPARCL_DECAY_COUPLED) return;
    h->clip_decayed = h->clip;
    h->clip = (double)INFINITY;
}

/* Whether a state has a number for each element. */
static inline bool spc_has_element_states(const spc_rule *rule) {
    return rule->states > rule->row_states;
}

/* Whether states of elements have 16 bits. */
static inline bool spc_has_half_states(const sparcl_optim *optim) {
    return optim->states.type != SPARCL_STATES_AS_TABLE &&
           spc_has_element_states(spc_rule_of(optim->rule));
}

/* Whether state i has a number for each row. */
static inline bool spc_is_row_state(const spc_rule *rule, int i) {
    return i >= rule->states - rule->row_states;
}

/* Zeros become initial_accumulator, where the first state of the rule begins with it. */
sparcl_status spc_fill_first_state(sparcl_ctx *ctx, const sparcl_optim *optim,
                                   const sparcl_dense *state);
/* E_DTYPE: no table of this type can have states of 16 bits. */
sparcl_status spc_check_state_type(sparcl_ctx *ctx, const char *op, const sparcl_optim *optim,
                                   sparcl_dtype table);
/* The type of state i of a table. */
static inline sparcl_dtype spc_state_dtype(const spc_rule *rule, const sparcl_optim *optim, int i,
                                           sparcl_dtype table) {
    if (spc_is_row_state(rule, i) || optim->states.type == SPARCL_STATES_AS_TABLE) return table;
    return optim->states.type == SPARCL_STATES_F16 ? SPARCL_F16 : SPARCL_BF16;
}

/* The numbers of a step; the build option SPC_PREPARE where what comes before the rule is not only
 * a coupled decay. */
spc_hyper spc_hyper_of(const spc_rule *rule, const sparcl_optim *optim);
uint32_t spc_prepare_options(const sparcl_optim *optim, const spc_hyper *h);

/* The operands of every step: an optimizer, a table and its states. */
typedef struct spc_tables {
    const spc_rule *rule;
    sparcl_optim optim;
    const sparcl_dense *weights;
    const sparcl_dense *states; /* rule->states of them, and that of the updates */
    bool has_updates;           /* one state more, of a rule with is_by_table */
    int64_t rows, width;
    int64_t first;             /* the number of the element that they begin with */
    const sparcl_buf *largest; /* NULL, or the largest number of a state before the step */
} spc_tables;

static inline int spc_count_states(const spc_tables *t) {
    return t->rule->states + t->has_updates;
}

sparcl_status spc_optim_check(sparcl_ctx *ctx, const char *op, const sparcl_optim *optim);

/* Check an optimizer, its table and states; and that these overlap neither each other nor
 * `operands`.
 */
sparcl_status spc_tables_open(sparcl_ctx *ctx, const char *op, spc_tables *tables,
                              const sparcl_optim *optim, const sparcl_dense *weights,
                              const sparcl_dense *states);
sparcl_status spc_tables_alias(sparcl_ctx *ctx, const char *op, const spc_tables *tables,
                               const spc_span *operands, size_t count);

/* E_DATA: a value of the gradient is NaN or infinite. Waits for the device. */
sparcl_status spc_check_finite_rows(sparcl_ctx *ctx, const char *op, const sparcl_rows *gradient,
                                    int64_t width);
sparcl_status spc_check_finite_dense(sparcl_ctx *ctx, const char *op, const sparcl_dense *gradient,
                                     int64_t width);

/* Three kernel arguments: a table of values, the position where they begin, the leading
 * dimension. */
#define SPC_TABLE_ARGS(view)                                                                       \
    SPC_OUT((view) ? (view)->values : NULL), SPC_I64((view) ? (view)->values_at : 0),              \
        SPC_I64((view) ? spc_dense_ld(view) : 0)

#endif
