/* test_binary.c: what the header says of sparcl_binary, sparcl_binary_scalar and the gradient. */
#include "op_test.h"

enum { M = 12, N = 7 };

/* X, Z and GZ [M, N] with gaps of one and two elements between their rows, and Y [N]. */
typedef struct arrays {
    sparcl_dense x, y, z, gz, gy;
} arrays;

static sparcl_dense make_array(sparcl_ctx *ctx, int64_t ld, uint64_t seed) {
    sparcl_dense a = {.rank = 2, .shape = {M, N}, .ld = ld};
    float *x = make_floats(M * ld, seed);
    a.values = put_spare(ctx, x, M * ld);
    free(x);
    return a;
}

static arrays make_arrays(sparcl_ctx *ctx) {
    arrays a = {.x = make_array(ctx, N + 1, 1), .y = {.rank = 1, .shape = {N}}};
    a.z = make_array(ctx, N + 2, 2);
    a.gz = make_array(ctx, N + 1, 3);
    a.gy = a.y;
    a.y.values = make_array(ctx, N, 4).values;
    a.gy.values = make_array(ctx, N, 5).values;
    return a;
}

static void free_arrays(arrays *a) {
    sparcl_dense_free(&a->x);
    sparcl_dense_free(&a->y);
    sparcl_dense_free(&a->z);
    sparcl_dense_free(&a->gz);
    sparcl_dense_free(&a->gy);
}

static void what_does_not_fit_is_refused_and_results_stay(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx);
    snapshot kept = SNAPSHOT(ctx, a.x.values, a.y.values, a.z.values, a.gz.values, a.gy.values);
#define REFUSED(violation, status, part)                                                           \
    do {                                                                                           \
        assert_violation_refused(arrays, a, violation,                                             \
                                 sparcl_binary(ctx, SPARCL_BINARY_ADD, &x.z, &x.x, &x.y), status,  \
                                 part, assert_unchanged(ctx, &kept));                              \
        assert_violation_refused(                                                                  \
            arrays, a, violation,                                                                  \
            sparcl_binary_gradient(ctx, SPARCL_BINARY_ADD, &x.z, NULL, &x.x, &x.y, &x.gz), status, \
            "", assert_unchanged(ctx, &kept));                                                     \
    } while (0)
    REFUSED(--x.z.shape[0], SPARCL_E_SHAPE, "binary: dimension 0 of Z is 11, of X 12");
    REFUSED(--x.y.shape[0], SPARCL_E_SHAPE,
            "expected the shape of X, a row of it, [rows, 1] or [1]");
    REFUSED(x.y.shape[0] = M, SPARCL_E_SHAPE, "Y has rank 1 and 12 rows of 1");
    REFUSED((x.y.rank = 2, x.y.shape[0] = 2, x.y.shape[1] = N), SPARCL_E_SHAPE, "Y has rank 2");
    REFUSED(x.y.ld = 2, SPARCL_E_SHAPE, "Y has ld 2, expected packed elements");
    REFUSED(x.y.dtype = SPARCL_BF16, SPARCL_E_DTYPE, "");
    REFUSED(x.x.values_at = 10000, SPARCL_E_SHAPE, "X needs");
    REFUSED(x.z.reserved[0] = 1, SPARCL_E_ARG, "the reserved fields of Z");
    REFUSED(x.z.values = x.x.values, SPARCL_E_ALIAS, "Z overlaps X"); /* with another ld */
    REFUSED((x.y = x.z, x.y.shape[0] = 1), SPARCL_E_ALIAS, "Z overlaps Y");
#undef REFUSED
    for (int op = -1; op <= 6; op += 7)
        assert_refused(ctx, sparcl_binary(ctx, (sparcl_binary_op)op, &a.z, &a.x, &a.y),
                       SPARCL_E_ARG, "expected 0 to 5");
    assert_refused(ctx, sparcl_binary_scalar(ctx, (sparcl_binary_op)6, &a.z, &a.x, 1), SPARCL_E_ARG,
                   "binary_scalar: the operation is 6, expected 0 to 5");
    assert_unchanged(ctx, &kept);
    snapshot_free(&kept);
    free_arrays(&a);
}

static sparcl_status gradients(sparcl_ctx *ctx, const arrays *a, const sparcl_dense *gx,
                               const sparcl_dense *gy) {
    return sparcl_binary_gradient(ctx, SPARCL_BINARY_MULTIPLY, gx, gy, &a->x, &a->y, &a->gz);
}

static void a_gradient_that_would_be_overwritten_is_refused(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx);
    assert_refused(ctx, gradients(ctx, &a, &a.gz, &a.gy), SPARCL_E_ALIAS, "GX overlaps GZ");
    assert_refused(ctx, gradients(ctx, &a, &a.x, NULL), SPARCL_E_ALIAS, "GX overlaps X");
    assert_refused(ctx, gradients(ctx, &a, NULL, &a.y), SPARCL_E_ALIAS, "GY overlaps Y");
    assert_refused(ctx, gradients(ctx, &a, NULL, &a.z), SPARCL_E_SHAPE, "GY");
    assert_ok(ctx, gradients(ctx, &a, &a.gz, NULL));
    free_arrays(&a);
}

static void no_gradient_is_legal(void **state) {
    arrays a = make_arrays(*state);
    snapshot kept = SNAPSHOT(*state, a.x.values, a.y.values, a.gz.values);
    assert_ok(*state, gradients(*state, &a, NULL, NULL));
    assert_unchanged(*state, &kept);
    snapshot_free(&kept);
    free_arrays(&a);
}

static void a_sum_over_no_rows_is_0(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx);
    a.x.shape[0] = a.gz.shape[0] = 0;
    assert_ok(ctx, gradients(ctx, &a, NULL, &a.gy));
    for (int64_t j = 0; j < N; ++j)
        assert_true(float_at(ctx, a.gy.values, j) == 0);
    a.y.shape[0] = a.gy.shape[0] = 1;
    assert_ok(ctx, sparcl_buf_fill(ctx, a.gy.values, 0, 4, 0x33));
    assert_ok(ctx, gradients(ctx, &a, NULL, &a.gy));
    assert_true(float_at(ctx, a.gy.values, 0) == 0);
    free_arrays(&a);
}

/* Of equal numbers x is chosen, and gets the gradient; of NaN the first. */
static void the_first_of_equal_numbers_is_chosen(void **state) {
    sparcl_ctx *ctx = *state;
    const float x[] = {1, 2, 3, NAN, 5, -0.F}, y[] = {2, 2, 2, 4, NAN, 0},
                ones[] = {1, 1, 1, 1, 1, 1};
    const float expected_gx[] = {0, 1, 1, 1, 0, 1}, expected_gy[] = {1, 0, 0, 0, 1, 0};
    float z[6], g[6];
    sparcl_dense a = {.rank = 1, .shape = {6}}, b = a, c = a, gz = a;
    a.values = put(ctx, x, sizeof x);
    b.values = put(ctx, y, sizeof y);
    c.values = put(ctx, y, sizeof y);
    gz.values = put(ctx, ones, sizeof ones);
    assert_ok(ctx, sparcl_binary(ctx, SPARCL_BINARY_MAXIMUM, &c, &a, &b));
    assert_ok(ctx, sparcl_buf_read(ctx, c.values, 0, sizeof z, z));
    assert_true(z[0] == 2 && z[1] == 2 && z[2] == 3 && isnan(z[3]) && isnan(z[4]));
    assert_true(z[5] == 0 && signbit(z[5]));
    assert_ok(ctx, sparcl_binary_gradient(ctx, SPARCL_BINARY_MAXIMUM, &c, NULL, &a, &b, &gz));
    assert_ok(ctx, sparcl_buf_read(ctx, c.values, 0, sizeof g, g));
    assert_memory_equal(g, expected_gx, sizeof g);
    assert_ok(ctx, sparcl_binary_gradient(ctx, SPARCL_BINARY_MAXIMUM, NULL, &c, &a, &b, &gz));
    assert_ok(ctx, sparcl_buf_read(ctx, c.values, 0, sizeof g, g));
    assert_memory_equal(g, expected_gy, sizeof g);
    sparcl_dense_free(&a);
    sparcl_dense_free(&b);
    sparcl_dense_free(&c);
    sparcl_dense_free(&gz);
}

/* Z := X + Y for X [m, n] with gaps and Y of its shape with other ones, or a row of it; Z is X, or
 * Y, or neither. */
static void assert_sums(sparcl_ctx *ctx, int64_t m, int64_t n, bool of_row, char z_is) {
    const int64_t y_ld = of_row ? 0 : n + 2, y_count = of_row ? n : m * y_ld;
    float *x_host = make_floats(m * (n + 1), 3), *y_host = make_floats(y_count, 4), *got;
    sparcl_dense x = {.rank = 2, .shape = {m, n}, .ld = n + 1}, y = x, z = x;
    y.ld = n + 2;
    if (of_row) y = (sparcl_dense){.rank = 1, .shape = {n}};
    for (int64_t k = 0; k < y_count; ++k) /* so that sums are rounded */
        y_host[k] *= 0.3f;
    x.values = put_spare(ctx, x_host, m * (n + 1));
    y.values = put_spare(ctx, y_host, y_count);
    z.values = put_spare(ctx, x_host, m * (n + 1));
    const sparcl_dense *const to = z_is == 'x' ? &x : z_is == 'y' ? &y : &z;
    assert_ok(ctx, sparcl_binary(ctx, SPARCL_BINARY_ADD, to, &x, &y));
    got = bytes_of(ctx, to->values);
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
            const float expected = x_host[i * (n + 1) + j] + y_host[i * y_ld + j];
            assert_memory_equal(&got[i * to->ld + j], &expected, 4);
        }
    free(got);
    free(x_host);
    free(y_host);
    sparcl_dense_free(&x);
    sparcl_dense_free(&y);
    sparcl_dense_free(&z);
}

static void sums_of_all_widths_may_take_the_place_of_an_operand(void **state) {
    for (int64_t n = 1; n < 70; n += 17)
        for (int k = 0; k < 5; ++k)
            assert_sums(*state, 300, n, k < 2, "xzxyz"[k]);
}

/* [m] + [1], which is one number for all. */
static void a_vector_is_one_column(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx);
    float *x = bytes_of(ctx, a.x.values), *y = bytes_of(ctx, a.y.values);
    const sparcl_dense column = {.rank = 1, .shape = {M * N}, .values = a.x.values};
    const sparcl_dense bias = {.rank = 1, .shape = {1}, .values = a.y.values, .values_at = 2};
    assert_ok(ctx, sparcl_binary(ctx, SPARCL_BINARY_ADD, &column, &column, &bias));
    for (int64_t i = 0; i < M * N; i += 7)
        assert_true(float_at(ctx, a.x.values, i) == x[i] + y[2]);
    free(x);
    free(y);
    free_arrays(&a);
}

static void arrays_of_a_higher_rank_are_matrices(void **state) {
    sparcl_ctx *ctx = *state;
    const float x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, y[] = {1, 10, 100};
    const float by_row[] = {1, 20, 300, 4, 50, 600, 7, 80, 900, 10, 110, 1200};
    float z[12];
    sparcl_dense a = {.rank = 3, .shape = {4, 3, 1}}, b = {.rank = 2, .shape = {3, 1}}, c = a;
    a.values = put(ctx, x, sizeof x);
    b.values = put(ctx, y, sizeof y);
    c.values = put(ctx, x, sizeof x);
    assert_ok(ctx, sparcl_binary(ctx, SPARCL_BINARY_MULTIPLY, &c, &a, &b));
    assert_ok(ctx, sparcl_buf_read(ctx, c.values, 0, sizeof z, z));
    assert_memory_equal(z, by_row, sizeof z);
    a.shape[0] = c.shape[0] = 3; /* each row of [3, 3, 1] with a number of [3, 1, 1] */
    b = (sparcl_dense){.rank = 3, .shape = {3, 1, 1}, .values = b.values};
    assert_ok(ctx, sparcl_binary(ctx, SPARCL_BINARY_MULTIPLY, &c, &a, &b));
    assert_ok(ctx, sparcl_buf_read(ctx, c.values, 0, sizeof z, z));
    assert_true(z[0] == 1 && z[3] == 40 && z[8] == 900);
    sparcl_dense_free(&a);
    sparcl_dense_free(&b);
    sparcl_dense_free(&c);
}

static sparcl_buf *products(sparcl_ctx *ctx, const void *columns) {
    arrays a = make_arrays(ctx);
    const int is_row = *(const int *)columns;
    if (!is_row) sparcl_dense_free(&a.gy);
    if (!is_row) a.y = a.gy = (sparcl_dense){.rank = 2, .shape = {M, 1}, .values = a.y.values};
    if (!is_row) a.gy.values = make_array(ctx, N, 5).values;
    assert_ok(ctx, gradients(ctx, &a, NULL, &a.gy));
    sparcl_buf *const result = a.gy.values;
    a.gy.values = NULL;
    free_arrays(&a);
    return result;
}

static void both_classes_of_kernels_and_every_run_give_the_same_bits(void **state) {
    class_contexts all = open_classes(*state);
    for (int is_row = 0; is_row < 2; ++is_row)
        assert_same_bits(&all, products, &is_row);
    close_classes(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused_and_results_stay),
        cmocka_unit_test(a_gradient_that_would_be_overwritten_is_refused),
        cmocka_unit_test(no_gradient_is_legal),
        cmocka_unit_test(a_sum_over_no_rows_is_0),
        cmocka_unit_test(the_first_of_equal_numbers_is_chosen),
        cmocka_unit_test(sums_of_all_widths_may_take_the_place_of_an_operand),
        cmocka_unit_test(a_vector_is_one_column),
        cmocka_unit_test(arrays_of_a_higher_rank_are_matrices),
        cmocka_unit_test(both_classes_of_kernels_and_every_run_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
