/* fault_train.c: the scenarios that train a model, and that write, read and apply it. */
#include "fault.h"

#include <string.h>

#include "base/macros.h"
#include "optim_settings.h"
#include "sparcl/apply.h"
#include "sparcl/train.h"
#include "two_layers.h"

enum { TRAIN_ROWS = 60, TRAIN_COLUMNS = 13 };

/* Rows whose label is the sign of the sum of the even columns minus the sum of the odd ones. */
static sparcl_data *read_train_data(sparcl_error *error) {
    char path[64];
    uint64_t state = 1;
    sparcl_data *data = NULL;
    snprintf(path, sizeof path, "%s/train.svm", fault_folder());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int row = 0; row < TRAIN_ROWS; ++row) {
        double x[TRAIN_COLUMNS], sum = 0;
        for (int c = 0; c < TRAIN_COLUMNS; ++c) {
            x[c] = spec_uniform(&state);
            sum += c % 2 ? -x[c] : x[c];
        }
        fprintf(file, "%d", sum > 0 ? 1 : -1);
        for (int c = row % 3; c < TRAIN_COLUMNS; c += 1 + row % 2)
            fprintf(file, " %d:%.6f", c + 1, x[c]);
        fprintf(file, "\n");
    }
    fclose(file);
    if (sparcl_data_read(&data, path, NULL, error) != SPARCL_OK) return NULL;
    return data;
}

/* A run that succeeds has the weights of the first one, in which nothing failed. */
sparcl_status fault_train(sparcl_ctx *ctx, sparcl_error *error) {
    static sparcl_data *data; /* read once, freed by the system */
    static float expected[TRAIN_COLUMNS];
    const sparcl_train_desc desc = {
        .optim = OPTIM(.lr = 0.1), .l2 = 0.01, .epochs = 1, .batch = 25};
    sparcl_train_result result;
    sparcl_model *model = (sparcl_model *)ctx;
    const bool first = !data;
    if (!data) data = read_train_data(error);
    if (!data) return SPARCL_E_IO;
    const sparcl_status status = sparcl_train(ctx, &model, data, data, &desc, &result, error);
    if (status != SPARCL_OK) return model ? SPARCL_E_DATA : status;
    if (first) memcpy(expected, sparcl_model_weights(model), sizeof expected);
    const bool equal = memcmp(expected, sparcl_model_weights(model), sizeof expected) == 0;
    const bool learnt = result.loss > 0.2 && result.loss < 0.69 && expected[0] != 0;
    sparcl_model_free(model);
    return equal && learnt ? SPARCL_OK : SPARCL_E_DATA;
}

/* The loss and the predictions of a model of a caller, trained, written and read back; a run that
 * succeeds has those of the first one. */
static sparcl_status apply_own(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                               sparcl_error *error) {
    static double expected_loss, expected[TRAIN_ROWS];
    static bool is_known;
    double label[TRAIN_ROWS] = {0};
    float p[TRAIN_ROWS];
    sparcl_metrics metrics;
    sparcl_class_report *report = (sparcl_class_report *)ctx;
    const sparcl_status evaluated =
        sparcl_eval_classes(ctx, model, data, NULL, &metrics, &report, error);
    if (evaluated != SPARCL_OK) return report ? SPARCL_E_DATA : evaluated;
    sparcl_class_report_free(report);
    SPC_TRY(sparcl_predict(ctx, model, data, label, p, error));
    if (!is_known) {
        expected_loss = metrics.loss;
        memcpy(expected, label, sizeof label);
    }
    is_known = true;
    return metrics.loss == expected_loss && memcmp(expected, label, sizeof label) == 0
               ? SPARCL_OK
               : SPARCL_E_DATA;
}

sparcl_status fault_own(sparcl_ctx *ctx, sparcl_error *error) {
    static sparcl_data *data; /* read once, freed by the system */
    const sparcl_architecture a = two_layers();
    const sparcl_train_desc desc = {
        .optim = OPTIM(.lr = 0.1), .epochs = 1, .batch = 25, .architecture = &a};
    sparcl_model *model = (sparcl_model *)ctx, *back = (sparcl_model *)ctx;
    char path[64];
    snprintf(path, sizeof path, "%s/own.safetensors", fault_folder());
    if (!data) data = read_train_data(error);
    if (!data) return SPARCL_E_IO;
    sparcl_status status = sparcl_train(ctx, &model, data, NULL, &desc, NULL, error);
    if (status != SPARCL_OK) return model ? SPARCL_E_DATA : status;
    status = sparcl_model_save(model, path, error);
    sparcl_model_free(model);
    if (status != SPARCL_OK) return status;
    status = sparcl_model_load_as(&back, path, &a, error);
    if (status != SPARCL_OK) return back ? SPARCL_E_DATA : status;
    status = apply_own(ctx, back, data, error);
    sparcl_model_free(back);
    return status;
}
