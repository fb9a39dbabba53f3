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
    need(sparcl_buf_create(ctx, &v.values, n * 4));
    need(sparcl_buf_fill(ctx, v.values, 0, n * 4, 0));
    return v;
}

static sparcl_csr put(const sparcl_data *data, int64_t columns, sparcl_dense *y) {
    const int64_t rows = sparcl_data_get_info(data)->rows,
                  nnz = sparcl_data_get_info(data)->entries;
    sparcl_csr x = {.rows = rows, .cols = columns, .nnz = nnz, .offset_type = SPARCL_I64};
    float *classes = malloc((size_t)rows * sizeof *classes);
    for (int64_t i = 0; i < rows; ++i)
        classes[i] = sparcl_data_labels(data)[i] > 0;
    *y = vector(rows);
    need(sparcl_buf_write(ctx, y->values, 0, rows * 4, classes));
    need(sparcl_buf_upload(ctx, &x.offsets, sparcl_data_offsets(data), (rows + 1) * 8));
    need(sparcl_buf_upload(ctx, &x.indices, sparcl_data_indices(data), nnz * 4));
    need(sparcl_buf_upload(ctx, &x.values, sparcl_data_values(data), nnz * 4));
    need(sparcl_csr_validate(ctx, &x, SPARCL_SORTED));
    free(classes);
    return x;
}

/* Mean loss of w on (x, y); score becomes its gradient by the scores. */
static float loss_of(const sparcl_csr *x, const sparcl_dense *w, const sparcl_dense *y,
                     const sparcl_dense *score, const sparcl_dense *losses,
                     const sparcl_dense *sum) {
    const double scale = 1.0 / (double)x->rows;
    float mean = 0;
    need(sparcl_spmm(ctx, score, 1, x, w, 0)); /* score = X w */
    need(sparcl_loss_gradient(ctx, SPARCL_LOSS_LOGISTIC, score, NULL, y, scale, score, losses));
    need(sparcl_sum_rows(ctx, sum, scale, losses, 0));
    need(sparcl_buf_read(ctx, sum->values, 0, 4, &mean));
    return mean;
}

int main(int argc, char **argv) {
    sparcl_data *files[2] = {NULL, NULL};
    if (argc != 3) return fprintf(stderr, "usage: logistic TRAIN TEST\n"), 2;
    need(sparcl_ctx_open(&ctx, NULL, &error));
    need(sparcl_data_read(&files[0], argv[1], NULL, &error));
    const sparcl_data_desc as_wide = {.columns = sparcl_data_get_info(files[0])->columns};
    need(sparcl_data_read(&files[1], argv[2], &as_wide, &error));

    float loss = 0;
    sparcl_dense w = vector(as_wide.columns), sums = vector(as_wide.columns), mean = vector(1);
    for (int f = 0; f < 2; ++f) { /* train on the first file, test on the second */
        sparcl_dense y, score, losses;
        sparcl_csr x = put(files[f], as_wide.columns, &y);
        score = vector(x.rows);
        losses = vector(x.rows);
        sparcl_rows gradient = {
            .rank = 1, .shape = {x.cols}, .nnr = x.cols < x.nnz ? x.cols : x.nnz};
        need(sparcl_buf_create(ctx, &gradient.indices, gradient.nnr * 4));
        need(sparcl_buf_create(ctx, &gradient.values, gradient.nnr * 4));
        need(sparcl_buf_create(ctx, &gradient.count, 8));

        sparcl_optim adagrad;
        sparcl_optim_init(&adagrad, SPARCL_RULE_ADAGRAD);
        adagrad.lr = 0.5;
        for (int step = 0; step < (f == 0 ? 50 : 1); ++step) {
            loss = loss_of(&x, &w, &y, &score, &losses, &mean);
            if (step % 10 == 0) printf("%s %2d: loss %.5f\n", f ? "test" : "train", step, loss);
            if (f == 1) break;
            need(
                sparcl_spmm_t_rows(ctx, &gradient, 1, &x, &score, NULL)); /* X' score, row-sparse */
            need(sparcl_step(ctx, &adagrad, &w, &sums, &gradient));
        }
        sparcl_buf *const own[] = {x.offsets,        x.indices,       x.values,
                                   y.values,         score.values,    losses.values,
                                   gradient.indices, gradient.values, gradient.count};
        for (size_t b = 0; b < sizeof own / sizeof *own; ++b)
            sparcl_buf_free(own[b]);
        sparcl_data_free(files[f]);
    }
    sparcl_buf_free(w.values);
    sparcl_buf_free(sums.values);
    sparcl_buf_free(mean.values);
    sparcl_ctx_close(ctx);
    return loss < 0.6931f ? 0 : 1; /* log 2 is what knowing nothing costs */
}
