/* test_auto.c: linear models without settings: the loss from the labels, what is tried and chosen,
 * and folds of data sets. */
#include "architecture_test.h"
#include "sparcl/auto.h"

static sparcl_data *with_labels(const double *labels, int64_t rows) {
    static int64_t offsets[ROWS + 1];
    const sparcl_data_arrays arrays = {
        .rows = rows, .columns = 3, .offsets = offsets, .labels = labels};
    sparcl_data *data = NULL;
    sparcl_error error = {0};
    assert_done(error, sparcl_data_create(&data, &arrays, &error));
    return data;
}

static void the_loss_is_that_of_the_labels(void **state) {
    double labels[ROWS];
    const struct {
        int different;
        double step;
        sparcl_loss expected;
    } cases[] = {{2, 1, SPARCL_LOSS_LOGISTIC},   {2, 0.5, SPARCL_LOSS_LOGISTIC},
                 {3, 1, SPARCL_LOSS_SOFTMAX},    {9, 7, SPARCL_LOSS_SOFTMAX},
                 {10, 1, SPARCL_LOSS_SQUARED},   {3, 0.5, SPARCL_LOSS_SQUARED},
                 {97, 0.25, SPARCL_LOSS_SQUARED}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); ++i) {
        sparcl_loss loss;
        sparcl_error error = {0};
        for (int row = 0; row < ROWS; ++row)
            labels[row] = cases[i].step * (row % cases[i].different) - 2;
        sparcl_data *const data = with_labels(labels, ROWS);
        assert_done(error, sparcl_usual_loss(&loss, data, &error));
        assert_int_equal(loss, cases[i].expected);
        sparcl_data_free(data);
    }
}

/* Sizes of classes -7, -7 + step, ... */
static void check_sizes(const int *sizes, int count, int step, sparcl_loss expected,
                        int are_numbers) {
    static double labels[4000];
    sparcl_label_summary summary;
    sparcl_error error = {0};
    int64_t rows = 0;
    for (int c = 0; c < count; ++c)
        for (int i = 0; i < sizes[c]; ++i)
            labels[rows++] = step * c - 7;
    const sparcl_data_arrays arrays = {
        .rows = rows, .columns = 1, .offsets = (const int64_t[4001]){0}, .labels = labels};
    sparcl_data *data = NULL;
    assert_done(error, sparcl_data_create(&data, &arrays, &error));
    assert_done(error, sparcl_labels_summarize(&summary, data, &error));
    assert_int_equal(summary.different, count);
    assert_int_equal(summary.are_whole, 1);
    assert_int_equal(summary.are_many, count > 10);
    assert_int_equal(summary.are_numbers, are_numbers);
    assert_int_equal(summary.usual_loss, expected);
    sparcl_data_free(data);
}

/* Ages rise and fall, and counts fall and have gaps; classes are in no order, or as large as one
 * another, or sorted by size. */
static void ages_and_counts_are_numbers(void **state) {
    int ages[40], equal[40], mixed[40], sorted[40], few[40];
    const int eleven[] = {5, 20, 40, 60, 80, 90, 80, 60, 40, 20, 5};
    const int runs[] = {900, 250, 120, 60, 35, 20, 12, 8, 4, 2, 2, 1}; /* most have none */
    (void)state;
    for (int c = 0; c < 40; ++c) {
        const int distance = c < 20 ? 19 - c : c - 20;
        ages[c] = 1 + (19 - distance) * (19 - distance) / 4;
        equal[c] = 30;
        mixed[(c * 7 + 3) % 40] = ages[c];
        sorted[c] = 1 + (40 - c);
        few[c] = 1 + c % 3;
    }
    check_sizes(ages, 40, 1, SPARCL_LOSS_SQUARED, 1);
    check_sizes(equal, 40, 1, SPARCL_LOSS_SOFTMAX, 0);
    check_sizes(mixed, 40, 1, SPARCL_LOSS_SOFTMAX, 0);
    check_sizes(sorted, 40, 1, SPARCL_LOSS_SOFTMAX, 0);
    check_sizes(sorted, 40, 2, SPARCL_LOSS_SQUARED, 1);
    check_sizes(ages, 40, 3, SPARCL_LOSS_SQUARED, 1);
    check_sizes(equal, 40, 2, SPARCL_LOSS_SOFTMAX, 0);
    check_sizes(mixed, 40, 2, SPARCL_LOSS_SOFTMAX, 0);
    check_sizes(few, 40, 1, SPARCL_LOSS_SQUARED, 0);
    check_sizes(eleven, 10, 1, SPARCL_LOSS_SOFTMAX, 0);
    check_sizes(eleven, 11, 1, SPARCL_LOSS_SQUARED, 1);
    check_sizes(runs, 12, 1, SPARCL_LOSS_SOFTMAX, 0);
    check_sizes(runs, 12, 2, SPARCL_LOSS_SQUARED, 1);
}

static void data_without_labels_have_no_loss(void **state) {
    sparcl_data *const bare = with_labels(NULL, 4), *const none = with_labels(NULL, 0);
    sparcl_loss loss;
    sparcl_error error;
    (void)state;
    assert_failed(error, sparcl_usual_loss(&loss, bare, &error), SPARCL_E_FORMAT,
                  "expected a label for each row, found none");
    assert_failed(error, sparcl_usual_loss(&loss, none, &error), SPARCL_E_FORMAT, "expected rows");
    assert_failed(error, sparcl_usual_loss(&loss, NULL, &error), SPARCL_E_ARG, "NULL");
    sparcl_data_free(none);
    sparcl_data_free(bare);
}

/* --- folds ------------------------------------------------------------------------------------ */

static void folds_have_each_row_once(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_SQUARED, 3);
    int64_t seen = 0, smallest = ROWS, largest = 0;
    double sum = 0, expected = 0;
    sparcl_error error = {0};
    (void)state;
    for (int64_t f = 0; f < 5; ++f) {
        sparcl_data *rest, *held;
        assert_done(error, sparcl_data_fold(data, 5, f, 9, &rest, &held, &error));
        const int64_t rows = sparcl_data_get_info(held)->rows;
        assert_int_equal(rows + sparcl_data_get_info(rest)->rows, ROWS);
        for (int64_t i = 0; i < rows; ++i)
            sum += sparcl_data_labels(held)[i];
        seen += rows;
        smallest = rows < smallest ? rows : smallest;
        largest = rows > largest ? rows : largest;
        sparcl_data_free(rest);
        sparcl_data_free(held);
    }
    for (int64_t i = 0; i < ROWS; ++i)
        expected += sparcl_data_labels(data)[i];
    assert_true(seen == ROWS && largest - smallest <= 1 && fabs(sum - expected) < 1e-12);
    sparcl_data_free(data);
}

/* The first fold of five is a split of a fifth. */
static void a_fold_is_drawn_as_a_split(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_SQUARED, 3), *parts[4];
    sparcl_error error = {0};
    (void)state;
    assert_done(error, sparcl_data_fold(data, 5, 0, 9, &parts[0], &parts[1], &error));
    assert_done(error, sparcl_data_split(data, 19. / ROWS, 9, &parts[2], &parts[3], &error));
    for (int i = 0; i < 2; ++i)
        assert_true(sparcl_data_get_info(parts[i])->fingerprint ==
                    sparcl_data_get_info(parts[i + 2])->fingerprint);
    for (int i = 0; i < 4; ++i)
        sparcl_data_free(parts[i]);
    assert_failed(error, sparcl_data_fold(data, 1, 0, 9, &parts[0], &parts[1], &error),
                  SPARCL_E_ARG, "fold 0 of 1");
    assert_failed(error, sparcl_data_fold(data, 3, 3, 9, &parts[0], &parts[1], &error),
                  SPARCL_E_ARG, "fold 3 of 3, expected 0 or more of at least 2");
    assert_failed(error, sparcl_data_fold(NULL, 3, 0, 9, &parts[0], &parts[1], &error),
                  SPARCL_E_ARG, "NULL");
    assert_null(parts[0]);
    sparcl_data_free(data);
}

/* --- training --------------------------------------------------------------------------------- */

typedef struct seen {
    int count, stop_at;
    sparcl_tried tried[SPARCL_TRIED_MAX];
} seen;

static int keep(void *user, const sparcl_tried *tried) {
    seen *const s = user;
    if (tried->is_running) {
        assert_true(isnan(tried->loss) && tried->step > 0 && tried->fold >= 0 && tried->fold < 5);
        assert_true(tried->most > s->count && tried->most <= SPARCL_TRIED_MAX);
        return 0;
    }
    s->tried[s->count++] = *tried;
    return s->count == s->stop_at;
}

/* Within a setting. */
static int stop_inside(void *user, const sparcl_tried *tried) {
    return tried->is_running && ++*(int *)user == 7;
}

static sparcl_train_desc plain_run(sparcl_loss loss) {
    sparcl_train_desc desc;
    sparcl_train_init(&desc, SPARCL_RULE_SGD);
    desc.loss = loss;
    return desc;
}

/* The chosen model is that of L-BFGS with its C on all rows. */
static void the_best_setting_is_chosen(void **state) {
    for (size_t l = 0; l < COUNT(losses); ++l) {
        sparcl_data *const data = make_data(losses[l], 7);
        sparcl_train_desc desc = plain_run(losses[l]);
        sparcl_auto_result r;
        sparcl_model *model;
        sparcl_error error = {0};
        seen s = {0};
        assert_done(error, sparcl_train_auto(*state, &model, data, &desc, SPARCL_SELECT_LOSS, keep,
                                             &s, &r, &error));
        assert_true(r.folds == 5 && r.count == s.count && r.solver == SPARCL_SOLVER_LBFGS);
        assert_memory_equal(r.tried, s.tried, (size_t)r.count * sizeof *r.tried);
        const sparcl_tried *const best = &r.tried[r.best];
        for (int i = 0; i < r.count; ++i) {
            assert_true(best->loss <= r.tried[i].loss && best->selected == best->loss);
            assert_true(i == 0 || r.tried[i].value > r.tried[i - 1].value);
        }
        assert_true(r.count == 11 || r.count == r.best + 4);
        desc.solver = SPARCL_SOLVER_LBFGS;
        desc.l2 = 1 / (best->value * ROWS);
        desc.epochs = 1000;
        desc.tolerance = 1e-6;
        sparcl_model *const again = must_train(*state, data, NULL, &desc, NULL);
        assert_true(same_values(model, again));
        print_message("           %-10s C %g, loss %.4f, accuracy %.3f\n",
                      sparcl_loss_name(losses[l]), best->value, best->loss, best->accuracy);
        sparcl_model_free(again);
        sparcl_model_free(model);
        sparcl_data_free(data);
    }
}

/* Each row is held out once where there are fewer than five; one alone is refused. */
static void two_rows_are_enough(void **state) {
    const int64_t offsets[] = {0, 1, 2, 3, 4, 5};
    const int32_t indices[] = {0, 1, 0, 1, 0};
    const float values[] = {1, 1, 2, 2, 1};
    const double labels[] = {1, 0, 1, 0, 1};
    const sparcl_loss tried[] = {SPARCL_LOSS_LOGISTIC, SPARCL_LOSS_SQUARED, SPARCL_LOSS_HINGE};
    const int hinge_folds[] = {0, 0, 0, 1, 4, 5}; /* two rows have a class each, three one alone */
    for (int64_t rows = 1; rows <= 5; ++rows)
        for (size_t l = 0; l < COUNT(tried); ++l) {
            const sparcl_data_arrays arrays = {rows,   2,      offsets, SPARCL_INDEX32, indices,
                                               values, labels, NULL,    NULL,           0};
            const sparcl_train_desc desc = plain_run(rows == 1 ? SPARCL_LOSS_SQUARED : tried[l]);
            sparcl_data *data = NULL;
            sparcl_auto_result r;
            sparcl_model *model = NULL;
            sparcl_error error = {0};
            assert_done(error, sparcl_data_create(&data, &arrays, &error));
            if (rows == 1)
                assert_failed(error,
                              sparcl_train_auto(*state, &model, data, &desc, SPARCL_SELECT_LOSS,
                                                NULL, NULL, &r, &error),
                              SPARCL_E_FORMAT, "at least two rows");
            else
                assert_done(error, sparcl_train_auto(*state, &model, data, &desc,
                                                     SPARCL_SELECT_LOSS, NULL, NULL, &r, &error));
            if (rows > 1)
                assert_int_equal(r.folds,
                                 desc.loss == SPARCL_LOSS_HINGE ? hinge_folds[rows] : rows);
            sparcl_model_free(model);
            sparcl_data_free(data);
        }
}

/* 2^25 columns and a bias. */
static void a_wide_model_is_trained_by_steps(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 7);
    sparcl_train_desc desc = plain_run(SPARCL_LOSS_LOGISTIC);
    sparcl_auto_result r;
    sparcl_model *model;
    sparcl_error error;
    seen s = {.stop_at = 1};
    desc.columns = 1 << 25;
    assert_failed(
        error,
        sparcl_train_auto(*state, &model, data, &desc, SPARCL_SELECT_LOSS, keep, &s, &r, &error),
        SPARCL_E_INTERRUPTED, "after 1 settings");
    assert_true(r.solver == SPARCL_SOLVER_STEPS && s.tried[0].value == 0.001);
    sparcl_data_free(data);
}

static void a_search_can_be_stopped(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 7);
    const sparcl_train_desc desc = plain_run(SPARCL_LOSS_LOGISTIC);
    sparcl_model *model;
    sparcl_error error;
    seen s = {.stop_at = 2};
    assert_failed(
        error,
        sparcl_train_auto(*state, &model, data, &desc, SPARCL_SELECT_LOSS, keep, &s, NULL, &error),
        SPARCL_E_INTERRUPTED, "interrupted after 2 settings");
    assert_null(model);
    assert_int_equal(s.count, 2);
    int steps = 0;
    assert_failed(error,
                  sparcl_train_auto(*state, &model, data, &desc, SPARCL_SELECT_LOSS, stop_inside,
                                    &steps, NULL, &error),
                  SPARCL_E_INTERRUPTED, "interrupted after iteration");
    assert_null(model);
    assert_int_equal(steps, 7);
    sparcl_data_free(data);
}

static void what_does_not_fit_is_refused(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_SQUARED, 7);
    const sparcl_architecture a = two_layers();
    sparcl_train_desc desc = plain_run(SPARCL_LOSS_SQUARED);
    sparcl_model *model;
    sparcl_error error;
    desc.architecture = &a;
    assert_failed(error,
                  sparcl_train_auto(*state, &model, data, &desc, SPARCL_SELECT_LOSS, NULL, NULL,
                                    NULL, &error),
                  SPARCL_E_ARG, "expected one of labels, whose optimizer has the rate NaN");
    desc = plain_run(SPARCL_LOSS_LOGISTIC);
    assert_failed(error,
                  sparcl_train_auto(*state, &model, data, &desc, SPARCL_SELECT_LOSS, NULL, NULL,
                                    NULL, &error),
                  SPARCL_E_FORMAT, "expected two different labels");
    assert_failed(error,
                  sparcl_train_auto(*state, &model, NULL, &desc, SPARCL_SELECT_LOSS, NULL, NULL,
                                    NULL, &error),
                  SPARCL_E_ARG, "NULL");
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loss_is_that_of_the_labels),
        cmocka_unit_test(ages_and_counts_are_numbers),
        cmocka_unit_test(data_without_labels_have_no_loss),
        cmocka_unit_test(folds_have_each_row_once),
        cmocka_unit_test(a_fold_is_drawn_as_a_split),
        cmocka_unit_test(the_best_setting_is_chosen),
        cmocka_unit_test(two_rows_are_enough),
        cmocka_unit_test(a_wide_model_is_trained_by_steps),
        cmocka_unit_test(a_search_can_be_stopped),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
