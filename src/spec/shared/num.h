/* num.h: numbers that are computed three times at once: as a kernel does, exactly, and with a bound
 * of the distance between the two. So an answer is written once.
 *
 * order: every operation rounded once to the type of the kernel; truth: in double; bound: |order -
 * truth| is at most this. A bound may be INFINITY, where a divisor may be 0.
 */
#ifndef SPC_SPEC_NUM_H
#define SPC_SPEC_NUM_H

#include "spec/shared/spec.h"

typedef struct spec_num {
    double order, truth, bound;
    sparcl_dtype dtype;
} spec_num;

/* How many numbers this thread has rounded so far: the operations of an answer. */
int64_t num_roundings(void);

/* A coefficient: rounded once. */
spec_num num_of(sparcl_dtype dtype, double x);
/* A number that a kernel has exactly. */
spec_num num_exact(sparcl_dtype dtype, double x);

spec_num num_add(spec_num a, spec_num b);
spec_num num_sub(spec_num a, spec_num b);
spec_num num_mul(spec_num a, spec_num b);
spec_num num_div(spec_num a, spec_num b);
spec_num num_root(spec_num a); /* of a number that is not negative, but for rounding errors */
/* sqrt(a) exp(p log(a)), with the functions of cl/elementary.cl; 1 where p is -1/2. */
spec_num num_root_times_power(spec_num a, spec_num p);
spec_num num_exp(spec_num a);
/* exp(p log(a)); a where p is 1. */
spec_num num_power(spec_num a, spec_num p);
spec_num num_neg(spec_num a);
spec_num num_abs(spec_num a);
spec_num num_largest(spec_num a, spec_num b);
/* The nearest number from -limit to limit; a NaN stays. */
spec_num num_clip(spec_num a, spec_num limit);
/* -1, 0 or 1. */
spec_num num_sign(spec_num a);

#endif
