/* step_answer.h: the tables after a step, in plain C. */
#ifndef SPC_SPEC_STEP_ANSWER_H
#define SPC_SPEC_STEP_ANSWER_H

#include "spec/optim/step_case.h"

/* Compare the tables with their numbers after a step. */
void spec_step_expect(spec_test *t, const spec_step_state *s);
/* Rows of one index are not added. */
bool spec_step_stays_apart(const sparcl_optim *optim);
bool spec_step_clips_stored(const spec_step_state *s);
/* The operations of a step of a row, with numbers for which no branch is left out. */
double spec_step_operations(spec_test *t, const sparcl_optim *optim, int64_t n);

#endif
