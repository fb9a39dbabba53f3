/* rows_tutorial.c: the steps of MXNet's tutorial "RowSparseNDArray - NDArray for Sparse Gradient
 * Updates" on a device: how row-sparse arrays are made, looked at, converted, computed with, and
 * used as gradients. docs/row-sparse.md has the functions side by side. */
#include <stdio.h>
#include <stdlib.h>

#include <sparcl/sparcl.h>

enum { ROWS = 5, COLUMNS = 3 };

static sparcl_ctx *ctx;

static void need(sparcl_status status) {
    if (status == SPARCL_OK) return;
    fprintf(stderr, "%s\n", sparcl_ctx_error(ctx)->message);
    exit(1);
}

static void print_matrix(const char *name, const float *x, int64_t rows, int64_t columns) {
    printf("%s:", name);
    for (int64_t i = 0; i < rows; ++i) {
        printf(i == 0 ? " [" : ", [");
        for (int64_t j = 0; j < columns; ++j)
            printf(j == 0 ? "%g" : " %g", (double)x[i * columns + j]);
        printf("]");
    }
    printf("\n");
}

/* The stored rows, and their indices. */
static void print_rows(const char *name, const sparcl_rows *view) {
    int32_t indices[8];
    float values[8 * COLUMNS];
    int64_t stored = 0;
    need(sparcl_rows_read(ctx, view, indices, values, &stored));
    printf("%s: rows stored: %d\n", name, (int)stored);
    for (int64_t k = 0; k < stored; ++k) {
        printf("    row %d", (int)indices[k]);
        print_matrix("", values + k * COLUMNS, 1, COLUMNS);
    }
}

static void print_dense(const char *name, const sparcl_dense *view) {
    float values[ROWS * COLUMNS];
    need(sparcl_dense_read(ctx, view, values));
    print_matrix(name, values, view->shape[0], view->rank == 2 ? view->shape[1] : 1);
}

/* An array of 5 x 3 with room for `capacity` rows. */
static sparcl_rows make_rows(int64_t capacity) {
    sparcl_rows view = {.rank = 2, .shape = {ROWS, COLUMNS}, .nnr = capacity};
    need(sparcl_rows_create(ctx, &view));
    return view;
}

static sparcl_dense make_dense(int64_t rows, int64_t columns) {
    sparcl_dense view = {.rank = 2, .shape = {rows, columns}};
    need(sparcl_dense_create(ctx, &view));
    return view;
}

/* row_sparse_array((data, indices)); the check is done once, when it is uploaded */
static sparcl_rows from_arrays(void) {
    static const int32_t indices[] = {0, 2};
    static const float data[] = {1, 2, 3, 4, 0, 5};
    sparcl_rows a = {.rank = 2, .shape = {ROWS, COLUMNS}, .nnr = 2};
    need(sparcl_rows_upload(ctx, &a, indices, data, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE));
    print_rows("from (data, indices)", &a);
    return a;
}

/* row_sparse_array(dense), zeros("row_sparse", shape), tostype("default") */
static void conversions(const sparcl_rows *a) {
    sparcl_dense dense = make_dense(ROWS, COLUMNS);
    sparcl_rows back = make_rows(ROWS), zeros = make_rows(0);
    need(sparcl_rows_to_dense(ctx, &dense, a));
    print_dense("tostype(\"default\")", &dense);
    need(sparcl_dense_to_rows(ctx, &back, &dense, 0, NULL));
    print_rows("tostype(\"row_sparse\")", &back);
    print_rows("zeros(\"row_sparse\")", &zeros);
    sparcl_dense_free(&dense), sparcl_rows_free(&back), sparcl_rows_free(&zeros);
}

/* CSR, which MXNet's cast_storage does not convert from or to */
static void to_csr_and_back(const sparcl_rows *a) {
    sparcl_csr csr = {.rows = ROWS, .cols = COLUMNS, .nnz = 6};
    sparcl_rows rows = make_rows(ROWS);
    int32_t offsets[ROWS + 1];
    need(sparcl_csr_create(ctx, &csr));
    need(sparcl_rows_to_csr(ctx, &csr, a, 0, NULL));
    need(sparcl_buf_read(ctx, csr.offsets, 0, sizeof offsets, offsets));
    printf("as CSR: offsets %d %d %d %d %d %d\n", (int)offsets[0], (int)offsets[1], (int)offsets[2],
           (int)offsets[3], (int)offsets[4], (int)offsets[5]);
    need(sparcl_csr_to_rows(ctx, &rows, &csr, NULL));
    print_rows("and back", &rows);
    sparcl_csr_free(&csr), sparcl_rows_free(&rows);
}

/* sparse.retain, in both forms: a row that is not stored as zeros, or left out */
static void retain(const sparcl_rows *a) {
    static const int32_t wanted[] = {0, 1};
    sparcl_list list = {.count = 2, .limit = ROWS};
    sparcl_rows all = make_rows(2), stored = make_rows(2);
    need(sparcl_list_upload(ctx, &list, wanted, SPARCL_VALID));
    sparcl_buf_free(all.count), all.count = NULL;
    need(sparcl_rows_retain_all(ctx, &all, a, &list, NULL));
    need(sparcl_rows_retain_stored(ctx, &stored, a, &list, NULL));
    print_rows("retain rows 0 and 1, with zeros", &all);
    print_rows("retain rows 0 and 1, if stored", &stored);
    sparcl_list_free(&list), sparcl_rows_free(&all), sparcl_rows_free(&stored);
}

/* elemwise_add and add_n: row-sparse; row-sparse + dense: dense */
static void sums(const sparcl_rows *a) {
    static const int32_t indices[] = {2, 4};
    static const float data[] = {10, 20, 30, 40, 50, 60}, ones[ROWS * COLUMNS] = {1, 1, 1, 1, 1, 1};
    sparcl_rows b = {.rank = 2, .shape = {ROWS, COLUMNS}, .nnr = 2}, sum = make_rows(4);
    sparcl_dense dense = {.rank = 2, .shape = {ROWS, COLUMNS}};
    need(sparcl_rows_upload(ctx, &b, indices, data, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE));
    const sparcl_term terms[] = {{1, .rows = a}, {0.5, .rows = &b}};
    need(sparcl_rows_add_n(ctx, &sum, terms, 2, NULL));
    print_rows("a + 0.5 b", &sum);
    need(sparcl_dense_upload(ctx, &dense, ones));
    need(sparcl_scatter_add(ctx, &dense, 1, a));
    print_dense("dense + a", &dense);
    need(sparcl_assign_rows(ctx, &dense, &b));
    print_dense("dense[2, 4] = b", &dense);
    sparcl_rows_free(&b), sparcl_rows_free(&sum), sparcl_dense_free(&dense);
}

/* sum over an axis, norm, and clip of the stored values */
static void reductions(const sparcl_rows *a) {
    sparcl_dense columns = {.rank = 1, .shape = {COLUMNS}}, norm = {.rank = 1, .shape = {1}};
    sparcl_dense clipped = make_dense(2, COLUMNS);
    need(sparcl_dense_create(ctx, &columns));
    need(sparcl_dense_create(ctx, &norm));
    need(sparcl_rows_reduce(ctx, SPARCL_REDUCE_SUM, &columns, a, 0));
    need(sparcl_rows_reduce(ctx, SPARCL_REDUCE_NORM, &norm, a, -1));
    need(sparcl_rows_clip(ctx, &clipped, a, 0, 2));
    print_dense("sum over the rows", &columns);
    print_dense("norm", &norm);
    print_dense("values clipped to 0 .. 2", &clipped);
    sparcl_dense_free(&columns), sparcl_dense_free(&norm), sparcl_dense_free(&clipped);
}

/* dot(csr.T, dense) is row-sparse: the gradient of the weights of X W by W */
static void gradient_and_step(void) {
    static const int32_t offsets[] = {0, 1, 3}, columns[] = {0, 0, 3};
    static const float values[] = {1, 2, 4}, g[] = {1, 1, 1, 0.5f, 0.5f, 0.5f};
    sparcl_csr x = {.rows = 2, .cols = ROWS, .nnz = 3};
    sparcl_dense of_result = {.rank = 2, .shape = {2, COLUMNS}},
                 weights = make_dense(ROWS, COLUMNS);
    sparcl_rows gradient = make_rows(3);
    sparcl_optim sgd;
    need(sparcl_csr_upload(ctx, &x, offsets, columns, values, SPARCL_VALID));
    need(sparcl_dense_upload(ctx, &of_result, g));
    need(sparcl_buf_fill(ctx, weights.values, 0, sizeof(float) * ROWS * COLUMNS, 0));
    need(sparcl_spmm_t_rows(ctx, &gradient, 1, &x, &of_result, NULL));
    print_rows("dot(X.T, G)", &gradient);
    sparcl_optim_init(&sgd, SPARCL_RULE_SGD);
    sgd.lr = 0.5;
    need(sparcl_step(ctx, &sgd, &weights, NULL, &gradient));
    print_dense("weights after a step of SGD", &weights);
    sparcl_csr_free(&x), sparcl_dense_free(&of_result), sparcl_dense_free(&weights);
    sparcl_rows_free(&gradient);
}

/* A call that would make a large dense array can be forbidden. */
static void no_silent_densification(const sparcl_rows *a) {
    sparcl_dense dense = make_dense(ROWS, COLUMNS);
    need(sparcl_ctx_set_densify(ctx, SPARCL_DENSIFY_ERROR, 0));
    if (sparcl_rows_to_dense(ctx, &dense, a) != SPARCL_OK)
        printf("densify: %s\n", sparcl_ctx_error(ctx)->message);
    sparcl_dense_free(&dense);
}

int main(void) {
    sparcl_error error;
    if (sparcl_ctx_open(&ctx, NULL, &error) != SPARCL_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    sparcl_rows a = from_arrays();
    conversions(&a);
    to_csr_and_back(&a);
    retain(&a);
    sums(&a);
    reductions(&a);
    gradient_and_step();
    no_silent_densification(&a);
    sparcl_rows_free(&a);
    sparcl_ctx_close(ctx);
    return 0;
}
