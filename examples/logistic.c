/* logistic.c: logistic regression on LIBSVM text (argument 1; labels 0, 1), as a graph. */
#include <stdio.h>
#include <stdlib.h>

#include <sparcl/data.h>
#include <sparcl/sparcl.h>

static sparcl_ctx *ctx;
static sparcl_error error;

static void need(sparcl_status status) {
    if (status == SPARCL_OK) return;
    fprintf(stderr, "%s\n", *error.message ? error.message : sparcl_ctx_error(ctx)->message);
    exit(1);
}

int main(int argc, char **argv) {
    sparcl_data *data;
    sparcl_csr x;
    sparcl_dense y, mean;
    sparcl_optim adagrad;
    sparcl_graph *g;
    float loss = 1;
    if (argc != 2) return fprintf(stderr, "usage: logistic FILE\n"), 2;
    need(sparcl_ctx_open(&ctx, NULL, &error));
    need(sparcl_data_read(&data, argv[1], NULL, &error));
    need(sparcl_data_upload(ctx, data, &x, &y, &error));
    sparcl_optim_init(&adagrad, SPARCL_RULE_ADAGRAD);
    adagrad.lr = 0.5;
    need(sparcl_graph_create(ctx, &g));
    const sparcl_node a = sparcl_graph_csr(g, "x", x.rows, x.cols, x.nnz);
    const sparcl_node labels = sparcl_graph_dense(g, "labels", 1, y.shape);
    const sparcl_node w = sparcl_graph_parameter(g, "w", 1, &x.cols, &adagrad);
    const sparcl_node scores = sparcl_graph_spmm(g, a, w);
    const sparcl_node objective =
        sparcl_graph_mean(g, sparcl_graph_loss(g, SPARCL_LOSS_LOGISTIC, scores, labels));
    sparcl_graph_output(g, objective);
    need(sparcl_graph_backward(g, objective));
    need(sparcl_graph_bind_csr(g, a, &x));
    need(sparcl_graph_bind_dense(g, labels, &y));
    for (int step = 0; step <= 50; ++step) {
        need(sparcl_graph_step(g)); /* forward, gradient, and a step of the rows that it has */
        need(sparcl_graph_value(g, objective, &mean));
        need(sparcl_dense_read(ctx, &mean, &loss));
        if (step % 10 == 0) printf("%2d: loss %.5f\n", step, loss);
    }
    sparcl_graph_free(g), sparcl_csr_free(&x), sparcl_dense_free(&y), sparcl_data_free(data);
    sparcl_ctx_close(ctx);
    return loss < 0.1f ? 0 : 1;
}
