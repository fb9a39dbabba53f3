/* test_negatives.c: what the header says of sparcl_negative_samples. */
#include "select_rows_test.h"

enum { M = 12, N = 9, FIRST = 2, COUNT_OF_LIST = 3000 };

typedef struct sampling {
    spec_matrix matrix;
    sparcl_csr a;
    sparcl_list rows, to;
    int64_t numbers[COUNT_OF_LIST], got[COUNT_OF_LIST];
} sampling;

static sampling *make_sampling(sparcl_ctx *ctx, int64_t entries) {
    sampling *const s = must_have(calloc(1, sizeof *s));
    uint64_t seed = 3;
    assert_true(spec_matrix_make(&s->matrix, SPEC_UNIFORM, M, N, entries, 6));
    spec_matrix_unique(&s->matrix);
    assert_ok(ctx,
              spec_put_csr(ctx, &s->a, &s->matrix, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
    s->a.proof.flags = SPARCL_TRUSTED | SPARCL_SORTED | SPARCL_UNIQUE;
    for (int i = 0; i < COUNT_OF_LIST; ++i)
        s->numbers[i] = (int64_t)(spec_random(&seed) % M);
    s->rows = put_list(ctx, s->numbers, COUNT_OF_LIST, M, SPARCL_INDEX64);
    s->to = put_list(ctx, s->numbers, COUNT_OF_LIST, N, SPARCL_INDEX32);
    s->to.proof.flags = 0;
    return s;
}

static void free_sampling(sampling *s) {
    spec_matrix_free(&s->matrix);
    sparcl_csr_free(&s->a);
    sparcl_list_free(&s->rows);
    sparcl_list_free(&s->to);
    free(s);
}

static void sample(sparcl_ctx *ctx, sampling *s, uint64_t seed, uint64_t offset) {
    assert_ok(ctx, sparcl_negative_samples(ctx, &s->to, &s->a, &s->rows, FIRST, seed, offset));
    assert_ok(ctx, spec_get_ints(ctx, s->to.indices, 0, COUNT_OF_LIST, SPARCL_INDEX32, s->got));
}

static bool is_stored(const sampling *s, int64_t row, int64_t column) {
    bool found = false;
    for (int64_t k = s->matrix.offsets[row]; k < s->matrix.offsets[row + 1]; ++k)
        found = found || s->matrix.indices[k] == column;
    return found;
}

static void columns_are_not_stored_and_each_is_drawn(void **state) {
    sampling *const s = make_sampling(*state, 40);
    int drawn[M][N] = {{0}};
    sample(*state, s, 5, 1);
    assert_true(s->to.proof.flags & SPARCL_VALID);
    for (int i = 0; i < COUNT_OF_LIST; ++i) {
        assert_in_range(s->got[i], FIRST, N - 1);
        ++drawn[s->numbers[i]][s->got[i]];
    }
    for (int row = 0; row < M; ++row) {
        int absent = 0, of_row = 0;
        for (int column = FIRST; column < N; ++column) {
            absent += !is_stored(s, row, column);
            of_row += drawn[row][column];
        }
        for (int column = FIRST; absent > 0 && column < N; ++column) {
            const double expected = (double)of_row / absent;
            if (is_stored(s, row, column))
                assert_int_equal(drawn[row][column], 0);
            else /* five standard deviations of a binomial distribution */
                assert_true(fabs(drawn[row][column] - expected) < 5 * sqrt(expected) + 1);
        }
    }
    free_sampling(s);
}

static void other_seeds_and_offsets_give_other_columns(void **state) {
    sampling *const s = make_sampling(*state, 40);
    static int64_t first[COUNT_OF_LIST];
    sample(*state, s, 5, 1);
    memcpy(first, s->got, sizeof first);
    sample(*state, s, 5, 1);
    assert_memory_equal(s->got, first, sizeof first);
    const uint64_t others[][2] = {
        {6, 1}, {5, 2}, {5, (uint64_t)1 << 32 | 1}, {(uint64_t)1 << 32 | 5, 1}};
    for (size_t i = 0; i < COUNT(others); ++i) {
        sample(*state, s, others[i][0], others[i][1]);
        assert_true(memcmp(s->got, first, sizeof first) != 0);
    }
    free_sampling(s);
}

/* All columns but one, and all. */
static void full_rows_have_the_last_column_that_is_left(void **state) {
    sampling *const s = make_sampling(*state, 40);
    int64_t offsets[M + 1] = {0}, indices[M * N];
    int64_t at = 0;
    for (int row = 0; row < M; ++row) {
        for (int column = 0; column < N; ++column)
            if (row == 3 || column != FIRST + row % 7) indices[at++] = column;
        offsets[row + 1] = at;
    }
    s->a.nnz = at;
    sparcl_csr_free(&s->a);
    s->a.offsets = put_ints(*state, offsets, M + 1, SPARCL_INDEX32);
    s->a.indices = put_ints(*state, indices, at, SPARCL_INDEX32);
    s->a.values = put_ints(*state, indices, at, SPARCL_INDEX32);
    s->a.proof.flags = SPARCL_TRUSTED | SPARCL_SORTED | SPARCL_UNIQUE;
    sample(*state, s, 5, 1);
    for (int i = 0; i < COUNT_OF_LIST; ++i) {
        if (s->numbers[i] == 3)
            assert_in_range(s->got[i], FIRST, N - 1);
        else
            assert_int_equal(s->got[i], FIRST + s->numbers[i] % 7);
    }
    free_sampling(s);
}

static void what_does_not_fit_is_refused(void **state) {
    sparcl_ctx *const ctx = *state;
    sampling *const s = make_sampling(ctx, 40);
    sparcl_list wrong = s->to;
    wrong.count = 5;
    assert_refused(ctx, sparcl_negative_samples(ctx, &wrong, &s->a, &s->rows, 0, 0, 0),
                   SPARCL_E_SHAPE, "`to` has 5 numbers below 9, `rows` 3000 below 12");
    assert_refused(ctx, sparcl_negative_samples(ctx, &s->to, &s->a, &s->rows, N, 0, 0),
                   SPARCL_E_ARG, "first is 9, expected 0 to 8");
    assert_refused(ctx, sparcl_negative_samples(ctx, &s->to, &s->a, &s->rows, -1, 0, 0),
                   SPARCL_E_ARG, "first is -1");
    wrong = s->rows;
    wrong.limit = N;
    assert_refused(ctx, sparcl_negative_samples(ctx, &wrong, &s->a, &s->rows, 0, 0, 0),
                   SPARCL_E_ALIAS, "rows");
    s->rows.proof.flags = 0;
    assert_refused(ctx, sparcl_negative_samples(ctx, &s->to, &s->a, &s->rows, 0, 0, 0),
                   SPARCL_E_UNCHECKED, "`rows`");
    s->rows.proof.flags = SPARCL_TRUSTED;
    s->a.proof.flags = 0;
    assert_refused(ctx, sparcl_negative_samples(ctx, &s->to, &s->a, &s->rows, 0, 0, 0),
                   SPARCL_E_UNCHECKED, "A");
    free_sampling(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_not_stored_and_each_is_drawn),
        cmocka_unit_test(other_seeds_and_offsets_give_other_columns),
        cmocka_unit_test(full_rows_have_the_last_column_that_is_left),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
