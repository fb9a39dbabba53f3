/* made.h: random numbers as values of any element type. */
#ifndef SPC_SPEC_MADE_H
#define SPC_SPEC_MADE_H

#include "spec/shared/spec.h"

/* A random number in [-1, 1) as a value of any element type: integers up to 1000, three of four
 * bools set. */
double spec_value(sparcl_dtype dtype, double x);
/* The same, with bits in both words of INT64. */
double spec_moved_value(sparcl_dtype dtype, double x);
/* Numbers, or the values of a matrix, as such values. */
void spec_store_values(sparcl_dtype dtype, double *x, int64_t count);
void spec_matrix_store(spec_matrix *m, sparcl_dtype dtype);
/* The element type number i: all of them in turn, and those but F32 and F64. */
sparcl_dtype spec_any_dtype(int i);
sparcl_dtype spec_other_dtype(int i);

#endif
