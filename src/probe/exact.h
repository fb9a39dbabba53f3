/* exact.h: is a float quotient or root correctly rounded? And inputs that are hard to round. */
#ifndef SPC_PROBE_EXACT_H
#define SPC_PROBE_EXACT_H

#include <stdbool.h>
#include <stdint.h>

/* By definition, in integers: no float is nearer to the exact result, ties to even. */
bool spc_is_quotient(float a, float b, float result);
bool spc_is_root(float x, float result);

/* Case i. For most even i, a / b and the root of x are almost half-way between two floats; for odd
 * i, the numbers are random; where i % 32 is 3, they are zero, infinite, NaN, or a very large or
 * small power of two. `subnormal`: operands and results may be subnormal; where i % 8 is 1,
 * b is a power of two, and a / b has more bits than a subnormal float. */
void spc_hard_division(uint32_t i, bool subnormal, float *a, float *b);
void spc_hard_root(uint32_t i, bool subnormal, float *x);

#endif
