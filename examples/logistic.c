/* logistic.c: logistic regression from sparse products, in one screen.
 *
 *     logistic TRAIN TEST      LIBSVM files with labels of two classes
 *
 * The data stay in CSR form from the file to the gradient; a step costs what its entries cost. */
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

static sparcl_dense vector(int64_t n) { /* n zeros on the device */
    sparcl_dense v = {.rank = 1, .shape = {n}};
    need(sparcl_dense_zeros(ctx, &v));
    return v;
}

/* Mean loss of the weights w on a file, after so many steps of Adagrad on it. */
static float run(const char *path, int steps, sparcl_dense *w, sparcl_dense *sums) {
    const sparcl_data_desc as_wide = {.columns = w->shape[0]}; /* 0 at first: what the file has */
    sparcl_optim adagrad;
    const sparcl_loss logistic = SPARCL_LOSS_LOGISTIC;
    sparcl_data *data = NULL;
    sparcl_csr x;
    sparcl_dense labels;
    float loss = 0;
    sparcl_optim_init(&adagrad, SPARCL_RULE_ADAGRAD);
    adagrad.lr = 0.5;
    need(sparcl_data_read(&data, path, &as_wide, &error));
    need(sparcl_data_upload(ctx, data, &x, &labels, &error));
    sparcl_data_free(data);
    if (w->rank == 0) *w = vector(x.cols), *sums = vector(x.cols);
    const double part = 1.0 / (double)x.rows;
    sparcl_dense mean = vector(1), y = vector(x.rows), score = vector(x.rows),
                 losses = vector(x.rows);
    sparcl_rows gradient = {.rank = 1, .shape = {x.cols}, .nnr = x.cols < x.nnz ? x.cols : x.nnz};
    need(sparcl_rows_create(ctx, &gradient));
    need(sparcl_loss_predict(ctx, logistic, &labels, NULL, &y, &losses)); /* y = labels > 0 */
    for (int step = 0; step <= steps; ++step) {
        if (step > 0) {
            need(sparcl_spmm_t_rows(ctx, &gradient, 1, &x, &score, NULL)); /* X' score, in rows */
            need(sparcl_step(ctx, &adagrad, w, sums, &gradient));
        }
        need(sparcl_spmm(ctx, &score, 1, &x, w, 0)); /* score = X w, then the loss's gradient */
        need(sparcl_loss_gradient(ctx, logistic, &score, NULL, &y, part, &score, &losses));
        need(sparcl_sum_rows(ctx, &mean, part, &losses, 0));
        need(sparcl_dense_read(ctx, &mean, &loss));
        if (step % 10 == 0) printf("%s %2d: loss %.5f\n", steps ? "train" : "test", step, loss);
    }
    sparcl_dense *const own[] = {&labels, &y, &score, &losses, &mean};
    for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
        sparcl_dense_free(own[i]);
    sparcl_rows_free(&gradient);
    sparcl_csr_free(&x);
    return loss;
}

int main(int argc, char **argv) {
    sparcl_dense w = {0}, sums = {0};
    if (argc != 3) return fprintf(stderr, "usage: logistic TRAIN TEST\n"), 2;
    need(sparcl_ctx_open(&ctx, NULL, &error));
    run(argv[1], 50, &w, &sums);
    const float loss = run(argv[2], 0, &w, &sums);
    sparcl_dense_free(&w);
    sparcl_dense_free(&sums);
    sparcl_ctx_close(ctx);
    return loss < 0.6931f ? 0 : 1; /* log 2 is what knowing nothing costs */
}
