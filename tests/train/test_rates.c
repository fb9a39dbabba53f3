/* test_rates.c: trainings whose learning rate changes, against the same in plain C; and runs that
 * end at a limit of time. */
#include "folder_test.h"
#include "train_test.h"

static sparcl_schedule schedule_of(const char *text) {
    sparcl_schedule s;
    sparcl_error error = {0};
    assert_done(error, sparcl_schedule_parse(&s, text, &error));
    return s;
}

/* The rates that were reported. */
typedef struct rates {
    int64_t count;
    double lr[64];
} rates;

static int keep(void *user, const sparcl_train_progress *now) {
    rates *const r = user;
    r->lr[r->count++] = now->lr;
    return 0;
}

/* plain_train, with the rate of each step. */
static void plain_train_with(plain *p, const sparcl_schedule *s) {
    const int64_t steps = (ROWS + p->desc.batch - 1) / p->desc.batch;
    const double lr = p->desc.optim.lr;
    int64_t order[ROWS];
    for (int64_t epoch = 0; epoch < p->desc.epochs; ++epoch) {
        sparcl_train_order(p->desc.seed, epoch, ROWS, order);
        for (int64_t k = 0; k < steps; ++k) {
            const int64_t first = k * p->desc.batch;
            p->desc.optim.lr =
                lr * (s->per_pass ? sparcl_schedule_factor(s, epoch, p->desc.epochs)
                                  : sparcl_schedule_factor(s, p->step, steps * p->desc.epochs));
            plain_step(p, order + first,
                       first + p->desc.batch < ROWS ? p->desc.batch : ROWS - first);
        }
    }
    p->desc.optim.lr = lr;
}

static void check_weights(const plain *p, const sparcl_model *model, const char *what) {
    plain found = *p;
    plain_take(&found, model);
    for (int c = 0; c < COLUMNS; ++c)
        for (int o = 0; o < p->outputs; ++o)
            if (!(fabs(found.w[c][o] - p->w[c][o]) <= 2e-5 * fmax(1, fabs(p->w[c][o]))))
                fail_msg("%s: weight %d is %.9g, expected %.9g", what, c, found.w[c][o],
                         p->w[c][o]);
}

static void rates_are_those_of_the_schedule(void **state) {
    static const char *const schedules[] = {"cosine:warmup=5", "step:period=1,gamma=0.5,unit=pass",
                                            "exponential:gamma=0.9", "inverse-root:warmup=3",
                                            "polynomial:power=2,warmup=2,warmup_start=0"};
    sparcl_ctx *ctx = *state;
    for (size_t k = 0; k < COUNT(optimizers) * COUNT(schedules); ++k) {
        const char *const text = schedules[k % COUNT(schedules)];
        const size_t o = k / COUNT(schedules);
        const sparcl_loss loss = LOSS_FOR(k);
        rates found = {0};
        sparcl_train_desc desc = small_run(loss, optimizers[o]);
        sparcl_data *const data = make_data(loss, 5);
        desc.schedule = schedule_of(text);
        desc.progress = keep;
        desc.progress_user = &found;
        plain p = plain_open(data, &desc);
        plain_train_with(&p, &desc.schedule);
        sparcl_model *const model = must_train(ctx, data, NULL, &desc, NULL);
        check_weights(&p, model, text);
        assert_int_equal(found.count, 21);
        for (int64_t s = 0; s < 21; ++s) {
            const double factor = desc.schedule.per_pass
                                      ? sparcl_schedule_factor(&desc.schedule, s / 7, 3)
                                      : sparcl_schedule_factor(&desc.schedule, s, 21);
            assert_true(found.lr[s] == desc.optim.lr * factor);
        }
        sparcl_model_free(model);
        sparcl_data_free(data);
    }
}

/* Rows that miss steps record rates, and the results are those of steps of all rows. */
static void lazy_rows_see_every_rate(void **state) {
    sparcl_ctx *ctx = *state;
    for (int k = 0; k < 2; ++k) {
        sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAM);
        sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 5);
        desc.l2 = 0;
        desc.batch = 2; /* many rows miss a step */
        desc.schedule = schedule_of("cosine:warmup=20,warmup_start=0");
        if (k == 1) {
            desc.optim.rule = SPARCL_RULE_MOMENTUM;
            desc.optim.momentum.factor = 0.8;
        }
        desc.optim.moves = SPARCL_MOVES_ALL;
        sparcl_model *const all = must_train(ctx, data, NULL, &desc, NULL);
        desc.optim.moves = k ? SPARCL_MOVES_PRESENT : SPARCL_MOVES_EXACT;
        sparcl_model *const lazy = must_train(ctx, data, NULL, &desc, NULL);
        for (int c = 0; c < COLUMNS; ++c)
            if (!(fabsf(sparcl_model_weights(all)[c] - sparcl_model_weights(lazy)[c]) <= 1e-5F))
                fail_msg("weight %d", c);
        sparcl_model_free(all);
        sparcl_model_free(lazy);
        sparcl_data_free(data);
    }
}

static void a_model_file_has_the_schedule(void **state) {
    sparcl_ctx *ctx = *state;
    char path[] = "/tmp/sparcl-rates-XXXXXX";
    sparcl_error error = {0};
    sparcl_model *again = NULL;
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 5);
    sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    close(mkstemp(path));
    sparcl_model *model = must_train(ctx, data, NULL, &desc, NULL);
    assert_null(sparcl_model_get_info(model)->schedule);
    sparcl_model_free(model);
    desc.schedule = schedule_of("cosine:warmup=5,end=0.1");
    model = must_train(ctx, data, NULL, &desc, NULL);
    assert_done(error, sparcl_model_save(model, path, &error));
    assert_done(error, sparcl_model_load(&again, path, &error));
    assert_string_equal(sparcl_model_get_info(again)->schedule, "cosine:warmup=5,end=0.1");
    assert_true(same_weights(model, again));
    unlink(path);
    sparcl_model_free(model);
    sparcl_model_free(again);
    sparcl_model_info info = {.loss = SPARCL_LOSS_SQUARED, .columns = 1, .outputs = 1};
    info.schedule = "cosine:warmup=x";
    assert_failed(error, sparcl_model_create(&again, &info, (const float[]){1}, NULL, &error),
                  SPARCL_E_ARG, "warmup=x");
    sparcl_data_free(data);
}

/* A file that says what no training does is refused. */
static void refuse_with(const char *path, const char *part, const char *other) {
    size_t size = 0;
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    char *const bytes = read_bytes(path, &size);
    bytes[size] = '\0';
    char *at = bytes + 8; /* after the length */
    at = strstr(at, part);
    assert_non_null(at);
    assert_int_equal(strlen(part), strlen(other));
    memcpy(at, other, strlen(other));
    write_bytes(path, bytes, size);
    assert_failed(error, sparcl_model_load(&model, path, &error), SPARCL_E_FORMAT,
                  "clip_global_norm");
    free(bytes);
}

static void a_model_file_has_the_limit_of_all_gradients(void **state) {
    char path[] = "/tmp/sparcl-rates-XXXXXX";
    sparcl_error error = {0};
    sparcl_model *again = NULL;
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 5);
    sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    close(mkstemp(path));
    sparcl_model *const free_of_it = must_train(*state, data, NULL, &desc, NULL);
    desc.clip_global_norm = 0.015625;
    sparcl_model *const model = must_train(*state, data, NULL, &desc, NULL);
    assert_false(same_weights(model, free_of_it));
    assert_done(error, sparcl_model_save(model, path, &error));
    assert_done(error, sparcl_model_load(&again, path, &error));
    assert_true(sparcl_model_get_info(again)->clip_global_norm == 0.015625);
    assert_true(same_weights(model, again));
    sparcl_model_free(again);
    refuse_with(path, "0.015625", "-0.01562");
    sparcl_model_free(model);
    sparcl_model_free(free_of_it);
    unlink(path);
    sparcl_data_free(data);
}

static void a_run_ends_at_its_limit_of_time(void **state) {
    sparcl_ctx *ctx = *state;
    char folder[] = "/tmp/sparcl-limit-XXXXXX", path[64];
    sparcl_train_result result;
    sparcl_checkpoint_info info;
    sparcl_error error = {0};
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 5);
    sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAM);
    if (!mkdtemp(folder)) fail();
    snprintf(path, sizeof path, "%s/run", folder);
    desc.schedule = schedule_of("cosine:warmup=5");
    sparcl_model *const whole = must_train(ctx, data, NULL, &desc, &result);
    assert_int_equal(result.ended_early, 0);
    desc.max_seconds = 1e-9;
    desc.checkpoint = path;
    desc.resume = 1;
    for (int64_t steps = 1; steps <= 21; ++steps) { /* one step each time */
        sparcl_model *const model = must_train(ctx, data, NULL, &desc, &result);
        assert_int_equal(result.steps, steps);
        assert_int_equal(result.epochs, steps / 7);
        assert_int_equal(result.ended_early, steps < 21);
        assert_true(isfinite(result.loss));
        assert_int_equal(sparcl_model_get_info(model)->epochs, steps / 7);
        assert_int_equal(same_weights(model, whole), steps == 21);
        sparcl_model_free(model);
        assert_done(error, sparcl_checkpoint_find(path, &info, &error));
        assert_int_equal(info.step, steps < 21 ? steps : 20);
    }
    desc.max_seconds = 1e9;
    sparcl_model *const model = must_train(ctx, data, NULL, &desc, &result);
    assert_int_equal(result.ended_early, 0);
    sparcl_model_free(model);
    sparcl_model_free(whole);
    sparcl_data_free(data);
    remove_tree(folder);
}

static void another_schedule_does_not_go_on(void **state) {
    sparcl_ctx *ctx = *state;
    char folder[] = "/tmp/sparcl-other-XXXXXX", path[64];
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 5);
    sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAM);
    if (!mkdtemp(folder)) fail();
    snprintf(path, sizeof path, "%s/run", folder);
    desc.checkpoint = path;
    desc.checkpoint_steps = 5;
    desc.resume = 1;
    desc.schedule = schedule_of("cosine:warmup=5");
    sparcl_model_free(must_train(ctx, data, NULL, &desc, NULL));
    desc.epochs = 4; /* the decline ends later */
    assert_failed(error, sparcl_train(ctx, &model, data, NULL, &desc, NULL, &error), SPARCL_E_ARG,
                  "expected schedule \"cosine:warmup=5,period=23\", found "
                  "\"cosine:warmup=5,period=16\"");
    sparcl_data_free(data);
    remove_tree(folder);
}

static void wrong_descriptions_are_refused(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 5);
    sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAM);
    desc.schedule.warmup = -3;
    assert_failed(error, sparcl_train(ctx, &model, data, NULL, &desc, NULL, &error), SPARCL_E_ARG,
                  "train: schedule: warmup is -3");
    desc.schedule.warmup = 0;
    desc.max_seconds = -1;
    assert_failed(error, sparcl_train(ctx, &model, data, NULL, &desc, NULL, &error), SPARCL_E_ARG,
                  "max_seconds is -1");
    desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    desc.clip_global_norm = -1;
    assert_failed(error, sparcl_train(ctx, &model, data, NULL, &desc, NULL, &error), SPARCL_E_ARG,
                  "clip_global_norm is -1, expected a finite number above 0");
    desc.clip_global_norm = 1;
    desc.solver = SPARCL_SOLVER_LBFGS;
    assert_failed(error, sparcl_train(ctx, &model, data, NULL, &desc, NULL, &error), SPARCL_E_ARG,
                  "clip_global_norm is 1, expected 0 with lbfgs");
    desc.clip_global_norm = 0;
    desc.schedule.warmup = 1;
    assert_failed(error, sparcl_train(ctx, &model, data, NULL, &desc, NULL, &error), SPARCL_E_ARG,
                  "there is a schedule, expected none");
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_those_of_the_schedule),
        cmocka_unit_test(lazy_rows_see_every_rate),
        cmocka_unit_test(a_model_file_has_the_schedule),
        cmocka_unit_test(a_model_file_has_the_limit_of_all_gradients),
        cmocka_unit_test(a_run_ends_at_its_limit_of_time),
        cmocka_unit_test(another_schedule_does_not_go_on),
        cmocka_unit_test(wrong_descriptions_are_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
