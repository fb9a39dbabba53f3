/* rule_answer.h: the optimizer rules in plain C, with the roundings of docs/numerics.md. */
#ifndef SPC_SPEC_RULE_ANSWER_H
#define SPC_SPEC_RULE_ANSWER_H

#include "spec/shared/num.h"

/* The coefficients of a step, from its optimizer. */
typedef struct spec_hyper {
    sparcl_optim optim;
    sparcl_dtype dtype;
    spec_num lr;                                   /* with the bias correction that is part of it */
    spec_num momentum, beta1, beta2, rest1, rest2; /* rest: 1 - beta */
    spec_num epsilon, inside, outside;
    spec_num correction1, correction2; /* that are not part of lr */
    spec_num more;                     /* what a rule needs besides */
    spec_num factor, decay; /* of a move that has a decay in it: factor (move + decay w) */
} spec_hyper;

/* A weight and its states. */
typedef struct spec_element {
    double w, s[SPARCL_MAX_STATES];
} spec_element;
typedef struct spec_result {
    spec_num w, s[SPARCL_MAX_STATES];
} spec_result;
/* A row of weights and states, of n numbers each; a state of rows has one. */
typedef struct spec_row {
    int64_t n;
    spec_num *w, *s[SPARCL_MAX_STATES];
} spec_row;

spec_hyper spec_hyper_of(const sparcl_optim *optim, sparcl_dtype dtype);
/* One step of an element with the gradient g. */
void spec_step_of(const spec_hyper *h, spec_result *x, spec_num g);
/* One step of an element with DUPLICATES_SQUARES and the gradients of `count` rows, which become
 * those prepared. */
void spec_step_of_rows(const spec_hyper *h, spec_result *x, spec_num *g, int64_t count);
/* One step of a row with the gradient g, n numbers: of all rules. Those that need numbers of a row
 * have no other. */
void spec_step_row(const spec_hyper *h, const spec_row *x, const spec_num *g);
/* The gradient prepared for the rule: scaled, clipped, with a coupled decay; *w after the others.
 */
spec_num spec_prepare(const spec_hyper *h, spec_num *w, spec_num g);
/* A weight after a decay that is apart from the gradient. */
spec_num spec_decayed(const spec_hyper *h, spec_num w);
/* Squares that are added one by one, by rule S with one column; and the root of their sum. */
typedef struct spec_squares {
    sparcl_dtype dtype;
    int64_t count;
    double parts[8], total, error;
    long double truth;
} spec_squares;
void spec_add_square(spec_squares *squares, spec_num x);
spec_num spec_norm_of(spec_squares squares);
/* A gradient, or a row of it, whose norm is at most `limit`. */
void spec_clip_norm(spec_num *g, int64_t count, double limit);
/* Whether the step changes rows that its gradient does not have; and such a row after it: a step
 * with a gradient of 0, or a decay. `g` becomes 0. */
bool spec_step_moves_absent(const sparcl_optim *optim);
void spec_step_absent(const spec_hyper *h, const spec_row *x, spec_num *g);
/* A step, only as a kernel computes it. */
spec_element spec_step_order(const spec_hyper *h, spec_element x, double g);

/* The parts, each for its rules: the coefficients, then the step with a prepared gradient. */
void spec_gradient_hyper(spec_hyper *h); /* answer_gradient.c */
void spec_sgd(const spec_hyper *h, spec_result *x, spec_num g);
void spec_momentum(const spec_hyper *h, spec_result *x, spec_num g);
void spec_adagrad_hyper(spec_hyper *h); /* answer_adagrad.c */
void spec_adagrad(const spec_hyper *h, spec_result *x, spec_num g);
void spec_adam_hyper(spec_hyper *h); /* answer_adam.c */
void spec_adam(const spec_hyper *h, spec_result *x, spec_num g);
void spec_yogi(const spec_hyper *h, spec_result *x, spec_num g);
void spec_rmsprop_hyper(spec_hyper *h); /* answer_rmsprop.c */
void spec_rmsprop(const spec_hyper *h, spec_result *x, spec_num g);
void spec_adadelta(const spec_hyper *h, spec_result *x, spec_num g);
void spec_ftrl_hyper(spec_hyper *h); /* answer_proximal.c */
void spec_ftrl(const spec_hyper *h, spec_result *x, spec_num g);
void spec_proximal_hyper(spec_hyper *h);
void spec_proximal_sgd(const spec_hyper *h, spec_result *x, spec_num g);
void spec_proximal_adagrad(const spec_hyper *h, spec_result *x, spec_num g);
void spec_adagrad_da(const spec_hyper *h, spec_result *x, spec_num g);
void spec_nadam_hyper(spec_hyper *h); /* answer_nadam.c */
void spec_nadam(const spec_hyper *h, spec_result *x, spec_num g);
void spec_adamax_hyper(spec_hyper *h);
void spec_adamax(const spec_hyper *h, spec_result *x, spec_num g);
void spec_sign_hyper(spec_hyper *h); /* answer_sign.c */
void spec_signsgd(const spec_hyper *h, spec_result *x, spec_num g);
void spec_signum(const spec_hyper *h, spec_result *x, spec_num g);
void spec_lion(const spec_hyper *h, spec_result *x, spec_num g);
/* The first half of a step whose rate has norms of the whole table: the move becomes one state
 * more. */
void spec_lamb_hyper(spec_hyper *h); /* answer_table.c */
void spec_lamb(const spec_hyper *h, spec_result *x, spec_num g);
void spec_lars_hyper(spec_hyper *h);
void spec_lars(const spec_hyper *h, spec_result *x, spec_num g);
bool spec_is_by_table(sparcl_rule rule);
/* The second half: the rate, and a step of an element with it. */
spec_num spec_rate_of_table(const spec_hyper *h, spec_num weight_norm, spec_num move_norm);
void spec_step_by_ratio(const spec_hyper *h, spec_result *x, spec_num move, spec_num rate);

/* Those of rows of one index, for DUPLICATES_SQUARES, with prepared gradients. */
void spec_adagrad_rows(const spec_hyper *h, spec_result *x, const spec_num *g, int64_t count);
void spec_adam_rows(const spec_hyper *h, spec_result *x, const spec_num *g, int64_t count);
void spec_rmsprop_rows(const spec_hyper *h, spec_result *x, const spec_num *g, int64_t count);
void spec_adadelta_rows(const spec_hyper *h, spec_result *x, const spec_num *g, int64_t count);
void spec_ftrl_rows(const spec_hyper *h, spec_result *x, const spec_num *g, int64_t count);
void spec_nadam_rows(const spec_hyper *h, spec_result *x, const spec_num *g, int64_t count);
void spec_lamb_rows(const spec_hyper *h, spec_result *x, const spec_num *g, int64_t count);
void spec_adamax_rows(const spec_hyper *h, spec_result *x, const spec_num *g, int64_t count);
/* The sum of a term of each, in order; NULL: of themselves. */
spec_num spec_sum_of_rows(const spec_hyper *h, const spec_num *g, int64_t count,
                          spec_num (*term)(const spec_hyper *h, spec_num g));

/* DECAY_INSIDE with an effect. */
bool spec_decays_inside(const sparcl_optim *optim);
/* A coupled decay is part of the rule: MXNet's SGD, momentum, Adadelta, FTRL,
 * SIGNSGD and SIGNUM, HugeCTR's FTRL, ROWWISE_LARS, LARS. */
bool spec_decays_itself(const sparcl_optim *optim);
/* Those of a row, with what comes before. */
void spec_rowwise_adagrad(const spec_hyper *h, const spec_row *x,
                          const spec_num *g); /* answer_row.c */
void spec_rowwise_rmsprop(const spec_hyper *h, const spec_row *x, const spec_num *g);
void spec_rowwise_lars(const spec_hyper *h, const spec_row *x, const spec_num *g);
void spec_row_moments_hyper(spec_hyper *h); /* answer_row_adam.c */
void spec_rowwise_adam(const spec_hyper *h, const spec_row *x, const spec_num *g);
void spec_rowwise_lamb(const spec_hyper *h, const spec_row *x, const spec_num *g);
void spec_adam_row_steps(const spec_hyper *h, const spec_row *x, const spec_num *g);
void spec_row_counter_hyper(spec_hyper *h); /* answer_row_counter.c */
void spec_rowwise_adagrad_counter(const spec_hyper *h, const spec_row *x, const spec_num *g);
/* A step finds the largest number of the third state, which becomes h->more. */
bool spec_finds_largest(const sparcl_optim *optim);

/* x^n by squaring: docs/numerics.md, "Optimizer rules". */
double spec_power_of(double x, int64_t n);

#endif
