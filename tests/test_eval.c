/* test_eval.c: what the header says of evaluating and applying a model, and of the row order. */
#include "train_test.h"

#include "train/core.h"
#include "train/score.h"
#include "train/shuffle.h"

#ifdef HAVE_RANDOM123
#include <Random123/philox.h>
#endif

/* --- models and data ------------------------------------------------------------------------- */

static sparcl_model *make_model(sparcl_loss loss, int64_t columns, const float *weights,
                                const float *bias, double l2) {
    static const double two[] = {-1, 1}, three[] = {-5, 2, 40};
    const sparcl_model_info info = {.loss = loss,
                                    .columns = columns,
                                    .outputs = loss == SPARCL_LOSS_SOFTMAX ? 3 : 1,
                                    .classes = loss == SPARCL_LOSS_LOGISTIC  ? 2
                                               : loss == SPARCL_LOSS_SOFTMAX ? 3
                                                                             : 0,
                                    .labels = loss == SPARCL_LOSS_SOFTMAX ? three : two,
                                    .index_base = 1,
                                    .has_bias = bias != NULL,
                                    .l2 = l2};
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    assert_done(error, sparcl_model_create(&model, &info, weights, bias, &error));
    return model;
}

static sparcl_metrics must_eval(sparcl_ctx *ctx, const sparcl_model *model,
                                const sparcl_data *data) {
    sparcl_metrics metrics;
    sparcl_error error = {0};
    assert_done(error, sparcl_eval(ctx, model, data, &metrics, &error));
    return metrics;
}

/* A model with weights from a seed, and the same in plain C. */
static sparcl_model *make_both(const sparcl_data *data, sparcl_loss loss, plain *p) {
    float *w = make_floats(COLUMNS * MOST_OUTPUTS, 6), *bias = make_floats(MOST_OUTPUTS, 7);
    const sparcl_train_desc desc = {.loss = loss, .l2 = 0.25};
    sparcl_model *model = make_model(loss, COLUMNS, w, bias, 0.25);
    *p = plain_open(data, &desc);
    plain_take(p, model);
    free(w);
    free(bias);
    return model;
}

/* --- evaluate -------------------------------------------------------------------------------- */

static double auc_by_pairs(const plain *p, int64_t rows) {
    const double *labels = sparcl_data_labels(p->data);
    double pairs = 0, right = 0;
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < rows; ++j) {
            double a[MOST_OUTPUTS], b[MOST_OUTPUTS];
            if (labels[i] != 1 || labels[j] != -1) continue;
            plain_scores(p, i, a);
            plain_scores(p, j, b);
            pairs += 1;
            right += a[0] > b[0] ? 1 : a[0] == b[0] ? 0.5 : 0;
        }
    return right / pairs;
}

static int best_class(const plain *p, int64_t row) {
    double s[MOST_OUTPUTS];
    plain_scores(p, row, s);
    if (p->outputs == 1) return s[0] > 0;
    int best = 0;
    for (int o = 1; o < p->outputs; ++o)
        if (s[o] > s[best]) best = o;
    return best;
}

static void metrics_are_those_of_counting_in_plain_c(void **state) {
    for (int loss = 0; loss < 3; ++loss) {
        sparcl_data *data = make_data((sparcl_loss)loss, 8);
        const double *labels = sparcl_data_labels(data);
        plain p;
        sparcl_model *model = make_both(data, (sparcl_loss)loss, &p);
        const sparcl_metrics m = must_eval(*state, model, data);
        double right = 0, counts[MOST_OUTPUTS] = {0}, entropy = 0;
        assert_int_equal(m.rows, ROWS);
        assert_true(fabs(m.loss - plain_mean_loss(&p)) < 1e-6);
        assert_true(fabs(m.objective - plain_objective(&p)) < 1e-6);
        for (int64_t i = 0; loss != SPARCL_LOSS_SQUARED && i < ROWS; ++i) {
            const int y = class_of(&p, labels[i]);
            right += best_class(&p, i) == y;
            counts[y] += 1;
        }
        for (int c = 0; c < MOST_OUTPUTS; ++c)
            if (counts[c] > 0) entropy -= counts[c] / ROWS * log(counts[c] / ROWS);
        if (loss == SPARCL_LOSS_SQUARED) {
            double mean = 0, squares = 0;
            for (int64_t i = 0; i < ROWS; ++i)
                mean += labels[i] / ROWS;
            for (int64_t i = 0; i < ROWS; ++i)
                squares += (labels[i] - mean) * (labels[i] - mean) / ROWS;
            assert_true(isnan(m.accuracy) && isnan(m.auc));
            assert_true(fabs(m.best_constant_loss - squares / 2) < 1e-12);
        } else {
            assert_true(fabs(m.accuracy - right / ROWS) < 1e-12);
            assert_true(fabs(m.best_constant_loss - entropy) < 1e-12);
        }
        if (loss == SPARCL_LOSS_LOGISTIC) assert_true(fabs(m.auc - auc_by_pairs(&p, ROWS)) < 1e-12);
        if (loss == SPARCL_LOSS_SOFTMAX) assert_true(isnan(m.auc));
        sparcl_model_free(model);
        sparcl_data_free(data);
    }
}

static void what_a_run_reached_is_what_evaluation_finds(void **state) {
    for (int loss = 0; loss < 3; ++loss) {
        sparcl_data *data = make_data((sparcl_loss)loss, 8);
        const sparcl_train_desc desc = small_run((sparcl_loss)loss, SPARCL_OPTIMIZER_MOMENTUM);
        sparcl_train_result result;
        sparcl_model *model = must_train(*state, data, NULL, &desc, &result);
        const sparcl_metrics m = must_eval(*state, model, data);
        assert_true(m.loss == result.loss && m.objective == result.objective);
        sparcl_model_free(model);
        sparcl_data_free(data);
    }
}

static void auc_needs_both_classes(void **state) {
    const float w = 1;
    sparcl_data *data = read_text("1 1:1\n1 1:2\n", NULL);
    sparcl_model *model = make_model(SPARCL_LOSS_LOGISTIC, 1, &w, NULL, 0);
    const sparcl_metrics m = must_eval(*state, model, data);
    assert_true(isnan(m.auc));
    assert_true(m.accuracy == 1 && m.best_constant_loss == 0);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void columns_beyond_the_model_have_weight_0(void **state) {
    static const float w[] = {1, -2};
    const sparcl_data_desc two = {.index_base = SPARCL_BASE_1, .columns = 2};
    sparcl_data *wide = read_text("1 1:2 9:1e9\n-1 2:1 3:-1e30\n1 700:3\n", NULL);
    sparcl_data *narrow = read_text("1 1:2\n-1 2:1\n1\n", &two);
    sparcl_model *model = make_model(SPARCL_LOSS_LOGISTIC, 2, w, NULL, 0);
    const sparcl_metrics a = must_eval(*state, model, wide), b = must_eval(*state, model, narrow);
    double label_a[3], label_b[3];
    float p_a[3], p_b[3];
    sparcl_error error = {0};
    assert_true(a.loss == b.loss && a.accuracy == b.accuracy && a.auc == b.auc);
    assert_done(error, sparcl_predict(*state, model, wide, label_a, p_a, &error));
    assert_done(error, sparcl_predict(*state, model, narrow, label_b, p_b, &error));
    assert_memory_equal(label_a, label_b, sizeof label_a);
    assert_memory_equal(p_a, p_b, sizeof p_a);
    sparcl_model_free(model);
    sparcl_data_free(narrow);
    sparcl_data_free(wide);
}

static void narrower_data_are_taken_as_they_are(void **state) {
    static const float w[] = {1, -2, 5, 7};
    sparcl_data *data = read_text("1 1:2\n-1 2:1\n", NULL);
    sparcl_model *model = make_model(SPARCL_LOSS_LOGISTIC, 4, w, NULL, 0);
    assert_true(must_eval(*state, model, data).accuracy == 1);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void a_label_that_the_model_does_not_know_is_refused_with_its_line(void **state) {
    const float w = 1;
    sparcl_data *data = read_text("1 1:1\n# a comment\n-1 1:2\n7 1:1\n", NULL);
    sparcl_model *model = make_model(SPARCL_LOSS_LOGISTIC, 1, &w, NULL, 0);
    sparcl_metrics metrics;
    sparcl_error error;
    double label[3];
    float p[3];
    assert_failed(error, sparcl_eval(*state, model, data, &metrics, &error), SPARCL_E_FORMAT,
                  ":4:1: expected one of the 2 labels that the model knows, -1 to 1, found 7");
    assert_done(error, sparcl_predict(*state, model, data, label, p, &error)); /* does not look */
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void values_that_are_not_finite_are_refused_with_their_place(void **state) {
    static const float w[] = {1, 1};
    sparcl_data *data = read_text("1 1:1\n\n-1 1:2 2:-inf\n1 1:nan\n", NULL);
    sparcl_model *model = make_model(SPARCL_LOSS_LOGISTIC, 2, w, NULL, 0);
    sparcl_metrics metrics;
    sparcl_error error;
    double label[3];
    float p[3];
    assert_failed(error, sparcl_eval(*state, model, data, &metrics, &error), SPARCL_E_FORMAT,
                  ":3:10: expected a finite value, found nan or inf (in all 1 NaN and 1 infinite");
    assert_failed(error, sparcl_predict(*state, model, data, label, p, &error), SPARCL_E_FORMAT,
                  ":3:10: expected a finite value");
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void an_index_base_against_the_model_s_is_refused(void **state) {
    static const float w[] = {1, 1};
    sparcl_data *data = read_text("1 0:1\n-1 1:2\n", NULL);
    sparcl_model *model = make_model(SPARCL_LOSS_LOGISTIC, 2, w, NULL, 0);
    sparcl_metrics metrics;
    sparcl_error error;
    double label[2];
    float p[2];
    assert_failed(
        error, sparcl_eval(*state, model, data, &metrics, &error), SPARCL_E_FORMAT,
        ": expected columns counted from 1, as in the training data, found them counted from 0");
    assert_failed(error, sparcl_predict(*state, model, data, label, p, &error), SPARCL_E_FORMAT,
                  "counted from 0");
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void what_is_null_is_refused(void **state) {
    const float w = 1;
    sparcl_data *data = read_text("1 1:1\n-1 1:2\n", NULL);
    sparcl_model *model = make_model(SPARCL_LOSS_LOGISTIC, 1, &w, NULL, 0);
    sparcl_metrics m;
    sparcl_error e;
    double label[2];
    float p[2];
    assert_failed(e, sparcl_eval(NULL, model, data, &m, &e), SPARCL_E_ARG, "NULL");
    assert_failed(e, sparcl_eval(*state, NULL, data, &m, &e), SPARCL_E_ARG, "NULL");
    assert_failed(e, sparcl_eval(*state, model, NULL, &m, &e), SPARCL_E_ARG, "NULL");
    assert_failed(e, sparcl_eval(*state, model, data, NULL, &e), SPARCL_E_ARG, "NULL");
    assert_failed(e, sparcl_predict(NULL, model, data, label, p, &e), SPARCL_E_ARG, "NULL");
    assert_failed(e, sparcl_predict(*state, NULL, data, label, p, &e), SPARCL_E_ARG, "NULL");
    assert_failed(e, sparcl_predict(*state, model, NULL, label, p, &e), SPARCL_E_ARG, "NULL");
    assert_failed(e, sparcl_predict(*state, model, data, NULL, p, &e), SPARCL_E_ARG, "NULL");
    assert_failed(e, sparcl_predict(*state, model, data, label, NULL, &e), SPARCL_E_ARG, "NULL");
    assert_int_equal(sparcl_eval(*state, NULL, data, &m, NULL), SPARCL_E_ARG);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

/* --- apply ----------------------------------------------------------------------------------- */

static void predictions_are_those_of_plain_c(void **state) {
    for (int loss = 0; loss < 3; ++loss) {
        sparcl_data *data = make_data((sparcl_loss)loss, 8);
        plain p;
        sparcl_model *model = make_both(data, (sparcl_loss)loss, &p);
        double label[ROWS], s[MOST_OUTPUTS];
        float chance[ROWS];
        sparcl_error error = {0};
        assert_done(error, sparcl_predict(*state, model, data, label, chance, &error));
        for (int64_t i = 0; i < ROWS; ++i) {
            const int best = best_class(&p, i);
            double sum = 0;
            plain_scores(&p, i, s);
            for (int o = 0; o < p.outputs; ++o)
                sum += exp(s[o] - s[p.outputs > 1 ? best : 0]);
            if (loss == SPARCL_LOSS_SQUARED) {
                assert_true(fabs(label[i] - s[0]) < 1e-5 && label[i] == chance[i]);
            } else {
                const double wanted =
                    loss == SPARCL_LOSS_LOGISTIC ? 1 / (1 + exp(-fabs(s[0]))) : 1 / sum;
                assert_true(label[i] == p.labels[best]);
                assert_true(fabs(chance[i] - wanted) < 1e-6);
            }
        }
        sparcl_model_free(model);
        sparcl_data_free(data);
    }
}

static void a_score_of_exactly_0_goes_to_the_lower_label(void **state) {
    static const float w[] = {1, -1};
    sparcl_data *data = read_text("1\n1 1:1 2:1\n-1 1:0\n1 1:1e-40\n", NULL);
    sparcl_model *model = make_model(SPARCL_LOSS_LOGISTIC, 2, w, NULL, 0);
    double label[4];
    float p[4];
    sparcl_error error = {0};
    assert_done(error, sparcl_predict(*state, model, data, label, p, &error));
    for (int i = 0; i < 3; ++i)
        assert_true(label[i] == -1 && p[i] == 0.5f);
    assert_true(must_eval(*state, model, data).accuracy <= 0.5);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void data_without_labels_can_be_applied_to_but_not_evaluated(void **state) {
    static const float w[] = {1, -1};
    const sparcl_data_desc desc = {.multilabel = 1};
    sparcl_data *data = read_text("1:3\n 2:4\n1,2 1:1\n", &desc);
    sparcl_model *model = make_model(SPARCL_LOSS_LOGISTIC, 2, w, NULL, 0);
    sparcl_metrics metrics;
    double label[3];
    float p[3];
    sparcl_error error;
    assert_done(error, sparcl_predict(*state, model, data, label, p, &error));
    assert_true(label[0] == 1 && label[1] == -1 && label[2] == 1);
    assert_failed(error, sparcl_eval(*state, model, data, &metrics, &error), SPARCL_E_FORMAT,
                  "label");
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void memory_is_given_back(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 8);
    plain p;
    sparcl_model *model = make_both(data, SPARCL_LOSS_LOGISTIC, &p);
    double label[ROWS];
    float chance[ROWS];
    sparcl_error error = {0};
    must_eval(ctx, model, data);
    const int64_t memory = sparcl_ctx_memory(ctx);
    must_eval(ctx, model, data);
    assert_done(error, sparcl_predict(ctx, model, data, label, chance, &error));
    assert_int_equal(sparcl_ctx_memory(ctx), memory);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

/* --- slices ---------------------------------------------------------------------------------- */

/* Rows with so many entries each, of two classes. */
static sparcl_data *make_long_rows(int rows, int entries) {
    char *text = must_have(calloc((size_t)rows, (size_t)entries * 9 + 8)), *at = text;
    for (int i = 0; i < rows; ++i) {
        at += sprintf(at, "%d", i % 2);
        for (int c = 1; c <= entries; ++c)
            at += sprintf(at, " %d:.%d", c, (i * 31 + c * 17) % 97 + 1);
        *at++ = '\n';
    }
    sparcl_data *data = read_text(text, NULL);
    free(text);
    return data;
}

typedef struct scored {
    float score[300], label[300], p[300];
    double loss;
    int64_t room; /* entries that were on the device beside the whole */
} scored;

static void score_with_limit(sparcl_ctx *ctx, const sparcl_data *data, const spc_weights *w,
                             int64_t limit, scored *to) {
    const sparcl_data_info *info = sparcl_data_get_info(data);
    const spc_scores wanted = {to->score, to->label, to->p, &to->loss};
    float targets[300];
    spc_feed feed;
    sparcl_error error = {0};
    for (int64_t i = 0; i < info->rows; ++i)
        targets[i] = sparcl_data_labels(data)[i] > 0;
    assert_done(error, spc_feed_open(&feed, ctx, data, targets, info->columns, limit, &error));
    assert_int_equal(feed.on_host, limit == 0);
    assert_done(error, spc_score(&feed, w, &wanted, &error));
    to->room = feed.room.nnz;
    spc_feed_close(&feed);
}

static void slices_give_the_bits_of_the_whole_and_take_little_of_the_device(void **state) {
    sparcl_ctx *ctx = *state;
    const int rows = 300, entries = 1000;
    sparcl_data *data = make_long_rows(rows, entries);
    float *x = make_floats(entries, 4);
    const float bias = 0.25f;
    const spc_weights w = {
        .weights = {.rank = 2, .shape = {entries, 1}, .values = put(ctx, x, entries * 4)},
        .bias = {.rank = 1, .shape = {1}, .values = put(ctx, &bias, 4)}};
    scored here, there;
    score_with_limit(ctx, data, &w, INT64_MAX, &there);
    score_with_limit(ctx, data, &w, 0, &here);
    assert_memory_equal(here.score, there.score, (size_t)rows * 4);
    assert_memory_equal(here.label, there.label, (size_t)rows * 4);
    assert_memory_equal(here.p, there.p, (size_t)rows * 4);
    assert_true(here.loss == there.loss);
    assert_int_equal(there.room, 0);
    assert_in_range(here.room, 1, SPC_SLICE_ENTRIES / 8 * 9);
    double loss = 0;
    for (int i = 0; i < rows; ++i) {
        double s = (double)bias;
        for (int c = 0; c < entries; ++c)
            s += (double)x[c] * (double)sparcl_data_values(data)[i * entries + c];
        assert_true(fabs(s - (double)here.score[i]) < 1e-3);
        loss += log1p(exp(-fabs(s))) + fmax(s, 0) - (i % 2) * s;
    }
    assert_true(fabs(loss / rows - here.loss) < 1e-4 * fabs(here.loss));
    sparcl_buf_free(w.weights.values);
    sparcl_buf_free(w.bias.values);
    free(x);
    sparcl_data_free(data);
}

static void data_may_take_half_of_the_device_less_what_is_held_there(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_buf *table = NULL;
    const int64_t half = sparcl_ctx_device(ctx)->memory / 2;
    assert_int_equal(spc_feed_limit(ctx, 5), 5);
    assert_int_equal(spc_feed_limit(ctx, 0), half - sparcl_ctx_memory(ctx));
    const int64_t before = spc_feed_limit(ctx, 0);
    assert_ok(ctx, sparcl_buf_create(ctx, &table, 4096));
    assert_in_range(before - spc_feed_limit(ctx, 0), 4096, 8192);
    sparcl_buf_free(table);
}

static void many_outputs_make_short_slices(void **state) {
    enum { OUTPUTS = SPC_SLICE_SCORES / 20 }; /* five slices, the last short */
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 8);
    float *x = make_floats((int64_t)COLUMNS * OUTPUTS, 4);
    const spc_weights w = {.loss = SPARCL_LOSS_SOFTMAX,
                           .weights = {.rank = 2,
                                       .shape = {COLUMNS, OUTPUTS},
                                       .values = put(*state, x, (int64_t)COLUMNS * OUTPUTS * 4)}};
    scored here, there;
    score_with_limit(*state, data, &w, INT64_MAX, &there);
    score_with_limit(*state, data, &w, 0, &here);
    assert_memory_equal(here.label, there.label, ROWS * 4);
    assert_memory_equal(here.p, there.p, ROWS * 4);
    assert_true(here.loss == there.loss);
    const int64_t *offsets = sparcl_data_offsets(data);
    for (int i = 0; i < ROWS; ++i) {
        int best = 0;
        double most = -INFINITY;
        for (int o = 0; o < OUTPUTS; ++o) {
            double s = 0;
            for (int64_t k = offsets[i]; k < offsets[i + 1]; ++k)
                s += (double)x[index_of(data, k) * OUTPUTS + o] *
                     (double)sparcl_data_values(data)[k];
            if (s > most + 1e-6) best = o;
            most = fmax(most, s);
        }
        assert_int_equal((int)here.label[i], best);
    }
    sparcl_buf_free(w.weights.values);
    free(x);
    sparcl_data_free(data);
}

/* --- the row order --------------------------------------------------------------------------- */

static void the_order_of_a_pass_is_a_permutation_of_its_own(void **state) {
    (void)state;
    static const int64_t sizes[] = {0, 1, 2, 3, 1000, 70001};
    for (size_t i = 0; i < COUNT(sizes); ++i) {
        const int64_t rows = sizes[i];
        int64_t *order = must_have(calloc((size_t)rows + 1, 8)),
                *other = must_have(calloc((size_t)rows + 1, 8));
        char *seen = must_have(calloc((size_t)rows + 1, 1));
        order[rows] = other[rows] = -7;
        sparcl_train_order(5, 3, rows, order);
        for (int64_t k = 0; k < rows; ++k) {
            assert_in_range(order[k], 0, rows - 1);
            assert_int_equal(seen[order[k]]++, 0);
        }
        assert_int_equal(order[rows], -7);
        sparcl_train_order(5, 3, rows, other);
        assert_memory_equal(order, other, (size_t)rows * 8);
        if (rows >= 1000) {
            sparcl_train_order(5, 4, rows, other);
            assert_memory_not_equal(order, other, (size_t)rows * 8);
            sparcl_train_order(6, 3, rows, other);
            assert_memory_not_equal(order, other, (size_t)rows * 8);
            sparcl_train_order(5 + ((uint64_t)1 << 32), 3, rows, other);
            assert_memory_not_equal(order, other, (size_t)rows * 8);
        }
        free(order);
        free(other);
        free(seen);
    }
}

/* Each of the 6 orders of 3 rows comes as often as any other. */
static void all_orders_are_equally_likely(void **state) {
    (void)state;
    int counts[27] = {0};
    for (int64_t epoch = 0; epoch < 60000; ++epoch) {
        int64_t order[3];
        sparcl_train_order(99, epoch, 3, order);
        ++counts[order[0] * 9 + order[1] * 3 + order[2]];
    }
    int orders = 0;
    for (int i = 0; i < 27; ++i) {
        if (counts[i] == 0) continue;
        ++orders;
        assert_in_range(counts[i], 9500, 10500); /* 10000, and 5 times its deviation */
    }
    assert_int_equal(orders, 6);
}

/* The vectors that Random123 is published with (kat_vectors, philox4x32-10). */
static void philox_has_its_published_vectors(void **state) {
    (void)state;
    static const uint32_t vectors[3][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d,
         0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
         0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (size_t i = 0; i < COUNT(vectors); ++i) {
        uint32_t out[4];
        spc_philox(vectors[i], vectors[i] + 4, out);
        assert_memory_equal(out, vectors[i] + 6, sizeof out);
    }
}

static void philox_and_the_order_are_those_of_random123(void **state) {
    (void)state;
#ifdef HAVE_RANDOM123
    uint64_t seed = 1;
    for (int i = 0; i < 100000; ++i) {
        philox4x32_ctr_t counter;
        philox4x32_key_t key;
        uint32_t out[4];
        for (int k = 0; k < 4; ++k)
            counter.v[k] = (uint32_t)spec_random(&seed);
        for (int k = 0; k < 2; ++k)
            key.v[k] = (uint32_t)spec_random(&seed);
        const philox4x32_ctr_t wanted = philox4x32(counter, key);
        spc_philox(counter.v, key.v, out);
        assert_memory_equal(out, wanted.v, sizeof out);
    }
    int64_t order[5000], wanted[5000];
    const uint64_t run = 0x123456789abcdefu;
    const int64_t pass = ((int64_t)1 << 33) + 5;
    sparcl_train_order(run, pass, 5000, order);
    for (int64_t i = 0; i < 5000; ++i)
        wanted[i] = i;
    for (int64_t i = 4999; i > 0; --i) {
        const philox4x32_ctr_t counter = {{(uint32_t)i, 0, 5, 2}};
        const philox4x32_key_t key = {{(uint32_t)run, (uint32_t)(run >> 32)}};
        const philox4x32_ctr_t r = philox4x32(counter, key);
        const unsigned __int128 draw = (uint64_t)r.v[0] << 32 | r.v[1];
        const int64_t j = (int64_t)(draw * (uint64_t)(i + 1) >> 64), swap = wanted[i];
        wanted[i] = wanted[j];
        wanted[j] = swap;
    }
    assert_memory_equal(order, wanted, sizeof order);
#else
    print_message("           skipped: Random123 is not installed\n");
    skip();
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_are_those_of_counting_in_plain_c),
        cmocka_unit_test(what_a_run_reached_is_what_evaluation_finds),
        cmocka_unit_test(auc_needs_both_classes),
        cmocka_unit_test(columns_beyond_the_model_have_weight_0),
        cmocka_unit_test(narrower_data_are_taken_as_they_are),
        cmocka_unit_test(a_label_that_the_model_does_not_know_is_refused_with_its_line),
        cmocka_unit_test(values_that_are_not_finite_are_refused_with_their_place),
        cmocka_unit_test(an_index_base_against_the_model_s_is_refused),
        cmocka_unit_test(what_is_null_is_refused),
        cmocka_unit_test(predictions_are_those_of_plain_c),
        cmocka_unit_test(a_score_of_exactly_0_goes_to_the_lower_label),
        cmocka_unit_test(data_without_labels_can_be_applied_to_but_not_evaluated),
        cmocka_unit_test(memory_is_given_back),
        cmocka_unit_test(slices_give_the_bits_of_the_whole_and_take_little_of_the_device),
        cmocka_unit_test(data_may_take_half_of_the_device_less_what_is_held_there),
        cmocka_unit_test(many_outputs_make_short_slices),
        cmocka_unit_test(the_order_of_a_pass_is_a_permutation_of_its_own),
        cmocka_unit_test(all_orders_are_equally_likely),
        cmocka_unit_test(philox_has_its_published_vectors),
        cmocka_unit_test(philox_and_the_order_are_those_of_random123),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
