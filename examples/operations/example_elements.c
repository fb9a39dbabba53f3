/* example_elements.c: functions of the values of a sparse matrix, a sum of two, broadcasting.
 * docs/operations/elements.md shows it, and what it prints. */
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

int main(void) {
    /* A = 1 0 4    B = 0 0 -4
     *     0 9 0        2 0  0 */
    const int32_t a_offsets[] = {0, 2, 3}, a_columns[] = {0, 2, 1};
    const int32_t b_offsets[] = {0, 1, 2}, b_columns[] = {2, 0};
    const float a_values[] = {1, 4, 9}, b_values[] = {-4, 2}, scale[] = {10, 20, 30};
    sparcl_csr a = {.rows = 2, .cols = 3, .nnz = 3}, b = {.rows = 2, .cols = 3, .nnz = 2};
    sparcl_csr sum = {.rows = 2, .cols = 3, .nnz = 5}, product = {.rows = 2, .cols = 3, .nnz = 2};
    sparcl_dense v = {.rank = 1, .shape = {3}}, s = v;
    if (sparcl_ctx_open(&ctx, NULL, NULL) != SPARCL_OK) return 1;
    need(sparcl_csr_upload(ctx, &a, a_offsets, a_columns, a_values, SPARCL_SORTED));
    need(sparcl_csr_upload(ctx, &b, b_offsets, b_columns, b_values, SPARCL_SORTED));
    need(sparcl_dense_upload(ctx, &s, scale));
    need(sparcl_dense_create(ctx, &v));
    need(sparcl_csr_create(ctx, &sum));
    need(sparcl_csr_create(ctx, &product));

    need(sparcl_csr_unary(ctx, SPARCL_UNARY_SQRT, &v, &a));
    print_dense("square roots of A's values", &v);
    if (sparcl_csr_unary(ctx, SPARCL_UNARY_EXP, &v, &a) != SPARCL_OK) /* exp(0) is not 0 */
        printf("%s\n", sparcl_ctx_error(ctx)->message);
    need(sparcl_csr_broadcast(ctx, SPARCL_BINARY_MULTIPLY, &v, &a, &s, 0));
    print_dense("A's values times a number for each column", &v);
    need(sparcl_csr_add(ctx, &sum, 1, &a, 1, &b, NULL, 0, NULL));
    print_csr("A + B", &sum); /* 4 - 4 stays an entry */
    need(sparcl_csr_multiply(ctx, &product, &a, &b, NULL, 0, NULL));
    print_csr("A times B, element by element", &product);
    need(sparcl_binary_scalar(ctx, SPARCL_BINARY_MAXIMUM, &v, &s, 15));
    print_dense("maximum of dense elements and 15", &v);

    sparcl_csr_free(&a), sparcl_csr_free(&b), sparcl_csr_free(&sum), sparcl_csr_free(&product);
    sparcl_dense_free(&v), sparcl_dense_free(&s), sparcl_ctx_close(ctx);
    return 0;
}
