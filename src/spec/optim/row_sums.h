/* row_sums.h: numbers of a row, for the plain-C answers of rules that need them. */
#ifndef SPC_SPEC_ROW_SUMS_H
#define SPC_SPEC_ROW_SUMS_H

#include "spec/optim/rule_answer.h"

/* Element j of what is squared and added. */
typedef spec_num spec_row_term(const spec_hyper *h, const spec_row *x, const spec_num *g,
                               int64_t j);

/* The weight; the prepared gradient. */
spec_row_term spec_row_weight, spec_row_gradient;

/* The 2-norm of a term over a row: rule S with one column, but the partial sums of a block are
 * added in ascending order. */
spec_num spec_row_norm(const spec_hyper *h, const spec_row *x, const spec_num *g,
                       spec_row_term *term);
/* The sum and the mean of the squares of the prepared gradient. */
spec_num spec_row_squares(const spec_hyper *h, const spec_row *x, const spec_num *g);
spec_num spec_row_mean_square(const spec_hyper *h, const spec_row *x, const spec_num *g);
/* A row that is longer than max_norm becomes as long as that. */
void spec_row_shorten(const spec_hyper *h, const spec_row *x);

#endif
