/* test_dense_concat.c: what the header says of sparcl_dense_concat and sparcl_dense_split. */
#include "op_test.h"

#include "sparcl/ops/structure.h"

static sparcl_dense matrix(sparcl_ctx *ctx, int64_t m, int64_t n, int64_t ld, float first) {
    float host[64];
    for (int i = 0; i < 64; ++i)
        host[i] = first + (float)i;
    return (sparcl_dense){.rank = 2, .shape = {m, n}, .ld = ld, .values = put_spare(ctx, host, 64)};
}

/* Three parts along an axis, the second empty, and what they make. */
typedef struct world {
    sparcl_dense parts[3], whole;
    const sparcl_dense *list[3];
    int axis;
} world;

static world make_world(sparcl_ctx *ctx, int axis) {
    world w = {.axis = axis};
    static const int64_t sizes[] = {2, 0, 3};
    for (int i = 0; i < 3; ++i)
        w.parts[i] = axis ? matrix(ctx, 4, sizes[i], 5, 100.f * (float)i)
                          : matrix(ctx, sizes[i], 4, 5, 100.f * (float)i);
    w.whole = axis ? matrix(ctx, 4, 5, 7, -1000) : matrix(ctx, 5, 4, 7, -1000);
    return w;
}

static const sparcl_dense *const *list_of(world *w) {
    for (int i = 0; i < 3; ++i)
        w->list[i] = &w->parts[i];
    return w->list;
}

static void free_world(world *w) {
    for (int i = 0; i < 3; ++i)
        sparcl_buf_free(w->parts[i].values);
    sparcl_buf_free(w->whole.values);
}

static void parts_are_in_the_whole_and_gaps_stay(void **state) {
    sparcl_ctx *ctx = *state;
    for (int axis = 0; axis < 2; ++axis) {
        world w = make_world(ctx, axis);
        assert_ok(ctx, sparcl_dense_concat(ctx, &w.whole, list_of(&w), 3, axis));
        for (int64_t i = 0; i < w.whole.shape[0]; ++i)
            for (int64_t j = 0; j < 7; ++j) {
                const int64_t along = axis ? j : i;
                const int64_t row = axis || i < 2 ? i : i - 2, column = !axis || j < 2 ? j : j - 2;
                const float value = (along < 2 ? 0 : 200) + (float)(row * 5 + column);
                const float old = -1000 + (float)(i * 7 + j);
                assert_true(float_at(ctx, w.whole.values, i * 7 + j) ==
                            (j < w.whole.shape[1] ? value : old));
            }
        free_world(&w);
    }
}

static void splitting_gives_the_parts_again(void **state) {
    sparcl_ctx *ctx = *state;
    for (int axis = 0; axis < 2; ++axis) {
        world w = make_world(ctx, axis), other = make_world(ctx, axis);
        for (int i = 0; i < 3; ++i)
            assert_ok(ctx, sparcl_buf_fill(ctx, other.parts[i].values, 0, 64, 0));
        assert_ok(ctx, sparcl_dense_concat(ctx, &w.whole, list_of(&w), 3, axis));
        assert_ok(ctx, sparcl_dense_split(ctx, list_of(&other), 3, &w.whole, axis));
        for (int i = 0; i < 3; ++i)
            for (int64_t r = 0; r < w.parts[i].shape[0]; ++r)
                for (int64_t j = 0; j < w.parts[i].shape[1]; ++j)
                    assert_true(float_at(ctx, other.parts[i].values, r * 5 + j) ==
                                float_at(ctx, w.parts[i].values, r * 5 + j));
        free_world(&w);
        free_world(&other);
    }
}

/* Enough rows that workers move whole ones, longer and shorter than a vector. */
static void many_rows_side_by_side_and_back(void **state) {
    sparcl_ctx *ctx = *state;
    enum { ROWS = 1500, N = 22 };
    static float host[ROWS * N], got[ROWS * N];
    static const int64_t sizes[] = {19, 3}, from[] = {0, 19};
    sparcl_dense parts[2], whole = {.rank = 2, .shape = {ROWS, N}};
    const sparcl_dense *const list[] = {&parts[0], &parts[1]};
    for (int i = 0; i < ROWS * N; ++i)
        host[i] = (float)i;
    whole.values = put_spare(ctx, host, ROWS * N);
    for (int i = 0; i < 2; ++i)
        parts[i] = (sparcl_dense){
            .rank = 2, .shape = {ROWS, sizes[i]}, .values = put_spare(ctx, host, ROWS * sizes[i])};
    assert_ok(ctx, sparcl_dense_split(ctx, list, 2, &whole, 1));
    for (int i = 0; i < 2; ++i) {
        assert_ok(ctx, sparcl_dense_read(ctx, &parts[i], got));
        for (int64_t k = 0; k < ROWS * sizes[i]; ++k)
            assert_true(got[k] == host[k / sizes[i] * N + from[i] + k % sizes[i]]);
    }
    assert_ok(ctx, sparcl_buf_fill(ctx, whole.values, 0, sizeof host, 0));
    assert_ok(ctx, sparcl_dense_concat(ctx, &whole, list, 2, 1));
    assert_ok(ctx, sparcl_dense_read(ctx, &whole, got));
    assert_memory_equal(got, host, sizeof host);
    for (int i = 0; i < 2; ++i)
        sparcl_buf_free(parts[i].values);
    sparcl_buf_free(whole.values);
}

static void vectors_are_joined_along_axis_0(void **state) {
    sparcl_ctx *ctx = *state;
    world w = make_world(ctx, 0);
    for (int i = 0; i < 3; ++i)
        w.parts[i].rank = 1, w.parts[i].ld = 0;
    w.whole.rank = 1;
    w.whole.ld = 0;
    assert_ok(ctx, sparcl_dense_concat(ctx, &w.whole, list_of(&w), 3, 0));
    assert_true(float_at(ctx, w.whole.values, 1) == 1 && float_at(ctx, w.whole.values, 2) == 200);
    free_world(&w);
}

static void what_does_not_fit_is_refused_and_the_whole_stays(void **state) {
    sparcl_ctx *ctx = *state;
    world w = make_world(ctx, 1);
    snapshot kept = SNAPSHOT(ctx, w.whole.values, w.parts[0].values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(world, w, violation,                                                  \
                             sparcl_dense_concat(ctx, &x.whole, list_of(&x), 3, x.axis), status,   \
                             part, assert_unchanged(ctx, &kept))
    REFUSED(x.axis = 2, SPARCL_E_ARG, "the axis is 2");
    REFUSED((x.whole.rank = 1, x.whole.ld = 0), SPARCL_E_SHAPE, "the whole has rank 1");
    REFUSED(x.parts[2].shape[1] = 2, SPARCL_E_SHAPE, "the parts have 4 columns, the whole 5");
    REFUSED(x.parts[2].shape[0] = 2, SPARCL_E_SHAPE, "part 2 differs from the whole");
    REFUSED(x.parts[2].dtype = SPARCL_INT32, SPARCL_E_DTYPE, "part 2 is int32");
    REFUSED(x.parts[0].values = x.whole.values, SPARCL_E_ALIAS, "a part overlaps the whole");
    REFUSED(x.parts[0].reserved[0] = 1, SPARCL_E_ARG, "the reserved fields of part 0");
    const sparcl_dense *const twice[] = {&w.parts[0], &w.parts[1], &w.parts[0]};
    w.whole.shape[1] = 4;
    assert_refused(ctx, sparcl_dense_split(ctx, twice, 3, &w.whole, 1), SPARCL_E_ALIAS,
                   "another part");
    assert_refused(ctx, sparcl_dense_concat(ctx, &w.whole, NULL, 3, 1), SPARCL_E_ARG, "3 parts");
    assert_unchanged(ctx, &kept);
    snapshot_free(&kept);
    free_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_in_the_whole_and_gaps_stay),
        cmocka_unit_test(splitting_gives_the_parts_again),
        cmocka_unit_test(many_rows_side_by_side_and_back),
        cmocka_unit_test(vectors_are_joined_along_axis_0),
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_whole_stays),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
