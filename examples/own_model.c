/* own_model.c: a model of one's own: two layers on sparse input, trained, evaluated, saved and read
 * back.
 *
 *     own_model TRAIN TEST FILE     LIBSVM text with two labels; FILE is written
 */
#include <stdio.h>
#include <stdlib.h>

#include <sparcl/apply.h>
#include <sparcl/sparcl.h>
#include <sparcl/train.h>

enum { HIDDEN = 16 };

static sparcl_error error;

static void need(sparcl_status status) {
    if (status == SPARCL_OK) return;
    fprintf(stderr, "%s\n", error.message);
    exit(1);
}

/* relu(X w1 + b1) w2 + b2 */
static sparcl_status build(void *user, sparcl_build *b) {
    const int64_t w1[] = {b->columns, HIDDEN}, b1 = HIDDEN, w2[] = {HIDDEN, b->outputs};
    sparcl_graph *const g = b->graph;
    (void)user;
    sparcl_node h = sparcl_graph_spmm(g, b->x, sparcl_build_parameter(b, "w1", 2, w1, NULL));
    h = sparcl_graph_binary(g, SPARCL_BINARY_ADD, h, sparcl_build_parameter(b, "b1", 1, &b1, NULL));
    h = sparcl_graph_unary(g, SPARCL_UNARY_RELU, h);
    h = sparcl_graph_gemm(g, SPARCL_OP_N, h, SPARCL_OP_N,
                          sparcl_build_parameter(b, "w2", 2, w2, NULL));
    b->scores = sparcl_graph_binary(g, SPARCL_BINARY_ADD, h,
                                    sparcl_build_parameter(b, "b2", 1, &b->outputs, NULL));
    return SPARCL_OK;
}

/* Small numbers from a seed: layers of zeros would never differ. */
static void initialize(void *user, uint64_t seed, int parameter, int rank, const int64_t *shape,
                       float *values) {
    unsigned x = (unsigned)seed + (unsigned)parameter;
    (void)user;
    for (int64_t i = 0; rank == 2 && i < shape[0] * shape[1]; i++) {
        x = x * 1664525u + 1013904223u;
        values[i] = ((float)(x >> 8) / 16777216.0f - 0.5f) / 2;
    }
}

static int print_loss(void *user, const sparcl_train_progress *now) {
    (void)user;
    if (now->epoch % 10 == 0) printf("%2d: loss %.5f\n", (int)now->epoch, now->loss);
    return 0;
}

int main(int argc, char **argv) {
    static const char *const names[] = {"w1", "b1", "w2", "b2", NULL};
    const sparcl_architecture two_layers = {
        .name = "two-layers", .build = build, .parameters = names, .init = initialize};
    sparcl_ctx *ctx;
    sparcl_data *train, *test;
    sparcl_model *model, *loaded;
    sparcl_metrics trained, again;
    sparcl_train_desc desc;
    if (argc != 4) return fprintf(stderr, "usage: own_model TRAIN TEST FILE\n"), 2;
    need(sparcl_ctx_open(&ctx, NULL, &error));
    need(sparcl_data_read(&train, argv[1], NULL, &error));
    need(sparcl_data_read(&test, argv[2], NULL, &error));
    sparcl_train_init(&desc, SPARCL_RULE_ADAM);
    desc.architecture = &two_layers;
    desc.loss = SPARCL_LOSS_SOFTMAX;
    desc.optim.lr = 0.02;
    desc.epochs = 60;
    desc.batch = 0; /* all rows */
    desc.progress = print_loss;
    need(sparcl_train(ctx, &model, train, NULL, &desc, NULL, &error));
    need(sparcl_eval(ctx, model, test, &trained, &error));
    need(sparcl_model_save(model, argv[3], &error));
    need(sparcl_model_load_as(&loaded, argv[3], &two_layers, &error));
    need(sparcl_eval(ctx, loaded, test, &again, &error));
    printf("test loss %.5f, accuracy %.3f, read back %.5f\n", trained.loss, trained.accuracy,
           again.loss);
    sparcl_model_free(model), sparcl_model_free(loaded);
    sparcl_data_free(train), sparcl_data_free(test);
    sparcl_ctx_close(ctx);
    return trained.loss == again.loss && trained.loss < 0.1 ? 0 : 1;
}
