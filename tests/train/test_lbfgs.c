/* test_lbfgs.c: the search for a minimum, alone and for linear models: minima that are known, the
 * conditions of a minimum with absolute values, files, and refusals. */
#include "folder_test.h"
#include "model_gradient_test.h"
#include "sparcl/apply.h"
#include "train/lbfgs.h"

static const char *const path = "test_lbfgs.safetensors";

/* --- the search alone ------------------------------------------------------------------------- */

enum { N = 60 };

/* sum of c_i (x_i - i)^2 / 2, of very different curvatures. */
static sparcl_status quadratic(void *user, const double *x, double *value, double *gradient,
                               sparcl_error *error) {
    (void)user;
    (void)error;
    *value = 0;
    for (int i = 0; i < N; ++i) {
        const double c = pow(10, i % 5 - 2), off = x[i] - i;
        *value += c * off * off / 2;
        gradient[i] = c * off;
    }
    return SPARCL_OK;
}

/* Rosenbrock's function of pairs, whose minimum of 0 is at 1, 1. */
static sparcl_status rosenbrock(void *user, const double *x, double *value, double *gradient,
                                sparcl_error *error) {
    (void)user;
    (void)error;
    *value = 0;
    for (int i = 0; i < N; i += 2) {
        const double a = 1 - x[i], b = x[i + 1] - x[i] * x[i];
        *value += a * a + 100 * b * b;
        gradient[i] = -2 * a - 400 * x[i] * b;
        gradient[i + 1] = 200 * b;
    }
    return SPARCL_OK;
}

static sparcl_status no_number(void *user, const double *x, double *value, double *gradient,
                               sparcl_error *error) {
    (void)user;
    (void)x;
    (void)gradient;
    (void)error;
    *value = (double)NAN;
    return SPARCL_OK;
}

static int count_to_three(void *user, int64_t iteration, double value) {
    double *const before = user;
    assert_true(value < *before);
    *before = value;
    return iteration == 3;
}

static spc_lbfgs search_of(spc_evaluate evaluate) {
    return (spc_lbfgs){
        .count = N, .with_l1 = N, .tolerance = 1e-9, .iterations = 1000, .evaluate = evaluate};
}

static void known_minima_are_found(void **state) {
    double x[N] = {0};
    spc_lbfgs search = search_of(quadratic);
    (void)state;
    assert_int_equal(spc_minimize(&search, x, NULL), SPARCL_OK);
    assert_true(search.converged && search.gradient_norm <= 1e-9 * search.first_norm);
    for (int i = 0; i < N; ++i)
        assert_true(fabs(x[i] - i) < 1e-3);
    search = search_of(rosenbrock);
    for (int i = 0; i < N; ++i)
        x[i] = i % 2 ? 1 : -1.2;
    assert_int_equal(spc_minimize(&search, x, NULL), SPARCL_OK);
    print_message("           Rosenbrock: %d iterations, %d evaluations, %.1e\n", (int)search.done,
                  (int)search.evaluations, search.value);
    assert_true(search.converged && search.value < 1e-12 && search.evaluations < 200);
}

/* Each number on its own: soft thresholding. */
static void absolute_values_move_numbers_to_0(void **state) {
    double x[N] = {0};
    double l1[N];
    int zeros = 0;
    spc_lbfgs search = search_of(quadratic);
    (void)state;
    for (int i = 0; i < N; ++i)
        l1[i] = 3;
    search.l1 = l1;
    search.with_l1 = N - 10;
    assert_int_equal(spc_minimize(&search, x, NULL), SPARCL_OK);
    assert_true(search.converged);
    for (int i = 0; i < N; ++i) {
        const double c = pow(10, i % 5 - 2), shift = i < N - 10 ? 3 / c : 0;
        const double expected = i > shift ? i - shift : 0;
        assert_true(fabs(x[i] - expected) < 1e-3);
        if (expected == 0 && i > 0) assert_true(x[i] == 0);
        zeros += x[i] == 0;
    }
    assert_true(zeros > 10);
}

static void a_search_can_be_ended(void **state) {
    double x[N] = {0}, before = INFINITY;
    sparcl_error error = {0};
    spc_lbfgs search = search_of(rosenbrock);
    (void)state;
    search.after = count_to_three;
    search.user = &before;
    assert_int_equal(spc_minimize(&search, x, NULL), SPARCL_OK);
    assert_true(search.stopped && search.done == 3 && !search.converged);
    search = search_of(rosenbrock);
    search.iterations = 5;
    assert_int_equal(spc_minimize(&search, x, NULL), SPARCL_OK);
    assert_true(!search.stopped && search.done == 5 && !search.converged);
    search = search_of(no_number);
    assert_failed(error, spc_minimize(&search, x, &error), SPARCL_E_DIVERGED,
                  "the objective is nan at the beginning");
}

/* --- linear models ---------------------------------------------------------------------------- */

static sparcl_train_desc lbfgs_run(sparcl_loss loss) {
    return (sparcl_train_desc){.loss = loss,
                               .optim = OPTIM(.lr = 0.1),
                               .solver = SPARCL_SOLVER_LBFGS,
                               .l2 = 0.05,
                               .epochs = 1000,
                               .tolerance = 1e-6};
}

static double scores_loss(const flat *f, const sparcl_data *data, const sparcl_train_desc *desc) {
    double sum = 0;
    for (int64_t row = 0; row < ROWS; ++row) {
        double x[COLUMNS], scores[MAX_OUTPUTS] = {0};
        int64_t n = 0;
        const double *const weight = part(f, "weight", &n), *const bias = part(f, "bias", &n);
        unpack(data, row, x);
        memcpy(scores, bias, (size_t)n * sizeof *scores);
        multiply(scores, x, COLUMNS, weight, n);
        sum += loss_of(desc->loss, scores, n, sparcl_data_labels(data)[row]);
    }
    return sum / ROWS;
}

static double objective_of(const flat *f, const sparcl_data *data, const sparcl_train_desc *desc) {
    int64_t outputs = 0;
    part(f, "bias", &outputs);
    double sum = scores_loss(f, data, desc);
    for (int64_t i = 0; i < COLUMNS * outputs; ++i)
        sum += desc->l2 / 2 * f->values[i] * f->values[i];
    return sum;
}

/* Of the objective in plain C, by a parameter, without a sign. */
static double largest_derivative(flat *f, const sparcl_data *data, const sparcl_train_desc *desc) {
    double largest = 0;
    for (size_t i = 0; i < f->count; ++i) {
        const double at = f->values[i], h = 1e-4;
        f->values[i] = at + h;
        const double up = objective_of(f, data, desc);
        f->values[i] = at - h;
        largest = fmax(largest, fabs(up - objective_of(f, data, desc)) / (2 * h));
        f->values[i] = at;
    }
    return largest;
}

static void the_gradient_of_a_trained_model_is_0(void **state) {
    for (size_t l = 0; l < COUNT(losses); ++l) {
        sparcl_data *const data = make_data(losses[l], 7);
        const sparcl_train_desc desc = lbfgs_run(losses[l]);
        sparcl_train_result result;
        sparcl_model *const model = must_train(*state, data, NULL, &desc, &result);
        flat f = flatten(model);
        const double worst = largest_derivative(&f, data, &desc);
        print_message("           %-10s %d iterations, largest derivative %.1e\n",
                      sparcl_loss_name(losses[l]), (int)result.epochs, worst);
        assert_true(result.converged && worst < 2e-6);
        assert_true(fabs(result.objective - objective_of(&f, data, &desc)) < 1e-7);
        assert_true(fabs(result.loss - scores_loss(&f, data, &desc)) < 1e-7);
        const sparcl_metrics m = must_eval(*state, model, data);
        assert_true(fabs(m.objective - result.objective) < 1e-6);
        free(f.values);
        sparcl_model_free(model);
        sparcl_data_free(data);
    }
}

/* Not one iteration later. */
static void a_search_ends_where_no_derivative_is_larger(void **state) {
    for (size_t l = 0; l < COUNT(losses); ++l) {
        sparcl_data *const data = make_data(losses[l], 7);
        sparcl_train_desc desc = lbfgs_run(losses[l]);
        sparcl_train_result result;
        desc.gradient_tolerance = 1e-3;
        for (int before = 0; before < 2; ++before) {
            sparcl_model *const model = must_train(*state, data, NULL, &desc, &result);
            flat f = flatten(model);
            assert_true(result.converged == !before);
            assert_true((largest_derivative(&f, data, &desc) <= 1.001e-3) == !before);
            desc.epochs = result.epochs - 1;
            free(f.values);
            sparcl_model_free(model);
        }
        sparcl_data_free(data);
    }
}

/* At a minimum the derivative is -l1 or l1 where a weight is not 0, and between them where it is.
 */
static void with_l1_the_conditions_of_a_minimum_hold(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 7);
    sparcl_train_desc desc = lbfgs_run(SPARCL_LOSS_LOGISTIC);
    sparcl_train_result result;
    int zeros = 0;
    desc.l1 = 0.02;
    desc.l2 = 0.001;
    sparcl_model *const model = must_train(*state, data, NULL, &desc, &result);
    flat f = flatten(model);
    double sum = 0;
    for (size_t i = 0; i < f.count; ++i) {
        const double at = f.values[i], h = 1e-4;
        f.values[i] = at + h;
        const double up = objective_of(&f, data, &desc);
        f.values[i] = at - h;
        const double slope = (up - objective_of(&f, data, &desc)) / (2 * h);
        f.values[i] = at;
        if (i < COLUMNS && at == 0) {
            assert_true(fabs(slope) <= desc.l1 + 1e-5);
            ++zeros;
        } else {
            assert_true(fabs(slope + (i < COLUMNS ? (at > 0 ? desc.l1 : -desc.l1) : 0)) < 1e-5);
        }
        if (i < COLUMNS) sum += fabs(at);
    }
    print_message("           %d of %d weights are 0\n", zeros, COLUMNS);
    assert_true(result.converged && zeros > 3 && zeros < COLUMNS);
    assert_true(fabs(result.objective - objective_of(&f, data, &desc) - desc.l1 * sum) < 1e-6);
    free(f.values);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void rows_on_the_host_give_nearly_the_same_model(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_SOFTMAX, 7);
    sparcl_train_desc desc = lbfgs_run(SPARCL_LOSS_SOFTMAX);
    sparcl_train_result here, there;
    sparcl_model *const a = must_train(*state, data, data, &desc, &here);
    desc.device_memory = 1;
    sparcl_model *const b = must_train(*state, data, NULL, &desc, &there);
    assert_true(!here.on_host && there.on_host);
    assert_true(same_values(a, b)); /* one slice */
    sparcl_model_free(a);
    sparcl_model_free(b);
    sparcl_data_free(data);
}

static void a_model_says_how_it_was_trained(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_SQUARED, 7);
    sparcl_train_desc desc = lbfgs_run(SPARCL_LOSS_SQUARED);
    static const char with_both[] = "lbfgs:l1=0.125,tolerance=1e-06,gradient_tolerance=1e-05";
    sparcl_error error = {0};
    sparcl_model *back = NULL;
    desc.l1 = 0.125;
    desc.gradient_tolerance = 1e-5;
    desc.no_bias = 1;
    sparcl_model *const model = must_train(*state, data, NULL, &desc, NULL);
    assert_string_equal(sparcl_model_get_info(model)->solver, with_both);
    assert_null(sparcl_model_bias(model));
    assert_done(error, sparcl_model_save(model, path, &error));
    assert_done(error, sparcl_model_load(&back, path, &error));
    assert_string_equal(sparcl_model_get_info(back)->solver, with_both);
    assert_true(same_values(model, back));
    sparcl_model_free(back);
    sparcl_model_free(model);
    sparcl_data_free(data);
    unlink(path);
}

static int stop_at_two(void *user, const sparcl_train_progress *now) {
    assert_true(isfinite(now->loss) && isfinite(now->valid_loss) && now->epoch == now->step);
    ++*(int *)user;
    return now->epoch == 2;
}

static void a_run_can_be_interrupted(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 7);
    sparcl_train_desc desc = lbfgs_run(SPARCL_LOSS_LOGISTIC);
    sparcl_model *model;
    sparcl_error error;
    int calls = 0;
    desc.progress = stop_at_two;
    desc.progress_user = &calls;
    assert_failed(error, sparcl_train(*state, &model, data, data, &desc, NULL, &error),
                  SPARCL_E_INTERRUPTED, "interrupted after iteration 2");
    assert_int_equal(calls, 2);
    assert_null(model);
    sparcl_data_free(data);
}

static void refuse(sparcl_ctx *ctx, const sparcl_train_desc *desc, const char *part_of) {
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 7);
    sparcl_model *model;
    sparcl_error error;
    assert_failed(error, sparcl_train(ctx, &model, data, NULL, desc, NULL, &error), SPARCL_E_ARG,
                  part_of);
    sparcl_data_free(data);
}

static void what_does_not_fit_is_refused(void **state) {
    const sparcl_architecture *const fm = must_parse("fm");
    sparcl_train_desc desc = lbfgs_run(SPARCL_LOSS_LOGISTIC);
    desc.architecture = fm;
    refuse(*state, &desc, "expected steps for a model of the kind fm: lbfgs is for linear models");
    desc = lbfgs_run(SPARCL_LOSS_LOGISTIC);
    desc.patience = 1;
    refuse(*state, &desc, "patience");
    desc = lbfgs_run(SPARCL_LOSS_LOGISTIC);
    desc.l1 = -1;
    refuse(*state, &desc, "l1 is -1");
    desc = lbfgs_run(SPARCL_LOSS_LOGISTIC);
    desc.tolerance = (double)NAN;
    refuse(*state, &desc, "tolerance is nan");
    desc = lbfgs_run(SPARCL_LOSS_LOGISTIC);
    desc.gradient_tolerance = -1;
    refuse(*state, &desc, "gradient_tolerance is -1");
    desc = lbfgs_run(SPARCL_LOSS_LOGISTIC);
    desc.solver = (sparcl_solver)7;
    refuse(*state, &desc, "solver is 7");
    desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    desc.l1 = 0.5;
    refuse(*state, &desc, "l1 is 0.5, expected 0 with steps");
    sparcl_architecture_free(fm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_minima_are_found),
        cmocka_unit_test(absolute_values_move_numbers_to_0),
        cmocka_unit_test(a_search_can_be_ended),
        cmocka_unit_test(the_gradient_of_a_trained_model_is_0),
        cmocka_unit_test(a_search_ends_where_no_derivative_is_larger),
        cmocka_unit_test(with_l1_the_conditions_of_a_minimum_hold),
        cmocka_unit_test(rows_on_the_host_give_nearly_the_same_model),
        cmocka_unit_test(a_model_says_how_it_was_trained),
        cmocka_unit_test(a_run_can_be_interrupted),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
