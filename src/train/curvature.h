/* curvature.h: the curvature of the objective of a linear model, near enough for the length of its
 * steps: where columns are few, their products with each other, factored; else their squares. */
#ifndef SPC_TRAIN_CURVATURE_H
#define SPC_TRAIN_CURVATURE_H

#include "train/scaling.h"

/* M = L L', or diagonal, of the scaled columns, and of the bias if there is one. */
typedef struct spc_curvature {
    const spc_scaling *scaling;
    spc_scaled_rows rows;
    int64_t order; /* columns and bias */
    bool is_full;
    double
        *matrix; /* [order, order]: Cholesky's factor L in the lower half; [order]: the diagonal */
    double *values; /* [order]: of a row */
    int64_t *columns;
} spc_curvature;

/* At the best model without weights. It is diagonal with l1, where weights stop at 0 one by one.
 * The arrays of `rows` must stay valid. Close it also after a failure. E_MEMORY. */
sparcl_status spc_curvature_open(spc_curvature *curvature, const spc_scaling *scaling,
                                 const spc_scaled_rows *rows, sparcl_error *error);
void spc_curvature_close(spc_curvature *curvature);

/* Set it to that at another model, whose residuals, divided by the number of rows, are [rows,
 * outputs]. NULL: at the best one without weights. */
void spc_curvature_set(spc_curvature *curvature, const float *residuals);

/* x := M^-1 x for each of the outputs; x [order, outputs]. */
void spc_curvature_solve(const spc_curvature *curvature, double *x);

#endif
