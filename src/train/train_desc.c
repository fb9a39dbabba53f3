/* train_desc.c: the defaults and the checks of a training description. */
#include <math.h>

#include "base/error.h"
#include "model/architecture_check.h"
#include "model/linear.h"
#include "train/run.h"

void sparcl_train_init(sparcl_train_desc *desc, sparcl_rule optimizer) {
    const bool is_linear = optimizer == SPARCL_RULE_SGD || optimizer == SPARCL_RULE_MOMENTUM;
    sparcl_optim o;
    sparcl_optim_init(&o, optimizer);
    *desc = (sparcl_train_desc){.optimizer = optimizer,
                                .lr = is_linear ? 0.1 : o.lr,
                                .momentum = o.momentum,
                                .beta1 = o.beta1,
                                .beta2 = o.beta2,
                                .epsilon = o.epsilon,
                                .epochs = 10,
                                .batch = 1024};
}

/* NaN is in no range. */
static sparcl_status check_hyper(const sparcl_train_desc *d, sparcl_error *error) {
    const struct {
        const char *name;
        double found, below;
    } all[] = {{"lr", d->lr, INFINITY}, {"l2", d->l2, INFINITY}, {"momentum", d->momentum, 1},
               {"beta1", d->beta1, 1},  {"beta2", d->beta2, 1},  {"epsilon", d->epsilon, INFINITY}};
    for (size_t i = 0; i < SPC_COUNT(all); ++i)
        if (!(all[i].found >= 0 && all[i].found < all[i].below))
            return spc_fail(
                error, SPARCL_E_ARG, "train: %s is %g, expected %s", all[i].name, all[i].found,
                all[i].below == 1 ? "a number from 0 to less than 1" : "a finite number from 0");
    return SPARCL_OK;
}

static sparcl_status check_count(const char *name, int64_t found, const char *expected,
                                 sparcl_error *error) {
    if (found >= 0) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG, "train: %s is %lld, expected %s", name, (long long)found,
                    expected);
}

static sparcl_status check_desc(const sparcl_train_desc *d, sparcl_error *error) {
    if (d->reserved[0] || d->reserved[1])
        return spc_fail(error, SPARCL_E_ARG, "train: the reserved fields are not zero");
    if ((int)d->loss < 0 || d->loss > SPARCL_LOSS_SQUARED)
        return spc_fail(error, SPARCL_E_ARG, "train: loss is %d, expected a sparcl_loss",
                        (int)d->loss);
    if (sparcl_rule_states(d->optimizer) < 0)
        return spc_fail(error, SPARCL_E_ARG, "train: optimizer is %d, expected a sparcl_rule",
                        (int)d->optimizer);
    SPC_TRY(check_count("epochs", d->epochs, "a number of passes", error));
    SPC_TRY(check_count("batch", d->batch, "a number of rows, or 0 for all", error));
    SPC_TRY(check_count("columns", d->columns, "a width, or 0 for that of the data", error));
    SPC_TRY(check_count("device_memory", d->device_memory,
                        "a number of bytes, or 0 for half of the device's memory", error));
    if (d->architecture) SPC_TRY(spc_architecture_check(d->architecture, "train", error));
    if (d->architecture && d->no_bias)
        return spc_fail(error, SPARCL_E_ARG,
                        "train: no_bias is set, expected 0 with an architecture of your own");
    return check_hyper(d, error);
}

/* In the model file, hyper-parameters that the optimizer does not use are 0. */
sparcl_status spc_run_check(sparcl_train_desc *to, const sparcl_train_desc *desc,
                            sparcl_error *error) {
    SPC_TRY(check_desc(desc, error));
    const bool is_adam = desc->optimizer == SPARCL_RULE_ADAM;
    *to = *desc;
    if (!to->architecture)
        to->architecture = desc->no_bias ? &spc_linear_without_bias : &spc_linear;
    if (desc->optimizer != SPARCL_RULE_MOMENTUM) to->momentum = 0;
    if (!is_adam) to->beta1 = to->beta2 = 0;
    if (!is_adam && desc->optimizer != SPARCL_RULE_ADAGRAD) to->epsilon = 0;
    return SPARCL_OK;
}
