/* example_elements.c: functions of the values of a sparse matrix, a sum of two, broadcasting, a
 * sum of row-sparse arrays.
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

/* Rows of two elements of arrays with 100 rows. */
static void add_rows(void) {
    const int32_t r_rows[] = {70, 2}, t_rows[] = {2, 5};
    const float r_values[] = {1, 2, 3, 4}, t_values[] = {30, 40, 50, 60};
    sparcl_rows r = {.rank = 2, .shape = {100, 2}, .nnr = 2}, t = r, sum = r;
    int32_t rows[4];
    float values[8];
    int64_t count;
    sum.nnr = 4;
    need(sparcl_rows_upload(ctx, &r, r_rows, r_values, SPARCL_UNIQUE));
    need(sparcl_rows_upload(ctx, &t, t_rows, t_values, SPARCL_UNIQUE));
    need(sparcl_rows_create(ctx, &sum));
    const sparcl_term terms[] = {{1, .rows = &r}, {1, .rows = &t}};
    need(sparcl_rows_add_n(ctx, &sum, terms, 2, NULL));
    need(sparcl_rows_read(ctx, &sum, rows, values, &count));
    printf("R + T:");
    for (int i = 0; i < count; ++i)
        printf(" row %d (%g %g)", (int)rows[i], (double)values[2 * i], (double)values[2 * i + 1]);
    printf("\n");
    sparcl_rows_free(&r), sparcl_rows_free(&t), sparcl_rows_free(&sum);
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
    need(sparcl_csr_add(ctx, &sum, 1, &a, 1, &b, NULL));
    print_csr("A + B", &sum); /* 4 - 4 stays an entry */
    need(sparcl_csr_multiply(ctx, &product, &a, &b, NULL));
    print_csr("A times B, element by element", &product);
    need(sparcl_binary_scalar(ctx, SPARCL_BINARY_MAXIMUM, &v, &s, 15));
    print_dense("maximum of dense elements and 15", &v);
    add_rows();

    sparcl_csr_free(&a), sparcl_csr_free(&b), sparcl_csr_free(&sum), sparcl_csr_free(&product);
    sparcl_dense_free(&v), sparcl_dense_free(&s), sparcl_ctx_close(ctx);
    return 0;
}
