/* rule_answer.h: the optimizer rules in plain C, with the roundings of docs/numerics.md. */
#ifndef SPC_SPEC_RULE_ANSWER_H
#define SPC_SPEC_RULE_ANSWER_H

#include "spec/spec.h"

/* The hyper-parameters of a kernel; cl/rule_<name>.cl defines a, b and c. */
typedef struct spec_hyper {
    sparcl_rule rule;
    sparcl_dtype dtype;
    double l2, lr, a, b, c;
} spec_hyper;

/* A weight and its states: b; s; m and v. */
typedef struct spec_element {
    double w, p, q;
} spec_element;

spec_hyper spec_hyper_of(const sparcl_optim *optim, sparcl_dtype dtype);
/* The same, rounded to the type of the kernels. */
spec_hyper spec_hyper_rounded(spec_hyper h);
/* One step with the gradient g: every operation rounded once. */
spec_element spec_step_order(const spec_hyper *h, spec_element x, double g);
/* The formulas of sparcl/optim.h in double. */
spec_element spec_step_truth(const spec_hyper *h, spec_element x, double g);
/* The maximum distance of a rounded result from the truth, where g has an error of dg: every
 * operation adds an error of u times its result, every hyper-parameter has a relative error of u.
 * Second states stay >= 0, so that their errors are relative.
 */
spec_element spec_step_bound(const spec_hyper *h, spec_element x, spec_element truth, double g,
                             double dg);

#endif
