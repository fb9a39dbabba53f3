/* test_model_sums.c: some sixty small trainings; the SHA-256 of each model file stands in
 * model_sums.sha256, and is the same on every device and in every version. With --print the lines
 * of that file are printed, and nothing is compared. */
#include "op_test.h"

#include <unistd.h>

#include "optim_settings.h"
#include "sha256.h"
#include "sparcl/models.h"
#include "sparcl/train.h"

/* --- the trainings --------------------------------------------------------------------------- */

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
    .optim = OPTIM(.rule = SPARCL_RULE_MOMENTUM, .lr = (rate), .momentum = (m))
#define ADAGRAD(rate, e) .optim = OPTIM(.rule = SPARCL_RULE_ADAGRAD, .lr = (rate), .epsilon = (e))
#define ADAM(rate, b, c, e)                                                                        \
    .optim =                                                                                       \
        OPTIM(.rule = SPARCL_RULE_ADAM, .lr = (rate), .beta1 = (b), .beta2 = (c), .epsilon = (e))
#define EXACT(of, ...)                                                                             \
    .optim = OPTIM(.rule = SPARCL_RULE_##of, .moves = SPARCL_MOVES_EXACT, .beta1 = 0.9,            \
                   .beta2 = 0.999, __VA_ARGS__)
#define DECAY(x) .weight_decay = (x), .decay = SPARCL_DECAY_DECOUPLED
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
     RUN(EXACT(MOMENTUM, .lr = 0.1, .momentum = 0.9, .nesterov = 1, DECAY(0.1)), LOGISTIC,
         .batch = 20, .epochs = 2)},
    {"exact-adagrad-softmax", NARROW, ON_DEVICE,
     RUN(EXACT(ADAGRAD, .lr = 0.1, .epsilon = 1e-10, DECAY(0.1)), SOFTMAX, .batch = 30,
         .epochs = 2)},
    {"exact-momentum-softmax-l2", WIDE, ON_DEVICE,
     RUN(EXACT(MOMENTUM, .lr = 0.1, .momentum = 0.8), SOFTMAX, .l2 = 0.05, .batch = 16,
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

/* --- their data ------------------------------------------------------------------------------ */

enum { MADE_ROWS = 300, LONG_ROW = 13, ONE = 1 << 23 };

static const double labels[] = {-5, 2, 7, 40}; /* softmax; logistic has the first two */

static char folder[] = "/tmp/sparcl-sums-XXXXXX", data_path[64], model_path[64];

static void give_up(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

/* A number for a place in the data, whatever was requested before: 24 bits, from -ONE on. */
static int64_t draw(int64_t width, int64_t row, int64_t column) {
    uint64_t counter = (uint64_t)width << 40 | (uint64_t)row << 20 | (uint64_t)column;
    return (int64_t)(spec_random(&counter) >> 40) - ONE;
}

/* The next column of a row. Each row but the empty ones begins with column 0. */
static int64_t column_after(int64_t width, int64_t row, int64_t column) {
    const int64_t widest = 1 + width / (row == LONG_ROW ? 300 : 6);
    return column + 1 + (draw(width, row + MADE_ROWS, column) + ONE) % widest;
}

static int64_t first_column(int64_t width, int64_t row) {
    return row % 20 == 7 ? width : 0;
}

/* In whole numbers, so that it is the same wherever it is made. */
static double label_of(sparcl_loss loss, int64_t width, int64_t row) {
    int64_t sum = draw(width, row, width); /* noise */
    for (int64_t c = first_column(width, row); c < width; c = column_after(width, row, c))
        sum += 2 * (c % 3 - 1) * draw(width, row, c);
    if (loss == SPARCL_LOSS_SQUARED) return (double)sum / (2 * ONE);
    return labels[loss == SPARCL_LOSS_LOGISTIC ? sum > 0 : (sum > -ONE) + (sum > 0) + (sum > ONE)];
}

/* LIBSVM text, or libFFM text with five fields. */
static void write_data(sparcl_loss loss, int64_t width, bool has_fields) {
    FILE *const file = fopen(data_path, "w");
    if (!file) give_up(data_path, "cannot be written");
    for (int64_t row = 0; row < MADE_ROWS; ++row) {
        fprintf(file, "%.17g", label_of(loss, width, row));
        for (int64_t c = first_column(width, row); c < width; c = column_after(width, row, c)) {
            if (has_fields) fprintf(file, " %d", (int)(c % 5));
            fprintf(file, "%c%d:%.9g", has_fields ? ':' : ' ', (int)c + 1,
                    (double)draw(width, row, c) / ONE);
        }
        fputc('\n', file);
    }
    if (fclose(file) != 0) give_up(data_path, "cannot be written");
}

static sparcl_data *make_data(source from, sparcl_loss loss, bool has_fields) {
    const char *const path = from == HEART ? SPARCL_EXAMPLE_DATA_DIR "/heart_scale" : data_path;
    const sparcl_data_desc desc = {.columns = widths[from],
                                   .index_base = SPARCL_BASE_1,
                                   .format = has_fields ? SPARCL_DATA_LIBFFM : SPARCL_DATA_AUTO};
    sparcl_data *data = NULL;
    sparcl_error error = {0};
    if (from != HEART) write_data(loss, widths[from], has_fields);
    if (sparcl_data_read(&data, path, &desc, &error) != SPARCL_OK) give_up(path, error.message);
    return data;
}

/* A graph of the rows, with weights from 0; or what rows, as users, have. */
static sparcl_data *make_edges(void) {
    static int64_t offsets[MADE_ROWS + 1];
    static int32_t columns[MADE_ROWS * MADE_ROWS];
    static float weights[MADE_ROWS * MADE_ROWS];
    const sparcl_data_arrays arrays = {.rows = MADE_ROWS,
                                       .columns = MADE_ROWS,
                                       .offsets = offsets,
                                       .index_type = SPARCL_I32,
                                       .indices = columns,
                                       .values = weights};
    sparcl_data *edges = NULL;
    sparcl_error error = {0};
    int64_t at = 0;
    for (int64_t row = 0; row < MADE_ROWS; ++row) {
        for (int64_t c = first_column(MADE_ROWS, row); c < MADE_ROWS;
             c = column_after(MADE_ROWS, row, c)) {
            columns[at] = (int32_t)c;
            weights[at++] = (float)llabs(draw(MADE_ROWS, row, c)) / ONE;
        }
        offsets[row + 1] = at;
    }
    if (sparcl_data_create(&edges, &arrays, &error) != SPARCL_OK) give_up("edges", error.message);
    return edges;
}

/* A source package has no example data. */
static bool has_data(source from) {
    return from != HEART || access(SPARCL_EXAMPLE_DATA_DIR "/heart_scale", R_OK) == 0;
}

/* --- one training ---------------------------------------------------------------------------- */

typedef struct handing {
    const sparcl_data *data;
    int64_t batch, offsets[MADE_ROWS + 1], *wide;
} handing;

/* The rows as stored; indices are of 32 bits and of 64 in turn. */
static sparcl_status hand_out(void *user, int64_t epoch, int64_t step, sparcl_batch *batch) {
    handing *h = user;
    const int64_t first = step * h->batch, *offsets = sparcl_data_offsets(h->data) + first;
    const int64_t rows = first + h->batch < MADE_ROWS ? h->batch : MADE_ROWS - first;
    const int32_t *const indices = (const int32_t *)sparcl_data_indices(h->data) + offsets[0];
    const bool is_wide = (epoch + step) % 2 == 1;
    for (int64_t i = 0; i <= rows; ++i)
        h->offsets[i] = offsets[i] - offsets[0];
    for (int64_t k = 0; k < h->offsets[rows]; ++k)
        h->wide[k] = indices[k];
    *batch = (sparcl_batch){.rows = rows,
                            .index_type = is_wide ? SPARCL_I64 : SPARCL_I32,
                            .offsets = h->offsets,
                            .indices = is_wide ? (const void *)h->wide : indices,
                            .values = sparcl_data_values(h->data) + offsets[0],
                            .labels = sparcl_data_labels(h->data) + first};
    return SPARCL_OK;
}

static sparcl_status train_handed(sparcl_ctx *ctx, sparcl_model **model, const sparcl_data *data,
                                  const sparcl_train_desc *desc, sparcl_train_result *result,
                                  sparcl_error *error) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const size_t entries = (size_t)info->entries;
    handing h = {.data = data,
                 .batch = desc->batch == 0 ? MADE_ROWS : desc->batch,
                 .wide = must_have(calloc(entries, sizeof *h.wide))};
    const sparcl_batch_source from = {.next = hand_out,
                                      .user = &h,
                                      .columns = info->columns,
                                      .steps = (MADE_ROWS + h.batch - 1) / h.batch,
                                      .index_base = 1,
                                      .labels = labels,
                                      .classes = desc->loss == SPARCL_LOSS_LOGISTIC ? 2 : 4};
    const sparcl_status status = sparcl_train_source(ctx, model, &from, desc, result, error);
    free(h.wide);
    return status;
}

static sparcl_status train_on_graph(sparcl_ctx *ctx, sparcl_model **model, const training *t,
                                    const sparcl_data *data, sparcl_train_desc *desc,
                                    sparcl_train_result *result, sparcl_error *error) {
    sparcl_data *const edges = make_edges();
    int64_t rows[100];
    for (int64_t i = 0; i < 100; ++i)
        rows[i] = 299 - 2 * i;
    const sparcl_train_nodes nodes = {.edges = edges,
                                      .train = rows,
                                      .train_count = 60,
                                      .valid = rows + 60,
                                      .valid_count = t->place & VALID ? 40 : 0};
    if (t->place & NODES) desc->nodes = &nodes;
    const sparcl_data *const valid = (t->place & EDGES) && (t->place & VALID) ? edges : NULL;
    const sparcl_status status =
        sparcl_train(ctx, model, t->place & EDGES ? edges : data, valid, desc, result, error);
    desc->nodes = NULL;
    sparcl_data_free(edges);
    return status;
}

/* NULL as kind: a linear model. */
static sparcl_status train_as_told(sparcl_ctx *ctx, sparcl_model **model, const training *t,
                                   const char *kind, sparcl_error *error) {
    sparcl_data *const data = make_data(t->source, t->desc.loss, t->place & FIELDS);
    const sparcl_data *const valid = t->place & VALID ? data : NULL;
    const sparcl_architecture *architecture = NULL;
    sparcl_train_desc desc = t->desc;
    sparcl_train_result result = {0};
    if (kind && sparcl_architecture_parse(&architecture, kind, error) != SPARCL_OK)
        give_up(t->name, error->message);
    desc.architecture = architecture;
    if (t->place & ON_HOST) desc.device_memory = 1;
    sparcl_status status =
        t->place & (NODES | EDGES) ? train_on_graph(ctx, model, t, data, &desc, &result, error)
        : t->place & HANDED        ? train_handed(ctx, model, data, &desc, &result, error)
                                   : sparcl_train(ctx, model, data, valid, &desc, &result, error);
    sparcl_architecture_free(architecture);
    sparcl_data_free(data);
    if (status == SPARCL_OK && !(t->place & (ON_HOST | HANDED)) != !result.on_host)
        give_up(t->name, "the rows did not lie where they should");
    if (status == SPARCL_OK) status = sparcl_model_save(*model, model_path, error);
    return status;
}

static void sum_file(const char *path, char text[SHA256_TEXT]) {
    unsigned char bytes[4096];
    size_t count;
    sha256 sum;
    FILE *const file = fopen(path, "rb");
    if (!file) give_up(path, "cannot be read");
    sha256_begin(&sum);
    while ((count = fread(bytes, 1, sizeof bytes, file)) > 0)
        sha256_add(&sum, bytes, count);
    fclose(file);
    sha256_end(&sum, text);
}

/* --- what is expected ------------------------------------------------------------------------ */

static void find_wanted(const char *name, char expected[SHA256_TEXT]) {
    char has[80];
    bool found = false;
    FILE *const file = fopen(MODEL_SUMS, "r");
    while (file && !found && fscanf(file, "%64s %79s", expected, has) == 2)
        found = strcmp(has, name) == 0;
    if (file) fclose(file);
    if (!found) strcpy(expected, "none");
}

static bool try_training(sparcl_ctx *ctx, const training *t, const char *kind, bool print) {
    char found[SHA256_TEXT], expected[SHA256_TEXT];
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    const sparcl_status status = train_as_told(ctx, &model, t, kind, &error);
    sparcl_model_free(model);
    if (status != SPARCL_OK) {
        fprintf(stderr, "FAILED %s: %s: %s\n", t->name, sparcl_status_name(status), error.message);
        return false;
    }
    sum_file(model_path, found);
    if (print) return printf("%s  %s\n", found, t->name) > 0;
    find_wanted(t->name, expected);
    if (strcmp(found, expected) == 0) return true;
    fprintf(stderr, "FAILED %s: the model file has the sum %s, expected %s of %s\n", t->name, found,
            expected, MODEL_SUMS);
    return false;
}

int main(int argc, char **argv) {
    const bool print = argc == 2 && strcmp(argv[1], "--print") == 0;
    int passed = 0, failed = 0, left_out = 0;
    if (argc > 1 && !print) give_up(argv[1], "the one argument is --print");
    sparcl_ctx *const ctx = test_open();
    if (!mkdtemp(folder)) give_up(folder, "cannot be made");
    snprintf(data_path, sizeof data_path, "%s/data", folder);
    snprintf(model_path, sizeof model_path, "%s/model", folder);
    for (size_t i = 0; i < COUNT(trainings); ++i)
        if (!has_data(trainings[i].source))
            ++left_out;
        else
            ++*(try_training(ctx, &trainings[i], NULL, print) ? &passed : &failed);
    for (size_t i = 0; i < COUNT(others); ++i)
        ++*(try_training(ctx, &others[i].run, others[i].model, print) ? &passed : &failed);
    unlink(data_path);
    unlink(model_path);
    rmdir(folder);
    sparcl_ctx_close(ctx);
    FILE *const to = print ? stderr : stdout;
    if (left_out) fprintf(to, "%d left out: there is no heart_scale in examples/data\n", left_out);
    fprintf(to, "%d passed, %d failed\n", passed, failed);
    return failed > 0 || (print && left_out > 0);
}
