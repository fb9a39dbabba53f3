/* test_train.c: what the header says of training: against plain C, bit for bit against itself, and
 * what a run reports. */
#include "sparcl/optim_text.h"
#include "train_test.h"

/* --- against plain C ------------------------------------------------------------------------- */

static void assert_near(const sparcl_model *model, const plain *p) {
    const sparcl_model_info *info = sparcl_model_get_info(model);
    assert_int_equal(info->outputs, p->outputs);
    for (int c = 0; c < COLUMNS; ++c)
        for (int o = 0; o < p->outputs; ++o) {
            const double got = sparcl_model_weights(model)[c * p->outputs + o];
            if (!(fabs(got - p->w[c][o]) < 1e-4))
                fail_msg("%s, %s, l2 %g: weight [%d, %d] is %g, expected %g",
                         sparcl_loss_name(info->loss), sparcl_rule_name(info->optimizer), info->l2,
                         c, o, got, p->w[c][o]);
        }
    for (int o = 0; info->has_bias && o < p->outputs; ++o)
        assert_true(fabs(sparcl_model_bias(model)[o] - p->bias[o]) < 1e-4);
}

static void a_model_is_that_of_training_in_plain_c(void **state) {
    for (size_t l = 0; l < COUNT(losses); ++l) {
        sparcl_data *data = make_data(losses[l], 3);
        for (size_t o = 0; o < COUNT(optimizers); ++o)
            for (int way = 0; way < (test_is_small() ? 2 : 4); ++way) {
                sparcl_train_desc desc = small_run(losses[l], optimizers[o]);
                sparcl_train_result result;
                desc.no_bias = way & 1;
                if (way & 2) desc.l2 = 0;
                desc.epochs = way == 0 ? 2 : 1;
                plain p = plain_open(data, &desc);
                sparcl_model *model = must_train(*state, data, NULL, &desc, &result);
                plain_train(&p);
                assert_near(model, &p);
                assert_true(fabs(result.loss - plain_mean_loss(&p)) < 1e-4);
                assert_true(fabs(result.objective - plain_objective(&p)) < 1e-4);
                sparcl_model_free(model);
            }
        sparcl_data_free(data);
    }
}

static void a_full_batch_is_that_of_training_in_plain_c(void **state) {
    static const int64_t batches[] = {0, ROWS, ROWS + 1, 1024};
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 3);
    sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_MOMENTUM);
    sparcl_model *first = NULL;
    desc.epochs = 20;
    for (size_t i = 0; i < COUNT(batches); ++i) {
        sparcl_train_result result;
        desc.batch = batches[i];
        sparcl_model *model = must_train(*state, data, NULL, &desc, &result);
        desc.batch = 0;
        plain p = plain_open(data, &desc);
        plain_train(&p);
        assert_near(model, &p);
        assert_int_equal(result.steps, 20);
        assert_int_equal(sparcl_model_get_info(model)->batch, batches[i]);
        if (first) assert_true(same_weights(model, first));
        if (first)
            sparcl_model_free(model);
        else
            first = model;
    }
    sparcl_model_free(first);
    sparcl_data_free(data);
}

/* Of two runs, one a step longer than the other, the difference is lr times the gradient; that must
 * be the slope of the objective. */
static void the_gradient_is_the_slope_of_the_objective(void **state) {
    for (size_t l = 0; l < COUNT(losses); ++l) {
        sparcl_data *data = make_data(losses[l], 5);
        sparcl_train_desc desc = small_run(losses[l], SPARCL_RULE_SGD);
        desc.batch = 0;
        desc.optim.lr = 0.5;
        sparcl_model *before = must_train(*state, data, NULL, &desc, NULL);
        ++desc.epochs;
        sparcl_model *after = must_train(*state, data, NULL, &desc, NULL);
        plain p = plain_open(data, &desc);
        plain_take(&p, before);
        for (int i = 0; i < (COLUMNS + 1) * p.outputs; ++i) {
            const int c = i / p.outputs, o = i % p.outputs;
            double *const x = c < COLUMNS ? &p.w[c][o] : &p.bias[o], was = *x, h = 1e-5;
            const double new_x =
                c < COLUMNS ? sparcl_model_weights(after)[i] : sparcl_model_bias(after)[o];
            *x = was + h;
            const double up = plain_objective(&p);
            *x = was - h;
            const double slope = (up - plain_objective(&p)) / (2 * h);
            *x = was;
            assert_true(fabs((was - new_x) / desc.optim.lr - slope) < 2e-6);
        }
        sparcl_model_free(before);
        sparcl_model_free(after);
        sparcl_data_free(data);
    }
}

static void data_without_a_feature_train_the_bias(void **state) {
    static const char text[] = "1\n1\n-1\n1\n";
    sparcl_data *data = read_text(text, NULL);
    for (int64_t batch = 0; batch < 4; ++batch)
        for (int64_t memory = 0; memory < (batch == 3 ? 2 : 1); ++memory) {
            sparcl_train_desc desc = {
                .epochs = batch == 0 ? 40 : 3, .batch = batch, .optim = OPTIM(.lr = 4)};
            desc.device_memory = memory;
            sparcl_model *model = must_train(*state, data, NULL, &desc, NULL);
            assert_int_equal(sparcl_model_get_info(model)->columns, 0);
            if (batch == 0) assert_true(fabs(sparcl_model_bias(model)[0] - log(3)) < 1e-2);
            sparcl_model_free(model);
        }
    sparcl_data_free(data);
}

/* --- the same bits --------------------------------------------------------------------------- */

static void equal_runs_give_equal_bits_and_other_seeds_others(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_SOFTMAX, 4);
    for (size_t o = 0; o < COUNT(optimizers); ++o) {
        sparcl_train_desc desc = small_run(SPARCL_LOSS_SOFTMAX, optimizers[o]);
        desc.epochs = 1;
        sparcl_model *first = must_train(*state, data, NULL, &desc, NULL);
        for (int run = 0; run < 2; ++run) {
            sparcl_model *again = must_train(*state, data, NULL, &desc, NULL);
            assert_true(same_weights(first, again));
            sparcl_model_free(again);
        }
        ++desc.seed;
        sparcl_model *other = must_train(*state, data, NULL, &desc, NULL);
        assert_false(same_weights(first, other));
        sparcl_model_free(other);
        sparcl_model_free(first);
    }
    sparcl_data_free(data);
}

static void both_classes_of_kernels_give_equal_bits(void **state) {
    sparcl_ctx *classes[] = {open_class(SPARCL_CLASS_CPU), open_class(SPARCL_CLASS_GPU)};
    for (size_t l = 0; l < COUNT(losses); ++l) {
        sparcl_data *data = make_data(losses[l], 4);
        for (size_t o = 0; o < COUNT(optimizers); ++o) {
            sparcl_train_desc desc = small_run(losses[l], optimizers[o]);
            desc.epochs = 1;
            sparcl_model *first = must_train(*state, data, NULL, &desc, NULL);
            for (size_t c = 0; c < COUNT(classes); ++c) {
                if (!classes[c]) continue;
                sparcl_model *again = must_train(classes[c], data, NULL, &desc, NULL);
                assert_true(same_weights(first, again));
                sparcl_model_free(again);
            }
            sparcl_model_free(first);
        }
        sparcl_data_free(data);
    }
    sparcl_ctx_close(classes[0]);
    sparcl_ctx_close(classes[1]);
}

static void validation_data_do_not_change_a_bit(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4),
                *valid = make_data(SPARCL_LOSS_LOGISTIC, 9);
    for (size_t o = 0; o < COUNT(optimizers); ++o) {
        sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, optimizers[o]);
        desc.epochs = 2; /* the first time is in the middle of the run */
        sparcl_model *without = must_train(*state, data, NULL, &desc, NULL);
        sparcl_model *with = must_train(*state, data, valid, &desc, NULL);
        assert_true(same_weights(with, without));
        sparcl_model_free(with);
        sparcl_model_free(without);
    }
    sparcl_data_free(data);
    sparcl_data_free(valid);
}

/* --- what a run reports ---------------------------------------------------------------------- */

static void progress_is_reported_after_each_step_and_a_short_last_batch_is_kept(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4),
                *valid = make_data(SPARCL_LOSS_LOGISTIC, 9);
    for (int with_valid = 0; with_valid < 2; ++with_valid) {
        watch w = {.with_valid = with_valid};
        sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_MOMENTUM);
        sparcl_train_result result;
        desc.progress = look;
        desc.progress_user = &w;
        sparcl_model *model = must_train(*state, data, with_valid ? valid : NULL, &desc, &result);
        assert_int_equal(w.calls, 21);
        assert_int_equal(w.last.epoch, 3);
        assert_int_equal(result.steps, 21);
        assert_int_equal(result.epochs, 3);
        assert_true(result.seconds_per_pass > 0 && result.seconds_per_pass <= w.last.seconds);
        if (with_valid) { /* the last loss reported is that of the model */
            plain p = plain_open(valid, &desc);
            plain_take(&p, model);
            assert_true(fabs(plain_mean_loss(&p) - w.last.valid_loss) < 1e-5);
        }
        sparcl_model_free(model);
    }
    sparcl_data_free(data);
    sparcl_data_free(valid);
}

typedef struct running {
    int numbers; /* of steps with a loss */
    double first, last;
} running;

static int follow_loss(void *user, const sparcl_train_progress *now) {
    running *const r = user;
    double loss = 0;
    assert_int_equal(sparcl_train_pass_loss(now, &loss, NULL), SPARCL_OK);
    assert_true(isnan(loss) == (now->step % 7 == 0)); /* 7 steps are a pass */
    if (now->step == 1) r->first = loss;
    if (!isnan(loss)) r->last = loss, r->numbers++;
    return 0;
}

static void the_loss_of_a_pass_so_far_is_that_before_its_steps(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    sparcl_model *const without = must_train(*state, data, NULL, &desc, NULL);
    running r = {0};
    double loss;
    desc.progress = follow_loss;
    desc.progress_user = &r;
    sparcl_model *const with = must_train(*state, data, NULL, &desc, NULL);
    assert_true(same_weights(with, without));
    assert_int_equal(r.numbers, 18);
    assert_true(fabs(r.first - log(2)) < 1e-6); /* all weights are 0 */
    assert_true(r.last > 0 && r.last < r.first);
    assert_int_equal(sparcl_train_pass_loss(NULL, &loss, NULL), SPARCL_E_ARG);
    assert_int_equal(sparcl_train_pass_loss(&(sparcl_train_progress){0}, NULL, NULL), SPARCL_E_ARG);
    sparcl_model_free(with);
    sparcl_model_free(without);
    sparcl_data_free(data);
}

static void an_interrupt_ends_the_run_after_the_current_step(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    static const int64_t steps[] = {1, 6, 7, 8, 14, 20, 21};
    for (size_t i = 0; i < COUNT(steps); ++i) {
        const int64_t at = steps[i];
        watch w = {.stop_at = at};
        sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAM);
        sparcl_model *model = (sparcl_model *)&w;
        sparcl_error error = {0};
        desc.progress = look;
        desc.progress_user = &w;
        const sparcl_status status = sparcl_train(*state, &model, data, NULL, &desc, NULL, &error);
        assert_int_equal(w.calls, at);
        if (at == 21) { /* nothing was left to stop */
            assert_int_equal(status, SPARCL_OK);
            sparcl_model_free(model);
            continue;
        }
        assert_int_equal(status, SPARCL_E_INTERRUPTED);
        assert_int_equal(error.status, SPARCL_E_INTERRUPTED);
        assert_non_null(strstr(error.message, at % 7 ? "after step" : "after pass"));
        assert_null(model);
    }
    sparcl_data_free(data);
}

static void init_fills_in_the_defaults_of_the_header(void **state) {
    static const sparcl_optim expected[] = {
        {.rule = SPARCL_RULE_SGD, .lr = 0.1},
        {.rule = SPARCL_RULE_MOMENTUM, .lr = 0.1, .momentum.factor = 0.9},
        {.rule = SPARCL_RULE_ADAGRAD, .lr = 0.01, .epsilon = 1e-10},
        {.rule = SPARCL_RULE_ADAM,
         .lr = 0.001,
         .adam.beta1 = 0.9,
         .adam.beta2 = 0.999,
         .epsilon = 1e-8},
        {.rule = (sparcl_rule)-1}, /* no optimizer */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(expected); ++i) {
        const sparcl_optim *w = &expected[i];
        sparcl_train_desc d;
        memset(&d, 0xff, sizeof d);
        sparcl_train_init(&d, w->rule);
        assert_int_equal(d.optim.rule, w->rule);
        assert_true(d.optim.lr == w->lr && d.optim.momentum.factor == w->momentum.factor);
        assert_true(d.optim.adam.beta1 == w->adam.beta1 && d.optim.adam.beta2 == w->adam.beta2);
        assert_true(d.optim.epsilon == w->epsilon && d.l2 == 0);
        assert_int_equal(d.epochs, 10);
        assert_int_equal(d.batch, 1024);
        assert_int_equal(d.loss, SPARCL_LOSS_LOGISTIC);
        assert_true(d.seed == 0 && d.no_bias == 0 && d.columns == 0 && d.device_memory == 0);
        assert_true(d.progress == NULL && d.progress_user == NULL);
        assert_int_equal(d.size, sizeof d);
    }
}

static void a_pass_of_usual_batches_has_50_steps(void **state) {
    static const struct {
        int64_t rows, batch;
    } expected[] = {{0, 32},       {1, 32},       {1649, 32},       {1650, 33},
                    {51199, 1023}, {51200, 1024}, {INT64_MAX, 1024}};
    (void)state;
    for (size_t i = 0; i < COUNT(expected); ++i)
        assert_int_equal(sparcl_usual_batch(expected[i].rows, 0), expected[i].batch);
    assert_int_equal(sparcl_usual_batch(2000, 1), 40);
    assert_int_equal(sparcl_usual_batch(2001, 1), 1024);
}

static void a_model_has_the_description_without_what_the_optimizer_does_not_have(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    for (size_t o = 0; o < COUNT(optimizers); ++o) {
        const sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, optimizers[o]);
        const bool is_adam = optimizers[o] == SPARCL_RULE_ADAM;
        const bool is_adagrad = optimizers[o] == SPARCL_RULE_ADAGRAD;
        sparcl_model *model = must_train(*state, data, NULL, &desc, NULL);
        const sparcl_model_info *info = sparcl_model_get_info(model);
        assert_true(info->lr == desc.optim.lr && info->l2 == desc.l2);
        assert_true(info->momentum ==
                    (optimizers[o] == SPARCL_RULE_MOMENTUM ? desc.optim.momentum.factor : 0));
        assert_true(info->beta1 == (is_adam ? desc.optim.adam.beta1 : 0));
        assert_true(info->beta2 == (is_adam ? desc.optim.adam.beta2 : 0));
        assert_true(info->epsilon == (is_adam || is_adagrad ? desc.optim.epsilon : 0));
        assert_int_equal(info->batch, desc.batch);
        assert_int_equal(info->epochs, desc.epochs);
        assert_true(info->seed == desc.seed);
        sparcl_model_free(model);
    }
    sparcl_data_free(data);
}

/* Against plain C. */
static void a_hyper_parameter_of_0_is_0(void **state) {
    static const struct {
        sparcl_rule optimizer;
        size_t field;
    } cases[] = {
        {SPARCL_RULE_SGD, offsetof(sparcl_optim, lr)},
        {SPARCL_RULE_MOMENTUM, offsetof(sparcl_optim, momentum.factor)},
        {SPARCL_RULE_MOMENTUM, offsetof(sparcl_optim, lr)},
        {SPARCL_RULE_ADAGRAD, offsetof(sparcl_optim, lr)},
        {SPARCL_RULE_ADAGRAD, offsetof(sparcl_optim, epsilon)},
        {SPARCL_RULE_ADAM, offsetof(sparcl_optim, lr)},
        {SPARCL_RULE_ADAM, offsetof(sparcl_optim, adam.beta1)},
        {SPARCL_RULE_ADAM, offsetof(sparcl_optim, adam.beta2)},
        {SPARCL_RULE_ADAM, offsetof(sparcl_optim, epsilon)},
    };
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    for (size_t i = 0; i < COUNT(cases); ++i) {
        sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, cases[i].optimizer);
        *(double *)(void *)((char *)&desc.optim + cases[i].field) = 0;
        desc.epochs = 1; /* without betas a step is a sign, which rounding may turn */
        desc.l2 = 0;
        plain p = plain_open(data, &desc);
        sparcl_model *model = must_train(*state, data, NULL, &desc, NULL);
        plain_train(&p);
        assert_near(model, &p);
        for (int c = 0; desc.optim.lr == 0 && c < COLUMNS; ++c)
            assert_true(sparcl_model_weights(model)[c] == 0);
        sparcl_model_free(model);
    }
    sparcl_data_free(data);
}

static void a_momentum_of_0_has_the_bits_of_sgd(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_SQUARED, 4);
    sparcl_train_desc sgd = small_run(SPARCL_LOSS_SQUARED, SPARCL_RULE_SGD), momentum;
    sgd.l2 = 0; /* with l2 the two catch up by different products */
    momentum = sgd;
    momentum.optim.rule = SPARCL_RULE_MOMENTUM;
    momentum.optim.momentum.factor = 0;
    sparcl_model *first = must_train(*state, data, NULL, &sgd, NULL);
    sparcl_model *again = must_train(*state, data, NULL, &momentum, NULL);
    assert_true(same_weights(first, again));
    sparcl_model_free(first);
    sparcl_model_free(again);
    sparcl_data_free(data);
}

static void no_epochs_give_a_model_of_zeros(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    for (size_t o = 0; o < COUNT(optimizers); ++o)
        for (int64_t on_host = 0; on_host < 2; ++on_host) {
            const sparcl_train_desc desc = {
                .optim = OPTIM(.rule = optimizers[o]), .batch = on_host, .device_memory = on_host};
            sparcl_train_result result;
            sparcl_model *model = must_train(*state, data, data, &desc, &result);
            const sparcl_model_info *info = sparcl_model_get_info(model);
            assert_true(info->lr == 0 && info->epochs == 0 && info->batch == on_host);
            for (int c = 0; c < COLUMNS; ++c)
                assert_true(sparcl_model_weights(model)[c] == 0);
            assert_true(sparcl_model_bias(model)[0] == 0);
            assert_int_equal(result.steps, 0);
            assert_int_equal(result.epochs, 0);
            assert_true(fabs(result.loss - log(2)) < 1e-6 && result.objective == result.loss);
            assert_true(isnan(result.seconds_per_pass));
            sparcl_model_free(model);
        }
    sparcl_data_free(data);
}

static void a_model_records_how_it_was_trained(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_SOFTMAX, 4);
    sparcl_train_desc desc = small_run(SPARCL_LOSS_SOFTMAX, SPARCL_RULE_MOMENTUM);
    desc.columns = 31; /* wider than the data */
    desc.no_bias = 1;
    sparcl_model *model = must_train(*state, data, NULL, &desc, NULL);
    const sparcl_model_info *info = sparcl_model_get_info(model);
    assert_int_equal(info->loss, SPARCL_LOSS_SOFTMAX);
    assert_int_equal(info->optimizer, SPARCL_RULE_MOMENTUM);
    assert_int_equal(info->columns, 31);
    assert_int_equal(info->outputs, 3);
    assert_int_equal(info->classes, 3);
    assert_true(info->labels[0] == -5 && info->labels[1] == 2 && info->labels[2] == 40);
    assert_int_equal(info->index_base, 1);
    assert_int_equal(info->has_bias, 0);
    assert_null(sparcl_model_bias(model));
    assert_true(info->lr == 0.1 && info->l2 == 0.05 && info->momentum == 0.8);
    assert_true(info->beta1 == 0 && info->beta2 == 0 && info->epsilon == 0);
    assert_int_equal(info->epochs, 3);
    assert_int_equal(info->batch, 16);
    assert_int_equal(info->seed, 12);
    assert_int_equal(info->fingerprint, sparcl_data_get_info(data)->fingerprint);
    for (int i = COLUMNS * 3; i < 31 * 3; ++i)
        assert_true(sparcl_model_weights(model)[i] == 0);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_is_that_of_training_in_plain_c),
        cmocka_unit_test(a_full_batch_is_that_of_training_in_plain_c),
        cmocka_unit_test(the_gradient_is_the_slope_of_the_objective),
        cmocka_unit_test(equal_runs_give_equal_bits_and_other_seeds_others),
        cmocka_unit_test(both_classes_of_kernels_give_equal_bits),
        cmocka_unit_test(validation_data_do_not_change_a_bit),
        cmocka_unit_test(progress_is_reported_after_each_step_and_a_short_last_batch_is_kept),
        cmocka_unit_test(the_loss_of_a_pass_so_far_is_that_before_its_steps),
        cmocka_unit_test(an_interrupt_ends_the_run_after_the_current_step),
        cmocka_unit_test(init_fills_in_the_defaults_of_the_header),
        cmocka_unit_test(a_pass_of_usual_batches_has_50_steps),
        cmocka_unit_test(a_model_has_the_description_without_what_the_optimizer_does_not_have),
        cmocka_unit_test(a_hyper_parameter_of_0_is_0),
        cmocka_unit_test(a_momentum_of_0_has_the_bits_of_sgd),
        cmocka_unit_test(no_epochs_give_a_model_of_zeros),
        cmocka_unit_test(a_model_records_how_it_was_trained),
        cmocka_unit_test(data_without_a_feature_train_the_bias),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
