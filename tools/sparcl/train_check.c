/* train_check.c: checks the options of sparcl train, and reads the texts of optimizers and
 * schedules.
 */
#include <math.h>

#include "class_weights.h"
#include "message.h"
#include "model_kind.h"
#include "optimizer.h"
#include "train_checkpoint.h"
#include "train_options.h"

static void set_real(double *to, double from) {
    if (!isnan(from)) *to = from;
}

/* The defaults of the optimizer, overwritten by the options. Training has a learning rate of its
 * own for some rules. */
static exit_code take_optimizer(void) {
    const char *const name =
        train_given.optimizer ? train_given.optimizer : usual_optimizer(train_given.kind);
    sparcl_optim *const o = &train_given.optim;
    sparcl_train_desc usual;
    const exit_code code = read_optimizer(name, o);
    if (code != EXIT_OK) return code;
    sparcl_train_init(&usual, o->rule);
    if (!optimizer_has_key(name, "lr") && !optimizer_has_key(name, "preset"))
        o->lr = usual.optim.lr;
    set_real(&o->lr, train_given.lr);
    set_real(&o->momentum.factor, train_given.momentum);
    set_real(&o->adam.beta1, train_given.beta1);
    set_real(&o->adam.beta2, train_given.beta2);
    set_real(&o->epsilon, train_given.epsilon);
    set_real(&o->clip.value, train_given.clip_value);
    set_real(&o->clip.norm, train_given.clip_norm);
    if (train_given.exact) o->moves = SPARCL_MOVES_EXACT;
    return EXIT_OK;
}

static exit_code take_own_optimizers(void) {
    sparcl_error error = {0};
    if (!train_given.own || sparcl_parameter_optims_parse(train_given.parameter_optims,
                                                          &train_given.parameter_optim_count,
                                                          train_given.own, &error) == SPARCL_OK)
        return EXIT_OK;
    return usage_error("--parameter-optimizers: %s", error.message);
}

static exit_code take_schedule(void) {
    sparcl_error error = {0};
    if (!train_given.schedule_text ||
        sparcl_schedule_parse(&train_given.schedule, train_given.schedule_text, &error) ==
            SPARCL_OK)
        return EXIT_OK;
    return usage_error("--schedule: %s", error.message);
}

static exit_code check_held_out(void) {
    const bool is_drawn = train_given.hold_out > 0, is_last = train_given.hold_out_last > 0;
    if (!(train_given.hold_out >= 0 && train_given.hold_out < 1))
        return usage_error("--hold-out is %g, expected a part of the rows from 0 to less than 1, "
                           "such as 0.2",
                           train_given.hold_out);
    if (train_given.patience > 0 && !train_given.valid && !is_drawn && !is_last &&
        train_given.valid_nodes == 0)
        return usage_error("--patience needs --valid, --hold-out or --valid-nodes");
    if (is_drawn && is_last)
        return usage_error("--hold-out and --hold-out-last are both given, expected one");
    if ((is_drawn || is_last) && train_given.valid)
        return usage_error("--hold-out%s and --valid are both given, expected one",
                           is_last ? "-last" : "");
    return EXIT_OK;
}

static exit_code check_given(void) {
    if (!train_given.model && !train_given.dry_run)
        return usage_error("-o MODEL is missing: the file of the model");
    if (train_given.dry_run && train_given.solver == SPARCL_SOLVER_LBFGS)
        return usage_error("--dry-run plans steps: it has no --solver lbfgs");
    if (train_given.dry_run && (train_given.profile || train_given.svg || train_given.log ||
                                train_given.tensorboard || train_given.manifest))
        return usage_error("--dry-run trains nothing: it has no --profile, --svg, --log, "
                           "--tensorboard or --manifest");
    if (!isnan(train_given.clip_global_norm) && !(train_given.clip_global_norm > 0))
        return usage_error("--clip-global-norm is %g, expected a number above 0",
                           train_given.clip_global_norm);
    if (train_given.log_every > 0 && !train_given.log && !train_given.tensorboard)
        return usage_error("--log-every needs --log FILE or --tensorboard FOLDER");
    if (train_given.valid_labels && !train_given.valid)
        return usage_error("--valid-labels needs --valid");
    if (train_given.valid_weights && !train_given.valid)
        return usage_error("--valid-weights needs --valid");
    if (train_given.calibrate >= 0 && !train_given.valid && train_given.hold_out == 0 &&
        train_given.hold_out_last == 0)
        return usage_error("--calibrate needs rows that are not trained on: use --hold-out 0.2, or "
                           "--valid FILE");
    if (train_given.probe && train_given.dry_run)
        return usage_error("--dry-run trains nothing: it has no --probe");
    return check_held_out();
}

exit_code train_take_options(void) {
    exit_code code = check_given();
    if (code == EXIT_OK) code = checkpoint_take_options();
    if (code == EXIT_OK) code = take_schedule();
    if (code == EXIT_OK && train_given.class_weights)
        code = class_weights_take(train_given.class_weights);
    if (code == EXIT_OK) code = take_optimizer();
    return code == EXIT_OK ? take_own_optimizers() : code;
}
