/* optimizers.c: Adam, lazy Adam and exact lazy Adam on the same skewed data: columns by Zipf's law,
 * so that most columns are in few batches. Adam moves all columns in every step, also those that a
 * batch does not have: by their mean of gradients. Lazy Adam leaves them as they are, which costs
 * less and trains differently. Exact lazy Adam moves them when they are next read, by all steps at
 * once: the results of Adam, at the cost of lazy Adam. Prints the mean loss of the first and the
 * last pass, the ends of the three curves. */
#include <stdio.h>
#include <string.h>

#include <sparcl/optim_text.h>
#include <sparcl/train.h>

enum { COLUMNS = 20000, ROWS = 256, PER_ROW = 6, STEPS = 50, PASSES = 8 };

/* Names, and optimizers as in sparcl train --optimizer. */
static const char *const optimizers[][2] = {
    {"Adam", "adam:lr=0.01,moves=all"},
    {"lazy Adam", "adam:lr=0.01"},
    {"exact lazy Adam", "adam:lr=0.01,moves=exact"},
};

typedef struct batch_data {
    int64_t offsets[ROWS + 1];
    int32_t indices[ROWS * PER_ROW];
    float values[ROWS * PER_ROW];
    double labels[ROWS];
    double zipf[COLUMNS]; /* cumulative: column k has the weight 1 / (k + 1) */
} batch_data;

static uint64_t next(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int32_t draw_column(const batch_data *data, uint64_t *state) {
    const double u = (double)(next(state) >> 11) / 9007199254740992.0 * data->zipf[COLUMNS - 1];
    int32_t low = 0, high = COLUMNS - 1;
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (data->zipf[middle] > u)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Draw the columns of a row, ascending and without repetition, to `to`. */
static void draw_row(const batch_data *data, uint64_t *state, int32_t *to) {
    for (int count = 0; count < PER_ROW;) {
        const int32_t column = draw_column(data, state);
        int at = count;
        while (at > 0 && to[at - 1] > column)
            --at;
        if (at > 0 && to[at - 1] == column) continue;
        memmove(to + at + 1, to + at, (size_t)(count - at) * sizeof *to);
        to[at] = column;
        ++count;
    }
}

/* Every pass has the same batches. A label is the sign of a sum of hidden weights, +1 or -1. */
static sparcl_status make_batch(void *user, int64_t epoch, int64_t step, sparcl_batch *batch) {
    batch_data *data = user;
    uint64_t state = (uint64_t)step;
    (void)epoch;
    for (int i = 0; i < ROWS; ++i) {
        int score = 0;
        draw_row(data, &state, data->indices + i * PER_ROW);
        for (int k = i * PER_ROW; k < (i + 1) * PER_ROW; ++k) {
            uint64_t hash = (uint64_t)data->indices[k];
            score += next(&hash) % 2 ? 1 : -1;
            data->values[k] = 1;
        }
        data->offsets[i + 1] = (i + 1) * PER_ROW;
        data->labels[i] = score > 0;
    }
    *batch = (sparcl_batch){.rows = ROWS,
                            .offsets = data->offsets,
                            .indices = data->indices,
                            .values = data->values,
                            .labels = data->labels};
    return SPARCL_OK;
}

/* The loss after each pass. */
static int take_loss(void *user, const sparcl_train_progress *now) {
    double *const losses = user;
    if (now->step % STEPS == 0) losses[now->step / STEPS - 1] = now->loss;
    return 0;
}

static sparcl_status train(sparcl_ctx *ctx, batch_data *data, const char *optimizer, double *losses,
                           sparcl_error *error) {
    const double classes[] = {0, 1};
    const sparcl_batch_source source = {.next = make_batch,
                                        .user = data,
                                        .steps = STEPS,
                                        .columns = COLUMNS,
                                        .classes = 2,
                                        .labels = classes};
    sparcl_model *model = NULL;
    sparcl_train_desc desc;
    sparcl_train_init(&desc, SPARCL_RULE_ADAM);
    desc.epochs = PASSES;
    desc.progress = take_loss;
    desc.progress_user = losses;
    sparcl_status status = sparcl_optim_parse(&desc.optim, optimizer, error);
    if (status == SPARCL_OK) status = sparcl_train_source(ctx, &model, &source, &desc, NULL, error);
    sparcl_model_free(model);
    return status;
}

int main(void) {
    static batch_data data;
    sparcl_ctx *ctx = NULL;
    sparcl_error error = {0};
    sparcl_status status = sparcl_ctx_open(&ctx, NULL, &error);
    for (int c = 0; c < COLUMNS; ++c)
        data.zipf[c] = (c ? data.zipf[c - 1] : 0) + 1.0 / (c + 1);
    for (size_t i = 0; status == SPARCL_OK && i < sizeof optimizers / sizeof *optimizers; ++i) {
        double losses[PASSES];
        status = train(ctx, &data, optimizers[i][1], losses, &error);
        if (status == SPARCL_OK)
            printf("%-16s loss of the first pass %.5f, of pass %d %.5f\n", optimizers[i][0],
                   losses[0], PASSES, losses[PASSES - 1]);
    }
    if (status != SPARCL_OK) fprintf(stderr, "optimizers: %s\n", error.message);
    sparcl_ctx_close(ctx);
    return status == SPARCL_OK ? 0 : 1;
}
