/* rule_answer.h: the optimizer rules in plain C, with the roundings of docs/numerics.md. */
#ifndef SPC_SPEC_RULE_ANSWER_H
#define SPC_SPEC_RULE_ANSWER_H

#include "spec/spec.h"

/* An optimizer as the kernels see it: cl/rule_<name>.cl says what a, b and c are. */
typedef struct spec_hyper {
    sparcl_rule rule;
    sparcl_dtype dtype;
    double l2, lr, a, b, c;
} spec_hyper;

/* A weight and what its rule keeps beside it: b; s; m and v. */
typedef struct spec_element {
    double w, p, q;
} spec_element;

spec_hyper spec_hyper_of(const sparcl_optim *optim, sparcl_dtype dtype);
/* As the kernels get them. */
spec_hyper spec_hyper_rounded(spec_hyper h);
/* One step with the gradient g: every operation rounded once. */
spec_element spec_step_order(const spec_hyper *h, spec_element x, double g);
/* The formulas of sparcl/optim.h in double. */
spec_element spec_step_truth(const spec_hyper *h, spec_element x, double g);
/* How far from the truth rounding may lead, g being off by dg already: every operation adds u times
 * its result, every hyper-parameter is off by u. Second states stay >= 0, so that their errors are
 * relative.
 */
spec_element spec_step_bound(const spec_hyper *h, spec_element x, spec_element truth, double g,
                             double dg);

#endif
