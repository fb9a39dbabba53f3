/* train_test.h: what the tests of training share: small data sets as text, and training in plain C.
 */
#ifndef TESTS_TRAIN_TEST_H
#define TESTS_TRAIN_TEST_H

#include "op_test.h"

#include <unistd.h>

#include "optim_settings.h"
#include "sparcl/ops/losses.h"
#include "sparcl/optim.h"
#include "sparcl/train.h"

#define ROWS    97
#define COLUMNS 23

/* Fail with the message of an error record. */
#define assert_done(error, call)                                                                   \
    do {                                                                                           \
        const sparcl_status test_status_ = (call);                                                 \
        if (test_status_ != SPARCL_OK)                                                             \
            fail_msg("%s: %s: %s", #call, sparcl_status_name(test_status_), (error).message);      \
    } while (0)

/* Refused, with a message that holds `part`. */
#define assert_failed(error, call, expected, part)                                                 \
    do {                                                                                           \
        memset(&(error), 0, sizeof(error));                                                        \
        const sparcl_status test_status_ = (call);                                                 \
        if (test_status_ != (expected) || (error).status != (expected) ||                          \
            !strstr((error).message, part))                                                        \
            fail_msg("%s: %s (%s), expected %s with \"%s\"", #call,                                \
                     sparcl_status_name(test_status_), (error).message,                            \
                     sparcl_status_name(expected), part);                                          \
    } while (0)

/* --- data sets ------------------------------------------------------------------------------- */

static inline sparcl_data *read_text(const char *text, const sparcl_data_desc *desc) {
    char path[] = "/tmp/sparcl-train-XXXXXX";
    sparcl_data *data = NULL;
    sparcl_error error = {0};
    const int file = mkstemp(path);
    const size_t length = strlen(text);
    assert_true(file >= 0);
    const ssize_t written = write(file, text, length);
    close(file);
    const sparcl_status status = sparcl_data_read(&data, path, desc, &error);
    unlink(path);
    assert_int_equal(written, length);
    if (status != SPARCL_OK) fail_msg("%s", error.message);
    return data;
}

/* A data set [97, 23] whose labels fit a loss: two, three or many; some rows are empty. */
static inline sparcl_data *make_data(sparcl_loss loss, uint64_t seed) {
    const sparcl_data_desc desc = {.columns = COLUMNS, .index_base = SPARCL_BASE_1};
    char *text = must_have(calloc(ROWS, 600)), *at = text;
    for (int row = 0; row < ROWS; ++row) {
        char features[500] = "", *end = features;
        double sum = 0;
        for (int c = 1; c <= COLUMNS; ++c) {
            if (spec_random(&seed) % 4 || row % 20 == 7) continue;
            const double value = spec_uniform(&seed);
            sum += (c % 3 - 1) * value;
            end += sprintf(end, " %d:%.9g", c, value);
        }
        const double noise = sum + 0.2 * spec_uniform(&seed);
        const double label = loss == SPARCL_LOSS_SQUARED   ? noise
                             : loss == SPARCL_LOSS_SOFTMAX ? (noise < -0.3  ? -5
                                                              : noise < 0.3 ? 2
                                                                            : 40)
                             : noise < 0                   ? -1
                                                           : 1;
        at += sprintf(at, "%.9g%s\n", label, features);
    }
    sparcl_data *data = read_text(text, &desc);
    free(text);
    return data;
}

/* The same rows with other labels, [ROWS]. */
static inline sparcl_data *relabelled(const sparcl_data *from, const double *labels) {
    const sparcl_data_arrays arrays = {.rows = ROWS,
                                       .columns = COLUMNS,
                                       .offsets = sparcl_data_offsets(from),
                                       .index_type = sparcl_data_index_type(from),
                                       .indices = sparcl_data_indices(from),
                                       .values = sparcl_data_values(from),
                                       .labels = labels};
    sparcl_data *data = NULL;
    sparcl_error error = {0};
    assert_done(error, sparcl_data_create(&data, &arrays, &error));
    return data;
}

static inline int64_t index_of(const sparcl_data *data, int64_t k) {
    const void *indices = sparcl_data_indices(data);
    return sparcl_data_index_type(data) == SPARCL_INDEX64 ? ((const int64_t *)indices)[k]
                                                          : ((const int32_t *)indices)[k];
}

/* --- training in plain C, in double ---------------------------------------------------------- */

#define MAX_OUTPUTS 3

typedef struct plain {
    const sparcl_data *data;
    sparcl_train_desc desc;
    int outputs;
    double labels[MAX_OUTPUTS]; /* of the classes */
    double w[COLUMNS][MAX_OUTPUTS], bias[MAX_OUTPUTS];
    double states[2][COLUMNS][MAX_OUTPUTS], bias_states[2][MAX_OUTPUTS];
    int64_t step;
} plain;

static inline plain plain_open(const sparcl_data *data, const sparcl_train_desc *desc) {
    plain p = {.data = data, .desc = *desc, .outputs = 1};
    static const double two[] = {-1, 1}, three[] = {-5, 2, 40};
    if (desc->loss == SPARCL_LOSS_LOGISTIC) memcpy(p.labels, two, sizeof two);
    if (desc->loss == SPARCL_LOSS_SOFTMAX) memcpy(p.labels, three, sizeof three);
    if (desc->loss == SPARCL_LOSS_SOFTMAX) p.outputs = 3;
    return p;
}

static inline int class_of(const plain *p, double label) {
    for (int c = 0; c < MAX_OUTPUTS; ++c)
        if (p->labels[c] == label) return c;
    return -1;
}

static inline void plain_scores(const plain *p, int64_t row, double *s) {
    const int64_t *offsets = sparcl_data_offsets(p->data);
    for (int o = 0; o < p->outputs; ++o) {
        s[o] = p->bias[o];
        for (int64_t k = offsets[row]; k < offsets[row + 1]; ++k)
            s[o] += sparcl_data_values(p->data)[k] * p->w[index_of(p->data, k)][o];
    }
}

/* The loss of a row; where `slope` is not NULL its derivatives by the scores. */
static inline double plain_loss(const plain *p, int64_t row, double *slope) {
    const double label = sparcl_data_labels(p->data)[row];
    double s[MAX_OUTPUTS] = {0}, ignored[MAX_OUTPUTS], sum = 0, maximum = -INFINITY;
    if (!slope) slope = ignored;
    plain_scores(p, row, s);
    if (p->desc.loss == SPARCL_LOSS_SQUARED) {
        slope[0] = s[0] - label;
        return 0.5 * slope[0] * slope[0];
    }
    const int y = class_of(p, label);
    if (p->desc.loss == SPARCL_LOSS_LOGISTIC) {
        slope[0] = 1 / (1 + exp(-s[0])) - y;
        return log1p(exp(-fabs(s[0]))) + fmax(s[0], 0) - y * s[0];
    }
    for (int o = 0; o < p->outputs; ++o)
        maximum = fmax(maximum, s[o]);
    for (int o = 0; o < p->outputs; ++o)
        sum += exp(s[o] - maximum);
    for (int o = 0; o < p->outputs; ++o)
        slope[o] = exp(s[o] - maximum) / sum - (o == y);
    return log(sum) + maximum - s[y];
}

static inline double plain_mean_loss(const plain *p) {
    const int64_t rows = sparcl_data_get_info(p->data)->rows;
    double sum = 0;
    for (int64_t i = 0; i < rows; ++i)
        sum += plain_loss(p, i, NULL);
    return sum / (double)rows;
}

static inline double plain_objective(const plain *p) {
    double squares = 0;
    for (int c = 0; c < COLUMNS; ++c)
        for (int o = 0; o < p->outputs; ++o)
            squares += p->w[c][o] * p->w[c][o];
    return plain_mean_loss(p) + 0.5 * p->desc.l2 * squares;
}

/* The rules of optim.h on one number. */
static inline void plain_rule(const plain *p, double g, double *w, double *s0, double *s1) {
    const sparcl_train_desc *d = &p->desc;
    const double t = (double)p->step;
    switch ((int)d->optim.rule) {
    case SPARCL_RULE_SGD:
        *w -= d->optim.lr * g;
        break;
    case SPARCL_RULE_MOMENTUM:
        *s0 = d->optim.momentum.factor * *s0 + g;
        *w -= d->optim.lr * *s0;
        break;
    case SPARCL_RULE_ADAGRAD:
        *s0 += g * g;
        *w -= d->optim.lr * g / (sqrt(*s0) + d->optim.epsilon);
        break;
    case SPARCL_RULE_ADAM:
        *s0 += (1 - d->optim.adam.beta1) * (g - *s0);
        *s1 += (1 - d->optim.adam.beta2) * (g * g - *s1);
        *w -= d->optim.lr * sqrt(1 - pow(d->optim.adam.beta2, t)) /
              (1 - pow(d->optim.adam.beta1, t)) * *s0 / (sqrt(*s1) + d->optim.epsilon);
        break;
    }
}

static inline void plain_step(plain *p, const int64_t *rows, int64_t count) {
    double g[COLUMNS][MAX_OUTPUTS] = {{0}}, g_bias[MAX_OUTPUTS] = {0}, slope[MAX_OUTPUTS];
    bool read[COLUMNS] = {false};
    const int64_t *offsets = sparcl_data_offsets(p->data);
    const sparcl_train_desc *d = &p->desc;
    ++p->step;
    for (int64_t i = 0; i < count; ++i) {
        plain_loss(p, rows[i], slope);
        for (int o = 0; o < p->outputs; ++o)
            g_bias[o] += slope[o] / (double)count;
        for (int64_t k = offsets[rows[i]]; k < offsets[rows[i] + 1]; ++k) {
            const int64_t c = index_of(p->data, k);
            read[c] = true;
            for (int o = 0; o < p->outputs; ++o)
                g[c][o] += slope[o] * sparcl_data_values(p->data)[k] / (double)count;
        }
    }
    for (int c = 0; c < COLUMNS; ++c) {
        /* Adagrad and Adam without l2 do not change a row that the batch does not have. */
        if (d->optim.rule >= SPARCL_RULE_ADAGRAD && d->l2 == 0 && !read[c]) continue;
        for (int o = 0; o < p->outputs; ++o)
            plain_rule(p, g[c][o] + d->l2 * p->w[c][o], &p->w[c][o], &p->states[0][c][o],
                       &p->states[1][c][o]);
    }
    for (int o = 0; o < p->outputs && !d->no_bias; ++o)
        plain_rule(p, g_bias[o], &p->bias[o], &p->bias_states[0][o], &p->bias_states[1][o]);
}

static inline void plain_train(plain *p) {
    const int64_t rows = sparcl_data_get_info(p->data)->rows;
    const int64_t batch = p->desc.batch == 0 || p->desc.batch > rows ? rows : p->desc.batch;
    int64_t order[ROWS];
    for (int64_t epoch = 0; epoch < p->desc.epochs; ++epoch) {
        for (int64_t i = 0; i < rows; ++i)
            order[i] = i;
        if (batch < rows) sparcl_train_order(p->desc.seed, epoch, rows, order);
        for (int64_t first = 0; first < rows; first += batch)
            plain_step(p, order + first, first + batch < rows ? batch : rows - first);
    }
}

static inline void plain_take(plain *p, const sparcl_model *model) {
    for (int c = 0; c < COLUMNS; ++c)
        for (int o = 0; o < p->outputs; ++o)
            p->w[c][o] = sparcl_model_weights(model)[c * p->outputs + o];
    for (int o = 0; o < p->outputs; ++o)
        p->bias[o] = sparcl_model_bias(model) ? sparcl_model_bias(model)[o] : 0;
}

/* --- models ---------------------------------------------------------------------------------- */

static inline bool same_weights(const sparcl_model *a, const sparcl_model *b) {
    const sparcl_model_info *x = sparcl_model_get_info(a), *y = sparcl_model_get_info(b);
    assert_int_equal(x->columns, y->columns);
    assert_int_equal(x->outputs, y->outputs);
    assert_int_equal(x->has_bias, y->has_bias);
    return memcmp(sparcl_model_weights(a), sparcl_model_weights(b),
                  (size_t)(x->columns * x->outputs) * 4) == 0 &&
           (!x->has_bias ||
            memcmp(sparcl_model_bias(a), sparcl_model_bias(b), (size_t)x->outputs * 4) == 0);
}

static inline sparcl_model *must_train(sparcl_ctx *ctx, const sparcl_data *data,
                                       const sparcl_data *valid, const sparcl_train_desc *desc,
                                       sparcl_train_result *result) {
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    assert_done(error, sparcl_train(ctx, &model, data, valid, desc, result, &error));
    assert_non_null(model);
    return model;
}

/* The defaults, but one pass. */
static inline sparcl_train_desc default_run(sparcl_loss loss, sparcl_rule optimizer) {
    sparcl_train_desc desc;
    sparcl_train_init(&desc, optimizer);
    desc.loss = loss;
    desc.epochs = 1;
    return desc;
}

/* A run whose hyper-parameters move every kind of weight. */
static inline sparcl_train_desc small_run(sparcl_loss loss, sparcl_rule optimizer) {
    static const double lr[] = {0.3, 0.1, 0.1, 0.03};
    return (sparcl_train_desc){.loss = loss,
                               .optim = OPTIM(.rule = optimizer, .lr = lr[optimizer],
                                              .momentum.factor = 0.8, .adam.beta1 = 0.85,
                                              .adam.beta2 = 0.99, .epsilon = 1e-6),
                               .l2 = 0.05,
                               .epochs = 3,
                               .batch = 16,
                               .seed = 12};
}

static const sparcl_loss losses[] = {SPARCL_LOSS_LOGISTIC, SPARCL_LOSS_SOFTMAX,
                                     SPARCL_LOSS_SQUARED};
/* Where the loss and the optimizer do not meet, each is tried once: optimizer o with loss o % 3. */
#define LOSS_FOR(o) losses[(o) % COUNT(losses)]
static const sparcl_rule optimizers[] = {SPARCL_RULE_SGD, SPARCL_RULE_MOMENTUM, SPARCL_RULE_ADAGRAD,
                                         SPARCL_RULE_ADAM};

/* What the progress of a `small_run` on data of `make_data` has reported. */
typedef struct watch {
    sparcl_train_progress last;
    int64_t calls, stop_at;
    bool with_valid;
} watch;

static inline int look(void *user, const sparcl_train_progress *now) {
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

#endif
