/* label_units.c: labels in units near their standard deviation, and the model of labels as they
 * are. */
#include "train/label_units.h"

#include <math.h>
#include <string.h>

#include "model/builtin.h"
#include "model/linear.h"
#include "train/metrics.h"

/* --- labels ----------------------------------------------------------------------------------- */

bool spc_label_units_fit(const sparcl_architecture *a, sparcl_loss loss) {
    return loss == SPARCL_LOSS_SQUARED && a->task == SPARCL_TASK_LABELS &&
           (spc_is_builtin(a) || a == &spc_linear_without_bias);
}

/* Within a factor of two of the root of x, so that losses stay numbers; 1 where x is not above 0.
 */
static double power_of_four(double x) {
    enum { MOST = 60 };
    int exponent = 0;
    if (!(x > 0)) return 1;
    (void)frexp(x, &exponent);
    return ldexp(1, 2 * (int)fmax(-MOST, fmin(MOST, floor((exponent + 1) / 4.0))));
}

spc_label_units spc_label_units_of(const sparcl_data *data, bool has_bias) {
    const double *const labels = sparcl_data_labels(data);
    const float *const weights = sparcl_data_weights(data);
    const int64_t rows = sparcl_data_get_info(data)->rows;
    const double mean = spc_weighted_mean(labels, weights, rows),
                 variance = 2 * spc_constant_squared_loss(labels, weights, rows);
    return has_bias ? (spc_label_units){mean, power_of_four(variance)}
                    : (spc_label_units){0, power_of_four(variance + mean * mean)};
}

spc_label_units spc_label_units_inverse(const spc_label_units *units) {
    return (spc_label_units){-units->shift / units->scale, 1 / units->scale};
}

double spc_label_units_loss(const spc_label_units *units) {
    return units->scale > 0 ? units->scale * units->scale : 1;
}

/* --- parameters ------------------------------------------------------------------------------- */

/* What a parameter is in the score. */
typedef enum part { INNER, WEIGHT, BIAS, FACTORS /* of products of two */ } part;

/* The last two of layers are those of the scores. */
static part part_of(const sparcl_architecture *a, int parameter) {
    const char *const name = a->parameters[parameter];
    if (strcmp(name, "weight") == 0) return WEIGHT;
    if (strcmp(name, "bias") == 0) return BIAS;
    if (strcmp(name, "factors") == 0) return FACTORS;
    if (!a->parameters[parameter + 1]) return BIAS;
    return a->parameters[parameter + 2] ? INNER : WEIGHT;
}

static double factor_of(const spc_label_units *units, part is) {
    return is == INNER ? 1 : is == FACTORS ? sqrt(units->scale) : units->scale;
}

void spc_label_units_to_model(const spc_label_units *units, const sparcl_architecture *a,
                              int parameter, int64_t count, float *values) {
    const part is = part_of(a, parameter);
    const double factor = factor_of(units, is), shift = is == BIAS ? units->shift : 0;
    for (int64_t i = 0; i < count; ++i)
        values[i] = (float)((double)values[i] * factor + shift);
}
