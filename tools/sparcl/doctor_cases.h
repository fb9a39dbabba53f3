/* doctor_cases.h: the cases of the operations that the doctor checks. */
#ifndef SPARCL_TOOL_DOCTOR_CASES_H
#define SPARCL_TOOL_DOCTOR_CASES_H

#include "spec/shared/spec.h"

enum { MAX_CASES = 200 };

typedef struct doctor_case {
    const spec_op *op;
    int number; /* of the case in the operation */
    spec_case c;
} doctor_case;

/* The operations that are checked: those with these names, or all where there are none. */
typedef struct doctor_names {
    int count;
    const char *const *at;
} doctor_names;

bool is_checked(const doctor_names *names, const spec_op *op);

/* Cases of the default types, which are float32 and 32-bit indices: first the largest of each
 * operation, *operations in number, then the largest of each other variant (an optimizer, a format,
 * a loss). Returns the number of cases. */
int choose_cases(const doctor_names *names, doctor_case list[MAX_CASES], int *operations);

bool has_default_types(const spec_case *c);

#endif
