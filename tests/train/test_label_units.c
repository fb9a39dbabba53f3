/* test_label_units.c: labels that steps have standardized: the model, its losses and checkpoints
 * are those of labels as they are. */
#include "checkpoint_test.h"

#include "source_test.h"
#include "sparcl/apply.h"

static const char *const models[] = {NULL, "fm:factors=3,init=0.1", "mlp:hidden=5",
                                     "wide-deep:hidden=5-4"};

/* The same rows with the labels a + b times what they are. */
static sparcl_data *with_labels(const sparcl_data *from, double a, double b) {
    double labels[ROWS];
    for (int i = 0; i < ROWS; ++i)
        labels[i] = a + b * sparcl_data_labels(from)[i];
    return relabelled(from, labels);
}

/* Within a factor of two of their standard deviation; without a bias of the root of the mean
 * square.
 */
static double unit_of(const sparcl_data *data, bool has_bias, double *mean) {
    double sum = 0, squares = 0, unit = 1;
    for (int i = 0; i < ROWS; ++i)
        sum += sparcl_data_labels(data)[i] / ROWS;
    *mean = has_bias ? sum : 0;
    for (int i = 0; i < ROWS; ++i)
        squares += pow(sparcl_data_labels(data)[i] - *mean, 2) / ROWS;
    while (unit * 2 <= sqrt(squares))
        unit *= 4;
    while (unit > 2 * sqrt(squares))
        unit /= 4;
    return unit;
}

static void prepare_model(prepared *p, const char *architecture, int no_bias) {
    const kind k = {"adam:lr=0.03", architecture, NULL, SPARCL_LOSS_SQUARED, 0.01, 2, {0}};
    prepare(p, &k);
    p->desc.no_bias = no_bias;
}

/* What a parameter of labels in units is with labels as they are. */
static double restored(const char *name, bool is_last_bias, bool is_inner, double value,
                       double mean, double unit) {
    if (is_inner) return value;
    if (strcmp(name, "factors") == 0) return value * sqrt(unit);
    return value * unit + (is_last_bias ? mean : 0);
}

/* `rounding`: of the targets that were computed here; 0 where they and all else are exact. */
static void assert_restored(const sparcl_model *found, const sparcl_model *in_units, double mean,
                            double unit, double rounding) {
    const char *const *const names = sparcl_model_architecture(found)->parameters;
    int count = 0, layered = 0;
    while (names[count])
        layered += names[count++][1] >= '0' && names[count - 1][1] <= '9';
    for (int i = 0; i < count; ++i) {
        const sparcl_tensor *const x = sparcl_model_tensor(found, names[i]);
        const sparcl_tensor *const y = sparcl_model_tensor(in_units, names[i]);
        const bool is_of_layer = layered > 0 && strcmp(names[i], "weight") != 0;
        const bool is_bias = is_of_layer ? i == count - 1 : strcmp(names[i], "bias") == 0;
        int64_t elements = 1;
        for (int d = 0; d < x->rank; ++d)
            elements *= x->shape[d];
        for (int64_t e = 0; e < elements; ++e) {
            const double expected = restored(names[i], is_bias, is_of_layer && i < count - 2,
                                             (double)y->values[e], mean, unit);
            if (fabs((double)x->values[e] - expected) >
                rounding * (fabs(expected) + (is_of_layer && i < count - 2 ? 1 : unit)))
                fail_msg("%s[%d] is %g, expected %g", names[i], (int)e, (double)x->values[e],
                         expected);
        }
    }
}

static void assert_near(double found, double expected) {
    if (!(fabs(found - expected) <= 1e-4 * fabs(expected)))
        fail_msg("found %.9g, expected %.9g", found, expected);
}

/* Large labels, small ones, and those of a training as they are, which has other units. */
static void models_are_those_of_labels_in_units(void **state) {
    static const double scales[] = {30000, 0.0001};
    for (size_t m = 0; m < COUNT(models); ++m)
        for (int c = 0; c < 4; ++c) {
            const int no_bias = c / 2;
            prepared p = {0};
            stopper in_units = {0}, as_they_are = {0};
            sparcl_train_result expected, found;
            double mean;
            if (no_bias && models[m]) continue;
            prepare_model(&p, models[m], no_bias);
            sparcl_data *const far = with_labels(p.data, 7 * scales[c % 2], scales[c % 2]);
            sparcl_data *const far_valid = with_labels(p.valid, 7 * scales[c % 2], scales[c % 2]);
            const double unit = unit_of(far, !no_bias, &mean);
            sparcl_data *const near = with_labels(far, -mean / unit, 1 / unit);
            sparcl_data *const near_valid = with_labels(far_valid, -mean / unit, 1 / unit);
            p.desc.progress = stop;
            p.desc.progress_user = &in_units;
            sparcl_model *const one = must_train(*state, near, near_valid, &p.desc, &expected);
            p.desc.standardize_labels = 1;
            p.desc.progress_user = &as_they_are;
            sparcl_model *const other = must_train(*state, far, far_valid, &p.desc, &found);
            assert_restored(other, one, mean, unit, no_bias ? 0 : 1e-4);
            assert_near(found.loss, unit * unit * expected.loss);
            assert_near(found.objective, unit * unit * expected.objective);
            assert_near(found.best_constant_loss, unit * unit * expected.best_constant_loss);
            assert_int_equal(found.best_epoch, expected.best_epoch);
            for (int64_t e = 1; e <= as_they_are.last.epoch; ++e) {
                assert_near(as_they_are.loss[e], unit * unit * in_units.loss[e]);
                assert_near(as_they_are.valid_loss[e], unit * unit * in_units.valid_loss[e]);
            }
            sparcl_metrics metrics;
            sparcl_error error = {0};
            assert_done(error, sparcl_eval(*state, other, far, &metrics, &error));
            assert_near(metrics.loss, found.loss);
            sparcl_data *const all[] = {far, far_valid, near, near_valid};
            for (size_t i = 0; i < COUNT(all); ++i)
                sparcl_data_free(all[i]);
            sparcl_model_free(one);
            sparcl_model_free(other);
            release(&p);
        }
}

static void a_training_begins_with_a_model_of_labels_as_they_are(void **state) {
    for (size_t m = 0; m < COUNT(models); ++m) {
        prepared p = {0};
        prepare_model(&p, models[m], 0);
        p.desc.patience = 0;
        p.desc.standardize_labels = 1;
        sparcl_data *const far = with_labels(p.data, 4000, 500);
        sparcl_model *const first = must_train(*state, far, NULL, &p.desc, NULL);
        p.desc.epochs = 0;
        p.desc.start = first;
        sparcl_model *const same = must_train(*state, far, NULL, &p.desc, NULL);
        assert_restored(same, first, 0, 1, 1e-6);
        sparcl_data_free(far);
        sparcl_model_free(first);
        sparcl_model_free(same);
        release(&p);
    }
}

static void checkpoints_keep_the_units(void **state) {
    for (size_t m = 0; m < COUNT(models); ++m) {
        prepared p = {0};
        stopper s;
        sparcl_train_result expected, found;
        sparcl_error error = {0};
        prepare_model(&p, models[m], 0);
        sparcl_data_free(p.valid);
        p.valid = with_labels(p.data, 3000, 400);
        p.desc.standardize_labels = 1;
        sparcl_model *const one = must_train(*state, p.valid, p.valid, &p.desc, &expected);
        sparcl_data_free(p.data);
        p.data = with_labels(p.valid, 0, 1);
        remove_files();
        sparcl_model *other = train_in_parts(*state, &p, 9, &s, &found);
        assert_same_models(one, other, "in parts");
        assert_true(found.loss == expected.loss && found.objective == expected.objective);
        sparcl_model_free(one);
        sparcl_model_free(other);
        p.desc.standardize_labels = 0;
        p.desc.checkpoint = path;
        p.desc.resume = 1;
        assert_failed(error, sparcl_train(*state, &other, p.data, p.valid, &p.desc, NULL, &error),
                      SPARCL_E_ARG, "expected labels \"raw\", found \"standardized\"");
        release(&p);
    }
}

/* Constant labels have no deviation, and are learned as they are. */
static void constant_labels_are_the_bias(void **state) {
    prepared p = {0};
    prepare_model(&p, NULL, 0);
    sparcl_data *const data = with_labels(p.data, 1234.5, 0);
    p.desc.patience = 0;
    p.desc.standardize_labels = 1;
    sparcl_model *const model = must_train(*state, data, NULL, &p.desc, NULL);
    assert_true(sparcl_model_tensor(model, "bias")->values[0] == 1234.5F);
    assert_true(sparcl_model_tensor(model, "weight")->values[3] == 0);
    sparcl_model_free(model);
    sparcl_data_free(data);
    release(&p);
}

/* The bias could not be one; of L-BFGS nothing changes. */
static void labels_must_be_floats(void **state) {
    prepared p = {0};
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    prepare_model(&p, NULL, 0);
    p.desc.patience = 0;
    p.desc.standardize_labels = 1;
    sparcl_data *const data = with_labels(p.data, 1e39, 1e38);
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &p.desc, NULL, &error),
                  SPARCL_E_FORMAT, "expected a label in the range of a 32-bit float");
    p.desc.solver = SPARCL_SOLVER_LBFGS;
    sparcl_model *const one = must_train(*state, p.data, NULL, &p.desc, NULL);
    p.desc.standardize_labels = 0;
    sparcl_model *const other = must_train(*state, p.data, NULL, &p.desc, NULL);
    assert_same_models(one, other, "lbfgs");
    sparcl_model_free(one);
    sparcl_model_free(other);
    sparcl_data_free(data);
    release(&p);
}

static void other_runs_are_refused(void **state) {
    prepared p = {0};
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    prepare_model(&p, NULL, 0);
    p.desc.standardize_labels = p.desc.keep_state = 1;
    p.desc.patience = 0;
    assert_failed(error, sparcl_train(*state, &model, p.data, NULL, &p.desc, NULL, &error),
                  SPARCL_E_ARG, "standardize_labels and keep_state are set, expected one");
    p.desc.keep_state = 0;
    p.desc.loss = SPARCL_LOSS_POISSON;
    assert_failed(error, sparcl_train(*state, &model, p.data, NULL, &p.desc, NULL, &error),
                  SPARCL_E_ARG, "expected 0 for a model of the kind linear with poisson loss");
    p.desc.loss = SPARCL_LOSS_SQUARED;
    const sparcl_batch_source source = {.columns = COLUMNS, .steps = 1, .next = hand_out};
    assert_failed(error, sparcl_train_source(*state, &model, &source, &p.desc, NULL, &error),
                  SPARCL_E_ARG, "the mean of the labels is not known");
    release(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_those_of_labels_in_units),
        cmocka_unit_test(a_training_begins_with_a_model_of_labels_as_they_are),
        cmocka_unit_test(checkpoints_keep_the_units),
        cmocka_unit_test(constant_labels_are_the_bias),
        cmocka_unit_test(labels_must_be_floats),
        cmocka_unit_test(other_runs_are_refused),
    };
    return run_checkpoint_tests(tests, COUNT(tests));
}
