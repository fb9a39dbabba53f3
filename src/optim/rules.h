/* rules.h: the table of optimizer rules, and the checks of every step on the host. */
#ifndef SPC_OPTIM_RULES_H
#define SPC_OPTIM_RULES_H

#include "launch/launch.h"
#include "ops/check.h"
#include "optim/power.h"
#include "sparcl/optim.h"

/* The numbers of a step's kernel, before they are rounded to its type. cl/rule_<name>.cl defines lr
 * to h, and the bits of `form`: in which order it computes. The others are what comes before every
 * rule (cl/step.cl). */
typedef struct spc_hyper {
    double lr, a, b, c, d, e, f, g, h;
    double rescale, clip, decay, clip_decayed, keep, shrink, shrink_lr;
    uint32_t form;
} spc_hyper;

/* A rule. `profiles` has the hyper-parameters that a system has by default; `step` is 1 where the
 * system has the rule. `hyper` finds a step already prepared by spc_hyper_of. */
typedef struct spc_rule {
    const char *name, *formula;
    const char *uses; /* settings beside those of all rules, separated by blanks; NULL: none */
    bool catches_up;  /* sparcl_catch_up has it */
    const char *stem;
    int states, row_states; /* the last row_states of the states have a number for each row */
    const char *state_names[SPARCL_MAX_STATES];
    bool is_by_row;       /* its kernels are those of cl/by_row.cl */
    bool accumulates;     /* the first state begins with initial_accumulator */
    bool divides_by_rate; /* lr must be positive */
    sparcl_optim profiles[SPARCL_PROFILES];
    void (*hyper)(const sparcl_optim *optim, spc_hyper *h);
} spc_rule;

extern const spc_rule spc_rule_sgd, spc_rule_momentum; /* rules_gradient.c */
extern const spc_rule spc_rule_adagrad;                /* rules_adagrad.c */
extern const spc_rule spc_rule_adam, spc_rule_amsgrad; /* rules_adam.c */
extern const spc_rule spc_rule_rmsprop, spc_rule_rmsprop_momentum, spc_rule_rmsprop_centered,
    spc_rule_rmsprop_centered_momentum, spc_rule_adadelta; /* rules_rmsprop.c */
extern const spc_rule spc_rule_ftrl, spc_rule_proximal_sgd, spc_rule_proximal_adagrad,
    spc_rule_adagrad_da;                        /* rules_proximal.c */
extern const spc_rule spc_rule_rowwise_adagrad; /* rules_row.c */

/* Whether state i has a number for each row. */
static inline bool spc_is_row_state(const spc_rule *rule, int i) {
    return i >= rule->states - rule->row_states;
}

/* NULL for an unknown rule. */
const spc_rule *spc_rule_of(sparcl_rule rule);
/* The numbers of a step; the build option SPC_DIALS where what comes before the rule is not only a
 * coupled decay. */
spc_hyper spc_hyper_of(const spc_rule *rule, const sparcl_optim *optim);
uint32_t spc_dials_options(const sparcl_optim *optim, const spc_hyper *h);

/* The operands of every step: an optimizer, a table and its states. */
typedef struct spc_tables {
    const spc_rule *rule;
    sparcl_optim optim;
    const sparcl_dense *weights;
    const sparcl_dense *states; /* rule->states of them */
    int64_t rows, width;
} spc_tables;

sparcl_status spc_optim_check(sparcl_ctx *ctx, const char *op, const sparcl_optim *optim);

/* Check an optimizer, its table and states; and that these overlap neither each other nor
 * `operands`.
 */
sparcl_status spc_tables_open(sparcl_ctx *ctx, const char *op, spc_tables *tables,
                              const sparcl_optim *optim, const sparcl_dense *weights,
                              const sparcl_dense *states);
sparcl_status spc_tables_alias(sparcl_ctx *ctx, const char *op, const spc_tables *tables,
                               const spc_span *operands, size_t count);

/* Three kernel arguments: a table of values, the position where they begin, the leading
 * dimension. */
#define SPC_TABLE_ARGS(view)                                                                       \
    SPC_OUT((view) ? (view)->values : NULL), SPC_I64((view) ? (view)->values_at : 0),              \
        SPC_I64((view) ? spc_dense_ld(view) : 0)

#endif
