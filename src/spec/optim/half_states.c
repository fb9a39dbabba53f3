/* half_states.c: states of 16 bits, which a step rounds to nearest or at random: docs/numerics.md,
 * "States of 16 bits". */
#include "spec/optim/half_states.h"

#include <math.h>

#include "spec/layers/philox.h"

sparcl_dtype spec_state_dtype(const sparcl_optim *o, int i, sparcl_dtype table) {
    if (o->states.type == SPARCL_STATES_AS_TABLE || i >= sparcl_rule_states(o->rule) ||
        sparcl_rule_state_is_row(o->rule, i))
        return table;
    return o->states.type == SPARCL_STATES_F16 ? SPARCL_F16 : SPARCL_BF16;
}

spec_num spec_stored_state(const sparcl_optim *o, int i, int64_t element, spec_num x) {
    const sparcl_dtype dtype = spec_state_dtype(o, i, x.dtype);
    const uint64_t e = (uint64_t)element, number = (uint64_t)o->step;
    uint32_t words[4] = {(uint32_t)e, (uint32_t)(e >> 32), (uint32_t)number,
                         (uint32_t)(number >> 32)};
    if (dtype == x.dtype) return x;
    if (o->states.rounding == SPARCL_ROUNDING_NEAREST) {
        spec_store_answer(dtype, &x.order, x.truth, &x.bound);
        return x;
    }
    spec_philox(words, o->states.seed);
    x.order = spec_store_random(dtype, x.order, words[i]);
    x.bound += 2 * spec_store_error(dtype, fabs(x.truth) + x.bound); /* up to a whole unit */
    return x;
}
