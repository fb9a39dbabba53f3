/* train_desc.c: the defaults and the checks of a training description. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "base/writer.h"
#include "model/architecture_check.h"
#include "model/linear.h"
#include "model/loss_kind.h"
#include "model/parameter_list.h"
#include "model/parameter_optims.h"
#include "sparcl/optim_text.h"
#include "train/problem.h"
#include "train/run.h"
#include "train/start.h"

void sparcl_train_init(sparcl_train_desc *desc, sparcl_rule rule) {
    *desc = (sparcl_train_desc){.size = sizeof *desc, .epochs = 10, .batch = 1024};
    sparcl_optim_init(&desc->optim, rule);
    spc_set_training_rate(&desc->optim);
}

int64_t sparcl_usual_batch(int64_t rows, int searches) {
    enum { FEW_ROWS = 2000, STEPS = 50, LEAST = 32, MOST = 1024 };
    if (searches && rows > FEW_ROWS) return MOST;
    return spc_max_i64(LEAST, spc_min_i64(MOST, rows / STEPS));
}

/* False for NaN. */
static bool is_not_negative(double x) {
    return x >= 0 && x < INFINITY;
}

static sparcl_status check_real(const char *name, double found, sparcl_error *error) {
    if (is_not_negative(found)) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG, "train: %s is %g, expected a finite number from 0", name,
                    found);
}

/* l2 is a coupled decay. */
static sparcl_status check_exact(const sparcl_train_desc *d, sparcl_optim *o, sparcl_error *error) {
    if (d->l2 != 0) {
        o->decay.weight = d->l2;
        o->decay.kind = SPARCL_DECAY_COUPLED;
    }
    const char *const refusal = sparcl_optim_exact_refusal(o);
    if (o->moves != SPARCL_MOVES_EXACT || !refusal) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG, "train: moves is exact, but %s has no closed form with %s",
                    sparcl_rule_name(o->rule), refusal);
}

static sparcl_status check_optim(const sparcl_train_desc *d, sparcl_error *error) {
    sparcl_optim o = d->optim;
    sparcl_error found = {0};
    o.step = 1;
    o.lazy.last_steps = NULL;
    o.lazy.object = NULL;
    SPC_TRY(check_real("l2", d->l2, error));
    if (sparcl_optim_check(&o, &found) != SPARCL_OK)
        return spc_fail(error, found.status, "train: %s", found.message);
    if (d->l2 != 0 && o.decay.weight != 0)
        return spc_fail(error, SPARCL_E_ARG,
                        "train: l2 is %g and weight_decay is %g, expected only one that is not 0",
                        d->l2, o.decay.weight);
    return check_exact(d, &o, error);
}

/* One of the optimizers of single parameters. */
static sparcl_status check_own(const sparcl_train_desc *d, const sparcl_architecture *a, int i,
                               sparcl_error *error) {
    const sparcl_parameter_optim *const own = &d->parameter_optims[i];
    const sparcl_train_desc as_if = {.optim = own->optim};
    sparcl_error found = {0};
    const bool is_known = memchr(own->parameter, '\0', sizeof own->parameter) &&
                          spc_architecture_find(a, own->parameter) >= 0;
    if (!is_known)
        return spc_fail(error, SPARCL_E_ARG,
                        "train: parameter_optims[%d] is of %.47s, expected a parameter of a %s "
                        "model, such as %s",
                        i, own->parameter, a->name, a->parameters[0]);
    if (check_optim(&as_if, &found) == SPARCL_OK) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG, "parameter %s: %s", own->parameter, found.message);
}

static sparcl_status check_all_own(const sparcl_train_desc *d, sparcl_error *error) {
    const int count = d->parameter_optim_count;
    if (count < 0 || count > SPARCL_PARAMETER_OPTIMS || (count > 0 && !d->parameter_optims))
        return spc_fail(error, SPARCL_E_ARG,
                        "train: parameter_optim_count is %d, expected 0 to %d elements of "
                        "parameter_optims",
                        count, SPARCL_PARAMETER_OPTIMS);
    if (count > 0 && d->l2 != 0)
        return spc_fail(error, SPARCL_E_ARG,
                        "train: l2 is %g, expected 0 where parameters have optimizers of their "
                        "own; set the weight_decay of each",
                        d->l2);
    for (int i = 0; i < count; ++i)
        SPC_TRY(check_own(d, d->architecture ? d->architecture : &spc_linear, i, error));
    return SPARCL_OK;
}

sparcl_status spc_refuse_patience(int64_t patience, sparcl_error *error) {
    return spc_fail(error, SPARCL_E_ARG,
                    "train: patience is %lld, expected 0 without validation data",
                    (long long)patience);
}

static sparcl_status check_count(const char *name, int64_t found, const char *expected,
                                 sparcl_error *error) {
    if (found >= 0) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG, "train: %s is %lld, expected %s", name, (long long)found,
                    expected);
}

/* It may be hours of work. */
static sparcl_status refuse_existing(const sparcl_train_desc *d, sparcl_error *error) {
    sparcl_checkpoint_info info;
    sparcl_error why = {0};
    const sparcl_status status = sparcl_checkpoint_find(d->checkpoint, &info, &why);
    if (status != SPARCL_OK)
        return spc_fail(
            error, status, "%s%s", why.message,
            status == SPARCL_E_FORMAT ? "; use another file, or set overwrite to begin again" : "");
    if (!info.exists) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG,
                    "train: %s%s: expected no checkpoint there, found one of step %lld; set resume "
                    "to go on with it, or overwrite to replace it",
                    d->checkpoint, info.is_previous ? ".previous" : "", (long long)info.step);
}

/* Before the work that it is to keep. */
static sparcl_status try_to_write(const char *checkpoint, sparcl_error *error) {
    spc_writer writer;
    SPC_TRY(spc_writer_open(&writer, checkpoint, false, error));
    spc_writer_discard(&writer);
    return SPARCL_OK;
}

static sparcl_status check_checkpoint(const sparcl_train_desc *d, sparcl_error *error) {
    SPC_TRY(check_count("checkpoint_steps", d->checkpoint_steps, "a number of steps, or 0", error));
    SPC_TRY(check_real("checkpoint_seconds", d->checkpoint_seconds, error));
    if (d->resume && d->overwrite)
        return spc_fail(error, SPARCL_E_ARG, "train: resume and overwrite are set, expected one");
    if (d->checkpoint) {
        if (!d->resume && !d->overwrite) SPC_TRY(refuse_existing(d, error));
        return try_to_write(d->checkpoint, error);
    }
    if (!d->resume && !d->overwrite && !d->checkpoint_steps && d->checkpoint_seconds == 0)
        return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG, "train: checkpoint is NULL, expected a file with %s",
                    d->resume      ? "resume"
                    : d->overwrite ? "overwrite"
                                   : "checkpoint_steps or checkpoint_seconds");
}

static sparcl_status check_clipping(const sparcl_train_desc *d, sparcl_error *error) {
    if (!is_not_negative(d->clip_global_norm))
        return spc_fail(error, SPARCL_E_ARG, "train: clip_global_norm is %g, expected %s",
                        d->clip_global_norm, "a finite number above 0, or 0 for no limit");
    if (d->clip_global_norm == 0 || d->solver != SPARCL_SOLVER_LBFGS) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG,
                    "train: clip_global_norm is %g, expected 0 with lbfgs: a line search finds how "
                    "long its steps are",
                    d->clip_global_norm);
}

static sparcl_status check_schedule(const sparcl_train_desc *d, sparcl_error *error) {
    sparcl_error found = {0};
    if (sparcl_schedule_check(&d->schedule, &found) != SPARCL_OK)
        return spc_fail(error, found.status, "train: %s", found.message);
    return check_real("max_seconds", d->max_seconds, error);
}

static bool is_linear(const sparcl_train_desc *d) {
    return !d->architecture || strcmp(d->architecture->name, spc_linear.name) == 0;
}

/* What a model is trained for decides its loss, and whether there is a graph between rows. */
static sparcl_status check_task(const sparcl_train_desc *d, sparcl_error *error) {
    const sparcl_architecture *const a = d->architecture ? d->architecture : &spc_linear;
    if (a->task == SPARCL_TASK_RECONSTRUCT && d->loss != SPARCL_LOSS_SQUARED)
        return spc_fail(error, SPARCL_E_ARG,
                        "train: loss is %s, expected squared: a model of the kind %s reconstructs "
                        "rows",
                        sparcl_loss_name(d->loss), a->name);
    if (a->task == SPARCL_TASK_RANK && d->loss != SPARCL_LOSS_LOGISTIC)
        return spc_fail(error, SPARCL_E_ARG,
                        "train: loss is %s, expected logistic: a model of the kind %s ranks items",
                        sparcl_loss_name(d->loss), a->name);
    if ((a->task == SPARCL_TASK_NODES) == (d->nodes != NULL)) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG,
                    "train: nodes is %s, expected %s: a model of the kind %s %s a graph between "
                    "rows",
                    d->nodes ? "set" : "NULL", d->nodes ? "NULL" : "a graph", a->name,
                    d->nodes ? "does not read" : "reads");
}

static sparcl_status check_class_weight(const sparcl_train_desc *d, int i, sparcl_error *error) {
    const sparcl_class_weight *const w = &d->class_weights[i];
    if (!is_not_negative(w->weight))
        return spc_fail(error, SPARCL_E_ARG,
                        "train: class_weights[%d] is %g, expected a finite number from 0", i,
                        w->weight);
    for (int k = 0; k < i; ++k)
        if (d->class_weights[k].label == w->label)
            return spc_fail(error, SPARCL_E_ARG,
                            "train: class_weights[%d] is of the label %g, as class_weights[%d], "
                            "expected each once",
                            i, w->label, k);
    return SPARCL_OK;
}

static sparcl_status check_class_weights(const sparcl_train_desc *d, sparcl_error *error) {
    const sparcl_architecture *const a = d->architecture ? d->architecture : &spc_linear;
    const int count = d->class_weight_count;
    if (count < 0 || (count > 0 && !d->class_weights) || (count > 0 && d->balance_classes))
        return spc_fail(error, SPARCL_E_ARG,
                        "train: class_weight_count is %d, expected as many elements of "
                        "class_weights, and 0 with balance_classes",
                        count);
    for (int i = 0; i < count; ++i)
        SPC_TRY(check_class_weight(d, i, error));
    if (count == 0 && !d->balance_classes) return SPARCL_OK;
    if (spc_task_has_labels(a->task) && !spc_loss_has_numbers(d->loss)) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG,
                    "train: there are class weights, expected none: a model of the kind %s with %s "
                    "loss has no classes; use none, or weights of rows",
                    a->name, sparcl_loss_name(d->loss));
}

static sparcl_status check_solver(const sparcl_train_desc *d, sparcl_error *error) {
    const bool is_lbfgs = d->solver == SPARCL_SOLVER_LBFGS;
    if ((unsigned)d->solver > SPARCL_SOLVER_LBFGS)
        return spc_fail(error, SPARCL_E_ARG, "train: solver is %d, expected a sparcl_solver",
                        (int)d->solver);
    SPC_TRY(check_real("l1", d->l1, error));
    SPC_TRY(check_real("tolerance", d->tolerance, error));
    SPC_TRY(check_real("gradient_tolerance", d->gradient_tolerance, error));
    if (!is_lbfgs && d->l1 != 0)
        return spc_fail(error, SPARCL_E_ARG,
                        "train: l1 is %g, expected 0 with steps; the optimizers ftrl, "
                        "proximal_sgd and proximal_adagrad have an l1",
                        d->l1);
    if (!is_lbfgs) return SPARCL_OK;
    if (d->schedule.kind != SPARCL_SCHEDULE_CONSTANT || d->schedule.warmup > 0)
        return spc_fail(error, SPARCL_E_ARG,
                        "train: there is a schedule, expected none: it is for steps of the "
                        "optimizer, and solver is lbfgs");
    if (!is_linear(d))
        return spc_fail(
            error, SPARCL_E_ARG,
            "train: solver is lbfgs, expected steps for a model of the kind %s: lbfgs is "
            "for linear models",
            d->architecture->name);
    if (d->loss == SPARCL_LOSS_HINGE)
        return spc_fail(error, SPARCL_E_ARG,
                        "train: loss is hinge, expected one that has a derivative everywhere with "
                        "lbfgs");
    if (d->patience == 0 && d->parameter_optim_count == 0) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG,
                    "train: patience is %lld, with %d optimizers of parameters, expected 0 of both "
                    "with lbfgs",
                    (long long)d->patience, d->parameter_optim_count);
}

static sparcl_status check_label_units(const sparcl_train_desc *d, sparcl_error *error) {
    const sparcl_architecture *const a = d->architecture ? d->architecture : &spc_linear;
    if (!d->standardize_labels || d->solver == SPARCL_SOLVER_LBFGS) return SPARCL_OK;
    if (!spc_label_units_fit(a, d->loss))
        return spc_fail(error, SPARCL_E_ARG,
                        "train: standardize_labels is set, expected 0 for a model of the kind %s "
                        "with %s loss: it is for squared loss and models of sparcl that predict "
                        "labels",
                        a->name, sparcl_loss_name(d->loss));
    if (!d->keep_state) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG,
                    "train: standardize_labels and keep_state are set, expected one: the states "
                    "would be those of other labels");
}

static sparcl_status check_desc(const sparcl_train_desc *d, sparcl_error *error) {
    if (!spc_is_struct_size(d->size, sizeof *d))
        return spc_fail(error, SPARCL_E_ARG, "train: size is %zu, expected 0 or %zu", d->size,
                        sizeof *d);
    if ((int)d->loss < 0 || d->loss > SPARCL_LOSS_HINGE)
        return spc_fail(error, SPARCL_E_ARG, "train: loss is %d, expected a sparcl_loss",
                        (int)d->loss);
    if (sparcl_rule_states(d->optim.rule) < 0)
        return spc_fail(error, SPARCL_E_ARG, "train: rule is %d, expected a sparcl_rule",
                        (int)d->optim.rule);
    SPC_TRY(check_count("epochs", d->epochs, "a number of passes", error));
    SPC_TRY(check_count("batch", d->batch, "a number of rows, or 0 for all", error));
    SPC_TRY(check_count("patience", d->patience, "a number of passes, or 0 for all", error));
    SPC_TRY(check_checkpoint(d, error));
    SPC_TRY(check_schedule(d, error));
    SPC_TRY(check_count("columns", d->columns, "a width, or 0 for that of the data", error));
    SPC_TRY(check_count("device_memory", d->device_memory,
                        "a number of bytes, or 0 for half of the device's memory", error));
    if (d->architecture) SPC_TRY(spc_architecture_check(d->architecture, "train", error));
    if (!is_linear(d) && d->no_bias)
        return spc_fail(error, SPARCL_E_ARG,
                        "train: no_bias is set, expected 0 with an architecture of your own");
    if (d->architecture && !spc_builtin_takes(d->architecture, d->loss))
        return spc_fail(
            error, SPARCL_E_ARG,
            "train: loss is softmax, expected another one: a model of the kind %s has one "
            "score; use squared loss for labels that are numbers, or a model of the kind linear or "
            "mlp for classes",
            d->architecture->name);
    SPC_TRY(check_task(d, error));
    SPC_TRY(check_class_weights(d, error));
    SPC_TRY(check_label_units(d, error));
    SPC_TRY(check_solver(d, error));
    SPC_TRY(check_clipping(d, error));
    if (d->keep_state && d->patience > 0)
        return spc_fail(error, SPARCL_E_ARG,
                        "train: keep_state is set with patience %lld, expected 0 of one: the model "
                        "may be that of an earlier pass",
                        (long long)d->patience);
    SPC_TRY(check_all_own(d, error));
    return check_optim(d, error);
}

/* In the model file, hyper-parameters that the optimizer does not use are 0. */
static void clear_unused(sparcl_optim *o) {
    const struct {
        const char *name;
        double *field;
    } all[] = {{"momentum", &o->momentum.factor},
               {"beta1", &o->adam.beta1},
               {"beta2", &o->adam.beta2},
               {"epsilon", &o->epsilon}};
    for (size_t i = 0; i < SPC_COUNT(all); ++i)
        if (!sparcl_rule_uses(o->rule, all[i].name)) *all[i].field = 0;
}

sparcl_status spc_run_check(sparcl_train_desc *to, const sparcl_train_desc *desc,
                            sparcl_error *error) {
    SPC_TRY(check_desc(desc, error));
    *to = *desc;
    if (is_linear(to)) to->architecture = desc->no_bias ? &spc_linear_without_bias : &spc_linear;
    to->optim.step = 1;
    to->optim.lazy.last_steps = NULL;
    to->optim.lazy.last_steps_at = 0;
    to->optim.lazy.object = NULL;
    clear_unused(&to->optim);
    return spc_start_check(to, error);
}
