/* overflow.h: predictions of linear models for rows whose sums are outside of float32. */
#ifndef SPC_TRAIN_OVERFLOW_H
#define SPC_TRAIN_OVERFLOW_H

#include "sparcl/apply.h"
#include "sparcl/model.h"
#include "train/score.h"

/* The largest weight of a linear model; 0 for others. */
double spc_largest_weight(const sparcl_model *model);

/*
 * Predict anew, on the host in double, what sums of finite weights made infinite or NaN: infinity
 * less infinity, or a partial sum that is too large. `out` is of the rows first .. first + rows - 1
 * of x, and has their predictions; `largest` is that of the model. Columns beyond the model's have
 * the weight 0. Others than linear models stay as they are. E_MEMORY.
 */
sparcl_status spc_correct_overflow(const sparcl_model *model, double largest,
                                   const sparcl_csr_arrays *x, int64_t first, int64_t rows,
                                   const spc_scores *out, sparcl_error *error);

#endif
