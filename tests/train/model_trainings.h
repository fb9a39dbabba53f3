/* model_trainings.h: the small trainings of test_model_sums.c. */
#ifndef TESTS_MODEL_TRAININGS_H
#define TESTS_MODEL_TRAININGS_H

#include "optim_settings.h"
#include "sparcl/train.h"

/* Generated rows of few columns, of many, and the file heart_scale, whose rows are nearly full. */
typedef enum source { NARROW, WIDE, HEART, SOURCES } source;
static const int64_t widths[SOURCES] = {80, 5000, 13};

/* Where the rows are: on the device, on the host, or from a callback that returns them as stored;
 * and whether there are validation data, which change no bit. NODES: there is a graph between them.
 * EDGES: the graph itself is the data, of users and items. */
enum { ON_DEVICE = 0, ON_HOST = 1, HANDED = 2, VALID = 4, NODES = 8, EDGES = 16, FIELDS = 32 };

typedef struct training {
    const char *name;
    source source;
    int place;
    sparcl_train_desc desc;
} training;

#define SGD(rate) .optim = OPTIM(.lr = (rate))
#define MOMENTUM(rate, m)                                                                          \
    .optim = OPTIM(.rule = SPARCL_RULE_MOMENTUM, .lr = (rate), .momentum.factor = (m))
#define ADAGRAD(rate, e) .optim = OPTIM(.rule = SPARCL_RULE_ADAGRAD, .lr = (rate), .epsilon = (e))
#define ADAM(rate, b, c, e)                                                                        \
    .optim = OPTIM(.rule = SPARCL_RULE_ADAM, .lr = (rate), .adam = {.beta1 = (b), .beta2 = (c)},   \
                   .epsilon = (e))
#define EXACT(of, ...)                                                                             \
    .optim = OPTIM(.rule = SPARCL_RULE_##of, .moves = SPARCL_MOVES_EXACT,                          \
                   .adam = {.beta1 = 0.9, .beta2 = 0.999}, __VA_ARGS__)
#define DECAY(x) .decay = {.weight = (x), .kind = SPARCL_DECAY_DECOUPLED}
#define RUN(optimizer, of, ...)                                                                    \
    { optimizer, .loss = SPARCL_LOSS_##of, __VA_ARGS__ }

/* Columns that a batch does not have: momentum, and sgd with l2, let them catch up later; adagrad
 * and adam with l2 step them all; else they do not change. The hyper-parameters keep all weights
 * normal numbers (adagrad with l2 and a small epsilon would not, on many columns): some devices
 * flush others. */
static const training trainings[] = {
    /* every optimizer with every loss */
    {"sgd-logistic", NARROW, ON_DEVICE, RUN(SGD(0.5), LOGISTIC, .batch = 32, .epochs = 2)},
    {"sgd-softmax", WIDE, ON_DEVICE, RUN(SGD(0.1), SOFTMAX, .batch = 25, .epochs = 2)},
    {"sgd-squared", NARROW, ON_DEVICE,
     RUN(SGD(0.1), SQUARED, .batch = 64, .epochs = 3, .no_bias = 1)},
    {"momentum-logistic", WIDE, ON_DEVICE,
     RUN(MOMENTUM(0.1, 0.9), LOGISTIC, .batch = 20, .epochs = 2)},
    {"momentum-softmax", NARROW, ON_DEVICE,
     RUN(MOMENTUM(0.1, 0.9), SOFTMAX, .batch = 48, .epochs = 2)},
    {"momentum-squared", WIDE, ON_DEVICE,
     RUN(MOMENTUM(0.01, 0.9), SQUARED, .batch = 100, .epochs = 4, .no_bias = 1)},
    {"adagrad-logistic", NARROW, ON_DEVICE,
     RUN(ADAGRAD(0.01, 1e-10), LOGISTIC, .batch = 30, .epochs = 2)},
    {"adagrad-softmax", WIDE, ON_DEVICE,
     RUN(ADAGRAD(0.1, 1e-10), SOFTMAX, .batch = 50, .epochs = 2, .no_bias = 1)},
    {"adagrad-squared", NARROW, ON_DEVICE,
     RUN(ADAGRAD(0.01, 1e-10), SQUARED, .batch = 128, .epochs = 4)},
    {"adam-logistic", WIDE, ON_DEVICE,
     RUN(ADAM(0.03, 0.9, 0.999, 1e-8), LOGISTIC, .batch = 24, .epochs = 2)},
    {"adam-softmax", NARROW, ON_DEVICE,
     RUN(ADAM(0.001, 0.9, 0.999, 1e-8), SOFTMAX, .batch = 60, .epochs = 3)},
    {"adam-squared", WIDE, ON_DEVICE,
     RUN(ADAM(0.02, 0.9, 0.999, 1e-8), SQUARED, .batch = 37, .epochs = 2, .no_bias = 1)},
    /* the same with l2, and the two kinds of rows exchanged */
    {"sgd-logistic-l2", WIDE, ON_DEVICE,
     RUN(SGD(0.5), LOGISTIC, .l2 = 0.05, .batch = 16, .epochs = 2)},
    {"sgd-softmax-l2", NARROW, ON_DEVICE,
     RUN(SGD(0.1), SOFTMAX, .l2 = 0.01, .batch = 40, .epochs = 2, .no_bias = 1)},
    {"sgd-squared-l2", WIDE, ON_DEVICE,
     RUN(SGD(0.05), SQUARED, .l2 = 0.1, .batch = 32, .epochs = 3)},
    {"momentum-logistic-l2", NARROW, ON_DEVICE,
     RUN(MOMENTUM(0.1, 0.9), LOGISTIC, .l2 = 0.001, .batch = 32, .epochs = 2, .no_bias = 1)},
    {"momentum-softmax-l2", WIDE, ON_DEVICE,
     RUN(MOMENTUM(0.1, 0.8), SOFTMAX, .l2 = 0.05, .batch = 16, .epochs = 2)},
    {"momentum-squared-l2", NARROW, ON_DEVICE,
     RUN(MOMENTUM(0.02, 0.9), SQUARED, .l2 = 0.01, .batch = 70, .epochs = 3)},
    {"adagrad-logistic-l2", WIDE, ON_DEVICE,
     RUN(ADAGRAD(0.1, 0.01), LOGISTIC, .l2 = 0.01, .batch = 32, .epochs = 2)},
    {"adagrad-softmax-l2", NARROW, ON_DEVICE,
     RUN(ADAGRAD(0.1, 1e-6), SOFTMAX, .l2 = 0.02, .batch = 64, .epochs = 2)},
    {"adagrad-squared-l2", WIDE, ON_DEVICE,
     RUN(ADAGRAD(0.01, 0.01), SQUARED, .l2 = 0.1, .batch = 90, .epochs = 3, .no_bias = 1)},
    {"adam-logistic-l2", NARROW, ON_DEVICE,
     RUN(ADAM(0.03, 0.9, 0.999, 1e-8), LOGISTIC, .l2 = 0.01, .batch = 32, .epochs = 2,
         .no_bias = 1)},
    {"adam-softmax-l2", WIDE, ON_DEVICE,
     RUN(ADAM(0.03, 0.9, 0.999, 1e-8), SOFTMAX, .l2 = 0.01, .batch = 50, .epochs = 2)},
    {"adam-squared-l2", NARROW, ON_DEVICE,
     RUN(ADAM(0.001, 0.85, 0.99, 1e-6), SQUARED, .l2 = 0.05, .batch = 45, .epochs = 3)},
    /* exact lazy steps */
    {"exact-adam-logistic", WIDE, ON_DEVICE,
     RUN(EXACT(ADAM, .lr = 0.03, .epsilon = 1e-8), LOGISTIC, .batch = 24, .epochs = 2)},
    {"exact-adamw-softmax", WIDE, ON_DEVICE,
     RUN(EXACT(ADAM, .lr = 0.03, .epsilon = 1e-8, DECAY(0.1)), SOFTMAX, .batch = 50, .epochs = 2)},
    {"exact-amsgrad-squared", WIDE, ON_DEVICE,
     RUN(EXACT(AMSGRAD, .lr = 0.02, .epsilon = 1e-4, DECAY(0.05)), SQUARED, .batch = 37,
         .epochs = 2)},
    {"exact-nesterov-logistic", WIDE, ON_DEVICE,
     RUN(EXACT(MOMENTUM, .lr = 0.1, .momentum = {.factor = 0.9, .nesterov = 1}, DECAY(0.1)),
         LOGISTIC, .batch = 20, .epochs = 2)},
    {"exact-adagrad-softmax", NARROW, ON_DEVICE,
     RUN(EXACT(ADAGRAD, .lr = 0.1, .epsilon = 1e-10, DECAY(0.1)), SOFTMAX, .batch = 30,
         .epochs = 2)},
    {"exact-momentum-softmax-l2", WIDE, ON_DEVICE,
     RUN(EXACT(MOMENTUM, .lr = 0.1, .momentum.factor = 0.8), SOFTMAX, .l2 = 0.05, .batch = 16,
         .epochs = 2)},
    {"valid-exact-adam-logistic", WIDE, VALID,
     RUN(EXACT(ADAM, .lr = 0.03, .epsilon = 1e-8), LOGISTIC, .batch = 24, .epochs = 2)},
    {"host-exact-adam-logistic", WIDE, ON_HOST | VALID,
     RUN(EXACT(ADAM, .lr = 0.03, .epsilon = 1e-8), LOGISTIC, .batch = 24, .epochs = 2)},
    /* all rows in a batch: by 0, as many as there are, more than there are, and the default */
    {"all-rows-sgd", HEART, ON_DEVICE, RUN(SGD(0.1), LOGISTIC, .batch = 0, .epochs = 10)},
    {"all-rows-momentum-l2", WIDE, ON_DEVICE,
     RUN(MOMENTUM(0.1, 0.9), LOGISTIC, .l2 = 0.01, .batch = 300, .epochs = 8)},
    {"all-rows-adagrad-l2", NARROW, ON_DEVICE,
     RUN(ADAGRAD(0.01, 1e-10), SQUARED, .l2 = 0.01, .batch = 5000, .epochs = 8)},
    {"all-rows-adam", WIDE, ON_DEVICE,
     RUN(ADAM(0.05, 0.9, 0.999, 1e-8), SOFTMAX, .batch = 1024, .epochs = 8)},
    /* a real data set */
    {"heart-sgd-l2", HEART, ON_DEVICE,
     RUN(SGD(0.1), LOGISTIC, .l2 = 0.01, .batch = 16, .epochs = 2)},
    {"heart-momentum-l2", HEART, ON_DEVICE,
     RUN(MOMENTUM(0.01, 0.9), SQUARED, .l2 = 0.1, .batch = 27, .epochs = 2, .no_bias = 1)},
    {"heart-adagrad", HEART, ON_DEVICE,
     RUN(ADAGRAD(0.01, 1e-10), LOGISTIC, .batch = 33, .epochs = 2)},
    {"heart-adam-wider", HEART, ON_DEVICE,
     RUN(ADAM(0.02, 0.9, 0.999, 1e-8), SOFTMAX, .batch = 64, .epochs = 2, .columns = 40)},
    /* other orders of the rows, and very small batches */
    {"seed-1", WIDE, ON_DEVICE,
     RUN(SGD(0.5), LOGISTIC, .l2 = 0.05, .batch = 16, .epochs = 2, .seed = 1)},
    {"seed-large", WIDE, ON_DEVICE,
     RUN(SGD(0.5), LOGISTIC, .l2 = 0.05, .batch = 16, .epochs = 2, .seed = UINT64_MAX)},
    {"seed-7-small-batch", WIDE, ON_DEVICE,
     RUN(MOMENTUM(0.1, 0.9), SOFTMAX, .l2 = 0.02, .batch = 5, .epochs = 1, .seed = 7)},
    /* hyper-parameters of 0 */
    {"zero-momentum", WIDE, ON_DEVICE,
     RUN(MOMENTUM(0.1, 0), LOGISTIC, .l2 = 0.05, .batch = 40, .epochs = 2)},
    {"zero-beta1", NARROW, ON_DEVICE,
     RUN(ADAM(0.001, 0, 0.999, 1e-8), LOGISTIC, .batch = 40, .epochs = 2)},
    /* runs of above once more, whose sums are the same: rows on the host, validation data */
    {"host-sgd-logistic-l2", WIDE, ON_HOST,
     RUN(SGD(0.5), LOGISTIC, .l2 = 0.05, .batch = 16, .epochs = 2)},
    {"host-momentum-softmax-l2", WIDE, ON_HOST | VALID,
     RUN(MOMENTUM(0.1, 0.8), SOFTMAX, .l2 = 0.05, .batch = 16, .epochs = 2)},
    {"host-adagrad-squared", NARROW, ON_HOST,
     RUN(ADAGRAD(0.01, 1e-10), SQUARED, .batch = 128, .epochs = 4)},
    {"host-adam-softmax", NARROW, ON_HOST,
     RUN(ADAM(0.001, 0.9, 0.999, 1e-8), SOFTMAX, .batch = 60, .epochs = 3)},
    {"valid-sgd-squared-l2", WIDE, VALID,
     RUN(SGD(0.05), SQUARED, .l2 = 0.1, .batch = 32, .epochs = 3)},
    {"valid-momentum-softmax", NARROW, VALID,
     RUN(MOMENTUM(0.1, 0.9), SOFTMAX, .batch = 48, .epochs = 2)},
    /* from a callback */
    {"handed-sgd-logistic-l2", WIDE, HANDED,
     RUN(SGD(0.5), LOGISTIC, .l2 = 0.05, .batch = 16, .epochs = 2)},
    {"handed-momentum-squared", NARROW, HANDED,
     RUN(MOMENTUM(0.02, 0.9), SQUARED, .batch = 32, .epochs = 2, .no_bias = 1)},
    {"handed-adagrad-softmax-l2", NARROW, HANDED,
     RUN(ADAGRAD(0.1, 1e-10), SOFTMAX, .l2 = 0.02, .batch = 64, .epochs = 2)},
    {"handed-adam-logistic", WIDE, HANDED,
     RUN(ADAM(0.001, 0.9, 0.999, 1e-8), LOGISTIC, .batch = 0, .epochs = 6)},
};

/* Of the other models of the library. */
static const struct {
    const char *model;
    training run;
} others[] = {
    {"fm:factors=5",
     {"fm-adagrad-logistic", WIDE, ON_DEVICE,
      RUN(ADAGRAD(0.1, 1e-10), LOGISTIC, .batch = 32, .epochs = 2)}},
    {"fm:init=0.1",
     {"fm-adam-squared-l2", NARROW, ON_DEVICE,
      RUN(ADAM(0.01, 0.9, 0.999, 1e-8), SQUARED, .l2 = 0.01, .batch = 50, .epochs = 2)}},
    {"fm",
     {"fm-exact-adam-logistic", WIDE, ON_HOST,
      RUN(EXACT(ADAM, .lr = 0.03, .epsilon = 1e-8), LOGISTIC, .batch = 24, .epochs = 2)}},
    {"ffm:factors=3",
     {"ffm-adagrad-logistic", WIDE, FIELDS | VALID,
      RUN(ADAGRAD(0.1, 1e-10), LOGISTIC, .batch = 32, .epochs = 2)}},
    {"ffm:factors=2,init=0.1",
     {"ffm-exact-adam-logistic", NARROW, FIELDS | ON_HOST,
      RUN(EXACT(ADAM, .lr = 0.03, .epsilon = 1e-8), LOGISTIC, .batch = 50, .epochs = 2)}},
    {"linear",
     {"balanced-adagrad-softmax", WIDE, VALID,
      RUN(ADAGRAD(0.1, 1e-10), SOFTMAX, .balance_classes = 1, .batch = 40, .epochs = 2)}},
    {"mlp:hidden=24-8,dropout=0.25",
     {"mlp-adam-softmax", WIDE, ON_DEVICE,
      RUN(ADAM(0.01, 0.9, 0.999, 1e-8), SOFTMAX, .batch = 40, .epochs = 2)}},
    {"mlp:hidden=16,activation=tanh",
     {"mlp-momentum-squared", NARROW, VALID,
      RUN(MOMENTUM(0.01, 0.9), SQUARED, .batch = 32, .epochs = 2, .seed = 3)}},
    {"wide-deep:hidden=8,activation=sigmoid",
     {"wide-deep-sgd-logistic", WIDE, HANDED, RUN(SGD(0.1), LOGISTIC, .batch = 32, .epochs = 2)}},
    {"wide-deep:hidden=12-6",
     {"wide-deep-adagrad-softmax", NARROW, ON_DEVICE,
      RUN(ADAGRAD(0.05, 1e-10), SOFTMAX, .batch = 64, .epochs = 2)}},
    {"autoencoder:units=48,k=6",
     {"autoencoder-adam", NARROW, VALID,
      RUN(ADAM(0.01, 0.9, 0.999, 1e-8), SQUARED, .batch = 32, .epochs = 2)}},
    {"autoencoder:units=32,k=5",
     {"autoencoder-exact-adam", NARROW, ON_HOST,
      RUN(EXACT(ADAM, .lr = 0.01, .epsilon = 1e-8), SQUARED, .batch = 48, .epochs = 2)}},
    {"linear",
     {"lbfgs-softmax",
      WIDE,
      VALID,
      {.loss = SPARCL_LOSS_SOFTMAX,
       .optim = OPTIM(.lr = 0.1),
       .solver = SPARCL_SOLVER_LBFGS,
       .l2 = 0.001,
       .epochs = 12}}},
    {"linear",
     {"lbfgs-l1-logistic",
      WIDE,
      ON_HOST,
      {.loss = SPARCL_LOSS_LOGISTIC,
       .optim = OPTIM(.lr = 0.1),
       .solver = SPARCL_SOLVER_LBFGS,
       .l1 = 0.01,
       .epochs = 15}}},
    {"gcn:hidden=12",
     {"gcn-adam-softmax", WIDE, NODES | VALID,
      RUN(ADAM(0.01, 0.9, 0.999, 1e-8), SOFTMAX, .epochs = 4)}},
    {"gcn:hidden=8-6,activation=tanh",
     {"gcn-momentum-l2", NARROW, NODES,
      RUN(MOMENTUM(0.05, 0.9), LOGISTIC, .l2 = 0.01, .epochs = 3)}},
    {"bpr:factors=20",
     {"bpr-adagrad", NARROW, EDGES | VALID,
      RUN(ADAGRAD(0.1, 1e-10), LOGISTIC, .batch = 100, .epochs = 2)}},
    {"bpr:factors=8",
     {"bpr-exact-adam", NARROW, EDGES,
      RUN(EXACT(ADAM, .lr = 0.02, .epsilon = 1e-8), LOGISTIC, .batch = 64, .epochs = 1)}},
    {"lightgcn:factors=16",
     {"lightgcn-adam", NARROW, EDGES | VALID,
      RUN(ADAM(0.01, 0.9, 0.999, 1e-8), LOGISTIC, .batch = 500, .epochs = 2)}},
};

#endif
