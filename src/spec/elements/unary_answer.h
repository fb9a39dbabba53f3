/* unary_answer.h: functions of one number and their gradients: the value with the roundings of
 * docs/numerics.md, and the exact one with the error that is allowed. */
#ifndef SPC_SPEC_UNARY_ANSWER_H
#define SPC_SPEC_UNARY_ANSWER_H

#include "spec/shared/spec.h"

/* A function is a sparcl_unary_op, or clip to [LOW, HIGH]. */
enum { SPEC_UNARY_CLIP = SPARCL_UNARY_RSQRT + 1 };
#define SPEC_UNARY_LOW  -1.5
#define SPEC_UNARY_HIGH 2.0

double spec_unary_order_value(int function, sparcl_dtype dtype, double x);
/* v is x or y. */
double spec_unary_order_gradient(int function, sparcl_dtype dtype, double v, double g);
/* The exact value, and in *ulp the error of ours in units of the last place; exact where it is 0.
 * near: ours. */
long double spec_unary_true_value(int function, double near, long double x, double *ulp);
/* The exact value of the formula for v and g, and in *roundings the error of ours in units u. */
long double spec_unary_true_gradient(int function, double near, long double v, long double g,
                                     double *roundings);

#endif
