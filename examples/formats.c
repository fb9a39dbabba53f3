/* formats.c: the first steps of three libraries' documentation, on a device: SciPy's product of a
 * csr_matrix, TensorFlow's sparse.reorder and sparse_dense_matmul, PyTorch's conversion of COO to
 * CSR and its product. examples/data/formats.txt has what these libraries print
 * (bench/formats.py). */
#include <stdio.h>
#include <stdlib.h>

#include <sparcl/sparcl.h>

static sparcl_ctx *ctx;

static void need(sparcl_status status) {
    if (status == SPARCL_OK) return;
    fprintf(stderr, "%s\n", sparcl_ctx_error(ctx)->message);
    exit(1);
}

static void print_ints(const char *name, const int32_t *x, int64_t count) {
    printf("%s:", name);
    for (int64_t i = 0; i < count; ++i)
        printf(" %d", (int)x[i]);
    printf("\n");
}

static void print_floats(const char *name, const float *x, int64_t count) {
    printf("%s:", name);
    for (int64_t i = 0; i < count; ++i)
        printf(" %g", (double)x[i]);
    printf("\n");
}

/* name: op(a) * b, for a sparse matrix of any format and a dense one. */
static void print_product(const char *name, const sparcl_matrix *a, sparcl_dense b,
                          const float *b_host, int64_t rows) {
    sparcl_dense c = {.rank = b.rank, .shape = {rows, b.shape[1]}};
    float host[64];
    need(sparcl_dense_upload(ctx, &b, b_host));
    need(sparcl_dense_create(ctx, &c));
    const sparcl_matrix right = sparcl_matrix_dense(b);
    sparcl_matrix result = sparcl_matrix_dense(c);
    need(sparcl_matmul(ctx, &result, 1, SPARCL_OP_N, a, SPARCL_OP_N, &right, 0, NULL));
    need(sparcl_dense_read(ctx, &c, host));
    print_floats(name, host, rows * (b.rank == 2 ? b.shape[1] : 1));
    sparcl_dense_free(&b), sparcl_dense_free(&c);
}

/* csr_matrix([[1, 2, 0], [0, 0, 3], [4, 0, 5]]).dot([1, 0, -1]), and of the transpose, whose arrays
 * are the same in CSC format */
static void scipy(void) {
    const int32_t indptr[] = {0, 2, 3, 5}, indices[] = {0, 1, 2, 0, 2};
    const float data[] = {1, 2, 3, 4, 5}, v[] = {1, 0, -1};
    sparcl_csr a = {.rows = 3, .cols = 3, .nnz = 5};
    sparcl_csc t = {.rows = 3, .cols = 3, .nnz = 5};
    need(sparcl_csr_upload(ctx, &a, indptr, indices, data, 0));
    need(sparcl_csc_upload(ctx, &t, indptr, indices, data, 0));
    const sparcl_matrix csr = sparcl_matrix_csr(a), csc = sparcl_matrix_csc(t);
    print_product("scipy csr_matrix.dot", &csr, (sparcl_dense){.rank = 1, .shape = {3}}, v, 3);
    print_product("scipy csc_matrix.dot", &csc, (sparcl_dense){.rank = 1, .shape = {3}}, v, 3);
    sparcl_csr_free(&a), sparcl_csc_free(&t);
}

/* sparse.reorder of [0, 3], [0, 1], [3, 1], [2, 0] in [4, 5], then sparse.sparse_dense_matmul */
static void tensorflow(void) {
    const int32_t rows[] = {0, 0, 3, 2}, cols[] = {3, 1, 1, 0};
    const void *const indices[] = {rows, cols};
    const float values[] = {2, 1, 4, 3}, b[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    sparcl_coo from = {.rank = 2, .shape = {4, 5}, .nnz = 4}, to = from;
    int32_t first[4], second[4];
    void *const got[] = {first, second};
    float sorted[4];
    need(sparcl_coo_upload(ctx, &from, indices, values, 0));
    need(sparcl_coo_create(ctx, &to));
    need(sparcl_coo_sort(ctx, &to, &from, NULL, 0));
    need(sparcl_coo_read(ctx, &to, got, sorted, NULL));
    print_ints("tensorflow reorder rows", first, 4);
    print_ints("tensorflow reorder columns", second, 4);
    print_floats("tensorflow reorder values", sorted, 4);
    const sparcl_matrix a = sparcl_matrix_coo(to);
    print_product("tensorflow sparse_dense_matmul", &a, (sparcl_dense){.rank = 2, .shape = {5, 2}},
                  b, 4);
    sparcl_coo_free(&from), sparcl_coo_free(&to);
}

/* sparse_coo_tensor([[0, 1, 1, 1], [2, 0, 2, 2]], [3, 4, 5, 6], (2, 3)).coalesce().to_sparse_csr(),
 * then its product */
static void pytorch(void) {
    const int32_t rows[] = {0, 1, 1, 1}, cols[] = {2, 0, 2, 2};
    const void *const indices[] = {rows, cols};
    const float values[] = {3, 4, 5, 6}, b[] = {1, 2, 3, 4, 5, 6};
    sparcl_coo from = {.rank = 2, .shape = {2, 3}, .nnz = 4}, sums = from;
    sparcl_csr a = {.rows = 2, .cols = 3, .nnz = 4};
    int32_t crow[3], col[4];
    float value[4];
    need(sparcl_coo_upload(ctx, &from, indices, values, 0));
    need(sparcl_coo_create(ctx, &sums));
    need(sparcl_coo_coalesce(ctx, &sums, &from, SPARCL_SUM, NULL));
    need(sparcl_csr_create(ctx, &a));
    need(sparcl_coo_to_csr(ctx, &a, &sums));
    need(sparcl_csr_read(ctx, &a, crow, col, value, NULL));
    print_ints("pytorch crow_indices", crow, 3);
    print_ints("pytorch col_indices", col, crow[2]);
    print_floats("pytorch values", value, crow[2]);
    const sparcl_matrix csr = sparcl_matrix_csr(a);
    print_product("pytorch csr @ b", &csr, (sparcl_dense){.rank = 2, .shape = {3, 2}}, b, 2);
    sparcl_coo_free(&from), sparcl_coo_free(&sums), sparcl_csr_free(&a);
}

int main(void) {
    sparcl_error error;
    if (sparcl_ctx_open(&ctx, NULL, &error) != SPARCL_OK)
        return fprintf(stderr, "%s\n", error.message), 1;
    scipy();
    tensorflow();
    pytorch();
    sparcl_ctx_close(ctx);
    return 0;
}
