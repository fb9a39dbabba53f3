/* rule_answer.h: the optimizer rules in plain C, with the roundings of docs/numerics.md. */
#ifndef SPC_SPEC_RULE_ANSWER_H
#define SPC_SPEC_RULE_ANSWER_H

#include "spec/num.h"

/* The coefficients of a step, from its optimizer. */
typedef struct spec_hyper {
    sparcl_optim optim;
    sparcl_dtype dtype;
    spec_num lr;                                   /* with the bias correction that is part of it */
    spec_num momentum, beta1, beta2, rest1, rest2; /* rest: 1 - beta */
    spec_num inside, outside;                      /* epsilon */
    spec_num correction1, correction2;             /* that are not part of lr */
    spec_num more;                                 /* what a rule needs besides */
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
/* One step of a row with the gradient g, n numbers: of all rules. Those that need numbers of a row
 * have no other. */
void spec_step_row(const spec_hyper *h, const spec_row *x, const spec_num *g);
/* The gradient after the dials; *w after the decay. */
spec_num spec_dials(const spec_hyper *h, spec_num *w, spec_num g);
/* A weight after a decay that is apart from the gradient. */
spec_num spec_decayed(const spec_hyper *h, spec_num w);
/* A step, only as a kernel computes it. */
spec_element spec_step_order(const spec_hyper *h, spec_element x, double g);

/* The parts, each for its rules: the coefficients, then the step after the dials. */
void spec_gradient_hyper(spec_hyper *h); /* answer_gradient.c */
void spec_sgd(const spec_hyper *h, spec_result *x, spec_num g);
void spec_momentum(const spec_hyper *h, spec_result *x, spec_num g);
void spec_adagrad_hyper(spec_hyper *h); /* answer_adagrad.c */
void spec_adagrad(const spec_hyper *h, spec_result *x, spec_num g);
void spec_adam_hyper(spec_hyper *h); /* answer_adam.c */
void spec_adam(const spec_hyper *h, spec_result *x, spec_num g);
void spec_rmsprop_hyper(spec_hyper *h); /* answer_rmsprop.c */
void spec_rmsprop(const spec_hyper *h, spec_result *x, spec_num g);
void spec_adadelta(const spec_hyper *h, spec_result *x, spec_num g);
void spec_ftrl_hyper(spec_hyper *h); /* answer_proximal.c */
void spec_ftrl(const spec_hyper *h, spec_result *x, spec_num g);
void spec_proximal_hyper(spec_hyper *h);
void spec_proximal_sgd(const spec_hyper *h, spec_result *x, spec_num g);
void spec_proximal_adagrad(const spec_hyper *h, spec_result *x, spec_num g);
void spec_adagrad_da(const spec_hyper *h, spec_result *x, spec_num g);

/* A coupled decay is part of the rule: MXNet's SGD, momentum, Adadelta and FTRL, HugeCTR's FTRL. */
bool spec_decays_itself(const sparcl_optim *optim);
/* Those of a row, with the dials. */
void spec_rowwise_adagrad(const spec_hyper *h, const spec_row *x,
                          const spec_num *g); /* answer_row.c */

/* x^n by squaring: docs/numerics.md, "Optimizer rules". */
double spec_power_of(double x, int64_t n);

#endif
