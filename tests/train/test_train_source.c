/* test_train_source.c: training from a callback: the bits of a data set, and batches and sources
 * that are refused. */
#include "source_test.h"

static int keep_loss(void *user, const sparcl_train_progress *now) {
    *(double *)user = now->loss;
    return 0;
}

static void a_callback_gives_the_bits_of_the_data_set(void **state) {
    for (size_t o = 0; o < COUNT(optimizers); ++o) {
        sparcl_data *data = make_data(LOSS_FOR(o), 4);
        const sparcl_train_desc desc = small_run(LOSS_FOR(o), optimizers[o]);
        handing h = {.data = data,
                     .seed = desc.seed,
                     .batch = 16,
                     .index_type = o % 2 ? SPARCL_INDEX64 : SPARCL_INDEX32};
        const sparcl_batch_source source = source_of(&h, LOSS_FOR(o));
        sparcl_model *from_data = must_train(*state, data, NULL, &desc, NULL), *model = NULL;
        sparcl_train_desc given = desc;
        sparcl_train_result result;
        sparcl_error error;
        double last_loss = 0;
        given.columns = 7; /* not looked at */
        given.progress = keep_loss;
        given.progress_user = &last_loss;
        assert_done(error, sparcl_train_source(*state, &model, &source, &given, &result, &error));
        assert_true(same_weights(model, from_data));
        assert_true(result.loss == last_loss);
        assert_int_equal(h.calls, 3 * 7);
        assert_int_equal(result.steps, 3 * 7);
        assert_int_equal(result.on_host, 1);
        const sparcl_model_info *info = sparcl_model_get_info(model);
        assert_int_equal(info->fingerprint, 0);
        assert_int_equal(info->index_base, 1);
        assert_int_equal(info->classes, source.classes);
        assert_int_equal(info->batch, 16);
        assert_int_equal(info->seed, 12);
        sparcl_model_free(model);
        sparcl_model_free(from_data);
        sparcl_data_free(data);
    }
}

/* A callback that returns the batch that it was given. */
static sparcl_status give(void *user, int64_t epoch, int64_t step, sparcl_batch *batch) {
    (void)epoch, (void)step;
    *batch = *(const sparcl_batch *)user;
    return SPARCL_OK;
}

static void a_batch_of_all_rows_has_them_as_stored(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    const double *const labels = sparcl_data_labels(data);
    sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    desc.batch = ROWS;
    sparcl_model *from_data = must_train(*state, data, NULL, &desc, NULL), *model = NULL;
    sparcl_batch batch = {.rows = ROWS,
                          .index_type = sparcl_data_index_type(data),
                          .offsets = sparcl_data_offsets(data),
                          .indices = sparcl_data_indices(data),
                          .values = sparcl_data_values(data),
                          .labels = labels};
    handing h = {.data = data, .seed = desc.seed, .batch = ROWS};
    sparcl_batch_source source = source_of(&h, SPARCL_LOSS_LOGISTIC);
    sparcl_error error;
    assert_done(error, sparcl_train_source(*state, &model, &source, &desc, NULL, &error));
    assert_false(same_weights(model, from_data)); /* in the order of sparcl_train_order */
    sparcl_model_free(model);
    source.next = give;
    source.user = &batch;
    assert_done(error, sparcl_train_source(*state, &model, &source, &desc, NULL, &error));
    assert_true(same_weights(model, from_data));
    sparcl_model_free(model);
    sparcl_model_free(from_data);
    sparcl_data_free(data);
}

static sparcl_status hand_out_in_turn(void *user, int64_t epoch, int64_t step,
                                      sparcl_batch *batch) {
    handing *h = user;
    h->index_type = step % 2 ? SPARCL_INDEX64 : SPARCL_INDEX32;
    return hand_out(user, epoch, step, batch);
}

static void index_types_may_change_from_batch_to_batch(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    const sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_MOMENTUM);
    handing h = {.data = data, .seed = desc.seed, .batch = 16};
    sparcl_batch_source source = source_of(&h, SPARCL_LOSS_LOGISTIC);
    sparcl_model *from_data = must_train(*state, data, NULL, &desc, NULL), *model = NULL;
    sparcl_error error;
    source.next = hand_out_in_turn;
    assert_done(error, sparcl_train_source(*state, &model, &source, &desc, NULL, &error));
    assert_true(same_weights(model, from_data));
    sparcl_model_free(model);
    sparcl_model_free(from_data);
    sparcl_data_free(data);
}

static sparcl_status give_up(void *user, int64_t epoch, int64_t step, sparcl_batch *batch) {
    (void)user, (void)batch;
    return epoch == 0 && step == 1 ? SPARCL_E_IO : give(user, epoch, step, batch);
}

static void a_batch_that_breaks_its_contract_is_refused(void **state) {
    static const int64_t offsets[] = {0, 2, 3}, late[] = {1, 2, 3}, falling[] = {0, 3, 2};
    static const int32_t indices[] = {0, 4, 2}, equal[] = {4, 4, 2}, falling_indices[] = {4, 0, 2};
    static const int32_t outside[] = {0, 5, 2}, negative[] = {-1, 4, 2};
    static const float values[] = {1, 2, 3};
    static const double labels[] = {0, 1}, unknown[] = {0, 2}, classes[] = {0, 1};
    const sparcl_batch good = {2, SPARCL_INDEX32, offsets, indices, values, labels, NULL};
    sparcl_train_desc desc = default_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    desc.epochs = 2;
    sparcl_batch_source source = {
        .next = give, .user = NULL, .columns = 5, .steps = 2, .labels = classes, .classes = 2};
    sparcl_model *model = NULL;
    sparcl_error error;
#define REFUSED(violation, part)                                                                   \
    do {                                                                                           \
        sparcl_batch x = good;                                                                     \
        violation;                                                                                 \
        source.user = &x;                                                                          \
        model = (sparcl_model *)&source; /* must become NULL */                                    \
        assert_failed(error, sparcl_train_source(*state, &model, &source, &desc, NULL, &error),    \
                      SPARCL_E_FORMAT, part);                                                      \
        assert_null(model);                                                                        \
    } while (0)
    REFUSED(x.rows = 0, "rows is 0, expected at least 1");
    REFUSED(x.rows = -1, "rows is -1, expected at least 1");
    REFUSED(x.offsets = NULL, "with offsets and labels");
    REFUSED(x.labels = NULL, "with offsets and labels");
    REFUSED(x.offsets = late, "offsets of row 0 are 1 to 2");
    REFUSED(x.offsets = falling, "offsets of row 1 are 3 to 2");
    REFUSED(x.indices = equal, "index 4 in row 0: indices must ascend");
    REFUSED(x.indices = falling_indices, "index 0 in row 0: indices must ascend");
    REFUSED(x.indices = outside, "index 5 in row 0: indices must ascend and be below 5");
    REFUSED(x.indices = negative, "index -1 in row 0");
    REFUSED(x.index_type = (sparcl_itype)9, "index type is 9");
    REFUSED(x.indices = NULL, "without indices or values");
    REFUSED(x.values = NULL, "without indices or values");
    REFUSED(x.labels = unknown, "row 1: label 2 is not a class");
#undef REFUSED
    sparcl_batch batch = good;
    source.user = &batch;
    source.next = give_up;
    assert_failed(error, sparcl_train_source(*state, &model, &source, &desc, NULL, &error),
                  SPARCL_E_IO, "ended the run in pass 0, step 1");
    source.next = give;
    assert_done(error, sparcl_train_source(*state, &model, &source, &desc, NULL, &error));
    sparcl_model_free(model);
}

static void a_batch_without_entries_trains_the_bias(void **state) {
    static const int64_t offsets[] = {0, 0, 0, 0};
    static const double labels[] = {0, 1, 1}, classes[] = {0, 1};
    sparcl_batch batch = {.rows = 3, .offsets = offsets, .labels = labels};
    const sparcl_batch_source source = {
        .next = give, .user = &batch, .columns = 5, .steps = 2, .labels = classes, .classes = 2};
    sparcl_error error;
    for (size_t o = 0; o < COUNT(optimizers); ++o) {
        sparcl_train_desc desc = default_run(SPARCL_LOSS_LOGISTIC, optimizers[o]);
        desc.epochs = 3;
        desc.l2 = 0.1;
        sparcl_model *model = NULL;
        assert_done(error, sparcl_train_source(*state, &model, &source, &desc, NULL, &error));
        assert_true(sparcl_model_bias(model)[0] > 0);
        assert_true(sparcl_model_weights(model)[0] == 0);
        sparcl_model_free(model);
    }
}

static void a_run_without_passes_requests_no_batch_and_has_no_loss(void **state) {
    static const double classes[] = {0, 1};
    sparcl_batch batch = {0}; /* would be refused */
    const sparcl_batch_source source = {
        .next = give, .user = &batch, .columns = 5, .steps = 2, .labels = classes, .classes = 2};
    sparcl_train_result result;
    sparcl_error error;
    for (size_t o = 0; o < COUNT(optimizers); ++o) {
        const sparcl_train_desc desc = {.optim = OPTIM(.rule = optimizers[o])};
        sparcl_model *model = NULL;
        assert_done(error, sparcl_train_source(*state, &model, &source, &desc, &result, &error));
        assert_int_equal(result.steps, 0);
        assert_true(isnan(result.loss) && isnan(result.objective));
        assert_true(isnan(result.seconds_per_pass));
        for (int c = 0; c < 5; ++c)
            assert_true(sparcl_model_weights(model)[c] == 0);
        sparcl_model_free(model);
    }
}

static void an_inconsistent_source_is_refused(void **state) {
    static const double classes[] = {0, 1, 2}, falling[] = {1, 0}, endless[] = {0, INFINITY};
    sparcl_batch batch = {0};
    const sparcl_batch_source good = {
        .next = give, .user = &batch, .columns = 5, .steps = 2, .labels = classes, .classes = 2};
    sparcl_train_desc desc = default_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    sparcl_error error;
    sparcl_model *model;
#define REFUSED(violation, part)                                                                   \
    do {                                                                                           \
        sparcl_batch_source x = good;                                                              \
        violation;                                                                                 \
        model = (sparcl_model *)&error; /* must become NULL */                                     \
        assert_failed(error, sparcl_train_source(*state, &model, &x, &desc, NULL, &error),         \
                      SPARCL_E_ARG, part);                                                         \
        assert_null(model);                                                                        \
    } while (0)
    REFUSED(x.next = NULL, "callback is NULL");
    REFUSED(x.columns = -1, "-1 columns");
    REFUSED(x.steps = 0, "0 steps");
    REFUSED(x.size = 1, "size of the source is 1");
    REFUSED(x.index_base = 2, "index base is 2");
    REFUSED(x.classes = 3, "has 3 classes, logistic loss needs 2");
    REFUSED(x.classes = 1, "has 1 classes");
    REFUSED(x.labels = NULL, "has 2 classes");
    REFUSED(x.labels = falling, "label 1 of the source");
    REFUSED(x.labels = endless, "label 1 of the source");
    REFUSED(desc.epochs = INT64_MAX, "more than 2^63 - 1 steps");
    model = (sparcl_model *)&error;
    assert_failed(error, sparcl_train_source(*state, &model, NULL, &desc, NULL, &error),
                  SPARCL_E_ARG, "NULL");
    assert_null(model);
    model = (sparcl_model *)&error;
    assert_failed(error, sparcl_train_source(NULL, &model, &good, &desc, NULL, &error),
                  SPARCL_E_ARG, "NULL");
    assert_null(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_callback_gives_the_bits_of_the_data_set),
        cmocka_unit_test(a_batch_of_all_rows_has_them_as_stored),
        cmocka_unit_test(index_types_may_change_from_batch_to_batch),
        cmocka_unit_test(a_batch_that_breaks_its_contract_is_refused),
        cmocka_unit_test(a_batch_without_entries_trains_the_bias),
        cmocka_unit_test(a_run_without_passes_requests_no_batch_and_has_no_loss),
        cmocka_unit_test(an_inconsistent_source_is_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
