/* stored.h: values of any element type, as doubles on the host. */
#ifndef SPC_SPEC_STORED_H
#define SPC_SPEC_STORED_H

#include "sparcl/tensor.h"

/* Write x to element i of an array of dtype, rounded to nearest, ties to even; BOOL: x is not 0. */
void spec_encode(sparcl_dtype dtype, void *array, int64_t i, double x);
/* Element i of an array of dtype. */
double spec_decode(sparcl_dtype dtype, const void *array, int64_t i);
/* Round numbers in [-1, 1] to dtype; those of integers become -100 to 100 without 0. */
void spec_make_storable(sparcl_dtype dtype, double *x, int64_t count);

#endif
