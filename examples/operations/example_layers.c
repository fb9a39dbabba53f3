/* example_layers.c: an embedding bag with weights, its gradient, layer normalisation, dropout.
 * docs/operations/layers.md shows it, and what it prints. */
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
    /* Bag 0 has the rows 1 and 3, bag 1 none, bag 2 the padding index 0, row 2 and a bad index. */
    const int32_t indices[] = {1, 3, 0, 2, 9}, offsets[] = {0, 2, 2, 5};
    const float weights[] = {1, 3, 1, 2, 1}, rows[] = {9, 9, 1, 2, 3, 4, 5, 6};
    const float ones[] = {1, 1, 1, 1, 1, 1}, row[] = {1, 2, 3, 4};
    sparcl_dense table = {.rank = 2, .shape = {4, 2}}, y = {.rank = 2, .shape = {3, 2}}, g = y;
    sparcl_dense w = {.rank = 1, .shape = {5}}, gw = w, x = {.rank = 2, .shape = {1, 4}}, z = x;
    sparcl_list list = {.count = 5, .limit = 4};
    sparcl_bags bags = {.bags = 3, .include_last = 1, .has_padding = 1, .padding_index = 0};
    sparcl_buf *bad;
    if (sparcl_ctx_open(&ctx, NULL, NULL) != SPARCL_OK) return 1;
    need(sparcl_dense_upload(ctx, &table, rows));
    need(sparcl_dense_upload(ctx, &w, weights));
    need(sparcl_dense_upload(ctx, &g, ones));
    need(sparcl_dense_upload(ctx, &x, row));
    need(sparcl_dense_create(ctx, &y));
    need(sparcl_dense_create(ctx, &gw));
    need(sparcl_dense_create(ctx, &z));
    need(sparcl_list_create(ctx, &list)); /* an upload would validate it, and refuse the 9 */
    need(sparcl_buf_write(ctx, list.indices, 0, sizeof indices, indices));
    need(sparcl_buf_upload(ctx, &bags.offsets, offsets, sizeof offsets));
    need(sparcl_buf_create(ctx, &bad, sizeof(int64_t)));
    bags.indices = list, bags.weights = w.values;
    bags.mode = SPARCL_BAG_MEAN, bags.bounds = SPARCL_BOUNDS_SKIP;

    need(sparcl_embedding_bag(ctx, &y, &table, &bags, NULL, bad, 0));
    print_dense("means of bags", &y);
    print_ints("bad indices", bad, 1);
    need(sparcl_embedding_bag_weights_gradient(ctx, &gw, &g, &table, &y, &bags));
    print_dense("gradient by the weights", &gw);
    need(sparcl_layer_norm(ctx, &z, &x, NULL, NULL, 0, NULL, NULL));
    print_dense("layer normalisation", &z);
    need(sparcl_dropout(ctx, &z, &x, 0.5, 1, 0));
    print_dense("dropout", &z);

    sparcl_dense_free(&table), sparcl_dense_free(&y), sparcl_dense_free(&w), sparcl_dense_free(&g);
    sparcl_dense_free(&gw), sparcl_dense_free(&x), sparcl_dense_free(&z), sparcl_list_free(&list);
    sparcl_buf_free(bags.offsets), sparcl_buf_free(bad), sparcl_ctx_close(ctx);
    return 0;
}
