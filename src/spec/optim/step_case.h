/* step_case.h: a step of an optimizer that spec_step.c tests or measures: its optimizer, tables and
 * gradient. */
#ifndef SPC_SPEC_STEP_CASE_H
#define SPC_SPEC_STEP_CASE_H

#include "spec/optim/rule_answer.h"
#include "spec/shared/harness_sparse.h"

/* Table 0 and the states. */
#define SPEC_TABLES (1 + SPARCL_MAX_STATES)

/* Steps that an exact lazy optimizer has had before the first call of a measurement. */
#define SPEC_STEP_MISSED 3

typedef struct spec_step_state {
    sparcl_optim optim; /* of the next call */
    sparcl_dtype dtype;
    int64_t rows, n, ld; /* of the tables; a state may be a list with a number for each row */
    int tables;          /* that there are */
    bool is_dense, is_exact;
    spec_rowset from;           /* the gradient after it was clipped as a whole, */
    double *given;              /* its values before, */
    double *start[SPEC_TABLES]; /* and the numbers of the tables before the step, with gaps */
    int64_t *last;              /* last_steps; NULL without them */
    double operations;          /* of a step of a row: of measurements */
    /* On the device. */
    sparcl_dense view[SPEC_TABLES], g, sums; /* g: a dense gradient, or that of the bags */
    sparcl_rows sets[2];                     /* the gradients of the calls, in turn */
    int turns, turn;
    sparcl_bags bags; /* their rows have a step after they are summed; without offsets: none */
} spec_step_state;

bool spec_step_case(int i, bool small, spec_case *c);
sparcl_optim spec_step_optim(const spec_case *c);
bool spec_step_is_dense(const spec_case *c);
/* Numbers from one row of a table to the next. */
int64_t spec_step_ld(const spec_case *c);
/* The numbers of the tables of a case before the step. */
void spec_step_start(spec_test *t, spec_step_state *s);

/* Of table t: its type; whether it is a list; its numbers from one row to the next. */
sparcl_dtype spec_step_type(const spec_step_state *s, int t);
bool spec_step_is_list(const spec_step_state *s, int t);
int64_t spec_step_stride(const spec_step_state *s, int t);

#endif
