/* test_matmul.c: what the header says of sparcl_matmul, which its spec does not check. */
#include "op_test.h"

enum { M = 6, K = 5, N = 4, ENTRIES = 9 };

typedef struct operands {
    spec_matrix host;
    sparcl_matrix a, b, c, rows;
} operands;

static operands make_operands(sparcl_ctx *ctx) {
    operands s = {0};
    float *const x = make_floats(64, 5);
    const int64_t ids[] = {1, 3};
    assert_true(spec_matrix_make(&s.host, SPEC_UNIFORM, M, K, ENTRIES, 3));
    s.a = sparcl_matrix_csr((sparcl_csr){0});
    assert_ok(ctx,
              spec_put_csr(ctx, &s.a.as.csr, &s.host, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
    s.b = sparcl_matrix_dense((sparcl_dense){.rank = 2, .shape = {K, N}});
    s.c = sparcl_matrix_dense((sparcl_dense){.rank = 2, .shape = {M, N}});
    s.rows = sparcl_matrix_rows(
        (sparcl_rows){.rank = 2, .shape = {K, N}, .nnr = 2, .proof = {.flags = SPARCL_TRUSTED}});
    s.b.as.dense.values = put_spare(ctx, x, 64);
    s.c.as.dense.values = put_spare(ctx, x, 64);
    s.rows.as.rows.values = put_spare(ctx, x, 64);
    s.rows.as.rows.indices = put_ints(ctx, ids, 2, SPARCL_INDEX32);
    free(x);
    return s;
}

static void free_operands(operands *s) {
    sparcl_csr_free(&s->a.as.csr);
    sparcl_dense_free(&s->b.as.dense);
    sparcl_dense_free(&s->c.as.dense);
    sparcl_rows_free(&s->rows.as.rows);
    spec_matrix_free(&s->host);
}

static sparcl_status multiply(sparcl_ctx *ctx, operands *x, sparcl_op op_a, sparcl_op op_b) {
    return sparcl_matmul(ctx, &x->c, 1, op_a, &x->a, op_b, &x->b, 0, NULL);
}

/* A matrix of blocks without proof. */
static sparcl_matrix blocks_of(const operands *s) {
    const sparcl_csr *const a = &s->a.as.csr;
    return sparcl_matrix_bsr((sparcl_bsr){.rows = a->rows,
                                          .cols = a->cols,
                                          .block_rows = 1,
                                          .block_cols = 1,
                                          .nnzb = a->nnz,
                                          .offsets = a->offsets,
                                          .indices = a->indices,
                                          .values = a->values});
}

static void what_does_not_fit_is_refused_and_c_stays(void **state) {
    sparcl_ctx *ctx = *state;
    operands s = make_operands(ctx);
    snapshot kept = SNAPSHOT(ctx, s.b.as.dense.values, s.c.as.dense.values);
#define REFUSED(violation, op_a, op_b, status, part)                                               \
    assert_violation_refused(operands, s, violation,                                               \
                             multiply(ctx, &x, SPARCL_OP_##op_a, SPARCL_OP_##op_b), status, part,  \
                             assert_unchanged(ctx, &kept))
    REFUSED(x.a.format = (sparcl_format)9, N, N, SPARCL_E_ARG, "the format of A is 9");
    REFUSED(x.b = x.a, N, N, SPARCL_E_UNSUPPORTED, "A is csr, B csr and C dense");
    REFUSED(x.b = x.a, N, N, SPARCL_E_UNSUPPORTED, "sparcl_spgemm");
    REFUSED(x.c = x.a, N, N, SPARCL_E_UNSUPPORTED, "C csr, which is not in the table");
    REFUSED(x.c = x.rows, N, N, SPARCL_E_UNSUPPORTED, "A is not transposed");
    REFUSED((x.b = x.rows, x.a = x.rows), N, N, SPARCL_E_UNSUPPORTED, "A is row-sparse, B row");
    REFUSED(x.b = x.rows, N, T, SPARCL_E_UNSUPPORTED, "which is not in the table");
    REFUSED((x.b = x.rows, --x.b.as.rows.shape[0]), N, N, SPARCL_E_SHAPE,
            "op(A) has 5 columns, B has rank 2 and 4 rows");
    REFUSED((void)0, T, N, SPARCL_E_SHAPE, "");
    REFUSED((void)0, N, T, SPARCL_E_SHAPE, "");
    REFUSED(x.a.as.csr.proof.flags = 0, N, N, SPARCL_E_UNCHECKED, "A");
    REFUSED((x.b = x.rows, x.b.as.rows.proof.flags = 0), N, N, SPARCL_E_UNCHECKED, "B");
    REFUSED(x.a = blocks_of(&s), N, N, SPARCL_E_UNCHECKED, "the bsr matrix");
    REFUSED((x.b = x.a, x.a = blocks_of(&s)), N, N, SPARCL_E_UNSUPPORTED, "A is bsr, B csr");
    REFUSED((x.b = x.a, x.a = s.b, x.a.as.dense.rank = 1), N, N, SPARCL_E_SHAPE,
            "A has rank 1, expected 2");
#undef REFUSED
    assert_refused(ctx, sparcl_matmul(ctx, &s.c, 1, (sparcl_op)2, &s.a, SPARCL_OP_N, &s.b, 0, NULL),
                   SPARCL_E_ARG, "op of A is 2");
    assert_refused(ctx, sparcl_matmul(ctx, &s.c, 1, SPARCL_OP_N, NULL, SPARCL_OP_N, &s.b, 0, NULL),
                   SPARCL_E_ARG, "A is NULL");
    snapshot_free(&kept);
    free_operands(&s);
}

/* B and C may be vectors, as in sparcl_spmm; the bits are its. */
static void vectors_are_multiplied(void **state) {
    sparcl_ctx *ctx = *state;
    operands s = make_operands(ctx);
    float got[M], expected[M];
    s.b.as.dense.rank = s.c.as.dense.rank = 1;
    assert_ok(ctx, multiply(ctx, &s, SPARCL_OP_N, SPARCL_OP_N));
    assert_ok(ctx, sparcl_buf_read(ctx, s.c.as.dense.values, 0, sizeof got, got));
    assert_ok(ctx, sparcl_spmm(ctx, &s.c.as.dense, 1, &s.a.as.csr, &s.b.as.dense, 0));
    assert_ok(ctx, sparcl_buf_read(ctx, s.c.as.dense.values, 0, sizeof expected, expected));
    assert_memory_equal(got, expected, sizeof got);
    free_operands(&s);
}

static sparcl_matrix proven_blocks_of(const operands *s) {
    sparcl_matrix x = blocks_of(s);
    x.as.bsr.proof.flags = SPARCL_TRUSTED | SPARCL_SORTED | SPARCL_UNIQUE;
    return x;
}

/* Whether the blocks are multiplied as they are (op N), or as entries. */
static void a_bsr_matrix_is_checked_as_a_csr_matrix(void **state) {
    sparcl_ctx *ctx = *state;
    operands s = make_operands(ctx);
    s.a = proven_blocks_of(&s);
    snapshot kept = SNAPSHOT(ctx, s.b.as.dense.values, s.c.as.dense.values, s.a.as.bsr.values);
#define REFUSED(violation, op_a, status, part)                                                     \
    assert_violation_refused(operands, s, violation,                                               \
                             multiply(ctx, &x, SPARCL_OP_##op_a, SPARCL_OP_N), status, part,       \
                             assert_unchanged(ctx, &kept))
    REFUSED(x.c.as.dense.values = x.a.as.bsr.values, N, SPARCL_E_SHAPE, "C needs 24 elements");
    REFUSED((x.c.as.dense.values = x.a.as.bsr.values, x.c.as.dense.shape[1] = 1), N, SPARCL_E_ALIAS,
            "C overlaps the values of the bsr matrix");
    REFUSED((x.a.as.bsr.values = x.c.as.dense.values), N, SPARCL_E_ALIAS,
            "C overlaps the values of the bsr matrix");
    REFUSED((x.a.as.bsr.values = x.c.as.dense.values), T, SPARCL_E_ALIAS,
            "C overlaps the values of the bsr matrix");
    REFUSED(x.b.as.dense.values = x.c.as.dense.values, N, SPARCL_E_ALIAS, "C overlaps B");
    REFUSED(--x.b.as.dense.shape[0], N, SPARCL_E_SHAPE, "");
    REFUSED(--x.b.as.dense.shape[1], N, SPARCL_E_SHAPE, "");
    REFUSED(x.b.as.dense.dtype = SPARCL_F16, N, SPARCL_E_DTYPE, "expected one type");
    REFUSED((void)0, T, SPARCL_E_SHAPE, "");
#undef REFUSED
    s.a = sparcl_matrix_csr((sparcl_csr){
        .offsets = s.a.as.bsr.offsets, .indices = s.a.as.bsr.indices, .values = s.a.as.bsr.values});
    snapshot_free(&kept);
    free_operands(&s);
}

/* A row of B that occurs twice counts with its sum. */
static void duplicate_rows_are_added(void **state) {
    sparcl_ctx *ctx = *state;
    operands s = make_operands(ctx);
    const int64_t ids[] = {3, 3};
    float got[M * N], values[2 * N];
    sparcl_buf_free(s.rows.as.rows.indices);
    s.rows.as.rows.indices = put_ints(ctx, ids, 2, SPARCL_INDEX32);
    assert_ok(ctx, sparcl_matmul(ctx, &s.c, 1, SPARCL_OP_N, &s.a, SPARCL_OP_N, &s.rows, 0, NULL));
    assert_ok(ctx, sparcl_buf_read(ctx, s.c.as.dense.values, 0, sizeof got, got));
    assert_ok(ctx, sparcl_buf_read(ctx, s.rows.as.rows.values, 0, sizeof values, values));
    for (int64_t r = 0; r < M; ++r)
        for (int64_t j = 0; j < N; ++j) {
            float sum = 0;
            for (int64_t k = s.host.offsets[r]; k < s.host.offsets[r + 1]; ++k)
                if (s.host.indices[k] == 3)
                    sum += (float)s.host.values[k] * (values[j] + values[N + j]);
            assert_true(got[r * N + j] == sum);
        }
    free_operands(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused_and_c_stays),
        cmocka_unit_test(vectors_are_multiplied),
        cmocka_unit_test(a_bsr_matrix_is_checked_as_a_csr_matrix),
        cmocka_unit_test(duplicate_rows_are_added),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
