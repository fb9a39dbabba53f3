/* step_case.h: the cases of spec_step.c: their optimizers, tables and states. */
#ifndef SPC_SPEC_STEP_CASE_H
#define SPC_SPEC_STEP_CASE_H

#include "spec/optim/rule_answer.h"

/* Table 0 and the states, each with rows of spec_step_ld elements, or a list of rows. */
#define SPEC_TABLES (1 + SPARCL_MAX_STATES)

typedef struct spec_tables {
    double *x[SPEC_TABLES];
} spec_tables;

bool spec_step_case(int i, bool small, spec_case *c);
sparcl_rule spec_step_rule(const spec_case *c);
sparcl_optim spec_step_optim(const spec_case *c);
bool spec_step_is_dense(const spec_case *c);

/* The type of table t. */
sparcl_dtype spec_step_dtype(const spec_case *c, int t);
int64_t spec_step_ld(const spec_case *c);
/* Whether table t is a state with a number for each row; its numbers, with its gaps; and from which
 * its row `row` begins. */
bool spec_step_is_list(const spec_case *c, int t);
int64_t spec_step_count(const spec_case *c, int t);
int64_t spec_step_row_at(const spec_case *c, int t, int64_t row);
/* The numbers before the step. False: no memory. */
bool spec_step_tables(spec_tables *t, const spec_case *c);

#endif
