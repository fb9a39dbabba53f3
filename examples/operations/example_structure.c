/* example_structure.c: selected columns and where their values come from, capacity, duplicates.
 * docs/operations/structure.md shows it, and what it prints. */
#include <stdio.h>
#include <stdlib.h>

#include <sparcl/sparcl.h>

static sparcl_ctx *ctx;

static void need(sparcl_status status) {
    if (status == SPARCL_OK) return;
    fprintf(stderr, "%s\n", sparcl_ctx_error(ctx)->message);
    exit(1);
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

static void print_ints(const char *name, const sparcl_buf *x, int count) {
    int64_t host[16];
    need(sparcl_buf_read(ctx, x, 0, (int64_t)sizeof *host * count, host));
    printf("%s:", name);
    for (int i = 0; i < count; ++i)
        printf(" %d", (int)host[i]);
    printf("\n");
}

int main(void) {
    /* A = 1 0 2 0    with the 5 stored as 2 + 3
     *     0 3 0 0
     *     5 0 0 4 */
    const int32_t offsets[] = {0, 2, 3, 6}, columns[] = {0, 2, 1, 0, 0, 3}, picked[] = {2, 0};
    const float values[] = {1, 2, 3, 2, 3, 4};
    sparcl_csr a = {.rows = 3, .cols = 4, .nnz = 6}, unique = a;
    sparcl_csr two = {.rows = 3, .cols = 2, .nnz = 6}, few = {.rows = 2, .cols = 4, .nnz = 4};
    sparcl_csr t = {.rows = 4, .cols = 3, .nnz = 6};
    sparcl_list columns_of = {.count = 2, .limit = 4}, rows_of = {.count = 2, .limit = 3};
    sparcl_moved moved = {0};
    if (sparcl_ctx_open(&ctx, NULL, NULL) != SPARCL_OK) return 1;
    need(sparcl_csr_upload(ctx, &a, offsets, columns, values, 0));
    need(sparcl_list_upload(ctx, &columns_of, picked, 0));
    need(sparcl_list_upload(ctx, &rows_of, picked, 0));
    need(sparcl_csr_create(ctx, &unique));
    need(sparcl_csr_create(ctx, &two));
    need(sparcl_csr_create(ctx, &few));
    need(sparcl_csr_create(ctx, &t));
    need(sparcl_buf_create(ctx, &moved.source, 6 * (int64_t)sizeof(int64_t)));
    need(sparcl_buf_create(ctx, &moved.needed, sizeof(int64_t)));

    need(sparcl_csr_take_columns(ctx, &two, &a, &columns_of, &moved));
    print_csr("columns 2 and 0", &two);
    print_ints("from the values at", moved.source, 4);
    need(sparcl_csr_take_rows(ctx, &few, &a, &rows_of, &moved)); /* room for 4 entries */
    print_csr("rows 2 and 0", &few);
    print_ints("entries needed", moved.needed, 1);
    need(sparcl_csr_sum_duplicates(ctx, &unique, &a, NULL, 0));
    print_csr("duplicates added", &unique);
    need(sparcl_csr_transpose(ctx, &t, &unique, NULL));
    print_csr("transposed", &t);

    sparcl_csr_free(&a), sparcl_csr_free(&unique), sparcl_csr_free(&two), sparcl_csr_free(&few);
    sparcl_csr_free(&t), sparcl_list_free(&columns_of), sparcl_list_free(&rows_of);
    sparcl_buf_free(moved.source), sparcl_buf_free(moved.needed), sparcl_ctx_close(ctx);
    return 0;
}
