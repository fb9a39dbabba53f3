/* example_products.c: a sparse product, its gradients, and a product of two sparse matrices.
 * docs/operations/products.md shows it, and what it prints. */
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

/* name: row index: its elements ... */
static void print_rows(const char *name, const sparcl_rows *x) {
    int32_t indices[8];
    float values[16];
    int64_t stored;
    need(sparcl_rows_read(ctx, x, indices, values, &stored));
    printf("%s:", name);
    for (int64_t k = 0; k < stored; ++k)
        printf(" row %d: %g %g", (int)indices[k], (double)values[2 * k], (double)values[2 * k + 1]);
    printf("\n");
}

/* A * transpose(A): the number of entries is found first. */
static void square(const sparcl_csr *a) {
    sparcl_csr t = {.rows = a->cols, .cols = a->rows, .nnz = a->nnz};
    sparcl_csr c = {.rows = a->rows, .cols = a->rows};
    sparcl_spgemm *plan;
    need(sparcl_csr_create(ctx, &t));
    need(sparcl_csr_transpose(ctx, &t, a, NULL));
    need(sparcl_spgemm_create(ctx, &plan));
    need(sparcl_spgemm_symbolic(ctx, plan, a, &t));
    need(sparcl_spgemm_entries(ctx, plan, &c.nnz));
    need(sparcl_csr_create(ctx, &c));
    need(sparcl_spgemm_numeric(ctx, plan, &c, a, &t, NULL));
    print_csr("A A'", &c);
    sparcl_spgemm_free(plan), sparcl_csr_free(&t), sparcl_csr_free(&c);
}

int main(void) {
    /* A = 1 0 0 2
     *     0 0 4 0 */
    const int32_t offsets[] = {0, 2, 3}, columns[] = {0, 3, 2};
    const float values[] = {1, 2, 4}, b_host[] = {1, 2, 3, 4, 5, 6, 7, 8}, ones[] = {1, 1, 1, 1};
    sparcl_csr a = {.rows = 2, .cols = 4, .nnz = 3};
    sparcl_dense b = {.rank = 2, .shape = {4, 2}}, c = {.rank = 2, .shape = {2, 2}}, g = c;
    sparcl_dense ga = {.rank = 1, .shape = {3}};
    sparcl_rows gb = {.rank = 2, .shape = {4, 2}, .nnr = 3};
    if (sparcl_ctx_open(&ctx, NULL, NULL) != SPARCL_OK) return 1;
    need(sparcl_csr_upload(ctx, &a, offsets, columns, values, 0));
    need(sparcl_dense_upload(ctx, &b, b_host));
    need(sparcl_dense_upload(ctx, &g, ones));
    need(sparcl_dense_create(ctx, &c));
    need(sparcl_dense_create(ctx, &ga));
    need(sparcl_rows_create(ctx, &gb));

    need(sparcl_spmm(ctx, &c, 1, &a, &b, 0));
    print_dense("A B", &c);
    need(sparcl_spmm_t_rows(ctx, &gb, 1, &a, &g, NULL)); /* column 1 of A is empty */
    print_rows("gradient by B", &gb);
    need(sparcl_sddmm(ctx, &ga, 1, &a, &g, &b, 0));
    print_dense("gradient by the values of A", &ga);
    need(sparcl_spmm_reduce(ctx, SPARCL_REDUCE_MAX, &c, &a, &b, NULL));
    print_dense("maximum of the terms", &c);
    square(&a);

    sparcl_csr_free(&a), sparcl_dense_free(&b), sparcl_dense_free(&c), sparcl_dense_free(&g);
    sparcl_dense_free(&ga), sparcl_rows_free(&gb), sparcl_ctx_close(ctx);
    return 0;
}
