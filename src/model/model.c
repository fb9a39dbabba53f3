/* model.c: names of losses, and the model in memory. */
#include "sparcl/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/text.h"
#include "model/linear.h"
#include "model/loss_kind.h"
#include "model/model_columns.h"
#include "model/model_object.h"
#include "model/parameter_list.h"
#include "sparcl/optim_text.h"

static const char *const loss_names[] = {"logistic", "softmax", "squared", "poisson", "hinge"};

/* ---- names ---------------------------------------------------------------------------------- */

const char *sparcl_loss_name(sparcl_loss loss) {
    return (size_t)loss < SPC_COUNT(loss_names) ? loss_names[loss] : "?";
}

static int find_name(const char *const *names, size_t count, const char *name) {
    for (size_t i = 0; name && i < count; i++) {
        if (strcmp(names[i], name) == 0) return (int)i;
    }
    return -1;
}

sparcl_status sparcl_loss_parse(sparcl_loss *loss, const char *name, sparcl_error *error) {
    const int at = find_name(loss_names, SPC_COUNT(loss_names), name);
    if (at < 0)
        return spc_fail(
            error, SPARCL_E_ARG,
            "loss: expected logistic, softmax, squared, poisson or hinge, found \"%.40s\"",
            name ? name : "");
    *loss = (sparcl_loss)at;
    return SPARCL_OK;
}

/* ---- checks --------------------------------------------------------------------------------- */

static const char *wrong_kind(const sparcl_model_info *info, sparcl_task task) {
    const bool softmax = info->loss == SPARCL_LOSS_SOFTMAX;
    const int64_t classes = spc_loss_is_binary(info->loss) ? 2 : softmax ? info->outputs : 0;
    if ((size_t)info->loss >= SPC_COUNT(loss_names)) return "loss must be a sparcl_loss";
    if (sparcl_rule_states(info->optimizer) < 0) return "optimizer must be a sparcl_rule";
    if (softmax && info->outputs < 1) return "softmax has one output per class, at least 1";
    if (task == SPARCL_TASK_RECONSTRUCT) {
        if (info->loss != SPARCL_LOSS_SQUARED) return "rows are reconstructed with squared loss";
        if (info->outputs != info->columns) return "there is one output for each column";
    } else if (task == SPARCL_TASK_RANK) {
        if (info->loss != SPARCL_LOSS_LOGISTIC) return "items are ranked with logistic loss";
        if (info->outputs != 1 || info->classes != 0)
            return "a ranking has 1 output and no classes";
    } else if (!softmax && info->outputs != 1) {
        return "losses other than softmax have 1 output";
    }
    if (info->classes != classes && task != SPARCL_TASK_RANK)
        return "classes must be 2 for logistic and hinge loss, as many as outputs for softmax, "
               "else 0";
    if (info->index_base != 0 && info->index_base != 1) return "index_base must be 0 or 1";
    if (info->has_bias != 0 && info->has_bias != 1) return "has_bias must be 0 or 1";
    return NULL;
}

int64_t spc_labels_wrong(const double *labels, int64_t count) {
    for (int64_t c = 0; c < count; c++)
        if (!isfinite(labels[c]) || (c > 0 && labels[c] <= labels[c - 1])) return c;
    return -1;
}

static const char *wrong_numbers(const sparcl_model_info *info) {
    const double hyper[] = {info->lr,    info->l2,      info->momentum,        info->beta1,
                            info->beta2, info->epsilon, info->clip_global_norm};
    int64_t bytes = 0;
    if (info->columns < 0) return "columns must not be negative";
    if (!spc_mul_i64(info->columns, info->outputs, &bytes) ||
        !spc_mul_i64(bytes, (int64_t)sizeof(float), &bytes) || (uint64_t)bytes > SIZE_MAX)
        return "columns times outputs is too large";
    if (info->epochs < 0 || info->batch < 0) return "epochs and batch must not be negative";
    if (info->fields < 0 || info->fields > INT32_MAX) return "fields must be 0 to 2^31 - 1";
    for (size_t i = 0; i < SPC_COUNT(hyper); i++) {
        if (!isfinite(hyper[i]) || hyper[i] < 0.0)
            return "lr, l2, momentum, beta1, beta2, epsilon and clip_global_norm must be finite "
                   "and "
                   "not negative";
    }
    if (spc_model_columns_wrong(info)) return spc_model_columns_wrong(info);
    if (info->classes > 0 && !info->labels) return "labels are missing";
    return spc_labels_wrong(info->labels, info->classes) < 0 ? NULL
                                                             : "labels must be finite and ascend";
}

/* The settings are an optimizer's, of the same rule. */
static sparcl_status check_parameter_settings(const sparcl_model_info *info, sparcl_status status,
                                              const char *what, sparcl_error *error) {
    sparcl_parameter_optim list[SPARCL_PARAMETER_OPTIMS];
    sparcl_error found = {0};
    int count = 0;
    if (!info->parameter_settings) return SPARCL_OK;
    if (sparcl_parameter_optims_parse(list, &count, info->parameter_settings, &found) ==
            SPARCL_OK &&
        count > 0)
        return SPARCL_OK;
    return spc_fail(error, status, "%s: parameter_settings: %s", what,
                    count ? found.message : "expected PARAMETER=OPTIMIZER, found nothing");
}

static sparcl_status check_schedule(const sparcl_model_info *info, sparcl_status status,
                                    const char *what, sparcl_error *error) {
    sparcl_schedule schedule;
    sparcl_error found = {0};
    if (!info->schedule) return SPARCL_OK;
    if (sparcl_schedule_parse(&schedule, info->schedule, &found) != SPARCL_OK)
        return spc_fail(error, status, "%s: %s", what, found.message);
    if (strlen(info->schedule) < SPARCL_SCHEDULE_TEXT) return SPARCL_OK;
    return spc_fail(error, status, "%s: schedule: expected at most %d bytes", what,
                    SPARCL_SCHEDULE_TEXT - 1);
}

/* A setting, but of other rules. */
static bool is_unused(sparcl_rule rule, const char *name) {
    const sparcl_setting *s;
    for (int i = 0; (s = sparcl_optim_setting(i)); i++)
        if (strcmp(s->name, name) == 0) return !sparcl_rule_uses(rule, name);
    return false;
}

/* "rule:name=value,..." without settings that the rule does not use, which older files may have. */
static void keep_used(sparcl_rule rule, const char *settings, char kept[SPARCL_OPTIM_TEXT]) {
    const char *at = strchr(settings, ':');
    const int of_rule = (int)(at ? (size_t)(at - settings) : strlen(settings));
    spc_text text = spc_text_in(kept, SPARCL_OPTIM_TEXT);
    spc_text_add(&text, "%.*s", of_rule, settings);
    for (char before = ':'; at && *at != '\0';) {
        char name[SPARCL_OPTIM_TEXT];
        const int length = (int)strcspn(++at, ",");
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "=,"), at);
        if (!is_unused(rule, name)) {
            spc_text_add(&text, "%c%.*s", before, length, at);
            before = ',';
        }
        at += length;
    }
}

static sparcl_status check_settings(const sparcl_model_info *info, sparcl_status status,
                                    const char *what, sparcl_error *error) {
    sparcl_optim optim;
    sparcl_error found = {0};
    char used[SPARCL_OPTIM_TEXT];
    if (!info->settings) return SPARCL_OK;
    keep_used(info->optimizer, info->settings, used);
    if (sparcl_optim_parse(&optim, used, &found) != SPARCL_OK)
        return spc_fail(error, status, "%s: settings: %s", what, found.message);
    if (optim.rule == info->optimizer && strlen(info->settings) < SPARCL_OPTIM_TEXT)
        return SPARCL_OK;
    return spc_fail(error, status, "%s: settings: expected those of %s, found those of %s", what,
                    sparcl_rule_name(info->optimizer), sparcl_rule_name(optim.rule));
}

sparcl_status spc_model_check(const sparcl_model_info *info, sparcl_task task, sparcl_status status,
                              const char *what, sparcl_error *error) {
    const char *wrong = wrong_kind(info, task);
    if (!wrong) wrong = wrong_numbers(info);
    if (wrong) return spc_fail(error, status, "%s: %s", what, wrong);
    if (info->solver && !spc_is_solver_text(info->solver))
        return spc_fail(
            error, status,
            "%s: solver: expected lbfgs:l1=X,tolerance=X[,gradient_tolerance=X], found \"%.40s\"",
            what, info->solver);
    SPC_TRY(check_settings(info, status, what, error));
    SPC_TRY(check_schedule(info, status, what, error));
    return check_parameter_settings(info, status, what, error);
}

static int64_t first_not_finite(const float *values, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) return i;
    }
    return -1;
}

sparcl_status spc_model_check_finite(const sparcl_model *model, sparcl_status status,
                                     const char *what, sparcl_error *error) {
    for (int i = 0; i < model->count; i++) {
        const sparcl_tensor *const t = &model->tensors[i].tensor;
        const int64_t bad = first_not_finite(t->values, spc_tensor_elements(t));
        if (bad < 0) continue;
        if (t->rank != 2)
            return spc_fail(error, status, "%s: %s [%lld] is not a finite number", what, t->name,
                            (long long)bad);
        return spc_fail(error, status, "%s: %s [%lld, %lld] is not a finite number", what, t->name,
                        (long long)(bad / t->shape[1]), (long long)(bad % t->shape[1]));
    }
    return SPARCL_OK;
}

/* ---- the object ----------------------------------------------------------------------------- */

/* One more element, so that the values are not NULL in a model without columns. */
static bool make_tensor(spc_model_tensor *to, const char *name, const sparcl_tensor *shape) {
    to->bytes = (size_t)spc_tensor_elements(shape) * sizeof(float);
    to->capacity = to->bytes + sizeof(float);
    to->values = spc_alloc(NULL, to->capacity);
    to->tensor = *shape;
    to->tensor.name = name;
    to->tensor.values = to->values;
    return to->values != NULL;
}

static bool fill_model(sparcl_model *model, const sparcl_tensor *shapes) {
    const int count = spc_architecture_count(&model->architecture);
    model->label_bytes = (size_t)model->info.classes * sizeof(double);
    model->labels = spc_alloc(NULL, model->label_bytes);
    model->tensors = spc_alloc_zero(NULL, (size_t)count, sizeof *model->tensors);
    if (model->info.parameter_settings) {
        model->parameter_settings_bytes = strlen(model->info.parameter_settings) + 1;
        model->parameter_settings = spc_alloc(NULL, model->parameter_settings_bytes);
        if (!model->parameter_settings) return false;
    }
    if ((model->label_bytes && !model->labels) || !model->tensors) return false;
    model->count = count;
    for (int i = 0; i < count; i++)
        if (!make_tensor(&model->tensors[i], model->architecture.parameters[i], &shapes[i]))
            return false;
    return true;
}

sparcl_status spc_model_new(sparcl_model **model, const sparcl_model_info *info,
                            const sparcl_architecture *architecture, const sparcl_tensor *shapes,
                            sparcl_error *error) {
    *model = NULL;
    sparcl_model *const made = spc_alloc_zero(NULL, 1, sizeof *made);
    if (!made) return spc_fail_memory(error, "model", sizeof *made);
    made->info = *info;
    made->architecture = *architecture;
    if (spc_is_builtin(architecture) && architecture->user) {
        const sparcl_status status = spc_builtin_copy(&made->own, architecture, error);
        if (status != SPARCL_OK) return sparcl_model_free(made), status;
        made->architecture = *made->own;
    }
    if (!fill_model(made, shapes)) {
        size_t bytes = made->label_bytes;
        for (int i = 0; i < made->count; i++)
            bytes += made->tensors[i].bytes;
        sparcl_model_free(made);
        return spc_fail_memory(error, "model", bytes);
    }
    if (made->labels) memcpy(made->labels, info->labels, made->label_bytes);
    made->info.labels = made->labels;
    if (info->parameter_settings) {
        memcpy(made->parameter_settings, info->parameter_settings, made->parameter_settings_bytes);
        made->info.parameter_settings = made->parameter_settings;
    }
    if (info->schedule) {
        snprintf(made->schedule, sizeof made->schedule, "%s", info->schedule);
        made->info.schedule = made->schedule;
    }
    if (info->settings) {
        snprintf(made->settings, sizeof made->settings, "%s", info->settings);
        made->info.settings = made->settings;
    }
    if (info->solver) {
        snprintf(made->solver, sizeof made->solver, "%s", info->solver);
        made->info.solver = made->solver;
    }
    const sparcl_status status = spc_model_set_columns(made, info, error);
    if (status != SPARCL_OK) return sparcl_model_free(made), status;
    *model = made;
    return SPARCL_OK;
}

sparcl_status sparcl_model_create(sparcl_model **model, const sparcl_model_info *info,
                                  const float *weights, const float *bias, sparcl_error *error) {
    sparcl_status status;
    sparcl_model *made = NULL;
    *model = NULL;
    SPC_GO(spc_model_check(info, SPARCL_TASK_LABELS, SPARCL_E_ARG, "model", error));
    if ((!weights && info->columns > 0) || !bias != !info->has_bias)
        return spc_fail(
            error, SPARCL_E_ARG,
            "model: weights must not be NULL, and bias must be NULL exactly where has_bias is 0");
    const sparcl_tensor shapes[] = {{.rank = 2, .shape = {info->columns, info->outputs}},
                                    {.rank = 1, .shape = {info->outputs}}};
    SPC_GO(
        spc_model_new(&made, info, bias ? &spc_linear : &spc_linear_without_bias, shapes, error));
    if (weights) memcpy(made->tensors[0].values, weights, made->tensors[0].bytes);
    if (bias) memcpy(made->tensors[1].values, bias, made->tensors[1].bytes);
    SPC_GO(spc_model_check_finite(made, SPARCL_E_ARG, "model", error));
    *model = made;
    made = NULL;
done:
    sparcl_model_free(made);
    return status;
}

void sparcl_model_free(sparcl_model *model) {
    if (!model) return;
    for (int i = 0; i < model->count; i++)
        spc_free(NULL, model->tensors[i].values, model->tensors[i].capacity);
    spc_free(NULL, model->tensors, (size_t)model->count * sizeof *model->tensors);
    spc_free(NULL, model->labels, model->label_bytes);
    spc_data_columns_free(&model->of_data);
    spc_score_map_free(&model->calibration);
    spc_model_notes_free(&model->notes);
    spc_label_names_free(&model->label_names);
    spc_free(NULL, model->parameter_settings, model->parameter_settings_bytes);
    sparcl_architecture_free(model->own);
    if (model->free_state) model->free_state(model->state);
    spc_free(NULL, model, sizeof *model);
}

const sparcl_model_info *sparcl_model_get_info(const sparcl_model *model) {
    return &model->info;
}

const sparcl_architecture *sparcl_model_architecture(const sparcl_model *model) {
    return &model->architecture;
}

const sparcl_tensor *sparcl_model_tensor(const sparcl_model *model, const char *name) {
    const int i = spc_architecture_find(&model->architecture, name);
    return i < 0 ? NULL : &model->tensors[i].tensor;
}

static const float *linear_values(const sparcl_model *model, int i) {
    const bool is_linear = strcmp(model->architecture.name, spc_linear.name) == 0;
    return is_linear && i < model->count ? model->tensors[i].values : NULL;
}

const float *sparcl_model_weights(const sparcl_model *model) {
    return linear_values(model, 0);
}

const float *sparcl_model_bias(const sparcl_model *model) {
    return linear_values(model, 1);
}
