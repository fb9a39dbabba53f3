/* test_acceptance_construction.c: properties of making sparse arrays and of converting them
 * (reliability: 1, 2, 8, 11). Files, property 12, are those of data/test_npz.c. */
#include "acceptance.h"

#include <pthread.h>

#define CANONICAL (SPARCL_SORTED | SPARCL_UNIQUE)

/* Results with capacity for all of m. */
static sparcl_csr make_csr(sparcl_ctx *ctx, const integers *m, types t) {
    sparcl_csr a = {.rows = m->rows, .cols = m->cols, .nnz = 2 * m->rows * m->cols + m->rows};
    a.dtype = t.dtype, a.offset_type = t.offsets, a.index_type = t.indices;
    assert_ok(ctx, sparcl_csr_create(ctx, &a));
    return a;
}

static sparcl_csc make_csc(sparcl_ctx *ctx, const integers *m, types t) {
    sparcl_csc a = {.rows = m->rows, .cols = m->cols, .nnz = 2 * m->rows * m->cols + m->rows};
    a.dtype = t.dtype, a.offset_type = t.offsets, a.index_type = t.indices;
    assert_ok(ctx, sparcl_csc_create(ctx, &a));
    return a;
}

static sparcl_coo make_coo(sparcl_ctx *ctx, const integers *m, types t) {
    sparcl_coo a = {.rank = 2, .shape = {m->rows, m->cols}, .nnz = 2 * m->rows * m->cols + m->rows};
    a.dtype = t.dtype, a.index_type = t.indices;
    assert_ok(ctx, sparcl_coo_create(ctx, &a));
    return a;
}

static sparcl_rows make_rows(sparcl_ctx *ctx, const integers *m, types t) {
    sparcl_rows a = {.rank = 2, .shape = {m->rows, m->cols}, .nnr = m->rows};
    a.dtype = t.dtype, a.index_type = t.indices;
    assert_ok(ctx, sparcl_rows_create(ctx, &a));
    return a;
}

static sparcl_dense make_dense(sparcl_ctx *ctx, const integers *m, types t) {
    integers zeros = no_integers(m->rows, m->cols);
    const sparcl_dense a = put_dense_of(ctx, &zeros, t.dtype, SPARCL_ROW_MAJOR, 2);
    free(zeros.x);
    return a;
}

/* --- 1: from a dense matrix and back --------------------------------------------------------- */

static void check_csr_and_csc(sparcl_ctx *ctx, const sparcl_dense *from, const integers *m,
                              types t) {
    sparcl_csr csr = make_csr(ctx, m, t), again = make_csr(ctx, m, t);
    sparcl_csc csc = make_csc(ctx, m, t);
    sparcl_dense back = make_dense(ctx, m, t);
    assert_ok(ctx, sparcl_dense_to_csr(ctx, &csr, from, 0, NULL));
    assert_csr_is(ctx, &csr, m);
    assert_int_equal(sparcl_csr_flags(&csr) & CANONICAL, CANONICAL);
    assert_ok(ctx, sparcl_csr_to_csc(ctx, &csc, &csr));
    assert_csc_is(ctx, &csc, m);
    assert_ok(ctx, sparcl_csc_to_csr(ctx, &again, &csc));
    assert_csr_is(ctx, &again, m);
    assert_ok(ctx, sparcl_csr_to_dense(ctx, &back, &again));
    assert_dense_is(ctx, &back, m);
    sparcl_csr_free(&csr);
    sparcl_csr_free(&again);
    sparcl_csc_free(&csc);
    sparcl_dense_free(&back);
}

static void check_coo(sparcl_ctx *ctx, const sparcl_dense *from, const integers *m, types t) {
    sparcl_coo coo = make_coo(ctx, m, t), again = make_coo(ctx, m, t);
    sparcl_csr csr = make_csr(ctx, m, t);
    sparcl_dense back = make_dense(ctx, m, t);
    assert_ok(ctx, sparcl_dense_to_coo(ctx, &coo, from, 0, NULL));
    assert_coo_is(ctx, &coo, m);
    assert_ok(ctx, sparcl_coo_to_csr(ctx, &csr, &coo));
    assert_csr_is(ctx, &csr, m);
    assert_ok(ctx, sparcl_csr_to_coo(ctx, &again, &csr));
    assert_coo_is(ctx, &again, m);
    assert_ok(ctx, sparcl_coo_to_dense(ctx, &back, &again));
    assert_dense_is(ctx, &back, m);
    sparcl_coo_free(&coo);
    sparcl_coo_free(&again);
    sparcl_csr_free(&csr);
    sparcl_dense_free(&back);
}

static void check_rows(sparcl_ctx *ctx, const sparcl_dense *from, const integers *m, types t) {
    sparcl_rows rows = make_rows(ctx, m, t), again = make_rows(ctx, m, t);
    sparcl_csr csr = make_csr(ctx, m, t);
    sparcl_dense back = make_dense(ctx, m, t);
    assert_ok(ctx, sparcl_dense_to_rows(ctx, &rows, from, 0, NULL));
    assert_rows_are(ctx, &rows, m);
    assert_ok(ctx, sparcl_rows_to_csr(ctx, &csr, &rows, 0, NULL));
    assert_csr_is(ctx, &csr, m);
    assert_ok(ctx, sparcl_csr_to_rows(ctx, &again, &csr, NULL));
    assert_rows_are(ctx, &again, m);
    assert_ok(ctx, sparcl_rows_to_dense(ctx, &back, &again));
    assert_dense_is(ctx, &back, m);
    sparcl_rows_free(&rows);
    sparcl_rows_free(&again);
    sparcl_csr_free(&csr);
    sparcl_dense_free(&back);
}

static void check_round_trips(sparcl_ctx *ctx, const integers *m, types t) {
    sparcl_dense from = put_dense_of(ctx, m, t.dtype, SPARCL_ROW_MAJOR, 1);
    check_csr_and_csc(ctx, &from, m, t);
    check_coo(ctx, &from, m, t);
    check_rows(ctx, &from, m, t);
    sparcl_dense_free(&from);
}

static void a_matrix_survives_all_formats(void **state) {
    static const int64_t shapes[][2] = {{200, 257}, {31, 23}, {1, 300}, {300, 1}, {7, 64}};
    static const double densities[] = {0, 0.01, 0.5, 1};
    for (int s = 0; s < 5; ++s)
        for (int d = 0; d < 4; ++d)
            for (int k = 0; k < 5; k += 4) {
                integers m =
                    draw_integers(shapes[s][0], shapes[s][1], densities[d], (uint64_t)(s * 4 + d));
                check_round_trips(*state, &m, types_at(*state, k));
                free(m.x);
            }
}

/* As a matrix whose columns are the last two dimensions. */
static void check_cube(sparcl_ctx *ctx, const sparcl_dense *cube, const integers *m) {
    sparcl_dense matrix = *cube;
    matrix.rank = 2;
    matrix.shape[1] = m->cols;
    assert_dense_is(ctx, &matrix, m);
}

static void arrays_of_three_dimensions_survive(void **state) {
    static const double densities[] = {0, 0.01, 0.5, 1};
    sparcl_ctx *ctx = *state;
    for (int d = 0; d < 4; ++d) {
        integers m = draw_integers(23, 15, densities[d], (uint64_t)d);
        sparcl_dense from = put_dense_of(ctx, &m, SPARCL_F32, SPARCL_ROW_MAJOR, 0);
        from.rank = 3, from.shape[1] = 5, from.shape[2] = 3, from.ld = 0;
        sparcl_dense back = {.rank = 3, .shape = {23, 5, 3}};
        sparcl_coo coo = {.rank = 3, .shape = {23, 5, 3}, .nnz = 400};
        sparcl_rows rows = {.rank = 3, .shape = {23, 5, 3}, .nnr = 23};
        assert_ok(ctx, sparcl_dense_create(ctx, &back));
        assert_ok(ctx, sparcl_coo_create(ctx, &coo));
        assert_ok(ctx, sparcl_rows_create(ctx, &rows));
        assert_ok(ctx, sparcl_dense_to_coo(ctx, &coo, &from, 0, NULL));
        assert_coo_is(ctx, &coo, &m);
        assert_ok(ctx, sparcl_coo_to_dense(ctx, &back, &coo));
        check_cube(ctx, &back, &m);
        assert_ok(ctx, sparcl_dense_to_rows(ctx, &rows, &from, 0, NULL));
        assert_rows_are(ctx,
                        &(sparcl_rows){2,
                                       rows.dtype,
                                       rows.index_type,
                                       {23, 15},
                                       rows.nnr,
                                       rows.indices,
                                       rows.values,
                                       .count = rows.count},
                        &m);
        assert_ok(ctx, sparcl_rows_to_dense(ctx, &back, &rows));
        check_cube(ctx, &back, &m);
        sparcl_dense_free(&from);
        sparcl_dense_free(&back);
        sparcl_coo_free(&coo);
        sparcl_rows_free(&rows);
        free(m.x);
    }
}

/* --- 2: duplicates and rows that are not sorted ---------------------------------------------- */

/* a + b with the entries of each row of b before those of a, from right to left. */
static sparcl_csr put_unsorted(sparcl_ctx *ctx, const integers *a, const integers *b, types t) {
    spec_matrix x = entries_of(a), y = entries_of(b), both;
    sparcl_csr view;
    int64_t nnz = 0;
    assert_true(spec_matrix_alloc(&both, a->rows, a->cols, x.nnz + y.nnz));
    for (int64_t i = 0; i < a->rows; ++i) {
        for (int half = 0; half < 2; ++half) {
            const spec_matrix *const m = half ? &x : &y;
            for (int64_t k = m->offsets[i + 1]; k-- > m->offsets[i]; ++nnz)
                both.indices[nnz] = m->indices[k], both.values[nnz] = m->values[k];
        }
        both.offsets[i + 1] = nnz;
    }
    assert_ok(ctx, spec_put_csr(ctx, &view, &both, t.dtype, t.offsets, t.indices));
    view.proof = (sparcl_proof){.flags = 0};
    assert_ok(ctx, sparcl_csr_validate(ctx, &view, SPARCL_VALID));
    spec_matrix_free(&x);
    spec_matrix_free(&y);
    spec_matrix_free(&both);
    return view;
}

static integers add_integers(const integers *a, const integers *b) {
    integers sum = no_integers(a->rows, a->cols);
    for (int64_t k = 0; k < a->rows * a->cols; ++k)
        sum.x[k] = a->x[k] + b->x[k];
    return sum;
}

/* All ways to the canonical format give the same matrix. */
static void check_canonical(sparcl_ctx *ctx, const sparcl_csr *from, const integers *m, types t) {
    sparcl_csr csr = make_csr(ctx, m, t);
    sparcl_coo coo = make_coo(ctx, m, t), sum = make_coo(ctx, m, t);
    sparcl_rows rows = make_rows(ctx, m, t);
    sparcl_dense dense = make_dense(ctx, m, t);
    assert_csr_is(ctx, from, m);
    assert_ok(ctx, sparcl_csr_sum_duplicates(ctx, &csr, from, NULL, 0));
    assert_csr_is(ctx, &csr, m);
    assert_int_equal(sparcl_csr_flags(&csr) & CANONICAL, CANONICAL);
    assert_ok(ctx, sparcl_csr_sort_indices(ctx, &csr, from, NULL));
    assert_csr_is(ctx, &csr, m);
    assert_ok(ctx, sparcl_csr_to_coo(ctx, &coo, from));
    assert_coo_is(ctx, &coo, m);
    assert_ok(ctx, sparcl_coo_coalesce(ctx, &sum, &coo, SPARCL_SUM, NULL));
    assert_coo_is(ctx, &sum, m);
    assert_int_equal(sparcl_coo_flags(&sum) & CANONICAL, CANONICAL);
    assert_ok(ctx, sparcl_coo_to_csr(ctx, &csr, &sum));
    assert_csr_is(ctx, &csr, m);
    assert_ok(ctx, sparcl_csr_to_rows(ctx, &rows, from, NULL));
    assert_rows_are(ctx, &rows, m);
    assert_ok(ctx, sparcl_csr_to_dense(ctx, &dense, from));
    assert_dense_is(ctx, &dense, m);
    sparcl_csr_free(&csr);
    sparcl_coo_free(&coo);
    sparcl_coo_free(&sum);
    sparcl_rows_free(&rows);
    sparcl_dense_free(&dense);
}

static void duplicates_in_any_order_are_added(void **state) {
    static const double densities[] = {0.05, 0.4, 1};
    sparcl_ctx *ctx = *state;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        const types t = types_at(ctx, seed % 2 ? 0 : 4);
        integers a = draw_integers(29, 17, densities[seed % 3], seed);
        integers b = draw_integers(29, 17, densities[seed / 3 % 3], seed + 90);
        integers sum = add_integers(&a, &b);
        sparcl_csr view = put_unsorted(ctx, &a, &b, t);
        check_canonical(ctx, &view, &sum, t);
        sparcl_csr_free(&view);
        free(a.x), free(b.x), free(sum.x);
    }
}

/* The same matrix of 3 x 3 from (values, indices, offsets) in canonical and in other formats. */
static void a_csr_matrix_is_made_of_three_arrays(void **state) {
    static const int64_t offsets[][4] = {{0, 2, 3, 5}, {0, 2, 3, 7}, {0, 3, 4, 7}};
    static const int64_t indices[][7] = {
        {0, 2, 2, 0, 1}, {2, 0, 2, 1, 0, 1, 0}, {2, 0, 0, 2, 0, 1, 0}};
    static const double values[][7] = {
        {1, 2, 3, 9, 5}, {2, 1, 3, 2, 4, 3, 5}, {2, 3, -2, 3, 8, 5, 1}};
    static int64_t elements[] = {1, 0, 2, 0, 0, 3, 9, 5, 0};
    const integers m = {3, 3, elements};
    sparcl_ctx *ctx = *state;
    for (int form = 0; form < 3; ++form)
        for (int k = 0; k < 6; ++k) {
            const types t = types_at(ctx, k);
            const int64_t nnz = offsets[form][3];
            sparcl_csr a = {.rows = 3, .cols = 3, .nnz = nnz, .dtype = t.dtype};
            a.offset_type = t.offsets, a.index_type = t.indices;
            a.offsets = put_ints(ctx, offsets[form], 4, t.offsets);
            a.indices = put_ints(ctx, indices[form], nnz, t.indices);
            assert_ok(ctx, spec_put_reals(ctx, &a.values, values[form], nnz, t.dtype));
            assert_ok(ctx, sparcl_csr_validate(ctx, &a, SPARCL_VALID));
            check_canonical(ctx, &a, &m, t);
            sparcl_csr_free(&a);
        }
}

/* --- 8: sizes of 0 ---------------------------------------------------------------------------- */

static void sizes_of_zero_are_converted_and_added(void **state) {
    static const int64_t shapes[][2] = {{0, 0}, {0, 1}, {0, 5}, {1, 0}, {5, 0}};
    sparcl_ctx *ctx = *state;
    for (int s = 0; s < 5; ++s)
        for (int k = 0; k < 5; k += 4) {
            const types t = types_at(ctx, k);
            integers m = no_integers(shapes[s][0], shapes[s][1]);
            check_round_trips(ctx, &m, t);
            sparcl_csr a = put_csr_of(ctx, &m, t), sum = make_csr(ctx, &m, t);
            assert_ok(ctx, sparcl_csr_validate(ctx, &a, CANONICAL));
            assert_ok(ctx, sparcl_csr_add(ctx, &sum, 1, &a, 1, &a, NULL));
            assert_csr_is(ctx, &sum, &m);
            assert_ok(ctx, sparcl_csr_multiply(ctx, &sum, &a, &a, NULL));
            assert_csr_is(ctx, &sum, &m);
            sparcl_csr_free(&a);
            sparcl_csr_free(&sum);
            free(m.x);
        }
}

static void empty_matrices_that_do_not_match_are_refused(void **state) {
    static const int64_t shapes[][2] = {{0, 0}, {0, 1}, {0, 5}, {1, 0}, {5, 0}};
    sparcl_ctx *ctx = *state;
    for (int s = 0; s < 5; ++s)
        for (int other = 0; other < 5; ++other) {
            if (s == other) continue;
            integers m = no_integers(shapes[s][0], shapes[s][1]);
            integers n = no_integers(shapes[other][0], shapes[other][1]);
            sparcl_csr a = put_csr_of(ctx, &m, types_at(ctx, 0)),
                       b = put_csr_of(ctx, &n, types_at(ctx, 0));
            sparcl_csr sum = make_csr(ctx, &m, types_at(ctx, 0));
            sparcl_dense x = make_dense(ctx, &n, types_at(ctx, 0)),
                         to = make_dense(ctx, &m, types_at(ctx, 0));
            assert_ok(ctx, sparcl_csr_validate(ctx, &a, CANONICAL));
            assert_ok(ctx, sparcl_csr_validate(ctx, &b, CANONICAL));
            assert_refused(ctx, sparcl_csr_add(ctx, &sum, 1, &a, 1, &b, NULL), SPARCL_E_SHAPE, "");
            assert_refused(ctx, sparcl_csr_to_dense(ctx, &x, &a), SPARCL_E_SHAPE, "");
            if (m.cols != n.rows || n.cols != m.cols)
                assert_refused(ctx, sparcl_spmm(ctx, &to, 1, &a, &x, 0), SPARCL_E_SHAPE, "");
            sparcl_csr_free(&a);
            sparcl_csr_free(&b);
            sparcl_csr_free(&sum);
            sparcl_dense_free(&x);
            sparcl_dense_free(&to);
            free(m.x), free(n.x);
            ++acceptance_cases;
        }
}

/* --- 11: threads ------------------------------------------------------------------------------ */

/* One of ten threads, each with a context of its own; cmocka's assertions are for one thread. */
typedef struct worker {
    pthread_t thread;
    int number;
    bool is_right;
} worker;

static bool multiply_once(sparcl_ctx *ctx, int n) {
    static const int32_t offsets[] = {0, 2, 3, 5}, indices[] = {2, 0, 2, 1, 0};
    const float values[] = {(float)n, 1, 2, 3, 4}, x[] = {1, 10, 100};
    const float expected[] = {(float)(100 * n + 1), 200, 34};
    float y[3] = {0};
    sparcl_csr a = {.rows = 3, .cols = 3, .nnz = 5}, sorted = a;
    sparcl_dense b = {.rank = 1, .shape = {3}}, c = b;
    const bool ran = sparcl_csr_upload(ctx, &a, offsets, indices, values, 0) == SPARCL_OK &&
                     sparcl_dense_upload(ctx, &b, x) == SPARCL_OK &&
                     sparcl_dense_create(ctx, &c) == SPARCL_OK &&
                     sparcl_csr_create(ctx, &sorted) == SPARCL_OK &&
                     sparcl_csr_sort_indices(ctx, &sorted, &a, NULL) == SPARCL_OK &&
                     sparcl_spmm(ctx, &c, 1, &sorted, &b, 0) == SPARCL_OK &&
                     sparcl_dense_read(ctx, &c, y) == SPARCL_OK;
    sparcl_csr_free(&a);
    sparcl_csr_free(&sorted);
    sparcl_dense_free(&b);
    sparcl_dense_free(&c);
    return ran && memcmp(y, expected, sizeof y) == 0;
}

static void *work(void *argument) {
    worker *const w = argument;
    const sparcl_ctx_desc desc = test_desc();
    sparcl_ctx *ctx = NULL;
    sparcl_error error;
    w->is_right = sparcl_ctx_open(&ctx, &desc, &error) == SPARCL_OK;
    for (int n = 0; w->is_right && n < 10; ++n)
        w->is_right = multiply_once(ctx, w->number * 10 + n);
    sparcl_ctx_close(ctx);
    return NULL;
}

/* The kernels have run before: PoCL 3.1 fails where two threads are the first to run one kernel
 * (pocl_release_dlhandle_cache). */
static void ten_threads_make_matrices_and_multiply_at_once(void **state) {
    worker workers[10];
    if (test_is_small()) skip(); /* a simulator has one thread */
    assert_true(multiply_once(*state, 0));
    for (int i = 0; i < 10; ++i) {
        workers[i] = (worker){.number = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < 10; ++i) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        assert_true(workers[i].is_right);
        acceptance_cases += 10;
    }
}

AT_LEAST(construction)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_matrix_survives_all_formats),
        cmocka_unit_test(arrays_of_three_dimensions_survive),
        cmocka_unit_test(duplicates_in_any_order_are_added),
        cmocka_unit_test(a_csr_matrix_is_made_of_three_arrays),
        cmocka_unit_test(sizes_of_zero_are_converted_and_added),
        cmocka_unit_test(empty_matrices_that_do_not_match_are_refused),
        cmocka_unit_test(ten_threads_make_matrices_and_multiply_at_once),
        cmocka_unit_test(at_least_construction),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
