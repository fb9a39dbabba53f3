/* row_sparse_step.c: training steps on the rows that a batch has: product, loss, row-sparse
 * gradient, Adam, weights read back. docs/embedding.md shows it. */
#include <stdio.h>
#include <stdlib.h>

#include <sparcl/sparcl.h>

static sparcl_ctx *ctx;

static void need(sparcl_status status) {
    if (status == SPARCL_OK) return;
    fprintf(stderr, "%s\n", sparcl_ctx_error(ctx)->message);
    exit(1);
}

int main(void) {
    static const int32_t offsets[] = {0, 2, 3, 5}, columns[] = {0, 6, 2, 0, 2};
    static const float values[] = {1, 2, 1, 1, 1}, y[] = {1, 0, 1};
    float w[8], losses[3] = {0};
    sparcl_csr batch = {.rows = 3, .cols = 8, .nnz = 5};
    sparcl_dense labels = {.rank = 1, .shape = {3}}, scores = labels, loss = labels;
    sparcl_dense table = {.rank = 1, .shape = {8}}, states[SPARCL_MAX_STATES];
    sparcl_rows gradient = {.rank = 1, .shape = {8}, .nnr = 5}; /* at most, as the entries */
    sparcl_optim adam;
    need(sparcl_ctx_open(&ctx, NULL, NULL));
    need(sparcl_csr_upload(ctx, &batch, offsets, columns, values, 0)); /* validated here */
    need(sparcl_dense_upload(ctx, &labels, y));
    need(sparcl_dense_create(ctx, &scores)), need(sparcl_dense_create(ctx, &loss));
    need(sparcl_rows_create(ctx, &gradient)), need(sparcl_dense_zeros(ctx, &table));
    sparcl_optim_init(&adam, SPARCL_RULE_ADAM);
    adam.lr = 0.1;
    need(sparcl_optim_create_states(ctx, &adam, &table, states));
    for (adam.step = 1; adam.step <= 50; ++adam.step) { /* Adam needs its number */
        need(sparcl_spmm(ctx, &scores, 1, &batch, &table, 0));
        need(sparcl_loss_gradient(ctx, SPARCL_LOSS_LOGISTIC, &scores, NULL, &labels, 1.0 / 3,
                                  &scores, &loss)); /* scores become d loss / d score */
        need(sparcl_spmm_t_rows(ctx, &gradient, 1, &batch, &scores, NULL));
        need(sparcl_step(ctx, &adam, &table, states, &gradient)); /* rows 0, 2 and 6 */
    }
    need(sparcl_dense_read(ctx, &loss, losses)), need(sparcl_dense_read(ctx, &table, w));
    printf("loss %.4f, weights", (double)(losses[0] + losses[1] + losses[2]) / 3);
    for (int i = 0; i < 8; ++i)
        printf(" %.3f", (double)w[i]);
    printf("\n");
    for (int i = 0; i < sparcl_rule_states(adam.rule); ++i)
        sparcl_dense_free(&states[i]);
    sparcl_csr_free(&batch), sparcl_rows_free(&gradient), sparcl_dense_free(&labels);
    sparcl_dense_free(&scores), sparcl_dense_free(&loss), sparcl_dense_free(&table);
    sparcl_ctx_close(ctx);
    return losses[0] < 0.2f && w[1] == 0 ? 0 : 1;
}
