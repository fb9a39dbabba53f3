/* test_train.c: what the header says of training: against plain C, bit for bit against itself, and
 * what it refuses. */
#include "train_test.h"

static const sparcl_loss losses[] = {SPARCL_LOSS_LOGISTIC, SPARCL_LOSS_SOFTMAX,
                                     SPARCL_LOSS_SQUARED};
/* Where the loss and the optimizer do not meet, each is tried once: optimizer o with loss o % 3. */
#define LOSS_FOR(o) losses[(o) % COUNT(losses)]
static const sparcl_optimizer optimizers[] = {SPARCL_OPTIMIZER_SGD, SPARCL_OPTIMIZER_MOMENTUM,
                                              SPARCL_OPTIMIZER_ADAGRAD, SPARCL_OPTIMIZER_ADAM};

/* --- against plain C ------------------------------------------------------------------------- */

static void assert_near(const sparcl_model *model, const plain *p) {
    const sparcl_model_info *info = sparcl_model_get_info(model);
    assert_int_equal(info->outputs, p->outputs);
    for (int c = 0; c < COLUMNS; ++c)
        for (int o = 0; o < p->outputs; ++o) {
            const double got = sparcl_model_weights(model)[c * p->outputs + o];
            if (!(fabs(got - p->w[c][o]) < 1e-4))
                fail_msg("%s, %s, l2 %g: weight [%d, %d] is %g, wanted %g",
                         sparcl_loss_name(info->loss), sparcl_optimizer_name(info->optimizer),
                         info->l2, c, o, got, p->w[c][o]);
        }
    for (int o = 0; info->has_bias && o < p->outputs; ++o)
        assert_true(fabs(sparcl_model_bias(model)[o] - p->bias[o]) < 1e-4);
}

static void a_model_is_that_of_training_in_plain_c(void **state) {
    for (size_t l = 0; l < COUNT(losses); ++l) {
        sparcl_data *data = make_data(losses[l], 3);
        for (size_t o = 0; o < COUNT(optimizers); ++o)
            for (int way = 0; way < (test_is_small() ? 2 : 4); ++way) {
                sparcl_train_desc desc = small_run(losses[l], optimizers[o]);
                sparcl_train_result result;
                desc.no_bias = way & 1;
                if (way & 2) desc.l2 = 0;
                desc.epochs = way == 0 ? 2 : 1;
                plain p = plain_open(data, &desc);
                sparcl_model *model = must_train(*state, data, NULL, &desc, &result);
                plain_train(&p);
                assert_near(model, &p);
                assert_true(fabs(result.loss - plain_mean_loss(&p)) < 1e-4);
                assert_true(fabs(result.objective - plain_objective(&p)) < 1e-4);
                sparcl_model_free(model);
            }
        sparcl_data_free(data);
    }
}

static void a_full_batch_is_that_of_training_in_plain_c(void **state) {
    static const int64_t batches[] = {-1, ROWS, ROWS + 1, 0};
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 3);
    sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_OPTIMIZER_MOMENTUM);
    sparcl_model *first = NULL;
    desc.epochs = 20;
    for (size_t i = 0; i < COUNT(batches); ++i) {
        sparcl_train_result result;
        desc.batch = batches[i];
        sparcl_model *model = must_train(*state, data, NULL, &desc, &result);
        desc.batch = -1;
        plain p = plain_open(data, &desc);
        plain_train(&p);
        assert_near(model, &p);
        assert_int_equal(result.steps, 20);
        assert_int_equal(sparcl_model_get_info(model)->batch, i == 0   ? 0
                                                              : i == 3 ? 1024
                                                                       : batches[i]);
        if (first) assert_true(same_weights(model, first));
        if (first)
            sparcl_model_free(model);
        else
            first = model;
    }
    sparcl_model_free(first);
    sparcl_data_free(data);
}

/* Of two runs, one a step longer than the other, the difference is lr times the gradient; that must
 * be the slope of the objective. */
static void the_gradient_is_the_slope_of_the_objective(void **state) {
    for (size_t l = 0; l < COUNT(losses); ++l) {
        sparcl_data *data = make_data(losses[l], 5);
        sparcl_train_desc desc = small_run(losses[l], SPARCL_OPTIMIZER_SGD);
        desc.batch = -1;
        desc.lr = 0.5;
        sparcl_model *before = must_train(*state, data, NULL, &desc, NULL);
        ++desc.epochs;
        sparcl_model *after = must_train(*state, data, NULL, &desc, NULL);
        plain p = plain_open(data, &desc);
        plain_take(&p, before);
        for (int i = 0; i < (COLUMNS + 1) * p.outputs; ++i) {
            const int c = i / p.outputs, o = i % p.outputs;
            double *const x = c < COLUMNS ? &p.w[c][o] : &p.bias[o], was = *x, h = 1e-5;
            const double new_x =
                c < COLUMNS ? sparcl_model_weights(after)[i] : sparcl_model_bias(after)[o];
            *x = was + h;
            const double up = plain_objective(&p);
            *x = was - h;
            const double slope = (up - plain_objective(&p)) / (2 * h);
            *x = was;
            assert_true(fabs((was - new_x) / desc.lr - slope) < 2e-6);
        }
        sparcl_model_free(before);
        sparcl_model_free(after);
        sparcl_data_free(data);
    }
}

/* --- the same bits --------------------------------------------------------------------------- */

static void equal_runs_give_equal_bits_and_other_seeds_others(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_SOFTMAX, 4);
    for (size_t o = 0; o < COUNT(optimizers); ++o) {
        sparcl_train_desc desc = small_run(SPARCL_LOSS_SOFTMAX, optimizers[o]);
        desc.epochs = 1;
        sparcl_model *first = must_train(*state, data, NULL, &desc, NULL);
        for (int run = 0; run < 2; ++run) {
            sparcl_model *again = must_train(*state, data, NULL, &desc, NULL);
            assert_true(same_weights(first, again));
            sparcl_model_free(again);
        }
        ++desc.seed;
        sparcl_model *other = must_train(*state, data, NULL, &desc, NULL);
        assert_false(same_weights(first, other));
        sparcl_model_free(other);
        sparcl_model_free(first);
    }
    sparcl_data_free(data);
}

static void both_classes_of_kernels_give_equal_bits(void **state) {
    sparcl_ctx *classes[] = {open_class(SPARCL_CLASS_CPU), open_class(SPARCL_CLASS_GPU)};
    for (size_t l = 0; l < COUNT(losses); ++l) {
        sparcl_data *data = make_data(losses[l], 4);
        for (size_t o = 0; o < COUNT(optimizers); ++o) {
            sparcl_train_desc desc = small_run(losses[l], optimizers[o]);
            desc.epochs = 1;
            sparcl_model *first = must_train(*state, data, NULL, &desc, NULL);
            for (size_t c = 0; c < COUNT(classes); ++c) {
                if (!classes[c]) continue;
                sparcl_model *again = must_train(classes[c], data, NULL, &desc, NULL);
                assert_true(same_weights(first, again));
                sparcl_model_free(again);
            }
            sparcl_model_free(first);
        }
        sparcl_data_free(data);
    }
    sparcl_ctx_close(classes[0]);
    sparcl_ctx_close(classes[1]);
}

static void data_that_stay_on_the_host_give_equal_bits(void **state) {
    for (size_t o = 0; o < COUNT(optimizers); ++o) {
        sparcl_data *data = make_data(LOSS_FOR(o), 4);
        sparcl_train_desc desc = small_run(LOSS_FOR(o), optimizers[o]);
        sparcl_train_result there, here;
        desc.epochs = 2;
        sparcl_model *first = must_train(*state, data, data, &desc, &there);
        desc.device_memory = 1;
        sparcl_model *again = must_train(*state, data, data, &desc, &here);
        assert_true(same_weights(first, again));
        assert_int_equal(there.on_host, 0);
        assert_int_equal(here.on_host, 1);
        assert_true(there.loss == here.loss && there.objective == here.objective);
        sparcl_model_free(again);
        sparcl_model_free(first);
        sparcl_data_free(data);
    }
}

/* What the data of make_data take: offsets, entries, targets and the order of the rows. */
static int64_t bytes_of_data(const sparcl_data *data) {
    return (ROWS + 1) * 8 + sparcl_data_get_info(data)->entries * 8 + ROWS * 12;
}

static void a_full_batch_of_data_that_do_not_fit_is_refused_before_the_first_step(void **state) {
    static const int64_t batches[] = {-1, ROWS, 0};
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    sparcl_train_desc desc = {.epochs = 1};
    sparcl_train_result result;
    sparcl_error error;
    for (size_t i = 0; i < COUNT(batches); ++i) {
        sparcl_model *model = (sparcl_model *)data;
        desc.batch = batches[i];
        desc.device_memory = bytes_of_data(data) - 1;
        assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                      SPARCL_E_MEMORY, "a batch of all 97 rows");
        assert_null(model);
        ++desc.device_memory;
        model = must_train(*state, data, NULL, &desc, &result);
        assert_int_equal(result.on_host, 0);
        sparcl_model_free(model);
    }
    sparcl_data_free(data);
}

static int keep_memory(void *user, const sparcl_train_progress *now) {
    sparcl_ctx **ctx = user;
    if (now->epoch == 1) ctx[1] = (sparcl_ctx *)(intptr_t)sparcl_ctx_memory(ctx[0]);
    return now->epoch == 1;
}

/* Device memory held at the end of the first pass. */
static int64_t memory_of_a_run(sparcl_ctx *ctx, const sparcl_data *data, int64_t device_memory) {
    sparcl_ctx *seen[2] = {ctx, NULL};
    sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_OPTIMIZER_ADAGRAD);
    sparcl_model *model = NULL;
    desc.device_memory = device_memory;
    desc.progress = keep_memory;
    desc.progress_user = seen;
    assert_int_equal(sparcl_train(ctx, &model, data, data, &desc, NULL, NULL),
                     SPARCL_E_INTERRUPTED);
    return (int64_t)(intptr_t)seen[1];
}

static void training_and_validation_data_share_the_memory_that_is_told(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    const int64_t whole = bytes_of_data(data);
    memory_of_a_run(*state, data, 0); /* scratch memory of the first stays */
    const int64_t both = memory_of_a_run(*state, data, 2 * whole);
    const int64_t one = memory_of_a_run(*state, data, 2 * whole - 1);
    assert_int_equal(memory_of_a_run(*state, data, 0), both);
    assert_int_equal(memory_of_a_run(*state, data, whole), one);
    assert_int_not_equal(one, both);
    sparcl_data_free(data);
}

static void validation_data_do_not_change_a_bit(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4),
                *valid = make_data(SPARCL_LOSS_LOGISTIC, 9);
    for (size_t o = 0; o < COUNT(optimizers); ++o) {
        sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, optimizers[o]);
        desc.epochs = 2; /* the first look is taken in the middle */
        sparcl_model *without = must_train(*state, data, NULL, &desc, NULL);
        sparcl_model *with = must_train(*state, data, valid, &desc, NULL);
        assert_true(same_weights(with, without));
        sparcl_model_free(with);
        sparcl_model_free(without);
    }
    sparcl_data_free(data);
    sparcl_data_free(valid);
}

/* --- from a callback ------------------------------------------------------------------------- */

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
    sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_OPTIMIZER_SGD);
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
    const sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_OPTIMIZER_MOMENTUM);
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
    const sparcl_train_desc desc = {.epochs = 2};
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
        const sparcl_train_desc desc = {.optimizer = optimizers[o], .epochs = 3, .l2 = 0.1};
        sparcl_model *model = NULL;
        assert_done(error, sparcl_train_source(*state, &model, &source, &desc, NULL, &error));
        assert_true(sparcl_model_bias(model)[0] > 0);
        assert_true(sparcl_model_weights(model)[0] == 0);
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
    sparcl_train_desc desc = {.epochs = 1};
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

/* --- what a run tells ------------------------------------------------------------------------ */

typedef struct watch {
    sparcl_train_progress last;
    int64_t calls, stop_at;
    bool with_valid;
} watch;

static int look(void *user, const sparcl_train_progress *now) {
    watch *w = user;
    ++w->calls;
    assert_int_equal(now->epochs, 3);
    assert_int_equal(now->steps, 21);
    assert_int_equal(now->step, w->calls);
    assert_int_equal(now->epoch, w->calls / 7);
    assert_int_equal(now->rows, w->calls / 7 * ROWS + w->calls % 7 * 16);
    assert_true(now->seconds >= w->last.seconds);
    assert_int_equal(isnan(now->loss) != 0, now->epoch == 0);
    assert_int_equal(isnan(now->valid_loss) != 0, now->epoch == 0 || !w->with_valid);
    w->last = *now;
    return w->calls == w->stop_at;
}

static void progress_is_told_after_each_step_and_a_short_last_batch_is_kept(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4),
                *valid = make_data(SPARCL_LOSS_LOGISTIC, 9);
    for (int with_valid = 0; with_valid < 2; ++with_valid) {
        watch w = {.with_valid = with_valid};
        sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_OPTIMIZER_MOMENTUM);
        sparcl_train_result result;
        desc.progress = look;
        desc.progress_user = &w;
        sparcl_model *model = must_train(*state, data, with_valid ? valid : NULL, &desc, &result);
        assert_int_equal(w.calls, 21);
        assert_int_equal(w.last.epoch, 3);
        assert_int_equal(result.steps, 21);
        assert_int_equal(result.epochs, 3);
        assert_true(result.seconds_per_pass > 0 && result.seconds_per_pass <= w.last.seconds);
        if (with_valid) { /* the last loss told is that of the model */
            plain p = plain_open(valid, &desc);
            plain_take(&p, model);
            assert_true(fabs(plain_mean_loss(&p) - w.last.valid_loss) < 1e-5);
        }
        sparcl_model_free(model);
    }
    sparcl_data_free(data);
    sparcl_data_free(valid);
}

static void an_interrupt_ends_the_run_after_the_step_in_work(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    static const int64_t steps[] = {1, 6, 7, 8, 14, 20, 21};
    for (size_t i = 0; i < COUNT(steps); ++i) {
        const int64_t at = steps[i];
        watch w = {.stop_at = at};
        sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_OPTIMIZER_ADAM);
        sparcl_model *model = (sparcl_model *)&w;
        sparcl_error error = {0};
        desc.progress = look;
        desc.progress_user = &w;
        const sparcl_status status = sparcl_train(*state, &model, data, NULL, &desc, NULL, &error);
        assert_int_equal(w.calls, at);
        if (at == 21) { /* nothing was left to stop */
            assert_int_equal(status, SPARCL_OK);
            sparcl_model_free(model);
            continue;
        }
        assert_int_equal(status, SPARCL_E_INTERRUPTED);
        assert_int_equal(error.status, SPARCL_E_INTERRUPTED);
        assert_non_null(strstr(error.message, at % 7 ? "after step" : "after pass"));
        assert_null(model);
    }
    sparcl_data_free(data);
}

static void the_defaults_are_those_of_the_header(void **state) {
    static const double lr[] = {0.1, 0.1, 0.01, 0.001};
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    for (size_t o = 0; o < COUNT(optimizers); ++o) {
        const sparcl_train_desc desc = {.optimizer = optimizers[o], .epochs = 1};
        sparcl_model *model = must_train(*state, data, NULL, &desc, NULL);
        const sparcl_model_info *info = sparcl_model_get_info(model);
        assert_true(info->lr == lr[o]);
        assert_true(info->momentum == (optimizers[o] == SPARCL_OPTIMIZER_MOMENTUM ? 0.9 : 0));
        assert_true(info->beta1 == (optimizers[o] == SPARCL_OPTIMIZER_ADAM ? 0.9 : 0));
        assert_true(info->beta2 == (optimizers[o] == SPARCL_OPTIMIZER_ADAM ? 0.999 : 0));
        assert_true(info->epsilon == (optimizers[o] == SPARCL_OPTIMIZER_ADAM      ? 1e-8
                                      : optimizers[o] == SPARCL_OPTIMIZER_ADAGRAD ? 1e-10
                                                                                  : 0));
        assert_int_equal(info->batch, 1024);
        assert_int_equal(info->has_bias, 1);
        assert_true(info->l2 == 0);
        assert_int_equal(info->seed, 0);
        sparcl_model_free(model);
    }
    sparcl_data_free(data);
}

/* Against plain C, where 0 is always 0. */
static void a_rate_that_is_told_to_be_0_is_0(void **state) {
    static const struct {
        sparcl_optimizer optimizer;
        uint32_t zeros;
    } cases[] = {
        {SPARCL_OPTIMIZER_SGD, SPARCL_ZERO_LR},
        {SPARCL_OPTIMIZER_MOMENTUM, SPARCL_ZERO_MOMENTUM},
        {SPARCL_OPTIMIZER_ADAGRAD, SPARCL_ZERO_LR | SPARCL_ZERO_MOMENTUM},
        {SPARCL_OPTIMIZER_ADAM, SPARCL_ZERO_BETA1},
        {SPARCL_OPTIMIZER_ADAM, SPARCL_ZERO_BETA1 | SPARCL_ZERO_BETA2},
        {SPARCL_OPTIMIZER_ADAM, SPARCL_ZERO_EPSILON},
    };
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    for (size_t i = 0; i < COUNT(cases); ++i) {
        sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, cases[i].optimizer);
        desc.zeros = cases[i].zeros;
        desc.epochs = 1; /* without betas a step is a sign, which rounding may turn */
        desc.l2 = 0;
        if (desc.zeros & SPARCL_ZERO_LR) desc.lr = 0;
        if (desc.zeros & SPARCL_ZERO_MOMENTUM) desc.momentum = 0;
        if (desc.zeros & SPARCL_ZERO_BETA1) desc.beta1 = 0;
        if (desc.zeros & SPARCL_ZERO_BETA2) desc.beta2 = 0;
        if (desc.zeros & SPARCL_ZERO_EPSILON) desc.epsilon = 0;
        plain p = plain_open(data, &desc);
        sparcl_model *model = must_train(*state, data, NULL, &desc, NULL);
        plain_train(&p);
        assert_near(model, &p);
        if (desc.zeros & SPARCL_ZERO_LR) assert_true(sparcl_model_get_info(model)->lr == 0);
        sparcl_model_free(model);
    }
    sparcl_data_free(data);
}

static void a_model_says_what_its_weights_came_from(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_SOFTMAX, 4);
    sparcl_train_desc desc = small_run(SPARCL_LOSS_SOFTMAX, SPARCL_OPTIMIZER_MOMENTUM);
    desc.columns = 31; /* wider than the data */
    desc.no_bias = 1;
    sparcl_model *model = must_train(*state, data, NULL, &desc, NULL);
    const sparcl_model_info *info = sparcl_model_get_info(model);
    assert_int_equal(info->loss, SPARCL_LOSS_SOFTMAX);
    assert_int_equal(info->optimizer, SPARCL_OPTIMIZER_MOMENTUM);
    assert_int_equal(info->columns, 31);
    assert_int_equal(info->outputs, 3);
    assert_int_equal(info->classes, 3);
    assert_true(info->labels[0] == -5 && info->labels[1] == 2 && info->labels[2] == 40);
    assert_int_equal(info->index_base, 1);
    assert_int_equal(info->has_bias, 0);
    assert_null(sparcl_model_bias(model));
    assert_true(info->lr == 0.1 && info->l2 == 0.05 && info->momentum == 0.8);
    assert_true(info->beta1 == 0 && info->beta2 == 0 && info->epsilon == 0);
    assert_int_equal(info->epochs, 3);
    assert_int_equal(info->batch, 16);
    assert_int_equal(info->seed, 12);
    assert_int_equal(info->fingerprint, sparcl_data_get_info(data)->fingerprint);
    for (int i = COLUMNS * 3; i < 31 * 3; ++i)
        assert_true(sparcl_model_weights(model)[i] == 0);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

/* --- refusals -------------------------------------------------------------------------------- */

static void a_run_that_diverges_is_ended(void **state) {
    static const char text[] = "1 1:1\n2 1:2\n3 1:3\n";
    sparcl_data *data = read_text(text, NULL);
    sparcl_train_desc desc = {.loss = SPARCL_LOSS_SQUARED, .lr = 1e6, .epochs = 50};
    sparcl_model *model = NULL;
    sparcl_error error;
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_DIVERGED, "try a smaller learning rate than 1e+06");
    assert_null(model);
    desc.lr = 1e30; /* finite weights after one step, whose loss is not */
    desc.epochs = 1;
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_DIVERGED, "try a smaller learning rate than 1e+30");
    assert_null(model);
    desc.lr = 1e300; /* past float32 */
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_DIVERGED, "not a finite number");
    assert_null(model);
    sparcl_data_free(data);
}

static void descriptions_that_are_wrong_are_refused(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    const sparcl_train_desc good = {.epochs = 1};
    sparcl_train_desc d[22];
    for (size_t i = 0; i < COUNT(d); ++i)
        d[i] = good;
    static const char *const parts[22] = {"epochs is 0",
                                          "epochs is -1",
                                          "batch is -2",
                                          "negative",
                                          "negative",
                                          "lr is -1",
                                          "lr is nan",
                                          "lr is inf",
                                          "l2 is -1",
                                          "momentum is 1",
                                          "beta1 is 1",
                                          "beta2 is 1",
                                          "epsilon is -1",
                                          "reserved",
                                          "no loss 3",
                                          "no loss 0 or no optimizer 4",
                                          "more than can be counted",
                                          "l2 is inf",
                                          "momentum is -0.5",
                                          "reserved",
                                          "bits 0x60 are unknown",
                                          "bits 0x1 are unknown, or their rates are not 0"};
    d[0].epochs = 0;
    d[1].epochs = -1;
    d[2].batch = -2;
    d[3].columns = -1;
    d[4].device_memory = -1;
    d[5].lr = -1;
    d[6].lr = (double)NAN;
    d[7].lr = INFINITY;
    d[8].l2 = -1;
    d[9].momentum = 1;
    d[10].beta1 = 1;
    d[11].beta2 = 1;
    d[12].epsilon = -1;
    d[13].reserved[0] = 1;
    d[14].loss = (sparcl_loss)3;
    d[15].optimizer = (sparcl_optimizer)4;
    d[16].epochs = INT64_MAX;
    d[16].batch = 16;
    d[17].l2 = INFINITY;
    d[18].momentum = -0.5;
    d[19].reserved[1] = 1;
    d[20].zeros = 0x60 | SPARCL_ZERO_LR;
    d[21].zeros = SPARCL_ZERO_LR | SPARCL_ZERO_BETA1;
    d[21].lr = 1;
    sparcl_error error;
    sparcl_model *model = NULL;
    for (size_t i = 0; i < COUNT(d); ++i) {
        model = (sparcl_model *)&error;
        assert_failed(error, sparcl_train(*state, &model, data, NULL, &d[i], NULL, &error),
                      SPARCL_E_ARG, parts[i]);
        assert_null(model);
    }
    model = (sparcl_model *)&error;
    assert_failed(error, sparcl_train(*state, &model, NULL, NULL, &good, NULL, &error),
                  SPARCL_E_ARG, "NULL");
    assert_null(model);
    assert_failed(error, sparcl_train(NULL, &model, data, NULL, &good, NULL, &error), SPARCL_E_ARG,
                  "NULL");
    assert_failed(error, sparcl_train(*state, NULL, data, NULL, &good, NULL, &error), SPARCL_E_ARG,
                  "NULL");
    assert_failed(error, sparcl_train(*state, &model, data, NULL, NULL, NULL, &error), SPARCL_E_ARG,
                  "NULL");
    assert_int_equal(sparcl_train(*state, &model, data, NULL, &d[0], NULL, NULL), SPARCL_E_ARG);
    sparcl_data_free(data);
}

static void widths_that_do_not_fit_are_refused(void **state) {
    static const char text[] = "1 1:1\n-1 24:2\n";
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4), *wide = read_text(text, NULL);
    sparcl_train_desc desc = {.epochs = 1, .columns = 22};
    sparcl_model *model = NULL;
    sparcl_error error;
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_FORMAT, ": expected at most 22 columns, as the model has, found 23");
    desc.columns = 0;
    assert_failed(error, sparcl_train(*state, &model, data, wide, &desc, NULL, &error),
                  SPARCL_E_FORMAT, ": expected at most 23 columns, as the model has, found 24");
    desc.columns = INT64_MAX;
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_MEMORY, "");
    desc.columns = 24;
    model = must_train(*state, data, wide, &desc, NULL);
    sparcl_model_free(model);
    sparcl_data_free(wide);
    sparcl_data_free(data);
}

static void data_that_do_not_fit_the_loss_are_refused(void **state) {
    static const struct {
        const char *text;
        sparcl_loss loss;
        const char *part;
        int multilabel;
    } cases[] = {
        {"1 1:nan\n-1 2:1\n", SPARCL_LOSS_LOGISTIC,
         ":1:5: expected a finite value, found nan (in all 1 NaN and 0 inf", 0},
        {"1 1:inf\n-1 2:-inf\n", SPARCL_LOSS_LOGISTIC,
         ":1:5: expected a finite value, found inf (in all 0 NaN and 2 inf", 0},
        {"1 1:1\n1 2:1\n", SPARCL_LOSS_LOGISTIC,
         ": expected labels of two classes, as logistic loss needs, found only 1 in all 2 rows", 0},
        {"1 1:1\n1 2:1\n", SPARCL_LOSS_SOFTMAX, "two classes, as softmax loss needs", 0},
        {"1 1:1\n2 2:1\n3 1:1\n", SPARCL_LOSS_LOGISTIC,
         ": expected two different labels, as logistic loss takes, found 3", 0},
        {"1e300 1:1\n2 2:1\n", SPARCL_LOSS_SQUARED,
         ":1:1: expected a label that a 32-bit float can hold, up to 3.4e38, found "
         "1.0000000000000001e+300",
         0},
        {"1,2 1:1\n2 2:1\n", SPARCL_LOSS_LOGISTIC, ": expected one label a row, found multi-label",
         1},
    };
    for (size_t i = 0; i < COUNT(cases); ++i) {
        const sparcl_data_desc how = {.multilabel = cases[i].multilabel};
        const sparcl_train_desc desc = {.loss = cases[i].loss, .epochs = 1};
        sparcl_data *data = read_text(cases[i].text, &how);
        sparcl_model *model = (sparcl_model *)data;
        sparcl_error error;
        assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                      SPARCL_E_FORMAT, cases[i].part);
        assert_null(model);
        sparcl_data_free(data);
    }
}

static void validation_data_that_do_not_fit_are_refused(void **state) {
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"1 1:1\n\n# two lines on\n7 1:2\n",
         ":4:1: expected one of the 2 labels that the model knows, -1 to 1, found 7"},
        {"1 1:nan\n-1 2:1\n", ":1:5: expected a finite value, found nan"},
        {"1 0:1\n-1 2:1\n",
         ": expected columns counted from 1, as in the training data, found them counted from 0"},
    };
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    const sparcl_train_desc desc = {.epochs = 1};
    for (size_t i = 0; i < COUNT(cases); ++i) {
        sparcl_data *valid = read_text(cases[i].text, NULL);
        sparcl_model *model = (sparcl_model *)data;
        sparcl_error error;
        assert_failed(error, sparcl_train(*state, &model, data, valid, &desc, NULL, &error),
                      SPARCL_E_FORMAT, cases[i].part);
        assert_null(model);
        sparcl_data_free(valid);
    }
    sparcl_data_free(data);
}

static void data_without_a_feature_train_the_bias(void **state) {
    static const char text[] = "1\n1\n-1\n1\n";
    sparcl_data *data = read_text(text, NULL);
    for (int64_t batch = -1; batch < 4; batch += 2)
        for (int64_t memory = 0; memory < (batch == 3 ? 2 : 1); ++memory) {
            sparcl_train_desc desc = {.epochs = batch < 0 ? 40 : 3, .batch = batch, .lr = 4};
            desc.device_memory = memory;
            sparcl_model *model = must_train(*state, data, NULL, &desc, NULL);
            assert_int_equal(sparcl_model_get_info(model)->columns, 0);
            if (batch < 0) assert_true(fabs(sparcl_model_bias(model)[0] - log(3)) < 1e-2);
            sparcl_model_free(model);
        }
    sparcl_data_free(data);
}

static void memory_is_given_back_however_a_run_ends(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    int64_t memory = -1;
    for (int round = 0; round < 2; ++round) { /* scratch memory of the first stays */
        for (int way = 0; way < 5; ++way) {
            watch w = {.stop_at = way == 1 ? 5 : 0, .with_valid = true};
            sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_OPTIMIZER_MOMENTUM);
            sparcl_model *model = NULL;
            desc.progress = way == 2 ? NULL : look;
            desc.progress_user = &w;
            if (way == 2) desc.lr = 1e30;
            if (way == 3) desc.columns = 3;
            if (way == 4) desc.device_memory = 1;
            const sparcl_status status = sparcl_train(ctx, &model, data, data, &desc, NULL, NULL);
            assert_int_equal(status == SPARCL_OK, way == 0 || way == 4);
            sparcl_model_free(model);
            if (round > 0) assert_int_equal(sparcl_ctx_memory(ctx), memory);
        }
        memory = sparcl_ctx_memory(ctx);
    }
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_is_that_of_training_in_plain_c),
        cmocka_unit_test(a_full_batch_is_that_of_training_in_plain_c),
        cmocka_unit_test(the_gradient_is_the_slope_of_the_objective),
        cmocka_unit_test(equal_runs_give_equal_bits_and_other_seeds_others),
        cmocka_unit_test(both_classes_of_kernels_give_equal_bits),
        cmocka_unit_test(data_that_stay_on_the_host_give_equal_bits),
        cmocka_unit_test(a_full_batch_of_data_that_do_not_fit_is_refused_before_the_first_step),
        cmocka_unit_test(training_and_validation_data_share_the_memory_that_is_told),
        cmocka_unit_test(validation_data_do_not_change_a_bit),
        cmocka_unit_test(a_callback_gives_the_bits_of_the_data_set),
        cmocka_unit_test(a_batch_of_all_rows_has_them_as_stored),
        cmocka_unit_test(index_types_may_change_from_batch_to_batch),
        cmocka_unit_test(a_batch_that_breaks_its_contract_is_refused),
        cmocka_unit_test(a_batch_without_entries_trains_the_bias),
        cmocka_unit_test(a_source_that_contradicts_itself_is_refused),
        cmocka_unit_test(progress_is_told_after_each_step_and_a_short_last_batch_is_kept),
        cmocka_unit_test(an_interrupt_ends_the_run_after_the_step_in_work),
        cmocka_unit_test(the_defaults_are_those_of_the_header),
        cmocka_unit_test(a_rate_that_is_told_to_be_0_is_0),
        cmocka_unit_test(a_model_says_what_its_weights_came_from),
        cmocka_unit_test(a_run_that_diverges_is_ended),
        cmocka_unit_test(descriptions_that_are_wrong_are_refused),
        cmocka_unit_test(widths_that_do_not_fit_are_refused),
        cmocka_unit_test(data_that_do_not_fit_the_loss_are_refused),
        cmocka_unit_test(validation_data_that_do_not_fit_are_refused),
        cmocka_unit_test(data_without_a_feature_train_the_bias),
        cmocka_unit_test(memory_is_given_back_however_a_run_ends),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
