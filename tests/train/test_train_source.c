/* test_train_source.c: training from a callback: the bits of a data set, and batches and sources
 * that are refused. */
#include "train_test.h"

/* Hands out the batches of a data set as sparcl_train takes them. */
typedef struct handing {
    const sparcl_data *data;
    uint64_t seed;
    int64_t batch, calls;
    sparcl_itype index_type;
    int64_t order[ROWS], offsets[ROWS + 1];
    int64_t wide[ROWS * COLUMNS];
    int32_t narrow[ROWS * COLUMNS];
    float values[ROWS * COLUMNS];
    double labels[ROWS];
} handing;

static sparcl_status hand_out(void *user, int64_t epoch, int64_t step, sparcl_batch *batch) {
    handing *h = user;
    const int64_t rows = sparcl_data_get_info(h->data)->rows, first = step * h->batch;
    const int64_t count = first + h->batch < rows ? h->batch : rows - first;
    const int64_t *offsets = sparcl_data_offsets(h->data);
    ++h->calls;
    if (step == 0) sparcl_train_order(h->seed, epoch, rows, h->order);
    int64_t at = 0;
    for (int64_t i = 0; i < count; ++i) {
        const int64_t row = h->order[first + i];
        h->labels[i] = sparcl_data_labels(h->data)[row];
        for (int64_t k = offsets[row]; k < offsets[row + 1]; ++k, ++at) {
            h->wide[at] = index_of(h->data, k);
            h->narrow[at] = (int32_t)h->wide[at];
            h->values[at] = sparcl_data_values(h->data)[k];
        }
        h->offsets[i + 1] = at;
    }
    *batch = (sparcl_batch){.rows = count,
                            .index_type = h->index_type,
                            .offsets = h->offsets,
                            .indices = h->index_type ? (void *)h->wide : (void *)h->narrow,
                            .values = h->values,
                            .labels = h->labels};
    return SPARCL_OK;
}

static sparcl_batch_source source_of(handing *h, sparcl_loss loss) {
    static const double two[] = {-1, 1}, three[] = {-5, 2, 40};
    return (sparcl_batch_source){.next = hand_out,
                                 .user = h,
                                 .columns = COLUMNS,
                                 .steps = (ROWS + h->batch - 1) / h->batch,
                                 .index_base = 1,
                                 .labels = loss == SPARCL_LOSS_LOGISTIC  ? two
                                           : loss == SPARCL_LOSS_SOFTMAX ? three
                                                                         : NULL,
                                 .classes = loss == SPARCL_LOSS_LOGISTIC  ? 2
                                            : loss == SPARCL_LOSS_SOFTMAX ? 3
                                                                          : 0};
}

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
                     .index_type = o % 2 ? SPARCL_I64 : SPARCL_I32};
        const sparcl_batch_source source = source_of(&h, LOSS_FOR(o));
        sparcl_model *from_data = must_train(*state, data, NULL, &desc, NULL), *model = NULL;
        sparcl_train_desc told = desc;
        sparcl_train_result result;
        sparcl_error error;
        double last_loss = 0;
        told.columns = 7; /* not looked at */
        told.progress = keep_loss;
        told.progress_user = &last_loss;
        assert_done(error, sparcl_train_source(*state, &model, &source, &told, &result, &error));
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

/* A callback that gives the batch it was told. */
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
    h->index_type = step % 2 ? SPARCL_I64 : SPARCL_I32;
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
    const sparcl_batch good = {2, SPARCL_I32, offsets, indices, values, labels};
    sparcl_batch b[14];
    for (size_t i = 0; i < COUNT(b); ++i)
        b[i] = good;
    static const char *const parts[14] = {"0 rows",
                                          "-1 rows",
                                          "with offsets and labels",
                                          "with offsets and labels",
                                          "offsets of row 0 are 1 to 2",
                                          "offsets of row 1 are 3 to 2",
                                          "index 4 in row 0; indices must ascend",
                                          "index 0 in row 0; indices must ascend",
                                          "index 5 in row 0; indices must ascend and be below 5",
                                          "index -1 in row 0",
                                          "index type 9",
                                          "without indices or values",
                                          "without indices or values",
                                          "row 1: label 2 is not a class"};
    b[0].rows = 0;
    b[1].rows = -1;
    b[2].offsets = NULL;
    b[3].labels = NULL;
    b[4].offsets = late;
    b[5].offsets = falling;
    b[6].indices = equal;
    b[7].indices = falling_indices;
    b[8].indices = outside;
    b[9].indices = negative;
    b[10].index_type = (sparcl_itype)9;
    b[11].indices = NULL;
    b[12].values = NULL;
    b[13].labels = unknown;
    sparcl_train_desc desc = default_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    desc.epochs = 2;
    sparcl_batch_source source = {give, NULL, 5, 2, 0, classes, 2, {0, 0}};
    sparcl_model *model = NULL;
    sparcl_error error;
    for (size_t i = 0; i < COUNT(b); ++i) {
        source.user = &b[i];
        model = (sparcl_model *)&source;
        assert_failed(error, sparcl_train_source(*state, &model, &source, &desc, NULL, &error),
                      SPARCL_E_FORMAT, parts[i]);
        assert_null(model);
    }
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
    const sparcl_batch_source source = {give, &batch, 5, 2, 0, classes, 2, {0, 0}};
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

static void no_pass_asks_for_no_batch_and_has_no_loss(void **state) {
    static const double classes[] = {0, 1};
    sparcl_batch batch = {0}; /* would be refused */
    const sparcl_batch_source source = {give, &batch, 5, 2, 0, classes, 2, {0, 0}};
    sparcl_train_result result;
    sparcl_error error;
    for (size_t o = 0; o < COUNT(optimizers); ++o) {
        const sparcl_train_desc desc = {.optimizer = optimizers[o]};
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

static void a_source_that_contradicts_itself_is_refused(void **state) {
    static const double classes[] = {0, 1, 2}, falling[] = {1, 0}, endless[] = {0, INFINITY};
    sparcl_batch batch = {0};
    const sparcl_batch_source good = {give, &batch, 5, 2, 0, classes, 2, {0, 0}};
    sparcl_batch_source s[11];
    for (size_t i = 0; i < COUNT(s); ++i)
        s[i] = good;
    static const char *const parts[11] = {"callback is NULL",
                                          "-1 columns",
                                          "0 steps",
                                          "reserved",
                                          "index base is 2",
                                          "names 3 classes, logistic loss needs 2",
                                          "names 1 classes",
                                          "names 2 classes",
                                          "label 1 of the source",
                                          "label 1 of the source",
                                          "more than can be counted"};
    s[0].next = NULL;
    s[1].columns = -1;
    s[2].steps = 0;
    s[3].reserved[0] = 1;
    s[4].index_base = 2;
    s[5].classes = 3;
    s[6].classes = 1;
    s[7].labels = NULL;
    s[8].labels = falling;
    s[9].labels = endless;
    sparcl_train_desc desc = default_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    sparcl_error error;
    for (size_t i = 0; i < COUNT(s); ++i) {
        sparcl_model *model = (sparcl_model *)&error;
        if (i == 10) desc.epochs = INT64_MAX;
        assert_failed(error, sparcl_train_source(*state, &model, &s[i], &desc, NULL, &error),
                      SPARCL_E_ARG, parts[i]);
        assert_null(model);
    }
    sparcl_model *model = (sparcl_model *)&error;
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
        cmocka_unit_test(no_pass_asks_for_no_batch_and_has_no_loss),
        cmocka_unit_test(a_source_that_contradicts_itself_is_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
