/* unary_functions.h: the functions of cl/unary_functions.cl with the same operations in the same
 * order, each rounded to dtype. */
#ifndef SPC_SPEC_UNARY_FUNCTIONS_H
#define SPC_SPEC_UNARY_FUNCTIONS_H

#include "sparcl/tensor.h"

double spec_sin(sparcl_dtype dtype, double x);
double spec_cos(sparcl_dtype dtype, double x);
double spec_tan(sparcl_dtype dtype, double x);
double spec_arcsin(sparcl_dtype dtype, double x);
double spec_arctan(sparcl_dtype dtype, double x);
double spec_sinh(sparcl_dtype dtype, double x);
double spec_cosh(sparcl_dtype dtype, double x);
double spec_arcsinh(sparcl_dtype dtype, double x);
double spec_arctanh(sparcl_dtype dtype, double x);
double spec_expm1(sparcl_dtype dtype, double x);
double spec_log1p_all(sparcl_dtype dtype, double x); /* for all x */
double spec_cbrt(sparcl_dtype dtype, double x);

#endif
