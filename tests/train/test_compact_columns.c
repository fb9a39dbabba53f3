/* test_compact_columns.c: L-BFGS with columns of which most have no entries, as hashed words have.
 */
#include "sparcl/apply.h"
#include "train_test.h"

enum { WIDE = 1000 };

static sparcl_train_desc lbfgs_run(sparcl_loss loss) {
    return (sparcl_train_desc){.loss = loss,
                               .optim = OPTIM(.lr = 0.1),
                               .solver = SPARCL_SOLVER_LBFGS,
                               .l2 = 0.05,
                               .epochs = 1000,
                               .tolerance = 1e-6};
}

static int64_t wide_column(int64_t column, int64_t first) {
    return 37 * column + first;
}

/* The same rows with column j at wide_column(j, first). */
static sparcl_data *spread(const sparcl_data *data, int64_t first) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    int64_t *const indices = must_have(malloc((size_t)info->entries * sizeof *indices));
    for (int64_t k = 0; k < info->entries; ++k)
        indices[k] = wide_column(index_of(data, k), first);
    const sparcl_data_arrays arrays = {.rows = info->rows,
                                       .columns = WIDE,
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

/* The weights of `wide` in these columns. */
static void must_equal_spread(const sparcl_model *narrow, const sparcl_model *wide, int64_t first) {
    const int64_t outputs = sparcl_model_get_info(narrow)->outputs;
    const float *const a = sparcl_model_weights(narrow), *const b = sparcl_model_weights(wide);
    for (int64_t j = 0; j < COLUMNS; ++j)
        assert_memory_equal(a + j * outputs, b + wide_column(j, first) * outputs,
                            (size_t)outputs * sizeof *a);
}

static int64_t count_weights(const sparcl_model *model) {
    const sparcl_model_info *const info = sparcl_model_get_info(model);
    int64_t count = 0;
    for (int64_t i = 0; i < info->columns * info->outputs; ++i)
        count += sparcl_model_weights(model)[i] != 0;
    return count;
}

static void unused_columns_change_no_bit(void **state) {
    for (size_t l = 0; l < COUNT(losses) * 2; ++l) {
        sparcl_data *const data = make_data(losses[l / 2], 7), *const wide = spread(data, 5);
        sparcl_train_desc desc = lbfgs_run(losses[l / 2]);
        sparcl_train_result here, there;
        desc.l1 = l % 2 ? 0.01 : 0;
        sparcl_model *const a = must_train(*state, data, NULL, &desc, &here);
        sparcl_model *const b = must_train(*state, wide, NULL, &desc, &there);
        assert_int_equal(sparcl_model_get_info(b)->columns, WIDE);
        must_equal_spread(a, b, 5);
        assert_int_equal(count_weights(a), count_weights(b));
        assert_true(here.loss == there.loss && here.objective == there.objective);
        sparcl_model_free(a);
        sparcl_model_free(b);
        sparcl_data_free(data);
        sparcl_data_free(wide);
    }
}

static int keep_valid_loss(void *user, const sparcl_train_progress *now) {
    *(double *)user = now->valid_loss;
    return 0;
}

/* Which may have entries in other columns, whose weights are 0. */
static void validation_data_have_all_columns(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 7);
    sparcl_data *const wide = spread(data, 5);
    for (int64_t first = 5; first < 7; ++first) {
        sparcl_data *const valid = spread(data, first);
        sparcl_train_desc desc = lbfgs_run(SPARCL_LOSS_LOGISTIC);
        sparcl_metrics metrics;
        sparcl_error error = {0};
        double loss = 0;
        desc.progress = keep_valid_loss;
        desc.progress_user = &loss;
        sparcl_model *const a = must_train(*state, wide, NULL, &desc, NULL);
        sparcl_model *const b = must_train(*state, wide, valid, &desc, NULL);
        assert_memory_equal(sparcl_model_weights(a), sparcl_model_weights(b), WIDE * sizeof(float));
        assert_done(error, sparcl_eval(*state, b, valid, &metrics, &error));
        assert_true(fabs(metrics.loss - loss) < 1e-6);
        sparcl_model_free(a);
        sparcl_model_free(b);
        sparcl_data_free(valid);
    }
    sparcl_data_free(data);
    sparcl_data_free(wide);
}

/* A penalty takes weights of columns without entries to 0; without one they stay. */
static void weights_to_begin_with_are_kept_without_a_penalty(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 7);
    sparcl_data *const one = spread(data, 5), *const other = spread(data, 6);
    sparcl_train_desc desc = lbfgs_run(SPARCL_LOSS_LOGISTIC);
    sparcl_model *const narrow = must_train(*state, data, NULL, &desc, NULL);
    sparcl_model *const first = must_train(*state, one, NULL, &desc, NULL);
    desc.start = first;
    sparcl_model *const second = must_train(*state, other, NULL, &desc, NULL);
    assert_int_equal(count_weights(second), count_weights(first));
    desc.l2 = 0;
    desc.epochs = 3;
    sparcl_model *const third = must_train(*state, other, NULL, &desc, NULL);
    must_equal_spread(narrow, third, 5);
    assert_int_equal(count_weights(third), 2 * count_weights(first));
    sparcl_model *const models[] = {narrow, first, second, third};
    for (size_t i = 0; i < COUNT(models); ++i)
        sparcl_model_free(models[i]);
    sparcl_data_free(data);
    sparcl_data_free(one);
    sparcl_data_free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unused_columns_change_no_bit),
        cmocka_unit_test(validation_data_have_all_columns),
        cmocka_unit_test(weights_to_begin_with_are_kept_without_a_penalty),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
