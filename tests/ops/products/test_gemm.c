/* test_gemm.c: what the header says of sparcl_gemm, and of its fast class. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "op_test.h"

#ifndef TEST_WITHOUT_CLBLAST
#include <clblast_c.h>
#include <dlfcn.h>
#endif

/* C [m, n] := A [m, k] * B [k, n], all with gaps; each array has capacity for elements of 8 bytes.
 */
typedef struct arrays {
    sparcl_dense c, a, b;
    sparcl_op op_a, op_b;
    double alpha, beta;
    sparcl_math math;
} arrays;

static sparcl_dense make_matrix(sparcl_ctx *ctx, int64_t rows, int64_t cols, uint64_t seed) {
    sparcl_dense view = {.rank = 2, .shape = {rows, cols}, .ld = cols + 2};
    float *x = make_floats(dense_capacity(&view), seed);
    view.values = put_spare(ctx, x, dense_capacity(&view));
    free(x);
    return view;
}

static arrays make(sparcl_ctx *ctx, int64_t m, int64_t n, int64_t k, int ops) {
    return (arrays){.c = make_matrix(ctx, m, n, 1),
                    .a = ops & 1 ? make_matrix(ctx, k, m, 2) : make_matrix(ctx, m, k, 2),
                    .b = ops & 2 ? make_matrix(ctx, n, k, 3) : make_matrix(ctx, k, n, 3),
                    .op_a = ops & 1 ? SPARCL_OP_T : SPARCL_OP_N,
                    .op_b = ops & 2 ? SPARCL_OP_T : SPARCL_OP_N,
                    .alpha = 1};
}

static void drop(arrays *x) {
    sparcl_buf_free(x->c.values);
    sparcl_buf_free(x->a.values);
    sparcl_buf_free(x->b.values);
}

static sparcl_status gemm(sparcl_ctx *ctx, const arrays *x) {
    return sparcl_gemm(ctx, &x->c, x->alpha, x->op_a, &x->a, x->op_b, &x->b, x->beta, x->math);
}

/* The bits of rule S: spec/spec_gemm.c has them; here two products that can be checked by hand. */
static void a_small_product_is_right(void **state) {
    sparcl_ctx *ctx = *state;
    const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {7, 8, 9, 10, 11, 12},
                expected[] = {58, 64, 139, 154};
    sparcl_buf *const bufs[] = {put(ctx, a, sizeof a), put(ctx, b, sizeof b),
                                put(ctx, expected, sizeof expected)};
    const sparcl_dense x = {.rank = 2, .shape = {2, 3}, .values = bufs[0]};
    const sparcl_dense y = {.rank = 2, .shape = {3, 2}, .values = bufs[1]};
    const sparcl_dense c = {.rank = 2, .shape = {2, 2}, .values = bufs[2]};
    assert_ok(ctx, sparcl_gemm(ctx, &c, 1, SPARCL_OP_N, &x, SPARCL_OP_N, &y, 0, SPARCL_MATH_EXACT));
    assert_holds(ctx, c.values, expected);
    /* transpose(Y) * transpose(X) = transpose(X * Y) */
    assert_ok(ctx,
              sparcl_gemm(ctx, &c, 2, SPARCL_OP_T, &y, SPARCL_OP_T, &x, -1, SPARCL_MATH_EXACT));
    assert_true(float_at(ctx, c.values, 0) == 58 && float_at(ctx, c.values, 1) == 2 * 139 - 64);
    assert_true(float_at(ctx, c.values, 2) == 2 * 64 - 139 && float_at(ctx, c.values, 3) == 154);
    for (size_t i = 0; i < COUNT(bufs); ++i)
        sparcl_buf_free(bufs[i]);
}

/* Few rows and columns and a long k: its blocks of 256, which may be computed side by side, are
 * added in order. */
static void add_blocks_in_order(sparcl_ctx *ctx) {
    enum { M = 40, N = 35, K = 5 * 256 + 20 };
    for (int ops = 0; ops < 4; ++ops) {
        arrays x = make(ctx, M, N, K, ops);
        const int64_t size = dense_capacity(&x.c), a_step = ops & 1 ? x.a.ld : 1,
                      b_step = ops & 2 ? 1 : x.b.ld;
        float *expected = must_have(calloc((size_t)size, sizeof *expected));
        float *before = bytes_of(ctx, x.c.values);
        for (int64_t first = 0; first < K; first += 256) {
            arrays block = x;
            block.c = make_matrix(ctx, M, N, 4);
            block.a.shape[!(ops & 1)] = block.b.shape[ops >> 1] = first + 256 < K ? 256 : K - first;
            block.a.values_at += first * a_step;
            block.b.values_at += first * b_step;
            assert_ok(ctx, gemm(ctx, &block));
            float *sums = bytes_of(ctx, block.c.values);
            for (int64_t i = 0; i < size; ++i)
                expected[i] += sums[i];
            free(sums);
            sparcl_buf_free(block.c.values);
        }
        x.alpha = 0.3;
        x.beta = -0.7;
        assert_ok(ctx, gemm(ctx, &x));
        for (int64_t i = 0; i < size; ++i)
            expected[i] = i % x.c.ld < N ? 0.3F * expected[i] + -0.7F * before[i] : before[i];
        float *got = bytes_of(ctx, x.c.values);
        assert_memory_equal(got, expected, (size_t)size * sizeof *got);
        free(got);
        free(before);
        free(expected);
        drop(&x);
    }
}

static void blocks_of_k_are_added_in_order(void **state) {
    (void)state;
    for (int c = 0; c < 2; ++c) {
        sparcl_ctx *ctx = open_class(c ? SPARCL_CLASS_GPU : SPARCL_CLASS_CPU);
        add_blocks_in_order(ctx);
        sparcl_ctx_close(ctx);
    }
}

static void with_beta_0_c_is_not_read(void **state) {
    sparcl_ctx *ctx = *state;
    for (int math = 0; math < 2; ++math)
        for (int64_t n = 1; n < 70; n += 23) {
            arrays x = make(ctx, 40, n, 30, 0);
            x.math = (sparcl_math)math;
            float *nan = must_have(malloc((size_t)dense_capacity(&x.c) * sizeof *nan));
            for (int64_t i = 0; i < dense_capacity(&x.c); ++i)
                nan[i] = NAN;
            assert_ok(ctx, sparcl_buf_write(ctx, x.c.values, 0, dense_capacity(&x.c) * 4, nan));
            assert_ok(ctx, gemm(ctx, &x));
            for (int64_t i = 0; i < 40 * x.c.ld; i += 7)
                assert_int_equal(isnan(float_at(ctx, x.c.values, i)) != 0, i % x.c.ld >= n);
            free(nan);
            drop(&x);
        }
}

static void sizes_of_0_are_legal(void **state) {
    sparcl_ctx *ctx = *state;
    const int64_t sizes[][3] = {{0, 3, 3}, {3, 0, 3}, {3, 3, 0}, {0, 0, 0}, {3, 1, 0}};
    for (size_t i = 0; i < COUNT(sizes); ++i)
        for (int math = 0; math < 2; ++math) {
            arrays x = make(ctx, sizes[i][0], sizes[i][1], sizes[i][2], (int)i % 4);
            x.math = (sparcl_math)math;
            x.beta = 0.5;
            const float before = float_at(ctx, x.c.values, 0);
            assert_ok(ctx, gemm(ctx, &x));
            if (sizes[i][2] == 0 && sizes[i][0] > 0)
                assert_true(float_at(ctx, x.c.values, 0) == before / 2);
            drop(&x);
        }
}

/* --- the fast class --------------------------------------------------------------------------- */

typedef struct log_book {
    int warnings;
    char text[512];
} log_book;

static void keep_log(void *user, sparcl_log_level level, const char *message) {
    log_book *const l = user;
    if (level != SPARCL_LOG_WARNING) return;
    ++l->warnings;
    snprintf(l->text, sizeof l->text, "%s", message);
}

static sparcl_ctx *open_logged(log_book *l) {
    sparcl_ctx_desc desc = test_desc();
    sparcl_ctx *ctx = NULL;
    sparcl_error error = {0};
    desc.log = keep_log;
    desc.log_user = l;
    if (sparcl_ctx_open(&ctx, &desc, &error) != SPARCL_OK) fail_msg("%s", error.message);
    return ctx;
}

/* Whatever this build and device offer: the result is close, and a fallback is logged once. */
static void a_fast_product_is_close_or_equal_to_the_exact_one(void **state) {
    log_book l = {0};
    (void)state;
    sparcl_ctx *ctx = open_logged(&l);
    for (int ops = 0; ops < 4; ++ops) {
        arrays x = make(ctx, 50, 41, 37, ops), y = make(ctx, 50, 41, 37, ops);
        x.beta = y.beta = 0.5;
        y.math = SPARCL_MATH_FAST;
        assert_ok(ctx, gemm(ctx, &x));
        assert_ok(ctx, gemm(ctx, &y));
        float *exact = bytes_of(ctx, x.c.values), *fast = bytes_of(ctx, y.c.values);
        for (int64_t i = 0; i < dense_capacity(&x.c); ++i)
            if (l.warnings || i % x.c.ld >= 41)
                assert_memory_equal(&fast[i], &exact[i], sizeof *fast);
            else
                assert_true(fabsf(fast[i] - exact[i]) < 1e-4F);
        free(exact);
        free(fast);
        drop(&x);
        drop(&y);
    }
    assert_in_range(l.warnings, 0, 1);
    if (l.warnings) assert_non_null(strstr(l.text, "such products use the exact class"));
    sparcl_ctx_close(ctx);
}

#ifndef TEST_WITHOUT_CLBLAST

/* Replaces CLBlast's own: refuses the calls from number `refuse_from` on. */
static int calls, refuse_from;
CLBlastStatusCode CLBlastSgemm(const CLBlastLayout layout, const CLBlastTranspose a_transpose,
                               const CLBlastTranspose b_transpose, const size_t m, const size_t n,
                               const size_t k, const float alpha, const cl_mem a, const size_t a_at,
                               const size_t lda, const cl_mem b, const size_t b_at,
                               const size_t ldb, const float beta, cl_mem c, const size_t c_at,
                               const size_t ldc, cl_command_queue *queue, cl_event *event) {
    union {
        void *object;
        __typeof__(&CLBlastSgemm) function;
    } real = {.object = dlsym(RTLD_NEXT, "CLBlastSgemm")};
    if (refuse_from > 0 && ++calls >= refuse_from) return CLBlastInvalidLocalMemUsage;
    return real.function(layout, a_transpose, b_transpose, m, n, k, alpha, a, a_at, lda, b, b_at,
                         ldb, beta, c, c_at, ldc, queue, event);
}

/* The check has five calls; in it or after it, CLBlast refuses. */
static void a_product_that_clblast_refuses_is_exact_and_logged_once(void **state) {
    (void)state;
    for (refuse_from = 1; refuse_from <= 6; refuse_from += 5) {
        log_book l = {0};
        sparcl_ctx *ctx = open_logged(&l);
        arrays x = make(ctx, 20, 20, 20, 0), y = make(ctx, 20, 20, 20, 0);
        sparcl_buf *none = NULL;
        calls = 0;
        assert_int_equal(sparcl_buf_create(ctx, &none, -7), SPARCL_E_ARG);
        x.beta = y.beta = 0;
        y.math = SPARCL_MATH_FAST;
        assert_ok(ctx, gemm(ctx, &x));
        for (int i = 0; i < 3; ++i)
            assert_ok(ctx, gemm(ctx, &y));
        assert_non_null(strstr(sparcl_ctx_error(ctx)->message, "-7 bytes")); /* stays */
        assert_int_equal(l.warnings, 1);
        assert_non_null(strstr(l.text, "such products use the exact class"));
        float *exact = bytes_of(ctx, x.c.values), *fast = bytes_of(ctx, y.c.values);
        assert_memory_equal(exact, fast, sizeof *exact * 20);
        free(exact);
        free(fast);
        drop(&x);
        drop(&y);
        sparcl_ctx_close(ctx);
    }
    refuse_from = 0;
}

#else
static void a_build_without_clblast_says_so_once(void **state) {
    log_book l = {0};
    (void)state;
    sparcl_ctx *ctx = open_logged(&l);
    arrays x = make(ctx, 5, 5, 5, 0);
    x.math = SPARCL_MATH_FAST;
    assert_ok(ctx, gemm(ctx, &x));
    assert_ok(ctx, gemm(ctx, &x));
    assert_int_equal(l.warnings, 1);
    assert_non_null(strstr(l.text, "CLBlast is not available or rejects the product"));
    drop(&x);
    sparcl_ctx_close(ctx);
}
#endif

/* Closing one context that used CLBlast keeps the products of another correct. */
static void a_context_with_clblast_may_close_while_another_multiplies(void **state) {
    log_book l = {0};
    (void)state;
    sparcl_ctx *first = open_logged(&l), *second = open_logged(&l);
    arrays x = make(first, 20, 20, 20, 0), y = make(second, 20, 20, 20, 0);
    x.math = y.math = SPARCL_MATH_FAST;
    assert_ok(first, gemm(first, &x));
    assert_ok(second, gemm(second, &y));
    drop(&x);
    sparcl_ctx_close(first);
    assert_ok(second, gemm(second, &y));
    assert_ok(second, sparcl_ctx_finish(second));
    drop(&y);
    sparcl_ctx_close(second);
}

/* --- refusals --------------------------------------------------------------------------------- */

static void a_refused_product_leaves_c_and_says_why(void **state) {
    sparcl_ctx *ctx = *state;
    arrays valid = make(ctx, 5, 6, 7, 0);
    const sparcl_status no_f64 = wrong_f64(ctx);
    snapshot kept = SNAPSHOT(ctx, valid.c.values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(arrays, valid, violation, gemm(ctx, &x), status, part,                \
                             assert_unchanged(ctx, &kept))
    REFUSED((x.a.rank = 1, x.a.ld = 0), SPARCL_E_SHAPE, "A has rank 1, expected 2");
    REFUSED((x.b.rank = 3, x.b.shape[2] = 1), SPARCL_E_SHAPE, "B has rank 3, expected 2");
    REFUSED(--x.a.shape[0], SPARCL_E_SHAPE, "op(A) is 4 x 7, op(B) 7 x 6, C 5 x 6");
    REFUSED(--x.b.shape[0], SPARCL_E_SHAPE, "op(A) is 5 x 7, op(B) 6 x 6");
    REFUSED(--x.b.shape[1], SPARCL_E_SHAPE, "op(B) 7 x 5, C 5 x 6");
    REFUSED(x.op_a = SPARCL_OP_T, SPARCL_E_SHAPE, "op(A) is 7 x 5");
    REFUSED(x.op_b = SPARCL_OP_T, SPARCL_E_SHAPE, "op(B) 6 x 7");
    REFUSED(x.op_a = (sparcl_op)2, SPARCL_E_ARG, "op of A is 2 and of B 0, expected N or T");
    REFUSED(x.math = (sparcl_math)2, SPARCL_E_ARG, "math is 2, expected SPARCL_MATH_EXACT or FAST");
    REFUSED(x.a.dtype = SPARCL_F64, no_f64, "64");
    REFUSED(x.c.dtype = SPARCL_F64, no_f64, "64");
    REFUSED(x.b.reserved[0] = 1, SPARCL_E_ARG, "the reserved fields of B are not zero");
    REFUSED(x.a.values = x.c.values, SPARCL_E_ALIAS, "C overlaps A");
    REFUSED(x.b.values = x.c.values, SPARCL_E_ALIAS, "C overlaps B");
    REFUSED(x.b.values_at = 1000, SPARCL_E_SHAPE, "B needs");
    snapshot_free(&kept);
    assert_refused(ctx,
                   sparcl_gemm(ctx, NULL, 1, SPARCL_OP_N, &valid.a, SPARCL_OP_N, &valid.b, 0,
                               SPARCL_MATH_EXACT),
                   SPARCL_E_ARG, "C is NULL");
    assert_ok(ctx, gemm(ctx, &valid));
    drop(&valid);
}

/* A matrix with gaps, of either order, with the elements of `from`. */
static sparcl_dense in_order(sparcl_ctx *ctx, const sparcl_dense *from, int by_columns) {
    sparcl_dense to = {.rank = 2, .shape = {from->shape[0], from->shape[1]}};
    to.order = by_columns ? SPARCL_COLUMN_MAJOR : SPARCL_ROW_MAJOR;
    to.ld = to.shape[!by_columns] + 2;
    assert_ok(ctx, sparcl_buf_create(ctx, &to.values, to.ld * to.shape[by_columns] * 4 + 4));
    assert_ok(ctx, sparcl_copy(ctx, &to, from));
    return to;
}

static sparcl_dense numbers(sparcl_ctx *ctx, int64_t rows, int64_t cols, uint64_t seed) {
    float *const x = make_floats(rows * cols, seed);
    sparcl_dense view = {.rank = 2, .shape = {rows, cols}};
    view.values = put(ctx, x, rows * cols * 4 + (rows * cols == 0));
    free(x);
    return view;
}

static void *product_of(sparcl_ctx *ctx, const sparcl_dense *c, const sparcl_dense *a,
                        const sparcl_dense *b, int ops, int orders, double beta) {
    const sparcl_op op_a = ops & 1 ? SPARCL_OP_T : SPARCL_OP_N;
    const sparcl_op op_b = ops & 2 ? SPARCL_OP_T : SPARCL_OP_N;
    sparcl_dense own_c = in_order(ctx, c, orders & 1),
                 packed = numbers(ctx, c->shape[0], c->shape[1], 1);
    sparcl_dense own_a = in_order(ctx, a, orders >> 1 & 1), own_b = in_order(ctx, b, orders >> 2);
    assert_ok(ctx,
              sparcl_gemm(ctx, &own_c, -0.5, op_a, &own_a, op_b, &own_b, beta, SPARCL_MATH_EXACT));
    assert_ok(ctx, sparcl_copy(ctx, &packed, &own_c));
    void *const bytes = bytes_of(ctx, packed.values);
    sparcl_dense_free(&own_a);
    sparcl_dense_free(&own_b);
    sparcl_dense_free(&own_c);
    sparcl_dense_free(&packed);
    return bytes;
}

static void all_orders_give_the_same_bits(void **state) {
    static const int64_t sizes[][3] = {
        {7, 9, 5}, {1, 300, 6}, {40, 300, 1}, {1, 20, 1}, {33, 70, 40}};
    sparcl_ctx *ctx = *state;
    for (size_t s = 0; s < COUNT(sizes); ++s)
        for (int ops = 0; ops < 4; ++ops) {
            const int64_t m = sizes[s][0], k = sizes[s][1], n = sizes[s][2];
            const double beta = ops % 2 ? 0 : 0.25;
            sparcl_dense a = ops & 1 ? numbers(ctx, k, m, 2) : numbers(ctx, m, k, 2);
            sparcl_dense b = ops & 2 ? numbers(ctx, n, k, 3) : numbers(ctx, k, n, 3);
            sparcl_dense c = numbers(ctx, m, n, 4);
            void *const expected = product_of(ctx, &c, &a, &b, ops, 0, beta);
            for (int orders = 1; orders < 8; ++orders) {
                void *const got = product_of(ctx, &c, &a, &b, ops, orders, beta);
                assert_memory_equal(got, expected, (size_t)(m * n * 4));
                free(got);
            }
            free(expected);
            sparcl_dense_free(&a);
            sparcl_dense_free(&b);
            sparcl_dense_free(&c);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_orders_give_the_same_bits),
        cmocka_unit_test(a_small_product_is_right),
        cmocka_unit_test(blocks_of_k_are_added_in_order),
        cmocka_unit_test(with_beta_0_c_is_not_read),
        cmocka_unit_test(sizes_of_0_are_legal),
        cmocka_unit_test(a_fast_product_is_close_or_equal_to_the_exact_one),
#ifndef TEST_WITHOUT_CLBLAST
        cmocka_unit_test(a_product_that_clblast_refuses_is_exact_and_logged_once),
#else
        cmocka_unit_test(a_build_without_clblast_says_so_once),
#endif
        cmocka_unit_test(a_context_with_clblast_may_close_while_another_multiplies),
        cmocka_unit_test(a_refused_product_leaves_c_and_says_why),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
