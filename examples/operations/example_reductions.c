/* example_reductions.c: means and maxima of sparse rows, of segments, and a softmax.
 * docs/operations/reductions.md shows it, and what it prints. */
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

static void print_ints(const char *name, const sparcl_buf *x, int count) {
    int64_t host[16];
    need(sparcl_buf_read(ctx, x, 0, (int64_t)sizeof *host * count, host));
    printf("%s:", name);
    for (int i = 0; i < count; ++i)
        printf(" %d", (int)host[i]);
    printf("\n");
}

int main(void) {
    /* A =  1  0  3  0
     *      0  0  0  0
     *     -2 -1  0 -1 */
    const int32_t offsets[] = {0, 2, 2, 5}, columns[] = {0, 2, 0, 1, 3}, segment[] = {1, 0, 1};
    const float values[] = {1, 3, -2, -1, -1}, x_host[] = {1, 2, 3, 4, 5, 6};
    sparcl_csr a = {.rows = 3, .cols = 4, .nnz = 5};
    sparcl_dense rows = {.rank = 1, .shape = {3}}, soft = {.rank = 1, .shape = {5}};
    sparcl_dense x = {.rank = 2, .shape = {3, 2}}, sums = {.rank = 2, .shape = {3, 2}};
    sparcl_list ids = {.count = 3, .limit = 3};
    sparcl_buf *positions;
    if (sparcl_ctx_open(&ctx, NULL, NULL) != SPARCL_OK) return 1;
    need(sparcl_csr_upload(ctx, &a, offsets, columns, values, 0));
    need(sparcl_list_upload(ctx, &ids, segment, 0));
    need(sparcl_dense_upload(ctx, &x, x_host));
    need(sparcl_dense_create(ctx, &rows));
    need(sparcl_dense_create(ctx, &soft));
    need(sparcl_dense_create(ctx, &sums));
    need(sparcl_buf_create(ctx, &positions, 3 * (int64_t)sizeof(int64_t)));

    const sparcl_reduce_over all = SPARCL_OVER_ALL, stored = SPARCL_OVER_STORED;
    need(sparcl_csr_reduce(ctx, SPARCL_REDUCE_MEAN, all, &rows, &a, 1, NULL, 0, NULL));
    print_dense("means of rows, of all elements", &rows);
    need(sparcl_csr_reduce(ctx, SPARCL_REDUCE_MEAN, stored, &rows, &a, 1, NULL, 0, NULL));
    print_dense("of stored entries", &rows);
    need(sparcl_csr_reduce(ctx, SPARCL_REDUCE_MAX, all, &rows, &a, 1, NULL, 0, NULL));
    print_dense("maxima of rows, of all elements", &rows);
    need(sparcl_csr_reduce(ctx, SPARCL_REDUCE_MAX, stored, &rows, &a, 1, positions, 0, NULL));
    print_dense("of stored entries", &rows);
    print_ints("their positions", positions, 3);
    need(sparcl_csr_softmax(ctx, SPARCL_SOFTMAX, &soft, &a));
    print_dense("softmax of each row", &soft);
    const sparcl_segments segments = {.ids = &ids};
    need(sparcl_segment_reduce(ctx, SPARCL_REDUCE_SUM, &sums, &x, &segments, NULL, 0));
    print_dense("sums of segments", &sums);

    sparcl_csr_free(&a), sparcl_list_free(&ids), sparcl_buf_free(positions);
    sparcl_dense_free(&rows), sparcl_dense_free(&soft), sparcl_dense_free(&x);
    sparcl_dense_free(&sums), sparcl_ctx_close(ctx);
    return 0;
}
