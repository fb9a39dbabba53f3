/* doctor_cases.h: the cases of the operations that the doctor checks. */
#ifndef SPARCL_TOOL_DOCTOR_CASES_H
#define SPARCL_TOOL_DOCTOR_CASES_H

#include "spec/spec.h"

enum { MAX_CASES = 200 };

typedef struct doctor_case {
    const spec_op *op;
    spec_case c;
} doctor_case;

/* Cases of the default types, which are float32 and 32-bit indices: first the largest of each
 * operation, *operations in number, then the largest of each other variant (an optimizer, a format,
 * a loss). Returns the number of cases. */
int choose_cases(doctor_case list[MAX_CASES], int *operations);

bool has_default_types(const spec_case *c);

#endif
