/* start.c: a training that begins with the parameters of a model. */
#include "train/start.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/loss_kind.h"
#include "model/model_object.h"
#include "train/kept_state.h"

static const char *settings_of(const sparcl_architecture *a) {
    return a->settings ? a->settings : "";
}

/* Whether there is a bias is no setting of linear models. */
static bool is_of_kind(const sparcl_model *model, const sparcl_architecture *a) {
    const sparcl_architecture *const own = sparcl_model_architecture(model);
    if (strcmp(own->name, a->name) != 0 || strcmp(settings_of(own), settings_of(a)) != 0)
        return false;
    int count = 0;
    while (a->parameters[count])
        ++count;
    return count == model->count;
}

sparcl_status spc_start_check(const sparcl_train_desc *checked, sparcl_error *error) {
    const sparcl_model *const start = checked->start;
    const sparcl_architecture *const a = checked->architecture;
    if (!start) return SPARCL_OK;
    if (!is_of_kind(start, a))
        return spc_fail(
            error, SPARCL_E_ARG,
            "train: start is a model of the kind %s \"%s\" with %d parameters, expected "
            "one of the kind %s \"%s\", as the training",
            sparcl_model_architecture(start)->name, settings_of(sparcl_model_architecture(start)),
            start->count, a->name, settings_of(a));
    if (start->info.loss == checked->loss) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG,
                    "train: start is a model with %s loss, expected %s loss, as the training",
                    sparcl_loss_name(start->info.loss), sparcl_loss_name(checked->loss));
}

/* A copy of the model's. */
static sparcl_status copy_classes(spc_classes *classes, const sparcl_model *model,
                                  sparcl_error *error) {
    double *const labels = malloc(model->label_bytes + 1);
    if (!labels) return spc_fail_memory(error, "labels", model->label_bytes);
    if (model->label_bytes > 0) memcpy(labels, model->labels, model->label_bytes);
    *classes = (spc_classes){.labels = labels, .count = model->info.classes};
    return SPARCL_OK;
}

sparcl_status spc_start_classes(spc_classes *classes, const sparcl_train_desc *checked,
                                const sparcl_data *data, sparcl_error *error) {
    const sparcl_task task = checked->architecture->task;
    *classes = (spc_classes){0};
    if (!checked->start) return spc_classes_find(classes, task, checked->loss, data, error);
    SPC_TRY(spc_check_base(data, checked->start->info.index_base, error));
    if (!spc_task_has_labels(task) || spc_loss_has_numbers(checked->loss))
        return spc_classes_find(classes, task, checked->loss, data, error);
    return copy_classes(classes, checked->start, error);
}

sparcl_status spc_start_values(const sparcl_train_desc *checked, const char *name,
                               const sparcl_tensor *shape, const float **values,
                               sparcl_error *error) {
    const sparcl_tensor *const found = sparcl_model_tensor(checked->start, name);
    const bool fits =
        found && found->rank == shape->rank &&
        memcmp(found->shape, shape->shape, (size_t)shape->rank * sizeof *shape->shape) == 0;
    if (!fits)
        return spc_fail(error, SPARCL_E_ARG,
                        "train: the parameter %s of start has another shape, whose first size is "
                        "%lld, expected %lld; train with its columns",
                        name, found ? (long long)found->shape[0] : 0LL, (long long)shape->shape[0]);
    *values = found->values;
    return SPARCL_OK;
}

uint64_t spc_start_fingerprint(const sparcl_train_desc *checked, const sparcl_data *data) {
    const sparcl_model *const start = checked->start;
    const uint64_t fingerprint = sparcl_data_get_info(data)->fingerprint;
    spc_sum sum;
    if (!start) return fingerprint;
    spc_sum_start(&sum);
    spc_sum_add(&sum, &fingerprint, sizeof fingerprint);
    for (int i = 0; i < start->count; ++i)
        spc_sum_add(&sum, start->tensors[i].values, start->tensors[i].bytes);
    spc_state_sum(start, &sum);
    return spc_sum_value(&sum);
}
