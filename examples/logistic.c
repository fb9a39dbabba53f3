/* logistic.c: logistic regression from sparse products, in one screen.
 *
 *     logistic FILE      LIBSVM text, labels 0 and 1
 */
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

static sparcl_dense zeros(int64_t n) {
    sparcl_dense v = {.rank = 1, .shape = {n}};
    need(sparcl_dense_zeros(ctx, &v));
    return v;
}

int main(int argc, char **argv) {
    sparcl_data *data = NULL;
    sparcl_csr x;
    sparcl_dense y;
    sparcl_optim adagrad;
    float loss = 0;
    if (argc != 2) return fprintf(stderr, "usage: logistic FILE\n"), 2;
    need(sparcl_ctx_open(&ctx, NULL, &error));
    need(sparcl_data_read(&data, argv[1], NULL, &error));
    need(sparcl_data_upload(ctx, data, &x, &y, &error));
    sparcl_dense w = zeros(x.cols), sums = zeros(x.cols), mean = zeros(1);
    sparcl_dense score = zeros(x.rows), losses = zeros(x.rows);
    sparcl_rows gradient = {.rank = 1, .shape = {x.cols}, .nnr = x.cols};
    need(sparcl_rows_create(ctx, &gradient));
    sparcl_optim_init(&adagrad, SPARCL_RULE_ADAGRAD);
    adagrad.lr = 0.5;
    const double part = 1.0 / (double)x.rows;
    for (int step = 0; step <= 50; ++step) {
        need(sparcl_spmm(ctx, &score, 1, &x, &w, 0)); /* score = X w, then the loss's gradient */
        need(sparcl_loss_gradient(ctx, SPARCL_LOSS_LOGISTIC, &score, NULL, &y, part, &score,
                                  &losses));
        need(sparcl_sum_rows(ctx, &mean, part, &losses, 0));
        need(sparcl_dense_read(ctx, &mean, &loss));
        if (step % 10 == 0) printf("%2d: loss %.5f\n", step, loss);
        need(sparcl_spmm_t_rows(ctx, &gradient, 1, &x, &score, NULL)); /* X' score, row-sparse */
        need(sparcl_step(ctx, &adagrad, &w, &sums, &gradient));
    }
    sparcl_dense *const own[] = {&y, &w, &sums, &mean, &score, &losses};
    for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
        sparcl_dense_free(own[i]);
    sparcl_rows_free(&gradient);
    sparcl_csr_free(&x);
    sparcl_data_free(data);
    sparcl_ctx_close(ctx);
    return loss < 0.1f ? 0 : 1;
}
