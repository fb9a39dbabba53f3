/* not_finite.c: results that are NaN or infinite. */
#include "not_finite.h"

#include <math.h>
#include <stdio.h>

#include "message.h"
#include "sparcl/model.h"

double without_sign_of_nan(double x) {
    return isnan(x) ? (double)NAN : x;
}

int64_t count_not_finite(const float *values, int64_t count) {
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++)
        found += !isfinite(values[i]);
    return found;
}

int64_t rows_not_finite(const sparcl_data *data) {
    const int64_t *const offsets = sparcl_data_offsets(data);
    const float *const values = sparcl_data_values(data);
    int64_t found = 0;
    for (int64_t i = 0; values && i < sparcl_data_get_info(data)->rows; i++)
        found += count_not_finite(values + offsets[i], offsets[i + 1] - offsets[i]) > 0;
    return found;
}

static double largest_of(const sparcl_tensor *tensor, double largest) {
    int64_t count = 1;
    for (int d = 0; d < tensor->rank; d++)
        count *= tensor->shape[d];
    for (int64_t i = 0; i < count; i++)
        largest = fmax(largest, fabs((double)tensor->values[i]));
    return largest;
}

/* ": the largest weight of the model is 3e+38, in weight". */
static const char *name_largest(const sparcl_model *model, char *text, size_t bytes) {
    double largest = 0;
    *text = '\0';
    for (int i = 0; model && sparcl_model_architecture(model)->parameters[i]; i++) {
        const char *const name = sparcl_model_architecture(model)->parameters[i];
        const sparcl_tensor *const tensor = sparcl_model_tensor(model, name);
        const double found = tensor ? largest_of(tensor, largest) : largest;
        if (found > largest)
            snprintf(text, bytes, "; the largest parameter of the model is %.3g, in %s", found,
                     name);
        largest = found;
    }
    return text;
}

static void print_why(const sparcl_model *model, const char *what) {
    char text[160];
    print_note("%s: sums are outside of float32%s; scale the data%s", what,
               name_largest(model, text, sizeof text),
               model ? ", or train with a larger --l2" : " or the weights");
}

void print_not_finite(const sparcl_model *model, const char *what, int64_t rows, int64_t of) {
    char text[160];
    if (rows == 0) return;
    snprintf(text, sizeof text, "%lld of %lld rows have %s that are not finite", (long long)rows,
             (long long)of, what);
    print_why(model, text);
}

void print_not_finite_metrics(const sparcl_model *model, const sparcl_metrics *metrics) {
    if (metrics->not_finite > 0)
        print_not_finite(model, "scores or losses", metrics->not_finite, metrics->rows);
    else if (!isfinite(metrics->loss))
        print_why(model, "the loss is not finite");
}
