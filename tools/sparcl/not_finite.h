/* not_finite.h: results that are NaN or infinite, because sums of finite weights are outside of
 * float32. */
#ifndef SPARCL_TOOL_NOT_FINITE_H
#define SPARCL_TOOL_NOT_FINITE_H

#include "sparcl/apply.h"
#include "sparcl/data.h"

/* NaN has a sign that devices do not agree on, and that would be printed. */
double without_sign_of_nan(double x);

int64_t count_not_finite(const float *values, int64_t count);
/* Rows of data with such a value. */
int64_t rows_not_finite(const sparcl_data *data);

/* Say that the results of `rows` rows of `of` are not finite, if there are any; `what` names them.
 * The model is NULL where there is none. */
void print_not_finite(const sparcl_model *model, const char *what, int64_t rows, int64_t of);
/* The same of what was evaluated. */
void print_not_finite_metrics(const sparcl_model *model, const sparcl_metrics *metrics);

#endif
