/* acceptance_cases.h: the number of cases of each program of this folder. A program with fewer
 * fails, so together there are at least 3 000, whatever the device. */
#ifndef TESTS_ACCEPTANCE_CASES_H
#define TESTS_ACCEPTANCE_CASES_H

#include "op_test.h"

static int acceptance_cases;

enum {
    LEAST_construction = 990,
    LEAST_products = 2100,
    LEAST_reductions = 340,
    LEAST_reorder = 760,
    LEAST_row_sparse = 500,
    LEAST_validation = 1360,
    LEAST_arguments = 6800,
    LEAST_PROPERTIES = LEAST_construction + LEAST_products + LEAST_reductions + LEAST_reorder +
                       LEAST_row_sparse + LEAST_validation
};
_Static_assert(LEAST_PROPERTIES >= 3000, "at least 3 000 cases, also without the wrong arguments");

/* at_least_PROGRAM, the last test of a program. */
#define AT_LEAST(program)                                                                          \
    static void at_least_##program(void **state) {                                                 \
        (void)state;                                                                               \
        print_message("cases: %d\n", acceptance_cases);                                            \
        assert_true(acceptance_cases >= LEAST_##program);                                          \
    }

#endif
