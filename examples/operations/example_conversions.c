/* example_conversions.c: from dense to sparse by threshold and by rank, and back.
 * docs/operations/conversions.md shows it, and what it prints. */
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

/* name: (row, column) value ... */
static void print_csr(const char *name, const sparcl_csr *a) {
    int32_t offsets[8], columns[16];
    float values[16];
    need(sparcl_csr_read(ctx, a, offsets, columns, values, NULL));
    printf("%s:", name);
    for (int i = 0; i < a->rows; ++i)
        for (int k = offsets[i]; k < offsets[i + 1]; ++k)
            printf(" (%d, %d) %g", i, (int)columns[k], (double)values[k]);
    printf("\n");
}

/* The elements of x whose absolute value exceeds a threshold; their number is found first. */
static void exceed(const sparcl_dense *x, double threshold) {
    sparcl_csr a = {.rows = x->shape[0], .cols = x->shape[1]};
    sparcl_buf *needed;
    need(sparcl_buf_create(ctx, &needed, sizeof a.nnz));
    need(sparcl_csr_create(ctx, &a));
    const sparcl_moved moved = {.needed = needed};
    need(sparcl_dense_to_csr(ctx, &a, x, threshold, &moved)); /* no room: only counts */
    need(sparcl_buf_read(ctx, needed, 0, sizeof a.nnz, &a.nnz));
    sparcl_csr_free(&a);
    need(sparcl_csr_create(ctx, &a));
    need(sparcl_dense_to_csr(ctx, &a, x, threshold, NULL));
    print_csr("above the threshold", &a);
    sparcl_csr_free(&a), sparcl_buf_free(needed);
}

int main(void) {
    const float host[] = {0, -3, 1, 0.5f, 2, 0, 0, 2};
    sparcl_dense x = {.rank = 2, .shape = {2, 4}}, back = x, masked = {.rank = 1, .shape = {4}};
    sparcl_csr largest = {.rows = 2, .cols = 4, .nnz = 4};
    if (sparcl_ctx_open(&ctx, NULL, NULL) != SPARCL_OK) return 1;
    need(sparcl_dense_upload(ctx, &x, host));
    need(sparcl_dense_create(ctx, &back));
    need(sparcl_dense_create(ctx, &masked));
    need(sparcl_csr_create(ctx, &largest));

    exceed(&x, 0.75);
    need(sparcl_topk_rows(ctx, &largest, &x, 2, SPARCL_TOPK_MAGNITUDE));
    print_csr("2 of each row", &largest);
    need(sparcl_sparse_mask(ctx, &masked, &x, &largest));
    print_dense("the elements there", &masked);
    need(sparcl_ctx_set_densify(ctx, SPARCL_DENSIFY_ERROR, 16)); /* arrays of more than 16 bytes */
    if (sparcl_csr_to_dense(ctx, &back, &largest) != SPARCL_OK)
        printf("%s\n", sparcl_ctx_error(ctx)->message);
    need(sparcl_ctx_set_densify(ctx, SPARCL_DENSIFY_ALLOW, 0));
    need(sparcl_csr_to_dense(ctx, &back, &largest));
    print_dense("dense again", &back);

    sparcl_dense_free(&x), sparcl_dense_free(&back), sparcl_dense_free(&masked);
    sparcl_csr_free(&largest), sparcl_ctx_close(ctx);
    return 0;
}
