/* bag_gradients.h: bags as a matrix, and their gradients, in plain C. */
#ifndef SPC_SPEC_BAG_GRADIENTS_H
#define SPC_SPEC_BAG_GRADIENTS_H

#include "spec/layers/bag_case.h"

/* Each calls the library for a case with its answers (x->divisors and, of a maximum, x->positions)
 * and compares. */

/* The gradient of the weights; y: the result of the bags. */
sparcl_status spec_bag_check_weights(sparcl_ctx *ctx, const spec_case *c, spec_bag_arrays *x,
                                     const double *y, spec_bag_views *v, spec_report *report);
/* The bags as a matrix. Divides the weights of x->kept as their mode says. */
sparcl_status spec_bag_check_matrix(sparcl_ctx *ctx, const spec_case *c, spec_bag_arrays *x,
                                    spec_bag_views *v, spec_report *report);
/* The gradient of the table, from that matrix; also scaled by frequency. */
sparcl_status spec_bag_check_table(sparcl_ctx *ctx, const spec_case *c, spec_bag_arrays *x,
                                   spec_bag_views *v, spec_report *report);

#endif
