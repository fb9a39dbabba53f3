/* power.h: powers of hyper-parameters. */
#ifndef SPC_OPTIM_POWER_H
#define SPC_OPTIM_POWER_H

#include <stdint.h>

/* x^n for n >= 0 by squaring. With IEEE 754 doubles it has the same bits everywhere, unlike
 * pow(). */
double spc_power(double x, int64_t n);

#endif
