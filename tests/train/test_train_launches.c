/* test_train_launches.c: the launches of a training step with the kernels for GPUs, where each
 * costs microseconds. */
#include "model_gradient_test.h"
#include "sparcl/profile.h"

/* Launches do not depend on the rows of a batch, as long as no column has more entries than a
 * block. */
static const struct {
    const char *model;
    sparcl_rule rule;
    double most;
} bounds[] = {
    {"linear", SPARCL_RULE_ADAGRAD, 10},
    {"fm:factors=16", SPARCL_RULE_ADAGRAD, 18},
    {"mlp:hidden=64-32", SPARCL_RULE_ADAM, 23},
    {"wide-deep:hidden=64-32", SPARCL_RULE_ADAM, 27},
};

typedef struct counts {
    sparcl_ctx *ctx;
    int64_t launches[4]; /* the last that was seen with each number of complete passes */
} counts;

static int count(void *user, const sparcl_train_progress *now) {
    counts *const c = user;
    c->launches[now->epoch] = sparcl_ctx_launches(c->ctx);
    return 0;
}

/* From the last step but one of the second pass to that of the third, for each step. */
static double launches_per_step(sparcl_ctx *ctx, const sparcl_data *data, const char *model,
                                sparcl_rule rule) {
    const sparcl_architecture *const a = must_parse(model);
    counts c = {.ctx = ctx};
    sparcl_train_desc desc = default_run(SPARCL_LOSS_LOGISTIC, rule);
    sparcl_train_result result;
    desc.architecture = a;
    desc.epochs = 3;
    desc.batch = 8;
    desc.progress = count;
    desc.progress_user = &c;
    sparcl_model_free(must_train(ctx, data, NULL, &desc, &result));
    sparcl_architecture_free(a);
    return (double)(c.launches[2] - c.launches[1]) / ((ROWS + 7) / 8);
}

static void a_step_takes_few_launches(void **state) {
    sparcl_ctx *const ctx = open_class(SPARCL_CLASS_GPU);
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    (void)state;
    for (size_t i = 0; ctx && i < COUNT(bounds); ++i) {
        const double found = launches_per_step(ctx, data, bounds[i].model, bounds[i].rule);
        if (found > bounds[i].most)
            fail_msg("%s: %g launches a step, expected at most %g", bounds[i].model, found,
                     bounds[i].most);
        assert_true(found > 3);
    }
    sparcl_data_free(data);
    sparcl_ctx_close(ctx);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(a_step_takes_few_launches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
