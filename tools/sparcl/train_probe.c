/* train_probe.c: sparcl train --probe: how well a linear classifier does on the codes of a model.
 */
#include "train_probe.h"

#include "code_use.h"
#include "message.h"
#include "output.h"
#include "sparcl/auto.h"
#include "stop.h"
#include "train_checkpoint.h"
#include "train_options.h"

static exit_code check_labels(const sparcl_data *data, const char *which, const char *option) {
    if (sparcl_data_get_info(data)->has_labels) return EXIT_OK;
    print_error("--probe: the %s data have no labels, expected one for each row", which);
    print_remedy("use %s FILE", option);
    return EXIT_CONTRACT;
}

exit_code probe_check(const sparcl_architecture *architecture, const sparcl_data *train,
                      const sparcl_data *valid) {
    sparcl_loss loss;
    sparcl_error error = {0};
    if (architecture->task != SPARCL_TASK_RECONSTRUCT)
        return usage_error("--probe: expected a model with codes, such as --model autoencoder, "
                           "found %s",
                           architecture->name);
    exit_code code = check_labels(train, "training", "--labels");
    if (code == EXIT_OK && valid) code = check_labels(valid, "validation", "--valid-labels");
    if (code != EXIT_OK) return code;
    if (sparcl_usual_loss(&loss, train, &error) != SPARCL_OK) return report(&error);
    if (loss != SPARCL_LOSS_SQUARED) return EXIT_OK;
    print_error("--probe: the labels are no classes, expected two different labels, or whole "
                "numbers");
    print_remedy("use labels of classes with --labels FILE, or leave out --probe");
    return EXIT_CONTRACT;
}

static int look_for_signals(void *user, const sparcl_train_progress *now) {
    (void)user;
    (void)now;
    return stop_was_requested();
}

static sparcl_status fit(sparcl_ctx *ctx, sparcl_model **classifier, const sparcl_data *codes,
                         sparcl_error *error) {
    sparcl_train_desc desc;
    sparcl_train_result result;
    sparcl_train_init(&desc, SPARCL_RULE_SGD);
    desc.solver = SPARCL_SOLVER_LBFGS;
    desc.epochs = 1000;
    desc.tolerance = 1e-6;
    desc.l2 = train_given.probe_l2;
    desc.progress = look_for_signals;
    const sparcl_status status = sparcl_usual_loss(&desc.loss, codes, error);
    if (status != SPARCL_OK) return status;
    return sparcl_train(ctx, classifier, codes, NULL, &desc, &result, error);
}

static sparcl_status fit_and_evaluate(train_probe *probe, sparcl_ctx *ctx, const sparcl_data *codes,
                                      const sparcl_data *valid, sparcl_error *error) {
    sparcl_model *classifier = NULL;
    sparcl_status status = fit(ctx, &classifier, codes, error);
    if (status == SPARCL_OK) status = sparcl_eval(ctx, classifier, codes, &probe->train, error);
    if (status == SPARCL_OK && valid)
        status = sparcl_eval(ctx, classifier, valid, &probe->valid, error);
    sparcl_model_free(classifier);
    return status;
}

exit_code probe_run(train_probe *probe, sparcl_ctx *ctx, const sparcl_model *model,
                    const sparcl_data *train, const sparcl_data *valid) {
    sparcl_data *codes = NULL, *valid_codes = NULL;
    sparcl_error error = {0};
    code_use use;
    probe->has_valid = valid != NULL;
    sparcl_status status = sparcl_encode(ctx, model, train, &codes, &error);
    if (status == SPARCL_OK && valid)
        status = sparcl_encode(ctx, model, valid, &valid_codes, &error);
    if (status == SPARCL_OK) status = fit_and_evaluate(probe, ctx, codes, valid_codes, &error);
    exit_code code = status == SPARCL_OK              ? EXIT_OK
                     : status == SPARCL_E_INTERRUPTED ? checkpoint_interrupted()
                                                      : report_device(ctx, &error);
    if (code == EXIT_OK) code = code_use_count(codes, &use);
    if (code == EXIT_OK) probe->dead_units = use.dead;
    sparcl_data_free(codes);
    sparcl_data_free(valid_codes);
    return code;
}

void probe_describe(const train_probe *probe, json_t *object) {
    json_object_set_new(object, "dead_units", json_integer((json_int_t)probe->dead_units));
    json_object_set_new(object, "probe_train_loss", json_number(probe->train.loss));
    json_object_set_new(object, "probe_train_accuracy", json_number(probe->train.accuracy));
    if (!probe->has_valid) return;
    json_object_set_new(object, "probe_loss", json_number(probe->valid.loss));
    json_object_set_new(object, "probe_accuracy", json_number(probe->valid.accuracy));
}
