/* power.c: powers of hyper-parameters. */
#include "optim/power.h"

double spc_power(double x, int64_t n) {
    double result = 1;
    for (; n > 0; n >>= 1, x *= x)
        if (n & 1) result *= x;
    return result;
}
