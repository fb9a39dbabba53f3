/* example_losses.c: the logistic loss of a linear model as a graph, its gradient, and one step.
 * docs/operations/losses.md shows it, and what it prints. */
#include <stdio.h>
#include <stdlib.h>

#include <sparcl/sparcl.h>

static sparcl_ctx *ctx;

static void need(sparcl_status status) {
    if (status == SPARCL_OK) return;
    fprintf(stderr, "%s\n", sparcl_ctx_error(ctx)->message);
    exit(1);
}

static void print_dense(const char *name, const sparcl_dense *x) {
    float host[16];
    need(sparcl_dense_read(ctx, x, host));
    printf("%s:", name);
    for (int64_t i = 0; i < x->shape[0] * sparcl_row_width(x->rank, x->shape); ++i)
        printf(" %g", (double)host[i]);
    printf("\n");
}

int main(void) {
    /* X = 1 0 2, labels 1
     *     0 0 1         0 */
    const int32_t offsets[] = {0, 2, 3}, columns[] = {0, 2, 2};
    const float values[] = {1, 2, 1}, labels[] = {1, 0};
    sparcl_csr x = {.rows = 2, .cols = 3, .nnz = 3};
    sparcl_dense y = {.rank = 1, .shape = {2}}, label = y, p = y, scores, weights, losses;
    sparcl_rows gradient;
    sparcl_optim sgd;
    sparcl_graph *g;
    float gw[3];
    int32_t rows[3];
    int64_t stored;
    if (sparcl_ctx_open(&ctx, NULL, NULL) != SPARCL_OK) return 1;
    need(sparcl_csr_upload(ctx, &x, offsets, columns, values, 0));
    need(sparcl_dense_upload(ctx, &y, labels));
    need(sparcl_dense_create(ctx, &label));
    need(sparcl_dense_create(ctx, &p));
    sparcl_optim_init(&sgd, SPARCL_RULE_SGD);
    sgd.lr = 1;

    need(sparcl_graph_create(ctx, &g));
    const sparcl_node in = sparcl_graph_csr(g, "x", 2, 3, 3);
    const sparcl_node truth = sparcl_graph_dense(g, "labels", 1, (int64_t[]){2});
    const sparcl_node w = sparcl_graph_parameter(g, "w", 1, (int64_t[]){3}, &sgd);
    const sparcl_node score = sparcl_graph_spmm(g, in, w);
    const sparcl_node loss = sparcl_graph_loss(g, SPARCL_LOSS_LOGISTIC, score, truth);
    need(sparcl_graph_backward(g, sparcl_graph_mean(g, loss)));
    sparcl_graph_output(g, score), sparcl_graph_output(g, loss);
    sparcl_graph_output(g, sparcl_graph_gradient(g, w));
    need(sparcl_graph_bind_csr(g, in, &x));
    need(sparcl_graph_bind_dense(g, truth, &y));

    need(sparcl_graph_step(g)); /* from weights of 0 */
    need(sparcl_graph_value(g, loss, &losses));
    print_dense("losses", &losses);
    need(sparcl_graph_rows_value(g, sparcl_graph_gradient(g, w), &gradient));
    need(sparcl_rows_read(ctx, &gradient, rows, gw, &stored));
    printf("gradient by the weights:");
    for (int64_t k = 0; k < stored; ++k)
        printf(" (%d) %g", (int)rows[k], (double)gw[k]);
    printf("\n");
    need(sparcl_graph_value(g, w, &weights));
    print_dense("weights after one step", &weights);
    need(sparcl_graph_forward(g));
    need(sparcl_graph_value(g, score, &scores));
    need(sparcl_loss_predict(ctx, SPARCL_LOSS_LOGISTIC, &scores, NULL, &label, &p));
    print_dense("predicted labels", &label);
    print_dense("their probabilities", &p);

    sparcl_csr_free(&x), sparcl_dense_free(&y), sparcl_dense_free(&label), sparcl_dense_free(&p);
    sparcl_graph_free(g), sparcl_ctx_close(ctx);
    return 0;
}
