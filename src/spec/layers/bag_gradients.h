/* bag_gradients.h: bags as a matrix, and their gradients, in plain C. */
#ifndef SPC_SPEC_BAG_GRADIENTS_H
#define SPC_SPEC_BAG_GRADIENTS_H

#include "spec/layers/bag_case.h"

/* Each compares with the results of the calls of a case; it has its answers (x->result, x->divisors
 * and, of a maximum, x->positions). */

/* The gradient of the weights. */
void spec_bag_expect_weights(spec_test *t, const spec_bag_case *x);
/* The weights of x->kept, as their mode says; and the bags as a matrix, which has these. */
void spec_bag_divide(spec_bag_case *x);
void spec_bag_expect_matrix(spec_test *t, const spec_bag_case *x);
/* The gradient of the table, from that matrix; also scaled by frequency. */
void spec_bag_expect_table(spec_test *t, const spec_bag_case *x, const sparcl_rows *rows,
                           bool scaled, const char *what);

#endif
