/* pair_power.h: integer powers as cl/pair_power.cl computes them. */
#ifndef SPC_SPEC_PAIR_POWER_H
#define SPC_SPEC_PAIR_POWER_H

#include "spec/shared/num.h"

/* x^n; 1 where n is negative. */
spec_num spec_power_of_pairs(spec_num x, int64_t n);

#endif
