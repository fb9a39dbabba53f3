/* gradient.h: what becomes of a row-sparse gradient before a step. */
#ifndef SPC_OPTIM_GRADIENT_H
#define SPC_OPTIM_GRADIENT_H

#include <stdbool.h>

#include "sparcl/context.h"
#include "sparcl/tensor.h"

/* sums := the rows of a checked view, those of one index added (rule R) or their mean, in scratch
 * memory that the caller releases. Marked UNIQUE. */
sparcl_status spc_coalesce_gradient(sparcl_ctx *ctx, sparcl_rows *sums, const sparcl_rows *from,
                                    bool is_mean);

#endif
