/* test_slices.c: data beyond the memory of the device are scored by slices, to the same bits. */
#include "train_test.h"

#include "model/core.h"
#include "model/linear.h"
#include "train/score.h"

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

/* A linear model; bias.rank is 0 without one. */
typedef struct linear {
    sparcl_loss loss;
    sparcl_dense weights, bias;
} linear;

typedef struct scored {
    float score[300], label[300], p[300];
    double loss;
    int64_t capacity; /* entries that were on the device beside the whole */
} scored;

static void score_with_limit(sparcl_ctx *ctx, const sparcl_data *data, const linear *w,
                             int64_t limit, scored *to) {
    const sparcl_data_info *info = sparcl_data_get_info(data);
    const int64_t outputs = w->weights.shape[1];
    const spc_scores expected = {.scores = outputs == 1 ? to->score : NULL,
                                 .label = to->label,
                                 .p = to->p,
                                 .mean_loss = &to->loss};
    const sparcl_architecture *const a = w->bias.rank ? &spc_linear : &spc_linear_without_bias;
    float targets[300];
    spc_feed feed;
    spc_forward forward;
    sparcl_error error = {0};
    for (int64_t i = 0; i < info->rows; ++i)
        targets[i] = sparcl_data_labels(data)[i] > 0;
    const spc_feed_desc of_rows = {.targets = targets, .columns = info->columns};
    assert_done(error, spc_feed_open(&feed, ctx, data, &of_rows, limit, &error));
    assert_int_equal(feed.place->on_host, limit == 0);
    const spc_forward_desc desc = {
        .architecture = a, .loss = w->loss, .columns = info->columns, .outputs = outputs};
    assert_done(error, spc_forward_open(&forward, ctx, &desc, &expected, &error));
    assert_done(error, spc_forward_bind(&forward, 0, &w->weights, &error));
    if (w->bias.rank) assert_done(error, spc_forward_bind(&forward, 1, &w->bias, &error));
    assert_done(error, spc_score(&feed, &forward, &expected, &error));
    spc_forward_close(&forward);
    to->capacity = feed.batch.x.nnz;
    spc_feed_close(&feed);
}

static void slices_give_the_bits_of_the_whole_and_use_little_device_memory(void **state) {
    sparcl_ctx *ctx = *state;
    const int rows = 300, entries = 1000;
    sparcl_data *data = make_long_rows(rows, entries);
    float *x = make_floats(entries, 4);
    const float bias = 0.25f;
    const linear w = {
        .weights = {.rank = 2, .shape = {entries, 1}, .values = put(ctx, x, entries * 4)},
        .bias = {.rank = 1, .shape = {1}, .values = put(ctx, &bias, 4)}};
    scored here, there;
    score_with_limit(ctx, data, &w, INT64_MAX, &there);
    score_with_limit(ctx, data, &w, 0, &here);
    assert_memory_equal(here.score, there.score, (size_t)rows * 4);
    assert_memory_equal(here.label, there.label, (size_t)rows * 4);
    assert_memory_equal(here.p, there.p, (size_t)rows * 4);
    assert_true(here.loss == there.loss);
    assert_int_equal(there.capacity, 0);
    assert_in_range(here.capacity, 1, SPC_SLICE_ENTRIES / 8 * 9);
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

static void data_may_use_half_of_the_device_memory_minus_what_is_allocated(void **state) {
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
    const linear w = {.loss = SPARCL_LOSS_SOFTMAX,
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
        double maximum = -INFINITY;
        for (int o = 0; o < OUTPUTS; ++o) {
            double s = 0;
            for (int64_t k = offsets[i]; k < offsets[i + 1]; ++k)
                s += (double)x[index_of(data, k) * OUTPUTS + o] *
                     (double)sparcl_data_values(data)[k];
            if (s > maximum + 1e-6) best = o;
            maximum = fmax(maximum, s);
        }
        assert_int_equal((int)here.label[i], best);
    }
    sparcl_buf_free(w.weights.values);
    free(x);
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_give_the_bits_of_the_whole_and_use_little_device_memory),
        cmocka_unit_test(data_may_use_half_of_the_device_memory_minus_what_is_allocated),
        cmocka_unit_test(many_outputs_make_short_slices),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
