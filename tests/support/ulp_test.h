/* ulp_test.h: errors in units of the last place. */
#ifndef TESTS_ULP_TEST_H
#define TESTS_ULP_TEST_H

#include <math.h>

#include "sparcl/tensor.h"

/* The error of a result of this type in units of its last place; infinite where one is NaN. `exact`
 * has to have more digits than the result. */
static inline double ulps(sparcl_dtype dtype, double got, long double exact) {
    const int digits = dtype == SPARCL_F64 ? 53 : 24, smallest = dtype == SPARCL_F64 ? -1021 : -125;
    int exponent = 0;
    frexpl(exact, &exponent);
    if (exponent < smallest) exponent = smallest;
    const long double error = fabsl(got - exact) / ldexpl(1, exponent - digits);
    return isnan(error) ? INFINITY : (double)error;
}

#endif
