/* half_states.h: states of 16 bits, in plain C. */
#ifndef SPC_SPEC_HALF_STATES_H
#define SPC_SPEC_HALF_STATES_H

#include "spec/shared/num.h"

/* The type of state i, from 0, of a table of type `table`; that of the table after the last state.
 */
sparcl_dtype spec_state_dtype(const sparcl_optim *optim, int i, sparcl_dtype table);
/* State i of an element, as a step stores it. */
spec_num spec_stored_state(const sparcl_optim *optim, int i, int64_t element, spec_num x);

#endif
