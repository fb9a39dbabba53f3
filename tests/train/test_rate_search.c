/* test_rate_search.c: models by steps whose rate is searched for. */
#include "model_gradient_test.h"
#include "sparcl/apply.h"
#include "sparcl/auto.h"

static sparcl_train_desc rate_run(sparcl_loss loss, sparcl_rule rule) {
    sparcl_train_desc desc;
    sparcl_train_init(&desc, rule);
    desc.loss = loss;
    desc.optim.lr = (double)NAN;
    desc.batch = 64;
    desc.seed = 5;
    return desc;
}

static sparcl_model *search(sparcl_ctx *ctx, const sparcl_data *data, const sparcl_train_desc *desc,
                            sparcl_auto_result *result) {
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    assert_done(error, sparcl_train_auto(ctx, &model, data, desc, SPARCL_SELECT_LOSS, NULL, NULL,
                                         result, &error));
    assert_true(result->solver == SPARCL_SOLVER_STEPS && result->folds == 5 && result->count <= 7);
    for (int i = 0; i < result->count; ++i)
        assert_true(result->tried[i].solver == SPARCL_SOLVER_STEPS &&
                    !(result->tried[i].loss < result->tried[result->best].loss));
    return model;
}

/* The mean loss of the five parts, each after training with the others for some passes, or, of 0,
 * for as long as it falls; *passes becomes the mean of what was best. */
static double loss_of_folds(sparcl_ctx *ctx, const sparcl_data *data, sparcl_train_desc desc,
                            int64_t *passes) {
    double loss = 0, best = 0;
    desc.epochs = *passes ? *passes : 200;
    desc.patience = *passes ? 0 : 20;
    for (int fold = 0; fold < 5; ++fold) {
        sparcl_data *rest, *held;
        sparcl_train_result part;
        sparcl_error error = {0};
        assert_done(error, sparcl_data_fold(data, 5, fold, desc.seed, &rest, &held, &error));
        sparcl_model *const model = must_train(ctx, rest, held, &desc, &part);
        const sparcl_metrics m = must_eval(ctx, model, held);
        const double share = (double)m.rows / (double)sparcl_data_get_info(data)->rows;
        loss += share * m.loss;
        best += share * (double)part.best_epoch;
        sparcl_model_free(model);
        sparcl_data_free(rest);
        sparcl_data_free(held);
    }
    *passes = (int64_t)floor(best + 0.5);
    return loss;
}

/* The steps are those of sparcl_train, in five folds, and then in all rows. */
static void check_search(sparcl_ctx *ctx, sparcl_train_desc desc) {
    sparcl_data *const data = make_data(desc.loss, 7);
    sparcl_auto_result r;
    int64_t passes = 0;
    desc.standardize_labels = desc.loss == SPARCL_LOSS_SQUARED;
    sparcl_model *const model = search(ctx, data, &desc, &r);
    desc.optim.lr = r.tried[r.best].value;
    (void)loss_of_folds(ctx, data, desc, &passes);
    assert_int_equal(passes, r.train.epochs);
    const double loss = loss_of_folds(ctx, data, desc, &passes);
    assert_true(fabs(loss - r.tried[r.best].loss) <= 1e-12 * loss);
    desc.epochs = r.train.epochs;
    sparcl_model *const again = must_train(ctx, data, NULL, &desc, NULL);
    assert_true(same_values(model, again));
    sparcl_model_free(model);
    sparcl_model_free(again);
    sparcl_data_free(data);
}

/* With a penalty no column is scaled. */
static void the_best_rate_trains_all_rows(void **state) {
    for (size_t l = 0; l < COUNT(losses); l += 2) {
        sparcl_train_desc desc = rate_run(losses[l], SPARCL_RULE_ADAM);
        desc.l2 = 0.01;
        check_search(*state, desc);
    }
}

/* Columns of other models than linear are not scaled. */
static void other_models_are_searched_for(void **state) {
    static const struct {
        const char *model;
        sparcl_loss loss;
    } cases[] = {{"fm:factors=2", SPARCL_LOSS_SQUARED}, {"mlp:hidden=4", SPARCL_LOSS_SOFTMAX}};
    for (size_t i = 0; i < COUNT(cases); ++i) {
        sparcl_train_desc desc = rate_run(cases[i].loss, SPARCL_RULE_ADAM);
        desc.architecture = must_parse(cases[i].model);
        check_search(*state, desc);
        sparcl_architecture_free(desc.architecture);
    }
}

/* Three columns that every row has: a year, an income and a small number; one that few have. */
static sparcl_data *raw_table(bool has_classes) {
    enum { ROWS_OF_TABLE = 300 };
    char *const text = must_have(calloc(ROWS_OF_TABLE, 100)), *at = text;
    uint64_t seed = 3;
    for (int i = 0; i < ROWS_OF_TABLE; ++i) {
        const double year = 1990 + 15 * spec_uniform(&seed), part = spec_uniform(&seed);
        const double income = 40000 + 20000 * spec_uniform(&seed), few = i % 9 == 0;
        const double noise = 0.3 * spec_uniform(&seed);
        const double y = (year - 1990) / 15 - (income - 40000) / 20000 + part + few + noise;
        at += sprintf(at, "%.9g 1:%.9g 2:%.9g 3:%.9g%s\n", has_classes ? y > 0 : 1e6 + 5e4 * y,
                      year, income, part / 1000, few > 0 ? " 4:1e5" : "");
    }
    sparcl_data *const data = read_text(text, NULL);
    free(text);
    return data;
}

static int keep_loss(void *user, const sparcl_train_progress *now) {
    *(double *)user = now->loss;
    return 0;
}

/* Losses are those of the labels as they are. */
static void columns_of_any_scale_are_learned(void **state) {
    static const sparcl_rule rules[] = {SPARCL_RULE_SGD, SPARCL_RULE_ADAGRAD, SPARCL_RULE_ADAM};
    for (size_t k = 0; k < COUNT(rules); ++k) {
        const bool has_classes = k % 2;
        sparcl_data *const data = raw_table(has_classes);
        sparcl_train_desc desc =
            rate_run(has_classes ? SPARCL_LOSS_LOGISTIC : SPARCL_LOSS_SQUARED, rules[k]);
        double seen = 0;
        sparcl_auto_result r;
        desc.progress = keep_loss;
        desc.progress_user = &seen;
        sparcl_model *const model = search(*state, data, &desc, &r);
        const sparcl_metrics m = must_eval(*state, model, data);
        if (has_classes)
            assert_true(m.accuracy > 0.9);
        else
            assert_true(m.loss < 0.05 * m.best_constant_loss);
        assert_true(fabs(r.train.loss - m.loss) <= 1e-3 * m.loss);
        assert_true(fabs(seen - m.loss) <= 0.5 * m.loss); /* before the steps of the pass */
        assert_true(sparcl_model_get_info(model)->fingerprint ==
                    sparcl_data_get_info(data)->fingerprint);
        assert_int_equal(sparcl_model_get_info(model)->index_base, 1);
        sparcl_model_free(model);
        sparcl_data_free(data);
    }
}

/* The rows of the data, in every 50th column. */
static sparcl_data *spread(const sparcl_data *data) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    int64_t *const indices = must_have(malloc((size_t)info->entries * sizeof *indices));
    for (int64_t k = 0; k < info->entries; ++k)
        indices[k] = 50 * index_of(data, k) + 3;
    const sparcl_data_arrays arrays = {.rows = info->rows,
                                       .columns = 50 * COLUMNS,
                                       .offsets = sparcl_data_offsets(data),
                                       .index_type = SPARCL_INDEX64,
                                       .indices = indices,
                                       .values = sparcl_data_values(data),
                                       .labels = sparcl_data_labels(data),
                                       .index_base = info->index_base};
    sparcl_data *wide = NULL;
    sparcl_error error = {0};
    assert_done(error, sparcl_data_create(&wide, &arrays, &error));
    free(indices);
    return wide;
}

/* The first parameters have a row for each column, which is 0 without entries. */
static void check_tensor(const sparcl_tensor *narrow, const sparcl_tensor *wide) {
    const int64_t rows = narrow->shape[0], row = spc_tensor_elements(narrow) / rows;
    if (wide->shape[0] == rows) {
        assert_memory_equal(narrow->values, wide->values, (size_t)(rows * row) * sizeof(float));
        return;
    }
    assert_true(rows == COLUMNS && wide->shape[0] == 50 * COLUMNS);
    for (int64_t j = 0; j < 50 * COLUMNS; ++j)
        for (int64_t k = 0; k < row; ++k)
            assert_true(wide->values[j * row + k] ==
                        (j % 50 == 3 ? narrow->values[j / 50 * row + k] : 0));
}

static void unused_columns_have_no_weight(void **state) {
    static const char *const models[] = {NULL, "wide-deep:hidden=3"};
    for (size_t i = 0; i < COUNT(models); ++i) {
        sparcl_train_desc desc = rate_run(SPARCL_LOSS_SOFTMAX, SPARCL_RULE_ADAGRAD);
        sparcl_data *const data = make_data(desc.loss, 7), *const wide_data = spread(data);
        sparcl_auto_result r;
        if (models[i]) desc.architecture = must_parse(models[i]);
        sparcl_model *const a = search(*state, data, &desc, &r);
        sparcl_model *const b = search(*state, wide_data, &desc, &r);
        const char *const *names = sparcl_model_architecture(a)->parameters;
        assert_int_equal(sparcl_model_get_info(b)->columns, 50 * COLUMNS);
        for (; *names; ++names)
            check_tensor(sparcl_model_tensor(a, *names), sparcl_model_tensor(b, *names));
        sparcl_model_free(a);
        sparcl_model_free(b);
        sparcl_architecture_free(desc.architecture);
        sparcl_data_free(wide_data);
        sparcl_data_free(data);
    }
}

/* What a row is follows from the first columns, with noise; of the last 1000 each row has ten. */
static sparcl_data *rare_words(uint64_t seed) {
    enum { ROWS_OF_WORDS = 400 };
    char *const text = must_have(calloc(ROWS_OF_WORDS, 200)), *at = text;
    for (int i = 0; i < ROWS_OF_WORDS; ++i) {
        const bool first = spec_uniform(&seed) > 0, is_right = spec_uniform(&seed) > -0.6;
        at += sprintf(at, "%d %d:1", first == is_right, first ? 1 : 2);
        for (int k = 0; k < 10; ++k)
            at += sprintf(at, " %d:1", 3 + 100 * k + (int)(50 * (1 + spec_uniform(&seed))));
        *at++ = '\n';
    }
    sparcl_data *const data = read_text(text, NULL);
    free(text);
    return data;
}

/* Where each of them moves as far as the first ones, the loss is 0.577; with this, 0.522. */
static void rare_columns_move_less(void **state) {
    sparcl_data *const data = rare_words(3), *const others = rare_words(4);
    const sparcl_train_desc desc = rate_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAGRAD);
    sparcl_auto_result r;
    sparcl_model *const model = search(*state, data, &desc, &r);
    assert_true(must_eval(*state, model, others).loss < 0.55);
    sparcl_model_free(model);
    sparcl_data_free(data);
    sparcl_data_free(others);
}

/* Rows of one length: a word of ten that are of one of 20 classes, and eight of 40 that say
 * nothing, with small values. */
static sparcl_data *words_of_classes(uint64_t seed) {
    enum { ROWS_OF_WORDS = 600, CLASSES = 20, COMMON = 8 };
    char *const text = must_have(calloc(ROWS_OF_WORDS, 300)), *at = text;
    for (int i = 0; i < ROWS_OF_WORDS; ++i) {
        const bool is_right = spec_uniform(&seed) > -0.8;
        const int other = (int)(CLASSES / 2 * (1 + spec_uniform(&seed)));
        double values[COMMON], square = 0.25;
        for (int k = 0; k < COMMON; ++k) {
            values[k] = 0.1 + 0.05 * spec_uniform(&seed);
            square += values[k] * values[k];
        }
        at += sprintf(at, "%d", i % CLASSES);
        for (int k = 0; k < COMMON; ++k)
            at += sprintf(at, " %d:%.6f", 1 + 5 * k + (int)(2.5 * (1 + spec_uniform(&seed))),
                          values[k] / sqrt(square));
        at += sprintf(at, " %d:%.6f\n",
                      41 + 10 * (is_right ? i % CLASSES : other) +
                          (int)(5 * (1 + spec_uniform(&seed))),
                      0.5 / sqrt(square));
    }
    sparcl_data *const data = read_text(text, NULL);
    free(text);
    return data;
}

/* Where columns are made alike, the loss is 1.24; with this, 0.85. */
static void words_keep_the_relation_of_their_values(void **state) {
    sparcl_data *const data = words_of_classes(3), *const others = words_of_classes(4);
    const sparcl_train_desc desc = rate_run(SPARCL_LOSS_SOFTMAX, SPARCL_RULE_ADAGRAD);
    sparcl_auto_result r;
    sparcl_model *const model = search(*state, data, &desc, &r);
    assert_true(must_eval(*state, model, others).loss < 1);
    sparcl_model_free(model);
    sparcl_data_free(data);
    sparcl_data_free(others);
}

static void hinge_loss_has_no_other_search(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 7);
    sparcl_train_desc desc = rate_run(SPARCL_LOSS_HINGE, SPARCL_RULE_ADAGRAD);
    sparcl_auto_result chosen, usual;
    sparcl_model *const a = search(*state, data, &desc, &chosen);
    sparcl_train_init(&desc, SPARCL_RULE_SGD);
    desc.loss = SPARCL_LOSS_HINGE;
    desc.seed = 5;
    desc.batch = 64;
    sparcl_model *const b = search(*state, data, &desc, &usual);
    assert_true(same_values(a, b));
    assert_true(must_eval(*state, a, data).loss < 0.6);
    sparcl_model_free(a);
    sparcl_model_free(b);
    sparcl_data_free(data);
}

/* 30 classes of `each` rows with words of their own: whoever knows the rows has no error. */
static sparcl_data *small_classes(int each) {
    char *const text = must_have(calloc(30 * (size_t)each, 24)), *at = text;
    for (int i = 0; i < 30 * each; ++i)
        at += sprintf(at, "%d %d:1\n", i / each, i + 1);
    sparcl_data *const data = read_text(text, NULL);
    free(text);
    return data;
}

static void rows_are_held_out_where_each_class_stays(void **state) {
    for (int each = 1; each <= 3; each += 2) {
        sparcl_data *const data = small_classes(each);
        const sparcl_train_desc desc = rate_run(SPARCL_LOSS_SOFTMAX, SPARCL_RULE_ADAM);
        sparcl_auto_result r;
        sparcl_model *model = NULL;
        sparcl_error error = {0};
        assert_done(error, sparcl_train_auto(*state, &model, data, &desc, SPARCL_SELECT_LOSS, NULL,
                                             NULL, &r, &error));
        const sparcl_tried *const best = &r.tried[r.best];
        assert_true(each == 3 ? r.folds >= 1 : r.folds == 0);
        assert_int_equal(best->fold, r.folds - 1);
        assert_true(best->accuracy == (each == 3 ? 0 : 1));
        assert_int_equal(sparcl_model_note(model, "held_out_loss") != NULL, each == 3);
        sparcl_model_free(model);
        sparcl_data_free(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_rate_trains_all_rows),
        cmocka_unit_test(other_models_are_searched_for),
        cmocka_unit_test(columns_of_any_scale_are_learned),
        cmocka_unit_test(unused_columns_have_no_weight),
        cmocka_unit_test(words_keep_the_relation_of_their_values),
        cmocka_unit_test(rare_columns_move_less),
        cmocka_unit_test(hinge_loss_has_no_other_search),
        cmocka_unit_test(rows_are_held_out_where_each_class_stays),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
