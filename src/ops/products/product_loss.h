/* product_loss.h: a product with one column and the losses of its rows, in one launch. */
#ifndef SPC_OPS_PRODUCT_LOSS_H
#define SPC_OPS_PRODUCT_LOSS_H

#include <stdbool.h>

#include "sparcl/ops/losses.h"

/* scores := A b, then sparcl_loss_gradient of them; all views are those of the two calls. */
typedef struct spc_product_loss_job {
    const sparcl_csr *a;
    const sparcl_dense *b;
    sparcl_loss loss;
    const sparcl_dense *bias; /* or NULL */
    const sparcl_dense *labels;
    double scale;
    const sparcl_dense *residual, *losses;
} spc_product_loss_job;

/* Is it one launch? So it is on few wide cores, for logistic and squared loss, with packed results,
 * where no row is long. Otherwise the two calls have to be made. */
bool spc_product_loss_fits(const sparcl_ctx *ctx, const spc_product_loss_job *job);

/* The bits of the two calls, and their errors; the scores are not stored. The job fits, and shapes
 * and types are right. */
sparcl_status spc_product_loss(sparcl_ctx *ctx, const spc_product_loss_job *job);

#endif
