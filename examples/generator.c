/* generator.c: training from a callback, for data that are not in a file: each batch is generated
 * when the training loop requests it. Hidden weights determine the labels, so the loss should fall
 * well below log 2.
 *
 *     generator [MODEL]        writes the model to MODEL, if given */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sparcl/train.h>

enum { COLUMNS = 100000, ROWS = 512, PER_ROW = 8, STEPS = 200 };

typedef struct batch_data {
    int64_t offsets[ROWS + 1];
    int32_t indices[ROWS * PER_ROW];
    float values[ROWS * PER_ROW];
    double labels[ROWS];
} batch_data;

static uint64_t next(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The weight of a column that the model must learn: +1 or -1, by a hash of the column. */
static double hidden_weight(int32_t column) {
    uint64_t state = (uint64_t)column;
    return next(&state) % 2 ? 1 : -1;
}

/* The batch depends only on `epoch` and `step`, so a run can be reproduced. */
static sparcl_status make_batch(void *user, int64_t epoch, int64_t step, sparcl_batch *batch) {
    batch_data *data = user;
    uint64_t state = (uint64_t)(epoch * STEPS + step);
    for (int i = 0; i < ROWS; ++i) {
        double score = 0;
        int32_t column = -1;
        for (int k = 0; k < PER_ROW; ++k) { /* ascending columns; low ones are more frequent */
            const double u = (double)(next(&state) >> 11) / 9007199254740992.0;
            column += 1 + (int32_t)(u * u * u * (COLUMNS / PER_ROW - 1));
            data->indices[i * PER_ROW + k] = column;
            data->values[i * PER_ROW + k] = 1;
            score += hidden_weight(column);
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

int main(int argc, char **argv) {
    static batch_data data;
    static const double labels[] = {0, 1};
    const sparcl_batch_source source = {.next = make_batch,
                                        .user = &data,
                                        .columns = COLUMNS,
                                        .steps = STEPS,
                                        .labels = labels,
                                        .classes = 2};
    sparcl_train_desc desc;
    sparcl_train_init(&desc, SPARCL_RULE_ADAGRAD);
    desc.loss = SPARCL_LOSS_LOGISTIC;
    desc.optim.lr = 0.5;
    desc.epochs = 3;
    sparcl_error error = {0};
    sparcl_ctx *ctx = NULL;
    sparcl_model *model = NULL;
    sparcl_train_result result;
    sparcl_status status = sparcl_ctx_open(&ctx, NULL, &error);
    if (status == SPARCL_OK)
        status = sparcl_train_source(ctx, &model, &source, &desc, &result, &error);
    if (status == SPARCL_OK && argc > 1) status = sparcl_model_save(model, argv[1], &error);
    if (status == SPARCL_OK)
        printf("%lld steps, loss of the last pass %.4f (chance: %.4f)\n", (long long)result.steps,
               result.loss, log(2));
    else
        fprintf(stderr, "%s\n", error.message);
    sparcl_model_free(model);
    sparcl_ctx_close(ctx);
    return status == SPARCL_OK && result.loss < 0.5 * log(2) ? 0 : 1;
}
