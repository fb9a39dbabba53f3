/* norm.c: the norm in the objective. */
#include "train/norm.h"

double spc_half_norm(const sparcl_model *model) {
    const sparcl_model_info *info = sparcl_model_get_info(model);
    const float *w = sparcl_model_weights(model);
    double sum = 0;
    for (int64_t i = 0; i < info->columns * info->outputs; ++i)
        sum += (double)w[i] * w[i];
    return 0.5 * sum;
}
