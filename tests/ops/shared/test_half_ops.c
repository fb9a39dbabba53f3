/* test_half_ops.c: operations with values of 16 bits have the bits of the same operation in F32 on
 * the same numbers, each result rounded once (spec_store), as docs/numerics.md says. */
#include "op_test.h"

#include "sparcl/ops.h"
#include "spec/shared/stored.h"

enum { ROWS = 37, COLS = 29, ENTRIES = 400, WIDTH = 5 };

static const sparcl_dtype halves[] = {SPARCL_F16, SPARCL_BF16};

/* A sparse matrix [ROWS, COLS], dense operands, and rows with duplicates, in one type. */
typedef struct operands {
    sparcl_csr a;
    sparcl_dense b, c, t, g, v;
    sparcl_rows rows, sums;
    sparcl_coo entries, coalesced;
} operands;

/* Numbers that F16 and BF16 both hold. */
static double *numbers(int64_t count, uint64_t seed) {
    double *x = must_have(spec_numbers(count, seed));
    for (int64_t i = 0; i < count; ++i)
        x[i] = spec_store(SPARCL_F16, spec_store(SPARCL_BF16, x[i]));
    return x;
}

static sparcl_dense put_dense(sparcl_ctx *ctx, sparcl_dtype dtype, int64_t rows, int64_t cols,
                              uint64_t seed) {
    sparcl_dense to = {.rank = cols ? 2 : 1, .dtype = dtype, .shape = {rows, cols}};
    double *x = numbers(rows * (cols ? cols : 1), seed);
    assert_ok(ctx, spec_put_reals(ctx, &to.values, x, rows * (cols ? cols : 1), dtype));
    free(x);
    return to;
}

static void put_rows(sparcl_ctx *ctx, sparcl_dtype dtype, operands *o) {
    int64_t ids[COLS];
    for (int64_t k = 0; k < COLS; ++k)
        ids[k] = k * k % 7;
    const sparcl_dense values = put_dense(ctx, dtype, COLS, WIDTH, 6);
    o->rows = (sparcl_rows){.rank = 2,
                            .dtype = dtype,
                            .shape = {COLS, WIDTH},
                            .nnr = COLS,
                            .indices = put_ints(ctx, ids, COLS, SPARCL_INDEX32),
                            .values = values.values,
                            .proof = {.flags = SPARCL_TRUSTED}};
    o->sums = (sparcl_rows){.rank = 2, .dtype = dtype, .shape = {COLS, WIDTH}, .nnr = COLS};
    assert_ok(ctx, sparcl_rows_create(ctx, &o->sums));
}

static void put_entries(sparcl_ctx *ctx, sparcl_dtype dtype, operands *o) {
    int64_t index[ENTRIES];
    for (int64_t k = 0; k < ENTRIES; ++k)
        index[k] = k * k % 61;
    const sparcl_dense values = put_dense(ctx, dtype, ENTRIES, 0, 7);
    o->entries = (sparcl_coo){.rank = 1,
                              .dtype = dtype,
                              .shape = {61},
                              .nnz = ENTRIES,
                              .indices = {put_ints(ctx, index, ENTRIES, SPARCL_INDEX32)},
                              .values = values.values,
                              .proof = {.flags = SPARCL_TRUSTED}};
    o->coalesced = (sparcl_coo){.rank = 1, .dtype = dtype, .shape = {61}, .nnz = ENTRIES};
    assert_ok(ctx, sparcl_coo_create(ctx, &o->coalesced));
}

static operands make_operands(sparcl_ctx *ctx, sparcl_dtype dtype) {
    operands o = {.b = put_dense(ctx, dtype, COLS, WIDTH, 2),
                  .c = put_dense(ctx, dtype, ROWS, WIDTH, 3),
                  .t = put_dense(ctx, dtype, COLS, WIDTH, 4),
                  .g = put_dense(ctx, dtype, WIDTH, WIDTH, 5),
                  .v = put_dense(ctx, dtype, WIDTH, 0, 8)};
    spec_matrix m;
    assert_true(spec_matrix_make(&m, SPEC_UNIFORM, ROWS, COLS, ENTRIES, 1));
    for (int64_t k = 0; k < m.nnz; ++k)
        m.values[k] = spec_store(SPARCL_F16, spec_store(SPARCL_BF16, m.values[k]));
    assert_ok(ctx, spec_put_csr(ctx, &o.a, &m, dtype, SPARCL_INDEX32, SPARCL_INDEX32));
    spec_matrix_free(&m);
    put_rows(ctx, dtype, &o);
    put_entries(ctx, dtype, &o);
    return o;
}

static void free_operands(operands *o) {
    sparcl_csr_free(&o->a);
    sparcl_dense_free(&o->b);
    sparcl_dense_free(&o->c);
    sparcl_dense_free(&o->t);
    sparcl_dense_free(&o->g);
    sparcl_dense_free(&o->v);
    sparcl_rows_free(&o->rows);
    sparcl_rows_free(&o->sums);
    sparcl_coo_free(&o->entries);
    sparcl_coo_free(&o->coalesced);
}

/* An operation, and the array that it writes: count elements of *result. */
typedef struct operation {
    const char *name;
    sparcl_status (*run)(sparcl_ctx *ctx, operands *o);
    sparcl_buf *(*result)(const operands *o);
    int64_t count;
} operation;

static sparcl_buf *c_of(const operands *o) {
    return o->c.values;
}
static sparcl_buf *t_of(const operands *o) {
    return o->t.values;
}
static sparcl_buf *v_of(const operands *o) {
    return o->v.values;
}
static sparcl_buf *sums_of(const operands *o) {
    return o->sums.values;
}
static sparcl_buf *coalesced_of(const operands *o) {
    return o->coalesced.values;
}

static sparcl_status spmm(sparcl_ctx *ctx, operands *o) {
    return sparcl_spmm(ctx, &o->c, 0.75, &o->a, &o->b, 0.5);
}
static sparcl_status spmm_alone(sparcl_ctx *ctx, operands *o) {
    return sparcl_spmm(ctx, &o->c, 1, &o->a, &o->b, 0);
}
static sparcl_status spmm_t(sparcl_ctx *ctx, operands *o) {
    return sparcl_spmm_t(ctx, &o->t, 0.75, &o->a, &o->c, 0.5, NULL);
}
static sparcl_status spmm_t_with_pattern(sparcl_ctx *ctx, operands *o) {
    sparcl_pattern *pattern = NULL;
    sparcl_status status = sparcl_pattern_create(ctx, &pattern);
    if (status == SPARCL_OK) status = sparcl_pattern_build(ctx, pattern, &o->a);
    if (status == SPARCL_OK) status = sparcl_spmm_t(ctx, &o->t, 1, &o->a, &o->c, 0, pattern);
    sparcl_pattern_free(pattern);
    return status;
}
static sparcl_status spmm_t_rows(sparcl_ctx *ctx, operands *o) {
    return sparcl_spmm_t_rows(ctx, &o->sums, 1, &o->a, &o->c, NULL);
}
static sparcl_status gemm(sparcl_ctx *ctx, operands *o) {
    return sparcl_gemm(ctx, &o->t, 0.5, SPARCL_OP_N, &o->b, SPARCL_OP_T, &o->g, 2,
                       SPARCL_MATH_EXACT);
}
static sparcl_status binary(sparcl_ctx *ctx, operands *o) {
    return sparcl_binary(ctx, SPARCL_BINARY_ADD, &o->t, &o->t, &o->b);
}
static sparcl_status binary_of_row(sparcl_ctx *ctx, operands *o) {
    return sparcl_binary(ctx, SPARCL_BINARY_ADD, &o->c, &o->c, &o->v);
}
static sparcl_status unary(sparcl_ctx *ctx, operands *o) {
    return sparcl_unary(ctx, SPARCL_UNARY_TANH, &o->t, &o->b);
}
static sparcl_status unary_gradient(sparcl_ctx *ctx, operands *o) {
    return sparcl_unary_gradient(ctx, SPARCL_UNARY_SIGMOID, &o->t, &o->b, &o->t);
}
static sparcl_status sum_rows(sparcl_ctx *ctx, operands *o) {
    return sparcl_sum_rows(ctx, &o->v, 0.5, &o->c, 1);
}
static sparcl_status rows_coalesce(sparcl_ctx *ctx, operands *o) {
    return sparcl_rows_coalesce(ctx, &o->sums, &o->rows, SPARCL_SUM, NULL);
}
static sparcl_status scatter_add(sparcl_ctx *ctx, operands *o) {
    return sparcl_scatter_add(ctx, &o->t, 0.75, &o->rows);
}
static sparcl_status coo_coalesce(sparcl_ctx *ctx, operands *o) {
    return sparcl_coo_coalesce(ctx, &o->coalesced, &o->entries, SPARCL_SUM, NULL);
}
static sparcl_status spmm_mean(sparcl_ctx *ctx, operands *o) {
    return sparcl_spmm_reduce(ctx, SPARCL_REDUCE_MEAN, &o->c, &o->a, &o->b, NULL);
}
static sparcl_status spmm_mean_by_b(sparcl_ctx *ctx, operands *o) {
    return sparcl_spmm_reduce_gradient(ctx, SPARCL_REDUCE_MEAN, &o->t, NULL, &o->c, &o->a, &o->b,
                                       NULL, NULL);
}
static sparcl_status spmm_mean_by_values(sparcl_ctx *ctx, operands *o) {
    const sparcl_dense gv = {
        .rank = 1, .dtype = o->a.dtype, .shape = {o->a.nnz}, .values = o->coalesced.values};
    return sparcl_spmm_reduce_gradient(ctx, SPARCL_REDUCE_MEAN, NULL, &gv, &o->c, &o->a, &o->b,
                                       NULL, NULL);
}
/* By the first row of g. */
static sparcl_status binary_by_row(sparcl_ctx *ctx, operands *o) {
    sparcl_dense y = o->v;
    y.values = o->g.values;
    return sparcl_binary_gradient(ctx, SPARCL_BINARY_DIVIDE, NULL, &o->v, &o->c, &y, &o->c);
}
/* By one number for each column of A, and the gradient at the numbers of `entries`. */
static sparcl_status csr_broadcast_by_columns(sparcl_ctx *ctx, operands *o) {
    sparcl_dense v = {.rank = 1, .dtype = o->a.dtype, .shape = {COLS}}, gv = v, gz = v;
    v.values = o->b.values;
    gv.values = o->t.values;
    gz.values = o->entries.values;
    gz.shape[0] = o->a.nnz;
    return sparcl_csr_broadcast_gradient(ctx, SPARCL_BINARY_DIVIDE, &gv, &o->a, &v, &gz, 0, NULL);
}
static sparcl_status add_n(sparcl_ctx *ctx, operands *o) {
    const sparcl_term terms[] = {{0.75, &o->t, NULL}, {0.5, NULL, &o->rows}, {-1, &o->b, NULL}};
    return sparcl_add_n(ctx, &o->t, terms, 3);
}
static sparcl_status add_n_of_rows(sparcl_ctx *ctx, operands *o) {
    const sparcl_term terms[] = {{0.75, NULL, &o->rows}, {0.3, &o->b, NULL}, {1, NULL, &o->rows}};
    return sparcl_add_n(ctx, &o->t, terms, 3);
}

/* C := 0.75 A B + 0.5 C with A in another format, or with the first rows of `rows` as B. */
static sparcl_status multiply(sparcl_ctx *ctx, operands *o, sparcl_matrix a, sparcl_matrix b) {
    sparcl_matrix c = sparcl_matrix_dense(o->c);
    return sparcl_matmul(ctx, &c, 0.75, SPARCL_OP_N, &a, SPARCL_OP_N, &b, 0.5, NULL);
}
static sparcl_status matmul_csc(sparcl_ctx *ctx, operands *o) {
    sparcl_csc a = {.rows = ROWS, .cols = COLS, .nnz = o->a.nnz, .dtype = o->a.dtype};
    sparcl_status status = sparcl_csc_create(ctx, &a);
    if (status == SPARCL_OK) status = sparcl_csr_to_csc(ctx, &a, &o->a);
    if (status == SPARCL_OK)
        status = multiply(ctx, o, sparcl_matrix_csc(a), sparcl_matrix_dense(o->b));
    sparcl_csc_free(&a);
    return status;
}
static sparcl_status matmul_coo(sparcl_ctx *ctx, operands *o) {
    sparcl_coo a = {.rank = 2, .shape = {ROWS, COLS}, .nnz = o->a.nnz, .dtype = o->a.dtype};
    sparcl_status status = sparcl_coo_create(ctx, &a);
    if (status == SPARCL_OK) status = sparcl_csr_to_coo(ctx, &a, &o->a);
    if (status == SPARCL_OK)
        status = multiply(ctx, o, sparcl_matrix_coo(a), sparcl_matrix_dense(o->b));
    sparcl_coo_free(&a);
    return status;
}
static sparcl_status matmul_bsr(sparcl_ctx *ctx, operands *o) {
    const sparcl_bsr a = {.rows = ROWS,
                          .cols = COLS,
                          .block_rows = 1,
                          .block_cols = 1,
                          .nnzb = o->a.nnz,
                          .dtype = o->a.dtype,
                          .offsets = o->a.offsets,
                          .indices = o->a.indices,
                          .values = o->a.values,
                          .proof = {.flags = SPARCL_TRUSTED}};
    return multiply(ctx, o, sparcl_matrix_bsr(a), sparcl_matrix_dense(o->b));
}
/* Unsorted, but without duplicates: a sum of duplicates would be rounded before the product. */
static sparcl_status matmul_rows(sparcl_ctx *ctx, operands *o) {
    sparcl_rows b = o->rows;
    b.nnr = 4;
    return multiply(ctx, o, sparcl_matrix_csr(o->a), sparcl_matrix_rows(b));
}
/* transpose(A) R as row-sparse, where R has rows 0, 1, 2 and 4 of a matrix with ROWS rows. */
static sparcl_status matmul_rows_to_rows(sparcl_ctx *ctx, operands *o) {
    sparcl_matrix a = sparcl_matrix_csr(o->a), c = sparcl_matrix_rows(o->sums);
    sparcl_rows b = o->rows;
    b.nnr = 4;
    b.shape[0] = ROWS;
    const sparcl_matrix of_rows = sparcl_matrix_rows(b);
    return sparcl_matmul(ctx, &c, 0.75, SPARCL_OP_T, &a, SPARCL_OP_N, &of_rows, 0, NULL);
}
/* The operands as [WIDTH, COLS] and so on. */
static sparcl_dense wide(sparcl_dense x) {
    x.shape[1] = x.shape[0];
    x.shape[0] = WIDTH;
    return x;
}
static sparcl_status matmul_dense_csr(sparcl_ctx *ctx, operands *o) {
    sparcl_matrix c = sparcl_matrix_dense(wide(o->t));
    const sparcl_matrix a = sparcl_matrix_dense(o->c), b = sparcl_matrix_csr(o->a);
    return sparcl_matmul(ctx, &c, 0.75, SPARCL_OP_T, &a, SPARCL_OP_N, &b, 0.5, NULL);
}
static sparcl_status matmul_transposed(sparcl_ctx *ctx, operands *o) {
    sparcl_matrix c = sparcl_matrix_dense(o->c);
    const sparcl_matrix a = sparcl_matrix_csr(o->a), b = sparcl_matrix_dense(wide(o->b));
    return sparcl_matmul(ctx, &c, 0.75, SPARCL_OP_N, &a, SPARCL_OP_T, &b, 0.5, NULL);
}
/* Its first two rows are the only ones that ascend; twice they are squares. */
static sparcl_status rows_multiply(sparcl_ctx *ctx, operands *o) {
    sparcl_rows a = o->rows;
    a.nnr = 2;
    a.proof.flags |= SPARCL_SORTED | SPARCL_UNIQUE;
    return sparcl_rows_multiply(ctx, &o->sums, &a, &a, NULL);
}
static sparcl_status rows_multiply_dense(sparcl_ctx *ctx, operands *o) {
    return sparcl_rows_multiply_dense(ctx, &o->t, &o->rows, &o->b);
}

/* The rows of A as bags, and the gradient of a table [COLS, WIDTH]. */
static sparcl_status bag_gradient(sparcl_ctx *ctx, operands *o, sparcl_bag_mode mode, int scaled) {
    const sparcl_bags bags = {.bags = ROWS,
                              .indices = {.count = o->a.nnz,
                                          .limit = COLS,
                                          .indices = o->a.indices,
                                          .proof = {.flags = SPARCL_TRUSTED}},
                              .include_last = 1,
                              .offsets = o->a.offsets,
                              .weights = o->a.values,
                              .mode = mode,
                              .scale_by_frequency = scaled};
    return sparcl_embedding_bag_gradient(ctx, &o->sums, &o->c, &bags, NULL);
}
static sparcl_status bag_sum_gradient(sparcl_ctx *ctx, operands *o) {
    return bag_gradient(ctx, o, SPARCL_BAG_SUM, 0);
}
static sparcl_status bag_sum_scaled_gradient(sparcl_ctx *ctx, operands *o) {
    return bag_gradient(ctx, o, SPARCL_BAG_SUM, 1);
}
static sparcl_status bag_mean_gradient(sparcl_ctx *ctx, operands *o) {
    return bag_gradient(ctx, o, SPARCL_BAG_MEAN, 1);
}

static const operation operations[] = {
    {"spmm", spmm, c_of, ROWS *WIDTH},
    {"spmm, beta 0", spmm_alone, c_of, ROWS *WIDTH},
    {"spmm_t", spmm_t, t_of, COLS *WIDTH},
    {"spmm_t with a pattern", spmm_t_with_pattern, t_of, COLS *WIDTH},
    {"spmm_t_rows", spmm_t_rows, sums_of, COLS *WIDTH},
    {"gemm", gemm, t_of, COLS *WIDTH},
    {"binary", binary, t_of, COLS *WIDTH},
    {"binary of a row", binary_of_row, c_of, ROWS *WIDTH},
    {"unary", unary, t_of, COLS *WIDTH},
    {"unary_gradient", unary_gradient, t_of, COLS *WIDTH},
    {"sum_rows", sum_rows, v_of, WIDTH},
    {"rows_coalesce", rows_coalesce, sums_of, 4 * WIDTH}, /* squares modulo 7 are 4 */
    {"scatter_add", scatter_add, t_of, COLS *WIDTH},
    {"coo_coalesce", coo_coalesce, coalesced_of, 31}, /* and modulo 61 31 */
    {"spmm_reduce, mean", spmm_mean, c_of, ROWS *WIDTH},
    {"spmm_reduce_gradient, mean, by B", spmm_mean_by_b, t_of, COLS *WIDTH},
    {"spmm_reduce_gradient, mean, by values", spmm_mean_by_values, coalesced_of, ENTRIES},
    {"binary_gradient by a row", binary_by_row, v_of, WIDTH},
    {"csr_broadcast_gradient", csr_broadcast_by_columns, t_of, COLS},
    {"add_n", add_n, t_of, COLS *WIDTH},
    {"add_n of rows", add_n_of_rows, t_of, COLS *WIDTH},
    {"matmul, csc", matmul_csc, c_of, ROWS *WIDTH},
    {"matmul, coo", matmul_coo, c_of, ROWS *WIDTH},
    {"matmul, bsr", matmul_bsr, c_of, ROWS *WIDTH},
    {"matmul, row-sparse B", matmul_rows, c_of, ROWS *WIDTH},
    {"matmul, row-sparse B and C", matmul_rows_to_rows, sums_of, 10 * WIDTH},
    {"matmul, dense * csr", matmul_dense_csr, t_of, COLS *WIDTH},
    {"matmul, transposed B", matmul_transposed, c_of, ROWS *WIDTH},
    {"rows_multiply", rows_multiply, sums_of, 2 * WIDTH},
    {"rows_multiply_dense", rows_multiply_dense, t_of, COLS *WIDTH},
    {"embedding_bag_gradient, sum", bag_sum_gradient, sums_of, COLS *WIDTH},
    {"embedding_bag_gradient, sum, scaled", bag_sum_scaled_gradient, sums_of, COLS *WIDTH},
    {"embedding_bag_gradient, mean, scaled", bag_mean_gradient, sums_of, COLS *WIDTH},
};

/* The result of an operation in a type. */
static double *result_of(sparcl_ctx *ctx, const operation *op, sparcl_dtype dtype) {
    operands o = make_operands(ctx, dtype);
    double *x = must_have(calloc((size_t)op->count + 1, sizeof *x));
    assert_ok(ctx, op->run(ctx, &o));
    assert_ok(ctx, spec_get_reals(ctx, op->result(&o), 0, op->count, dtype, x));
    free_operands(&o);
    return x;
}

static void assert_equal(const operation *op, sparcl_dtype dtype, const double *got,
                         const double *wide) {
    for (int64_t i = 0; i < op->count; ++i) {
        const double want = spec_store(dtype, wide[i]);
        if (got[i] != want)
            fail_msg("%s: [%lld] is %a, expected %a (%a)", op->name, (long long)i, got[i], want,
                     wide[i]);
    }
}

static void results_are_those_of_f32_rounded_once(void **state) {
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(operations); ++i) {
        double *wide = result_of(ctx, &operations[i], SPARCL_F32);
        for (size_t f = 0; f < COUNT(halves); ++f) {
            double *got = result_of(ctx, &operations[i], halves[f]);
            assert_equal(&operations[i], halves[f], got, wide);
            free(got);
        }
        free(wide);
    }
}

static void both_classes_of_kernels_round_the_same(void **state) {
    class_contexts all = open_classes(*state);
    for (size_t i = 0; i < COUNT(operations); ++i)
        for (size_t k = 1; k < COUNT(all.contexts); ++k) {
            if (!all.contexts[k]) continue;
            double *here = result_of(*state, &operations[i], SPARCL_BF16);
            double *there = result_of(all.contexts[k], &operations[i], SPARCL_BF16);
            assert_memory_equal(here, there, (size_t)operations[i].count * sizeof *here);
            free(here);
            free(there);
        }
    close_classes(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_f32_rounded_once),
        cmocka_unit_test(both_classes_of_kernels_round_the_same),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
