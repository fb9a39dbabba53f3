/* model_gradient_test.h: gradients of models against central differences of plain-C answers in
 * double.
 */
#ifndef TESTS_MODEL_GRADIENT_TEST_H
#define TESTS_MODEL_GRADIENT_TEST_H

#include "architecture_test.h"
#include "sparcl/architecture.h"
#include "sparcl/ops/losses.h"
#include "sparcl/optim.h"

static inline const sparcl_architecture *must_parse(const char *text) {
    const sparcl_architecture *a = NULL;
    sparcl_error error = {0};
    assert_done(error, sparcl_architecture_parse(&a, text, &error));
    return a;
}

enum { WIDEST = 16 }; /* outputs of a layer */

/* The parameters in double, one after the other. */
typedef struct flat {
    const sparcl_model *model;
    double *values;
    size_t count;
} flat;

static inline flat flatten(const sparcl_model *model) {
    flat f = {.model = model};
    for (int i = 0; i < model->count; ++i)
        f.count += (size_t)spc_tensor_elements(&model->tensors[i].tensor);
    f.values = must_have(malloc(f.count * sizeof *f.values));
    size_t at = 0;
    for (int i = 0; i < model->count; ++i)
        for (int64_t k = 0; k < spc_tensor_elements(&model->tensors[i].tensor); ++k)
            f.values[at++] = (double)model->tensors[i].values[k];
    return f;
}

/* The values of a parameter, and its number of columns. */
static inline const double *part(const flat *f, const char *name, int64_t *columns) {
    const double *at = f->values;
    for (int i = 0; i < f->model->count; ++i) {
        const sparcl_tensor *const t = &f->model->tensors[i].tensor;
        *columns = t->shape[t->rank - 1];
        if (strcmp(t->name, name) == 0) return at;
        at += spc_tensor_elements(t);
    }
    return NULL;
}

/* A row of the data, as a dense vector. */
static inline void unpack(const sparcl_data *data, int64_t row, double x[COLUMNS]) {
    const int64_t *const offsets = sparcl_data_offsets(data);
    memset(x, 0, COLUMNS * sizeof *x);
    for (int64_t k = offsets[row]; k < offsets[row + 1]; ++k)
        x[index_of(data, k)] += (double)sparcl_data_values(data)[k];
}

/* to [columns] += x [inputs] w */
static inline void multiply(double *to, const double *x, int64_t inputs, const double *w,
                            int64_t columns) {
    for (int64_t i = 0; i < inputs; ++i)
        for (int64_t j = 0; j < columns; ++j)
            to[j] += x[i] * w[i * columns + j];
}

/* The loss of the scores of a row. */
static inline double loss_of(sparcl_loss loss, const double *scores, int64_t outputs,
                             double label) {
    static const double classes[] = {-5, 2, 40};
    double sum = 0;
    if (loss == SPARCL_LOSS_SQUARED) return (scores[0] - label) * (scores[0] - label) / 2;
    if (loss == SPARCL_LOSS_POISSON) return exp(scores[0]) - label * scores[0];
    if (loss == SPARCL_LOSS_HINGE) return fmax(0, label > 0 ? 1 - scores[0] : 1 + scores[0]);
    if (loss == SPARCL_LOSS_LOGISTIC) return log1p(exp(label > 0 ? -scores[0] : scores[0]));
    for (int64_t c = 0; c < outputs; ++c)
        sum += exp(scores[c]);
    for (int64_t c = 0; c < outputs; ++c)
        if (classes[c] == label) return log(sum) - scores[c];
    fail_msg("%g is no class", label);
    return 0;
}

/* The mean loss of a data set in plain C. */
typedef double (*loss_in_plain_c)(const flat *f, const sparcl_data *data,
                                  const sparcl_train_desc *desc);

/* The gradient is what one step of SGD takes away. */
static inline void check_gradient_on(sparcl_ctx *ctx, const sparcl_data *data,
                                     loss_in_plain_c mean_loss, const char *text, sparcl_loss loss,
                                     const sparcl_train_nodes *nodes) {
    const double lr = 0.5, h = 1e-5;
    const sparcl_architecture *const a = must_parse(text);
    sparcl_train_desc desc = run_of(a, loss, SPARCL_RULE_SGD);
    desc.batch = 0;
    desc.l2 = 0;
    desc.nodes = nodes;
    desc.optim.lr = lr;
    desc.epochs = 0;
    sparcl_model *const before = must_train(ctx, data, NULL, &desc, NULL);
    desc.epochs = 1;
    sparcl_model *const after = must_train(ctx, data, NULL, &desc, NULL);
    flat f = flatten(before), g = flatten(after);
    double worst = 0, largest = 0;
    for (size_t i = 0; i < f.count; ++i) {
        const double at = f.values[i], found = (at - g.values[i]) / lr;
        f.values[i] = at + h;
        const double up = mean_loss(&f, data, &desc);
        f.values[i] = at - h;
        const double expected = (up - mean_loss(&f, data, &desc)) / (2 * h);
        f.values[i] = at;
        worst = fmax(worst, fabs(found - expected));
        largest = fmax(largest, fabs(expected));
    }
    print_message("           %-40s largest %.3g, worst error %.2g\n", text, largest, worst);
    assert_true(largest > 1e-3 && worst < 2e-6);
    free(f.values);
    free(g.values);
    sparcl_model_free(before);
    sparcl_model_free(after);
    sparcl_architecture_free(a);
}

static inline void check_gradient(sparcl_ctx *ctx, loss_in_plain_c mean_loss, const char *text,
                                  sparcl_loss loss, const sparcl_train_nodes *nodes) {
    sparcl_data *const data = make_data(loss, 7);
    check_gradient_on(ctx, data, mean_loss, text, loss, nodes);
    sparcl_data_free(data);
}

#endif
