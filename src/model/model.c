/* model.c: names of losses and optimizers, and the model in memory. */
#include "sparcl/model.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "model/model_object.h"

static const char *const loss_names[] = {"logistic", "softmax", "squared"};
static const char *const rule_names[] = {"sgd", "momentum", "adagrad", "adam"};

/* ---- names ---------------------------------------------------------------------------------- */

const char *sparcl_loss_name(sparcl_loss loss) {
    return (size_t)loss < SPC_COUNT(loss_names) ? loss_names[loss] : "?";
}

const char *sparcl_rule_name(sparcl_rule rule) {
    return (size_t)rule < SPC_COUNT(rule_names) ? rule_names[rule] : "?";
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
        return spc_fail(error, SPARCL_E_ARG,
                        "loss: expected logistic, softmax or squared, found \"%.40s\"",
                        name ? name : "");
    *loss = (sparcl_loss)at;
    return SPARCL_OK;
}

sparcl_status sparcl_rule_parse(sparcl_rule *rule, const char *name, sparcl_error *error) {
    const int at = find_name(rule_names, SPC_COUNT(rule_names), name);
    if (at < 0)
        return spc_fail(error, SPARCL_E_ARG,
                        "optimizer: expected sgd, momentum, adagrad or adam, found \"%.40s\"",
                        name ? name : "");
    *rule = (sparcl_rule)at;
    return SPARCL_OK;
}

/* ---- checks --------------------------------------------------------------------------------- */

static const char *wrong_kind(const sparcl_model_info *info) {
    const bool softmax = info->loss == SPARCL_LOSS_SOFTMAX;
    const int64_t classes = info->loss == SPARCL_LOSS_LOGISTIC ? 2 : softmax ? info->outputs : 0;
    if ((size_t)info->loss >= SPC_COUNT(loss_names)) return "loss must be a sparcl_loss";
    if ((size_t)info->optimizer >= SPC_COUNT(rule_names)) return "optimizer must be a sparcl_rule";
    if (softmax && info->outputs < 1) return "softmax has one output per class, at least 1";
    if (!softmax && info->outputs != 1) return "logistic and squared loss have 1 output";
    if (info->classes != classes)
        return "classes must be 2 for logistic, as many as outputs for softmax, 0 for squared loss";
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
    const double hyper[] = {info->lr,    info->l2,    info->momentum,
                            info->beta1, info->beta2, info->epsilon};
    int64_t bytes = 0;
    if (info->columns < 0) return "columns must not be negative";
    if (!spc_mul_i64(info->columns, info->outputs, &bytes) ||
        !spc_mul_i64(bytes, (int64_t)sizeof(float), &bytes) || (uint64_t)bytes > SIZE_MAX)
        return "columns times outputs is too large";
    if (info->epochs < 0 || info->batch < 0) return "epochs and batch must not be negative";
    for (size_t i = 0; i < SPC_COUNT(hyper); i++) {
        if (!isfinite(hyper[i]) || hyper[i] < 0.0)
            return "lr, l2, momentum, beta1, beta2 and epsilon must be finite and not negative";
    }
    if (info->classes > 0 && !info->labels) return "labels are missing";
    return spc_labels_wrong(info->labels, info->classes) < 0 ? NULL
                                                             : "labels must be finite and ascend";
}

sparcl_status spc_model_check(const sparcl_model_info *info, sparcl_status status, const char *what,
                              sparcl_error *error) {
    const char *wrong = wrong_kind(info);
    if (!wrong) wrong = wrong_numbers(info);
    return wrong ? spc_fail(error, status, "%s: %s", what, wrong) : SPARCL_OK;
}

static int64_t first_not_finite(const float *values, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) return i;
    }
    return -1;
}

sparcl_status spc_model_check_finite(const sparcl_model *model, sparcl_status status,
                                     const char *what, sparcl_error *error) {
    const int64_t outputs = model->info.outputs;
    int64_t bad = first_not_finite(model->weights, model->info.columns * outputs);
    if (bad >= 0)
        return spc_fail(error, status, "%s: weight [%lld, %lld] is not a finite number", what,
                        (long long)(bad / outputs), (long long)(bad % outputs));
    bad = model->bias ? first_not_finite(model->bias, outputs) : -1;
    if (bad >= 0)
        return spc_fail(error, status, "%s: bias [%lld] is not a finite number", what,
                        (long long)bad);
    return SPARCL_OK;
}

/* ---- the object ----------------------------------------------------------------------------- */

sparcl_status spc_model_new(sparcl_model **model, const sparcl_model_info *info,
                            sparcl_error *error) {
    *model = NULL;
    sparcl_model *const made = spc_alloc_zero(NULL, 1, sizeof *made);
    if (!made) return spc_fail_memory(error, "model", sizeof *made);
    const size_t outputs = (size_t)info->outputs;
    made->info = *info;
    made->label_bytes = (size_t)info->classes * sizeof(double);
    made->weight_bytes = (size_t)info->columns * outputs * sizeof(float);
    made->bias_bytes = info->has_bias ? outputs * sizeof(float) : 0;
    made->labels = spc_alloc(NULL, made->label_bytes);
    /* One more element, so that weights are not NULL in a model without columns. */
    made->weight_bytes += sizeof(float);
    made->weights = spc_alloc(NULL, made->weight_bytes);
    made->bias = spc_alloc(NULL, made->bias_bytes);
    if (!made->weights || (made->label_bytes && !made->labels) ||
        (made->bias_bytes && !made->bias)) {
        const size_t bytes = made->label_bytes + made->weight_bytes + made->bias_bytes;
        sparcl_model_free(made);
        return spc_fail_memory(error, "model", bytes);
    }
    if (made->labels) memcpy(made->labels, info->labels, made->label_bytes);
    made->info.labels = made->labels;
    *model = made;
    return SPARCL_OK;
}

sparcl_status sparcl_model_create(sparcl_model **model, const sparcl_model_info *info,
                                  const float *weights, const float *bias, sparcl_error *error) {
    sparcl_status status;
    sparcl_model *made = NULL;
    *model = NULL;
    SPC_GO(spc_model_check(info, SPARCL_E_ARG, "model", error));
    if ((!weights && info->columns > 0) || !bias != !info->has_bias)
        return spc_fail(
            error, SPARCL_E_ARG,
            "model: weights must not be NULL, and bias must be NULL exactly where has_bias is 0");
    SPC_GO(spc_model_new(&made, info, error));
    if (weights) memcpy(made->weights, weights, made->weight_bytes - sizeof(float));
    if (bias) memcpy(made->bias, bias, made->bias_bytes);
    SPC_GO(spc_model_check_finite(made, SPARCL_E_ARG, "model", error));
    *model = made;
    made = NULL;
done:
    sparcl_model_free(made);
    return status;
}

void sparcl_model_free(sparcl_model *model) {
    if (!model) return;
    spc_free(NULL, model->labels, model->label_bytes);
    spc_free(NULL, model->weights, model->weight_bytes);
    spc_free(NULL, model->bias, model->bias_bytes);
    spc_free(NULL, model, sizeof *model);
}

const sparcl_model_info *sparcl_model_get_info(const sparcl_model *model) {
    return &model->info;
}

const float *sparcl_model_weights(const sparcl_model *model) {
    return model->weights;
}

const float *sparcl_model_bias(const sparcl_model *model) {
    return model->bias;
}
