/* test_acceptance_reductions.c: properties of sums, means and norms by axis, and of operations with
 * a vector (reliability: 34, 37, 38). */
#include "acceptance.h"

static const double densities[] = {0, 0.01, 0.2, 0.5, 1};

enum { ROWS = 37, COLS = 6 };

/* --- 34, 37: sums, means and norms by axis --------------------------------------------------- */

/* Of `count` numbers from x on, each `step` after the other; exact but for the last rounding. */
static double reduced(sparcl_reduction kind, const int64_t *x, int64_t count, int64_t step) {
    int64_t sum = 0, squares = 0, absolute = 0;
    for (int64_t k = 0; k < count; ++k) {
        sum += x[k * step];
        squares += x[k * step] * x[k * step];
        absolute += x[k * step] < 0 ? -x[k * step] : x[k * step];
    }
    if (kind == SPARCL_REDUCE_MEAN) return (double)sum / (double)count;
    if (kind == SPARCL_REDUCE_SQUARE_SUM) return (double)squares;
    if (kind == SPARCL_REDUCE_NORM) return sqrt((double)squares);
    if (kind == SPARCL_REDUCE_NORM1) return (double)absolute;
    return (double)sum;
}

/* Number i of the result: of row i, of column i, or of all. */
static double reduced_at(sparcl_reduction kind, const integers *m, int axis, int64_t i) {
    if (axis == 1) return reduced(kind, m->x + i * m->cols, m->cols, 1);
    if (axis == 0) return reduced(kind, m->x + i, m->rows, m->cols);
    return reduced(kind, m->x, m->rows * m->cols, 1);
}

static sparcl_dense make_vector(sparcl_ctx *ctx, int64_t count, sparcl_dtype dtype) {
    sparcl_dense view = {.rank = 1, .dtype = dtype, .shape = {count}};
    assert_ok(ctx, sparcl_dense_create(ctx, &view));
    return view;
}

static void assert_reduced(sparcl_ctx *ctx, const sparcl_dense *got, sparcl_reduction kind,
                           const integers *m, int axis, const int64_t *rows) {
    const int64_t count = got->shape[0];
    double *const x = must_have(calloc((size_t)count + 1, sizeof *x));
    assert_ok(ctx, spec_get_reals(ctx, got->values, 0, count, got->dtype, x));
    for (int64_t i = 0; i < count; ++i) {
        double expected = reduced_at(kind, m, axis, rows ? rows[i] : i);
        if (got->dtype == SPARCL_F32) expected = (double)(float)expected;
        if (x[i] != expected)
            fail_msg("reduction %d, axis %d: element %lld is %a, expected %a", (int)kind, axis,
                     (long long)i, x[i], expected);
    }
    free(x);
    ++acceptance_cases;
}

static void check_reductions(sparcl_ctx *ctx, const integers *m, sparcl_reduction kind, int axis,
                             types t) {
    sparcl_rows rows = put_rows_of(ctx, m, t);
    sparcl_csr csr = put_csr_of(ctx, m, t);
    sparcl_dense dense = put_dense_of(ctx, m, t.dtype, SPARCL_ROW_MAJOR, axis < 0 ? 0 : 1);
    const int64_t count = axis < 0 ? 1 : axis ? m->rows : m->cols;
    sparcl_dense to = make_vector(ctx, count, t.dtype);
    sparcl_dense of_rows = make_vector(ctx, axis == 1 ? rows.nnr : count, t.dtype);
    int64_t *const ids = must_have(calloc((size_t)rows.nnr + 1, sizeof *ids));
    assert_ok(ctx, spec_get_ints(ctx, rows.indices, 0, rows.nnr, rows.index_type, ids));
    assert_ok(ctx, sparcl_rows_reduce(ctx, kind, &of_rows, &rows, axis));
    assert_reduced(ctx, &of_rows, kind, m, axis, axis == 1 ? ids : NULL);
    assert_ok(ctx, sparcl_dense_reduce(ctx, kind, &to, &dense, axis));
    assert_reduced(ctx, &to, kind, m, axis, NULL);
    assert_ok(ctx, sparcl_csr_reduce(ctx, kind, SPARCL_OVER_ALL, &to, &csr, axis, NULL, 0, NULL));
    assert_reduced(ctx, &to, kind, m, axis, NULL);
    sparcl_rows_free(&rows);
    sparcl_csr_free(&csr);
    sparcl_dense_free(&dense);
    sparcl_dense_free(&to);
    sparcl_dense_free(&of_rows);
    free(ids);
}

static void sums_means_and_norms_by_axis(void **state) {
    static const sparcl_reduction kinds[] = {SPARCL_REDUCE_SUM, SPARCL_REDUCE_MEAN,
                                             SPARCL_REDUCE_SQUARE_SUM, SPARCL_REDUCE_NORM,
                                             SPARCL_REDUCE_NORM1};
    for (int d = 0; d < 5; ++d)
        for (size_t i = 0; i < COUNT(kinds); ++i)
            for (int axis = -1; axis <= 1; ++axis) {
                integers m = draw_rows(ROWS, COLS, densities[d], (uint64_t)d + 3);
                check_reductions(*state, &m, kinds[i], axis, types_at(*state, d % 2 ? 4 : 0));
                free(m.x);
            }
}

/* --- 38: with a vector ----------------------------------------------------------------------- */

static int64_t apply(sparcl_binary_op op, int64_t x, int64_t y) {
    if (op == SPARCL_BINARY_ADD) return x + y;
    if (op == SPARCL_BINARY_SUBTRACT) return x - y;
    return op == SPARCL_BINARY_MULTIPLY ? x * y : x / y;
}

/* Multiples of 4, so that quotients by 1, -2 and 4 are integers, too. */
static void check_vector(sparcl_ctx *ctx, double density, sparcl_binary_op op, int axis, types t) {
    static const int64_t divisors[] = {1, -2, 4, -1};
    integers m = draw_integers(ROWS, COLS, density, (uint64_t)op),
             expected = no_integers(ROWS, COLS);
    const int64_t count = axis ? ROWS : COLS;
    double vector[ROWS];
    for (int64_t k = 0; k < ROWS * COLS; ++k) {
        m.x[k] *= 4;
        expected.x[k] = apply(op, m.x[k], divisors[(axis ? k / COLS : k % COLS) % 4]);
    }
    for (int64_t i = 0; i < count; ++i)
        vector[i] = (double)divisors[i % 4];
    sparcl_dense x = put_dense_of(ctx, &m, t.dtype, SPARCL_ROW_MAJOR, 1);
    sparcl_dense v = {.rank = 2, .dtype = t.dtype, .shape = {axis ? ROWS : 1, axis ? 1 : COLS}};
    assert_ok(ctx, spec_put_reals(ctx, &v.values, vector, count, t.dtype));
    assert_ok(ctx, sparcl_binary(ctx, op, &x, &x, &v));
    assert_dense_is(ctx, &x, &expected);
    if (op == SPARCL_BINARY_MULTIPLY || op == SPARCL_BINARY_DIVIDE) {
        sparcl_csr a = put_csr_of(ctx, &m, t);
        const sparcl_dense values = {
            .rank = 1, .dtype = t.dtype, .shape = {a.nnz}, .values = a.values};
        v.rank = 1, v.shape[0] = count;
        assert_ok(ctx, sparcl_csr_broadcast(ctx, op, &values, &a, &v, axis));
        assert_csr_is(ctx, &a, &expected);
        sparcl_csr_free(&a);
    }
    sparcl_dense_free(&x);
    sparcl_dense_free(&v);
    free(m.x), free(expected.x);
}

static void operations_with_a_vector(void **state) {
    for (int d = 0; d < 5; ++d)
        for (int op = SPARCL_BINARY_ADD; op <= SPARCL_BINARY_DIVIDE; ++op)
            for (int axis = 0; axis < 2; ++axis)
                for (int k = 0; k < 5; k += 4)
                    check_vector(*state, densities[d], (sparcl_binary_op)op, axis,
                                 types_at(*state, k));
}

AT_LEAST(reductions)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_means_and_norms_by_axis),
        cmocka_unit_test(operations_with_a_vector),
        cmocka_unit_test(at_least_reductions),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
