/* elementary.h: exp, log and functions of them with the operations of cl/elementary.cl, in the same
 * order, each rounded to dtype. */
#ifndef SPC_SPEC_ELEMENTARY_H
#define SPC_SPEC_ELEMENTARY_H

#include "sparcl/tensor.h"

double spec_exp(sparcl_dtype dtype, double x);
double spec_log(sparcl_dtype dtype, double x);
double spec_log1p(sparcl_dtype dtype, double x); /* for x >= 0 */
double spec_sigmoid(sparcl_dtype dtype, double x);
double spec_tanh(sparcl_dtype dtype, double x);

#endif
