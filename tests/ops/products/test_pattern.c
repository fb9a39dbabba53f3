/* test_pattern.c: what the header says of patterns. */
#include "launch/launch.h"
#include "product_test.h"

static const uint32_t proven = SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE;

static sparcl_status with_pattern(sparcl_ctx *ctx, const product *p, sparcl_pattern *pattern) {
    return sparcl_spmm_t(ctx, &p->c, 1, &p->a, &p->b, 0, pattern);
}

static void an_empty_pattern_belongs_to_no_matrix(void **state) {
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_UNIFORM, 5, 4, 9, 2, true);
    product none = product_make(ctx, SPEC_UNIFORM, 0, 0, 0, 2, true);
    sparcl_pattern *pattern = pattern_of(ctx, NULL);
    assert_refused_untouched(ctx, p.c.values, with_pattern(ctx, &p, pattern), SPARCL_E_ARG,
                             "the pattern is not that of A as it is now");
    assert_refused(ctx, with_pattern(ctx, &none, pattern), SPARCL_E_ARG, "sparcl_pattern_build");
    const sparcl_rows columns = sparcl_pattern_columns(pattern);
    assert_int_equal(columns.rank, 2);
    assert_int_equal(columns.shape[0], 0);
    assert_int_equal(columns.nnr, 0);
    assert_int_equal(sparcl_rows_flags(&columns), 0); /* it was never built */
    sparcl_pattern_free(pattern);
    sparcl_pattern_free(NULL);
    product_free(&none);
    product_free(&p);
}

static void a_pattern_that_is_null_or_unproven_is_refused(void **state) {
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_UNIFORM, 5, 4, 9, 2, true);
    sparcl_pattern *pattern = pattern_of(ctx, &p.a);
    assert_refused(ctx, sparcl_pattern_create(ctx, NULL), SPARCL_E_ARG, "pattern is NULL");
    assert_refused(ctx, sparcl_pattern_build(ctx, NULL, &p.a), SPARCL_E_ARG, "pattern is NULL");
    assert_refused(ctx, sparcl_pattern_build(ctx, pattern, NULL), SPARCL_E_ARG, "A is NULL");
    sparcl_csr unproven = p.a;
    unproven.proof = (sparcl_proof){0};
    assert_refused(ctx, sparcl_pattern_build(ctx, pattern, &unproven), SPARCL_E_UNCHECKED,
                   "pattern: A is not checked");
    assert_ok(ctx, with_pattern(ctx, &p, pattern)); /* what was refused changed nothing */
    assert_product(ctx, &p, 1, 0);
    sparcl_pattern_free(pattern);
    product_free(&p);
}

static void one_pattern_serves_all_values_of_a_matrix(void **state) {
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_DUPLICATE, 60, 25, 400, 3, true);
    sparcl_pattern *pattern = pattern_of(ctx, &p.a);
    for (int round = 0; round < 3; ++round) {
        float *values = make_floats(400, (uint64_t)round + 90);
        for (int i = 0; i < 400; ++i)
            p.matrix.values[i] = values[i];
        assert_ok(ctx, sparcl_buf_write(ctx, p.a.values, 0, 1600, values));
        assert_ok(ctx, with_pattern(ctx, &p, pattern));
        assert_product(ctx, &p, 1, 0);
        free(values);
    }
    product q = p; /* and a matrix of those index buffers with values elsewhere */
    float *values = make_floats(410, 99);
    q.a.values = put(ctx, values, 410 * 4);
    q.a.values_at = 10;
    for (int i = 0; i < 400; ++i)
        q.matrix.values[i] = values[i + 10];
    assert_ok(ctx, with_pattern(ctx, &q, pattern));
    assert_product(ctx, &q, 1, 0);
    free(values);
    sparcl_buf_free(q.a.values);
    sparcl_pattern_free(pattern);
    product_free(&p);
}

static void a_pattern_of_another_matrix_is_refused(void **state) {
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_UNIFORM, 5, 4, 9, 2, true);
    product same = product_make(ctx, SPEC_UNIFORM, 5, 4, 9, 2, true);
    sparcl_pattern *pattern = pattern_of(ctx, &same.a);
    assert_refused_untouched(ctx, p.c.values, with_pattern(ctx, &p, pattern), SPARCL_E_ARG,
                             "spmm_t: the pattern is not that of A");
    product shorter = same;
    shorter.a.nnz = 8;
    assert_refused_untouched(ctx, same.c.values, with_pattern(ctx, &shorter, pattern), SPARCL_E_ARG,
                             "the pattern is not that of A");
    sparcl_pattern_free(pattern);
    product_free(&same);
    product_free(&p);
}

static void a_pattern_of_another_context_is_refused(void **state) {
    sparcl_ctx *ctx = *state, *other = test_open();
    product p = product_make(ctx, SPEC_UNIFORM, 5, 4, 9, 2, true);
    sparcl_pattern *pattern = pattern_of(other, NULL);
    assert_refused_untouched(ctx, p.c.values, with_pattern(ctx, &p, pattern), SPARCL_E_ARG,
                             "the pattern is not that of A");
    sparcl_pattern_free(pattern);
    sparcl_ctx_close(other);
    product_free(&p);
}

static void a_pattern_ends_when_an_index_buffer_is_written(void **state) {
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_UNIFORM, 5, 4, 9, 2, true);
    sparcl_buf *const bufs[] = {p.a.offsets, p.a.indices};
    sparcl_pattern *pattern = pattern_of(ctx, &p.a);
    for (size_t i = 0; i < COUNT(bufs); ++i) {
        void *bytes = bytes_of(ctx, bufs[i]);
        assert_ok(ctx, sparcl_buf_write(ctx, bufs[i], 0, sparcl_buf_bytes(bufs[i]), bytes));
        assert_refused_untouched(ctx, p.c.values, with_pattern(ctx, &p, pattern), SPARCL_E_ARG,
                                 "as it is now; call sparcl_pattern_build");
        assert_ok(ctx, sparcl_pattern_build(ctx, pattern, &p.a));
        assert_ok(ctx, with_pattern(ctx, &p, pattern));
        assert_product(ctx, &p, 1, 0);
        free(bytes);
    }
    sparcl_buf_touched(p.a.indices);
    assert_refused(ctx, with_pattern(ctx, &p, pattern), SPARCL_E_ARG, "as it is now");
    sparcl_pattern_free(pattern);
    product_free(&p);
}

static void building_again_forgets_the_old_matrix_and_uses_its_memory(void **state) {
    sparcl_ctx *ctx = *state;
    product large = product_make(ctx, SPEC_UNIFORM, 90, 70, 900, 2, true);
    product small = product_make(ctx, SPEC_RAGGED, 40, 30, 200, 2, true);
    sparcl_pattern *pattern = pattern_of(ctx, &large.a);
    const int64_t memory = sparcl_ctx_memory(ctx);
    assert_ok(ctx, sparcl_pattern_build(ctx, pattern, &small.a));
    assert_int_equal(sparcl_ctx_memory(ctx), memory);
    assert_ok(ctx, with_pattern(ctx, &small, pattern));
    assert_product(ctx, &small, 1, 0);
    assert_refused(ctx, with_pattern(ctx, &large, pattern), SPARCL_E_ARG, "not that of A");
    sparcl_pattern_free(pattern);
    product_free(&large);
    product_free(&small);
}

static void the_columns_of_a_pattern_are_a_row_sparse_view_without_values(void **state) {
    sparcl_ctx *ctx = *state;
    for (int types = 0; types < 2; ++types) {
        int64_t expected[50], got[50];
        spec_matrix m;
        assert_true(spec_matrix_make(&m, SPEC_RAGGED, 30, 50, 60, 3));
        product p =
            product_of(ctx, &m, 1, true, SPARCL_INDEX32, types ? SPARCL_INDEX64 : SPARCL_INDEX32);
        const int64_t count = find_columns(&p.matrix, expected);
        sparcl_pattern *pattern = pattern_of(ctx, &p.a);
        const sparcl_rows columns = sparcl_pattern_columns(pattern);
        assert_int_equal(columns.rank, 2);
        assert_int_equal(columns.shape[0], 50);
        assert_int_equal(columns.shape[1], 0);
        assert_null(columns.values);
        assert_true(columns.nnr >= count);
        assert_int_equal(sparcl_rows_flags(&columns), proven);
        assert_int_equal(int_at(ctx, columns.count, columns.count_at), count);
        assert_ok(ctx, spec_get_ints(ctx, columns.indices, columns.indices_at, count,
                                     columns.index_type, got));
        assert_memory_equal(got, expected, (size_t)count * 8);
        assert_ok(ctx, sparcl_pattern_build(ctx, pattern, &p.a));
        assert_int_equal(sparcl_rows_flags(&columns), 0); /* it was valid until then */
        sparcl_pattern_free(pattern);
        product_free(&p);
    }
}

/* The columns of the pattern of a matrix. */
static void assert_columns(sparcl_ctx *ctx, const spec_matrix *m) {
    int64_t *expected = must_have(calloc((size_t)m->nnz + 1, sizeof *expected));
    int64_t *got = must_have(calloc((size_t)m->nnz + 1, sizeof *got));
    const int64_t count = find_columns(m, expected);
    sparcl_csr a;
    assert_ok(ctx, spec_put_csr(ctx, &a, m, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
    sparcl_pattern *pattern = pattern_of(ctx, &a);
    const sparcl_rows columns = sparcl_pattern_columns(pattern);
    assert_int_equal(int_at(ctx, columns.count, columns.count_at), count);
    assert_ok(ctx, spec_get_ints(ctx, columns.indices, columns.indices_at, count,
                                 columns.index_type, got));
    assert_memory_equal(got, expected, (size_t)count * 8);
    sparcl_pattern_free(pattern);
    sparcl_csr_free(&a);
    free(expected);
    free(got);
}

/* Most columns of these matrices are empty. With unsorted rows, a single core builds the pattern.
 * The last ones have too many entries or columns for a bit per column, so they are sorted by
 * buckets; keys of the very last have more than 43 bits. */
static void columns_that_are_empty_are_not_in_a_pattern(void **state) {
    static const struct {
        spec_kind kind;
        int64_t rows, cols, nnz;
    } cases[] = {{SPEC_RAGGED, 30, 5000, 60},          {SPEC_DUPLICATE, 40, 70, 20},
                 {SPEC_ONE_COL, 300, 1000, 300},       {SPEC_ONE_ROW, 5, 100001, 17},
                 {SPEC_UNIFORM, 700, 300031, 20000},   {SPEC_RAGGED, 3000, 100033, 30000},
                 {SPEC_DUPLICATE, 90, 400000, 20000},  {SPEC_UNIFORM, 1500, 400000, 150000},
                 {SPEC_RAGGED, 2000, 400000, 140000},  {SPEC_UNIFORM, 64, 5000000, 2000},
                 {SPEC_UNIFORM, 300000, 1 << 25, 5000}};
    sparcl_ctx *ctx = open_wide();
    (void)state;
    for (size_t i = 0; i < COUNT(cases); ++i) {
        spec_matrix m;
        assert_true(spec_matrix_make(&m, cases[i].kind, cases[i].rows, cases[i].cols, cases[i].nnz,
                                     (uint64_t)i));
        assert_columns(ctx, &m);
        if (m.cols > 1000000) {
            spec_matrix_free(&m);
            continue;
        }
        product p = product_of(ctx, &m, 1, true, SPARCL_INDEX32, SPARCL_INDEX32);
        sparcl_pattern *pattern = pattern_of(ctx, &p.a);
        assert_ok(ctx, with_pattern(ctx, &p, pattern));
        assert_product(ctx, &p, 1, 0);
        sparcl_pattern_free(pattern);
        product_free(&p);
    }
    sparcl_ctx_close(ctx);
}

/* Where the entries are unique, a column has at most one entry for each row. If that is little
 * work, no column is split, and no second launch adds partial sums. */
static void columns_of_a_matrix_with_few_rows_are_not_cut(void **state) {
    sparcl_ctx *ctx = open_wide();
    (void)state;
    product p = product_make(ctx, SPEC_UNIFORM, 500, 50000, 150000, 1, true);
    for (int unique = 0; unique < 2; ++unique) {
        p.a.proof = (sparcl_proof){.flags = SPARCL_TRUSTED | SPARCL_VALID |
                                            (unique ? (uint32_t)SPARCL_UNIQUE : 0u)};
        sparcl_pattern *pattern = pattern_of(ctx, &p.a);
        assert_ok(ctx, with_pattern(ctx, &p, pattern)); /* permutes A's values */
        const int64_t before = sparcl_ctx_launches(ctx);
        assert_ok(ctx, with_pattern(ctx, &p, pattern));
        const int64_t launches = sparcl_ctx_launches(ctx) - before;
        if (!spc_has_short_loops(ctx)) assert_int_equal(launches, unique ? 1 : 2);
        assert_product(ctx, &p, 1, 0);
        sparcl_pattern_free(pattern);
    }
    product_free(&p);
    sparcl_ctx_close(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_pattern_belongs_to_no_matrix),
        cmocka_unit_test(a_pattern_that_is_null_or_unproven_is_refused),
        cmocka_unit_test(one_pattern_serves_all_values_of_a_matrix),
        cmocka_unit_test(a_pattern_of_another_matrix_is_refused),
        cmocka_unit_test(a_pattern_of_another_context_is_refused),
        cmocka_unit_test(a_pattern_ends_when_an_index_buffer_is_written),
        cmocka_unit_test(building_again_forgets_the_old_matrix_and_uses_its_memory),
        cmocka_unit_test(the_columns_of_a_pattern_are_a_row_sparse_view_without_values),
        cmocka_unit_test(columns_that_are_empty_are_not_in_a_pattern),
        cmocka_unit_test(columns_of_a_matrix_with_few_rows_are_not_cut),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
