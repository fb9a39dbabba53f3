/* test_reduce.c: what the header says of reductions of CSR matrices, dense matrices and row-sparse
 * arrays, and of dot products of rows. */
#include "long_runs.h"

/* A = ( 1 . -2 . ), four rows and columns, with two entries of capacity that are not used.
 *     ( . .  . . )
 *     ( 3 4  0 5 )
 *     ( . .  . 6 ) */
#define ROWS     4
#define CAPACITY 9
static const int64_t offsets[] = {0, 2, 2, 6, 7};
static const int64_t columns[] = {0, 2, 0, 1, 2, 3, 3, 0, 0};
static const float values[] = {1, -2, 3, 4, 0, 5, 6, 100, 100};

typedef struct reduction {
    sparcl_csr a;
    sparcl_dense to;
    sparcl_buf *positions;
} reduction;

static reduction make(sparcl_ctx *ctx) {
    const float poison[CAPACITY] = {9, 9, 9, 9, 9, 9, 9, 9, 9};
    const int64_t places[CAPACITY] = {7, 7, 7, 7};
    reduction r = {
        .a = {.rows = ROWS, .cols = ROWS, .nnz = CAPACITY, .proof = {.flags = SPARCL_TRUSTED}},
        .to = {.rank = 1, .shape = {ROWS}}};
    r.a.offsets = put_ints(ctx, offsets, ROWS + 1, SPARCL_INDEX32);
    r.a.indices = put_ints(ctx, columns, CAPACITY, SPARCL_INDEX32);
    r.a.values = put_spare(ctx, values, CAPACITY);
    r.to.values = put_spare(ctx, poison, CAPACITY);
    r.positions = put_ints(ctx, places, CAPACITY, SPARCL_INDEX64);
    return r;
}

static void free_reduction(reduction *r) {
    sparcl_csr_free(&r->a);
    sparcl_buf_free(r->to.values);
    sparcl_buf_free(r->positions);
}

static void assert_floats(sparcl_ctx *ctx, const sparcl_dense *view, const float *expected) {
    for (int64_t i = 0; i < view->shape[0]; ++i) {
        const float got = float_at(ctx, view->values, view->values_at + i);
        if (got != expected[i])
            fail_msg("element %d is %g, expected %g", (int)i, (double)got, (double)expected[i]);
    }
}

/* Reduce by an axis; the result is expected, the elements after it are as they were. */
#define ASSERT_REDUCED(kind, over, axis, ...)                                                      \
    do {                                                                                           \
        const float want[] = {__VA_ARGS__};                                                        \
        reduction r = make(ctx);                                                                   \
        r.to.shape[0] = (int64_t)COUNT(want);                                                      \
        assert_ok(ctx, sparcl_csr_reduce(ctx, SPARCL_REDUCE_##kind, SPARCL_OVER_##over, &r.to,     \
                                         &r.a, (axis), NULL, 0, NULL));                            \
        assert_floats(ctx, &r.to, want);                                                           \
        assert_true(float_at(ctx, r.to.values, r.to.shape[0]) == 9);                               \
        free_reduction(&r);                                                                        \
    } while (0)

static void rows_columns_and_all_of_a_matrix_are_reduced(void **state) {
    sparcl_ctx *ctx = *state;
    ASSERT_REDUCED(SUM, ALL, 1, -1, 0, 12, 6);
    ASSERT_REDUCED(SUM, ALL, 0, 4, 4, -2, 11);
    ASSERT_REDUCED(SUM, ALL, -1, 17);
    ASSERT_REDUCED(SQUARE_SUM, ALL, 1, 5, 0, 50, 36);
    ASSERT_REDUCED(NORM1, ALL, 0, 4, 4, 2, 11);
    ASSERT_REDUCED(NORM, ALL, 0, sqrtf(10), 4, 2, sqrtf(61));
    ASSERT_REDUCED(COUNT, ALL, 1, 2, 0, 4, 1);
    ASSERT_REDUCED(COUNT, STORED, -1, 7);
}

static void elements_that_are_not_stored_are_zeros_unless_excluded(void **state) {
    sparcl_ctx *ctx = *state;
    ASSERT_REDUCED(MEAN, ALL, 1, -0.25F, 0, 3, 1.5F);
    ASSERT_REDUCED(MEAN, STORED, 1, -0.5F, 0, 3, 6);
    ASSERT_REDUCED(SQRTN, ALL, 0, 2, 2, -1, 5.5F);
    ASSERT_REDUCED(MAX, ALL, 0, 3, 4, 0, 6);
    ASSERT_REDUCED(MIN, ALL, 1, -2, 0, 0, 0);
    ASSERT_REDUCED(MIN, STORED, 1, -2, 0, 0, 6);
    ASSERT_REDUCED(MIN, STORED, 0, 1, 4, -2, 5);
    ASSERT_REDUCED(PROD, ALL, 1, 0, 0, 0, 0);
    ASSERT_REDUCED(PROD, STORED, 1, -2, 1, 0, 6);
    ASSERT_REDUCED(PROD, STORED, 0, 3, 4, 0, 30);
}

static void assert_positions(sparcl_ctx *ctx, const sparcl_buf *buf, const int64_t *expected,
                             int64_t count) {
    for (int64_t i = 0; i < count; ++i)
        assert_int_equal(int_at(ctx, buf, i), expected[i]);
}

static void positions_are_those_of_entries(void **state) {
    sparcl_ctx *ctx = *state;
    reduction r = make(ctx);
    assert_ok(ctx, sparcl_csr_reduce(ctx, SPARCL_REDUCE_MAX, SPARCL_OVER_ALL, &r.to, &r.a, 0,
                                     r.positions, 1, NULL));
    /* The largest element of column 2 is a zero that is stored. */
    assert_positions(ctx, r.positions, (const int64_t[]){7, 2, 3, 4, 6, 0}, 6);
    assert_ok(ctx, sparcl_csr_reduce(ctx, SPARCL_REDUCE_MIN, SPARCL_OVER_ALL, &r.to, &r.a, 1,
                                     r.positions, 0, NULL));
    assert_positions(ctx, r.positions, (const int64_t[]){1, -1, 4, -1}, 4);
    free_reduction(&r);
}

static void what_does_not_fit_is_refused_and_results_stay(void **state) {
    sparcl_ctx *ctx = *state;
    reduction r = make(ctx), other = make(ctx);
    sparcl_reduction kind = SPARCL_REDUCE_MAX;
    int over = 0, axis = 1;
    sparcl_pattern *pattern = NULL;
    assert_ok(ctx, sparcl_pattern_create(ctx, &pattern));
    snapshot kept = SNAPSHOT(ctx, r.to.values, r.positions);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(reduction, r, violation,                                              \
                             sparcl_csr_reduce(ctx, kind, (sparcl_reduce_over)over, &x.to, &x.a,   \
                                               axis, x.positions, 0, pattern),                     \
                             status, part, assert_unchanged(ctx, &kept))
    REFUSED((void)x, SPARCL_E_ARG, "the pattern is not that of A");
    sparcl_pattern_free(pattern);
    pattern = NULL;
    REFUSED(x.a.dtype = SPARCL_INT32, SPARCL_E_DTYPE, "A has element type 4");
    REFUSED(x.to.dtype = SPARCL_F16, SPARCL_E_DTYPE, "to is float16, expected float32");
    REFUSED(x.to.rank = 2, SPARCL_E_SHAPE, "to ");
    REFUSED(++x.to.shape[0], SPARCL_E_SHAPE, "expected a vector of 4");
    REFUSED(x.to.ld = 2, SPARCL_E_SHAPE, "expected packed elements");
    REFUSED(x.to.values = x.a.values, SPARCL_E_ALIAS, "to overlaps the values of A");
    REFUSED(x.positions = x.to.values, SPARCL_E_ALIAS, "positions");
    REFUSED(x.a.proof.flags = 0, SPARCL_E_UNCHECKED, "A");
    REFUSED(axis = 2, SPARCL_E_ARG, "axis is 2, expected -1, 0 or 1");
    REFUSED((axis = 1, over = 2), SPARCL_E_ARG, "over is 2");
    REFUSED((over = 0, kind = (sparcl_reduction)10), SPARCL_E_ARG, "kind is 10");
    REFUSED(kind = SPARCL_REDUCE_SUM, SPARCL_E_ARG, "positions are not NULL");
    snapshot_free(&kept);
    free_reduction(&other);
    free_reduction(&r);
}

/* gv for gy = (1, 2, ...); what is read beside A is in `to` and in the positions. */
static void assert_gradient(sparcl_ctx *ctx, reduction *r, sparcl_reduction kind, int over,
                            int axis, const float *expected) {
    const float ones[] = {1, 2, 3, 4};
    const bool picks = kind == SPARCL_REDUCE_MAX;
    const int64_t count = axis == -1 ? 1 : ROWS;
    sparcl_dense gv = {.rank = 1, .shape = {CAPACITY}}, gy = {.rank = 1, .shape = {count}};
    gv.values = put_spare(ctx, values, CAPACITY);
    gy.values = put_spare(ctx, ones, ROWS);
    r->to.shape[0] = count;
    assert_ok(ctx, sparcl_csr_reduce(ctx, kind, (sparcl_reduce_over)over, &r->to, &r->a, axis,
                                     picks ? r->positions : NULL, 0, NULL));
    assert_ok(ctx, sparcl_csr_reduce_gradient(ctx, kind, (sparcl_reduce_over)over, &gv, &gy, &r->a,
                                              axis, kind == SPARCL_REDUCE_NORM ? &r->to : NULL,
                                              picks ? r->positions : NULL, 0, NULL));
    assert_floats(ctx, &gv, expected);
    if (picks) { /* the same without the positions */
        assert_ok(ctx, sparcl_csr_reduce_gradient(ctx, kind, (sparcl_reduce_over)over, &gv, &gy,
                                                  &r->a, axis, NULL, NULL, 0, NULL));
        assert_floats(ctx, &gv, expected);
    }
    sparcl_buf_free(gv.values);
    sparcl_buf_free(gy.values);
}

static void gradients_have_the_formulas_of_the_header(void **state) {
    sparcl_ctx *ctx = *state;
    reduction r = make(ctx);
#define GRADIENT(kind, over, axis, ...)                                                            \
    assert_gradient(ctx, &r, SPARCL_REDUCE_##kind, SPARCL_OVER_##over, axis,                       \
                    (const float[CAPACITY]){__VA_ARGS__})
    GRADIENT(SUM, ALL, 1, 1, 1, 3, 3, 3, 3, 4);
    GRADIENT(SUM, ALL, 0, 1, 3, 1, 2, 3, 4, 4);
    GRADIENT(SUM, ALL, -1, 1, 1, 1, 1, 1, 1, 1);
    GRADIENT(MEAN, ALL, 1, 0.25F, 0.25F, 0.75F, 0.75F, 0.75F, 0.75F, 1);
    GRADIENT(MEAN, STORED, 0, 0.5F, 1.5F, 0.5F, 2, 1.5F, 2, 2);
    GRADIENT(MAX, ALL, 1, 1, 0, 0, 0, 0, 3, 4);
    GRADIENT(MAX, ALL, 0, 0, 0, 1, 2, 3, 0, 4);
    GRADIENT(SQUARE_SUM, ALL, 1, 2, -4, 18, 24, 0, 30, 48);
    GRADIENT(NORM, ALL, 0, 1 / sqrtf(10), -3, 3 / sqrtf(10), 2, 0, 5 / sqrtf(61) * 4,
             6 / sqrtf(61) * 4);
    GRADIENT(NORM1, ALL, 1, 1, -1, 3, 3, 0, 3, 4);
    GRADIENT(PROD, ALL, 1, 0, 0, 0, 0, 180, 0, 0);
    GRADIENT(PROD, STORED, 1, -2, 1, 0, 0, 180, 0, 4);
    GRADIENT(PROD, STORED, 0, 3, 0, 1, 2, -6, 24, 20);
    free_reduction(&r);
}

static void gradients_refuse_what_they_need_and_do_not_get(void **state) {
    sparcl_ctx *ctx = *state;
    reduction r = make(ctx);
    sparcl_dense gv = {.rank = 1, .shape = {CAPACITY}};
    gv.values = put_spare(ctx, values, CAPACITY);
    const sparcl_buf *positions = r.positions;
#define GRADIENT_OF(kind, y)                                                                       \
    sparcl_csr_reduce_gradient(ctx, SPARCL_REDUCE_##kind, SPARCL_OVER_ALL, &gv, &r.to, &r.a, 1, y, \
                               positions, 0, NULL)
    assert_refused(ctx, GRADIENT_OF(SUM, NULL), SPARCL_E_ARG, "positions are not NULL");
    positions = NULL;
    assert_refused(ctx, GRADIENT_OF(NORM, NULL), SPARCL_E_ARG, "Y is NULL");
    assert_refused(ctx, GRADIENT_OF(COUNT, NULL), SPARCL_E_ARG, "kind is 9");
    assert_refused(ctx, GRADIENT_OF(NORM, &gv), SPARCL_E_SHAPE, "Y");
    --gv.shape[0];
    assert_refused(ctx, GRADIENT_OF(SUM, NULL), SPARCL_E_SHAPE, "expected a vector of 9");
    sparcl_buf_free(gv.values);
    free_reduction(&r);
}

/* --- dense matrices --------------------------------------------------------------------------- */

/* X = ( 1 -2 3 ), with a gap of one element.
 *     ( 4 0 -4 ) */
static const float dense[] = {1, -2, 3, 50, 4, 0, -4, 50};

static void dense_matrices_are_reduced(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_dense x = {.rank = 2, .shape = {2, 3}, .ld = 4}, to = {.rank = 1};
    sparcl_dense packed = {.rank = 3, .shape = {1, 2, 4}};
    x.values = packed.values = put_spare(ctx, dense, 8);
    to.values = put_spare(ctx, dense, 8);
#define DENSE(kind, view, axis, ...)                                                               \
    do {                                                                                           \
        const float want[] = {__VA_ARGS__};                                                        \
        to.shape[0] = (int64_t)COUNT(want);                                                        \
        assert_ok(ctx, sparcl_dense_reduce(ctx, SPARCL_REDUCE_##kind, &to, &(view), (axis)));      \
        assert_floats(ctx, &to, want);                                                             \
    } while (0)
    DENSE(SUM, x, 1, 2, 0);
    DENSE(SUM, x, 0, 5, -2, -1);
    DENSE(MEAN, x, 0, 2.5F, -1, -0.5F);
    DENSE(SQUARE_SUM, x, 1, 14, 32);
    DENSE(NORM, x, 0, sqrtf(17), 2, 5);
    DENSE(NORM1, x, 1, 6, 8);
    DENSE(SUM, packed, -1, 102);
    assert_refused(ctx, sparcl_dense_reduce(ctx, SPARCL_REDUCE_SUM, &to, &x, -1), SPARCL_E_SHAPE,
                   "expected packed rows of 3");
    assert_refused(ctx, sparcl_dense_reduce(ctx, SPARCL_REDUCE_MAX, &to, &x, 1), SPARCL_E_ARG,
                   "kind is 3");
    assert_refused(ctx, sparcl_dense_reduce(ctx, SPARCL_REDUCE_SUM, &to, &x, -2), SPARCL_E_ARG,
                   "axis is -2");
    x.shape[0] = 0;
    DENSE(SUM, x, 0, 0, 0, 0);
    sparcl_buf_free(x.values);
    sparcl_buf_free(to.values);
}

static void rows_of_a_row_sparse_array_are_reduced_up_to_the_count(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_dense to = {.rank = 1, .shape = {4}};
    sparcl_rows x = {.rank = 2, .shape = {10, 4}, .nnr = 2, .proof = {.flags = SPARCL_TRUSTED}};
    x.values = put_spare(ctx, dense, 8);
    to.values = put_spare(ctx, dense, 8);
    x.indices = put_ints(ctx, (const int64_t[]){3, 7}, 2, SPARCL_INDEX32);
    x.count = put_ints(ctx, (const int64_t[]){1}, 1, SPARCL_INDEX64);
    assert_ok(ctx, sparcl_rows_reduce(ctx, SPARCL_REDUCE_SQUARE_SUM, &to, &x, 0));
    assert_floats(ctx, &to, (const float[]){1, 4, 9, 2500});
    to.shape[0] = 1;
    assert_ok(ctx, sparcl_rows_reduce(ctx, SPARCL_REDUCE_MEAN, &to, &x, -1));
    assert_floats(ctx, &to, (const float[]){52.0F / 40});
    sparcl_buf *const count = x.count;
    x.count = NULL;
    to.shape[0] = 2;
    assert_ok(ctx, sparcl_rows_reduce(ctx, SPARCL_REDUCE_SUM, &to, &x, 1));
    assert_floats(ctx, &to, (const float[]){52, 50});
    x.proof.flags = 0;
    assert_refused(ctx, sparcl_rows_reduce(ctx, SPARCL_REDUCE_SUM, &to, &x, 1), SPARCL_E_UNCHECKED,
                   "X");
    sparcl_buf_free(count);
    sparcl_buf_free(x.indices);
    sparcl_buf_free(x.values);
    sparcl_buf_free(to.values);
}

/* Two rows with a count of 1: MEAN divides by all rows, and the second row gets 0 but with axis 1.
 */
static void gradients_of_stored_rows(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_dense gy = {.rank = 1, .shape = {4}}, y = gy, gx = {.rank = 2, .shape = {2, 4}};
    sparcl_rows x = {.rank = 2, .shape = {10, 4}, .nnr = 2, .proof = {.flags = SPARCL_TRUSTED}};
    x.values = put_spare(ctx, dense, 8);
    gx.values = put_spare(ctx, dense, 8);
    gy.values = put_spare(ctx, (const float[]){10, 20, 30, 40}, 4);
    y.values = put_spare(ctx, (const float[]){2, 4, 6, 0}, 4);
    x.indices = put_ints(ctx, (const int64_t[]){3, 7}, 2, SPARCL_INDEX32);
    x.count = put_ints(ctx, (const int64_t[]){1}, 1, SPARCL_INDEX64);
    const sparcl_dense all = {.rank = 1, .shape = {8}, .values = gx.values};
#define ROWS_GRADIENT(kind, axis, ...)                                                             \
    do {                                                                                           \
        const sparcl_reduction k = SPARCL_REDUCE_##kind;                                           \
        gy.shape[0] = y.shape[0] = (axis) == 0 ? 4 : (axis) == 1 ? 2 : 1;                          \
        assert_ok(ctx, sparcl_rows_reduce_gradient(ctx, k, &gx, &gy, &x, (axis), &y));             \
        assert_floats(ctx, &all, (const float[]){__VA_ARGS__});                                    \
    } while (0)
    ROWS_GRADIENT(SUM, 0, 10, 20, 30, 40, 0, 0, 0, 0);
    ROWS_GRADIENT(MEAN, 0, 1, 2, 3, 4, 0, 0, 0, 0);
    ROWS_GRADIENT(MEAN, -1, 0.25F, 0.25F, 0.25F, 0.25F, 0, 0, 0, 0);
    ROWS_GRADIENT(SQUARE_SUM, 0, 20, -80, 180, 4000, 0, 0, 0, 0);
    ROWS_GRADIENT(NORM, 0, 5, -10, 15, 0, 0, 0, 0, 0);
    ROWS_GRADIENT(NORM1, -1, 10, -10, 10, 10, 0, 0, 0, 0);
    sparcl_buf *const count = x.count;
    x.count = NULL;
    ROWS_GRADIENT(SQUARE_SUM, 1, 20, -40, 60, 1000, 160, 0, -160, 2000);
#undef ROWS_GRADIENT
#define ROWS_REFUSED(gx, status, part)                                                             \
    assert_refused(ctx,                                                                            \
                   sparcl_rows_reduce_gradient(ctx, SPARCL_REDUCE_SUM, (gx), &gy, &x, 1, NULL),    \
                   status, part)
    ROWS_REFUSED(&all, SPARCL_E_SHAPE, "GX has rank 1, the stored rows of X has 2");
    ROWS_REFUSED((&(sparcl_dense){.rank = 2, .shape = {2, 4}, .values = x.values}), SPARCL_E_ALIAS,
                 "GX overlaps");
    x.proof.flags = 0;
    ROWS_REFUSED(&gx, SPARCL_E_UNCHECKED, "X");
#undef ROWS_REFUSED
    sparcl_buf_free(count);
    sparcl_buf_free(x.indices);
    sparcl_buf_free(x.values);
    sparcl_buf_free(gx.values);
    sparcl_buf_free(gy.values);
    sparcl_buf_free(y.values);
}

static void dot_products_of_rows_and_their_gradient(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_dense x = {.rank = 2, .shape = {2, 3}, .ld = 4}, to = {.rank = 1, .shape = {2}};
    sparcl_dense gx = x;
    x.values = put_spare(ctx, dense, 8);
    gx.values = put_spare(ctx, dense, 8);
    to.values = put_spare(ctx, dense, 8);
    assert_ok(ctx, sparcl_dot_rows(ctx, &to, &x, &x));
    assert_floats(ctx, &to, (const float[]){14, 32});
    assert_ok(ctx, sparcl_dot_rows_gradient(ctx, &gx, &to, &x));
    const sparcl_dense all = {.rank = 1, .shape = {8}, .values = gx.values};
    assert_floats(ctx, &all, (const float[]){14, -28, 42, 50, 128, 0, -128, 50});
    assert_refused(ctx, sparcl_dot_rows_gradient(ctx, &x, &to, &x), SPARCL_E_ALIAS,
                   "GX overlaps Y");
    assert_refused(ctx, sparcl_dot_rows(ctx, &x, &x, &x), SPARCL_E_SHAPE, "to has rank 2");
    gx.shape[1] = 2;
    assert_refused(ctx, sparcl_dot_rows(ctx, &to, &x, &gx), SPARCL_E_SHAPE, "X");
    sparcl_buf_free(x.values);
    sparcl_buf_free(gx.values);
    sparcl_buf_free(to.values);
}

static void sizes_of_0_are_legal(void **state) {
    sparcl_ctx *ctx = *state;
    const sparcl_csr a = {.cols = 0, .proof = {.flags = SPARCL_TRUSTED}};
    sparcl_csr none = a;
    sparcl_dense to = {.rank = 1, .shape = {1}};
    to.values = put_spare(ctx, dense, 8);
    none.offsets = put_ints(ctx, offsets, 1, SPARCL_INDEX32);
    assert_ok(ctx, sparcl_csr_reduce(ctx, SPARCL_REDUCE_SUM, SPARCL_OVER_ALL, &to, &none, -1, NULL,
                                     0, NULL));
    assert_true(float_at(ctx, to.values, 0) == 0);
    to.shape[0] = 0;
    for (int axis = 0; axis < 2; ++axis)
        assert_ok(ctx, sparcl_csr_reduce(ctx, SPARCL_REDUCE_MAX, SPARCL_OVER_ALL, &to, &none, axis,
                                         NULL, 0, NULL));
    sparcl_buf_free(none.offsets);
    sparcl_buf_free(to.values);
}

/* --- bits ------------------------------------------------------------------------------------- */

/* A row of 100 000 entries among short ones, by rows or by columns. */
static sparcl_buf *reduce_long(sparcl_ctx *ctx, const void *axis) {
    const int64_t nnz = test_is_small() ? 3000 : 100000;
    spec_matrix m;
    sparcl_csr a;
    assert_true(spec_matrix_make(&m, SPEC_ONE_ROW, 5, 7, nnz, 3));
    assert_ok(ctx, spec_put_csr(ctx, &a, &m, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
    sparcl_dense to = {.rank = 1, .shape = {*(const int *)axis ? 5 : 7}};
    const float zeros[7] = {0};
    to.values = put(ctx, zeros, sizeof zeros);
    assert_ok(ctx, sparcl_csr_reduce(ctx, SPARCL_REDUCE_SUM, SPARCL_OVER_ALL, &to, &a,
                                     *(const int *)axis, NULL, 0, NULL));
    sparcl_csr_free(&a);
    spec_matrix_free(&m);
    return to.values;
}

/* Rows of several blocks among others: their results, and for a maximum its positions. */
static sparcl_buf *reduce_long_rows(sparcl_ctx *ctx, const void *kind) {
    int64_t begin[LONG_RUNS + 1];
    const int64_t nnz = long_run_offsets(begin, test_is_small() ? 2000 : 66000);
    const sparcl_reduction k = *(const sparcl_reduction *)kind;
    const bool picks = k == SPARCL_REDUCE_MAX;
    float *const items = make_floats(nnz, 6);
    int64_t *const none = must_have(calloc((size_t)nnz + 1, sizeof *none));
    sparcl_csr a = {.rows = LONG_RUNS, .cols = nnz, .nnz = nnz, .proof = {.flags = SPARCL_TRUSTED}};
    sparcl_dense to = {.rank = 1, .shape = {LONG_RUNS}};
    a.offsets = put_ints(ctx, begin, LONG_RUNS + 1, SPARCL_INDEX64);
    a.offset_type = SPARCL_INDEX64;
    a.indices = put_ints(ctx, none, nnz, SPARCL_INDEX32);
    a.values = put(ctx, items, nnz * 4);
    to.values = put(ctx, none, LONG_RUNS * 4);
    sparcl_buf *const positions = put_ints(ctx, none, LONG_RUNS, SPARCL_INDEX64);
    assert_ok(ctx, sparcl_csr_reduce(ctx, k, SPARCL_OVER_STORED, &to, &a, 1,
                                     picks ? positions : NULL, 0, NULL));
    sparcl_buf_free(picks ? to.values : positions);
    sparcl_csr_free(&a);
    free(items);
    free(none);
    return picks ? positions : to.values;
}

/* All of a matrix, its columns or its rows. */
typedef struct dense_case {
    int64_t m, n;
    int axis;
} dense_case;

static sparcl_buf *reduce_dense(sparcl_ctx *ctx, const void *input) {
    const dense_case *const c = input;
    const int64_t count = c->axis < 0 ? 1 : c->axis ? c->m : c->n;
    float *const items = make_floats(c->m * c->n + 1, 6), *const none = make_floats(count, 7);
    sparcl_dense x = {.rank = 2, .shape = {c->m, c->n}}, to = {.rank = 1, .shape = {count}};
    x.values = put(ctx, items, (c->m * c->n + 1) * 4);
    to.values = put(ctx, none, count * 4);
    assert_ok(ctx, sparcl_dense_reduce(ctx, SPARCL_REDUCE_NORM, &to, &x, c->axis));
    sparcl_buf_free(x.values);
    free(items);
    free(none);
    return to.values;
}

static void long_runs_have_the_same_bits_in_both_classes(void **state) {
    static const sparcl_reduction kinds[] = {SPARCL_REDUCE_SUM, SPARCL_REDUCE_PROD,
                                             SPARCL_REDUCE_MAX};
    static const int64_t sizes[][2] = {{1, 255},   {1, 256},  {1, 257},  {65537, 1}, {3, 66000},
                                       {20, 1025}, {2000, 3}, {700, 33}, {514, 300}};
    class_contexts all = open_classes(*state);
    for (size_t i = 0; i < COUNT(kinds); ++i)
        assert_same_bits(&all, reduce_long_rows, &kinds[i]);
    for (size_t i = 0; i < COUNT(sizes) && !test_is_small(); ++i)
        for (int axis = sizes[i][0] == 3 ? 1 : -1; axis < 2; ++axis) /* columns of 3 are short */
            assert_same_bits(&all, reduce_dense, &(dense_case){sizes[i][0], sizes[i][1], axis});
    close_classes(&all);
}

static void both_classes_of_kernels_and_every_run_give_the_same_bits(void **state) {
    class_contexts all = open_classes(*state);
    for (int axis = 0; axis < 2; ++axis)
        assert_same_bits(&all, reduce_long, &axis);
    close_classes(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_columns_and_all_of_a_matrix_are_reduced),
        cmocka_unit_test(elements_that_are_not_stored_are_zeros_unless_excluded),
        cmocka_unit_test(positions_are_those_of_entries),
        cmocka_unit_test(what_does_not_fit_is_refused_and_results_stay),
        cmocka_unit_test(gradients_have_the_formulas_of_the_header),
        cmocka_unit_test(gradients_refuse_what_they_need_and_do_not_get),
        cmocka_unit_test(dense_matrices_are_reduced),
        cmocka_unit_test(rows_of_a_row_sparse_array_are_reduced_up_to_the_count),
        cmocka_unit_test(gradients_of_stored_rows),
        cmocka_unit_test(dot_products_of_rows_and_their_gradient),
        cmocka_unit_test(sizes_of_0_are_legal),
        cmocka_unit_test(long_runs_have_the_same_bits_in_both_classes),
        cmocka_unit_test(both_classes_of_kernels_and_every_run_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
