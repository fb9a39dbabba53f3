/* test_copy.c: what the header says of sparcl_copy. */
#include "op_test.h"

enum { M = 40, N = 21 };

typedef struct copies {
    sparcl_dense from, to;
    float *host;
} copies;

static copies make_copies(sparcl_ctx *ctx) {
    copies s = {.from = {.rank = 2, .shape = {M, N}, .ld = N + 1}};
    s.to = s.from;
    s.to.ld = N + 3;
    s.host = make_floats(M * s.to.ld, 3);
    s.from.values = put_spare(ctx, s.host, M * s.from.ld);
    s.to.values = put_spare(ctx, s.host, M * s.to.ld);
    return s;
}

static void free_copies(copies *s) {
    sparcl_dense_free(&s->from);
    sparcl_dense_free(&s->to);
    free(s->host);
}

static void what_does_not_fit_is_refused_and_the_result_stays(void **state) {
    sparcl_ctx *ctx = *state;
    copies s = make_copies(ctx);
    snapshot kept = SNAPSHOT(ctx, s.from.values, s.to.values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(copies, s, violation, sparcl_copy(ctx, &x.to, &x.from), status, part, \
                             assert_unchanged(ctx, &kept))
    REFUSED(--x.from.shape[0], SPARCL_E_SHAPE, "copy: dimension 0 of `to` is 40, of `from` 39");
    REFUSED(x.to.rank = 1, SPARCL_E_SHAPE, "`to`");
    REFUSED(x.to.ld = N - 1, SPARCL_E_SHAPE, "rows of 21 elements and ld 20");
    REFUSED((x.to.order = SPARCL_COLUMN_MAJOR, x.to.ld = M - 1), SPARCL_E_SHAPE,
            "columns of 40 elements and ld 39");
    REFUSED(x.to.order = (sparcl_order)2, SPARCL_E_ARG, "the order of `to` is 2");
    REFUSED(x.from.dtype = (sparcl_dtype)7, SPARCL_E_DTYPE, "`from` has element type 7");
    REFUSED(x.from.values = x.to.values, SPARCL_E_ALIAS, "`to` overlaps `from`");
    REFUSED(x.from.values_at = 1 << 20, SPARCL_E_SHAPE, "`from` needs");
#undef REFUSED
    snapshot_free(&kept);
    free_copies(&s);
}

/* A matrix is its transpose in the other order. */
static void a_column_major_copy_is_the_transpose(void **state) {
    sparcl_ctx *ctx = *state;
    copies s = make_copies(ctx);
    s.to.order = SPARCL_COLUMN_MAJOR;
    s.to.ld = 0;
    assert_ok(ctx, sparcl_copy(ctx, &s.to, &s.from));
    float *got = bytes_of(ctx, s.to.values);
    for (int64_t i = 0; i < M; ++i)
        for (int64_t j = 0; j < N; ++j)
            assert_true(got[j * M + i] == s.host[i * s.from.ld + j]);
    free(got);
    free_copies(&s);
}

static void other_operations_refuse_column_major(void **state) {
    sparcl_ctx *ctx = *state;
    copies s = make_copies(ctx);
    s.to.order = SPARCL_COLUMN_MAJOR;
    s.to.ld = 0;
    assert_refused(ctx, sparcl_unary(ctx, SPARCL_UNARY_RELU, &s.to, &s.from), SPARCL_E_UNSUPPORTED,
                   "column-major, expected row-major (sparcl_copy");
    free_copies(&s);
}

/* The same number of elements, in an array of three dimensions. */
static void arrays_of_any_rank_and_size_0_are_copied(void **state) {
    sparcl_ctx *ctx = *state;
    copies s = make_copies(ctx);
    s.from = (sparcl_dense){.rank = 3, .shape = {5, 4, 3}, .values = s.from.values};
    sparcl_buf_free(s.to.values);
    s.to = s.from;
    s.to.values = put_spare(ctx, s.host, 60);
    s.to.dtype = SPARCL_INT32;
    assert_ok(ctx, sparcl_copy(ctx, &s.to, &s.from));
    int32_t *got = bytes_of(ctx, s.to.values);
    for (int64_t k = 0; k < 60; ++k)
        assert_int_equal(got[k], 0); /* toward 0 from (-1, 1) */
    free(got);
    s.from.shape[1] = s.to.shape[1] = 0;
    assert_ok(ctx, sparcl_copy(ctx, &s.to, &s.from));
    free_copies(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_result_stays),
        cmocka_unit_test(a_column_major_copy_is_the_transpose),
        cmocka_unit_test(other_operations_refuse_column_major),
        cmocka_unit_test(arrays_of_any_rank_and_size_0_are_copied),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
