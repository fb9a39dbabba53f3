/* test_search_checkpoint.c: trainings by L-BFGS that are interrupted and go on have the bits of
 * those without an interruption; a checkpoint of other settings or data is refused. */
#include "checkpoint_test.h"

static void prepare_search(prepared *p, sparcl_loss loss, double l1) {
    prepare(p, &(kind){"sgd", NULL, NULL, loss, 0.001, 0, {0}});
    p->desc.solver = SPARCL_SOLVER_LBFGS;
    p->desc.l1 = l1;
    p->desc.tolerance = 1e-6;
    p->desc.epochs = 60; /* iterations, each of which is a pass */
}

static void a_search_in_parts_has_the_bits_of_one(void **state) {
    static const struct {
        sparcl_loss loss;
        double l1, l2;
    } searches[] = {{SPARCL_LOSS_LOGISTIC, 0, 1e-7},
                    {SPARCL_LOSS_SOFTMAX, 0, 1e-7},
                    {SPARCL_LOSS_LOGISTIC, 1e-5, 1e-8},
                    {SPARCL_LOSS_SOFTMAX, 0.0003, 0.0001}};
    static const int64_t parts[] = {1, 4, 13};
    for (size_t k = 0; k < COUNT(searches); ++k) {
        prepared p = {0};
        stopper whole = {0}, s;
        sparcl_train_result expected, found;
        prepare_search(&p, searches[k].loss, searches[k].l1);
        p.desc.l2 = searches[k].l2;
        p.desc.progress = stop;
        p.desc.progress_user = &whole;
        sparcl_model *const one = must_train(*state, p.data, p.valid, &p.desc, &expected);
        print_message("           %d steps\n", (int)expected.steps);
        assert_true(expected.steps > 13);
        for (size_t i = 0; i < COUNT(parts); ++i) {
            remove_files();
            sparcl_model *const other = train_in_parts(*state, &p, parts[i], &s, &found);
            assert_same_models(one, other, "lbfgs");
            assert_true(
                found.loss == expected.loss && found.objective == expected.objective &&
                found.gradient_norm == expected.gradient_norm && found.steps == expected.steps &&
                found.evaluations == expected.evaluations && found.converged == expected.converged);
            assert_true(s.last.epoch == whole.last.epoch && s.last.rows == whole.last.rows);
            for (int64_t e = 1; e <= whole.last.epoch; ++e)
                assert_true(s.loss[e] == whole.loss[e] && s.valid_loss[e] == whole.valid_loss[e]);
            sparcl_model_free(other);
        }
        sparcl_model_free(one);
        release(&p);
    }
}

static void a_search_goes_on_from_its_last_checkpoint(void **state) {
    prepared p = {0};
    sparcl_checkpoint_info info;
    sparcl_train_result result;
    sparcl_error error = {0};
    prepare_search(&p, SPARCL_LOSS_LOGISTIC, 0);
    sparcl_model *const one = must_train(*state, p.data, NULL, &p.desc, NULL);
    remove_files();
    p.desc.epochs = 10;
    p.desc.checkpoint = path;
    p.desc.checkpoint_steps = 4;
    sparcl_model_free(must_train(*state, p.data, NULL, &p.desc, NULL));
    assert_done(error, sparcl_checkpoint_find(path, &info, &error));
    assert_true(info.exists && info.step == 8 && info.epoch == 8 && !info.is_previous &&
                info.solver == SPARCL_SOLVER_LBFGS);
    unlink(path);
    p.desc.epochs = 60;
    p.desc.resume = 1;
    p.desc.device_memory = 1; /* the data stay on the host now */
    sparcl_model *const other = must_train(*state, p.data, NULL, &p.desc, &result);
    assert_true(result.resumed_step == 4 && result.on_host);
    assert_same_models(one, other, "from the previous one");
    sparcl_model_free(one);
    sparcl_model_free(other);
    release(&p);
}

static void other_searches_are_refused(void **state) {
    static const char *const parts[] = {
        "expected solver \"steps\", found \"lbfgs:l1=0,tolerance=1e-06\"",
        "expected solver \"lbfgs:l1=0,tolerance=1e-05\", found \"lbfgs:l1=0,tolerance=1e-06\"",
        "expected solver \"lbfgs:l1=0.5,tolerance=1e-06\"",
        "expected l2 \"0\", found \"0.001",
        "expected bias \"0\"",
        "after iteration 4, the run has only 3",
        "expected validation_data",
        "expected data"};
    prepared p = {0};
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    prepare_search(&p, SPARCL_LOSS_LOGISTIC, 0);
    remove_files();
    p.desc.checkpoint = path;
    p.desc.checkpoint_steps = 4;
    p.desc.epochs = 5;
    sparcl_model_free(must_train(*state, p.data, NULL, &p.desc, NULL));
    p.desc.resume = 1;
    for (size_t i = 0; i < COUNT(parts); ++i) {
        sparcl_train_desc desc = p.desc;
        if (i == 0) desc.solver = SPARCL_SOLVER_STEPS;
        if (i == 1) desc.tolerance = 1e-5;
        if (i == 2) desc.l1 = 0.5;
        if (i == 3) desc.l2 = 0;
        if (i == 4) desc.no_bias = 1;
        if (i == 5) desc.epochs = 3;
        assert_failed(error,
                      sparcl_train(*state, &model, i == 7 ? p.valid : p.data,
                                   i == 6 ? p.valid : NULL, &desc, NULL, &error),
                      SPARCL_E_ARG, parts[i]);
        assert_non_null(strstr(error.message, path));
    }
    release(&p);
}

static void a_checkpoint_of_steps_is_refused_by_lbfgs(void **state) {
    prepared p = {0};
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    prepare(&p, &(kind){"sgd", NULL, NULL, SPARCL_LOSS_LOGISTIC, 0.001, 0, {0}});
    remove_files();
    p.desc.checkpoint = path;
    p.desc.checkpoint_steps = 10;
    p.desc.resume = 1;
    sparcl_model_free(must_train(*state, p.data, NULL, &p.desc, NULL));
    p.desc.solver = SPARCL_SOLVER_LBFGS;
    assert_failed(error, sparcl_train(*state, &model, p.data, NULL, &p.desc, NULL, &error),
                  SPARCL_E_ARG, "expected solver \"lbfgs:l1=0,tolerance=0\", found \"steps\"");
    release(&p);
}

static void a_search_ends_when_its_time_is_over(void **state) {
    prepared p = {0};
    sparcl_train_result expected, result;
    prepare_search(&p, SPARCL_LOSS_LOGISTIC, 0);
    sparcl_model *const one = must_train(*state, p.data, NULL, &p.desc, &expected);
    remove_files();
    p.desc.checkpoint = path;
    p.desc.resume = 1;
    p.desc.max_seconds = 1e-9; /* one iteration each */
    for (int64_t i = 1; i <= 3; ++i) {
        sparcl_model *const part = must_train(*state, p.data, NULL, &p.desc, &result);
        assert_true(result.ended_early && result.steps == i && result.resumed_step == i - 1 &&
                    !result.converged && result.gradient_norm > expected.gradient_norm);
        sparcl_model_free(part);
    }
    p.desc.max_seconds = 0;
    sparcl_model *const other = must_train(*state, p.data, NULL, &p.desc, &result);
    assert_true(result.resumed_step == 3 && !result.ended_early && result.converged);
    assert_same_models(one, other, "after limits of time");
    sparcl_model_free(one);
    sparcl_model_free(other);
    release(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_in_parts_has_the_bits_of_one),
        cmocka_unit_test(a_search_goes_on_from_its_last_checkpoint),
        cmocka_unit_test(other_searches_are_refused),
        cmocka_unit_test(a_checkpoint_of_steps_is_refused_by_lbfgs),
        cmocka_unit_test(a_search_ends_when_its_time_is_over),
    };
    return run_checkpoint_tests(tests, COUNT(tests));
}
