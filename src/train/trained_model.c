/* trained_model.c: the model of a training, as it is now. */
#include "train/trained_model.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/core.h"
#include "model/linear.h"
#include "model/model_object.h"
#include "model/parameter_optims.h"
#include "sparcl/optim_text.h"

/* Not 0: settings that the fields of sparcl_model_info do not have. */
static int has_settings(const sparcl_optim *optim) {
    char found[SPARCL_OPTIM_TEXT], usual[SPARCL_OPTIM_TEXT];
    sparcl_optim o;
    sparcl_optim_init(&o, optim->rule);
    o.lr = optim->lr;
    o.momentum.factor = optim->momentum.factor;
    o.adam.beta1 = optim->adam.beta1;
    o.adam.beta2 = optim->adam.beta2;
    o.epsilon = optim->epsilon;
    sparcl_optim_print(optim, found);
    sparcl_optim_print(&o, usual);
    return strcmp(found, usual) != 0;
}

/* After `epochs` passes. `text` has SPARCL_OPTIM_TEXT bytes. */
static void describe(const spc_run *run, int64_t epochs, sparcl_model_info *info, char *text) {
    const sparcl_optim *const optim = &run->desc.optim;
    info->loss = run->desc.loss;
    info->optimizer = optim->rule;
    info->columns = run->model.build.columns;
    info->outputs = run->model.build.outputs;
    info->fields = run->model.build.field_count;
    info->has_bias = run->desc.architecture == &spc_linear;
    info->lr = optim->lr;
    info->l2 = run->desc.l2;
    info->momentum = optim->momentum.factor;
    info->beta1 = optim->adam.beta1;
    info->beta2 = optim->adam.beta2;
    info->epsilon = optim->epsilon;
    info->clip_global_norm = run->desc.clip_global_norm;
    info->epochs = epochs;
    info->batch = run->desc.batch;
    info->seed = run->desc.seed;
    sparcl_optim_print(optim, text);
    info->settings = has_settings(optim) ? text : NULL;
}

static sparcl_status read_values(const spc_run *run, const sparcl_model *model,
                                 sparcl_error *error) {
    for (int i = 0; i < model->count; ++i) {
        sparcl_dense view;
        SPC_TRY(spc_run_value(run, i, &view, error));
        SPC_TRY(spc_core(run->ctx, sparcl_dense_read(run->ctx, &view, model->tensors[i].values),
                         error));
    }
    return spc_model_check_finite(model, SPARCL_E_DIVERGED, "the trained model", error);
}

sparcl_status spc_model_open(const spc_run *run, const sparcl_model_info *of, int64_t epochs,
                             sparcl_model **out, sparcl_error *error) {
    sparcl_model_info info = *of;
    const spc_model_graph *const graph = &run->model;
    const size_t count = (size_t)graph->count;
    const size_t own = (size_t)run->desc.parameter_optim_count * (SPARCL_OPTIM_TEXT + 64);
    char schedule[SPARCL_SCHEDULE_TEXT],
        settings[SPARCL_OPTIM_TEXT], *const of_parameters = malloc(own + 1);
    sparcl_tensor *const shapes = malloc(count * sizeof *shapes);
    if (!shapes || !of_parameters) {
        free(shapes);
        free(of_parameters);
        return spc_fail_memory(error, "model", count * sizeof *shapes + own);
    }
    for (size_t i = 0; i < count; ++i)
        shapes[i] = graph->parameters[i].shape;
    describe(run, epochs, &info, settings);
    spc_print_parameter_optims(of_parameters, own + 1, run->own, run->desc.parameter_optim_count);
    info.parameter_settings = own ? of_parameters : NULL;
    sparcl_schedule_print(&run->desc.schedule, schedule);
    info.schedule = run->varies ? schedule : NULL;
    const sparcl_status status = spc_model_new(out, &info, graph->architecture, shapes, error);
    free(of_parameters);
    free(shapes);
    return status;
}

sparcl_status spc_model_fetch(const spc_run *run, const sparcl_model_info *of, int64_t epochs,
                              sparcl_model **out, sparcl_error *error) {
    sparcl_status status = spc_model_open(run, of, epochs, out, error);
    if (status == SPARCL_OK) status = read_values(run, *out, error);
    if (status == SPARCL_OK) return SPARCL_OK;
    sparcl_model_free(*out);
    *out = NULL;
    return status;
}
