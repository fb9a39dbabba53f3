/* test_weights.c: weights of rows and of classes: rows with weight n count n times, in training and
 * in metrics; the same bits from every source; what is refused. */
#include "source_test.h"
#include "sparcl/apply.h"
#include "sparcl/architecture.h"
#include "sparcl/ops/losses.h"
#include "sparcl/optim.h"

/* --- data ------------------------------------------------------------------------------------- */

/* The rows of data, row i repeats[i] times (NULL: once), with weights or (NULL) without. */
static sparcl_data *copy_rows(const sparcl_data *data, const int *repeats, const float *weights) {
    static int64_t offsets[3 * ROWS + 1];
    static int32_t indices[3 * ROWS * COLUMNS];
    static float values[3 * ROWS * COLUMNS];
    static double labels[3 * ROWS];
    const int64_t *const from = sparcl_data_offsets(data);
    int64_t at = 0, rows = 0;
    for (int64_t i = 0; i < ROWS; ++i)
        for (int r = 0; r < (repeats ? repeats[i] : 1); ++r) {
            for (int64_t k = from[i]; k < from[i + 1]; ++k) {
                indices[at] = (int32_t)index_of(data, k);
                values[at++] = sparcl_data_values(data)[k];
            }
            labels[rows] = sparcl_data_labels(data)[i];
            offsets[++rows] = at;
        }
    const sparcl_data_arrays arrays = {.rows = rows,
                                       .columns = COLUMNS,
                                       .offsets = offsets,
                                       .index_type = SPARCL_INDEX32,
                                       .indices = indices,
                                       .values = values,
                                       .labels = labels,
                                       .weights = weights};
    sparcl_data *copy = NULL;
    sparcl_error error = {0};
    assert_done(error, sparcl_data_create(&copy, &arrays, &error));
    return copy;
}

/* The same rows, with weights 0, 2 and 4 in turn, and 0, 1 and 2 times. */
typedef struct both {
    sparcl_data *weighted, *repeated;
} both;

static both make_both_data(sparcl_loss loss) {
    int repeats[ROWS];
    float weights[ROWS];
    sparcl_data *const data = make_data(loss, 5);
    for (int i = 0; i < ROWS; ++i) {
        repeats[i] = i % 3;
        weights[i] = (float)(2 * repeats[i]);
    }
    const both made = {copy_rows(data, NULL, weights), copy_rows(data, repeats, NULL)};
    sparcl_data_free(data);
    return made;
}

static void free_both(both *b) {
    sparcl_data_free(b->weighted);
    sparcl_data_free(b->repeated);
}

static sparcl_metrics must_eval(sparcl_ctx *ctx, const sparcl_model *model,
                                const sparcl_data *data) {
    sparcl_metrics metrics;
    sparcl_error error = {0};
    assert_done(error, sparcl_eval(ctx, model, data, &metrics, &error));
    return metrics;
}

/* --- training --------------------------------------------------------------------------------- */

static void assert_near_models(const sparcl_model *a, const sparcl_model *b, double bound) {
    const sparcl_architecture *const kind = sparcl_model_architecture(a);
    for (int p = 0; kind->parameters[p]; ++p) {
        const sparcl_tensor *const x = sparcl_model_tensor(a, kind->parameters[p]);
        const sparcl_tensor *const y = sparcl_model_tensor(b, kind->parameters[p]);
        int64_t elements = 1;
        for (int d = 0; d < x->rank; ++d)
            elements *= x->shape[d];
        for (int64_t i = 0; i < elements; ++i)
            if (!(fabs((double)x->values[i] - (double)y->values[i]) <= bound))
                fail_msg("%s[%d] is %g and %g", x->name, (int)i, (double)x->values[i],
                         (double)y->values[i]);
    }
}

static void compare_training(sparcl_ctx *ctx, const both *b, const sparcl_train_desc *desc) {
    sparcl_train_result one, other;
    sparcl_model *const x = must_train(ctx, b->weighted, NULL, desc, &one);
    sparcl_model *const y = must_train(ctx, b->repeated, NULL, desc, &other);
    assert_near_models(x, y, 2e-5);
    assert_true(fabs(one.loss - other.loss) < 1e-6 && one.loss != 0);
    sparcl_model_free(x);
    sparcl_model_free(y);
}

static void rows_with_weights_train_as_repeated_rows(void **state) {
    for (int loss = 0; loss <= SPARCL_LOSS_HINGE; ++loss) {
        const sparcl_loss kind = loss == SPARCL_LOSS_POISSON ? SPARCL_LOSS_SQUARED : loss;
        both b = make_both_data(kind);
        sparcl_train_desc desc = small_run((sparcl_loss)loss, SPARCL_RULE_SGD);
        desc.optim.lr = 0.1;
        desc.batch = 0;
        desc.epochs = 8;
        if (loss != SPARCL_LOSS_POISSON) compare_training(*state, &b, &desc);
        desc.device_memory = 1; /* L-BFGS can work by slices of the host */
        desc.solver = SPARCL_SOLVER_LBFGS;
        desc.tolerance = 1e-6;
        if (loss < SPARCL_LOSS_POISSON) compare_training(*state, &b, &desc);
        desc.device_memory = 0;
        if (loss < SPARCL_LOSS_POISSON) compare_training(*state, &b, &desc);
        free_both(&b);
    }
}

static void every_model_of_rows_takes_weights(void **state) {
    static const char *const models[] = {"fm:factors=3", "mlp:hidden=5", "wide-deep:hidden=5",
                                         "autoencoder:units=9,k=3"};
    for (size_t i = 0; i < COUNT(models); ++i) {
        both b = make_both_data(SPARCL_LOSS_LOGISTIC);
        const sparcl_architecture *a = NULL;
        sparcl_error error = {0};
        assert_done(error, sparcl_architecture_parse(&a, models[i], &error));
        const sparcl_loss loss =
            a->task == SPARCL_TASK_RECONSTRUCT ? SPARCL_LOSS_SQUARED : SPARCL_LOSS_LOGISTIC;
        const sparcl_train_desc desc = {
            .loss = loss, .optim = OPTIM(.lr = 0.05), .epochs = 5, .architecture = a, .seed = 3};
        compare_training(*state, &b, &desc);
        sparcl_architecture_free(a);
        free_both(&b);
    }
}

/* Batches in an order, on the device, on the host, and from a callback. */
static void the_bits_are_those_of_every_source(void **state) {
    float weights[ROWS]; /* whose mean is 1: those of a callback stay as they are */
    for (int i = 0; i < ROWS; ++i)
        weights[i] = i == ROWS - 1 ? 1 : i % 2 ? 0.25F : 1.75F;
    for (int loss = 0; loss < 2; ++loss) {
        sparcl_data *const unweighted = make_data((sparcl_loss)loss, 5);
        sparcl_data *const data = copy_rows(unweighted, NULL, weights);
        sparcl_train_desc desc = small_run((sparcl_loss)loss, SPARCL_RULE_ADAM);
        desc.l2 = 0;
        sparcl_model *const here = must_train(*state, data, NULL, &desc, NULL);
        sparcl_model *const without = must_train(*state, unweighted, NULL, &desc, NULL);
        assert_false(same_weights(here, without));
        desc.device_memory = 1;
        sparcl_model *const there = must_train(*state, data, NULL, &desc, NULL);
        assert_true(same_weights(here, there));
        handing h = {.data = data, .seed = desc.seed, .batch = desc.batch, .weights = weights};
        sparcl_batch_source source = source_of(&h, (sparcl_loss)loss);
        sparcl_model *handed = NULL;
        sparcl_error error = {0};
        source.has_weights = 1;
        assert_done(error, sparcl_train_source(*state, &handed, &source, &desc, NULL, &error));
        assert_true(same_weights(here, handed));
        sparcl_model_free(handed);
        sparcl_model_free(there);
        sparcl_model_free(without);
        sparcl_model_free(here);
        sparcl_data_free(data);
        sparcl_data_free(unweighted);
    }
}

/* Only the ratios of weights matter; those of validation data change no bit of the model. */
static void weights_of_validation_data_change_its_loss_only(void **state) {
    float weights[ROWS], ones[ROWS];
    for (int i = 0; i < ROWS; ++i) {
        weights[i] = (float)(i % 4);
        ones[i] = 3;
    }
    sparcl_data *const file = make_data(SPARCL_LOSS_LOGISTIC, 5);
    sparcl_data *const data = copy_rows(file, NULL, NULL);
    sparcl_data *const threes = copy_rows(data, NULL, ones);
    sparcl_data *const valid = copy_rows(data, NULL, weights);
    watch w = {.with_valid = true};
    sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_MOMENTUM);
    sparcl_model *const alone = must_train(*state, data, NULL, &desc, NULL);
    desc.progress = look;
    desc.progress_user = &w;
    sparcl_model *const with = must_train(*state, data, valid, &desc, NULL);
    w = (watch){.with_valid = true, .last.seconds = 0};
    sparcl_model *const other = must_train(*state, threes, valid, &desc, NULL);
    assert_true(same_weights(alone, with) && same_weights(alone, other));
    assert_true(w.last.valid_loss == must_eval(*state, with, valid).loss);
    assert_true(w.last.valid_loss != must_eval(*state, with, data).loss);
    sparcl_model_free(other);
    sparcl_model_free(with);
    sparcl_model_free(alone);
    sparcl_data_free(valid);
    sparcl_data_free(threes);
    sparcl_data_free(data);
    sparcl_data_free(file);
}

/* --- classes ---------------------------------------------------------------------------------- */

static void classes_have_the_weights_of_their_rows(void **state) {
    static const sparcl_class_weight given[] = {{40, 3}, {-5, 0.5}};
    sparcl_data *const data = make_data(SPARCL_LOSS_SOFTMAX, 5);
    float as_given[ROWS], balanced[ROWS];
    double counts[3] = {0};
    const double *const labels = sparcl_data_labels(data);
    for (int i = 0; i < ROWS; ++i)
        ++counts[labels[i] < 0 ? 0 : labels[i] < 10 ? 1 : 2];
    for (int i = 0; i < ROWS; ++i) {
        const int c = labels[i] < 0 ? 0 : labels[i] < 10 ? 1 : 2;
        as_given[i] = c == 0 ? 0.5F : c == 1 ? 1 : 3;
        balanced[i] = (float)(ROWS / (3 * counts[c]));
    }
    for (int solver = 0; solver < 2; ++solver)
        for (int is_balanced = 0; is_balanced < 2; ++is_balanced) {
            sparcl_data *const rows = copy_rows(data, NULL, is_balanced ? balanced : as_given);
            sparcl_train_desc desc = small_run(SPARCL_LOSS_SOFTMAX, SPARCL_RULE_SGD);
            desc.solver = (sparcl_solver)solver;
            sparcl_model *const of_rows = must_train(*state, rows, NULL, &desc, NULL);
            desc.class_weights = is_balanced ? NULL : given;
            desc.class_weight_count = is_balanced ? 0 : 2;
            desc.balance_classes = is_balanced;
            sparcl_model *const of_classes = must_train(*state, data, NULL, &desc, NULL);
            assert_near_models(of_rows, of_classes, solver ? 1e-4 : 1e-6);
            sparcl_model_free(of_classes);
            sparcl_model_free(of_rows);
            sparcl_data_free(rows);
        }
    sparcl_data_free(data);
}

/* --- metrics ---------------------------------------------------------------------------------- */

static void assert_same(double x, double y) {
    if (!(isnan(x) && isnan(y)) && !(fabs(x - y) < 1e-6)) fail_msg("%.9g and %.9g", x, y);
}

static void rows_with_weights_count_as_repeated_rows_in_metrics(void **state) {
    for (int loss = 0; loss < 3; ++loss) {
        both b = make_both_data((sparcl_loss)loss);
        sparcl_train_desc desc = small_run((sparcl_loss)loss, SPARCL_RULE_SGD);
        sparcl_model *const model = must_train(*state, b.weighted, NULL, &desc, NULL);
        const sparcl_metrics x = must_eval(*state, model, b.weighted);
        const sparcl_metrics y = must_eval(*state, model, b.repeated);
        assert_same(x.loss, y.loss);
        assert_same(x.objective, y.objective);
        assert_same(x.accuracy, y.accuracy);
        assert_same(x.f1, y.f1);
        assert_same(x.auc, y.auc);
        assert_same(x.average_precision, y.average_precision);
        assert_same(x.calibration_error, y.calibration_error);
        assert_same(x.rmse, y.rmse);
        assert_same(x.mae, y.mae);
        assert_same(x.best_constant_loss, y.best_constant_loss);
        assert_same(x.best_constant_accuracy, y.best_constant_accuracy);
        assert_same(x.best_constant_f1, y.best_constant_f1);
        assert_same(x.best_constant_average_precision, y.best_constant_average_precision);
        assert_same(x.best_constant_rmse, y.best_constant_rmse);
        assert_same(x.best_constant_mae, y.best_constant_mae);
        sparcl_model_free(model);
        free_both(&b);
    }
}

/* --- refusals --------------------------------------------------------------------------------- */

static void refuse(sparcl_ctx *ctx, const sparcl_data *data, const sparcl_train_desc *desc,
                   sparcl_status status, const char *part) {
    sparcl_model *model = NULL;
    sparcl_error error;
    assert_failed(error, sparcl_train(ctx, &model, data, NULL, desc, NULL, &error), status, part);
    assert_null(model);
}

static void weights_that_do_not_fit_are_refused(void **state) {
    static const sparcl_class_weight unknown[] = {{3, 1}}, negative[] = {{1, -1}},
                                     twice[] = {{1, 1}, {-1, 1}, {1, 2}};
    static float zeros[ROWS];
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 5);
    sparcl_data *const none = copy_rows(data, NULL, zeros);
    sparcl_data *const numbers = make_data(SPARCL_LOSS_SQUARED, 5);
    sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    refuse(*state, none, &desc, SPARCL_E_FORMAT, "the weights of all rows are 0");
    desc.class_weight_count = 1;
    refuse(*state, data, &desc, SPARCL_E_ARG, "class_weight_count is 1");
    desc.class_weights = unknown;
    refuse(*state, data, &desc, SPARCL_E_ARG, "class_weights[0] is of the label 3");
    desc.class_weights = negative;
    refuse(*state, data, &desc, SPARCL_E_ARG, "class_weights[0] is -1");
    desc.class_weights = twice;
    desc.class_weight_count = 3;
    refuse(*state, data, &desc, SPARCL_E_ARG, "class_weights[2] is of the label 1, as");
    desc.class_weights = unknown;
    desc.class_weight_count = 1;
    desc.balance_classes = 1;
    refuse(*state, data, &desc, SPARCL_E_ARG, "0 with balance_classes");
    desc.class_weight_count = 0;
    desc.loss = SPARCL_LOSS_SQUARED;
    refuse(*state, numbers, &desc, SPARCL_E_ARG, "linear with squared loss has no classes");
    sparcl_data_free(numbers);
    sparcl_data_free(none);
    sparcl_data_free(data);
}

static void weights_of_batches_are_checked(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 5);
    float weights[ROWS] = {1, 2, -1};
    sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    handing h = {.data = data, .seed = desc.seed, .batch = desc.batch};
    sparcl_batch_source source = source_of(&h, SPARCL_LOSS_LOGISTIC);
    sparcl_model *model = NULL;
    sparcl_error error;
    source.has_weights = 1;
    assert_failed(error, sparcl_train_source(*state, &model, &source, &desc, NULL, &error),
                  SPARCL_E_FORMAT, "weights is NULL, expected weights");
    h.weights = weights;
    assert_failed(error, sparcl_train_source(*state, &model, &source, &desc, NULL, &error),
                  SPARCL_E_FORMAT, "is -1, expected a finite number from 0");
    source.has_weights = 0;
    desc.balance_classes = 1;
    assert_failed(error, sparcl_train_source(*state, &model, &source, &desc, NULL, &error),
                  SPARCL_E_ARG, "balance_classes is set, expected 0");
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_with_weights_train_as_repeated_rows),
        cmocka_unit_test(every_model_of_rows_takes_weights),
        cmocka_unit_test(the_bits_are_those_of_every_source),
        cmocka_unit_test(weights_of_validation_data_change_its_loss_only),
        cmocka_unit_test(classes_have_the_weights_of_their_rows),
        cmocka_unit_test(rows_with_weights_count_as_repeated_rows_in_metrics),
        cmocka_unit_test(weights_that_do_not_fit_are_refused),
        cmocka_unit_test(weights_of_batches_are_checked),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
