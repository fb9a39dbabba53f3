/* doctor_cases.h: which cases of the operations the doctor judges. */
#ifndef SPARCL_TOOL_DOCTOR_CASES_H
#define SPARCL_TOOL_DOCTOR_CASES_H

#include "spec/spec.h"

enum { MAX_CASES = 200 };

typedef struct doctor_case {
    const spec_op *op;
    spec_case c;
} doctor_case;

/* Cases of float32 with 32-bit indices, whose programs have the default form: the largest one of
 * each operation, then the largest one of each other variant (an optimizer, a format, a loss).
 * *operations says how many are of the first sort. */
int choose_cases(doctor_case list[MAX_CASES], int *operations);

bool is_default_form(const spec_case *c);

#endif
