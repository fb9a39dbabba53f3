/* predictions.c: trains on LIBSVM text (argument 1), then serves requests: rows of another file
 * (argument 2), in the program's own CSR arrays, a hundred at a time. */
#include <stdio.h>
#include <stdlib.h>

#include <sparcl/apply.h>
#include <sparcl/train.h>

enum { REQUEST = 100 };

static sparcl_error error;

static void need(sparcl_status status) {
    if (status == SPARCL_OK) return;
    fprintf(stderr, "%s\n", error.message);
    exit(1);
}

static sparcl_model *train(sparcl_ctx *ctx, const char *path) {
    sparcl_data *data;
    sparcl_model *model;
    sparcl_train_desc desc;
    need(sparcl_data_read(&data, path, NULL, &error));
    sparcl_train_init(&desc, SPARCL_RULE_ADAGRAD);
    desc.optim.lr = 0.1;
    need(sparcl_train(ctx, &model, data, NULL, &desc, NULL, &error));
    sparcl_data_free(data);
    return model;
}

/* The rows from `first` on, in place: nothing is copied on the way to a device that shares memory
 * with the host, and the graph of the model is not built again. */
static int64_t serve(sparcl_predictor *predictor, const sparcl_data *data, int64_t first,
                     int64_t rows) {
    double label[REQUEST];
    float p[REQUEST];
    int64_t right = 0;
    const sparcl_csr_arrays request = {.rows = rows,
                                       .offset_type = SPARCL_INDEX64,
                                       .offsets = sparcl_data_offsets(data) + first,
                                       .index_type = sparcl_data_index_type(data),
                                       .indices = sparcl_data_indices(data),
                                       .values = sparcl_data_values(data)};
    need(sparcl_model_predict(predictor, &request, label, p, NULL, &error));
    for (int64_t i = 0; i < rows; ++i)
        right += label[i] == sparcl_data_labels(data)[first + i];
    return right;
}

int main(int argc, char **argv) {
    sparcl_ctx *ctx;
    sparcl_data *data;
    sparcl_predictor *predictor;
    int64_t right = 0, requests = 0;
    if (argc != 3) return fprintf(stderr, "usage: predictions TRAIN TEST\n"), 2;
    need(sparcl_ctx_open(&ctx, NULL, &error));
    sparcl_model *const model = train(ctx, argv[1]);
    sparcl_data_desc desc = {.columns = sparcl_model_get_info(model)->columns};
    need(sparcl_data_read(&data, argv[2], &desc, &error));
    need(sparcl_model_open(ctx, &predictor, model, &error));
    const int64_t rows = sparcl_data_get_info(data)->rows;
    for (int64_t first = 0; first < rows; first += REQUEST, ++requests)
        right += serve(predictor, data, first, rows - first < REQUEST ? rows - first : REQUEST);
    printf("%lld requests, %lld rows: %.4f right\n", (long long)requests, (long long)rows,
           (double)right / (double)rows);
    sparcl_predictor_free(predictor);
    sparcl_model_free(model);
    sparcl_data_free(data);
    sparcl_ctx_close(ctx);
    return (double)right > 0.99 * (double)rows ? 0 : 1;
}
